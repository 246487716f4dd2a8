/* shared_displacements - the departure probabilities and displacement distributions of inner
   places, in shared memory of a block. */
#ifndef RD_CUDA_PASSES_SHARED_DISPLACEMENTS_CUH
#define RD_CUDA_PASSES_SHARED_DISPLACEMENTS_CUH

#include "kernels/passes/movement/hop.h"

enum { RD_LIKELY = 4 };

struct rd_common {
    uint64_t leave;
    uint32_t high[RD_N_MOVES]; /* halves of the thresholds for the axes of a move; the last high
                                  half is all ones */
    uint32_t low[RD_N_MOVES];
    int32_t last;
    const struct rd_jump *jump[3];
    int4 shift[3];  /* of the first jumps, likeliest first */
    uint4 below[3]; /* their thresholds; all ones beyond the last jump */
    int32_t last_jump[3];
    int32_t inner[3][2]; /* places lo <= i < hi along each axis use the inner distribution */
    bool is_by_displacements;
    bool is_uniform; /* all places use the inner distribution */
    bool is_plain;   /* is_by_displacements, is_uniform, and one run */
};

static __device__ void rd_find_common(struct rd_common *c, const struct rd_world *w)
{
    const struct rd_transport *const m = &w->movement.transport[w->lists.now.species];
    c->is_by_displacements = m->kind == RD_MOVE_DISPLACEMENTS &&
                             w->runs.n_frozen == 0; /* otherwise the plain body moves them */
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
        if (t->reach >= t->hi - t->lo) /* no place is an inner one */
            continue;
        const struct rd_displacement *const displacement =
            &w->movement.displacement[t->first + t->reach];
        c->jump[axis] = w->movement.jump + displacement->first;
        c->last_jump[axis] = displacement->n - 1;
        uint32_t *const below = &c->below[axis].x;
        int32_t *const shift = &c->shift[axis].x;
        for (int k = 0; k < RD_LIKELY; k++) {
            const struct rd_jump o = c->jump[axis][k < displacement->n ? k : 0];
            below[k] = k < displacement->n - 1 ? o.below : UINT32_MAX;
            shift[k] = o.shift;
        }
    }
    c->is_plain = c->is_by_displacements && c->is_uniform && w->lattice.n_runs == 1;
}

/* Returns the four words of call `number` of the stream of this kind that belongs to the site. */
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

/* Returns the set of axes for an inner place, as rd_way does, without the limit to the last
   possible set. *is_tie becomes whether `high` equals the high half of a threshold. */
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

/* Returns the shift along the axis for the word, as rd_shift_of does. */
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
