/* ensemble - the statistics over runs of one snapshot: of totals, and of each voxel's counts. */
#ifndef RD_RESULT_STATISTICS_ENSEMBLE_H
#define RD_RESULT_STATISTICS_ENSEMBLE_H

#include "result/statistics/histogram.h"
#include "result/statistics/statistics.h"

/* The statistics; zero-initialised is empty. Arrays are owned, and NULL if not requested. */
struct rd_ensemble {
    int64_t n_runs, n_species, n_sites;
    int64_t n_in;           /* runs in the current snapshot */
    const double *quantile; /* fractions of the runs; not owned */
    int n_quantiles;
    double *total_mean, *total_variance; /* [species] */
    int64_t *total_min, *total_max;
    double *total_covariance;            /* [species][species] */
    int64_t *total_quantile;             /* [species][quantile] */
    double *voxel_mean, *voxel_variance; /* [species][site] */
    int32_t *voxel_min, *voxel_max;
    struct rd_statistics totals, voxels; /* of the current snapshot, and of a block of its voxels */
    struct rd_histogram *histogram;      /* [species]: of the current snapshot */
};

/* Allocates statistics with the sizes and quantiles of `of`. */
bool rd_ensemble_make(struct rd_ensemble *m, const struct rd_ensemble *of, bool has_pairs,
                      bool has_voxels, struct rd_error *e);
void rd_ensemble_free(struct rd_ensemble *m);

/* Computes the statistics from totals [run][species]. Statistics of voxels, if requested, come
   from sums over runs [species][site], or, if sums is NULL, from counts [run][species][site].
   Runs with out[run] != 0 are excluded; out may be NULL. Returns false if memory runs out. */
bool rd_ensemble_take(struct rd_ensemble *m, const int64_t *totals, const int32_t *counts,
                      const struct rd_sum *sums, const uint8_t *out, struct rd_error *e);

#endif
