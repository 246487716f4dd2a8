/* observed - the values of observables at one time, from the totals of species, the statistics of
   these, and of numbers that expressions of a run give; separate because result.c is long. */
#ifndef RD_RESULT_WRITE_OBSERVED_H
#define RD_RESULT_WRITE_OBSERVED_H

#include "model/model.h"
#include "result/statistics/ensemble.h"

/* Lists the statistics of a number over the runs. */
enum rd_moment_of {
    RD_MOMENT_MEAN,
    RD_MOMENT_VARIANCE,
    RD_MOMENT_MIN,
    RD_MOMENT_MAX,
    RD_N_MOMENTS
};

struct rd_observed {
    int64_t *value; /* owned: [run][observable]; -1 in runs that are excluded */
    struct rd_ensemble statistics;
    struct rd_ensemble by; /* of individuals by the value of an attribute, [value of any entry] */
    double *moment;        /* owned: [mean, variance, minimum, maximum][named value] */
};

/* Makes room for the observables of a model. Quantiles are those of the totals. */
bool rd_observed_make(struct rd_observed *o, const struct rd_model *m, int n_quantiles,
                      struct rd_error *e);
void rd_observed_free(struct rd_observed *o);

/* Computes values and statistics from totals [run][species], and those of values [run][named
   value] and of individuals by values of attributes, [run][value of any entry] or NULL. Runs with
   out[run] != 0 are excluded; out may be NULL. */
bool rd_observed_take(struct rd_observed *o, const struct rd_model *m, const int64_t *totals,
                      const double *values, const int64_t *by, const uint8_t *out,
                      struct rd_error *e);

#endif
