/* sort_by_voxel - what the kernels share that bring a list into order again after a movement: boxes
   of voxels, most of whose individuals stay in them in a step, and room for their numbers. */
#ifndef RD_CUDA_FUSED_LISTS_SORT_BY_VOXEL_CUH
#define RD_CUDA_FUSED_LISTS_SORT_BY_VOXEL_CUH

#include "kernels/cuda/backend/divide.cuh"
#include "kernels/cuda/backend/tuned_passes.cuh"
#include "kernels/passes/lists/expand.h"

enum {
    RD_REGROUPERS = 384,        /* threads of a block, */
    RD_REGROUPS_EACH = 4,       /* and blocks at once on a multiprocessor */
    RD_AT_ONCE = 4,             /* entries that a lane has on their way from memory */
    RD_BOX_VOXELS = 1024,       /* voxels of a box at most, */
    RD_BOX_DISPLACEMENTS = 128, /* rows of voxels along x, */
    RD_BOX_CAPACITY = 4608,     /* and entries that its block orders in shared memory */
    RD_SUM_VOXELS = 4096        /* neighbouring voxels that are summed up together */
};

/* While they are on their way, the key of an entry is the number of its new voxel in its old box;
   or, with this bit, the voxel, which is in another box. */
#define RD_ELSEWHERE UINT32_C(0x80000000)

/* In place of how many arrived: those of the box wait at the places of their voxels. */
#define RD_BOX_CROWDED UINT32_MAX

/* A list and its boxes. The runs of an ensemble stand one behind the other along z. */
struct rd_sort_by_voxel {
    int32_t size[3], boxes[3];
    int32_t bits[3]; /* a box has 2^bits voxels along the axis, or what is left of the lattice */
    struct rd_divisor nx, ny;
    uint32_t *key, *slot, *key_next, *slot_next; /* of the list alone */
    const int32_t *first;                        /* [voxel]: where those stood who were there */
    uint32_t *begin;     /* [voxel]: how many will stand there; then where they begin */
    uint32_t *sum;       /* [RD_SUM_CELLS voxels]: how many will stand there */
    uint32_t capacity;   /* for those who come from other boxes, of each, */
    uint32_t *n_arrived; /* [box]: how many; or RD_BOX_CROWDED */
    uint32_t *arrived_voxel, *arrived_entry; /* [box][room] */
    uint32_t *n_late, *late_entry; /* those for whom there is none: entries, of any box, */
    uint32_t *posted;              /* [voxel]: how many of them were put at its first places */
    uint32_t *n_crowded;           /* boxes with more than a block has room for */
};

static inline __host__ __device__ uint32_t rd_n_boxes(const struct rd_sort_by_voxel *g)
{
    return (uint32_t)(g->boxes[0] * g->boxes[1] * g->boxes[2]);
}

/* A box on its way. */
struct rd_box {
    int32_t at[3], n[3]; /* its first voxel, and how many */
    int32_t n_displacements;
};

static __device__ __forceinline__ struct rd_box rd_box_of(const struct rd_sort_by_voxel &g,
                                                          uint32_t number)
{
    const uint32_t displacement = number / (uint32_t)g.boxes[0];
    const uint32_t of[3] = {number % (uint32_t)g.boxes[0], displacement % (uint32_t)g.boxes[1],
                            displacement / (uint32_t)g.boxes[1]};
    struct rd_box b;
    for (int axis = 0; axis < 3; axis++) {
        b.at[axis] = (int32_t)(of[axis] << g.bits[axis]);
        const int32_t rest = g.size[axis] - b.at[axis];
        b.n[axis] = rest < 1 << g.bits[axis] ? rest : 1 << g.bits[axis];
    }
    b.n_displacements = 1 << (g.bits[1] + g.bits[2]);
    return b;
}

/* The first voxel of a row of the box, or -1: it is beyond the lattice. */
static __device__ __forceinline__ int64_t rd_box_displacement(const struct rd_sort_by_voxel &g,
                                                              const struct rd_box &b,
                                                              int displacement)
{
    const int32_t y = displacement & ((1 << g.bits[1]) - 1), z = displacement >> g.bits[1];
    if (y >= b.n[1] || z >= b.n[2])
        return -1;
    return ((int64_t)(b.at[2] + z) * g.size[1] + b.at[1] + y) * g.size[0] + b.at[0];
}

/* The voxel's number in its box, by rows of 2^bits[0], from its place in it. */
static __device__ __forceinline__ uint32_t rd_box_voxel(const struct rd_sort_by_voxel &g,
                                                        uint32_t x, uint32_t y, uint32_t z)
{
    return (z << g.bits[1] | y) << g.bits[0] | x;
}

/* The same; above all of them: it is in another box. */
static __device__ __forceinline__ uint32_t rd_in_box(const struct rd_sort_by_voxel &g,
                                                     const struct rd_box &b, uint32_t voxel)
{
    const uint32_t displacement = rd_quotient(voxel, g.nx), plane = rd_quotient(displacement, g.ny);
    const uint32_t x = voxel - displacement * g.nx.d - (uint32_t)b.at[0];
    const uint32_t y = displacement - plane * g.ny.d - (uint32_t)b.at[1],
                   z = plane - (uint32_t)b.at[2];
    const bool is_in = (x >> g.bits[0] | y >> g.bits[1] | z >> g.bits[2]) == 0;
    return is_in ? rd_box_voxel(g, x, y, z) : UINT32_MAX;
}

/* The box of the voxel, and its number there. */
static __device__ __forceinline__ uint32_t rd_find_box(const struct rd_sort_by_voxel &g,
                                                       uint32_t voxel, uint32_t *in)
{
    const uint32_t displacement = rd_quotient(voxel, g.nx), z = rd_quotient(displacement, g.ny);
    const uint32_t x = voxel - displacement * g.nx.d, y = displacement - z * g.ny.d;
    *in = rd_box_voxel(g, x & ((1u << g.bits[0]) - 1), y & ((1u << g.bits[1]) - 1),
                       z & ((1u << g.bits[2]) - 1));
    return ((z >> g.bits[2]) * (uint32_t)g.boxes[1] + (y >> g.bits[1])) * (uint32_t)g.boxes[0] +
           (x >> g.bits[0]);
}

/* An entry waits at one of the places of the voxel. */
static __device__ __forceinline__ void rd_put_at_voxel(const struct rd_sort_by_voxel &g,
                                                       uint32_t voxel, uint32_t entry)
{
    g.key_next[g.begin[voxel] + atomicAdd(&g.posted[voxel], 1)] = entry;
}

/* The number in its run of row 0 of the plane; *run becomes the run's. */
static __device__ __forceinline__ int32_t rd_plane_of(const struct rd_world &w, int32_t plane,
                                                      int32_t *run)
{
    *run = w.n_runs == 1 ? 0 : plane / w.size[2];
    return plane - *run * w.size[2];
}

/* How many will stand in each voxel, and who comes to each box: of those who have moved; of those
   who move now, by rows that are the same everywhere. */
void rd_count_placements(const struct rd_world *w, const struct rd_sort_by_voxel *g,
                         cudaStream_t stream);
void rd_count_wanderers(const struct rd_world *w, const struct rd_sort_by_voxel *g,
                        cudaStream_t stream);
/* Where the places of each voxel begin. */
void rd_find_places(const struct rd_world *w, const struct rd_sort_by_voxel *g,
                    cudaStream_t stream);
/* The entries of crowded boxes, which their blocks have put at the places of their voxels: in the
   order they had. */
void rd_order_crowds(const struct rd_world *w, const struct rd_sort_by_voxel *g,
                     cudaStream_t stream);

#endif
