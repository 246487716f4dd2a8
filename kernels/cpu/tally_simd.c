/* tally_simd - tally for the CPU; separate because each pass has the file of its tuned version. A
   list may have few individuals in many voxels: then its counts are cleared, where they are not 0,
   and the individuals are counted one by one. */
#include "kernels/cpu/tally_simd.h"

#include "kernels/cpu/zeros.h"

/* Sets the voxels of a block, and the most individuals in them that are counted one by one. */
enum { BLOCK = RD_ZEROS_BLOCK, FEW = BLOCK / 8 };

/* Sets the counts of one list in a block of voxels. */
static void tally_block(const struct rd_world *w, const struct rd_list *l, int64_t begin,
                        int64_t end)
{
    const int32_t *const first = w->lists.first + l->voxels;
    const uint32_t *const key = w->lists.key + l->base;
    int32_t *const count = w->counts.count + l->column * w->lattice.n_voxels;
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
