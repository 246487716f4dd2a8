/* plan_vectors - the rates of mass action for many parameter vectors, whose runs one plan
   simulates. Each has the value, to the bit, that its own plan would have. */
#include "plan/plan.h"

#include "plan/timeline.h"

#include <stdlib.h>
#include <string.h>

void rd_plan_size_vectors(struct rd_plan *p)
{
    const struct rd_model *const m = p->model;
    struct rd_world *const w = &p->world;
    w->lattice.stream_shift = m->stream_shift;
    if (m->theta.is_flat) {
        w->reactions.runs_per_vector = m->theta.n_runs;
        w->reactions.runs_before = (m->first_run - m->first_of_all) % m->theta.n_runs;
    }
}

/* Sets the parameters of a row among all values. */
static void set_row(const struct rd_theta *t, int64_t row, double *value)
{
    for (int k = 0; k < t->table.n_columns; k++)
        value[t->parameter[k]] = t->table.value[row * t->table.n_columns + k];
}

/* Computes the rate of a reaction and its constant k. Returns whether both are finite and not
   negative, as set_rate of plan_channels.c checks. */
static bool find_vector_rate(const struct rd_plan *p, const struct rd_reaction *r,
                             const double *value, double *rate, double *k)
{
    const struct rd_eval_context at = {.volume = p->world.lattice.volume, .parameter = value};
    *k = rd_expr_value(&r->rate, &at);
    *rate = rd_plan_measure_factor(p, r) * *k;
    return *k >= 0.0 && rd_is_finite(*k) && rd_is_finite(*rate);
}

/* Sets the rates of a row. Returns whether all are in range. */
static bool set_rates(const struct rd_plan *p, const double *value, double *rate)
{
    bool is_right = true;
    for (int32_t i = 0; i < p->world.reactions.n_reactions; i++) {
        const struct rd_reaction *const r = &p->model->reaction[p->reaction_of[i]];
        double k;
        rate[i] = p->channel[i].rate;
        if (rd_theta_may_set(r))
            is_right = find_vector_rate(p, r, value, &rate[i], &k) && is_right;
    }
    return is_right;
}

/* Allocates the tables for n vectors. */
static bool make_vector_tables(struct rd_plan *p, int64_t n, struct rd_error *e)
{
    struct rd_reactions *const all = &p->world.reactions;
    const size_t n_rates = (size_t)n * (size_t)all->n_reactions;
    free(p->vector_rate);
    free(p->vector_is_out);
    p->vector_rate = calloc(n_rates + 1, sizeof *p->vector_rate);
    p->vector_is_out = calloc((size_t)n, 1);
    all->n_vector_rate = (int64_t)n_rates;
    return (p->vector_rate && p->vector_is_out) ||
           rd_fail(e, "out of memory for the rates of %lld rows", (long long)n);
}

bool rd_plan_vectors(struct rd_plan *p, const double *value, struct rd_error *e)
{
    const struct rd_model *const m = p->model;
    const struct rd_theta *const t = &m->theta;
    struct rd_reactions *const all = &p->world.reactions;
    if (!t->is_flat || all->n_reactions == 0)
        return true;
    const int64_t first = m->first_run - m->first_of_all, row = first / t->n_runs;
    const int64_t n = (first + m->n_runs - 1) / t->n_runs - row + 1;
    double *const at = rd_parameters_copy(m, value, e);
    const bool ok = at && make_vector_tables(p, n, e);
    for (int64_t i = 0; ok && i < n; i++) {
        double *const rate = p->vector_rate + i * all->n_reactions;
        set_row(t, row + i, at);
        p->vector_is_out[i] = !set_rates(p, at, rate);
        if (p->vector_is_out[i])
            memset(rate, 0, (size_t)all->n_reactions * sizeof *rate);
    }
    free(at);
    return ok;
}

void rd_plan_vector_refuse(const struct rd_plan *p, int64_t row, struct rd_error *e)
{
    const struct rd_model *const m = p->model;
    double *const at = rd_parameters_copy(m, m->value, e);
    if (!at)
        return;
    set_row(&m->theta, row, at);
    for (int i = 0; i < m->n_reactions; i++) {
        const struct rd_reaction *const r = &m->reaction[i];
        double rate, k;
        if (rd_theta_may_set(r) && !find_vector_rate(p, r, at, &rate, &k))
            rd_plan_refuse_rate(p, r, at, k, e);
    }
    free(at);
}
