/* record - the state on the machine to a snapshot in the file's order, and on to the store. */
#include "record.h"

#include "clock.h"

#include <stdlib.h>

bool rd_recorder_open(struct rd_recorder *r, const struct rd_sim *s, bool has_counts,
                      struct rd_error *e)
{
    const struct rd_world *const w = &s->world;
    const size_t runs = (size_t)w->n_runs, species = (size_t)w->n_species;
    const size_t faces = runs * species * RD_N_FACES;
    if (has_counts) {
        r->state = malloc((size_t)w->n_cells * sizeof *r->state); /* of one species */
        r->counts = malloc((size_t)w->n_count * sizeof *r->counts);
    }
    size_t most = (size_t)w->n_fired > runs * species ? (size_t)w->n_fired : runs * species;
    most = (size_t)w->n_lost > most ? (size_t)w->n_lost : most;
    r->sums = malloc(most * sizeof *r->sums);
    r->totals = calloc(runs * species, sizeof *r->totals);
    r->fired = calloc(runs * (size_t)w->n_reactions + 1, sizeof *r->fired);
    r->lost = calloc(faces, sizeof *r->lost);
    r->entered = s->plan->has_entered ? calloc(faces, sizeof *r->entered) : NULL;
    const bool ok = (!has_counts || (r->state && r->counts)) && r->sums && r->totals && r->fired &&
                    r->lost && (!s->plan->has_entered || r->entered);
    if (!ok)
        return rd_fail(e, "out of memory for recording %zu runs of %zu species", runs, species);
    return rd_guard_open(&r->guard, s, e) &&
           (s->plan->model->keep != RD_KEEP_ALL || rd_herd_open(&r->herd, s, e));
}

void rd_recorder_close(struct rd_recorder *r)
{
    free(r->state);
    free(r->counts);
    free(r->sums);
    free(r->totals);
    free(r->fired);
    free(r->lost);
    free(r->entered);
    rd_herd_close(r->herd);
    rd_guard_close(&r->guard);
    *r = (struct rd_recorder){0};
}

/* [run][site] of each species in canonical order to [run][species][site] in the file's. */
static bool take_counts(struct rd_recorder *r, struct rd_sim *s, struct rd_error *e)
{
    const struct rd_world *const w = &s->world;
    const size_t run_bytes = (size_t)w->n_sites * sizeof *r->counts;
    for (int32_t i = 0; i < w->n_species; i++) {
        if (!s->backend->get(s->machine, r->state, w->count + i * w->n_cells,
                             (size_t)w->n_runs * run_bytes, e))
            return false;
        for (int64_t run = 0; run < w->n_runs; run++)
            memcpy(r->counts + (run * w->n_species + s->plan->species_of[i]) * w->n_sites,
                   r->state + run * w->n_sites, run_bytes);
    }
    return true;
}

static bool take_totals(struct rd_recorder *r, struct rd_sim *s, struct rd_error *e)
{
    const struct rd_world *const w = &s->world;
    if (!s->backend->sum(s->machine, r->sums, w->count, w->n_species * w->n_runs, w->n_sites, e))
        return false;
    for (int64_t run = 0; run < w->n_runs; run++)
        for (int32_t i = 0; i < w->n_species; i++)
            r->totals[run * w->n_species + s->plan->species_of[i]] = r->sums[i * w->n_runs + run];
    return true;
}

/* Sums over the stripes of [stripe][run][item][width] to [run][order[item]][width]. */
static bool take_sums(struct rd_recorder *r, struct rd_sim *s, const int64_t *from, int64_t n,
                      int32_t n_items, const int32_t *order, int width, int64_t *to,
                      struct rd_error *e)
{
    const struct rd_world *const w = &s->world;
    if (!s->backend->get(s->machine, r->sums, from, (size_t)n * sizeof *from, e))
        return false;
    const int64_t n_to = w->n_runs * n_items * width;
    memset(to, 0, (size_t)n_to * sizeof *to);
    for (int64_t i = 0; i < n; i++) {
        const int64_t in_stripe = i % n_to, row = in_stripe / width;
        const int64_t run = row / n_items, item = order[row % n_items];
        to[(run * n_items + item) * width + in_stripe % width] += r->sums[i];
    }
    return true;
}

static bool take_snapshot(struct rd_recorder *r, struct rd_sim *s, double time, struct rd_error *e)
{
    const struct rd_world *const w = &s->world;
    const struct rd_plan *const p = s->plan;
    if (r->counts && !take_counts(r, s, e))
        return false;
    if (!take_totals(r, s, e) ||
        !take_sums(r, s, w->fired, w->n_fired, w->n_reactions, p->reaction_of, 1, r->fired, e) ||
        !take_sums(r, s, w->lost, w->n_lost, w->n_species, p->species_of, RD_N_FACES, r->lost, e))
        return false;
    if (r->entered && !take_sums(r, s, w->entered, w->n_entered, w->n_species, p->species_of,
                                 RD_N_FACES, r->entered, e))
        return false;
    r->snapshot = (struct rd_snapshot){.time = time,
                                       .counts = r->counts,
                                       .totals = r->totals,
                                       .fired = r->fired,
                                       .lost = r->lost,
                                       .entered = r->entered};
    return rd_guard_check(&r->guard, s, &r->snapshot, e) &&
           (!r->herd || rd_herd_take(r->herd, s, &r->snapshot, e));
}

bool rd_recorder_live(void *recorder, struct rd_sim *s, struct rd_error *e)
{
    struct rd_recorder *const r = recorder;
    const int64_t n = s->n_lives;
    s->n_lives = 0;
    return n == 0 || !r->store || rd_store_live(r->store, s->life, n, e);
}

bool rd_recorder_take(void *recorder, struct rd_sim *s, double time, struct rd_error *e)
{
    struct rd_recorder *const r = recorder;
    const double begin = rd_clock();
    if (!rd_sim_check(s, e) || !take_snapshot(r, s, time, e))
        return false;
    if (r->store && !(rd_store_write(r->store, &r->snapshot, e) && rd_recorder_live(r, s, e)))
        return false;
    r->n_written++;
    r->seconds += rd_clock() - begin;
    return true;
}
