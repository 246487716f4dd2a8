/* tally_simd - the tuned version of tally for the CPU. A list may have few individuals in many
   voxels: then its counts are cleared, where they are not 0, and the individuals are counted one by
   one. */
#include "kernels/cpu/tally_simd.h"

#include <string.h>

/* Sets the voxels of a block, which fit in the first cache; and the most individuals in them that
   are counted one by one. */
enum { BLOCK = 1024, FEW = BLOCK / 8 };

static bool has_other_than_zero(const int32_t *x, int64_t n)
{
    int32_t any = 0;
    for (int64_t i = 0; i < n; i++)
        any |= x[i];
    return any != 0;
}

void rd_clear_numbers(int32_t *x, int64_t n)
{
    for (int64_t at = 0; at < n; at += BLOCK) {
        const int64_t rest = n - at < BLOCK ? n - at : BLOCK;
        if (has_other_than_zero(x + at, rest))
            memset(x + at, 0, (size_t)rest * sizeof *x);
    }
}

/* Sets the counts of one list in a block of voxels. */
static void tally_block(const struct rd_world *w, const struct rd_list *l, int64_t begin,
                        int64_t end)
{
    const int32_t *const first = w->lists.first + l->voxels;
    const uint32_t *const key = w->lists.key + l->base;
    int32_t *const count = w->counts.count + l->species * w->lattice.n_voxels;
    if (first[end] - first[begin] > FEW) {
        for (int64_t voxel = begin; voxel < end; voxel++)
            count[voxel] = first[voxel + 1] - first[voxel];
        return;
    }
    rd_clear_numbers(count + begin, end - begin);
    for (int32_t i = first[begin]; i < first[end]; i++)
        count[key[i]]++;
}

void rd_tally_portion(const struct rd_world *w, int64_t begin, int64_t end)
{
    for (int64_t i = 0; i < w->lists.n_list; i++)
        for (int64_t at = begin; at < end; at += BLOCK)
            tally_block(w, &w->lists.list[i], at, end - at < BLOCK ? end : at + BLOCK);
}
