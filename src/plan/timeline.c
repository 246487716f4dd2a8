/* timeline - divides the time at every output, event, return of control and the end. Times that
   differ by rounding only are one division; times are never accumulated. */
#include "plan/timeline.h"

#include <math.h>
#include <stdlib.h>

bool rd_timeline_open(struct rd_timeline *t, const struct rd_model *m, struct rd_error *e)
{
    *t = (struct rd_timeline){.model = m, .n_leaves = 1};
    while (t->n_leaves < m->n_events)
        t->n_leaves *= 2;
    t->n_past = calloc((size_t)m->n_events + 1, sizeof *t->n_past);
    t->earliest = calloc(2 * (size_t)t->n_leaves, sizeof *t->earliest);
    if (!t->n_past || !t->earliest)
        return rd_fail(e, "out of memory for %d events", m->n_events);
    rd_timeline_find_times(t);
    return true;
}

void rd_timeline_close(struct rd_timeline *t)
{
    free(t->n_past);
    free(t->earliest);
    *t = (struct rd_timeline){0};
}

/* Returns whether time a is now or past, up to rounding. */
static bool is_time_due(const struct rd_timeline *t, double a)
{
    return a <= t->now + 1e-12 * t->model->end;
}

/* Returns the time of the next occurrence of event i; INFINITY if there is none. */
static double event_time(const struct rd_timeline *t, int i)
{
    const struct rd_event *const event = &t->model->event[i];
    const double last = event->until < t->model->end ? event->until : t->model->end;
    const double later = event->every * (double)t->n_past[i], tolerance = 1e-6 * event->every;
    if (event->when.n > 0 || (t->n_past[i] > 0 && event->every <= 0.0) ||
        later > last - event->time + tolerance)
        return INFINITY;
    return event->time + later;
}

static double earliest_child(const struct rd_timeline *t, int k)
{
    return fmin(t->earliest[2 * k], t->earliest[2 * k + 1]);
}

void rd_timeline_find_times(struct rd_timeline *t)
{
    for (int i = 0; i < t->n_leaves; i++)
        t->earliest[t->n_leaves + i] = i < t->model->n_events ? event_time(t, i) : INFINITY;
    for (int k = t->n_leaves - 1; k > 0; k--)
        t->earliest[k] = earliest_child(t, k);
}

static double output_time(const struct rd_timeline *t)
{
    return t->n_recorded < t->model->n_moments ? t->model->moment[t->n_recorded] : INFINITY;
}

/* Returns how many intervals of time.control are past. */
static double controls_past(const struct rd_timeline *t)
{
    const double every = t->model->control;
    double n = floor(t->now / every);
    while (is_time_due(t, every * (n + 1.0)))
        n++;
    return n;
}

/* Returns the next time at which a program takes control; INFINITY if there is none. */
static double control_time(const struct rd_timeline *t)
{
    const double every = t->model->control;
    return every > 0.0 ? every * (controls_past(t) + 1.0) : INFINITY;
}

bool rd_timeline_control(const struct rd_timeline *t)
{
    const double every = t->model->control;
    const double last = every > 0.0 ? every * controls_past(t) : 0.0;
    return rd_timeline_is_over(t) || last >= t->now - 1e-12 * t->model->end;
}

bool rd_timeline_is_over(const struct rd_timeline *t)
{
    return is_time_due(t, t->model->end);
}

bool rd_timeline_event(struct rd_timeline *t, int *event)
{
    if (!is_time_due(t, t->earliest[1]))
        return false;
    int k = 1;
    while (k < t->n_leaves)
        k = 2 * k + !is_time_due(t, t->earliest[2 * k]);
    *event = k - t->n_leaves;
    t->n_past[*event]++;
    t->earliest[k] = event_time(t, *event);
    while ((k /= 2) > 0)
        t->earliest[k] = earliest_child(t, k);
    return true;
}

bool rd_timeline_output(struct rd_timeline *t)
{
    if (!is_time_due(t, output_time(t)))
        return false;
    t->n_recorded++;
    return true;
}

/* Rounds away the last bits, so that stretches of equal length up to rounding get the same
   tables. */
static double round_step(double step)
{
    uint64_t bits;
    memcpy(&bits, &step, sizeof bits);
    bits = (bits + (UINT64_C(1) << 11)) >> 12 << 12;
    memcpy(&step, &bits, sizeof bits);
    return step;
}

bool rd_timeline_next(struct rd_timeline *t, double longest, struct rd_stretch *stretch)
{
    if (rd_timeline_is_over(t))
        return false;
    double to = t->model->end;
    to = fmin(to, output_time(t));
    to = fmin(to, control_time(t));
    to = fmin(to, t->earliest[1]);
    const double length = to - t->now;
    const double n = ceil(length / longest * (1.0 - 1e-9));
    stretch->from = t->now;
    stretch->to = to;
    stretch->n_steps = n < 1.0 ? 1 : n < 9e15 ? (int64_t)n : INT64_C(9000000000000000);
    stretch->n_steps <<= t->model->halvings;
    stretch->step = round_step(length / (double)stretch->n_steps);
    t->now = to;
    return true;
}

double rd_stretch_time(const struct rd_stretch *stretch, int64_t j)
{
    return stretch->from + (stretch->to - stretch->from) * (double)j / (double)stretch->n_steps;
}

double *rd_parameters_copy(const struct rd_model *m, const double *value, struct rd_error *e)
{
    const size_t bytes = (size_t)m->n_parameters * sizeof *value;
    double *const copy = malloc(bytes + 1);
    if (!copy)
        rd_fail(e, "out of memory for the parameters");
    else if (bytes > 0)
        memcpy(copy, value, bytes);
    return copy;
}

bool rd_event_set(const struct rd_model *m, const struct rd_event *event, double t, double *value,
                  struct rd_error *e)
{
    double *const next = rd_parameters_copy(m, value, e);
    if (!next)
        return false;
    bool ok = true;
    for (int k = 0; k < event->n_set; k++) { /* uses the values before the event for all settings */
        const struct rd_eval_context eval_context = {
            .t = t, .volume = m->grid.volume, .parameter = value};
        const double v = m->is_of_run[event->set[k].parameter]
                             ? 0.0
                             : rd_expr_value(&event->set[k].value, &eval_context);
        if (!rd_is_finite(v))
            ok = rd_fail(e, "%s: the event at t = %g sets '%s' to %g; give a finite number",
                         event->place, t, m->parameter[event->set[k].parameter], v);
        if (!m->is_of_run[event->set[k].parameter])
            next[event->set[k].parameter] = v;
    }
    memcpy(value, next, (size_t)m->n_parameters * sizeof *next);
    free(next);
    return ok;
}

bool rd_event_set_run(const struct rd_model *m, const struct rd_event *event,
                      const struct rd_eval_context *at, double *next, struct rd_error *e)
{
    bool ok = true;
    for (int k = 0; k < event->n_set; k++) {
        const int p = event->set[k].parameter;
        if (!m->is_of_run[p])
            continue;
        next[p] = rd_expr_value(&event->set[k].value, at);
        if (!rd_is_finite(next[p]))
            ok = rd_fail(e, "%s: the event at t = %g sets '%s' to %g; give a finite number",
                         event->place, at->t, m->parameter[p], next[p]);
    }
    return ok;
}
