/* sparse_voxels - the molecules of one run in which most voxels contain few species: a voxel lists
   those that it contains, in canonical order. One species stands in the voxel itself, several in a
   row of a pool, and the memory of a row is used again. */
#ifndef RD_EXACT_SPARSE_VOXELS_H
#define RD_EXACT_SPARSE_VOXELS_H

#include "kernels/core/entries.h"

#include <stddef.h>

/* Gives the number of neighbouring sites in a tile; their weights fill a cache line. */
enum { RD_TILE = 8 };

/* Gives the size of a voxel with one species, which has no row. */
enum { RD_SPARSE_ONE = 31 };

/* Describes a voxel. */
struct rd_sparse_voxel {
    uint32_t at;          /* its row in the pool; or the number of molecules of its one species */
    uint32_t n : 17;      /* entries; or that species */
    uint32_t size : 5;    /* the row has memory for 2^size entries; 0: the voxel is empty */
    uint32_t at_face : 6; /* bit f: it lies at face f of the lattice */
};

/* Holds the weights of neighbouring voxels (events per time, 0 beyond the sites), and the voxels.
 */
struct rd_sparse_tile {
    double weight[RD_TILE];
    struct rd_sparse_voxel voxel[RD_TILE];
};

struct rd_sparse_voxels {
    int64_t n_tiles;
    void *memory; /* owned */
    struct rd_sparse_tile *tile;
    struct rd_row_entry *entry;       /* owned: the pool */
    int64_t n_entry, top;             /* its entries, and those that were taken ever */
    uint32_t free_row[RD_SPARSE_ONE]; /* [size]: first free row; its first species is the next */
};

/* Holds the molecules of a run that are in rows, by voxel and in canonical order. */
struct rd_packed_run {
    struct rd_outbox_entry *entry; /* owned */
    int64_t n, capacity;
};

/* Allocates memory for so many voxels, all empty. Returns false if there is none; the caller closes
   x in any case. */
bool rd_sparse_voxels_open(struct rd_sparse_voxels *x, int64_t n_sites);
void rd_sparse_voxels_close(struct rd_sparse_voxels *x);
size_t rd_sparse_voxels_memory(int64_t n_sites);
/* Removes all molecules. */
void rd_sparse_voxels_clear(struct rd_sparse_voxels *x);

static inline struct rd_sparse_voxel *rd_sparse_voxels_at(const struct rd_sparse_voxels *x,
                                                          int64_t site)
{
    return &x->tile[site / RD_TILE].voxel[site % RD_TILE];
}

/* Returns the n entries of a voxel, in canonical order; they stand in the pool or in *one. */
static inline const struct rd_row_entry *rd_sparse_voxels_row(const struct rd_sparse_voxels *x,
                                                              int64_t site,
                                                              struct rd_row_entry *one, int32_t *n)
{
    const struct rd_sparse_voxel *const v = rd_sparse_voxels_at(x, site);
    if (v->size != RD_SPARSE_ONE) {
        *n = (int32_t)v->n;
        return x->entry + (v->n > 0 ? v->at : 0);
    }
    *n = 1;
    *one = (struct rd_row_entry){(int32_t)v->n, (int32_t)v->at};
    return one;
}

/* Returns the number of molecules of the species in the voxel. */
static inline int32_t rd_sparse_voxels_count(const struct rd_sparse_voxels *x, int64_t site,
                                             int32_t species)
{
    struct rd_row_entry one;
    int32_t n;
    const struct rd_row_entry *const row = rd_sparse_voxels_row(x, site, &one, &n);
    return rd_entry_count(row, n, species);
}

/* Adds `number` molecules, or removes them; the result must be possible. Returns false, without a
   change, if there is no memory. */
bool rd_sparse_voxels_add(struct rd_sparse_voxels *x, int64_t site, int32_t species,
                          int32_t number);

#endif
