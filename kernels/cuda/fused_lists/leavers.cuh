/* leavers - individuals that leave a box of voxels in a movement. Most go to neighbouring boxes; a
   block adds their number to the counter of each such box in one atomic operation. */
#ifndef RD_CUDA_FUSED_LISTS_LEAVERS_CUH
#define RD_CUDA_FUSED_LISTS_LEAVERS_CUH

#include "kernels/cuda/fused_lists/sort_by_voxel.cuh"

enum {
    RD_LEAVERS = 1024,
    RD_BOXES_REPORTED = 64 /* boxes to which a block can add sums */
};

/* Collects the individuals of a block that go to other boxes, and their number for each of these
   boxes. */
struct rd_leavers {
    uint32_t to[RD_LEAVERS], entry[RD_LEAVERS];
    uint32_t n;
    uint32_t box[RD_BOXES_REPORTED], n_to[RD_BOXES_REPORTED], at[RD_BOXES_REPORTED];
};

/* Stores the entry as number `at` of the arrivals of the box, or in the list of late entries if the
   box has no room. */
static __device__ __forceinline__ void rd_come(const struct rd_sort_by_voxel &g, uint32_t box,
                                               uint32_t in, uint32_t at, uint32_t entry)
{
    if (at < g.capacity) {
        g.arrived_voxel[box * g.capacity + at] = in;
        g.arrived_entry[box * g.capacity + at] = entry;
    } else {
        g.late_entry[atomicAdd(g.n_late, 1)] = entry;
    }
}

static __device__ void rd_report_box(const struct rd_sort_by_voxel &g, uint32_t to, uint32_t entry)
{
    uint32_t in;
    const uint32_t box = rd_find_box(g, to, &in);
    atomicAdd(&g.begin[to], 1);
    rd_come(g, box, in, atomicAdd(&g.n_arrived[box], 1), entry);
}

/* Returns the place of the box in box[], or RD_BOXES_REPORTED if box[] is full. */
static __device__ __forceinline__ uint32_t rd_reported_at(struct rd_leavers *l, uint32_t box)
{
    uint32_t k = box % RD_BOXES_REPORTED;
    for (int tries = 0; tries < RD_BOXES_REPORTED; tries++, k = (k + 1) % RD_BOXES_REPORTED) {
        const uint32_t there = atomicCAS(&l->box[k], UINT32_MAX, box);
        if (there == UINT32_MAX || there == box)
            return k;
    }
    return RD_BOXES_REPORTED;
}

/* Packs a destination into 32 bits: voxel in its box, place of the box in box[], number among the
   block's arrivals there. */
enum { RD_IN_BITS = 10, RD_REPORTED_BITS = 6 };
static_assert(1 << RD_IN_BITS == RD_BOX_VOXELS && 1 << RD_REPORTED_BITS == RD_BOXES_REPORTED,
              "bits for all values");

/* Reserves places in the boxes for all leavers of the block, and stores them there. All threads of
   the block call it. */
static __device__ void rd_report_boxes(const struct rd_sort_by_voxel &g, struct rd_leavers *l)
{
    const uint32_t n = l->n < RD_LEAVERS ? l->n : RD_LEAVERS;
    for (uint32_t k = threadIdx.x; k < n; k += blockDim.x) {
        uint32_t in;
        const uint32_t to = l->to[k], reported = rd_reported_at(l, rd_find_box(g, to, &in));
        l->to[k] = UINT32_MAX;
        if (reported == RD_BOXES_REPORTED) {
            rd_report_box(g, to, l->entry[k]);
            continue;
        }
        atomicAdd(&g.begin[to], 1);
        l->to[k] = in | reported << RD_IN_BITS |
                   atomicAdd(&l->n_to[reported], 1) << (RD_IN_BITS + RD_REPORTED_BITS);
    }
    __syncthreads();
    if (threadIdx.x < RD_BOXES_REPORTED && l->n_to[threadIdx.x] > 0)
        l->at[threadIdx.x] = atomicAdd(&g.n_arrived[l->box[threadIdx.x]], l->n_to[threadIdx.x]);
    __syncthreads();
    for (uint32_t k = threadIdx.x; k < n; k += blockDim.x) {
        const uint32_t reported = l->to[k] >> RD_IN_BITS & (RD_BOXES_REPORTED - 1);
        if (l->to[k] != UINT32_MAX)
            rd_come(g, l->box[reported], l->to[k] & (RD_BOX_VOXELS - 1),
                    l->at[reported] + (l->to[k] >> (RD_IN_BITS + RD_REPORTED_BITS)), l->entry[k]);
    }
}

static __device__ __forceinline__ void
rd_take_leaver(const struct rd_sort_by_voxel &g, struct rd_leavers *l, uint32_t to, uint32_t entry)
{
    const uint32_t at = atomicAdd(&l->n, 1);
    if (at < RD_LEAVERS) {
        l->to[at] = to;
        l->entry[at] = entry;
    } else {
        rd_report_box(g, to, entry);
    }
}

/* Stores the new key of the entry, and counts it: in its voxel of the box, or as a leaver. */
static __device__ __forceinline__ void rd_count_one(const struct rd_sort_by_voxel &g,
                                                    struct rd_leavers *l, uint32_t *count,
                                                    uint32_t to, uint32_t entry)
{
    g.key[entry] = to;
    if (to < RD_BOX_VOXELS)
        atomicAdd(&count[to], 1);
    else
        rd_take_leaver(g, l, to & ~RD_ELSEWHERE, entry);
}

/* Empties the lists of leavers. All threads of the block call it, before a barrier. */
static __device__ __forceinline__ void rd_open_leavers(struct rd_leavers *l)
{
    if (threadIdx.x == 0)
        l->n = 0;
    if (threadIdx.x < RD_BOXES_REPORTED) {
        l->box[threadIdx.x] = UINT32_MAX;
        l->n_to[threadIdx.x] = 0;
    }
}

/* Sends the leavers to their boxes, and adds the block's counts of its own voxels to begin[]. All
   threads of the block call it, after a barrier. */
static __device__ __forceinline__ void rd_close_leavers(const struct rd_sort_by_voxel &g,
                                                        const struct rd_box &b,
                                                        struct rd_leavers *l, const uint32_t *count)
{
    rd_report_boxes(g, l);
    for (int c = threadIdx.x; c < b.n_rows << g.bits[0]; c += blockDim.x)
        if (count[c] > 0)
            atomicAdd(&g.begin[rd_box_row(g, b, c >> g.bits[0]) + (c & ((1 << g.bits[0]) - 1))],
                      count[c]);
}

#endif
