/* ensemble - the statistics over runs of one snapshot: of totals, and of each voxel's counts. */
#ifndef RD_RESULT_STATISTICS_ENSEMBLE_H
#define RD_RESULT_STATISTICS_ENSEMBLE_H

#include "result/statistics/histogram.h"
#include "result/statistics/statistics.h"

/* Statistics over runs of the totals in each of n_places places. Arrays are owned, and NULL if not
   requested. */
struct rd_totals_of {
    int64_t n_places;
    double *mean, *variance; /* [place][species] */
    int64_t *min, *max;
    double *covariance; /* [place][paired species][paired species] */
    int64_t *quantile;  /* [place][species][quantile] */
};

/* Holds the statistics; a zero-initialised struct is empty. Arrays are owned, and NULL if not
   requested. */
struct rd_ensemble {
    int64_t n_runs, n_species, n_sites, n_regions;
    int64_t n_in; /* runs in the current snapshot */
    /* species with statistics of voxels, and with covariances, rising; not owned */
    const int32_t *surveyed, *paired;
    int n_surveyed, n_paired;
    const double *quantile; /* fractions of the runs; not owned */
    int n_quantiles;
    struct rd_totals_of all, region;     /* all voxels are one place, and each region is one */
    double *voxel_mean, *voxel_variance; /* [surveyed species][site] */
    int32_t *voxel_min, *voxel_max;
    /* sums: of one place, of its paired species, and of a block of voxels */
    struct rd_statistics totals, pairs, voxels;
    int64_t *pair;                  /* [paired species]: totals of one run */
    struct rd_histogram *histogram; /* [species]: of one place */
};

/* Allocates statistics with the sizes, species and quantiles of `of`. */
bool rd_ensemble_make(struct rd_ensemble *m, const struct rd_ensemble *of, struct rd_error *e);
void rd_ensemble_free(struct rd_ensemble *m);

/* Computes the statistics from totals [run][species] and those in regions, [run][region][species].
   Statistics of voxels come from sums over runs [surveyed species][site], or, if
   sums is NULL, from counts [run][species][site]; without both they stay as they are. Runs with
   out[run] != 0 are excluded; out may be NULL. Returns false if memory runs out. */
bool rd_ensemble_take(struct rd_ensemble *m, const int64_t *totals, const int64_t *region_totals,
                      const int32_t *counts, const struct rd_sum *sums, const uint8_t *out,
                      struct rd_error *e);

#endif
