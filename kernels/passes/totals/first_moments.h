/* first_moments - the mean position of the molecules of a species, in each run. The sums are
   integers of 128 bits, so that their order does not matter and none can overflow: at most 2^36
   voxels of 2^31 molecules at places below 2^31 give 2^98. */
#ifndef RD_PASSES_TOTALS_FIRST_MOMENTS_H
#define RD_PASSES_TOTALS_FIRST_MOMENTS_H

#include "kernels/core/lattice.h"

/* Voxels in a portion of a run, so that few threads add to the same sums. */
enum { RD_GATHERED = 64 };

RD_FN int64_t rd_n_portions_gathered(const struct rd_world *w)
{
    return (w->n_sites + RD_GATHERED - 1) / RD_GATHERED;
}

/* Adds v to a sum of one thread. */
RD_FN void rd_gather_in(struct rd_wide *sum, uint64_t v)
{
    sum->low += v;
    sum->high += sum->low < v;
}

/* Adds up the molecules of each followed species in the portion of voxels, and the numbers of their
   voxels along each axis. Those of one voxel are below 2^62. */
RD_FN void rd_gather(const struct rd_world *w, int64_t item)
{
    const int64_t portions = rd_n_portions_gathered(w), run = item / portions;
    const int64_t begin = item % portions * RD_GATHERED;
    const int64_t end = begin + RD_GATHERED < w->n_sites ? begin + RD_GATHERED : w->n_sites;
    for (int64_t k = 0; k < w->n_followed; k++) {
        struct rd_wide sum[4] = {{0, 0}, {0, 0}, {0, 0}, {0, 0}};
        for (int64_t site = begin; site < end; site++) {
            const int64_t voxel = run * w->n_sites + site;
            const int64_t n = w->count[w->followed[k] * w->n_voxels + voxel];
            if (n == 0)
                continue;
            const struct rd_place p = rd_place_of(w, voxel);
            rd_gather_in(&sum[0], (uint64_t)n);
            for (int axis = 0; axis < 3; axis++)
                rd_gather_in(&sum[axis + 1], (uint64_t)(n * p.at[axis]));
        }
        for (int i = 0; i < 4 && sum[0].low > 0; i++)
            rd_add_wide(&w->first_moments[(run * w->n_followed + k) * 4 + i], sum[i]);
    }
}

/* Computes the mean positions in a run; without molecules it is the middle of the lattice. Resets
   the sums to 0. */
RD_FN void rd_average(const struct rd_world *w, int64_t run)
{
    for (int64_t k = 0; k < w->n_followed; k++) {
        struct rd_wide *const sum = &w->first_moments[(run * w->n_followed + k) * 4];
        const double n = rd_wide_value(sum[0]);
        double *const mean = &w->mean[(run * w->n_species + w->followed[k]) * 3];
        for (int axis = 0; axis < 3; axis++) {
            const double number =
                n > 0.0 ? rd_wide_value(sum[axis + 1]) / n : 0.5 * (double)(w->size[axis] - 1);
            mean[axis] = w->origin[axis] + (number + 0.5) * w->edge[axis];
        }
        memset(sum, 0, 4 * sizeof *sum);
    }
}

#endif
