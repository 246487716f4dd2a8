/* observed - the values of observables at one time, and their statistics. */
#include "result/write/observed.h"

#include <stdlib.h>

bool rd_observed_make(struct rd_observed *o, const struct rd_model *m, int n_quantiles,
                      struct rd_error *e)
{
    const struct rd_ensemble of = {.n_runs = m->n_runs,
                                   .n_species = m->n_observables,
                                   .quantile = m->quantile,
                                   .n_quantiles = n_quantiles};
    o->value = calloc((size_t)(m->n_runs * m->n_observables) + 1, sizeof *o->value);
    if (!o->value)
        return rd_fail(e, "out of memory for %d observables", m->n_observables);
    return rd_ensemble_make(&o->statistics, &of, false, false, e);
}

void rd_observed_free(struct rd_observed *o)
{
    free(o->value);
    rd_ensemble_free(&o->statistics);
    *o = (struct rd_observed){0};
}

/* Returns the value of an observable in a run with these totals. */
static int64_t add_up(const struct rd_observable *x, const int64_t *total)
{
    int64_t sum = 0;
    for (int i = 0; i < x->n_terms; i++)
        sum += x->term[i].number * total[x->term[i].species];
    return sum;
}

bool rd_observed_take(struct rd_observed *o, const struct rd_model *m, const int64_t *totals,
                      const uint8_t *out, struct rd_error *e)
{
    if (m->n_observables == 0)
        return true;
    for (int64_t run = 0; run < m->n_runs; run++)
        for (int i = 0; i < m->n_observables; i++)
            o->value[run * m->n_observables + i] =
                out && out[run] ? -1 : add_up(&m->observable[i], totals + run * m->n_species);
    return rd_ensemble_take(&o->statistics, o->value, NULL, NULL, NULL, out, e);
}
