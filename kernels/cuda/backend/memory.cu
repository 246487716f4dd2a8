/* memory - the GPU's memory: one block for all that a simulation is known to need there, namely its
   arrays, temporary storage and buffers for recording. Later growth, and needs not known in
   advance, are allocations of their own. */
#include "kernels/cuda/backend/machine.cuh"

int64_t rd_cuda_beside(rd_machine *m, const struct rd_world *w)
{
    const size_t deferred =
        rd_fusion_does_all(w) ? 0 : rd_arena_padded(rd_cuda_deferred_capacity(w));
    return (int64_t)(rd_arena_padded(rd_cuda_verbs_capacity(m, w)) +
                     rd_arena_padded(rd_fusion_capacity(w)) + deferred);
}

bool rd_cuda_reserve(rd_machine *m, const struct rd_world *w, int64_t bytes, struct rd_error *e)
{
    struct rd_arena *const a = &m->arena;
    const size_t all = (size_t)(bytes + rd_cuda_beside(m, w));
    const cudaError_t error = cudaMalloc(&a->at, all);
    if (error != cudaSuccess) {
        cudaGetLastError();
        a->at = NULL;
        return rd_fail(e, "the GPU has no %.3g GB in one block: %s", (double)all / 1e9,
                       cudaGetErrorString(error));
    }
    a->bytes = all;
    const size_t capacity = rd_cuda_verbs_capacity(m, w);
    return capacity == 0 || rd_cuda_take_capacity(m, capacity) ||
           rd_cuda_report(e, m->error, m->failed);
}

void *rd_cuda_take(rd_machine *m, size_t bytes, cudaError_t *error)
{
    void *p = rd_arena_take(&m->arena, bytes);
    *error = p ? cudaSuccess : cudaMalloc(&p, bytes > 0 ? bytes : 1);
    if (*error == cudaSuccess)
        return p;
    cudaGetLastError(); /* clears the error, which the caller reports */
    return NULL;
}

void rd_cuda_give(rd_machine *m, void *p)
{
    if (p && !rd_arena_give(&m->arena, p))
        cudaFree(p);
}
