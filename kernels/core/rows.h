/* rows - counts of rare species. Instead of a column over all voxels they have entries: the row of
   a voxel lists the species that it contains, in canonical order, with their numbers. All rows
   stand in one pool. A movement writes them anew, one after the other; a row that grows in between
   moves to the end of the pool. */
#ifndef RD_CORE_ROWS_H
#define RD_CORE_ROWS_H

#include "kernels/core/lattice.h"

/* Returns whether some species are in rows. */
RD_FN bool rd_has_rows(const struct rd_world *w)
{
    return !RD_COLUMNS_ONLY && w->rows.n_row > 0;
}

/* Returns the column of the species in count and arrive, or -1 if it is in rows. */
RD_FN int32_t rd_column_of(const struct rd_world *w, int32_t species)
{
    return rd_has_rows(w) ? w->rows.column[species] : species;
}

/* Returns the number of columns of counts; the other species are in rows. */
RD_FN int32_t rd_n_columns(const struct rd_world *w)
{
    return rd_has_rows(w) ? (int32_t)w->rows.n_columned : w->counts.n_species;
}

/* Returns the species of the column. Columns are in canonical order. */
RD_FN int32_t rd_columned(const struct rd_world *w, int32_t column)
{
    return rd_has_rows(w) ? w->rows.columned[column] : column;
}

/* Returns the count of the species in the voxel. */
RD_FN int32_t rd_count_of(const struct rd_world *w, int32_t species, int64_t voxel)
{
    const int64_t column = rd_column_of(w, species);
    if (column >= 0)
        return w->counts.count[column * w->lattice.n_voxels + voxel];
    const struct rd_row row = w->rows.row[voxel];
    return rd_entry_count(w->rows.entry + row.begin, row.n, species);
}

/* Points the context to the columns of the voxel. */
RD_FN void rd_aim_at_columns(const struct rd_world *w, int64_t voxel, struct rd_eval_context *here)
{
    here->count = w->counts.count + voxel;
    here->stride = w->lattice.n_voxels;
    here->voxel = voxel;
}

/* Points the context to the counts of the voxel, which has these n entries. */
RD_FN void rd_aim_at_row(const struct rd_world *w, int64_t voxel, const struct rd_row_entry *entry,
                         int32_t n, struct rd_eval_context *here)
{
    rd_aim_at_columns(w, voxel, here);
    here->row = entry;
    here->n_row = n;
    here->column = w->rows.n_columned > 0 ? w->rows.column : NULL;
}

/* Points the context to the counts of the voxel. */
RD_FN void rd_aim_counts(const struct rd_world *w, int64_t voxel, struct rd_eval_context *here)
{
    if (!rd_has_rows(w))
        rd_aim_at_columns(w, voxel, here);
    else
        rd_aim_at_row(w, voxel, w->rows.entry + w->rows.row[voxel].begin, w->rows.row[voxel].n,
                      here);
}

/* Holds the position in the list of the species of a voxel: those with columns, and its entries. */
struct rd_present {
    const struct rd_world *w;
    int64_t voxel;
    struct rd_row_entry *entry; /* of the voxel */
    int32_t n, i, k;            /* number of entries; the next entry, and the next column */
    int32_t species;            /* the present species */
    int32_t *count;             /* its number */
};

/* Begins the list of the species of the voxel, which has these n entries. */
RD_FN struct rd_present rd_present_with(const struct rd_world *w, int64_t voxel,
                                        struct rd_row_entry *entry, int32_t n)
{
    struct rd_present p;
    p.w = w;
    p.voxel = voxel;
    p.entry = entry;
    p.n = n;
    p.i = p.k = 0;
    p.species = -1;
    p.count = NULL;
    return p;
}

/* Begins the list of the species of the voxel. */
RD_FN struct rd_present rd_present_in(const struct rd_world *w, int64_t voxel)
{
    const struct rd_row row = w->rows.row[voxel];
    return rd_present_with(w, voxel, w->rows.entry + row.begin, row.n);
}

/* Goes on to the next species in canonical order; returns false if there is none. Its number may be
   0. */
RD_FN bool rd_next_present(struct rd_present *p)
{
    const struct rd_world *const w = p->w;
    const bool has_entry = p->i < p->n, has_column = p->k < w->rows.n_columned;
    if (!has_entry && !has_column)
        return false;
    if (has_entry && (!has_column || p->entry[p->i].species < w->rows.columned[p->k])) {
        p->species = p->entry[p->i].species;
        p->count = &p->entry[p->i++].count;
    } else {
        p->species = w->rows.columned[p->k];
        p->count = &w->counts.count[p->k++ * w->lattice.n_voxels + p->voxel];
    }
    return true;
}

/* Claims memory for n more arrivals; returns false if there is too little, and notes that. */
RD_FN bool rd_claim_arrivals(const struct rd_world *w, int64_t n)
{
    struct rd_rows_capacity *const capacity = w->rows.capacity;
    if (rd_add_i64(&capacity->claimed, n) + n <= w->rows.n_outbox)
        return true;
    rd_add_i64(&capacity->claimed, -n);
    rd_add_i64(&capacity->lacks_arrivals, n);
    return false;
}

/* Returns the part of a claim that was not used. */
RD_FN void rd_return_claim(const struct rd_world *w, int64_t n)
{
    rd_add_i64(&w->rows.capacity->claimed, -n);
}

/* Adds n molecules that arrive in the voxel, for which there is memory. */
RD_FN void rd_add_to_arrivals(const struct rd_world *w, int32_t species, int64_t voxel, int32_t n)
{
    struct rd_outbox_entry a;
    a.voxel = (uint32_t)voxel;
    a.species = species;
    a.count = n;
    w->rows.outbox[rd_add_i64(&w->rows.capacity->arrivals, 1)] = a;
}

/* Pauses for lack of memory: the passes after this one do nothing until the host has made some. */
RD_FN void rd_pause_for_rows(const struct rd_world *w)
{
    if (w->runs.n_first_faulting_pass > 0)
        rd_min_i64(w->runs.first_faulting_pass, w->pass.step_clock->pass);
}

/* Takes n entries from the end of the pool. Returns the first of them, or -1 if there are too few;
   then it notes that and pauses. */
RD_FN int64_t rd_take_entries(const struct rd_world *w, int64_t n)
{
    const int64_t at = rd_add_i64(&w->rows.capacity->top, n);
    if (at + n <= w->rows.n_entry)
        return at;
    rd_add_i64(&w->rows.capacity->lacks, n);
    rd_pause_for_rows(w);
    return -1;
}

#endif
