/* group - a small run that uses every part of a checkpoint, for seeds and for the fuzzer. */
#ifndef RD_GROUP_FOR_FUZZ_H
#define RD_GROUP_FOR_FUZZ_H

#include "run/checkpoint.h"

static const char group_text[] =
    "grid = { voxels = (3, 2); edge = 1.0; walls = { x = \"absorb\"; }; };\n"
    "parameters = { k = 1.0; };\n"
    "species = ( { name = \"A\"; diffusion = 0.5; },\n"
    "            { name = \"W\"; diffusion = 0.1; individuals = { max = 12; attributes = "
    "( { name = \"u\"; initial = \"x\"; birth = \"parent.u + 1\"; } ); }; } );\n"
    "reactions = ( { equation = \"A -> 0\"; rate = \"k\"; },\n"
    "              { equation = \"W -> 2 W\"; rate = 0.3; } );\n"
    "initial = ( { species = \"A\"; value = 9; }, { species = \"W\"; count = 3; } );\n"
    "events = ( { time = 0.3; set = { k = 0.5; }; },\n"
    "           { every = 0.4; add = { species = \"W\"; count = 1; }; } );\n"
    "time = { end = 2.0; step = 0.1; }; output = { every = 0.5; };\n";

struct group {
    rd_config *config;
    struct rd_model model;
    struct rd_plan plan;
};

static inline bool group_open(struct group *h, struct rd_error *e)
{
    return rd_config_parse(&h->config, "group.cfg", group_text, NULL, 0, e) &&
           rd_model_make(&h->model, h->config, e) && rd_plan_open(&h->plan, &h->model, e);
}

/* Runs it with this watch, on a simulator of its own. */
static inline bool group_run(struct group *h, const struct rd_watch *watch, struct rd_error *e)
{
    const struct rd_machine_of cpu = {.backend = "cpu", .threads = 1, .verify = true};
    struct rd_sim sim;
    double stopped;
    const bool ok =
        rd_sim_open(&sim, &h->plan, &cpu, e) && rd_run(&h->plan, &sim, watch, &stopped, e);
    rd_sim_close(&sim);
    return ok;
}

static inline bool group_record(void *to, struct rd_sim *s, double time, struct rd_error *e)
{
    (void)to;
    (void)s;
    (void)time;
    (void)e;
    return true;
}

static inline bool group_live(void *to, struct rd_sim *s, struct rd_error *e)
{
    s->n_lives = 0;
    return group_record(to, s, 0.0, e);
}

#endif
