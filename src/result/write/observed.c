/* observed - the values of observables at one time, and their statistics. */
#include "result/write/observed.h"

#include <math.h>
#include <stdlib.h>

bool rd_observed_make(struct rd_observed *o, const struct rd_model *m, int n_quantiles,
                      struct rd_error *e)
{
    const struct rd_ensemble of = {.n_runs = m->n_runs,
                                   .n_species = m->n_observables,
                                   .quantile = m->quantile,
                                   .n_quantiles = n_quantiles};
    o->value = calloc((size_t)(m->n_runs * m->n_observables) + 1, sizeof *o->value);
    o->moment = calloc((size_t)(RD_N_MOMENTS * m->n_named_values) + 1, sizeof *o->moment);
    if (!o->value || !o->moment)
        return rd_fail(e, "out of memory for %d observables", m->n_observables);
    const struct rd_ensemble of_by = {.n_runs = m->n_runs, .n_species = m->n_bins};
    return rd_ensemble_make(&o->statistics, &of, e) && rd_ensemble_make(&o->by, &of_by, e);
}

void rd_observed_free(struct rd_observed *o)
{
    free(o->value);
    free(o->moment);
    rd_ensemble_free(&o->statistics);
    rd_ensemble_free(&o->by);
    *o = (struct rd_observed){0};
}

/* Returns the value of an observable in a run with these totals. */
static int64_t observe_totals(const struct rd_observable *x, const int64_t *total)
{
    int64_t sum = 0;
    for (int i = 0; i < x->n_terms; i++)
        sum += x->term[i].number * total[x->term[i].species];
    return sum;
}

/* Computes the statistics of named value i, in the order of the runs; the variance is unbiased. */
static void take_value(struct rd_observed *o, const struct rd_model *m, const double *values, int i,
                       const uint8_t *out)
{
    double sum = 0.0, squares = 0.0, least = (double)INFINITY, most = -(double)INFINITY;
    int64_t n = 0;
    for (int64_t run = 0; run < m->n_runs; run++) {
        const double v = values[run * m->n_named_values + i];
        if (out && out[run])
            continue;
        n++;
        sum += v;
        least = v < least ? v : least;
        most = v > most ? v : most;
    }
    const double mean = sum / (double)n;
    for (int64_t run = 0; run < m->n_runs; run++) {
        const double d = values[run * m->n_named_values + i] - mean;
        squares += out && out[run] ? 0.0 : d * d;
    }
    const double moment[RD_N_MOMENTS] = {[RD_MOMENT_MEAN] = mean,
                                         [RD_MOMENT_VARIANCE] =
                                             n > 1 ? squares / (double)(n - 1) : (double)NAN,
                                         [RD_MOMENT_MIN] = n > 0 ? least : (double)NAN,
                                         [RD_MOMENT_MAX] = n > 0 ? most : (double)NAN};
    for (int k = 0; k < RD_N_MOMENTS; k++)
        o->moment[k * m->n_named_values + i] = moment[k];
}

bool rd_observed_take(struct rd_observed *o, const struct rd_model *m, const int64_t *totals,
                      const double *values, const int64_t *by, const uint8_t *out,
                      struct rd_error *e)
{
    for (int i = 0; i < m->n_named_values; i++)
        take_value(o, m, values, i, out);
    if (by && !rd_ensemble_take(&o->by, by, NULL, NULL, NULL, out, e))
        return false;
    if (m->n_observables == 0)
        return true;
    for (int64_t run = 0; run < m->n_runs; run++)
        for (int i = 0; i < m->n_observables; i++)
            o->value[run * m->n_observables + i] =
                out && out[run] ? -1
                                : observe_totals(&m->observable[i], totals + run * m->n_species);
    return rd_ensemble_take(&o->statistics, o->value, NULL, NULL, NULL, out, e);
}
