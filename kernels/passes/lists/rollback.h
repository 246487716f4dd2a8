/* rollback - runs of an ensemble that share lists fault alone: before anything is written to a list
   it is known who would have no room, and in runs that faulted the events of the step happen to
   nobody. So a list is always whole, and nobody notices but the run. */
#ifndef RD_PASSES_LISTS_ROLLBACK_H
#define RD_PASSES_LISTS_ROLLBACK_H

#include "kernels/passes/lists/expand.h"

/* What the events of a touched voxel come to for a list. */
RD_FN struct rd_portion rd_voxel_sum(const struct rd_world *w, const struct rd_list *l,
                                     int64_t voxel)
{
    const int64_t c = l->voxels + voxel;
    struct rd_portion sum;
    sum.first = 0;
    sum.net = w->count[l->species * w->n_voxels + voxel] - (w->first[c + 1] - w->first[c]);
    sum.births = w->births[c];
    sum.named = w->named[c];
    return sum;
}

/* One voxel of those that were touched is added to its run. */
RD_FN void rd_count_in(const struct rd_world *w, int64_t voxel)
{
    for (int64_t i = 0; i < w->n_list; i++) {
        const struct rd_portion sum = rd_voxel_sum(w, &w->list[i], voxel);
        struct rd_portion *const run = &w->of_run[i * w->n_runs + voxel / w->n_sites];
        if (sum.net != 0)
            rd_add_i32(&run->net, sum.net);
        if (sum.named > 0)
            rd_add_i32(&run->named, sum.named);
    }
}

/* How many of a list will live in a run in which that happens. */
RD_FN int64_t rd_living_then(const struct rd_world *w, const struct rd_list *l, int64_t run,
                             const struct rd_portion *sum)
{
    const int32_t *const first = w->first + l->voxels + run * w->n_sites;
    return (int64_t)first[w->n_sites] - first[0] + sum->net;
}

/* One run, unless it faulted already: whether there is room, and are ids, for all of it. */
RD_FN void rd_judge(const struct rd_world *w, int64_t run)
{
    int64_t next_id = w->id_base[w->n_list * w->n_runs + run];
    if (rd_is_recalled(w, run))
        return;
    for (int32_t i = 0; i < (int32_t)w->n_list; i++) {
        const struct rd_portion *const sum = &w->of_run[i * w->n_runs + run];
        rd_check_living(w, run, i, rd_living_then(w, &w->list[i], run, sum));
        next_id += sum->named;
    }
    rd_check_names(w, run, next_id);
}

/* One run; then its sums are for the next step. */
RD_FN void rd_count_run(const struct rd_world *w, int64_t run)
{
    rd_judge(w, run);
    for (int64_t i = 0; i < w->n_list; i++)
        w->of_run[i * w->n_runs + run].net = w->of_run[i * w->n_runs + run].named = 0;
}

/* In how many voxels it may be that nobody does, since there was a fault: none, or all. */
RD_FN int64_t rd_n_rolled_back(const struct rd_world *w)
{
    int64_t n = 0;
    for (int kind = 0; kind < RD_N_FAULTS; kind++)
        n += w->fault[kind].number;
    return n > 0 ? rd_if_touched(w, w->n_maintained) : 0;
}

/* One voxel: nobody dies or is born in it, if its run faulted. */
RD_FN void rd_roll_back(const struct rd_world *w, int64_t voxel)
{
    if (!w->touched[voxel] || !rd_is_recalled(w, voxel / w->n_sites))
        return;
    for (int64_t i = 0; i < w->n_list; i++) {
        const struct rd_list *const l = &w->list[i];
        const int64_t c = l->voxels + voxel;
        for (int64_t k = w->first[c]; k < w->first[c + 1]; k++)
            w->offset[l->base + k] = 0;
        w->births[c] = w->named[c] = 0;
        w->count[l->species * w->n_voxels + voxel] = w->first[c + 1] - w->first[c];
    }
}

#endif
