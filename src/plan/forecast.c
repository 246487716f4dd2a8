/* forecast - goes through the whole timeline without simulating. */
#include "plan/forecast.h"

#include "kernels/core/rng.h"
#include "plan/timeline.h"

#include <math.h>
#include <stdlib.h>

/* Applies the settings of all events that are due now, and updates the limit. */
static bool foresee_events(struct rd_plan *p, struct rd_timeline *t, double *value,
                           struct rd_limit *limit, struct rd_error *e)
{
    const struct rd_model *const m = p->model;
    for (int i = 0; i < m->n_events; i++)
        while (rd_timeline_event(t, i)) {
            if (m->event[i].n_set == 0)
                continue;
            if (!rd_event_set(m, i, t->now, value, e) || !rd_plan_rates(p, value, e))
                return rd_fail(e, "%s: the event at t = %g causes this error; change what it sets",
                               m->event[i].place, t->now);
            *limit = rd_limit_of(p);
        }
    return true;
}

static bool foresee(struct rd_forecast *o, struct rd_plan *p, struct rd_timeline *t, double *value,
                    struct rd_error *e)
{
    struct rd_stretch stretch;
    struct rd_limit limit = o->limit;
    for (;;) {
        if (!foresee_events(p, t, value, &limit, e))
            return false;
        while (rd_timeline_output(t)) {
        }
        if (!rd_timeline_next(t, limit.step, &stretch))
            return true;
        o->first = o->n_steps == 0 ? stretch.step : o->first;
        o->n_steps += stretch.n_steps;
        o->shortest = fmin(o->shortest, stretch.step);
        o->longest = fmax(o->longest, stretch.step);
        if (o->n_steps > RD_STEP_END)
            return rd_fail(e,
                           "%s%sthe run has more than %lld steps of at most %g, limited by %s; set "
                           "time.step, or an earlier time.end",
                           limit.place ? limit.place : "", limit.place ? ": " : "",
                           (long long)RD_STEP_END, limit.step, limit.why);
    }
}

bool rd_forecast_take(struct rd_forecast *o, struct rd_plan *p, struct rd_error *e)
{
    const struct rd_model *const m = p->model;
    *o = (struct rd_forecast){.shortest = INFINITY};
    if (!rd_plan_rates(p, m->value, e))
        return false;
    o->limit = rd_limit_of(p);
    struct rd_timeline t;
    const size_t size = (size_t)m->n_parameters * sizeof(double);
    double *const value = malloc(size + 1);
    if (value && size > 0)
        memcpy(value, m->value, size);
    bool ok = rd_timeline_open(&t, m, e) && (value || rd_fail(e, "out of memory"));
    ok = ok && foresee(o, p, &t, value, e);
    rd_timeline_close(&t);
    free(value);
    return ok && rd_plan_rates(p, m->value, e) && rd_plan_step(p, o->first, e);
}
