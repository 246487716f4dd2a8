/* conditions - events whose conditions become true: fires them in each run by itself, one after
   another. After each event the conditions are evaluated again, until none has become true. */
#include "run/running.h"
#include "sim/capacity.h"
#include "sim/rows.h"
#include "sim/step.h"

#include <stdlib.h>

/* Sets the most events of one moment, beyond one for each condition. */
enum { ROUNDS_MOST = 1000 };

/* Holds the state of the conditions of all runs at one moment. */
struct moment {
    double from, end;  /* of the step; at a division of the timeline both are now */
    uint8_t *is;       /* [run][condition]: RD_CONDITION_ bits */
    double *time;      /* [run] */
    int64_t *n_before; /* [run]: firings of the present event */
    int64_t *n_now;    /* [run]: firings in this step */
    int *first;        /* [run]: the condition that is due first; -1: none */
    uint8_t *is_out;   /* [run] */
    uint8_t *frozen;   /* [run], or NULL: none is */
    int64_t first_row; /* of the rows that are added for the result */
};

static void free_moment(struct moment *x)
{
    free(x->is);
    free(x->time);
    free(x->n_before);
    free(x->n_now);
    free(x->first);
    free(x->is_out);
    free(x->frozen);
}

static bool make_moment(struct rd_running *r, struct moment *x)
{
    const struct rd_world *const w = &r->s->world;
    const size_t n = (size_t)w->lattice.n_runs;
    x->is = malloc((size_t)w->runs.n_condition_is);
    x->time = calloc(n, sizeof *x->time);
    x->n_before = calloc(n, sizeof *x->n_before);
    x->n_now = calloc(n, sizeof *x->n_now);
    x->first = calloc(n, sizeof *x->first);
    x->is_out = calloc(n, 1);
    x->first_row = r->s->n_lives;
    return (x->is && x->time && x->n_before && x->n_now && x->first && x->is_out) ||
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
    free(x->frozen);
    x->frozen = NULL;
    const bool ok = rd_sim_frozen(r->s, &x->frozen, r->e);
    *is_interrupted = false;
    for (int64_t run = 0; ok && run < w->lattice.n_runs; run++) {
        const double left = w->runs.n_pause > 0 ? w->runs.pause[run].left : 0.0;
        x->time[run] = x->end - left;
        *is_interrupted = *is_interrupted || (left > 0.0 && !(x->frozen && x->frozen[run]));
    }
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

/* Finds the first condition that is due in each run, or -1; returns the number of those that remain
   due after it, over all runs. A run that has stopped has none. */
static int64_t find_due_conditions(const struct rd_world *w, struct moment *x)
{
    const int64_t n = w->runs.n_condition;
    int64_t n_waiting = 0;
    for (int64_t run = 0; run < w->lattice.n_runs; run++) {
        x->first[run] = -1;
        for (int64_t k = 0; k < n; k++) {
            uint8_t *const is = &x->is[run * n + k];
            if (x->frozen && x->frozen[run])
                *is &= (uint8_t)~RD_CONDITION_DUE;
            if (!(*is & RD_CONDITION_DUE))
                continue;
            n_waiting += x->first[run] >= 0;
            x->first[run] = x->first[run] < 0 ? (int)k : x->first[run];
        }
    }
    return n_waiting;
}

/* Fires the event of condition k in the runs in which it is the first that is due. */
static bool fire(struct rd_running *r, struct moment *x, int k)
{
    const struct rd_world *const w = &r->s->world;
    const int64_t n = w->runs.n_condition;
    int64_t n_due = 0;
    bool ok = true;
    for (int64_t run = 0; ok && run < w->lattice.n_runs; run++) {
        const bool is_due = x->first[run] == k;
        x->is_out[run] = !is_due;
        x->n_before[run] = r->s->firings[run * n + k];
        r->s->firings[run * n + k] += is_due;
        x->is[run * n + k] &= (uint8_t) ~(is_due ? RD_CONDITION_DUE : 0);
        n_due += is_due;
        ok = !is_due || add_row(r, x, run, k);
    }
    const struct rd_occasion o = {.event = &r->p->model->event[r->p->model->condition[k]],
                                  .number = r->p->model->condition[k],
                                  .time = x->end,
                                  .times = x->time,
                                  .firings = x->n_before};
    return ok && (n_due == 0 || rd_running_fire(r, &o, x->is_out));
}

/* Fires in each run the first event that is due, in the order of the file. The others stay due,
   whether their conditions remain true or not. */
static bool fire_first(struct rd_running *r, struct moment *x)
{
    const struct rd_world *const w = &r->s->world;
    const struct rd_backend *const b = r->s->backend;
    const size_t bytes = (size_t)w->runs.n_condition_is;
    bool ok = b->get(r->s->machine, x->is, w->runs.condition_is, bytes, r->e);
    const int64_t n_waiting = ok ? find_due_conditions(w, x) : 0;
    for (int k = 0; ok && k < w->runs.n_condition; k++)
        ok = fire(r, x, k);
    return ok && b->put(r->s->machine, w->runs.condition_is, x->is, bytes, r->e) &&
           b->put(r->s->machine, w->runs.n_due, &n_waiting, sizeof n_waiting, r->e);
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
static bool continue_steps(struct rd_running *r, const struct moment *x)
{
    rd_sim_exact(r->s, x->from, r->now.stretch.step, true);
    test_conditions(r, x);
    return rd_sim_check(r->s, r->e);
}

/* Returns false with a message at the place of one of the events that fire without end. */
static bool refuse_endless(const struct rd_running *r, const struct moment *x)
{
    const struct rd_model *const m = r->p->model;
    int64_t run = 0;
    while (x->first[run] < 0 && run < r->s->world.lattice.n_runs - 1)
        run++;
    const int k = x->first[run] < 0 ? 0 : x->first[run];
    return rd_fail(r->e,
                   "%s: this event and others make each other's conditions true at t = %g without "
                   "end; leave out repeat in one of them",
                   m->event[m->condition[k]].place, x->end);
}

/* Fires events until none is due and no step is interrupted. */
static bool fire_due(struct rd_running *r, struct moment *x)
{
    bool ok = make_moment(r, x), is_interrupted = false;
    int64_t n_due = 0;
    for (int rounds = 0; ok; rounds++) {
        ok = find_times(r, x, &is_interrupted) && count_due(r, &n_due);
        if (!ok || (n_due == 0 && !is_interrupted))
            break;
        if (n_due == 0) {
            ok = continue_steps(r, x);
            rounds = 0;
        } else if (rounds >= ROUNDS_MOST + r->s->world.runs.n_condition) {
            ok = refuse_endless(r, x);
        } else {
            ok = fire_first(r, x);
            test_conditions(r, x);
        }
    }
    if (ok)
        order_rows(r, x);
    free_moment(x);
    return ok;
}

bool rd_running_fire_due(struct rd_running *r, double from, double end)
{
    struct moment x = {.from = from, .end = end};
    int64_t n_due = 0;
    if (r->p->model->n_conditions == 0)
        return true;
    if (!count_due(r, &n_due))
        return false;
    if (n_due == 0)
        return true;
    const bool ok = fire_due(r, &x);
    rd_sim_mark(r->s);
    return ok;
}

bool rd_running_conditions(struct rd_running *r, int64_t j)
{
    return rd_running_fire_due(r, rd_stretch_time(&r->now.stretch, j),
                               rd_stretch_time(&r->now.stretch, j + 1));
}
