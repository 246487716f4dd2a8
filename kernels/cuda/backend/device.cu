/* device - checks whether there is a usable NVIDIA GPU, and takes its memory: one block for all
   that a simulation is known to need there, namely its arrays, temporary storage and buffers for
   recording. Later growth, and needs not known in advance, are allocations of their own. */
#include "kernels/cuda/backend/machine.cuh"

enum { MAJOR_LEAST = 8 }; /* of the compute capability */

extern "C" int rd_cuda_devices(void)
{
    int n = 0;
    return cudaGetDeviceCount(&n) == cudaSuccess ? n : 0;
}

/* Returns whether the driver is new enough for this program. Versions are encoded: CUDA 12.4 is
   12040. */
extern "C" bool rd_cuda_check_driver(struct rd_error *e)
{
    int driver = 0;
    if (cudaDriverGetVersion(&driver) != cudaSuccess || driver == 0 ||
        driver / 1000 >= CUDART_VERSION / 1000)
        return true;
    return rd_fail(e,
                   "the NVIDIA driver here is for CUDA %d.%d, but this program for CUDA %d.%d; "
                   "install a newer driver, or take --backend cpu",
                   driver / 1000, driver % 1000 / 10, CUDART_VERSION / 1000,
                   CUDART_VERSION % 1000 / 10);
}

bool rd_cuda_check_device(const cudaDeviceProp *p, struct rd_error *e)
{
    if (p->major < MAJOR_LEAST)
        return rd_fail(e,
                       "the GPU '%s' has compute capability %d.%d; it must be %d.0 or above: take "
                       "another one by --device, or --backend cpu",
                       p->name, p->major, p->minor, MAJOR_LEAST);
    const cudaError_t error = rd_cuda_try_kernel();
    switch (error) {
    case cudaErrorNoKernelImageForDevice:
    case cudaErrorInvalidDeviceFunction:
        return rd_fail(e,
                       "this program has no code for the GPU '%s'; build it with -D "
                       "CMAKE_CUDA_ARCHITECTURES=%d%d, or take --backend cpu",
                       p->name, p->major, p->minor);
    case cudaErrorDevicesUnavailable:
    case cudaErrorDeviceAlreadyInUse:
        return rd_fail(e,
                       "the GPU '%s' is busy: another program has it for itself; wait for that, "
                       "take another one by --device, or --backend cpu",
                       p->name);
    default:
        return rd_cuda_report(e, error, "begin");
    }
}

int64_t rd_cuda_work_memory(rd_machine *m, const struct rd_world *w)
{
    const size_t deferred =
        rd_fusion_does_all(w) ? 0 : rd_arena_padded(rd_cuda_deferred_capacity(&w->lattice));
    return (int64_t)(rd_arena_padded(rd_cuda_verbs_capacity(m, w)) +
                     rd_arena_padded(rd_fusion_capacity(w)) +
                     rd_arena_padded(rd_fused_rows_capacity(m, w)) + deferred);
}

bool rd_cuda_reserve(rd_machine *m, const struct rd_world *w, int64_t bytes, struct rd_error *e)
{
    struct rd_arena *const a = &m->arena;
    const size_t all = (size_t)(bytes + rd_cuda_work_memory(m, w));
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
