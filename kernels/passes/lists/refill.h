/* refill - pool refill: assigns slots to the newborn and writes their data; then restores the order
   of the pool in both buffers. */
#ifndef RD_PASSES_LISTS_REFILL_H
#define RD_PASSES_LISTS_REFILL_H

#include "kernels/passes/lists/reduce.h"

/* Returns the id for a rank among the births of a voxel into the list, or the id itself if list <
   0. */
RD_FN int64_t rd_id_of(const struct rd_world *w, int32_t list, int64_t voxel, int64_t id)
{
    if (list < 0)
        return id;
    return w->id_base[list * w->n_runs + voxel / w->n_sites] +
           w->named[w->list[list].voxels + voxel] + id;
}

/* Writes the data of newborn number `number` to the entry (of all lists) and to the slot. */
RD_FN void rd_settle_newborn(const struct rd_world *w, int64_t number, int64_t entry, uint32_t slot)
{
    const struct rd_newborn *const b = &w->newborn[number];
    const struct rd_list *const l = &w->list[b->list];
    w->key_next[entry] = b->voxel;
    w->slot_next[entry] = slot;
    w->id[l->base + slot] = rd_id_of(w, b->id_of, b->voxel, b->id);
    w->parent[l->base + slot] = rd_id_of(w, b->parent_of, b->voxel, b->parent);
    w->born[l->base + slot] = b->born;
    for (int32_t a = 0; a < l->n_traits; a++)
        w->trait[l->trait + a * l->most + slot] = w->newborn_trait[number * w->most_traits + a];
}

/* Assigns a slot to one newborn of any list. */
RD_FN void rd_refill(const struct rd_world *w, int64_t number)
{
    const struct rd_newborn *const b = &w->newborn[number];
    if (!rd_has_place(w, b))
        return;
    const struct rd_list *const l = &w->list[b->list];
    const int64_t rank = rd_rank_of(w, b);
    const int64_t to = l->base + w->standing[w->rank_base[b->list] + rank];
    const uint32_t slot =
        rank < w->taken[b->list] ? w->slot[l->base + w->live[b->list] + rank] : w->slot_next[to];
    rd_settle_newborn(w, number, to, slot);
}

/* Sets the ids of one lineage entry; if its run faulted, the entry is void. */
RD_FN void rd_finish_lineage(const struct rd_world *w, int64_t i)
{
    struct rd_note *const note = &w->note[w->need->n_reported + i];
    if (rd_is_rolled_back(w, note->voxel / w->n_sites)) {
        note->list = -1;
        return;
    }
    note->id = rd_id_of(w, note->id_of, note->voxel, note->id);
    note->parent = rd_id_of(w, note->parent_of, note->voxel, note->parent);
    note->id_of = note->parent_of = -1;
}

/* Returns the number of entries between the living and the unused rest of the pool. */
RD_FN int64_t rd_n_returned(const struct rd_world *w)
{
    return w->n_list > 0 ? w->live[w->at_list] + w->taken[w->at_list] - w->coming[w->at_list] : 0;
}

/* Marks one of these entries as inactive, in both buffers. */
RD_FN void rd_return_slots(const struct rd_world *w, int64_t k)
{
    const int64_t i = w->now.base + w->coming[w->at_list] + k;
    w->key[i] = w->key_next[i] = RD_KEY_NONE;
    w->slot[i] = w->slot_next[i];
}

#endif
