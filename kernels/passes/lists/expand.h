/* expand - from the births of each voxel to where everybody will stand. The scans come between:
   room over the voxels, ranks over the voxels, offsets over the entries (step.c). */
#ifndef RD_PASSES_LISTS_EXPAND_H
#define RD_PASSES_LISTS_EXPAND_H

#include "kernels/core/lattice.h"

/* How many things a pass is for: entries of the list that were alive when the stages began, entries
   that will be and the end behind them, newborn and new lines of the lineage of all lists. */
RD_FN int64_t rd_n_listed(const struct rd_world *w)
{
    return w->n_list > 0 ? w->live[w->at_list] : 0;
}

RD_FN int64_t rd_n_indexed(const struct rd_world *w)
{
    return w->n_list > 0 ? w->coming[w->at_list] + 1 : 0;
}

/* All of n, or none where nothing happens to individuals in the step at hand. */
RD_FN int64_t rd_if_touched(const struct rd_world *w, int64_t n)
{
    return w->n_list > 0 && w->need->touched > 0 ? n : 0;
}

/* Whether the run faulted in this step, or before, so that nothing happens to its individuals. */
RD_FN bool rd_is_recalled(const struct rd_world *w, int64_t run)
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

/* How many portions the voxels of a list are in. */
RD_FN int64_t rd_n_portions(const struct rd_world *w, const struct rd_list *l)
{
    return (w->n_voxels + l->portion - 1) / l->portion;
}

/* One voxel, after the segmented scan: the first individual of an occupied voxel moves on by the
   births of its own voxel and of the empty ones before it. */
RD_FN void rd_expand(const struct rd_world *w, int64_t voxel)
{
    const struct rd_list *const l = &w->now;
    const int64_t c = l->voxels + voxel, i = w->first[c];
    if (w->capacity[c] > 0 && i < w->first[c + 1])
        w->offset[l->base + i] += w->capacity[c];
}

/* How many of the list die who stand before entry i, after the scans: the room up to the one before
   less its offset. */
RD_FN int64_t rd_dead_before(const struct rd_world *w, const struct rd_list *l, int64_t i)
{
    if (i == 0)
        return 0;
    const int64_t before = l->base + i - 1;
    return w->births[l->voxels + w->key[before] + 1] - w->offset[before];
}

/* Where entries of the voxel begin once all has happened. */
RD_FN int64_t rd_begin_then(const struct rd_world *w, const struct rd_list *l, int64_t voxel)
{
    const int64_t c = l->voxels + voxel, i = w->first[c];
    return w->births[c] + i - rd_dead_before(w, l, i);
}

/* How many slots of the pool the newborn of the list take. */
RD_FN int64_t rd_take_of_pool(const struct rd_world *w, const struct rd_list *l, int64_t live)
{
    const int64_t born = w->births[l->voxels + w->n_voxels], pool = l->most - live;
    return born < pool ? born : pool;
}

/* Whether so many of a list may live in the run. */
RD_FN void rd_check_living(const struct rd_world *w, int64_t run, int32_t list, int64_t live)
{
    if (live > w->list[list].max)
        rd_fault_at(w, RD_FAULT_FULL, run * w->n_sites, list);
}

/* Whether there are ids before the run's next one. */
RD_FN void rd_check_names(const struct rd_world *w, int64_t run, int64_t next_id)
{
    if (next_id > RD_ID_END)
        rd_fault_at(w, RD_FAULT_NAMES, run * w->n_sites, 0);
}

/* One run: whether all of it fits, before anything is written, and the ids of its newborn. */
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

RD_FN int64_t rd_rank_of(const struct rd_world *w, const struct rd_newborn *b)
{
    return w->births[w->list[b->list].voxels + b->voxel] + b->place;
}

/* Whether it has a place: it is alive in the end, and was not recalled. */
RD_FN bool rd_has_place(const struct rd_world *w, const struct rd_newborn *b)
{
    return b->place >= 0 && !rd_is_recalled(w, b->voxel / w->n_sites);
}

/* One newborn of any list: it stands before those of its voxel who were there. */
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
