/* tuned_passes - the hand-written versions of passes for the GPU. Each gives the results of the
   generated loop, bit for bit. A lean kernel handles the many simple voxels and defers the others
   to the plain body, which needs too many registers to be in the same kernel. */
#ifndef RD_CUDA_BACKEND_TUNED_PASSES_CUH
#define RD_CUDA_BACKEND_TUNED_PASSES_CUH

#include "kernels/core/lattice.h"

#include <cuda_runtime.h>

/* Lists the deferred voxels, or other items of a pass, in any order; it has room for all. A pass
   may list some of them backwards from the end on. The numbers stand one after the other. */
enum { RD_DEFERRED_NUMBERS = 3 };
struct rd_deferred {
    uint32_t *voxel;
    uint32_t *n, *n_last;
    uint32_t *n_reacting; /* in place of n, where rows react when they land */
};

/* Holds the voxels that one block of threads defers; `at` is their first place in the list. The
   constants are sizes of blocks and numbers of blocks. */
enum {
    RD_TILE = 256,
    RD_DEFERRED_THREADS = 128,
    RD_DEFERRED_BLOCKS = 2048,
    RD_TILES_EACH = 6 /* resident on a multiprocessor: all the threads that smaller devices have */
};
struct rd_tile_deferred {
    uint16_t voxel[RD_TILE];
    int n;
    uint32_t at;
};

/* Returns the number of blocks for `each` blocks on every multiprocessor of the current device. */
static inline unsigned rd_blocks_for(int each)
{
    int device = 0, n = 1;
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&n, cudaDevAttrMultiProcessorCount, device);
    return (unsigned)(n * each);
}

void rd_react_tiles(const struct rd_world *w, struct rd_deferred deferred, cudaStream_t stream);
void rd_update_lists_portions(const struct rd_world *w, struct rd_deferred deferred,
                              cudaStream_t stream);
void rd_index_by_search(const struct rd_world *w, struct rd_deferred deferred, cudaStream_t stream);
void rd_hop_on_uniformised_walks(const struct rd_world *w, struct rd_deferred deferred,
                                 cudaStream_t stream);
void rd_react_rows_queues(const struct rd_world *w, struct rd_deferred deferred,
                          cudaStream_t stream);
void rd_hop_rows_queues(const struct rd_world *w, struct rd_deferred deferred, cudaStream_t stream);
void rd_link_and_send(const struct rd_world *w, struct rd_deferred deferred, cudaStream_t stream);
void rd_land_rows_queues(const struct rd_world *w, struct rd_deferred deferred,
                         cudaStream_t stream);
/* Launch LAND_ROWS, CLOSE_ROWS and REACT_ROWS, and the first part of these: rows land, and voxels
   in which reactions may happen are listed. HOP_ROWS has cleared n_reacting. */
void rd_react_landed_rows(const struct rd_world *landing, const struct rd_world *w,
                          struct rd_deferred deferred, cudaStream_t stream);
void rd_land_and_find(const struct rd_world *w, const struct rd_world *reacting,
                      struct rd_deferred deferred, cudaStream_t stream);
void rd_move_leanly(const struct rd_world *w, struct rd_deferred deferred, cudaStream_t stream);
void rd_sort_by_voxel_boxes(const struct rd_world *w, struct rd_deferred deferred,
                            cudaStream_t stream);
void rd_move_and_sort_boxes(const struct rd_world *w, struct rd_deferred deferred,
                            cudaStream_t stream);

/* Launch the plain bodies for the deferred voxels of simple worlds (small_voxels.cu). */
void rd_simple_react(const struct rd_world *w, struct rd_deferred deferred, cudaStream_t stream);
void rd_simple_maintain(const struct rd_world *w, struct rd_deferred deferred, cudaStream_t stream);

/* Appends the block's voxels to the deferred ones. All threads of the block call it after a
   barrier. */
static inline __device__ void rd_set_deferred(struct rd_tile_deferred *tile,
                                              struct rd_deferred deferred, int64_t begin)
{
    if (tile->n == 0)
        return;
    if (threadIdx.x == 0)
        tile->at = atomicAdd(deferred.n, (uint32_t)tile->n);
    __syncthreads();
    if ((int)threadIdx.x < tile->n)
        deferred.voxel[tile->at + threadIdx.x] = (uint32_t)(begin + tile->voxel[threadIdx.x]);
}

/* Clears touched[] for a voxel without events; update_lists reads nothing else of it. */
static inline __device__ void rd_leave_quiet_voxel(const struct rd_world &w, int64_t voxel)
{
    if (w.items.n_maintained > 0)
        w.lists.touched[voxel] = 0;
}

/* Runs the plain body for the deferred voxels. */
template <void (*body)(const struct rd_world *w, int64_t voxel)>
static __global__ void rd_do_deferred(const __grid_constant__ struct rd_world w,
                                      struct rd_deferred deferred)
{
    const uint32_t n = *deferred.n, stride = gridDim.x * blockDim.x;
    for (uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride)
        body(&w, deferred.voxel[i]);
}

#endif
