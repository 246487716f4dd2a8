/* reduce - stream reduction: moves one entry of a list to its new place. The living close gaps and
   make room. The dead go to the pool, or leave their slots to newborn for which the pool was too
   small. */
#ifndef RD_PASSES_LISTS_REDUCE_H
#define RD_PASSES_LISTS_REDUCE_H

#include "kernels/passes/lists/expand.h"

/* Returns the entry of number d of the dead: the first ones serve the newborn of ranks from `taken`
   on. */
RD_FN int64_t rd_entry_of_dead(const struct rd_world *w, const struct rd_list *l, int64_t d)
{
    const int64_t taken = w->taken[w->at_list];
    const int64_t served = w->births[l->voxels + w->n_voxels] - taken;
    return d < served ? w->standing[w->rank_base[w->at_list] + taken + d]
                      : w->coming[w->at_list] + d - served;
}

/* Moves entry i of the list to its place in the second buffer. */
RD_FN void rd_reduce(const struct rd_world *w, int64_t i)
{
    const struct rd_list *const l = &w->now;
    const int64_t from = l->base + i;
    const int64_t n_before =
        w->births[l->voxels + w->key[from] + 1]; /* up to and including this entry */
    const int64_t dead_before = rd_dead_before(w, l, i);
    const bool is_dead = n_before - dead_before > w->offset[from];
    const int64_t to =
        l->base + (is_dead ? rd_entry_of_dead(w, l, dead_before) : i + w->offset[from]);
    w->key_next[to] = is_dead ? RD_KEY_NONE : w->key[from];
    w->slot_next[to] = w->slot[from];
}

/* Returns the number of entries to copy: all of them, if nothing happens to the list or nothing may
   happen any more; else 0. */
RD_FN int64_t rd_n_copied(const struct rd_world *w)
{
    const bool is_changed = rd_if_touched(w, 1) > 0 && !rd_is_halted(w);
    return is_changed ? 0 : rd_n_listed(w);
}

/* Copies entry i of the list to the second buffer without a change. */
RD_FN void rd_copy_list(const struct rd_world *w, int64_t i)
{
    w->key_next[w->now.base + i] = w->key[w->now.base + i];
    w->slot_next[w->now.base + i] = w->slot[w->now.base + i];
}

#endif
