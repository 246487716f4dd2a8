/* expand - stream expansion: from the births of each voxel to the new place of every individual.
   The scans come between the passes: capacity over the voxels, ranks over the voxels, offsets over
   the entries (src/sim/step.c). */
#ifndef RD_PASSES_LISTS_EXPAND_H
#define RD_PASSES_LISTS_EXPAND_H

#include "kernels/core/lattice.h"

/* Returns the number of entries of the list that were alive when the update began. The next
   functions also return numbers of items of a pass: entries after the update and the end behind
   them, newborn, and new lineage entries of all lists. */
RD_FN int64_t rd_n_listed(const struct rd_world *w)
{
    return w->n_list > 0 ? w->live[w->at_list] : 0;
}

RD_FN int64_t rd_n_indexed(const struct rd_world *w)
{
    return w->n_list > 0 ? w->coming[w->at_list] + 1 : 0;
}

/* Returns n, or 0 if the current step has no events of individuals. */
RD_FN int64_t rd_if_touched(const struct rd_world *w, int64_t n)
{
    return w->n_list > 0 && w->need->touched > 0 ? n : 0;
}

/* Returns whether the run faulted in this step or earlier, so that its individuals do not
   change. */
RD_FN bool rd_is_rolled_back(const struct rd_world *w, int64_t run)
{
    return w->faults_alone && rd_seen_i64(&w->run_fault[run].since) <= w->step_clock->pass;
}

RD_FN int64_t rd_n_newborn(const struct rd_world *w)
{
    return w->n_list > 0 ? w->need->n_newborn : 0;
}

RD_FN int64_t rd_n_notes(const struct rd_world *w)
{
    return w->n_list > 0 ? w->need->n_notes - w->need->n_reported : 0;
}

/* Returns the number of portions of the voxels of a list. */
RD_FN int64_t rd_n_portions(const struct rd_world *w, const struct rd_list *l)
{
    return (w->n_voxels + l->portion - 1) / l->portion;
}

/* Shifts the first individual of an occupied voxel by the births in its own voxel and in the empty
   voxels before it. The segmented scan comes first. */
RD_FN void rd_expand(const struct rd_world *w, int64_t voxel)
{
    const struct rd_list *const l = &w->now;
    const int64_t c = l->voxels + voxel, i = w->first[c];
    if (w->capacity[c] > 0 && i < w->first[c + 1])
        w->offset[l->base + i] += w->capacity[c];
}

/* Returns the number of deaths in the list before entry i, after the scans: the births up to the
   previous entry less its offset. */
RD_FN int64_t rd_dead_before(const struct rd_world *w, const struct rd_list *l, int64_t i)
{
    if (i == 0)
        return 0;
    const int64_t before = l->base + i - 1;
    return w->births[l->voxels + w->key[before] + 1] - w->offset[before];
}

/* Returns the first entry of the voxel after the update. */
RD_FN int64_t rd_begin_then(const struct rd_world *w, const struct rd_list *l, int64_t voxel)
{
    const int64_t c = l->voxels + voxel, i = w->first[c];
    return w->births[c] + i - rd_dead_before(w, l, i);
}

/* Returns the number of slots of the pool that the newborn of the list take. */
RD_FN int64_t rd_take_of_pool(const struct rd_world *w, const struct rd_list *l, int64_t live)
{
    const int64_t born = w->births[l->voxels + w->n_voxels], pool = l->most - live;
    return born < pool ? born : pool;
}

/* Records a fault if more than the maximum of a list would live in the run. */
RD_FN void rd_check_living(const struct rd_world *w, int64_t run, int32_t list, int64_t live)
{
    if (live > w->list[list].max)
        rd_fault_at(w, RD_FAULT_FULL, run * w->n_sites, list);
}

/* Records a fault if there are too few ids before the next one of the run. */
RD_FN void rd_check_names(const struct rd_world *w, int64_t run, int64_t next_id)
{
    if (next_id > RD_ID_END)
        rd_fault_at(w, RD_FAULT_NAMES, run * w->n_sites, 0);
}

/* Checks whether all of a run fits, before anything is written, and sets the ids of its newborn. */
RD_FN void rd_fit(const struct rd_world *w, int64_t run)
{
    const int64_t begin = run * w->n_sites, end = begin + w->n_sites;
    int64_t *const next_id = &w->id_base[w->n_list * w->n_runs + run];
    int64_t rank_base = 0;
    for (int32_t i = 0; i < (int32_t)w->n_list; i++) {
        const struct rd_list *const l = &w->list[i];
        rd_check_living(w, run, i, rd_begin_then(w, l, end) - rd_begin_then(w, l, begin));
        const int32_t *const named = w->named + l->voxels;
        w->id_base[i * w->n_runs + run] = *next_id - named[begin];
        *next_id += named[end] - named[begin];
        if (run < w->n_runs - 1)
            continue;
        w->coming[i] = rd_begin_then(w, l, w->n_voxels);
        w->taken[i] = rd_take_of_pool(w, l, w->live[i]);
        w->rank_base[i] = rank_base;
        rank_base += w->births[l->voxels + w->n_voxels];
    }
    rd_check_names(w, run, *next_id);
}

/* Returns the rank of a newborn among all newborn of its list. */
RD_FN int64_t rd_rank_of(const struct rd_world *w, const struct rd_newborn *b)
{
    return w->births[w->list[b->list].voxels + b->voxel] + b->place;
}

/* Returns whether it has a place: it is alive at the end, and its run did not fault. */
RD_FN bool rd_has_place(const struct rd_world *w, const struct rd_newborn *b)
{
    return b->place >= 0 && !rd_is_rolled_back(w, b->voxel / w->n_sites);
}

/* Sets the entry of a newborn of any list: before the older individuals of its voxel. */
RD_FN void rd_place_births(const struct rd_world *w, int64_t number)
{
    const struct rd_newborn *const b = &w->newborn[number];
    if (!rd_has_place(w, b))
        return;
    const struct rd_list *const l = &w->list[b->list];
    w->standing[w->rank_base[b->list] + rd_rank_of(w, b)] =
        (int32_t)(rd_begin_then(w, l, b->voxel) + b->place);
}

#endif
