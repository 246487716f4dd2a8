/* lab - runs a configuration in memory and passes every snapshot to a callback, for physics tests
   and twin tests. */
#define _POSIX_C_SOURCE 200809L
#include "lab.h"

#include "far.h"

#include "model_file.h"
#include "probability.h"
#include "run/checkpoint.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct looking {
    struct rd_recorder recorder;
    const struct lab *lab;
    const struct rd_model *model;
};

static bool live(void *to, struct rd_sim *s, struct rd_error *e)
{
    (void)e;
    const struct looking *const l = to;
    if (l->lab->live)
        l->lab->live(l->lab->to, l->model, s->life, s->n_lives);
    s->n_lives = 0;
    return true;
}

static bool record(void *to, struct rd_sim *s, double time, struct rd_error *e)
{
    struct looking *const l = to;
    if (!rd_recorder_take(&l->recorder, s, time, e) || !live(to, s, e))
        return false;
    if (l->lab->look)
        l->lab->look(l->lab->to, l->model, &l->recorder.snapshot);
    return true;
}

/* Makes the host synchronise rarely, as with a device without shared memory, and sets the initial
   capacities. */
static void take_far(struct rd_sim *s, int64_t capacity)
{
    struct rd_world *const w = &s->world;
    s->backend = far_of(s->backend);
    if (w->lists.n_list == 0)
        return;
    w->lists.n_newborn = w->lists.n_members = w->lists.n_standing = capacity;
    w->lists.n_newborn_trait = capacity * w->lists.most_traits;
    w->lists.n_note = w->lists.n_note > 0 ? capacity : 0;
}

static enum rd_run_request go_on(void *to, double time, int64_t n_steps)
{
    (void)time;
    const struct looking *const l = to;
    return l->lab->leaves && l->lab->leaves(n_steps) ? RD_STOP : RD_GO_ON;
}

static bool save(void *to, struct rd_sim *s, struct rd_run_position *now, struct rd_error *e)
{
    struct rd_checkpoint_file t;
    return live(to, s, e) && rd_checkpoint_file_create(&t, "lab.temporary", "lab.checkpoint", e) &&
           rd_checkpoint_file_close(&t, rd_checkpoint_pass(&t, s, now, e));
}

static bool load(void *to, struct rd_sim *s, struct rd_run_position *now, struct rd_error *e)
{
    (void)to;
    struct rd_checkpoint_file t;
    return rd_checkpoint_file_open(&t, "lab.checkpoint", e) &&
           rd_checkpoint_file_close(&t, rd_checkpoint_pass(&t, s, now, e));
}

static const char *backend_of(const struct lab *lab, int part)
{
    const char *const one = lab->backend ? lab->backend : "cpu";
    return part % 2 == 1 && lab->then ? lab->then : one;
}

static int threads_of(const struct lab *lab, int part)
{
    const int one = lab->threads ? lab->threads : 1;
    return part % 2 == 1 && lab->threads_then ? lab->threads_then : one;
}

/* Sets where counts are stored. */
static void set_store(const struct lab *lab, struct rd_model *m, int part)
{
    const char *const store = part % 2 == 1 && lab->store_then ? lab->store_then : lab->store;
    const bool is_mixed = store && strcmp(store, "mixed") == 0;
    for (int s = 0; store && s < m->n_species; s++) {
        const bool is_listed = is_mixed ? s % 2 == 0 : strcmp(store, "list") == 0;
        m->species[s].store =
            !is_listed || rd_plan_no_rows(m, &m->species[s]) ? RD_STORE_GRID : RD_STORE_LIST;
    }
}

/* Pretends that there is less memory for rows. */
static void limit_rows(struct rd_rows *rows, int64_t capacity)
{
    if (capacity > 0 && rows->n_row > 0)
        rows->n_entry = rows->n_entry_next = rows->n_outbox = capacity;
}

/* Runs one simulator, from the start or from the checkpoint of the previous one. */
static bool go(const struct lab *lab, struct rd_model *m, int part, bool *is_left,
               struct rd_error *e)
{
    struct rd_plan plan = {0};
    struct rd_sim sim = {0};
    struct looking looking = {.lab = lab, .model = m};
    const struct rd_machine_of machine = {.backend = backend_of(lab, part),
                                          .threads = threads_of(lab, part),
                                          .timing = lab->timed,
                                          .verify = !lab->unverified};
    const struct rd_watch watch = {.record = record,
                                   .live = live,
                                   .record_to = &looking,
                                   .go_on = go_on,
                                   .go_on_to = &looking,
                                   .save = save,
                                   .load = part > 0 ? load : NULL,
                                   .save_to = &looking};
    double stopped = NAN;
    set_store(lab, m, part);
    bool ok = rd_plan_open(&plan, m, e) && rd_sim_open(&sim, &plan, &machine, e);
    if (ok && lab->far_capacity > 0)
        take_far(&sim, lab->far_capacity);
    limit_rows(&sim.world.rows, lab->row_capacity);
    ok = ok && rd_recorder_open(&looking.recorder, &sim, m->n_runs, e) &&
         rd_run(&plan, &sim, &watch, &stopped, e);
    if (lab->declines)
        *lab->declines += sim.declines;
    rd_recorder_close(&looking.recorder, &sim);
    rd_sim_close(&sim);
    rd_plan_free(&plan);
    *is_left = !isnan(stopped);
    return ok;
}

static bool simulate(const struct lab *lab, struct rd_model *m, struct rd_error *e)
{
    bool is_left = true, ok = true;
    for (int part = 0; ok && is_left && !(part > 0 && lab->for_good); part++)
        ok = go(lab, m, part, &is_left, e);
    return ok;
}

static uint64_t hash(uint64_t h, const void *bytes, size_t n)
{
    const unsigned char *const b = bytes;
    for (size_t i = 0; i < n; i++)
        h = hash_step(h, b[i]);
    return h;
}

static void hash_individuals(uint64_t *h, const struct rd_model *m, const struct rd_individuals *i)
{
    const size_t n = (size_t)i->n;
    *h = hash_step(*h, (uint64_t)i->species);
    *h = hash(*h, i->row_count, (size_t)m->n_runs * sizeof *i->row_count);
    *h = hash(*h, i->id, n * sizeof *i->id);
    *h = hash(*h, i->parent, n * sizeof *i->parent);
    *h = hash(*h, i->born, n * sizeof *i->born);
    *h = hash(*h, i->site, n * sizeof *i->site);
    for (int a = 0; a < m->species[i->species].n_attributes; a++)
        *h = hash(*h, i->attribute[a], n * sizeof *i->attribute[a]);
}

/* Hashes what walls took. If no wall takes any, that is 0 of each run, and -1 of those that
   faulted. */
static void hash_lost(uint64_t *h, const struct rd_model *m, const struct rd_snapshot *s)
{
    const int64_t per_run = (int64_t)m->n_species * RD_FACES;
    for (int64_t i = 0; i < m->n_runs * per_run; i++) {
        const int64_t none = s->out && s->out[i / per_run] ? -1 : 0;
        *h = hash(*h, s->lost ? &s->lost[i] : &none, sizeof none);
    }
}

static void look_hash(void *to, const struct rd_model *m, const struct rd_snapshot *s)
{
    uint64_t *const h = to;
    const size_t per_run = (size_t)m->n_runs, species = (size_t)m->n_species;
    *h = hash(*h, &s->time, sizeof s->time);
    *h = hash(*h, s->counts, per_run * species * (size_t)m->grid.n_sites * sizeof *s->counts);
    *h = hash(*h, s->totals, per_run * species * sizeof *s->totals);
    *h = hash(*h, s->fired, per_run * (size_t)m->n_reactions * sizeof *s->fired);
    hash_lost(h, m, s);
    if (s->entered)
        *h = hash(*h, s->entered, per_run * species * RD_FACES * sizeof *s->entered);
    for (int i = 0; i < m->n_fields; i++)
        if (m->field_varies[i] && s->field)
            *h = hash(*h, s->field[i], per_run * (size_t)m->grid.n_sites * sizeof *s->field[i]);
    for (int64_t i = 0; i < s->n_faulted; i++) {
        const struct rd_faulted *const f = &s->faulted[i];
        *h = hash(*h, &f->run, sizeof f->run);
        *h = hash(*h, &f->time, sizeof f->time);
        *h = hash(*h, f->text, strlen(f->text));
    }
    for (int i = 0; i < s->n_individuals; i++)
        hash_individuals(h, m, &s->individuals[i]);
}

static void live_hash(void *to, const struct rd_model *m, const struct rd_life *life, int64_t n)
{
    (void)m;
    uint64_t *const h = to;
    for (const struct rd_life *l = life; l < life + n; l++) {
        *h = hash(*h, &l->time, sizeof l->time);
        const int64_t number[] = {l->run,      l->site, l->species,
                                  l->is_birth, l->id,   l->is_birth ? l->parent : -1};
        *h = hash(*h, number, sizeof number);
    }
}

static struct lab hashing_for(const struct lab *lab, uint64_t *h)
{
    struct lab hashing = *lab;
    *h = PROBABILITY_HASH_START;
    hashing.look = look_hash;
    hashing.live = live_hash;
    hashing.to = h;
    return hashing;
}

/* If RDSIM_LAB_TWIN=cuda, repeats every run of a test on that back end, which must give the same
   bytes. */
static bool is_twin_same(const struct lab *lab, struct rd_model *m, struct rd_error *e)
{
    const char *const twin = getenv("RDSIM_LAB_TWIN");
    if (!twin || lab->look == look_hash || m->solver == RD_SOLVER_EXACT)
        return true;
    uint64_t right, there;
    struct lab here = hashing_for(lab, &right), far = hashing_for(lab, &there);
    far.backend = twin;
    far.unverified = true;
    return simulate(&here, m, e) && simulate(&far, m, e) &&
           (there == right || rd_fail(e, "%s gives other bytes", twin));
}

char *lab_try(const struct lab *lab, const char *text, const char *const *sets)
{
    struct rd_error e = {0};
    rd_config *config = NULL;
    struct rd_model model = {0};
    const bool ok = model_parse(&config, "lab.cfg", text, sets, &e) &&
                    rd_model_make(&model, config, &e) && simulate(lab, &model, &e) &&
                    is_twin_same(lab, &model, &e);
    assert_true(ok == (e.n == 0));
    char *const message = strdup(ok ? "" : e.text);
    rd_model_free(&model);
    rd_config_free(config);
    rd_error_free(&e);
    return message;
}

void lab_run(const struct lab *lab, const char *text, const char *const *sets)
{
    char *const message = lab_try(lab, text, sets);
    if (*message)
        fail_msg("%s", message);
    free(message);
}

int lab_n_listed(const char *text, const char *const *sets)
{
    struct rd_error e = {0};
    rd_config *config = NULL;
    struct rd_model model = {0};
    int n = 0;
    if (!model_parse(&config, "lab.cfg", text, sets, &e) || !rd_model_make(&model, config, &e))
        fail_msg("%s", e.text);
    for (int s = 0; s < model.n_species; s++)
        n += !rd_plan_no_rows(&model, &model.species[s]);
    rd_model_free(&model);
    rd_config_free(config);
    return n;
}

char *lab_model(const char *name, const char *const *sets)
{
    struct rd_error e = {0};
    rd_config *config = NULL;
    if (!model_read_merged(&config, name, sets, &e))
        fail_msg("%s", e.text);
    char *const text = rd_config_effective(config);
    assert_non_null(text);
    rd_config_free(config);
    return text;
}

uint64_t lab_seed(const char *name)
{
    return seed_of(name);
}

uint64_t lab_fingerprint(const struct lab *lab, const char *text, const char *const *sets)
{
    uint64_t h;
    const struct lab hashing = hashing_for(lab, &h);
    lab_run(&hashing, text, sets);
    return h;
}

void lab_add(struct lab_sums *s, double x)
{
    s->n += 1.0;
    s->sum += x - s->mean;
    s->squares += (x - s->mean) * (x - s->mean);
}

void lab_add_places(struct lab_sums *s, const struct rd_model *m, const struct rd_snapshot *now)
{
    for (int64_t site = 0; site < m->grid.n_sites; site++) {
        const double at = (double)(site % m->grid.size[0]) + 0.5;
        for (int32_t i = 0; i < now->counts[site]; i++)
            lab_add(s, m->grid.origin[0] + at * m->grid.edge[0]);
    }
}

double lab_mean_z(const struct lab_sums *s, double variance)
{
    return s->sum / sqrt(s->n * variance);
}

double lab_variance_z(const struct lab_sums *s, double variance, double excess)
{
    return (s->squares / s->n / variance - 1.0) * sqrt(s->n / (2.0 + excess));
}

bool lab_has_gpu(void)
{
#ifdef RD_HAS_CUDA
    return rd_cuda_devices() > 0;
#else
    return false;
#endif
}
