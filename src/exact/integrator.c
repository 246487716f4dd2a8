/* integrator - the method of Dormand and Prince (J. Comput. Appl. Math. 6, 19, 1980) of order 5
   with steps by the error of order 4, and its interpolation of order 4 (Hairer, Norsett and Wanner,
   Solving Ordinary Differential Equations I, II.6) for the moments within a step. An event happens
   when the integral of all propensities reaches an exponential random number. */
#include "exact/integrator.h"

#include "kernels/passes/totals/totals.h"

#include <stdlib.h>
#include <string.h>

enum { N = RD_INTEGRATOR_STAGES };

/* Sets the error allowed in one step: of a variable, relative to it and its change; of the integral
   of propensities. */
static const double variable_error = 1e-10, integral_error = 1e-9;
/* Sets the shortest step, and error of moments, in lengths of the pass. */
static const double shortest = 1e-13, moment_error = 1e-12;

/* Times of the stages, weights of earlier stages, and weights of the error and interpolation. */
static const double time_of[N] = {0.0, 1.0 / 5.0, 3.0 / 10.0, 4.0 / 5.0, 8.0 / 9.0, 1.0, 1.0};
static const double weight[N][N - 1] = {
    {0.0},
    {1.0 / 5.0},
    {3.0 / 40.0, 9.0 / 40.0},
    {44.0 / 45.0, -56.0 / 15.0, 32.0 / 9.0},
    {19372.0 / 6561.0, -25360.0 / 2187.0, 64448.0 / 6561.0, -212.0 / 729.0},
    {9017.0 / 3168.0, -355.0 / 33.0, 46732.0 / 5247.0, 49.0 / 176.0, -5103.0 / 18656.0},
    {35.0 / 384.0, 0.0, 500.0 / 1113.0, 125.0 / 192.0, -2187.0 / 6784.0, 11.0 / 84.0}};
static const double error_weight[N] = {
    71.0 / 57600.0,      0.0,          -71.0 / 16695.0, 71.0 / 1920.0,
    -17253.0 / 339200.0, 22.0 / 525.0, -1.0 / 40.0};
static const double between_weight[N] = {
    -12715105075.0 / 11282082432.0,  0.0,
    87487479700.0 / 32700410799.0,   -10690763975.0 / 1880347072.0,
    701980252875.0 / 199316789632.0, -1453857185.0 / 822651844.0,
    69997945.0 / 29380423.0};

size_t rd_integrator_memory(const struct rd_world *w)
{
    return (size_t)(w->runs.n_ode + 1) * (N + 3) * sizeof(double);
}

bool rd_integrator_open(struct rd_integrator *x, const struct rd_world *w)
{
    *x = (struct rd_integrator){.n = (int32_t)w->runs.n_ode + 1};
    x->memory = calloc((size_t)x->n * (N + 3), sizeof *x->memory);
    if (!x->memory)
        return false;
    x->state = x->memory;
    x->next = x->state + x->n;
    x->trial = x->next + x->n;
    for (int i = 0; i < N; i++)
        x->stage[i] = x->trial + (i + 1) * x->n;
    return true;
}

void rd_integrator_close(struct rd_integrator *x)
{
    free(x->memory);
    *x = (struct rd_integrator){0};
}

/* Returns the values of the run, which hold the variables. */
static double *values_of_run(const struct rd_integrator *x)
{
    return x->p->w->runs.value + x->p->run * x->p->w->runs.n_parameters;
}

static double moment(const struct rd_integrator *x, double left)
{
    const struct rd_world *const w = x->p->w;
    return w->pass.step_clock->time + (w->pass.dt / 2.0 - left);
}

static void put_variables(struct rd_integrator *x, const double *state)
{
    for (int32_t k = 0; k < x->n - 1; k++)
        values_of_run(x)[x->p->w->runs.ode[k].parameter] = state[k];
}

/* Computes the rate of each variable, and the sum of the propensities, for a state with the rest
   `left` of the pass. Returns false if a number is not finite. */
static bool find_rates(struct rd_integrator *x, const double *state, double left, double *rate)
{
    const struct rd_world *const w = x->p->w;
    bool are_finite = true;
    put_variables(x, state);
    x->p->now = moment(x, left);
    struct rd_eval_context at;
    if (x->n > 1)
        at = rd_run_context(w, x->p->run, x->p->now);
    for (int32_t k = 0; k < x->n - 1; k++) {
        rate[k] = rd_eval_rule(&w->expressions, &w->runs.ode[k].rate, &at);
        are_finite = are_finite && rd_is_finite(rate[k]);
    }
    are_finite = rd_replica_vary(x->p, &rate[x->n - 1]) && are_finite;
    rate[x->n - 1] += x->entering;
    return are_finite;
}

void rd_integrator_begin(struct rd_integrator *x, struct rd_replica *p)
{
    const struct rd_world *const w = p->w;
    x->p = p;
    x->step = w->pass.dt;
    memset(x->memory, 0, (size_t)x->n * (N + 3) * sizeof *x->memory);
    for (int32_t k = 0; k < x->n - 1; k++)
        x->state[k] = values_of_run(x)[w->runs.ode[k].parameter];
}

static double absolute_of(double a)
{
    return a < 0.0 ? -a : a;
}

/* Returns the error of entry k of the step in units of what is allowed. */
static double error_of(const struct rd_integrator *x, int32_t k, double h)
{
    double error = 0.0, scale = absolute_of(x->state[k]);
    for (int i = 0; i < N; i++) {
        const double change = absolute_of(h * x->stage[i][k]);
        error += error_weight[i] * x->stage[i][k];
        scale = change > scale ? change : scale;
    }
    const double allowed = k < x->n - 1       ? variable_error * scale
                           : x->next[k] > 1.0 ? integral_error * x->next[k]
                                              : integral_error;
    return error == 0.0 ? 0.0 : absolute_of(h * error) / allowed;
}

/* Computes a step of length h into `next`; its first stage is known. Returns its error in units of
   what is allowed, or infinity if a number in it is not finite. */
static double try_step(struct rd_integrator *x, double left, double h)
{
    double most = 0.0;
    for (int i = 1; i < N; i++) {
        double *const to = i < N - 1 ? x->trial : x->next;
        for (int32_t k = 0; k < x->n; k++) {
            double sum = 0.0;
            for (int j = 0; j < i; j++)
                sum += weight[i][j] * x->stage[j][k];
            to[k] = x->state[k] + h * sum;
        }
        if (!find_rates(x, to, left - time_of[i] * h, x->stage[i]))
            return (double)INFINITY;
    }
    for (int32_t k = 0; k < x->n; k++) {
        const double error = error_of(x, k, h);
        most = error > most || error != error ? error : most;
    }
    return most;
}

/* Describes the course of one entry over the step: a polynomial of order 4. */
struct course {
    double from, change, bend, turn, last;
};

static struct course course_of(const struct rd_integrator *x, int32_t k, double h)
{
    struct course c = {.from = x->state[k], .change = x->next[k] - x->state[k]};
    c.bend = h * x->stage[0][k] - c.change;
    c.turn = c.change - h * x->stage[N - 1][k] - c.bend;
    for (int i = 0; i < N; i++)
        c.last += h * (between_weight[i] * x->stage[i][k]);
    return c;
}

/* Returns the entry at the part `at` of the step. */
static double interpolate_course(const struct course *c, double at)
{
    const double rest = 1.0 - at;
    return c->from + at * (c->change + rest * (c->bend + at * (c->turn + rest * c->last)));
}

/* Computes the state at the part `at` of the step into `trial`, and makes it that of the run. */
static void compute_state_at(struct rd_integrator *x, double h, double at)
{
    for (int32_t k = 0; k < x->n; k++) {
        const struct course c = course_of(x, k, h);
        x->trial[k] = at < 1.0 ? interpolate_course(&c, at) : x->next[k];
    }
    put_variables(x, x->trial);
}

/* Returns the part of the step at which the integral of propensities reaches the wait, by the
   secant method within an interval that contains it. */
static double find_event(const struct rd_integrator *x, double h, double wait)
{
    const struct course c = course_of(x, x->n - 1, h);
    double from = 0.0, to = 1.0, low = c.from - wait, high = x->next[x->n - 1] - wait;
    for (int i = 0; i < 100 && to - from > 1e-14 && high > 0.0; i++) {
        double at = i % 3 == 2 ? 0.5 * (from + to) : from - low * (to - from) / (high - low);
        at = at > from && at < to ? at : 0.5 * (from + to);
        const double value = interpolate_course(&c, at) - wait;
        if (absolute_of(value) < 1e-13)
            return at;
        *(value > 0.0 ? &to : &from) = at;
        *(value > 0.0 ? &high : &low) = value;
    }
    return to;
}

static bool would_fire(struct rd_integrator *x, double left, double h, double at)
{
    compute_state_at(x, h, at);
    return rd_would_fire(x->p->w, x->p->run, moment(x, left - at * h));
}

/* Returns the first part of the step up to `to` at which a condition is true, by halving; it is
   true at `to`. */
static double find_condition(struct rd_integrator *x, double left, double h, double to)
{
    double from = 0.0;
    while ((to - from) * h > moment_error * x->p->w->pass.dt) {
        const double middle = 0.5 * (from + to);
        *(would_fire(x, left, h, middle) ? &to : &from) = middle;
    }
    return to;
}

/* Returns the first variable whose rate was not finite in a stage of the step; if there is none,
   the entry of the propensities. */
static int32_t find_infinite(const struct rd_integrator *x)
{
    for (int32_t k = 0; k < x->n - 1; k++)
        for (int i = 0; i < N; i++)
            if (!rd_is_finite(x->stage[i][k]))
                return k;
    return x->n - 1;
}

/* Stops the run with a fault of its variables or propensities. */
static enum rd_interval_end report_fault(struct rd_integrator *x)
{
    const int32_t k = find_infinite(x);
    if (k < x->n - 1)
        rd_replica_stop(x->p, RD_FAULT_ODE, 0, k);
    else
        rd_replica_stop(x->p, RD_FAULT_PROPENSITY, 0, x->p->invalid < 0 ? 0 : x->p->invalid);
    return RD_INTERVAL_FAULT;
}

/* Returns the factor from the length of a step with this error to that of the next one. */
static double factor_of(double error)
{
    if (!rd_is_finite(error))
        return 0.1;
    const double factor = error > 0.0 ? 0.9 * rd_pow(error, -0.2) : 5.0;
    return factor < 0.2 ? 0.2 : factor > 5.0 ? 5.0 : factor;
}

/* Makes a step of the allowed error, at most to the end of the pass; returns its length, or 0 with
   a fault. */
static double make_step(struct rd_integrator *x, double left)
{
    const struct rd_world *const w = x->p->w;
    for (;;) {
        const double most = x->step < w->runs.longest ? x->step : w->runs.longest;
        const bool is_cut = most >= left;
        const double h = is_cut ? left : most, error = try_step(x, left, h);
        if (error <= 1.0 || (rd_is_finite(error) && h <= shortest * w->pass.dt)) {
            const double longer = h * factor_of(error);
            x->step = is_cut && longer < x->step ? x->step : longer;
            return h;
        }
        if (h <= shortest * w->pass.dt) {
            report_fault(x);
            return 0.0;
        }
        x->step = h * factor_of(error);
    }
}

/* Takes over the state at the part `at` of the step. */
static void accept(struct rd_integrator *x, double h, double at, double *left)
{
    compute_state_at(x, h, at);
    memcpy(x->state, x->trial, (size_t)x->n * sizeof *x->state);
    *left = at < 1.0 || h < *left ? *left - at * h : 0.0;
}

enum rd_interval_end rd_integrator_advance(struct rd_integrator *x, double wait, double *left)
{
    x->state[x->n - 1] = 0.0;
    if (!find_rates(x, x->state, *left, x->stage[0]) || x->p->invalid >= 0)
        return report_fault(x);
    while (*left > 0.0) {
        const double h = make_step(x, *left);
        if (!(h > 0.0))
            return RD_INTERVAL_FAULT;
        const bool happens = x->next[x->n - 1] >= wait;
        const double at = happens ? find_event(x, h, wait) : 1.0;
        if (x->has_conditions && would_fire(x, *left, h, at)) {
            accept(x, h, find_condition(x, *left, h, at), left);
            return *left > 0.0 ? RD_INTERVAL_CONDITION : RD_INTERVAL_TIME;
        }
        accept(x, h, at, left);
        if (x->has_conditions)
            rd_test_run_events(x->p->w, x->p->run, moment(x, *left)); /* notes which became false */
        if (!find_rates(x, x->state, *left, x->stage[0]) || x->p->invalid >= 0)
            return report_fault(x);
        if (happens)
            return *left > 0.0 ? RD_INTERVAL_EVENT : RD_INTERVAL_TIME;
    }
    return RD_INTERVAL_TIME;
}
