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

/* Moves the molecules of a voxel, or marks it if the memory for their arrivals is missing. */
RD_FN void rd_hop_row(const struct rd_world *w, int64_t voxel)
{
    struct rd_hop_state h;
    if (!rd_has_row_hops(w, voxel))
        return;
    rd_hop_state_begin(&h, w, voxel);
    if (rd_is_frozen(&w->runs, h.p.run))
        return;
    const int64_t most = rd_most_arrivals_from(&h);
    w->rows.marked[voxel] = most > 0 && !rd_claim_arrivals(w, most);
    if (w->rows.marked[voxel])
        return;
    const int64_t n_left = rd_hop_present(&h);
    if (n_left < most)
        rd_return_claim(w, most - n_left);
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

/* Chooses the memory for the next row of the voxel, and notes where its arrivals begin: after the
   molecules that stay. */
RD_FN void rd_place_row(const struct rd_world *w, int64_t voxel)
{
    const int32_t n_staying = rd_n_staying(w, voxel), n = n_staying + w->rows.n_arrived[voxel];
    w->rows.offset[voxel] =
        n == 0 ? 0 : n_staying + (int32_t)rd_add_i64(&w->rows.capacity->next, n);
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
    return w->rows.capacity->lacks_arrivals == 0 &&
           w->rows.capacity->next <= w->rows.n_entry_next - w->rows.spare;
}

/* Copies an arrival to the memory for the next row of its voxel, in any order, if there is memory
   for all. Item number `arrivals` notes whether there is. */
RD_FN void rd_scatter_outbox(const struct rd_world *w, int64_t i)
{
    struct rd_rows_capacity *const capacity = w->rows.capacity;
    const bool fit = rd_next_rows_fit(w);
    if (i == capacity->arrivals)
        capacity->is_short = !fit;
    if (i == capacity->arrivals || !fit)
        return;
    const struct rd_outbox_entry a = w->rows.outbox[i];
    struct rd_row_entry *const to = &w->rows.entry_next[rd_add_i32(&w->rows.offset[a.voxel], 1)];
    to->species = a.species;
    to->count = a.count;
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

/* Merges the entries of the voxel with its arrivals, which end at offset[voxel]. They stand after
   the memory for all entries that stay, so that no arrival is overwritten before it is read. */
RD_FN void rd_merge_row(const struct rd_world *w, int64_t voxel)
{
    const struct rd_row old = w->rows.row[voxel];
    const struct rd_row_entry *const stay = w->rows.entry + old.begin;
    const int32_t n_arrived = w->rows.n_arrived[voxel];
    const int32_t capacity = rd_n_staying(w, voxel) + n_arrived;
    const int32_t begin = capacity == 0 ? 0 : w->rows.offset[voxel] - capacity;
    struct rd_row_entry *const to = w->rows.entry_next + begin;
    const struct rd_row_entry *const come = to + (capacity - n_arrived);
    struct rd_row row = {begin, 0, capacity};
    rd_sort_entries(to + (capacity - n_arrived), n_arrived);
    for (int32_t i = 0, k = 0; i < old.n || k < n_arrived;) {
        const bool is_new = i == old.n || (k < n_arrived && come[k].species < stay[i].species);
        const int32_t species = is_new ? come[k].species : stay[i].species;
        const int64_t stayed = is_new ? 0 : stay[i++].count;
        int64_t arrived = 0;
        while (k < n_arrived && come[k].species == species)
            arrived += come[k++].count;
        if (stayed + arrived == 0)
            continue;
        to[row.n].count = rd_land_entry(w, voxel, species, stayed, arrived);
        to[row.n++].species = species;
    }
    w->rows.n_arrived[voxel] = 0;
    w->rows.row[voxel] = row;
}

/* Counts the memory after the movement, or pauses if there is too little. */
RD_FN void rd_close_rows(const struct rd_world *w)
{
    struct rd_rows_capacity *const capacity = w->rows.capacity;
    capacity->needed = capacity->next;
    capacity->next = 0;
    if (capacity->is_short) {
        rd_pause_for_rows(w);
        return;
    }
    capacity->top = capacity->needed;
    capacity->lacks = capacity->arrivals = capacity->claimed = 0;
    capacity->n_landings++;
}

/* Makes the next row of the voxel, if there is memory for all; the last item counts the memory. */
RD_FN void rd_land_row(const struct rd_world *w, int64_t voxel)
{
    if (voxel == w->rows.n_row) {
        rd_close_rows(w);
        return;
    }
    if (w->rows.capacity->is_short)
        return;
    rd_merge_row(w, voxel);
    rd_land(w, voxel);
}

#endif
