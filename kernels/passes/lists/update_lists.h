/* update_lists - the stages of an update of a list after expand. Stream reduction moves the
   entries: the living close gaps and make room; the dead go to the pool, or leave their slots to
   newborn for which the pool was too small. Pool refill assigns slots to the newborn, writes their
   data, and restores the order of the pool in both buffers. At the end comes the first entry of
   each voxel. */
#ifndef RD_PASSES_LISTS_UPDATE_LISTS_H
#define RD_PASSES_LISTS_UPDATE_LISTS_H

#include "kernels/passes/lists/expand.h"

/* Returns the entry of number d of the dead: the first ones serve the newborn of ranks from `taken`
   on. */
RD_FN int64_t rd_entry_of_dead(const struct rd_world *w, const struct rd_list *l, int64_t d)
{
    const int64_t taken = w->lists.taken[w->lists.at_list];
    const int64_t served = w->lists.births[l->voxels + w->lattice.n_voxels] - taken;
    return d < served ? w->lists.standing[w->lists.rank_base[w->lists.at_list] + taken + d]
                      : w->lists.coming[w->lists.at_list] + d - served;
}

/* Moves entry i of the list to its place in the second buffer. */
RD_FN void rd_reduce(const struct rd_world *w, int64_t i)
{
    const struct rd_list *const l = &w->lists.now;
    const int64_t from = l->base + i;
    const int64_t n_before =
        w->lists.births[l->voxels + w->lists.key[from] + 1]; /* up to and including this entry */
    const int64_t dead_before = rd_dead_before(&w->lists, l, i);
    const bool is_dead = n_before - dead_before > w->lists.offset[from];
    const int64_t to =
        l->base + (is_dead ? rd_entry_of_dead(w, l, dead_before) : i + w->lists.offset[from]);
    w->lists.key_next[to] = is_dead ? RD_KEY_NONE : w->lists.key[from];
    w->lists.slot_next[to] = w->lists.slot[from];
}

/* Returns the number of entries to copy: all of them, if nothing happens to the list or nothing may
   happen any more; else 0. */
RD_FN int64_t rd_n_copied(const struct rd_world *w)
{
    const bool is_changed = rd_if_touched(&w->lists, 1) > 0 && !rd_is_halted(w);
    return is_changed ? 0 : rd_n_listed(&w->lists);
}

/* Copies entry i of the list to the second buffer without a change. */
RD_FN void rd_copy_list(const struct rd_world *w, int64_t i)
{
    w->lists.key_next[w->lists.now.base + i] = w->lists.key[w->lists.now.base + i];
    w->lists.slot_next[w->lists.now.base + i] = w->lists.slot[w->lists.now.base + i];
}

/* Returns the id for a rank among the births of a voxel into the list, or the id itself if list <
   0. */
RD_FN int64_t rd_id_of(const struct rd_world *w, int32_t list, int64_t voxel, int64_t id)
{
    if (list < 0)
        return id;
    return w->lists.id_base[list * w->lattice.n_runs + voxel / w->lattice.n_sites] +
           w->lists.named[w->lists.list[list].voxels + voxel] + id;
}

/* Writes the data of newborn number `number` to the entry (of all lists) and to the slot. */
RD_FN void rd_write_newborn(const struct rd_world *w, int64_t number, int64_t entry, uint32_t slot)
{
    const struct rd_newborn *const b = &w->lists.newborn[number];
    const struct rd_list *const l = &w->lists.list[b->list];
    w->lists.key_next[entry] = b->voxel;
    w->lists.slot_next[entry] = slot;
    w->lists.id[l->base + slot] = rd_id_of(w, b->id_of, b->voxel, b->id);
    w->lists.parent[l->base + slot] = rd_id_of(w, b->parent_of, b->voxel, b->parent);
    w->lists.born[l->base + slot] = b->born;
    for (int32_t a = 0; a < l->n_traits; a++)
        w->lists.trait[l->trait + a * l->most + slot] =
            w->lists.newborn_trait[number * w->lists.most_traits + a];
}

/* Assigns a slot to one newborn of any list. */
RD_FN void rd_refill(const struct rd_world *w, int64_t number)
{
    const struct rd_newborn *const b = &w->lists.newborn[number];
    if (!rd_has_place(w, b))
        return;
    const struct rd_list *const l = &w->lists.list[b->list];
    const int64_t rank = rd_rank_of(&w->lists, b);
    const int64_t to = l->base + w->lists.standing[w->lists.rank_base[b->list] + rank];
    const uint32_t slot = rank < w->lists.taken[b->list]
                              ? w->lists.slot[l->base + w->lists.live[b->list] + rank]
                              : w->lists.slot_next[to];
    rd_write_newborn(w, number, to, slot);
}

/* Sets the ids of one lineage entry; if its run faulted, the entry is void. */
RD_FN void rd_finish_lineage(const struct rd_world *w, int64_t i)
{
    struct rd_note *const note = &w->lists.note[w->lists.need->n_reported + i];
    if (rd_is_rolled_back(w, note->voxel / w->lattice.n_sites)) {
        note->list = -1;
        return;
    }
    note->id = rd_id_of(w, note->id_of, note->voxel, note->id);
    note->parent = rd_id_of(w, note->parent_of, note->voxel, note->parent);
    note->id_of = note->parent_of = -1;
}

/* Returns the number of entries between the living and the unused rest of the pool. */
RD_FN int64_t rd_n_returned(const struct rd_lists *lists)
{
    return lists->n_list > 0 ? lists->live[lists->at_list] + lists->taken[lists->at_list] -
                                   lists->coming[lists->at_list]
                             : 0;
}

/* Marks one of these entries as inactive, in both buffers. */
RD_FN void rd_return_slots(const struct rd_world *w, int64_t k)
{
    const int64_t i = w->lists.now.base + w->lists.coming[w->lists.at_list] + k;
    w->lists.key[i] = w->lists.key_next[i] = RD_KEY_NONE;
    w->lists.slot[i] = w->lists.slot_next[i];
}

/* Sets the first entry of a voxel, or of the end behind the last one, after births and deaths; it
   follows from the previous one. */
RD_FN void rd_reindex(const struct rd_world *w, int64_t voxel)
{
    w->lists.first[w->lists.now.voxels + voxel] =
        (int32_t)rd_begin_then(&w->lists, &w->lists.now, voxel);
}

/* Sets the first entry of voxels after a sort, for one entry or the end: the voxels after that of
   the previous entry, up to its own, begin here. */
RD_FN void rd_index(const struct rd_world *w, int64_t i)
{
    const struct rd_list *const l = &w->lists.now;
    const uint32_t *const key = w->lists.key_next + l->base;
    const int64_t from = i == 0 ? 0 : (int64_t)key[i - 1] + 1;
    const int64_t to =
        i == w->lists.coming[w->lists.at_list] ? w->lattice.n_voxels : (int64_t)key[i];
    for (int64_t c = from; c <= to; c++)
        w->lists.first[l->voxels + c] = (int32_t)i;
}

/* Ends the update of one list. */
RD_FN void rd_commit_lists(const struct rd_world *w, int64_t list)
{
    w->lists.live[list] = w->lists.coming[list];
    w->lists.taken[list] = 0;
    if (list == 0)
        w->lists.need->n_reported = w->lists.need->n_notes;
}

/* Sets the counts of a voxel from the lists. */
RD_FN void rd_tally(const struct rd_world *w, int64_t voxel)
{
    for (int64_t i = 0; i < w->lists.n_list; i++) {
        const struct rd_list *const l = &w->lists.list[i];
        const int64_t c = l->voxels + voxel;
        w->counts.count[l->column * w->lattice.n_voxels + voxel] =
            w->lists.first[c + 1] - w->lists.first[c];
    }
}

#endif
