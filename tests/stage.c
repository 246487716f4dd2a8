/* stage - makes a plan from a configuration's text, and a simulator on the CPU, for tests. */
#include "stage.h"

#include "kernels/core/lattice.h"

#include <string.h>

static void must(bool ok, struct rd_error *e)
{
    if (!ok)
        fail_msg("%s", e->text);
}

void stage_plan(struct stage *s, const char *text)
{
    struct rd_error e = {0};
    *s = (struct stage){0};
    must(rd_config_parse(&s->config, "stage.cfg", text, NULL, 0, &e), &e);
    must(rd_model_make(&s->model, s->config, &e), &e);
    s->model.seed = seed_of(text);
    must(rd_plan_open(&s->plan, &s->model, &e), &e);
}

void stage_refused(const char *text, const char *message)
{
    struct stage s;
    struct rd_error e = {0};
    stage_plan(&s, text);
    assert_false(rd_plan_rates(&s.plan, s.model.value, &e));
    assert_string_equal(e.text, message);
    rd_error_free(&e);
    stage_close(&s);
}

void stage_open(struct stage *s, const char *text, double step)
{
    const struct rd_machine_of machine = {.backend = "cpu", .threads = 1};
    struct rd_error e = {0};
    stage_plan(s, text);
    must(rd_plan_rates(&s->plan, s->model.value, &e), &e);
    must(rd_plan_step(&s->plan, step, &e), &e);
    must(rd_sim_open(&s->sim, &s->plan, &machine, &e), &e);
    must(rd_sim_take(&s->sim, &e), &e);
    s->sim.world.dt = step / s->plan.moves;
}

void stage_close(struct stage *s)
{
    rd_sim_close(&s->sim);
    rd_plan_free(&s->plan);
    rd_model_free(&s->model);
    rd_config_free(s->config);
}

int32_t *stage_count(const struct stage *s, int64_t run, int species, int64_t site)
{
    const struct rd_world *const w = &s->sim.world;
    return &w->count[species * w->n_voxels + run * w->n_sites + site];
}

static int64_t sum_of(const struct rd_world *w, const int32_t *from, int64_t run, int species)
{
    int64_t sum = 0;
    for (int64_t site = 0; site < w->n_sites; site++)
        sum += from[species * w->n_voxels + run * w->n_sites + site];
    return sum;
}

int64_t stage_total(const struct stage *s, int64_t run, int species)
{
    return sum_of(&s->sim.world, s->sim.world.count, run, species);
}

int64_t stage_arriving(const struct stage *s, int64_t run, int species)
{
    return sum_of(&s->sim.world, s->sim.world.arrive, run, species);
}

static int64_t over_stripes(const struct rd_world *w, const int64_t *from, int64_t run, int species,
                            int face)
{
    int64_t sum = 0;
    for (int64_t stripe = 0; stripe < w->n_stripes; stripe++) {
        const int64_t sums = stripe * w->n_runs + run;
        sum += from[(sums * w->n_species + species) * RD_N_FACES + face];
    }
    return sum;
}

int64_t stage_lost(const struct stage *s, int64_t run, int species, int face)
{
    return over_stripes(&s->sim.world, s->sim.world.lost, run, species, face);
}

int64_t stage_entered(const struct stage *s, int64_t run, int species, int face)
{
    return over_stripes(&s->sim.world, s->sim.world.entered, run, species, face);
}

void assert_said(const char *text, const char *words)
{
    if (!text || !strstr(text, words))
        fail_msg("'%s' is not in: %s", words, text ? text : "nothing");
}
