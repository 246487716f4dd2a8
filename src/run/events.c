/* events - applies events to all runs, or to those in which a condition has become true. Counts
   are changed on the host. */
#include "base/clock.h"
#include "plan/step_limit.h"
#include "run/running.h"
#include "sim/capacity.h"
#include "sim/check_placements.h"
#include "sim/faults.h"
#include "sim/place.h"
#include "sim/place_individuals.h"
#include "sim/rows.h"
#include "sim/step.h"
#include "sim/verify.h"

#include <stdlib.h>

/* Describes the runs in which an event fires, and what it reads there. */
struct firing {
    struct rd_occasion o;
    const uint8_t *is_out; /* [run]: 1: it does not fire there; NULL: it fires in all */
    double *value;         /* owned; NULL: r->now.value is for all runs */
    int64_t *total;        /* owned, or NULL */
};

bool rd_running_rates(struct rd_running *r)
{
    if (!rd_plan_rates(r->p, r->now.value, r->e))
        return false;
    r->longest = rd_step_limit_of(r->p).step;
    r->p->step = 0.0;
    return true;
}

/* ---- counts ---- */

/* Copies the counts of the runs in which the event fires, from the machine or to it; those of all
   runs to it if there are rows. */
static bool copy_firing_counts(struct rd_running *r, const uint8_t *is_out,
                               struct rd_host_counts *counts, bool to_machine)
{
    bool ok = true;
    if (!is_out || rd_rows_exist(r->s))
        return to_machine ? rd_host_counts_put(counts, r->s, r->e)
                          : rd_host_counts_get(counts, r->s, r->e);
    for (int64_t run = 0; ok && run < r->s->world.lattice.n_runs; run++)
        if (!is_out[run])
            ok = to_machine ? rd_host_counts_put_run(counts, r->s, run, r->e)
                            : rd_host_counts_get_run(counts, r->s, run, r->e);
    return ok;
}

/* Restores the counts of runs in which the event was refused, and removes their placements. */
static bool undo_refused(struct rd_running *r, const struct rd_occasion *o,
                         struct rd_placements *placements, struct rd_host_counts *counts)
{
    bool ok = true;
    for (int64_t i = 0; ok && i < placements->n_refused; i++)
        ok = o->event ? rd_host_counts_get_run(counts, r->s, placements->refused[i].run, r->e)
                      : rd_host_counts_clear_run(counts, placements->refused[i].run, r->e);
    rd_placements_clear_refused(placements, r->s->world.lattice.n_sites);
    return ok;
}

/* Applies the start or an event to the counts. */
static bool place_occasion(struct rd_running *r, const struct rd_occasion *o,
                           struct rd_host_counts *counts, struct rd_placements *placements)
{
    const bool ok = !o->event ? rd_place_start(r->p, o->value, counts, placements, r->e)
                              : rd_place_event(r->p, o, counts, placements, r->e);
    return ok && rd_check_placements(r->s, placements, o, counts, r->e) &&
           undo_refused(r, o, placements, counts);
}

/* Reads the runs that take no part: frozen ones, and those in which the event does not fire. In an
   ensemble, a run in which the event is impossible faults separately. */
static bool open_placements(struct rd_running *r, const uint8_t *is_out,
                            struct rd_placements *placements)
{
    const size_t n = (size_t)r->s->world.lattice.n_runs;
    *placements = (struct rd_placements){.threads = r->s->threads,
                                         .refuses = r->s->world.runs.faults_are_separate};
    if (!rd_sim_frozen(r->s, &placements->frozen, r->e))
        return false;
    if (!placements->frozen && (placements->refuses || is_out))
        placements->frozen = calloc(n, sizeof *placements->frozen);
    for (size_t run = 0; placements->frozen && is_out && run < n; run++)
        placements->frozen[run] = placements->frozen[run] ? placements->frozen[run] : is_out[run];
    return placements->frozen || !(placements->refuses || is_out) ||
           rd_fail(r->e, "out of memory for %zu runs", n);
}

/* Makes the placed molecules agree with the machine again, after counts that were not taken. */
static bool forget_placed(struct rd_running *r, const uint8_t *is_out,
                          struct rd_host_counts *counts)
{
    return rd_sim_placed(r->s, counts, -1, r->e) && copy_firing_counts(r, is_out, counts, false) &&
           rd_sim_placed(r->s, counts, 1, r->e);
}

/* Applies an edit of listed voxels. */
static bool change_scattered(struct rd_running *r, const struct rd_occasion *o,
                             const uint8_t *is_out)
{
    struct rd_placements placements;
    const bool ok =
        open_placements(r, is_out, &placements) && rd_running_scatter(r, o, &placements);
    rd_placements_free(&placements);
    return ok;
}

/* Copies the counts from the machine, changes them, and copies them back. At the start, a machine
   that shares the host's memory has the arrays in place. */
static bool change_machine_counts(struct rd_running *r, const struct rd_occasion *o,
                                  const uint8_t *is_out)
{
    struct rd_sim *const s = r->s;
    struct rd_placements placements = {0};
    struct rd_host_counts counts;
    const bool is_in_place = !o->event && s->backend->shares_host_memory;
    const bool is_read =
        rd_host_counts_open(&counts, r->p, is_in_place ? s->world.counts.count : NULL, r->e) &&
        open_placements(r, is_out, &placements) &&
        (!o->event ||
         (copy_firing_counts(r, is_out, &counts, false) && rd_sim_placed(s, &counts, -1, r->e)));
    const bool is_possible = is_read && place_occasion(r, o, &counts, &placements);
    const bool ok = is_read && rd_sim_placed(s, &counts, 1, r->e) && is_possible &&
                    rd_place_individuals(s, &placements, o, &counts, r->e) &&
                    copy_firing_counts(r, is_out, &counts, true) &&
                    rd_faults_refused(s, &placements, o, r->e) &&
                    (!s->is_verified || rd_verify(s, r->e));
    r->is_broken = is_possible && !ok;
    if (is_read && !is_possible && o->is_edit) /* nothing has changed on the machine */
        r->is_broken = !forget_placed(r, is_out, &counts);
    rd_placements_free(&placements);
    rd_host_counts_close(&counts);
    return ok;
}

bool rd_running_start(struct rd_running *r)
{
    const struct rd_occasion o = {.number = -1, .time = r->now.t.now, .value = r->now.value};
    const double begin = rd_clock();
    const bool ok = rd_sim_take(r->s, r->e) && rd_sim_begin_fields(r->s, r->e) &&
                    change_machine_counts(r, &o, NULL);
    r->s->seconds[RD_TIME_PLACE] += rd_clock() - begin;
    r->s->is_begun = true;
    r->e->wrong = !ok;
    return ok;
}

/* ---- one event ---- */

/* Reads an array of the machine; *to stays NULL if it is empty. The caller frees it. */
static bool read_array(struct rd_running *r, const void *from, int64_t n, size_t size, void **to)
{
    const size_t bytes = (size_t)n * size;
    *to = NULL;
    if (bytes == 0)
        return true;
    *to = malloc(bytes);
    return *to ? r->s->backend->get(r->s->machine, *to, from, bytes, r->e)
               : rd_fail(r->e, "out of memory for the values of %lld runs",
                         (long long)r->s->world.lattice.n_runs);
}

/* Reads the totals and the parameters of all runs. Parameters that are equal in all runs come from
   the present values. */
static bool read_firing_values(struct rd_running *r, struct firing *f)
{
    const struct rd_run_status *const runs = &r->s->world.runs;
    const struct rd_model *const m = r->p->model;
    void *total = NULL, *value = NULL;
    if (runs->n_total > 0)
        rd_step_totals(r->s);
    const bool ok = read_array(r, runs->total, runs->n_total, sizeof *f->total, &total) &&
                    read_array(r, runs->value, runs->n_value, sizeof *f->value, &value);
    f->o.total = f->total = total;
    f->o.n_totals = runs->n_total_of;
    f->value = value;
    for (int64_t i = 0; ok && i < runs->n_value; i++)
        if (!m->is_of_run[i % m->n_parameters])
            f->value[i] = r->now.value[i % m->n_parameters];
    f->o.value = f->value ? f->value : r->now.value;
    f->o.value_stride = f->value ? m->n_parameters : 0;
    return ok;
}

/* Sets the parameters that are values of a run, where the event fires. A run in which a value is
   not finite faults. */
static bool set_run_values(struct rd_running *r, struct firing *f)
{
    const struct rd_world *const w = &r->s->world;
    const struct rd_model *const m = r->p->model;
    const size_t bytes = (size_t)m->n_parameters * sizeof *f->value;
    uint8_t *frozen = NULL;
    bool ok = rd_sim_frozen(r->s, &frozen, r->e);
    double *const before = malloc(bytes + 1);
    ok = ok && (before || rd_fail(r->e, "out of memory for the parameters"));
    for (int64_t run = 0; ok && f->value && run < w->lattice.n_runs; run++) {
        if ((f->is_out && f->is_out[run]) || (frozen && frozen[run]))
            continue;
        double *const value = f->value + run * m->n_parameters;
        memcpy(before, value, bytes);
        const struct rd_eval_context at = {.t = rd_occasion_time(&f->o, run),
                                           .volume = m->grid.volume,
                                           .parameter = before,
                                           .total = rd_occasion_total(&f->o, run)};
        struct rd_error why = {0};
        ok = rd_event_set_run(m, f->o.event, &at, value, &why)
                 ? r->s->backend->put(r->s->machine, w->runs.value + run * m->n_parameters, value,
                                      bytes, r->e)
                 : rd_faults_end_run(r->s, run, at.t, why.text, r->e);
        rd_error_free(&why);
    }
    free(before);
    free(frozen);
    return ok;
}

/* Applies the event of f->o where it fires. */
static bool apply_firing(struct rd_running *r, struct firing *f)
{
    const struct rd_event *const event = f->o.event;
    const bool ok = read_firing_values(r, f) && (event->n_set == 0 || set_run_values(r, f)) &&
                    (event->n_add + event->n_take == 0 ||
                     (rd_running_is_scattered(r, &f->o) ? change_scattered : change_machine_counts)(
                         r, &f->o, f->is_out));
    free(f->total);
    free(f->value);
    return ok;
}

static bool sets_all_runs(const struct rd_model *m, const struct rd_event *event)
{
    for (int k = 0; k < event->n_set; k++)
        if (!m->is_of_run[event->set[k].parameter])
            return true;
    return false;
}

/* Applies an event at its set time. */
static bool apply_at_time(struct rd_running *r, int i)
{
    const struct rd_model *const m = r->p->model;
    const struct rd_event *const event = &m->event[i];
    struct firing f = {
        .o = {.event = event, .number = i, .time = r->now.t.now, .step = r->s->step_clock.step}};
    if (sets_all_runs(m, event) &&
        !(rd_event_set(m, event, r->now.t.now, r->now.value, r->e) && rd_running_rates(r)))
        return false;
    return apply_firing(r, &f);
}

/* Sets the parameters that are equal in all runs. A stretch that has begun keeps its steps. */
static bool set_parameters(struct rd_running *r, const struct rd_event *edit)
{
    const struct rd_model *const m = r->p->model;
    if (!sets_all_runs(m, edit))
        return true;
    if (!rd_event_set(m, edit, rd_run_time(r), r->now.value, r->e) || !rd_running_rates(r))
        return false;
    return !r->is_within || r->now.stretch.step <= r->longest * (1.0 + 1e-9) ||
           rd_fail(r->e,
                   "%s: the new rates need steps of at most %g, but the present ones are %g; set "
                   "parameters at a time of time.control, or shorten time.step",
                   edit->place, r->longest, r->now.stretch.step);
}

bool rd_run_edit(struct rd_running *r, const struct rd_event *edit, const uint8_t *is_out,
                 struct rd_error *e)
{
    const struct rd_model *const m = r->p->model;
    struct rd_error ignored = {0};
    struct firing f = {.o = {.event = edit,
                             .number = m->n_events + (int)r->now.n_edits,
                             .is_edit = true,
                             .time = rd_run_time(r),
                             .step = r->now.n_edits},
                       .is_out = is_out};
    r->e = e;
    double *const before = rd_parameters_copy(m, r->now.value, e);
    if (!before)
        return false;
    const bool ok = set_parameters(r, edit) && apply_firing(r, &f);
    if (!ok) {
        memcpy(r->now.value, before, (size_t)m->n_parameters * sizeof *before);
        r->e = &ignored;
        r->is_broken = !rd_running_rates(r) || r->is_broken;
        r->e = e;
    }
    r->now.n_edits += ok;
    free(before);
    rd_error_free(&ignored);
    return ok;
}

/* ---- all events ---- */

bool rd_running_fire(struct rd_running *r, const struct rd_occasion *o, const uint8_t *is_out)
{
    struct firing f = {.o = *o, .is_out = is_out};
    return apply_firing(r, &f);
}

bool rd_running_events(struct rd_running *r)
{
    for (int i; rd_timeline_event(&r->now.t, &i);)
        if (!apply_at_time(r, i))
            return false;
    rd_step_test_events(r->s, r->now.t.now);
    return rd_running_fire_due(r, r->now.t.now, r->now.t.now);
}
