/* group - a small run that uses every part of a checkpoint, for seeds and for the fuzzer. */
#ifndef RD_GROUP_FOR_FUZZ_H
#define RD_GROUP_FOR_FUZZ_H

#include "model_file.h"
#include "run/checkpoint.h"

struct group {
    rd_config *config;
    struct rd_model model;
    struct rd_plan plan;
};

static inline bool group_open(struct group *h, struct rd_error *e)
{
    return model_read(&h->config, "fuzz/group.cfg", NULL, e) &&
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
