/* binomial_batch - draws many molecules of one kind in a voxel together: how many leave, how many
   of these along which axes, and how many of those with each jump along each axis. Each is a
   binomial number, given those before it. */
#ifndef RD_PASSES_MOVEMENT_BINOMIAL_BATCH_H
#define RD_PASSES_MOVEMENT_BINOMIAL_BATCH_H

#include "kernels/core/draw.h"
#include "kernels/passes/movement/departure.h"

/* Lists the levels of the draw. Each divides the molecules that the level before passed on: by
   whether they leave, by their axes, and by the jump along the first, the second, the third of
   these axes. */
enum {
    RD_BINOMIAL_BATCH_LEAVES,
    RD_BINOMIAL_BATCH_AXES,
    RD_BINOMIAL_BATCH_JUMP,
    RD_BINOMIAL_BATCH_LEVELS = 5
};

struct rd_binomial_batch {
    int32_t level; /* -1: the draw is complete */
    int32_t left;  /* molecules that left the voxel */
    int32_t rest[RD_BINOMIAL_BATCH_LEVELS],
        next[RD_BINOMIAL_BATCH_LEVELS]; /* molecules not yet assigned; next jump */
    uint32_t axes;                      /* of the current combination, as bits */
    int axis;                           /* of the current level */
    int32_t shift[3];
};

/* Returns the first axis among the bits that is not below `from`; 3 if there is none. */
RD_FN int rd_axis_from(uint32_t axes, int from)
{
    while (from < 3 && !(axes >> from & 1))
        from++;
    return from;
}

RD_FN int rd_axis_before(uint32_t axes, int axis)
{
    do
        axis--;
    while (axis > 0 && !(axes >> axis & 1));
    return axis;
}

/* Begins the draw for n molecules, with the level of leaving. */
RD_FN void rd_binomial_batch_begin(struct rd_binomial_batch *t, int32_t n)
{
    t->level = RD_BINOMIAL_BATCH_LEAVES;
    t->left = 0;
    t->rest[RD_BINOMIAL_BATCH_LEAVES] = n;
    t->axes = 0;
    t->axis = 0;
}

/* Returns the probability of the k-th combination of axes, given that it is none of the earlier
   ones. */
RD_FN double rd_way_probability(const struct rd_departure *g, int k)
{
    const uint64_t below = k > 0 ? g->axes[k - 1] : 0;
    const uint64_t capacity = UINT64_MAX - below, part = g->axes[k] - below;
    if (k == g->last)
        return 1.0;
    return capacity > 0 ? (double)part / (double)capacity : 0.0;
}

/* Returns the probability of the k-th of n jumps, given that it is none of the earlier ones. */
RD_FN double rd_jump_probability(const struct rd_jump *o, int32_t n, int32_t k)
{
    return k == n - 1 ? 1.0 : rd_part_of_words(k > 0 ? o[k - 1].below : 0, o[k].below);
}

/* Passes k molecules of the level on to the next level. */
RD_FN void rd_binomial_batch_send_on(struct rd_binomial_batch *t, int32_t k)
{
    if (k == 0)
        return;
    t->level++;
    t->rest[t->level] = k;
    t->next[t->level] = 0;
    if (t->level >= RD_BINOMIAL_BATCH_JUMP)
        t->axis = rd_axis_from(t->axes, t->level == RD_BINOMIAL_BATCH_JUMP ? 0 : t->axis + 1);
}

/* Goes back to the last level with molecules that are not yet assigned. */
RD_FN void rd_binomial_batch_return(struct rd_binomial_batch *t)
{
    while (t->level >= 0 && t->rest[t->level] == 0) {
        t->level--;
        if (t->level >= RD_BINOMIAL_BATCH_JUMP)
            t->axis = rd_axis_before(t->axes, t->axis);
    }
}

#endif
