/* sparse_voxels - the molecules of one run in which most voxels contain few species. */
#include "exact/sparse_voxels.h"

#include <stdlib.h>
#include <string.h>

enum { POOL_LEAST = 1024, CACHE_LINE = 64 };
static const uint32_t none = UINT32_MAX;

static int64_t tiles_for(int64_t n_sites)
{
    return (n_sites + RD_TILE - 1) / RD_TILE;
}

size_t rd_sparse_voxels_memory(int64_t n_sites)
{
    return (size_t)tiles_for(n_sites) * sizeof(struct rd_sparse_tile) + CACHE_LINE;
}

void rd_sparse_voxels_clear(struct rd_sparse_voxels *x)
{
    for (int64_t tile = 0; tile < x->n_tiles; tile++)
        for (int i = 0; i < RD_TILE; i++)
            x->tile[tile].voxel[i].n = x->tile[tile].voxel[i].size = 0;
    memset(x->free_row, 0xff, sizeof x->free_row);
    x->top = 0;
}

bool rd_sparse_voxels_open(struct rd_sparse_voxels *x, int64_t n_sites)
{
    *x = (struct rd_sparse_voxels){.n_tiles = tiles_for(n_sites), .n_entry = POOL_LEAST};
    char *const memory = calloc(rd_sparse_voxels_memory(n_sites), 1);
    x->memory = memory;
    x->entry = calloc(POOL_LEAST, sizeof *x->entry);
    if (!memory || !x->entry)
        return false;
    x->tile = (void *)(memory + (CACHE_LINE - (uintptr_t)memory % CACHE_LINE) % CACHE_LINE);
    memset(x->free_row, 0xff, sizeof x->free_row);
    return true;
}

void rd_sparse_voxels_close(struct rd_sparse_voxels *x)
{
    free(x->memory);
    free(x->entry);
    *x = (struct rd_sparse_voxels){0};
}

/* Takes memory for 2^size entries; returns false if there is none. */
static bool take_row(struct rd_sparse_voxels *x, uint32_t size, uint32_t *at)
{
    const int64_t n = INT64_C(1) << size;
    *at = x->free_row[size];
    if (*at != none) {
        x->free_row[size] = (uint32_t)x->entry[*at].species;
        return true;
    }
    if (x->top + n > x->n_entry) {
        const int64_t most = x->n_entry + x->n_entry / 2 + n;
        struct rd_row_entry *const more =
            most < none ? realloc(x->entry, (size_t)most * sizeof *more) : NULL;
        if (!more)
            return false;
        x->entry = more;
        x->n_entry = most;
    }
    *at = (uint32_t)x->top;
    x->top += n;
    return true;
}

static void return_row(struct rd_sparse_voxels *x, uint32_t size, uint32_t at)
{
    x->entry[at].species = (int32_t)x->free_row[size];
    x->free_row[size] = at;
}

/* Puts one species into a voxel. */
static void set_one(struct rd_sparse_voxel *v, int32_t species, int32_t number)
{
    v->at = (uint32_t)number;
    v->n = (uint32_t)species & 0x1ffff;
    v->size = number != 0 ? RD_SPARSE_ONE : 0;
    if (number == 0)
        v->n = 0;
}

/* Adds a second species to a voxel with one. */
static bool add_second(struct rd_sparse_voxels *x, struct rd_sparse_voxel *v, int32_t species,
                       int32_t number)
{
    const struct rd_row_entry one = {(int32_t)v->n, (int32_t)v->at}, two = {species, number};
    uint32_t at;
    if (!take_row(x, 1, &at))
        return false;
    x->entry[at] = one.species < species ? one : two;
    x->entry[at + 1] = one.species < species ? two : one;
    v->at = at;
    v->n = 2;
    v->size = 1;
    return true;
}

/* Provides memory for one more entry of a row. */
static bool grow_row(struct rd_sparse_voxels *x, struct rd_sparse_voxel *v)
{
    uint32_t at;
    if (v->n < UINT32_C(1) << v->size)
        return true;
    if (!take_row(x, v->size + 1U, &at))
        return false;
    memcpy(x->entry + at, x->entry + v->at, v->n * sizeof *x->entry);
    return_row(x, v->size, v->at);
    v->at = at;
    v->size = (v->size + 1U) & 31;
    return true;
}

/* Removes the entry of a row. If one is left, it moves into the voxel. */
static void remove_entry(struct rd_sparse_voxels *x, struct rd_sparse_voxel *v, int32_t i)
{
    struct rd_row_entry *const row = x->entry + v->at;
    v->n--;
    for (; i < (int32_t)v->n; i++)
        row[i] = row[i + 1];
    if (v->n > 1)
        return;
    const struct rd_row_entry left = row[0];
    return_row(x, v->size, v->at);
    set_one(v, left.species, left.count);
}

bool rd_sparse_voxels_add(struct rd_sparse_voxels *x, int64_t site, int32_t species, int32_t number)
{
    struct rd_sparse_voxel *const v = rd_sparse_voxels_at(x, site);
    if (v->size == 0) {
        set_one(v, species, number);
        return true;
    }
    if (v->size == RD_SPARSE_ONE) {
        if ((int32_t)v->n != species)
            return add_second(x, v, species, number);
        set_one(v, species, (int32_t)v->at + number);
        return true;
    }
    int32_t i = rd_entry_at(x->entry + v->at, (int32_t)v->n, species);
    if (i == (int32_t)v->n || x->entry[v->at + (uint32_t)i].species != species) {
        if (!grow_row(x, v))
            return false;
        struct rd_row_entry *const row = x->entry + v->at;
        for (int32_t k = (int32_t)v->n++; k > i; k--)
            row[k] = row[k - 1];
        row[i] = (struct rd_row_entry){species, 0};
    }
    x->entry[v->at + (uint32_t)i].count += number;
    if (x->entry[v->at + (uint32_t)i].count == 0)
        remove_entry(x, v, i);
    return true;
}
