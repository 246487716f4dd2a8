/* derived - facts in a result file besides its data: derived quantities, origin and wall times. */
#define _POSIX_C_SOURCE 200809L
#include "app/derived.h"

#include "rd_version.h"

#include <stdio.h>
#include <unistd.h>

void rd_facts_add(struct rd_facts *f, const char *name, double value)
{
    f->fact[f->n++] = (struct rd_fact){.name = name, .number = value};
}

void rd_facts_add_text(struct rd_facts *f, const char *name, const char *value)
{
    f->fact[f->n++] = (struct rd_fact){.name = name, .text = value};
}

void rd_facts_derived(struct rd_facts *f, const struct rd_plan *p, const struct rd_forecast *o)
{
    f->n = 0;
    rd_facts_add(f, "steps", (double)o->n_steps);
    rd_facts_add(f, "longest_step", o->longest);
    rd_facts_add(f, "shortest_step", o->shortest);
    snprintf(f->text[0], sizeof f->text[0], "%s", o->limit.why);
    rd_facts_add_text(f, "step_limited_by", f->text[0]);
    rd_facts_add(f, "movements_per_step", p->moves);
    rd_facts_add(f, "voxel_volume", p->world.lattice.volume);
    rd_facts_add(f, "snapshots", (double)p->model->n_moments);
    rd_facts_add(f, "end_time", p->model->end);
}

void rd_facts_provenance(struct rd_facts *f, const struct rd_sim *s)
{
    f->n = 0;
    rd_facts_add_text(f, "program", "rdsim " RD_VERSION);
    rd_facts_add_text(f, "commit", RD_COMMIT);
    rd_facts_add(f, "stream_version", RD_STREAM_VERSION);
    rd_facts_add_text(f, "backend", s->backend->name);
    snprintf(f->text[0], sizeof f->text[0], "%s", s->backend->device(s->machine));
    rd_facts_add_text(f, "device", f->text[0]);
    rd_facts_add(f, "threads", s->backend->threads(s->machine));
    rd_facts_add(f, "seed", (double)s->world.pass.seed);
    if (gethostname(f->text[1], sizeof f->text[1] - 1) == 0)
        rd_facts_add_text(f, "host", f->text[1]);
}

const char *const rd_facts_second[RD_N_TIMES] = {
#define PASS_NAME(NUMBER, ...) "seconds_" #NUMBER,
    RD_PASSES(PASS_NAME) RD_LIST_PASSES(PASS_NAME)
#undef PASS_NAME
        "seconds_EXACT",
    "seconds_PLACE"};

void rd_facts_timing(struct rd_facts *f, const struct rd_sim *s, const struct rd_recorder *r)
{
    f->n = 0;
    for (int pass = 0; pass < RD_N_TIMES; pass++)
        if (s->seconds[pass] > 0.0)
            rd_facts_add(f, rd_facts_second[pass], s->seconds[pass]);
    rd_facts_add(f, "seconds_RECORD", r->seconds);
    rd_facts_add(f, "seconds_WAIT", r->times.waited);
    rd_facts_add(f, "seconds_WRITE", r->times.worked);
    rd_facts_add(f, "steps_done", s->step_clock.step);
}
