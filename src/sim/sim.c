/* sim - state of a simulation: the plan's arrays on a back end, and the passes over them. */
#include "sim/sim.h"

#include "base/clock.h"
#include "kernels/core/arena.h"
#include "kernels/passes/reactions/exchange.h"
#include "kernels/passes/totals/totals.h"
#include "sim/capacity.h"
#include "sim/faults.h"
#include "sim/lists.h"
#include "sim/rows.h"

#include <stdio.h>
#include <stdlib.h>

void rd_sim_size(const struct rd_plan *p, struct rd_world *w)
{
    const bool is_split = p->model->solver == RD_SOLVER_SPLIT;
    const int64_t sums = w->lattice.n_stripes * w->lattice.n_runs;
    w->counts.n_count = w->counts.n_species * w->lattice.n_voxels;
    w->counts.n_arrive = is_split ? w->counts.n_count : 0;
    w->counts.n_fired = sums * w->reactions.n_reactions;
    w->counts.n_lost = p->has_lost ? sums * w->counts.n_species * RD_N_FACES : 0;
    w->counts.n_entered = p->has_entered ? sums * w->counts.n_species * RD_N_FACES : 0;
    w->fields.n_varying =
        (w->fields.n_field_rate + w->fields.n_field_gradient) * w->lattice.n_voxels;
    w->positions.n_first_moments = 4 * w->positions.n_followed * w->items.n_averaged;
    w->positions.n_mean = 3 * w->counts.n_species * w->items.n_averaged;
    for (int32_t i = 0; i < w->counts.n_species; i++)
        w->movement.n_hop_rate_now +=
            p->motion_of[i] == RD_MOTION_BY_STATE ? w->lattice.n_voxels : 0;
    if (is_split && w->items.n_exchange_groups > 0)
        w->exchanges.n_exchange_sum =
            w->lattice.n_runs * w->exchanges.n_exchange * rd_exchange_nodes(&w->lattice);
    w->exchanges.n_mixed_number = w->items.n_mixing_blocks;
    w->movement.n_substep = w->items.n_substepped > 0 ? w->lattice.n_runs : 0;
    w->runs.n_fault = RD_N_FAULTS;
    w->runs.n_run_fault = w->lattice.n_runs;
    w->runs.faults_are_separate = p->model->n_all > 1;
    w->runs.n_first_faulting_pass = 1;
    w->runs.n_total = w->runs.n_total_of * w->lattice.n_runs;
    w->items.n_summed =
        w->runs.n_total > 0 ? w->lattice.n_runs * rd_n_portions_gathered(&w->lattice) : 0;
    if (p->model->n_conditions > 0) {
        w->runs.n_condition_is = p->model->n_conditions * w->lattice.n_runs;
        w->runs.n_n_due = 1;
        w->items.n_tested = w->lattice.n_runs;
        w->runs.n_pause = is_split ? 0 : w->lattice.n_runs;
    }
    w->runs.n_value = p->model->has_run_values ? p->model->n_parameters * w->lattice.n_runs : 0;
    if (p->model->stop.n > 0) {
        w->runs.n_frozen = w->runs.n_stopped = w->lattice.n_runs;
        w->runs.stops_at_steps = p->model->stops_at_steps;
    }
    rd_lists_size(p, w);
    rd_rows_size(p, w);
}

/* Returns the bytes of all arrays, with the padding between them. */
static double array_bytes(const struct rd_world *w)
{
    double bytes = 0.0;
#define ARRAY_BYTES(part, type, name)                                                              \
    bytes += (double)w->part.n_##name * (double)sizeof(type) + (double)RD_ARENA_ALIGNED;
#define TABLE_BYTES(part, type, name)                                                              \
    if (w->part.n_##name > 0) /* empty tables take no memory */                                    \
    ARRAY_BYTES(part, type, name)
    RD_TABLES(TABLE_BYTES)
    RD_STATES(ARRAY_BYTES)
#undef TABLE_BYTES
#undef ARRAY_BYTES
    return bytes;
}

double rd_sim_memory(const struct rd_plan *p, int threads)
{
    struct rd_world w = p->world;
    rd_sim_size(p, &w);
    double bytes = array_bytes(&w);
    if (p->model->solver == RD_SOLVER_EXACT)
        bytes += (double)rd_exact_memory(&w, threads);
    if (p->conserved.law.n > 0) /* the totals that were placed */
        bytes += (double)w.lattice.n_runs * w.counts.n_species * (double)sizeof(int64_t);
    return bytes + (p->model->n_events > 0 /* the counts on the host */
                        ? (double)w.counts.n_count * (double)sizeof(int32_t)
                        : 0.0);
}

size_t rd_sim_individual_bytes(const struct rd_world *w, const struct rd_list *l)
{
    const size_t entry = sizeof *w->lists.key + sizeof *w->lists.slot + sizeof *w->lists.key_next +
                         sizeof *w->lists.slot_next + sizeof *w->lists.offset;
    const size_t slot = sizeof *w->lists.id + sizeof *w->lists.parent + sizeof *w->lists.born;
    return entry + slot + (size_t)l->n_traits * sizeof *w->lists.trait;
}

/* Sets the parts of the free memory that the runs of a batch may take if their number is chosen: of
   host memory, which other programs use too, and of a device's memory. */
static const double share_near = 0.5, share_far = 0.9;

static struct rd_fit fit_of(const struct rd_backend *b, rd_machine *m, const struct rd_plan *p,
                            const struct rd_machine_of *how)
{
    struct rd_world w = p->world;
    rd_sim_size(p, &w);
    struct rd_fit fit = {.has = (double)b->memory(m), .runs = w.lattice.n_runs};
    if (fit.has > 0.0 && how->n_sharing > 1)
        fit.has /= how->n_sharing;
    fit.arrays = array_bytes(&w) + RD_TABLES_GROW + how->aboard;
    fit.need = b->shares_host_memory ? rd_sim_memory(p, b->threads(m)) + how->recording_memory
                                     : fit.arrays + (double)b->work_memory(m, &w);
    const double share = b->shares_host_memory ? share_near : share_far;
    if (fit.has >= 0.0 && fit.need > 0.95 * fit.has)
        fit.runs = (int64_t)(share * fit.has / fit.need * (double)w.lattice.n_runs);
    return fit;
}

double rd_sim_core_seconds(const struct rd_plan *p, double n_steps)
{
    const double n_voxels = (double)p->world.lattice.n_voxels;
    const bool has_rows = p->world.rows.n_column > 0;
    const int64_t n_arrays = has_rows ? p->world.rows.n_columned : p->world.counts.n_species;
    double of_voxels = 25e-9 * (double)n_arrays + (has_rows ? 20e-9 : 0.0), of_molecules = 0.0;
    for (int32_t s = 0; s < p->world.counts.n_species; s++)
        of_molecules += p->mean[s] * (has_rows && p->column[s] < 0 ? 150e-9 : 60e-9);
    return n_steps * n_voxels * (of_voxels + of_molecules);
}

/* Returns whether the CPU has finished before a GPU has started. */
static bool is_short(const struct rd_plan *p, const struct rd_machine_of *how)
{
    const double gpu_start = 0.2;
    return how->n_steps > 0.0 && how->device == 0 &&
           rd_sim_core_seconds(p, how->n_steps) < gpu_start;
}

/* Opens the requested machine. Only the CPU has the exact solver: `auto` takes the CPU for it, and
   `cuda` is refused. `auto` takes the CPU for short runs, too, and for many parameter vectors, of
   which the CPU simulates all at once and a GPU one after another. */
static const struct rd_backend *open_machine(const struct rd_plan *p,
                                             const struct rd_machine_of *how, rd_machine **m,
                                             struct rd_error *remark, struct rd_error *e)
{
    const bool is_exact = p->model->solver == RD_SOLVER_EXACT;
    const bool is_auto = strcmp(how->backend, "auto") == 0;
    if (is_exact && strcmp(how->backend, "cuda") == 0) {
        rd_fail(e, "solver = \"exact\" runs on the CPU only; take --backend cpu");
        return NULL;
    }
    const bool is_for_cpu = is_exact || p->world.reactions.runs_per_vector > 0 || is_short(p, how);
    return rd_backend_open(is_auto && is_for_cpu ? "cpu" : how->backend, m, how->threads,
                           how->device, remark, e);
}

bool rd_sim_fits(const struct rd_plan *p, const struct rd_machine_of *how, struct rd_fit *fit,
                 struct rd_error *e)
{
    rd_machine *m = NULL;
    struct rd_error remark = {0};
    const struct rd_backend *const b = open_machine(p, how, &m, &remark, e);
    if (b)
        *fit = fit_of(b, m, p, how);
    if (m)
        b->close(m);
    rd_error_free(&remark);
    return b != NULL;
}

/* Returns the list that takes most memory, *bytes in all runs; -1 if there is none. */
static int32_t find_largest_list(const struct rd_plan *p, double *bytes)
{
    int32_t largest = -1;
    *bytes = 0.0;
    for (int32_t i = 0; i < (int32_t)p->world.lists.n_list; i++) {
        const struct rd_list *const l = &p->list[i];
        const double here = (double)l->most * (double)rd_sim_individual_bytes(&p->world, l);
        if (here > *bytes) {
            *bytes = here;
            largest = i;
        }
    }
    return largest;
}

/* Adds a message about too little memory, with what to reduce. Returns false. */
static bool refuse_size(const struct rd_sim *s, const struct rd_fit *fit, struct rd_error *e)
{
    const struct rd_plan *const p = s->plan;
    const struct rd_model *const m = p->model;
    const double voxels = (double)m->grid.n_sites * (double)m->n_runs;
    double bytes;
    const int32_t list = find_largest_list(p, &bytes);
    const struct rd_species *const most =
        list < 0 ? NULL : &m->species[p->species_of[p->list[list].species]];
    char what[200];
    if (bytes > 0.5 * fit->arrays)
        snprintf(what, sizeof what, "reduce individuals.max, which is %lld for '%.60s'",
                 (long long)most->max, most->name);
    else
        snprintf(what, sizeof what, "take at most about %.3g voxels over all runs",
                 0.95 * fit->has / fit->need * voxels);
    return rd_fail(e,
                   "%lld run%s of %lld voxels and %d species need %.3g GB, and %s has %.3g GB "
                   "free; %s",
                   (long long)m->n_runs, m->n_runs == 1 ? "" : "s", (long long)m->grid.n_sites,
                   m->n_species, fit->need / 1e9, s->backend->device(s->machine), fit->has / 1e9,
                   what);
}

/* Adds a message about too little memory to record all runs. Returns false. */
static bool refuse_recording(const struct rd_sim *s, const struct rd_fit *fit,
                             const struct rd_machine_of *how, struct rd_error *e)
{
    const struct rd_model *const m = s->plan->model;
    return rd_fail(e,
                   "recording %lld runs of %d species needs %.3g GB, and %s has %.3g GB free; take "
                   "fewer runs, or record less by output.keep or output.species",
                   (long long)m->n_all, m->n_species, how->recording_memory / 1e9,
                   s->backend->device(s->machine), fit->has / 1e9);
}

/* Reserves memory for all arrays, or adds a message with the free memory and returns false. */
static bool reserve_arrays(struct rd_sim *s, const struct rd_machine_of *how, struct rd_error *e)
{
    struct rd_world w = s->plan->world;
    rd_sim_size(s->plan, &w);
    const struct rd_fit fit = fit_of(s->backend, s->machine, s->plan, how);
    if (fit.has < 0.0 || fit.need <= 0.95 * fit.has)
        return s->backend->reserve(s->machine, &w, (int64_t)fit.arrays, e);
    s->n_fit = fit.runs;
    return how->recording_memory > fit.need / 2 && s->plan->model->n_runs < s->plan->model->n_all
               ? refuse_recording(s, &fit, how, e)
               : refuse_size(s, &fit, e);
}

static bool open_placed(struct rd_sim *s, struct rd_error *e)
{
    if (s->plan->conserved.law.n == 0)
        return true;
    const size_t n = (size_t)(s->world.lattice.n_runs * s->world.counts.n_species);
    s->placed = calloc(n, sizeof *s->placed);
    return s->placed || rd_fail(e, "out of memory for the totals of %zu species and runs", n);
}

/* Sets the parameters of each run to their values at the start. */
static bool open_run_values(struct rd_sim *s, struct rd_error *e)
{
    const struct rd_model *const m = s->plan->model;
    const struct rd_world *const w = &s->world;
    const size_t bytes = (size_t)m->n_parameters * sizeof *m->value;
    bool ok = true;
    s->firings = calloc((size_t)w->runs.n_condition_is + 1, sizeof *s->firings);
    for (int64_t run = 0; ok && w->runs.n_value > 0 && run < w->lattice.n_runs; run++)
        ok = s->backend->put(s->machine, w->runs.value + run * m->n_parameters, m->value, bytes, e);
    return ok && (s->firings || rd_fail(e, "out of memory for events"));
}

bool rd_sim_open(struct rd_sim *s, const struct rd_plan *p, const struct rd_machine_of *machine,
                 struct rd_error *e)
{
    *s = (struct rd_sim){.plan = p, .world = p->world, .done = -1};
    s->world.pass.step_clock = &s->step_clock;
#define TABLE_NONE(part, type, name) s->world.part.name = NULL;
    RD_TABLES(TABLE_NONE) /* the plan frees its own tables */
#undef TABLE_NONE
    const bool is_exact = p->model->solver == RD_SOLVER_EXACT;
    s->backend = open_machine(p, machine, &s->machine, &s->remark, e);
    if (!s->backend)
        return false;
    s->threads = machine->threads;
    s->is_verified = machine->verify;
#ifndef NDEBUG
    s->is_verified = true;
#endif
    s->is_timed = machine->timing || s->backend == &rd_backend_cpu;
    if (!reserve_arrays(s, machine, e))
        return false;
    rd_sim_size(p, &s->world);
    s->world.runs.faults_are_separate = s->world.runs.faults_are_separate && !machine->strict;
#define STATE_ALLOC(part, type, name)                                                              \
    ok = (s->world.part.name = s->backend->alloc(                                                  \
              s->machine, (size_t)s->world.part.n_##name * sizeof(type), e)) != NULL &&            \
         ok;
    bool ok = true;
    RD_STATES(STATE_ALLOC)
#undef STATE_ALLOC
    if (ok && is_exact)
        ok = rd_exact_open(&s->exact, &s->world, s->backend->threads(s->machine), e);
    return ok && rd_faults_open(s, e) && rd_lists_open(s, e) && open_placed(s, e) &&
           open_run_values(s, e);
}

void rd_sim_close(struct rd_sim *s)
{
    if (s->exact)
        rd_exact_close(s->exact);
    if (s->machine) {
#define FREE(part, type, name) s->backend->free(s->machine, (void *)(uintptr_t)s->world.part.name);
        RD_TABLES(FREE)
        RD_STATES(FREE)
#undef FREE
        s->backend->close(s->machine);
    }
    rd_error_free(&s->remark);
    rd_error_free(&s->broken);
    free(s->life);
    free(s->reach);
    free(s->placed);
    free(s->firings);
    rd_faults_close(s);
    *s = (struct rd_sim){0};
}

/* Copies a table to the machine, over the old one if that has the capacity. Otherwise allocates a
   new one, with half more bytes if it replaces an old one, so that tables for other lengths of the
   step seldom move. */
static bool take_table(struct rd_sim *s, const void **at, size_t *capacity, const void *from,
                       size_t bytes, struct rd_error *e)
{
    if (bytes == 0)
        return true;
    if (!*at || bytes > *capacity) {
        s->backend->free(s->machine, (void *)(uintptr_t)*at);
        const size_t more = *at ? bytes + bytes / 2 : bytes;
        *at = s->backend->alloc(s->machine, more, e);
        *capacity = *at ? more : 0;
    }
    return *at && s->backend->put(s->machine, (void *)(uintptr_t)*at, from, bytes, e);
}

bool rd_sim_take(struct rd_sim *s, struct rd_error *e)
{
    const struct rd_world *const from = &s->plan->world;
    struct rd_world *const w = &s->world;
    bool ok = true;
#define TAKE(part, type, name)                                                                     \
    do {                                                                                           \
        const void *at = w->part.name;                                                             \
        ok = ok && take_table(s, &at, &s->capacity.name, from->part.name,                          \
                              (size_t)from->part.n_##name * sizeof(type), e);                      \
        w->part.name = at;                                                                         \
        w->part.n_##name = from->part.n_##name;                                                    \
    } while (0);
    RD_TABLES(TAKE)
#undef TAKE
    memcpy(w->movement.inner, from->movement.inner, sizeof w->movement.inner);
    w->items.n_moving = from->items.n_moving;
    w->items.n_maintained = from->items.n_maintained;
    w->reactions.max_events = from->reactions.max_events;
    w->items.n_tallied = from->items.n_tallied;
    w->runs.stop = from->runs.stop;
    w->runs.longest = from->runs.longest;
    w->reactions.has_expressions = from->reactions.has_expressions;
    w->movement.has_uniformised_walks = from->movement.has_uniformised_walks;
    w->reactions.has_attribute_rates = from->reactions.has_attribute_rates;
    w->reactions.is_simple = from->reactions.is_simple;
    w->rows.source_regions = from->rows.source_regions;
    return ok;
}

bool rd_sim_frozen(struct rd_sim *s, uint8_t **frozen, struct rd_error *e)
{
    const size_t n = (size_t)s->world.runs.n_frozen;
    *frozen = n > 0 ? malloc(n) : NULL;
    return n == 0 || (*frozen ? s->backend->get(s->machine, *frozen, s->world.runs.frozen, n, e)
                              : rd_fail(e, "out of memory for %zu runs", n));
}

bool rd_sim_placed(struct rd_sim *s, struct rd_host_counts *counts, int sign, struct rd_error *e)
{
    const struct rd_world *const w = &s->world;
    if (!s->placed)
        return true;
    uint64_t *const sum = malloc((size_t)w->lattice.n_runs * sizeof *sum);
    bool ok = sum ||
              rd_fail(e, "out of memory for the totals of %lld runs", (long long)w->lattice.n_runs);
    for (int32_t i = 0; ok && i < w->counts.n_species; i++) {
        memset(sum, 0, (size_t)w->lattice.n_runs * sizeof *sum);
        ok = rd_host_counts_sum(counts, i, sum, e);
        for (int64_t run = 0; ok && run < w->lattice.n_runs; run++) {
            int64_t *const placed = &s->placed[run * w->counts.n_species + s->plan->species_of[i]];
            *placed = (int64_t)((uint64_t)*placed + (sign < 0 ? 0 - sum[run] : sum[run]));
        }
    }
    free(sum);
    return ok;
}

void rd_sim_mark(struct rd_sim *s)
{
    const struct rd_world *const w = &s->world;
    s->mark = (struct rd_mark){s->step_clock,     w->lists.key,       w->lists.slot,
                               w->lists.key_next, w->lists.slot_next, s->n_landings};
}

bool rd_sim_is_done(const struct rd_sim *s)
{
    return s->step_clock.pass <= s->done;
}

void rd_sim_aim(struct rd_sim *s, uint32_t part, double from, double dt)
{
    s->world.pass.part = part;
    s->step_clock.order_key++;
    s->step_clock.time = from + dt / 2.0;
    s->world.pass.dt = dt;
}

void rd_sim_run(struct rd_sim *s, enum rd_pass pass)
{
    const double begin = rd_clock();
    s->step_clock.pass++;
    if (rd_sim_is_done(s))
        return;
    s->backend->run(s->machine, &s->world, pass);
    if (!s->is_timed)
        return;
    s->backend->wait(s->machine);
    s->seconds[pass] += rd_clock() - begin;
}

bool rd_sim_begin_fields(struct rd_sim *s, struct rd_error *e)
{
    const struct rd_model *const m = s->plan->model;
    const struct rd_world *const w = &s->world;
    const size_t bytes = (size_t)w->lattice.n_sites * sizeof *w->fields.varying;
    bool ok = true;
    for (int i = 0; i < m->n_fields; i++)
        for (int64_t run = 0; ok && m->field_varies[i] && run < w->lattice.n_runs; run++) {
            double *const at = w->fields.varying +
                               m->field_component_of[RD_FIELD_COMPONENTS * i] * w->lattice.n_voxels;
            ok = s->backend->put(s->machine, at + run * w->lattice.n_sites,
                                 m->field_component + m->field[i].start * w->lattice.n_sites, bytes,
                                 e);
        }
    rd_sim_run(s, RD_FIELD_GRADIENT);
    return ok;
}

/* Takes the rows of the exact solver. A failure is kept for the next check. */
static void take_exact_rows(struct rd_sim *s)
{
    struct rd_error why = {0};
    bool is_short;
    const struct rd_packed_run *const rows = rd_exact_rows(s->exact, &is_short);
    if (is_short)
        rd_fail(&why, "out of memory for the molecules of %lld voxels",
                (long long)s->world.lattice.n_voxels);
    if (is_short || (rows && !rd_rows_put_packed(s, rows, &why)))
        rd_capacity_keep(s, &why);
    rd_error_free(&why);
}

void rd_sim_exact(struct rd_sim *s, double from, double dt, bool goes_on)
{
    const double begin = rd_clock();
    rd_sim_aim(s, 0, from, dt);
    rd_exact_run(s->exact, &s->world, goes_on);
    take_exact_rows(s);
    s->seconds[RD_TIME_EXACT] += rd_clock() - begin;
}

bool rd_sim_check(struct rd_sim *s, struct rd_error *e)
{
    if (!s->backend->sync(s->machine, e))
        return false;
    const bool ok = s->broken.n == 0 || rd_fail(e, "%s", s->broken.text);
    int64_t again;
    return rd_capacity_again(s, &again, e) && rd_faults_check(s, again, e) && ok &&
           rd_capacity_renew(s, e);
}
