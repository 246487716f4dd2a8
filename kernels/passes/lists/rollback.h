/* rollback - undoes the events of runs that faulted, if runs of an ensemble share lists and
   faults_are_separate is set. The room of each run is checked before anything is written to a list.
   In runs that faulted no individual is born or dies in the step. A list is therefore always
   consistent, and other runs are not affected. */
#ifndef RD_PASSES_LISTS_ROLLBACK_H
#define RD_PASSES_LISTS_ROLLBACK_H

#include "kernels/passes/lists/expand.h"

/* Returns the changes of a list by the events of a touched voxel. */
RD_FN struct rd_portion rd_voxel_sum(const struct rd_world *w, const struct rd_list *l,
                                     int64_t voxel)
{
    const int64_t c = l->voxels + voxel;
    struct rd_portion sum;
    sum.first = 0;
    sum.net = w->counts.count[l->column * w->lattice.n_voxels + voxel] -
              (w->lists.first[c + 1] - w->lists.first[c]);
    sum.births = w->lists.births[c];
    sum.named = w->lists.named[c];
    return sum;
}

/* Adds the changes of a touched voxel to its run. */
RD_FN void rd_count_in(const struct rd_world *w, int64_t voxel)
{
    for (int64_t i = 0; i < w->lists.n_list; i++) {
        const struct rd_portion sum = rd_voxel_sum(w, &w->lists.list[i], voxel);
        struct rd_portion *const run =
            &w->lists.of_run[i * w->lattice.n_runs + voxel / w->lattice.n_sites];
        if (sum.net != 0)
            rd_add_i32(&run->net, sum.net);
        if (sum.named > 0)
            rd_add_i32(&run->named, sum.named);
    }
}

/* Returns the number of individuals of a list in a run after these changes. */
RD_FN int64_t rd_living_then(const struct rd_world *w, const struct rd_list *l, int64_t run,
                             const struct rd_portion *sum)
{
    const int32_t *const first = w->lists.first + l->voxels + run * w->lattice.n_sites;
    return (int64_t)first[w->lattice.n_sites] - first[0] + sum->net;
}

/* Checks the room and the ids of one run, unless it already faulted. */
RD_FN void rd_judge(const struct rd_world *w, int64_t run)
{
    int64_t next_id = w->lists.id_base[w->lists.n_list * w->lattice.n_runs + run];
    if (rd_is_rolled_back(w, run))
        return;
    for (int32_t i = 0; i < (int32_t)w->lists.n_list; i++) {
        const struct rd_portion *const sum = &w->lists.of_run[i * w->lattice.n_runs + run];
        rd_check_living(w, run, i, rd_living_then(w, &w->lists.list[i], run, sum));
        next_id += sum->named;
    }
    rd_check_names(w, run, next_id);
}

/* Checks one run, then resets its sums for the next step. */
RD_FN void rd_count_run(const struct rd_world *w, int64_t run)
{
    rd_judge(w, run);
    for (int64_t i = 0; i < w->lists.n_list; i++)
        w->lists.of_run[i * w->lattice.n_runs + run].net =
            w->lists.of_run[i * w->lattice.n_runs + run].named = 0;
}

/* Returns the number of voxels that may need a rollback: all if there was a fault, else 0. */
RD_FN int64_t rd_n_rolled_back(const struct rd_world *w)
{
    int64_t n = 0;
    for (int kind = 0; kind < RD_N_FAULTS; kind++)
        n += w->runs.fault[kind].number;
    return n > 0 ? rd_if_touched(&w->lists, w->items.n_maintained) : 0;
}

/* Undoes births and deaths in a voxel if its run faulted. */
RD_FN void rd_roll_back(const struct rd_world *w, int64_t voxel)
{
    if (!w->lists.touched[voxel] || !rd_is_rolled_back(w, voxel / w->lattice.n_sites))
        return;
    for (int64_t i = 0; i < w->lists.n_list; i++) {
        const struct rd_list *const l = &w->lists.list[i];
        const int64_t c = l->voxels + voxel;
        for (int64_t k = w->lists.first[c]; k < w->lists.first[c + 1]; k++)
            w->lists.offset[l->base + k] = 0;
        w->lists.births[c] = w->lists.named[c] = 0;
        w->counts.count[l->column * w->lattice.n_voxels + voxel] =
            w->lists.first[c + 1] - w->lists.first[c];
    }
}

#endif
