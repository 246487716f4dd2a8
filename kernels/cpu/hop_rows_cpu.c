/* hop_rows_cpu - lists the arrivals of a portion of the voxels in memory of its own, and appends
   them to the list of all portions in blocks. So the threads seldom write to the same counters. */
#include "kernels/cpu/hop_rows_cpu.h"

#include "kernels/passes/movement/hop_rows.h"

#include <string.h>

/* Sets the arrivals of a block. */
enum { BLOCK = 512 };

struct own_arrivals {
    const struct rd_world *shared;
    struct rd_world own; /* the same world with the block as its list of arrivals */
    struct rd_rows_capacity capacity;
    struct rd_outbox_entry block[BLOCK];
};

/* Claims memory for a block in the list of all; returns false if there is too little. */
static bool begin_block(struct own_arrivals *a)
{
    struct rd_rows_capacity *const capacity = a->shared->rows.capacity;
    memset(&a->capacity, 0, sizeof a->capacity);
    if (rd_add_i64(&capacity->claimed, BLOCK) + BLOCK <= a->shared->rows.n_outbox)
        return true;
    rd_add_i64(&capacity->claimed, -BLOCK);
    return false;
}

/* Appends the block to the list of all. */
static void end_block(struct own_arrivals *a)
{
    const int64_t n = a->capacity.arrivals;
    const int64_t at = rd_add_i64(&a->shared->rows.capacity->arrivals, n);
    memcpy(a->shared->rows.outbox + at, a->block, (size_t)n * sizeof *a->block);
    if (n < BLOCK)
        rd_return_claim(a->shared, BLOCK - n);
    rd_add_i64(&a->shared->rows.capacity->staying, a->capacity.staying);
}

/* Moves the molecules of a voxel. Returns false if the block cannot take them. */
static bool hop_into_block(struct own_arrivals *a, int64_t voxel)
{
    a->capacity.lacks_arrivals = 0;
    rd_hop_row(&a->own, voxel);
    return a->capacity.lacks_arrivals == 0;
}

void rd_hop_rows_portion(const struct rd_world *w, int64_t begin, int64_t end)
{
    struct own_arrivals a;
    a.shared = w;
    a.own = *w;
    a.own.rows.capacity = &a.capacity;
    a.own.rows.outbox = a.block;
    a.own.rows.n_outbox = BLOCK;
    bool has_block = begin_block(&a);
    for (int64_t voxel = begin; voxel < end; voxel++) {
        if (has_block && hop_into_block(&a, voxel))
            continue;
        if (has_block) {
            end_block(&a);
            has_block = begin_block(&a);
        }
        if (!has_block || !hop_into_block(&a, voxel))
            rd_hop_row(w, voxel);
    }
    if (has_block)
        end_block(&a);
}

/* A portion claims the memory of all its rows together. */
void rd_land_rows_portion(const struct rd_world *w, int64_t begin, int64_t end)
{
    int64_t n = 0;
    if (!rd_next_rows_fit(w))
        return;
    for (int64_t voxel = begin; voxel < end; voxel++)
        n += rd_n_staying(w, voxel) + w->rows.n_arrived[voxel];
    int64_t at = n > 0 ? rd_add_i64(&w->rows.capacity->next, n) : 0;
    for (int64_t voxel = begin; voxel < end; voxel++) {
        const int32_t n_staying = rd_n_staying(w, voxel);
        rd_merge_row(w, voxel, n_staying, (int32_t)at);
        at += w->rows.row[voxel].capacity;
        rd_land(w, voxel);
    }
}
