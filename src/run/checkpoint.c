/* checkpoint - writes the state of a run to a checkpoint file, or reads it.

   One sequence of functions serves both directions. Tables, the index of the lists and the heaps of
   the exact solver are derived again. */
#include "run/checkpoint.h"

#include "run/checkpoint_counts.h"
#include "sim/faults.h"
#include "sim/verify.h"

#include <assert.h>
#include <stdlib.h>

/* Holds arguments of the functions below: file, simulator, target of errors, and buffers. */
struct passage {
    struct rd_checkpoint_file *t;
    struct rd_sim *s;
    struct rd_error *e;
    int64_t *column; /* owned: two values for each entry of a list */
    uint32_t *slot, *key;
};

static bool get_bytes(struct passage *p, void *to, const void *from, size_t bytes)
{
    return p->s->backend->get(p->s->machine, to, from, bytes, p->e);
}

static bool put_bytes(struct passage *p, void *to, const void *from, size_t bytes)
{
    return p->s->backend->put(p->s->machine, to, from, bytes, p->e);
}

/* Writes or reads the fields that change, and their gradients. */
static bool pass_fields(struct passage *p)
{
    const struct rd_world *const w = &p->s->world;
    const size_t bytes = (size_t)w->fields.n_varying * sizeof *w->fields.varying;
    if (bytes == 0)
        return true;
    double *const value = malloc(bytes);
    bool ok = value || rd_fail(p->e, "out of memory for a checkpoint");
    ok = ok && (p->t->is_read || get_bytes(p, value, w->fields.varying, bytes)) &&
         rd_checkpoint_file_record(p->t, "fields", value, bytes);
    for (int64_t i = 0; ok && i < w->fields.n_varying; i++)
        ok = rd_is_finite(value[i]) ||
             rd_checkpoint_file_refuse(p->t, "has a field value that is not a number");
    ok = ok && (!p->t->is_read || put_bytes(p, w->fields.varying, value, bytes));
    free(value);
    return ok;
}

/* Writes sums [stripe][item] as one number per item, or reads them into the first stripe. */
static bool pass_sums(struct passage *p, const char *name, int64_t *sums, int64_t n)
{
    const int64_t n_items = n / p->s->world.lattice.n_stripes;
    const size_t bytes = (size_t)n * sizeof *sums;
    int64_t *const all = calloc((size_t)n + 1, sizeof *all);
    if (!all)
        return rd_fail(p->e, "out of memory for a checkpoint");
    bool ok = p->t->is_read || get_bytes(p, all, sums, bytes);
    for (int64_t i = n_items; i < n; i++) {
        all[i % n_items] += all[i];
        all[i] = 0;
    }
    ok = ok && rd_checkpoint_file_record(p->t, name, all, (size_t)n_items * sizeof *all) &&
         (!p->t->is_read || put_bytes(p, sums, all, bytes));
    free(all);
    return ok;
}

/* Writes or reads one value of eight bytes for each living individual, in the order of the list.
   The machine stores them by slot. */
static bool pass_column(struct passage *p, const char *name, void *by_slot, int64_t most, int64_t n)
{
    int64_t *const in_order = p->column, *const all = p->column + most;
    if (!p->t->is_read && !get_bytes(p, all, by_slot, (size_t)most * sizeof *all))
        return false;
    for (int64_t i = 0; !p->t->is_read && i < n; i++)
        in_order[i] = all[p->slot[i]];
    return rd_checkpoint_file_record(p->t, name, in_order, (size_t)n * sizeof *in_order) &&
           (!p->t->is_read || put_bytes(p, by_slot, in_order, (size_t)n * sizeof *in_order));
}

/* Makes the index of a list from its keys, on the machine. */
static bool put_index(struct passage *p, const struct rd_list *l, int64_t n)
{
    const struct rd_world *const w = &p->s->world;
    int32_t *const first = malloc(((size_t)w->lattice.n_voxels + 1) * sizeof *first);
    if (!first)
        return rd_fail(p->e, "out of memory for the index of %lld voxels",
                       (long long)w->lattice.n_voxels);
    int64_t i = 0;
    for (int64_t voxel = 0; voxel <= w->lattice.n_voxels; voxel++) {
        while (i < n && p->key[i] < voxel)
            i++;
        first[voxel] = (int32_t)i;
    }
    const bool ok = put_bytes(p, w->lists.first + l->voxels, first,
                              ((size_t)w->lattice.n_voxels + 1) * sizeof *first);
    free(first);
    return ok;
}

static bool are_voxels(const struct passage *p, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        if (p->key[i] >= p->s->world.lattice.n_voxels || (i > 0 && p->key[i] < p->key[i - 1]))
            return false;
    return true;
}

/* Writes or reads the voxels of the individuals. Individuals that are read take the slots in order,
   as they are in the pool of a simulator that was just opened. */
static bool pass_keys(struct passage *p, const struct rd_list *l, int64_t n)
{
    const struct rd_world *const w = &p->s->world;
    const size_t bytes = (size_t)n * sizeof *p->key;
    if (!p->t->is_read && !(get_bytes(p, p->key, w->lists.key + l->base, bytes) &&
                            get_bytes(p, p->slot, w->lists.slot + l->base, bytes)))
        return false;
    if (!rd_checkpoint_file_record(p->t, "voxels", p->key, bytes))
        return false;
    if (!are_voxels(p, n))
        return rd_checkpoint_file_refuse(
            p->t, "has individuals outside of the voxels or not sorted by voxel");
    return !p->t->is_read ||
           (put_bytes(p, w->lists.key + l->base, p->key, bytes) && put_index(p, l, n));
}

static bool pass_list(struct passage *p, int64_t i)
{
    const struct rd_world *const w = &p->s->world;
    const struct rd_list *const l = &p->s->plan->list[i];
    int64_t n = 0;
    if (!p->t->is_read && !get_bytes(p, &n, w->lists.live + i, sizeof n))
        return false;
    if (!rd_checkpoint_file_record(p->t, "individuals", &n, sizeof n))
        return false;
    if (n < 0 || n > l->most)
        return rd_checkpoint_file_refuse(p->t, "has more individuals than the maximum");
    bool ok = pass_keys(p, l, n) && pass_column(p, "ids", w->lists.id + l->base, l->most, n) &&
              pass_column(p, "parents", w->lists.parent + l->base, l->most, n) &&
              pass_column(p, "born", w->lists.born + l->base, l->most, n);
    for (int k = 0; ok && k < l->n_traits; k++)
        ok = pass_column(p, "attribute", w->lists.trait + l->trait + k * l->most, l->most, n);
    return ok && (!p->t->is_read || (put_bytes(p, w->lists.live + i, &n, sizeof n) &&
                                     put_bytes(p, w->lists.coming + i, &n, sizeof n)));
}

static bool pass_lists(struct passage *p)
{
    const struct rd_world *const w = &p->s->world;
    const size_t n = (size_t)w->lattice.n_runs;
    int64_t *const next_id = w->lists.id_base + w->lists.n_list * w->lattice.n_runs;
    int64_t *const host = calloc(n, sizeof *host);
    if (!host)
        return rd_fail(p->e, "out of memory for a checkpoint");
    bool ok = (p->t->is_read || get_bytes(p, host, next_id, n * sizeof *host)) &&
              rd_checkpoint_file_record(p->t, "next_ids", host, n * sizeof *host) &&
              (!p->t->is_read || put_bytes(p, next_id, host, n * sizeof *host));
    free(host);
    for (int64_t i = 0; ok && i < w->lists.n_list; i++)
        ok = pass_list(p, i);
    return ok && (!p->t->is_read || rd_verify(p->s, p->e));
}

/* Writes or reads the frozen runs, and the times since which they are frozen. */
static bool pass_stopped(struct passage *p)
{
    const struct rd_world *const w = &p->s->world;
    const size_t n = (size_t)w->runs.n_frozen, bytes = n * sizeof *w->runs.stopped;
    uint8_t *const frozen = malloc(n + 1);
    double *const stopped = malloc(bytes + 1);
    bool ok = (frozen && stopped) || rd_fail(p->e, "out of memory for a checkpoint");
    ok = ok && (p->t->is_read || (get_bytes(p, frozen, w->runs.frozen, n) &&
                                  get_bytes(p, stopped, w->runs.stopped, bytes)));
    ok = ok && rd_checkpoint_file_record(p->t, "frozen", frozen, n) &&
         rd_checkpoint_file_record(p->t, "stopped", stopped, bytes) &&
         (!p->t->is_read || (put_bytes(p, w->runs.frozen, frozen, n) &&
                             put_bytes(p, w->runs.stopped, stopped, bytes)));
    free(frozen);
    free(stopped);
    return ok;
}

/* Writes or reads the parameters of each run, the state of the conditions, and how often their
   events have fired. */
static bool pass_conditions(struct passage *p)
{
    struct rd_sim *const s = p->s;
    const struct rd_run_status *const runs = &s->world.runs;
    const size_t n = (size_t)runs->n_condition_is, bytes = (size_t)runs->n_value * sizeof(double);
    uint8_t *const is = malloc(n + 1);
    double *const value = malloc(bytes + 1);
    bool ok = (is && value) || rd_fail(p->e, "out of memory for a checkpoint");
    ok = ok && (p->t->is_read || (get_bytes(p, is, runs->condition_is, n) &&
                                  get_bytes(p, value, runs->value, bytes)));
    ok = ok && rd_checkpoint_file_record(p->t, "conditions", is, n) &&
         rd_checkpoint_file_record(p->t, "run_values", value, bytes) &&
         rd_checkpoint_file_record(p->t, "firings", s->firings, n * sizeof *s->firings);
    for (int64_t i = 0; ok && i < runs->n_value; i++)
        ok = rd_is_finite(value[i]) ||
             rd_checkpoint_file_refuse(p->t, "has a parameter that is not a number");
    for (size_t i = 0; ok && i < n; i++)
        ok = (is[i] <= (RD_CONDITION_TRUE | RD_CONDITION_FIRED) && s->firings[i] >= 0) ||
             rd_checkpoint_file_refuse(p->t, "has an impossible state of an event");
    ok = ok && (!p->t->is_read || (put_bytes(p, runs->condition_is, is, n) &&
                                   put_bytes(p, runs->value, value, bytes)));
    free(is);
    free(value);
    return ok;
}

static bool pass_sim(struct passage *p)
{
    struct rd_sim *const s = p->s;
    const struct rd_world *const w = &s->world;
    const size_t n_placed = s->placed ? (size_t)(w->lattice.n_runs * w->counts.n_species) : 0;
    return rd_checkpoint_file_record(p->t, "step", &s->step_clock.step,
                                     sizeof s->step_clock.step) &&
           rd_checkpoint_file_record(p->t, "reacted", &s->step_clock.reacted,
                                     sizeof s->step_clock.reacted) &&
           rd_checkpoint_counts(p->t, p->s, p->e) && pass_fields(p) &&
           pass_sums(p, "fired", w->counts.fired, w->counts.n_fired) &&
           pass_sums(p, "lost", w->counts.lost, w->counts.n_lost) &&
           pass_sums(p, "entered", w->counts.entered, w->counts.n_entered) &&
           rd_checkpoint_file_record(p->t, "placed", s->placed, n_placed * sizeof *s->placed) &&
           (w->runs.n_stopped == 0 || pass_stopped(p)) &&
           (w->runs.n_value + w->runs.n_condition_is == 0 || pass_conditions(p)) &&
           rd_faults_pass(s, p->t, p->e) && (w->lists.n_list == 0 || pass_lists(p));
}

/* Returns whether the position that was read is possible. */
static bool check_run_position(const struct rd_sim *s, const struct rd_run_position *now)
{
    const struct rd_model *const m = s->plan->model;
    const struct rd_stretch *const r = &now->stretch;
    const bool is_within = now->n_done != 0;
    bool ok = r->from >= 0.0 && r->from <= r->to && r->to <= 1.000001 * m->end &&
              now->t.now == r->to && now->n_done >= 0 && now->n_done <= r->n_steps &&
              now->t.n_recorded >= 0 && now->t.n_recorded <= m->n_moments;
    if (is_within)
        ok = ok && r->from < r->to && r->step > 0.0 && r->step <= 1.000001 * (r->to - r->from);
    else
        ok = ok && r->from == r->to;
    for (int i = 0; i < m->n_events; i++)
        ok = ok && now->t.n_past[i] >= 0;
    for (int i = 0; i < m->n_parameters; i++)
        ok = ok && rd_is_finite(now->value[i]);
    return ok;
}

static bool pass_run_position(struct rd_checkpoint_file *t, const struct rd_sim *s,
                              struct rd_run_position *now)
{
    const struct rd_model *const m = s->plan->model;
    struct rd_stretch *const r = &now->stretch;
    const bool ok =
        rd_checkpoint_file_record(t, "now", &now->t.now, sizeof now->t.now) &&
        rd_checkpoint_file_record(t, "recorded", &now->t.n_recorded, sizeof now->t.n_recorded) &&
        rd_checkpoint_file_record(t, "events", now->t.n_past,
                                  (size_t)m->n_events * sizeof *now->t.n_past) &&
        rd_checkpoint_file_record(t, "parameters", now->value,
                                  (size_t)m->n_parameters * sizeof *now->value) &&
        rd_checkpoint_file_record(t, "from", &r->from, sizeof r->from) &&
        rd_checkpoint_file_record(t, "to", &r->to, sizeof r->to) &&
        rd_checkpoint_file_record(t, "steps", &r->n_steps, sizeof r->n_steps) &&
        rd_checkpoint_file_record(t, "step_length", &r->step, sizeof r->step) &&
        rd_checkpoint_file_record(t, "done", &now->n_done, sizeof now->n_done) &&
        rd_checkpoint_file_record(t, "edits", &now->n_edits, sizeof now->n_edits);
    if (t->is_read)
        rd_timeline_find_times(&now->t);
    if (!ok || check_run_position(s, now))
        return ok;
    return rd_checkpoint_file_refuse(t, "has a position that is impossible in this run");
}

bool rd_checkpoint_pass(struct rd_checkpoint_file *t, struct rd_sim *s, struct rd_run_position *now,
                        struct rd_error *e)
{
    size_t most = 0;
    assert(t->is_read || s->n_lives == 0);
    for (int64_t i = 0; i < s->world.lists.n_list; i++)
        most = (size_t)s->plan->list[i].most > most ? (size_t)s->plan->list[i].most : most;
    struct passage p = {.t = t,
                        .s = s,
                        .e = e,
                        .column = calloc(2 * most + 1, sizeof *p.column),
                        .slot = calloc(most + 1, sizeof *p.slot),
                        .key = calloc(most + 1, sizeof *p.key)};
    const bool ok = p.column && p.slot && p.key ? pass_run_position(t, s, now) && pass_sim(&p)
                                                : rd_fail(e, "out of memory for a checkpoint");
    free(p.column);
    free(p.slot);
    free(p.key);
    return ok;
}
