/* run - the whole of a simulation: events when they are due, recording when it is due, steps. */
#include "run.h"

#include "limit.h"
#include "muster.h"
#include "place.h"
#include "rng.h"
#include "step.h"
#include "timeline.h"
#include "verify.h"

#include <math.h>
#include <stdlib.h>

/* Faults are looked for after at most so many steps, and at the end of each stretch. */
enum { STEPS_UNCHECKED = 64 };

struct running {
    struct rd_plan *p;
    struct rd_sim *s;
    const struct rd_watch *watch;
    struct rd_timeline t;
    double *value;    /* of the parameters, now */
    double longest;   /* step */
    double stopped;   /* when go_on said no; NAN: not yet */
    int64_t patience; /* steps until the next look, where a look costs time */
    struct rd_error *e;
};

bool rd_run_set(const struct rd_model *m, int i, double t, double *value, struct rd_error *e)
{
    const struct rd_event *const event = &m->event[i];
    double *const next = malloc((size_t)m->n_parameters * sizeof *next + 1);
    if (!next)
        return rd_fail(e, "out of memory for the parameters");
    memcpy(next, value, (size_t)m->n_parameters * sizeof *next);
    bool ok = true;
    for (int k = 0; k < event->n_set; k++) { /* all from the values before the event */
        const struct rd_scene scene = {.t = t, .volume = m->grid.volume, .parameter = value};
        const double v = rd_expr_value(&event->set[k].value, &scene);
        if (!rd_is_finite(v))
            ok = rd_fail(e, "%s: the event at t = %g sets '%s' to %g; it must be a finite number",
                         event->place, t, m->parameter[event->set[k].parameter], v);
        next[event->set[k].parameter] = v;
    }
    memcpy(value, next, (size_t)m->n_parameters * sizeof *next);
    free(next);
    return ok;
}

/* New values of parameters: new rates, and tables at the next stretch. */
static bool take_rates(struct running *r)
{
    if (!rd_plan_rates(r->p, r->value, r->e))
        return false;
    r->longest = rd_limit_of(r->p).step;
    r->p->step = 0.0;
    return true;
}

/* Counts leave the machine, are changed, and go back. */
static bool change_counts(struct running *r, int event)
{
    const size_t n = (size_t)r->s->world.n_count;
    int32_t *const count = calloc(n, sizeof *count);
    if (!count)
        return rd_fail(r->e, "out of memory for the counts of %d species", r->p->world.n_species);
    struct rd_roster roster = {0};
    bool ok = event < 0 || rd_sim_get_counts(r->s, count, r->e);
    rd_sim_placed(r->s, count, -1);
    if (event < 0)
        ok = rd_place_start(r->p, r->value, count, &roster, r->e);
    else
        ok = ok &&
             rd_place_event(r->p, r->value, event, r->t.now, r->s->beat.step, count, &roster, r->e);
    rd_sim_placed(r->s, count, 1);
    ok = ok && rd_muster(r->s, &roster, r->value, count, event, r->t.now, r->e) &&
         rd_sim_put_counts(r->s, count, r->e) && (!r->s->is_verified || rd_verify(r->s, r->e));
    rd_roster_free(&roster);
    free(count);
    return ok;
}

static bool apply_event(struct running *r, int i)
{
    const struct rd_event *const event = &r->p->model->event[i];
    if (event->n_set > 0 &&
        !(rd_run_set(r->p->model, i, r->t.now, r->value, r->e) && take_rates(r)))
        return false;
    return event->n_add + event->n_remove == 0 || change_counts(r, i);
}

/* What cannot be placed as the configuration asks is the configuration's fault. */
static bool start(struct running *r)
{
    const bool ok = rd_sim_take(r->s, r->e) && change_counts(r, -1);
    r->s->is_begun = true;
    r->e->wrong = !ok;
    return ok;
}

static bool apply_events(struct running *r)
{
    for (int i = 0; i < r->p->model->n_events; i++)
        while (rd_timeline_event(&r->t, i))
            if (!apply_event(r, i))
                return false;
    return true;
}

/* Tables for steps of the stretch's length, unless they are there already. */
static bool prepare(struct running *r, const struct rd_stretch *stretch)
{
    if (r->s->beat.step + stretch->n_steps > RD_STEP_END)
        return rd_fail(r->e, "more than %lld steps would be needed; the longest step is %g",
                       (long long)RD_STEP_END, r->longest);
    if (r->p->step == stretch->step)
        return true;
    return rd_plan_step(r->p, stretch->step, r->e) && rd_sim_take(r->s, r->e);
}

/* Whether the run is to go on after step j of the stretch. */
static bool goes_on(struct running *r, const struct rd_stretch *stretch, int64_t j)
{
    const struct rd_watch *const watch = r->watch;
    const double time = rd_stretch_time(stretch, j);
    if (!watch->go_on || watch->go_on(watch->go_on_to, time, r->s->beat.step))
        return true;
    r->stopped = time;
    return false;
}

/* Lineage does not wait in memory for the next snapshot when there is much of it. */
static bool store_lives(struct running *r)
{
    return r->s->n_lives < RD_LIVES_WAITING || !r->watch->live ||
           r->watch->live(r->watch->record_to, r->s, r->e);
}

/* Looks for faults after step j. After a pause j is where the steps are to go on once more; what
   was done in vain grows with the time between looks, so that this is halved then. */
static bool look(struct running *r, int64_t *j)
{
    const uint32_t step = r->s->beat.step;
    if (!rd_sim_check(r->s, r->e))
        return false;
    const uint32_t back = step - r->s->beat.step;
    *j -= back;
    if (back > 0)
        r->patience = r->patience / 2 + 1;
    else if (r->patience < STEPS_UNCHECKED)
        r->patience++;
    return back > 0 || !r->s->is_verified || rd_verify(r->s, r->e);
}

static bool run_stretch(struct running *r, const struct rd_stretch *stretch)
{
    if (!prepare(r, stretch))
        return false;
    rd_sim_mark(r->s);
    const bool each = r->s->is_verified || r->s->backend->is_near;
    for (int64_t j = 0, looked = 0; j < stretch->n_steps;) {
        rd_step(r->s, stretch, j++);
        const bool is_due = each || j - looked >= r->patience || j == stretch->n_steps;
        if (is_due && !rd_sim_is_done(r->s)) {
            if (!look(r, &j) || !store_lives(r))
                return false;
            looked = j;
        }
        if (!goes_on(r, stretch, j))
            return false;
    }
    return true;
}

static bool run_on(struct running *r)
{
    struct rd_stretch stretch;
    do {
        if (!apply_events(r))
            return false;
        while (rd_timeline_output(&r->t))
            if (!r->watch->record(r->watch->record_to, r->s, r->t.now, r->e))
                return false;
        if (!rd_timeline_next(&r->t, r->longest, &stretch))
            return true;
    } while (run_stretch(r, &stretch));
    return false;
}

bool rd_run(struct rd_plan *p, struct rd_sim *s, const struct rd_watch *watch, double *stopped,
            struct rd_error *e)
{
    const struct rd_model *const m = p->model;
    struct running r = {
        .p = p, .s = s, .watch = watch, .stopped = NAN, .patience = STEPS_UNCHECKED, .e = e};
    r.value = malloc((size_t)m->n_parameters * sizeof *r.value + 1);
    bool ok = r.value != NULL || rd_fail(e, "out of memory for the parameters");
    if (ok && m->n_parameters > 0)
        memcpy(r.value, m->value, (size_t)m->n_parameters * sizeof *r.value);
    ok = ok && rd_timeline_open(&r.t, m, e) && take_rates(&r) && start(&r) &&
         (run_on(&r) || !isnan(r.stopped));
    *stopped = r.stopped;
    rd_timeline_close(&r.t);
    free(r.value);
    return ok;
}
