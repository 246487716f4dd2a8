/* hop_rows - movement where rare species are in rows. Leavers of all voxels are listed as arrivals;
   then each voxel's new row is made of the molecules that stayed and those that arrived. */
#ifndef RD_PASSES_MOVEMENT_HOP_ROWS_H
#define RD_PASSES_MOVEMENT_HOP_ROWS_H

#include "kernels/passes/movement/hop.h"

/* Returns the most arrivals that n molecules of a species can make: a binomial batch makes at most
   one for each destination. */
RD_FN int64_t rd_most_arrivals(struct rd_hop_state *h, int32_t species, int64_t n)
{
    if (n < RD_BATCH_LEAST || h->w->movement.transport[species].kind != RD_MOVE_DISPLACEMENTS)
        return n;
    rd_hop_state_aim(h, species);
    int64_t destinations = 1;
    for (int axis = 0; axis < 3; axis++)
        destinations *= 1 + h->displacement[axis]->n;
    return n < destinations ? n : destinations;
}

/* Returns the most arrivals that the entries of the voxel can make. */
RD_FN int64_t rd_most_arrivals_from(struct rd_hop_state *h)
{
    const struct rd_world *const w = h->w;
    const struct rd_row row = w->rows.row[h->p.voxel];
    int64_t sum = 0;
    for (int32_t i = 0; i < row.n; i++) {
        const struct rd_row_entry entry = w->rows.entry[row.begin + i];
        if (rd_is_hopping(&w->movement.transport[entry.species]))
            sum += rd_most_arrivals(h, entry.species, entry.count);
    }
    return sum;
}

/* Returns whether the pass moves molecules of the voxel. */
RD_FN bool rd_has_row_hops(const struct rd_world *w, int64_t voxel)
{
    if (w->rows.repeats && !w->rows.marked[voxel])
        return false;
    bool has = w->rows.row[voxel].n > 0;
    for (int32_t k = 0; !has && k < w->rows.n_columned; k++)
        has = w->counts.count[k * w->lattice.n_voxels + voxel] > 0;
    return has;
}

/* Moves the molecules of all counted species of the voxel that hop in this pass, as rd_hop does.
   Returns the number of those in rows that left. */
RD_FN int64_t rd_hop_present(struct rd_hop_state *h)
{
    const struct rd_world *const w = h->w;
    int64_t n_left = 0;
    for (struct rd_present p = rd_present_in(w, h->p.voxel); rd_next_present(&p);)
        if (*p.count > 0 && rd_is_hopping(&w->movement.transport[p.species])) {
            const int64_t left = rd_hop_species(h, p.species, *p.count);
            *p.count -= (int32_t)left;
            n_left += w->rows.column[p.species] < 0 ? left : 0;
        }
    return n_left;
}

/* Returns the number of entries of the voxel that are not 0. */
RD_FN int32_t rd_n_staying(const struct rd_world *w, int64_t voxel)
{
    const struct rd_row row = w->rows.row[voxel];
    int32_t n = 0;
    for (int32_t i = 0; i < row.n; i++)
        n += w->rows.entry[row.begin + i].count != 0;
    return n;
}

/* Moves the molecules of a voxel and returns true, or returns false if the memory for their
   arrivals is missing. */
RD_FN bool rd_hop_from_row(struct rd_hop_state *h)
{
    const struct rd_world *const w = h->w;
    const int64_t most = rd_most_arrivals_from(h);
    if (most > 0 && !rd_claim_arrivals(w, most))
        return false;
    const int64_t n_left = rd_hop_present(h);
    if (n_left < most)
        rd_return_claim(w, most - n_left);
    return true;
}

/* Moves the molecules of a voxel, or marks it if the memory for their arrivals is missing. */
RD_FN void rd_hop_row(const struct rd_world *w, int64_t voxel)
{
    struct rd_hop_state h;
    if (!rd_has_row_hops(w, voxel))
        return;
    rd_hop_state_begin(&h, w, voxel);
    w->rows.marked[voxel] = !rd_is_frozen(&w->runs, h.p.run) && !rd_hop_from_row(&h);
    if (!w->rows.marked[voxel])
        rd_add_i64(&w->rows.capacity->staying, rd_n_staying(w, voxel));
}

/* Sets the entries of the voxel in a snapshot. */
RD_FN void rd_count_packed(const struct rd_world *w, int64_t voxel)
{
    w->rows.offset[voxel] = voxel < w->rows.n_packed ? rd_n_staying(w, voxel) : 0;
}

/* Copies the entries of the voxel to their place in a snapshot. */
RD_FN void rd_pack_row(const struct rd_world *w, int64_t voxel)
{
    const struct rd_row row = w->rows.row[voxel];
    struct rd_outbox_entry *to = w->rows.packed + w->rows.offset[voxel];
    for (int32_t i = 0; i < row.n; i++) {
        const struct rd_row_entry x = w->rows.entry[row.begin + i];
        if (x.count == 0)
            continue;
        to->voxel = (uint32_t)voxel;
        to->species = x.species;
        to->count = x.count;
        to++;
    }
}

/* Returns whether there is memory for all arrivals, and for the next rows. */
RD_FN bool rd_next_rows_fit(const struct rd_world *w)
{
    const struct rd_rows_capacity *const c = w->rows.capacity;
    return c->lacks_arrivals == 0 &&
           c->staying + c->arrivals <= w->rows.n_entry_next - w->rows.spare;
}

/* Links an arrival to the others of its voxel, in any order, if there is memory for all. */
RD_FN void rd_link_arrivals(const struct rd_world *w, int64_t i)
{
    if (!rd_next_rows_fit(w))
        return;
    struct rd_outbox_entry *const a = &w->rows.outbox[i];
    const uint32_t voxel = a->voxel;
    a->voxel = (uint32_t)rd_exchange_i32(&w->rows.offset[voxel], (int32_t)i);
    rd_add_i32(&w->rows.n_arrived[voxel], 1);
}

/* Sorts n entries by species (Shell, Commun. ACM 2 (1959) 30). */
RD_FN void rd_sort_entries(struct rd_row_entry *entry, int32_t n)
{
    int32_t gap = 1;
    while (gap < n / 3)
        gap = 3 * gap + 1;
    for (; gap > 0; gap /= 3)
        for (int32_t i = gap; i < n; i++) {
            const struct rd_row_entry x = entry[i];
            int32_t k = i;
            for (; k >= gap && entry[k - gap].species > x.species; k -= gap)
                entry[k] = entry[k - gap];
            entry[k] = x;
        }
}

/* Returns the sum of staying and arrived molecules of an entry, or the staying ones and a fault if
   it is too large. */
RD_FN int32_t rd_land_entry(const struct rd_world *w, int64_t voxel, int32_t species,
                            int64_t stayed, int64_t arrived)
{
    if (stayed + arrived <= INT32_MAX)
        return (int32_t)(stayed + arrived);
    rd_fault_at(w, RD_FAULT_OVERFLOW, voxel, species);
    return (int32_t)stayed;
}

/* Copies the n arrivals of the voxel. */
RD_FN void rd_copy_arrivals(const struct rd_world *w, int64_t voxel, int32_t n,
                            struct rd_row_entry *to)
{
    uint32_t i = (uint32_t)w->rows.offset[voxel];
    for (int32_t k = 0; k < n; k++) {
        const struct rd_outbox_entry a = w->rows.outbox[i];
        to[k].species = a.species;
        to[k].count = a.count;
        i = a.voxel;
    }
}

/* Merges the entries of the voxel with its arrivals, which are sorted, into those at `to`. Returns
   the number of these. */
RD_FN int32_t rd_merge_entries(const struct rd_world *w, int64_t voxel,
                               const struct rd_row_entry *come, int32_t n_arrived,
                               struct rd_row_entry *to)
{
    const struct rd_row old = w->rows.row[voxel];
    const struct rd_row_entry *const stay = w->rows.entry + old.begin;
    int32_t n = 0;
    for (int32_t i = 0, k = 0; i < old.n || k < n_arrived;) {
        const bool is_new = i == old.n || (k < n_arrived && come[k].species < stay[i].species);
        const int32_t species = is_new ? come[k].species : stay[i].species;
        const int64_t stayed = is_new ? 0 : stay[i++].count;
        int64_t arrived = 0;
        while (k < n_arrived && come[k].species == species)
            arrived += come[k++].count;
        if (stayed + arrived == 0)
            continue;
        to[n].count = rd_land_entry(w, voxel, species, stayed, arrived);
        to[n++].species = species;
    }
    return n;
}

/* Sets the arrivals of a voxel that are sorted outside the pool. */
enum { RD_ARRIVALS_OWN = 8 };

/* Makes the next row of the voxel at `begin` from the entries that stay and the arrivals. Many
   arrivals stand after the memory for all entries that stay, so that none is overwritten before it
   is read. Returns the number of entries. */
RD_FN int32_t rd_merge_row(const struct rd_world *w, int64_t voxel, int32_t n_staying,
                           int32_t begin)
{
    const int32_t n_arrived = w->rows.n_arrived[voxel];
    struct rd_row_entry own[RD_ARRIVALS_OWN];
    struct rd_row_entry *const to = w->rows.entry_next + begin;
    struct rd_row_entry *const come = n_arrived <= RD_ARRIVALS_OWN ? own : to + n_staying;
    rd_copy_arrivals(w, voxel, n_arrived, come);
    rd_sort_entries(come, n_arrived);
    struct rd_row row = {begin, 0, n_staying + n_arrived};
    row.n = rd_merge_entries(w, voxel, come, n_arrived, to);
    w->rows.n_arrived[voxel] = 0;
    w->rows.row[voxel] = row;
    return row.n;
}

/* Makes the next row of the voxel, if there is memory for all. */
RD_FN void rd_land_row(const struct rd_world *w, int64_t voxel)
{
    if (!rd_next_rows_fit(w))
        return;
    const int32_t n_staying = rd_n_staying(w, voxel), n = n_staying + w->rows.n_arrived[voxel];
    const int64_t begin = n == 0 ? 0 : rd_add_i64(&w->rows.capacity->next, n);
    rd_merge_row(w, voxel, n_staying, (int32_t)begin);
    rd_land(w, voxel);
}

/* Counts the memory after the movement, or pauses if there was too little. */
RD_FN void rd_close_rows(const struct rd_world *w, int64_t i)
{
    struct rd_rows_capacity *const c = &w->rows.capacity[i];
    c->needed = c->staying + c->arrivals;
    c->is_short = !rd_next_rows_fit(w);
    if (c->is_short) {
        rd_pause_for_rows(w);
        return;
    }
    c->top = rd_seen_i64(&c->next);
    c->lacks = c->arrivals = c->claimed = c->staying = c->next = 0;
    c->n_landings++;
}

#endif
