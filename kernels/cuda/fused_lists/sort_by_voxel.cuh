/* sort_by_voxel - the data that kernels share which sort a list by voxel after a movement. The
   lattice is divided into boxes of voxels; most individuals stay in their box in a step. */
#ifndef RD_CUDA_FUSED_LISTS_SORT_BY_VOXEL_CUH
#define RD_CUDA_FUSED_LISTS_SORT_BY_VOXEL_CUH

#include "kernels/cuda/backend/divide.cuh"
#include "kernels/cuda/backend/tuned_passes.cuh"
#include "kernels/passes/lists/expand.h"

enum {
    RD_SORT_THREADS = 384,  /* threads of a block */
    RD_SORTS_EACH = 4,      /* blocks resident on a multiprocessor */
    RD_AT_ONCE = 4,         /* entries that a lane loads from memory together */
    RD_BOX_VOXELS = 1024,   /* voxels of a box at most */
    RD_BOX_ROWS = 128,      /* rows of voxels along x, at most */
    RD_BOX_CAPACITY = 4608, /* entries that a block sorts in shared memory */
    RD_SUM_VOXELS = 4096    /* consecutive voxels that are summed up together */
};

/* Marks a key as a voxel of another box. During the sort, a key without this bit is the number of
   the new voxel within the old box. */
#define RD_ELSEWHERE UINT32_C(0x80000000)

/* Replaces the number of arrivals of an overfull box: its entries stand at the places of their
   voxels. */
#define RD_BOX_OVERFULL UINT32_MAX

/* Holds a list and its boxes. The runs of an ensemble follow one another along z. */
struct rd_sort_by_voxel {
    int32_t size[3], boxes[3];
    int32_t bits[3]; /* a box has 2^bits voxels along the axis, or the rest of the lattice */
    struct rd_divisor nx, ny;
    uint32_t *key, *slot, *key_next, *slot_next; /* of this list */
    const int32_t *first;                        /* [voxel]: first entry before the movement */
    uint32_t *begin;     /* [voxel]: number after the movement; then first entry */
    uint32_t *sum;       /* [RD_SUM_VOXELS voxels]: number after the movement */
    uint32_t capacity;   /* arrivals from other boxes for which a box has room */
    uint32_t *n_arrived; /* [box]: number of arrivals, or RD_BOX_OVERFULL */
    uint32_t *arrived_voxel, *arrived_entry; /* [box][capacity] */
    uint32_t *n_late, *late_entry;           /* entries beyond the capacity, of any box */
    uint32_t *posted; /* [voxel]: late entries at its first places; then, in overfull boxes, all */
    uint32_t *n_overfull; /* boxes with more entries than a block can sort */
};

static inline __host__ __device__ uint32_t rd_n_boxes(const struct rd_sort_by_voxel *g)
{
    return (uint32_t)(g->boxes[0] * g->boxes[1] * g->boxes[2]);
}

/* Holds the position and size of one box. */
struct rd_box {
    int32_t at[3], n[3]; /* first voxel, and number of voxels */
    int32_t n_rows;
};

static __device__ __forceinline__ struct rd_box rd_box_of(const struct rd_sort_by_voxel &g,
                                                          uint32_t number)
{
    const uint32_t row = number / (uint32_t)g.boxes[0];
    const uint32_t of[3] = {number % (uint32_t)g.boxes[0], row % (uint32_t)g.boxes[1],
                            row / (uint32_t)g.boxes[1]};
    struct rd_box b;
    for (int axis = 0; axis < 3; axis++) {
        b.at[axis] = (int32_t)(of[axis] << g.bits[axis]);
        const int32_t rest = g.size[axis] - b.at[axis];
        b.n[axis] = rest < 1 << g.bits[axis] ? rest : 1 << g.bits[axis];
    }
    b.n_rows = 1 << (g.bits[1] + g.bits[2]);
    return b;
}

/* Returns the first voxel of a row of the box, or -1 if the row is outside the lattice. */
static __device__ __forceinline__ int64_t rd_box_row(const struct rd_sort_by_voxel &g,
                                                     const struct rd_box &b, int row)
{
    const int32_t y = row & ((1 << g.bits[1]) - 1), z = row >> g.bits[1];
    if (y >= b.n[1] || z >= b.n[2])
        return -1;
    return ((int64_t)(b.at[2] + z) * g.size[1] + b.at[1] + y) * g.size[0] + b.at[0];
}

/* Returns the number of a voxel in its box, in rows of 2^bits[0] voxels, from its coordinates in
   the box. */
static __device__ __forceinline__ uint32_t rd_box_voxel(const struct rd_sort_by_voxel &g,
                                                        uint32_t x, uint32_t y, uint32_t z)
{
    return (z << g.bits[1] | y) << g.bits[0] | x;
}

/* Returns the number of the voxel in the box, or UINT32_MAX if it is in another box. */
static __device__ __forceinline__ uint32_t rd_in_box(const struct rd_sort_by_voxel &g,
                                                     const struct rd_box &b, uint32_t voxel)
{
    const uint32_t row = rd_quotient(voxel, g.nx), plane = rd_quotient(row, g.ny);
    const uint32_t x = voxel - row * g.nx.d - (uint32_t)b.at[0];
    const uint32_t y = row - plane * g.ny.d - (uint32_t)b.at[1], z = plane - (uint32_t)b.at[2];
    const bool is_in = (x >> g.bits[0] | y >> g.bits[1] | z >> g.bits[2]) == 0;
    return is_in ? rd_box_voxel(g, x, y, z) : UINT32_MAX;
}

/* Returns the box of the voxel; *in becomes its number in the box. */
static __device__ __forceinline__ uint32_t rd_find_box(const struct rd_sort_by_voxel &g,
                                                       uint32_t voxel, uint32_t *in)
{
    const uint32_t row = rd_quotient(voxel, g.nx), z = rd_quotient(row, g.ny);
    const uint32_t x = voxel - row * g.nx.d, y = row - z * g.ny.d;
    *in = rd_box_voxel(g, x & ((1u << g.bits[0]) - 1), y & ((1u << g.bits[1]) - 1),
                       z & ((1u << g.bits[2]) - 1));
    return ((z >> g.bits[2]) * (uint32_t)g.boxes[1] + (y >> g.bits[1])) * (uint32_t)g.boxes[0] +
           (x >> g.bits[0]);
}

/* Stores the entry at the next free place of its new voxel. */
static __device__ __forceinline__ void rd_put_at_voxel(const struct rd_sort_by_voxel &g,
                                                       uint32_t voxel, uint32_t entry)
{
    g.key_next[g.begin[voxel] + atomicAdd(&g.posted[voxel], 1)] = entry;
}

/* Returns the z coordinate of the plane in its run; *run becomes the run. */
static __device__ __forceinline__ int32_t rd_plane_of(const struct rd_lattice &lattice,
                                                      int32_t plane, int32_t *run)
{
    *run = lattice.n_runs == 1 ? 0 : plane / lattice.size[2];
    return plane - *run * lattice.size[2];
}

/* Count the individuals of each voxel after the movement, and store the arrivals of each box. The
   first function counts individuals that have moved; the second also moves them, by displacement
   distributions that are the same everywhere. */
void rd_count_placements(const struct rd_world *w, const struct rd_sort_by_voxel *g,
                         cudaStream_t stream);
void rd_move_and_count(const struct rd_world *w, const struct rd_sort_by_voxel *g,
                       cudaStream_t stream);
/* Converts the counts of all voxels into their first entries. */
void rd_find_places(const struct rd_world *w, const struct rd_sort_by_voxel *g,
                    cudaStream_t stream);
/* Restores the old order among the entries of each voxel of overfull boxes, which their blocks have
   stored at the places of the voxels. */
void rd_order_overfull_boxes(const struct rd_world *w, const struct rd_sort_by_voxel *g,
                             cudaStream_t stream);

#endif
