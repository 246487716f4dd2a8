/* stage - makes a plan of a model, and a simulator on the CPU, for tests. */
#include "stage.h"

#include "kernels/core/lattice.h"

#include <string.h>

static void must(bool ok, struct rd_error *e)
{
    if (!ok)
        fail_msg("%s", e->text);
}

static uint64_t hash_text(uint64_t hash, const char *text)
{
    for (const char *c = text; *c != '\0'; c++)
        hash = hash_step(hash, (unsigned char)*c);
    return hash;
}

/* Makes model and plan of the configuration. */
static void make_plan(struct stage *s, uint64_t hash)
{
    struct rd_error e = {0};
    must(rd_model_make(&s->model, s->config, &e), &e);
    s->model.seed = hash % RD_SEED_END;
    must(rd_plan_open(&s->plan, &s->model, &e), &e);
}

void stage_plan(struct stage *s, const char *name, const char *const *sets)
{
    struct rd_error e = {0};
    *s = (struct stage){0};
    must(model_read(&s->config, name, sets, &e), &e);
    uint64_t hash = hash_text(PROBABILITY_HASH_START, name);
    for (; sets && *sets; sets++)
        hash = hash_text(hash, *sets);
    make_plan(s, hash);
}

void stage_plan_text(struct stage *s, const char *text)
{
    struct rd_error e = {0};
    *s = (struct stage){0};
    must(model_parse(&s->config, "stage.cfg", text, NULL, &e), &e);
    make_plan(s, hash_text(PROBABILITY_HASH_START, text));
}

void stage_refused(const char *name, const char *const *sets, const char *message)
{
    struct stage s;
    struct rd_error e = {0};
    stage_plan(&s, name, sets);
    assert_false(rd_plan_rates(&s.plan, s.model.value, &e));
    assert_string_equal(e.text, message);
    rd_error_free(&e);
    stage_close(&s);
}

static void open_simulator(struct stage *s, double step)
{
    const struct rd_machine_of machine = {.backend = "cpu", .threads = 1};
    struct rd_error e = {0};
    must(rd_plan_rates(&s->plan, s->model.value, &e), &e);
    must(rd_plan_step(&s->plan, step, &e), &e);
    must(rd_sim_open(&s->sim, &s->plan, &machine, &e), &e);
    must(rd_sim_take(&s->sim, &e), &e);
    s->sim.world.pass.dt = step / s->plan.moves;
}

void stage_open(struct stage *s, const char *name, const char *const *sets, double step)
{
    stage_plan(s, name, sets);
    open_simulator(s, step);
}

void stage_open_text(struct stage *s, const char *text, double step)
{
    stage_plan_text(s, text);
    open_simulator(s, step);
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
    return &w->counts.count[species * w->lattice.n_voxels + run * w->lattice.n_sites + site];
}

static int64_t sum_of(const struct rd_world *w, const int32_t *from, int64_t run, int species)
{
    int64_t sum = 0;
    for (int64_t site = 0; site < w->lattice.n_sites; site++)
        sum += from[species * w->lattice.n_voxels + run * w->lattice.n_sites + site];
    return sum;
}

void stage_pass(struct stage *s, enum rd_pass pass, uint32_t part, double from, double dt)
{
    rd_sim_aim(&s->sim, part, from, dt);
    rd_sim_run(&s->sim, pass);
}

int64_t stage_total(const struct stage *s, int64_t run, int species)
{
    return sum_of(&s->sim.world, s->sim.world.counts.count, run, species);
}

int64_t stage_arriving(const struct stage *s, int64_t run, int species)
{
    return sum_of(&s->sim.world, s->sim.world.counts.arrive, run, species);
}

static int64_t over_stripes(const struct rd_world *w, const int64_t *from, int64_t run, int species,
                            int face)
{
    int64_t sum = 0;
    for (int64_t stripe = 0; stripe < w->lattice.n_stripes; stripe++) {
        const int64_t sums = stripe * w->lattice.n_runs + run;
        sum += from[(sums * w->counts.n_species + species) * RD_N_FACES + face];
    }
    return sum;
}

int64_t stage_lost(const struct stage *s, int64_t run, int species, int face)
{
    return over_stripes(&s->sim.world, s->sim.world.counts.lost, run, species, face);
}

int64_t stage_entered(const struct stage *s, int64_t run, int species, int face)
{
    return over_stripes(&s->sim.world, s->sim.world.counts.entered, run, species, face);
}

void assert_contains(const char *text, const char *words)
{
    if (!text || !strstr(text, words))
        fail_msg("'%s' is not in: %s", words, text ? text : "nothing");
}
