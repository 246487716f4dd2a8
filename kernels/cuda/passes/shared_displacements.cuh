/* shared_displacements - what all who move by the rows of inner places have in common, near for the
   threads of a block: when one leaves, along which axes, and how far. */
#ifndef RD_CUDA_PASSES_SHARED_DISPLACEMENTS_CUH
#define RD_CUDA_PASSES_SHARED_DISPLACEMENTS_CUH

#include "kernels/passes/movement/hop.h"

enum { RD_LIKELY = 4 };

struct rd_common {
    uint64_t leave;
    uint32_t high[RD_N_MOVES]; /* halves of the thresholds of ways to leave; of the last all ones */
    uint32_t low[RD_N_MOVES];
    int32_t last;
    const struct rd_jump *jump[3];
    int4 shift[3];  /* the first outcomes, likeliest first, */
    uint4 below[3]; /* by their thresholds; all ones where there are fewer */
    int32_t last_jump[3];
    int32_t inner[3][2]; /* places lo <= i < hi along each axis have inner rows */
    bool is_by_displacements;
    bool is_uniform; /* all places have inner rows */
    bool is_plain;   /* all that, and there is one run: nothing needs to be asked for each */
};

static __device__ void rd_find_common(struct rd_common *c, const struct rd_world *w)
{
    const struct rd_transport *const m = &w->transport[w->now.species];
    c->is_by_displacements =
        m->kind == RD_MOVE_DISPLACEMENTS && w->n_frozen == 0; /* else by the plain body */
    c->is_uniform = true;
    c->leave = m->inner.leave;
    c->last = m->inner.last;
    for (int k = 0; k < RD_N_MOVES; k++) {
        c->high[k] = k < RD_N_MOVES - 1 ? (uint32_t)(m->inner.axes[k] >> 32) : UINT32_MAX;
        c->low[k] = (uint32_t)m->inner.axes[k];
    }
    for (int axis = 0; axis < 3 && c->is_by_displacements; axis++) {
        const struct rd_axis_table *const t = &m->axis_table[axis];
        c->inner[axis][0] = t->lo + t->reach;
        c->inner[axis][1] = t->hi - t->reach;
        c->is_uniform = c->is_uniform && t->reach == 0;
        if (t->reach >= t->hi - t->lo) /* there is no inner row */
            continue;
        const struct rd_displacement *const displacement = &w->displacement[t->first + t->reach];
        c->jump[axis] = w->jump + displacement->first;
        c->last_jump[axis] = displacement->n - 1;
        uint32_t *const below = &c->below[axis].x;
        int32_t *const shift = &c->shift[axis].x;
        for (int k = 0; k < RD_LIKELY; k++) {
            const struct rd_jump o = c->jump[axis][k < displacement->n ? k : 0];
            below[k] = k < displacement->n - 1 ? o.below : UINT32_MAX;
            shift[k] = o.shift;
        }
    }
    c->is_plain = c->is_by_displacements && c->is_uniform && w->n_runs == 1;
}

/* The words of call `number` of the kind of stream that a mover's voxel has. */
static __device__ __forceinline__ uint4 rd_words_near(const struct rd_keys &keys, uint32_t number,
                                                      uint32_t site, uint32_t step, uint32_t run,
                                                      int kind)
{
    uint32_t c0 = number, c1 = site, c2 = step;
    uint32_t c3 = run | (uint32_t)(RD_MOVE_ITEM(kind, 0) >> 32) << 28;
#pragma unroll
    for (int round = 0; round < RD_PHILOX_ROUNDS; round++)
        rd_philox_mix(&c0, &c1, &c2, &c3, keys.key[round][0], keys.key[round][1]);
    return make_uint4(c0, c1, c2, c3);
}

/* As rd_way, of an inner place, but that the last way is not taken into account; a tie is where the
   high half of its threshold is met. */
static __device__ __forceinline__ int rd_way_near(const struct rd_common *c, uint32_t high,
                                                  bool *is_tie)
{
    int k = 0;
#pragma unroll
    for (int i = 0; i < RD_N_MOVES - 1; i++)
        k += high > c->high[i];
    *is_tie = high == c->high[k] && k < RD_N_MOVES - 1;
    return k;
}

/* As rd_shift_of. */
static __device__ __forceinline__ int32_t rd_shift_near(const struct rd_common *c, int axis,
                                                        uint32_t word)
{
    const uint4 below = c->below[axis];
    const int32_t last = c->last_jump[axis];
    int32_t k = (word >= below.x) + (word >= below.y) + (word >= below.z) + (word >= below.w);
    if (k == RD_LIKELY && last >= RD_LIKELY)
        return rd_shift_of(c->jump[axis], last + 1, word);
    k = k < last ? k : last;
    return (&c->shift[axis].x)[k];
}

#endif
