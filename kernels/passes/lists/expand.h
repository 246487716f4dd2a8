/* expand - stream expansion: from the births of each voxel to the new place of every individual.
   The scans come between the passes: capacity over the voxels, ranks over the voxels, offsets over
   the entries (src/sim/step.c). */
#ifndef RD_PASSES_LISTS_EXPAND_H
#define RD_PASSES_LISTS_EXPAND_H

#include "kernels/core/lattice.h"

/* Returns the number of entries of the list that were alive when the update began. The next
   functions also return numbers of items of a pass: entries after the update and the end behind
   them, newborn, and new lineage entries of all lists. */
RD_FN int64_t rd_n_listed(const struct rd_lists *lists)
{
    return lists->n_list > 0 ? lists->live[lists->at_list] : 0;
}

RD_FN int64_t rd_n_indexed(const struct rd_lists *lists)
{
    return lists->n_list > 0 ? lists->coming[lists->at_list] + 1 : 0;
}

/* Returns n, or 0 if the current step has no events of individuals. */
RD_FN int64_t rd_if_touched(const struct rd_lists *lists, int64_t n)
{
    return lists->n_list > 0 && lists->need->touched > 0 ? n : 0;
}

/* Returns whether the run faulted in this step or earlier, so that its individuals do not
   change. */
RD_FN bool rd_is_rolled_back(const struct rd_world *w, int64_t run)
{
    return w->runs.faults_are_separate &&
           rd_seen_i64(&w->runs.run_fault[run].since) <= w->pass.step_clock->pass;
}

RD_FN int64_t rd_n_newborn(const struct rd_lists *lists)
{
    return lists->n_list > 0 ? lists->need->n_newborn : 0;
}

RD_FN int64_t rd_n_notes(const struct rd_lists *lists)
{
    return lists->n_list > 0 ? lists->need->n_notes - lists->need->n_reported : 0;
}

/* Returns the number of portions of the voxels of a list. */
RD_FN int64_t rd_n_portions(const struct rd_lattice *lattice, const struct rd_list *l)
{
    return (lattice->n_voxels + l->portion - 1) / l->portion;
}

/* Shifts the first individual of an occupied voxel by the births in its own voxel and in the empty
   voxels before it. The segmented scan comes first. */
RD_FN void rd_expand(const struct rd_world *w, int64_t voxel)
{
    const struct rd_list *const l = &w->lists.now;
    const int64_t c = l->voxels + voxel, i = w->lists.first[c];
    if (w->lists.capacity[c] > 0 && i < w->lists.first[c + 1])
        w->lists.offset[l->base + i] += w->lists.capacity[c];
}

/* Returns the number of deaths in the list before entry i, after the scans: the births up to the
   previous entry less its offset. */
RD_FN int64_t rd_dead_before(const struct rd_lists *lists, const struct rd_list *l, int64_t i)
{
    if (i == 0)
        return 0;
    const int64_t before = l->base + i - 1;
    return lists->births[l->voxels + lists->key[before] + 1] - lists->offset[before];
}

/* Returns the first entry of the voxel after the update. */
RD_FN int64_t rd_begin_then(const struct rd_lists *lists, const struct rd_list *l, int64_t voxel)
{
    const int64_t c = l->voxels + voxel, i = lists->first[c];
    return lists->births[c] + i - rd_dead_before(lists, l, i);
}

/* Returns the number of slots of the pool that the newborn of the list take. */
RD_FN int64_t rd_take_of_pool(const struct rd_world *w, const struct rd_list *l, int64_t live)
{
    const int64_t born = w->lists.births[l->voxels + w->lattice.n_voxels], pool = l->most - live;
    return born < pool ? born : pool;
}

/* Records a fault if more than the maximum of a list would live in the run. */
RD_FN void rd_check_living(const struct rd_world *w, int64_t run, int32_t list, int64_t live)
{
    if (live > w->lists.list[list].max)
        rd_fault_at(w, RD_FAULT_FULL, run * w->lattice.n_sites, list);
}

/* Records a fault if there are too few ids before the next one of the run. */
RD_FN void rd_check_names(const struct rd_world *w, int64_t run, int64_t next_id)
{
    if (next_id > RD_ID_END)
        rd_fault_at(w, RD_FAULT_NAMES, run * w->lattice.n_sites, 0);
}

/* Checks whether all of a run fits, before anything is written, and sets the ids of its newborn. */
RD_FN void rd_check_maximum(const struct rd_world *w, int64_t run)
{
    const int64_t begin = run * w->lattice.n_sites, end = begin + w->lattice.n_sites;
    int64_t *const next_id = &w->lists.id_base[w->lists.n_list * w->lattice.n_runs + run];
    int64_t rank_base = 0;
    for (int32_t i = 0; i < (int32_t)w->lists.n_list; i++) {
        const struct rd_list *const l = &w->lists.list[i];
        rd_check_living(w, run, i,
                        rd_begin_then(&w->lists, l, end) - rd_begin_then(&w->lists, l, begin));
        const int32_t *const named = w->lists.named + l->voxels;
        w->lists.id_base[i * w->lattice.n_runs + run] = *next_id - named[begin];
        *next_id += named[end] - named[begin];
        if (run < w->lattice.n_runs - 1)
            continue;
        w->lists.coming[i] = rd_begin_then(&w->lists, l, w->lattice.n_voxels);
        w->lists.taken[i] = rd_take_of_pool(w, l, w->lists.live[i]);
        w->lists.rank_base[i] = rank_base;
        rank_base += w->lists.births[l->voxels + w->lattice.n_voxels];
    }
    rd_check_names(w, run, *next_id);
}

/* Returns the rank of a newborn among all newborn of its list. */
RD_FN int64_t rd_rank_of(const struct rd_lists *lists, const struct rd_newborn *b)
{
    return lists->births[lists->list[b->list].voxels + b->voxel] + b->place;
}

/* Returns whether it has a place: it is alive at the end, and its run did not fault. */
RD_FN bool rd_has_place(const struct rd_world *w, const struct rd_newborn *b)
{
    return b->place >= 0 && !rd_is_rolled_back(w, b->voxel / w->lattice.n_sites);
}

/* Sets the entry of a newborn of any list: before the older individuals of its voxel. */
RD_FN void rd_place_births(const struct rd_world *w, int64_t number)
{
    const struct rd_newborn *const b = &w->lists.newborn[number];
    if (!rd_has_place(w, b))
        return;
    const struct rd_list *const l = &w->lists.list[b->list];
    w->lists.standing[w->lists.rank_base[b->list] + rd_rank_of(&w->lists, b)] =
        (int32_t)(rd_begin_then(&w->lists, l, b->voxel) + b->place);
}

#endif
