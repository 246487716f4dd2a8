/* events - applies events to all runs, or to those in which a condition has become true. Counts
   are changed on the host. After the events of a moment the conditions are evaluated again, until
   none has become true. */
#include "base/clock.h"
#include "plan/step_limit.h"
#include "run/running.h"
#include "sim/capacity.h"
#include "sim/faults.h"
#include "sim/place.h"
#include "sim/place_individuals.h"
#include "sim/rows.h"
#include "sim/step.h"
#include "sim/verify.h"

#include <stdlib.h>

/* Most times that conditions are evaluated again at one moment. */
enum { ROUNDS_MOST = 1000 };

/* The runs in which an event fires, and what it reads there. */
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

/* Copies the counts of one run from the machine, or to it; to it not if there are rows. */
static bool copy_run(struct rd_running *r, int32_t *count, int64_t run, bool to_machine)
{
    const struct rd_world *const w = &r->s->world;
    const struct rd_backend *const b = r->s->backend;
    const size_t bytes = (size_t)w->lattice.n_sites * sizeof *count;
    bool ok = true;
    if (rd_rows_exist(r->s))
        return rd_rows_get(r->s, count, run, run + 1, r->e);
    for (int32_t k = 0; ok && k < w->counts.n_species; k++) {
        const int64_t at = k * w->lattice.n_voxels + run * w->lattice.n_sites;
        ok = to_machine ? b->put(r->s->machine, w->counts.count + at, count + at, bytes, r->e)
                        : b->get(r->s->machine, count + at, w->counts.count + at, bytes, r->e);
    }
    return ok;
}

/* Copies the counts of the runs in which the event fires; those of all runs if there are rows. */
static bool copy_counts(struct rd_running *r, const uint8_t *is_out, int32_t *count,
                        bool to_machine)
{
    if (!is_out || rd_rows_exist(r->s))
        return to_machine ? rd_sim_put_counts(r->s, count, r->e)
                          : rd_sim_get_counts(r->s, count, r->e);
    bool ok = true;
    for (int64_t run = 0; ok && run < r->s->world.lattice.n_runs; run++)
        ok = is_out[run] || copy_run(r, count, run, to_machine);
    return ok;
}

/* Restores the counts of runs in which the event was refused, and removes their placements. */
static bool take_back(struct rd_running *r, struct rd_placements *placements, int32_t *count)
{
    bool ok = true;
    for (int64_t i = 0; ok && i < placements->n_refused; i++)
        ok = copy_run(r, count, placements->refused[i].run, false);
    rd_placements_clear_refused(placements, r->s->world.lattice.n_sites);
    return ok;
}

/* Applies the start or an event to the counts. */
static bool place(struct rd_running *r, const struct rd_occasion *o, int32_t *count,
                  struct rd_placements *placements)
{
    const bool ok = !o->event ? rd_place_start(r->p, o->value, count, placements, r->e)
                              : rd_place_event(r->p, o, count, placements, r->e);
    return ok && rd_place_individuals_rehearse(r->s, placements, o, count, r->e) &&
           take_back(r, placements, count);
}

/* Reads the runs that take no part: frozen ones, and those in which the event does not fire. In an
   ensemble, a run in which the event is impossible faults separately. */
static bool open_placements(struct rd_running *r, const uint8_t *is_out,
                            struct rd_placements *placements)
{
    const size_t n = (size_t)r->s->world.lattice.n_runs;
    *placements =
        (struct rd_placements){.threads = r->s->threads, .refuses = r->s->world.runs.faults_alone};
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
static void forget_placed(struct rd_running *r, const uint8_t *is_out, int32_t *count)
{
    rd_sim_placed(r->s, count, -1);
    r->is_broken = !copy_counts(r, is_out, count, false);
    rd_sim_placed(r->s, count, 1);
}

/* Copies the counts from the machine, changes them, and copies them back. */
static bool change_counts(struct rd_running *r, const struct rd_occasion *o, const uint8_t *is_out)
{
    struct rd_sim *const s = r->s;
    struct rd_placements placements;
    int32_t *const count = calloc((size_t)rd_n_counts(&s->world), sizeof *count);
    if (!count)
        return rd_fail(r->e, "out of memory for the counts of %d species",
                       r->p->world.counts.n_species);
    bool ok = open_placements(r, is_out, &placements) &&
              (!o->event || copy_counts(r, is_out, count, false));
    if (o->event)
        rd_sim_placed(s, count, -1);
    const bool is_possible = ok && place(r, o, count, &placements);
    rd_sim_placed(s, count, 1);
    ok = is_possible && rd_place_individuals(s, &placements, o, count, r->e) &&
         copy_counts(r, is_out, count, true) && rd_faults_refused(s, &placements, o, r->e) &&
         (!s->is_verified || rd_verify(s, r->e));
    r->is_broken = is_possible && !ok;
    if (!is_possible && o->is_edit) /* nothing has changed on the machine */
        forget_placed(r, is_out, count);
    rd_placements_free(&placements);
    free(count);
    return ok;
}

bool rd_running_start(struct rd_running *r)
{
    const struct rd_occasion o = {.number = -1, .time = r->now.t.now, .value = r->now.value};
    const double begin = rd_clock();
    const bool ok =
        rd_sim_take(r->s, r->e) && rd_sim_begin_fields(r->s, r->e) && change_counts(r, &o, NULL);
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
static bool read_values(struct rd_running *r, struct firing *f)
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

/* Sets the parameters that are values of a run, where the event fires. */
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
        ok = rd_event_set_run(m, f->o.event, &at, value, r->e) &&
             r->s->backend->put(r->s->machine, w->runs.value + run * m->n_parameters, value, bytes,
                                r->e);
    }
    free(before);
    free(frozen);
    return ok;
}

/* Applies the event of f->o where it fires. */
static bool apply(struct rd_running *r, struct firing *f)
{
    const struct rd_event *const event = f->o.event;
    const bool ok = read_values(r, f) && (event->n_set == 0 || set_run_values(r, f)) &&
                    (event->n_add + event->n_take == 0 || change_counts(r, &f->o, f->is_out));
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
    return apply(r, &f);
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
                             .number = m->n_events + (int)r->n_edits,
                             .is_edit = true,
                             .time = rd_run_time(r),
                             .step = r->n_edits},
                       .is_out = is_out};
    r->e = e;
    double *const before = rd_parameters_copy(m, r->now.value, e);
    if (!before)
        return false;
    const bool ok = set_parameters(r, edit) && apply(r, &f);
    if (!ok) {
        memcpy(r->now.value, before, (size_t)m->n_parameters * sizeof *before);
        r->e = &ignored;
        r->is_broken = !rd_running_rates(r) || r->is_broken;
    }
    r->n_edits += ok;
    free(before);
    rd_error_free(&ignored);
    return ok;
}

/* ---- conditions ---- */

/* What the conditions of all runs have led to at one moment. */
struct moment {
    double from, end;  /* of the step; at a division of the timeline both are now */
    uint8_t *is;       /* [run][condition]: RD_CONDITION_ bits */
    double *time;      /* [run] */
    int64_t *n_before; /* [run]: firings of the present event */
    int64_t *n_now;    /* [run]: firings in this step */
    uint8_t *is_out;   /* [run] */
    int64_t first_row; /* of the rows that are added for the result */
};

static void free_moment(struct moment *x)
{
    free(x->is);
    free(x->time);
    free(x->n_before);
    free(x->n_now);
    free(x->is_out);
}

static bool make_moment(struct rd_running *r, struct moment *x)
{
    const struct rd_world *const w = &r->s->world;
    const size_t n = (size_t)w->lattice.n_runs;
    x->is = malloc((size_t)w->runs.n_condition_is);
    x->time = calloc(n, sizeof *x->time);
    x->n_before = calloc(n, sizeof *x->n_before);
    x->n_now = calloc(n, sizeof *x->n_now);
    x->is_out = calloc(n, 1);
    x->first_row = r->s->n_lives;
    return (x->is && x->time && x->n_before && x->n_now && x->is_out) ||
           rd_fail(r->e, "out of memory for the events of %zu runs", n);
}

/* Sets *n to the number of events that fire now, over all runs. */
static bool count_due(struct rd_running *r, int64_t *n)
{
    return r->s->backend->get(r->s->machine, n, r->s->world.runs.n_due, sizeof *n, r->e);
}

/* Returns whether the exact solver has interrupted a run. Sets the time of each run. */
static bool find_times(struct rd_running *r, struct moment *x, bool *is_interrupted)
{
    const struct rd_world *const w = &r->s->world;
    uint8_t *frozen = NULL;
    const bool ok = rd_sim_frozen(r->s, &frozen, r->e);
    *is_interrupted = false;
    for (int64_t run = 0; ok && run < w->lattice.n_runs; run++) {
        const double left = w->runs.n_pause > 0 ? w->runs.pause[run].left : 0.0;
        x->time[run] = x->end - left;
        *is_interrupted = *is_interrupted || (left > 0.0 && !(frozen && frozen[run]));
    }
    free(frozen);
    return ok;
}

/* Adds a row to the result: event number k of the conditions fires in the run. */
static bool add_row(struct rd_running *r, struct moment *x, int64_t run, int k)
{
    struct rd_sim *const s = r->s;
    if (!rd_capacity_for_lives(s, 1, r->e))
        return false;
    s->life[s->n_lives++] = (struct rd_life){.time = x->time[run],
                                             .part = x->n_now[run]++,
                                             .run = run,
                                             .id = r->p->model->condition[k],
                                             .parent = -1,
                                             .species = -1};
    return true;
}

/* Fires the event of condition k in the runs in which it is due. */
static bool fire(struct rd_running *r, struct moment *x, int k)
{
    const struct rd_world *const w = &r->s->world;
    const int64_t n = w->runs.n_condition;
    int64_t n_due = 0;
    bool ok = true;
    for (int64_t run = 0; ok && run < w->lattice.n_runs; run++) {
        const bool is_due = x->is[run * n + k] & RD_CONDITION_DUE;
        x->is_out[run] = !is_due;
        x->n_before[run] = r->s->firings[run * n + k];
        r->s->firings[run * n + k] += is_due;
        x->is[run * n + k] &= (uint8_t)~RD_CONDITION_DUE;
        n_due += is_due;
        ok = !is_due || add_row(r, x, run, k);
    }
    struct firing f = {.o = {.event = &r->p->model->event[r->p->model->condition[k]],
                             .number = r->p->model->condition[k],
                             .time = x->end,
                             .times = x->time,
                             .firings = x->n_before},
                       .is_out = x->is_out};
    return ok && (n_due == 0 || apply(r, &f));
}

/* Fires all events that are due, in the order of the file. */
static bool fire_all(struct rd_running *r, struct moment *x)
{
    const struct rd_world *const w = &r->s->world;
    const struct rd_backend *const b = r->s->backend;
    const size_t bytes = (size_t)w->runs.n_condition_is;
    const int64_t none = 0;
    bool ok = b->get(r->s->machine, x->is, w->runs.condition_is, bytes, r->e);
    for (int k = 0; ok && k < w->runs.n_condition; k++)
        ok = fire(r, x, k);
    return ok && b->put(r->s->machine, w->runs.condition_is, x->is, bytes, r->e) &&
           b->put(r->s->machine, w->runs.n_due, &none, sizeof none, r->e);
}

static int by_part(const void *a, const void *b)
{
    const struct rd_life *const x = a, *const y = b;
    if (x->part != y->part)
        return x->part < y->part ? -1 : 1;
    return (x->run > y->run) - (x->run < y->run);
}

/* Gives the new rows the place of the moment among all rows, and the order that they have also if
   the runs are simulated in batches. */
static void order_rows(struct rd_running *r, const struct moment *x)
{
    struct rd_sim *const s = r->s;
    const bool is_division = x->from == x->end;
    const int64_t key = rd_first_order_key(s->step_clock.step);
    for (int64_t i = x->first_row; i < s->n_lives; i++) {
        s->life[i].order_key = is_division ? key : key - 1;
        s->life[i].part |= is_division ? INT64_C(1) << 62 : 0;
    }
    qsort(s->life + x->first_row, (size_t)(s->n_lives - x->first_row), sizeof *s->life, by_part);
}

/* Evaluates the stop condition and those of events. */
static void test_conditions(struct rd_running *r, const struct moment *x)
{
    if (r->p->model->stops_at_steps)
        rd_step_stop(r->s, x->end);
    rd_step_test_events(r->s, x->end);
}

/* Continues the steps that the exact solver interrupted, until the next event is due. */
static bool go_on(struct rd_running *r, const struct moment *x)
{
    rd_sim_exact(r->s, x->from, r->now.stretch.step, true);
    test_conditions(r, x);
    return rd_sim_check(r->s, r->e);
}

/* Fires events until none is due and no step is interrupted. */
static bool settle(struct rd_running *r, struct moment *x)
{
    bool ok = make_moment(r, x), is_interrupted = false;
    int64_t n_due = 0;
    for (int rounds = 0; ok; rounds++) {
        ok = find_times(r, x, &is_interrupted) && count_due(r, &n_due);
        if (!ok || (n_due == 0 && !is_interrupted))
            break;
        if (n_due == 0) {
            ok = go_on(r, x);
            rounds = 0;
        } else if (rounds >= ROUNDS_MOST) {
            ok = rd_fail(r->e,
                         "the events at t = %g make each other's conditions true without end; "
                         "leave out repeat in one of them",
                         x->end);
        } else {
            ok = fire_all(r, x);
            test_conditions(r, x);
        }
    }
    if (ok)
        order_rows(r, x);
    free_moment(x);
    return ok;
}

/* Settles a moment in which an event is due, or a step is interrupted. */
static bool settle_if_due(struct rd_running *r, double from, double end)
{
    struct moment x = {.from = from, .end = end};
    int64_t n_due = 0;
    if (r->p->model->n_conditions == 0)
        return true;
    if (!count_due(r, &n_due))
        return false;
    if (n_due == 0)
        return true;
    const bool ok = settle(r, &x);
    rd_sim_mark(r->s);
    return ok;
}

bool rd_running_events(struct rd_running *r)
{
    for (int i = 0; i < r->p->model->n_events; i++)
        while (rd_timeline_event(&r->now.t, i))
            if (!apply_at_time(r, i))
                return false;
    rd_step_test_events(r->s, r->now.t.now);
    return settle_if_due(r, r->now.t.now, r->now.t.now);
}

bool rd_running_conditions(struct rd_running *r, int64_t j)
{
    return settle_if_due(r, rd_stretch_time(&r->now.stretch, j),
                         rd_stretch_time(&r->now.stretch, j + 1));
}
