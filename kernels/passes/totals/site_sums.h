/* site_sums - sums of one species at one site over some of the runs. Statistics of voxels are
   computed from them, so that counts need not be copied to the host. */
#ifndef RD_PASSES_TOTALS_SITE_SUMS_H
#define RD_PASSES_TOTALS_SITE_SUMS_H

#include "kernels/core/lattice.h"

/* Computes item i of [RD_SURVEY_RUNS runs][species][site]. It omits runs that faulted. */
RD_FN void rd_site_sums(const struct rd_world *w, int64_t i)
{
    const int64_t row = i / w->n_sites, species = row % w->n_species;
    const int64_t begin = row / w->n_species * RD_SURVEY_RUNS;
    const int64_t end = begin + RD_SURVEY_RUNS < w->n_runs ? begin + RD_SURVEY_RUNS : w->n_runs;
    const int32_t *const count = w->count + species * w->n_voxels + i % w->n_sites;
    struct rd_surveyed s = {0, {0, 0}, INT32_MAX, INT32_MIN};
    for (int64_t run = begin; run < end; run++) {
        if (w->n_frozen > 0 && w->frozen[run] == RD_FROZEN_FAULTED)
            continue;
        const int32_t n = count[run * w->n_sites];
        const uint64_t square = (uint64_t)n * (uint64_t)n;
        s.sum += n;
        s.square[0] += square;
        s.square[1] += s.square[0] < square;
        s.least = n < s.least ? n : s.least;
        s.most = n > s.most ? n : s.most;
    }
    w->surveyed[i] = s;
}

#endif
