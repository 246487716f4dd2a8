/* block_sums - the order in which the propensities of a voxel are added. Reactions form blocks of
   32 in canonical order, as many blocks form a node, and as many nodes a higher node. The sum of
   each adds its members in order. A sum is always computed from its members, never updated by
   differences, so that equal counts have equal sums. Members that are 0 may be left out. */
#ifndef RD_PASSES_REACTIONS_BLOCK_SUMS_H
#define RD_PASSES_REACTIONS_BLOCK_SUMS_H

#include "kernels/core/portable.h"

/* Sets the members of a block or node, as a power of 2, and the levels above the reactions. */
enum { RD_BLOCK_BITS = 5, RD_BLOCK_LEVELS = 4, RD_REACTIONS_IN_BLOCK = 1 << RD_BLOCK_BITS };

/* Holds the sums of the open node of each level while reactions are added in canonical order. */
struct rd_block_sums {
    double sum[RD_BLOCK_LEVELS];
    int32_t last; /* reaction that was added last */
};

/* Begins a sum, with no reaction below `first`. */
RD_FN struct rd_block_sums rd_block_sums_begin(int32_t first)
{
    struct rd_block_sums tree;
    for (int i = 0; i < RD_BLOCK_LEVELS; i++)
        tree.sum[i] = 0.0;
    tree.last = first;
    return tree;
}

/* Adds the propensity of a reaction, or the sum of the block that begins with it. */
RD_FN void rd_block_sums_add(struct rd_block_sums *tree, int32_t reaction, double a)
{
    const int32_t other = reaction ^ tree->last; /* its high bits show which nodes are complete */
    for (int i = 0; i + 1 < RD_BLOCK_LEVELS && other >> (i + 1) * RD_BLOCK_BITS != 0; i++) {
        tree->sum[i + 1] += tree->sum[i];
        tree->sum[i] = 0.0;
    }
    tree->last = reaction;
    tree->sum[0] += a;
}

/* Returns the sum of all. */
RD_FN double rd_block_sums_end(const struct rd_block_sums *tree)
{
    double sum = tree->sum[0];
    for (int i = 1; i < RD_BLOCK_LEVELS; i++)
        sum = tree->sum[i] + sum;
    return sum;
}

/* Returns the end of the node of the level that begins at the reaction, at most n. */
RD_FN int32_t rd_block_end(int32_t reaction, int32_t level, int32_t n)
{
    const int32_t size = 1 << level * RD_BLOCK_BITS;
    return n - reaction < size ? n : reaction + size;
}

/* Returns the lowest level at which more than one node exists, or 0. */
RD_FN int32_t rd_block_level(int32_t n_reactions)
{
    int32_t level = 0;
    while (level + 1 < RD_BLOCK_LEVELS && n_reactions > 1 << (level + 1) * RD_BLOCK_BITS)
        level++;
    return level;
}

/* Returns aim, or the number below sum if rounding made it too large. So the search for the first
   partial sum above it succeeds. */
RD_FN double rd_aim_below(double aim, double sum)
{
    return aim < sum ? aim : sum * (1.0 - 0x1p-53);
}

/* Holds the sums of the propensities of at most two blocks. */
struct rd_two_blocks {
    double all, first, last;
};

/* Returns whether aim, below the sum of all, selects the first block; otherwise it becomes the aim
   within the second. */
RD_FN bool rd_is_in_first_block(const struct rd_two_blocks *sums, double *aim)
{
    if (sums->first > *aim)
        return true;
    *aim = rd_aim_below(*aim - sums->first, sums->last);
    return false;
}

#endif
