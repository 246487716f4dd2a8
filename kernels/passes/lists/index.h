/* index - the first entry of each voxel in the updated list, and the end of the update. */
#ifndef RD_PASSES_LISTS_INDEX_H
#define RD_PASSES_LISTS_INDEX_H

#include "kernels/passes/lists/expand.h"

/* Sets the first entry of a voxel, or of the end behind the last one, after births and deaths; it
   follows from the previous one. */
RD_FN void rd_reindex(const struct rd_world *w, int64_t voxel)
{
    w->first[w->now.voxels + voxel] = (int32_t)rd_begin_then(w, &w->now, voxel);
}

/* Sets the first entry of voxels after a sort, for one entry or the end: the voxels after that of
   the previous entry, up to its own, begin here. */
RD_FN void rd_index(const struct rd_world *w, int64_t i)
{
    const struct rd_list *const l = &w->now;
    const uint32_t *const key = w->key_next + l->base;
    const int64_t from = i == 0 ? 0 : (int64_t)key[i - 1] + 1;
    const int64_t to = i == w->coming[w->at_list] ? w->n_voxels : (int64_t)key[i];
    for (int64_t c = from; c <= to; c++)
        w->first[l->voxels + c] = (int32_t)i;
}

/* Ends the update of one list. */
RD_FN void rd_commit_lists(const struct rd_world *w, int64_t list)
{
    w->live[list] = w->coming[list];
    w->taken[list] = 0;
    if (list == 0)
        w->need->n_reported = w->need->n_notes;
}

/* Sets the counts of a voxel from the lists. */
RD_FN void rd_tally(const struct rd_world *w, int64_t voxel)
{
    for (int64_t i = 0; i < w->n_list; i++) {
        const struct rd_list *const l = &w->list[i];
        const int64_t c = l->voxels + voxel;
        w->count[l->species * w->n_voxels + voxel] = w->first[c + 1] - w->first[c];
    }
}

#endif
