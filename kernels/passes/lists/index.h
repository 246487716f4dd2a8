/* index - where the individuals of each voxel begin in the list as it will be; and then it is. */
#ifndef RD_PASSES_LISTS_INDEX_H
#define RD_PASSES_LISTS_INDEX_H

#include "kernels/passes/lists/expand.h"

/* One voxel, or the one behind the last, after births and deaths: from where it began before. */
RD_FN void rd_reindex(const struct rd_world *w, int64_t voxel)
{
    w->first[w->now.voxels + voxel] = (int32_t)rd_begin_then(w, &w->now, voxel);
}

/* One entry, or the end, after a sort: the voxels after that of the entry before, up to its own,
   begin here. */
RD_FN void rd_index(const struct rd_world *w, int64_t i)
{
    const struct rd_list *const l = &w->now;
    const uint32_t *const key = w->key_next + l->base;
    const int64_t from = i == 0 ? 0 : (int64_t)key[i - 1] + 1;
    const int64_t to = i == w->coming[w->at_list] ? w->n_voxels : (int64_t)key[i];
    for (int64_t c = from; c <= to; c++)
        w->first[l->voxels + c] = (int32_t)i;
}

/* One list: the stages are over. */
RD_FN void rd_commit_lists(const struct rd_world *w, int64_t list)
{
    w->live[list] = w->coming[list];
    w->taken[list] = 0;
    if (list == 0)
        w->need->n_reported = w->need->n_notes;
}

/* One voxel: counts are taken from the lists. */
RD_FN void rd_tally(const struct rd_world *w, int64_t voxel)
{
    for (int64_t i = 0; i < w->n_list; i++) {
        const struct rd_list *const l = &w->list[i];
        const int64_t c = l->voxels + voxel;
        w->count[l->species * w->n_voxels + voxel] = w->first[c + 1] - w->first[c];
    }
}

#endif
