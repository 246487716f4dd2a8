/* backend_cuda - one NVIDIA GPU as a back end: its selection, its stream, and transfers to and from
   it. */
#include "kernels/cuda/backend/machine.cuh"

#include <stdlib.h>

bool rd_cuda_report(struct rd_error *e, cudaError_t error, const char *what)
{
    return error == cudaSuccess ||
           rd_fail(e, "the GPU could not %s: %s", what, cudaGetErrorString(error));
}

bool rd_cuda_keep(rd_machine *m, cudaError_t error, const char *what)
{
    if (m->error == cudaSuccess && error != cudaSuccess) {
        m->error = error;
        m->failed = what;
    }
    return m->error == cudaSuccess;
}

static bool cuda_open(rd_machine **m, int threads, int device, struct rd_error *e)
{
    (void)threads;
    const int n = rd_cuda_devices();
    if (n == 0)
        return rd_cuda_check_driver(e) &&
               rd_fail(e, "back end 'cuda': this machine has no NVIDIA GPU with a working driver; "
                          "take --backend cpu");
    if (!rd_backend_has_gpu(device, n, e))
        return false;
    *m = (rd_machine *)calloc(1, sizeof **m);
    if (!*m)
        return rd_fail(e, "out of memory for the back end");
    (*m)->device = device;
    return rd_cuda_report(e, cudaSetDevice(device), "be selected") &&
           rd_cuda_report(e, cudaGetDeviceProperties(&(*m)->properties, device),
                          "report its properties") &&
           rd_cuda_check_device(&(*m)->properties, e) &&
           rd_cuda_report(e, cudaStreamCreateWithFlags(&(*m)->stream, cudaStreamNonBlocking),
                          "make a stream") &&
           rd_cuda_report(e, rd_cuda_open_trunk(*m), "make an event") &&
           ((*m)->queue = rd_queue_open(*m, e)) != NULL &&
           ((((*m)->fusion = rd_fusion_open(*m)) != NULL &&
             ((*m)->fused_rows = rd_fused_rows_open(*m)) != NULL) ||
            rd_fail(e, "out of memory for the back end"));
}

static void cuda_close(rd_machine *m)
{
    rd_queue_close(m->queue);
    rd_fusion_close(m->fusion);
    rd_fused_rows_close(m->fused_rows);
    rd_cuda_branches_close(m);
    rd_cuda_give(m, m->trunk.capacity);
    rd_cuda_give(m, m->trunk.deferred.n);
    rd_cuda_stage_close(m);
    rd_cuda_by_host_close(m);
    cudaFree(m->arena.at);
    if (m->stream)
        cudaStreamDestroy(m->stream);
    free(m);
}

static const char *cuda_device(const rd_machine *m)
{
    return m->properties.name;
}

static int cuda_threads(const rd_machine *m)
{
    (void)m;
    return 1;
}

static int64_t cuda_memory(const rd_machine *m)
{
    (void)m;
    size_t free_bytes = 0, all = 0;
    return cudaMemGetInfo(&free_bytes, &all) == cudaSuccess ? (int64_t)free_bytes : -1;
}

static bool cuda_zero(rd_machine *m, void *p, size_t bytes, struct rd_error *e)
{
    rd_queue_send(m);
    return rd_cuda_report(e, cudaMemsetAsync(p, 0, bytes, m->stream), "clear memory");
}

static void *cuda_alloc(rd_machine *m, size_t bytes, struct rd_error *e)
{
    cudaError_t error;
    void *const p = rd_cuda_take(m, bytes, &error);
    if (!p) {
        rd_fail(e, "the GPU cannot allocate %.3g GB more: %s", (double)bytes / 1e9,
                cudaGetErrorString(error));
        return NULL;
    }
    if (cuda_zero(m, p, bytes, e))
        return p;
    rd_cuda_give(m, p);
    return NULL;
}

static void cuda_free(rd_machine *m, void *p)
{
    rd_queue_send(m);
    rd_cuda_give(m, p);
}

static bool cuda_put(rd_machine *m, void *to, const void *from, size_t bytes, struct rd_error *e)
{
    rd_queue_send(m);
    rd_fusion_invalidate(m->fusion, to);
    return rd_cuda_report(e, cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, m->stream),
                          "receive data") &&
           rd_cuda_report(e, cudaStreamSynchronize(m->stream), "receive data");
}

static bool cuda_get(rd_machine *m, void *to, const void *from, size_t bytes, struct rd_error *e)
{
    rd_queue_send(m);
    rd_fusion_report(m->fusion);
    if (bytes <= RD_FEW_BYTES && ((uintptr_t)from | bytes) % sizeof(uint32_t) == 0)
        return rd_cuda_get_few(m, to, from, bytes, e);
    return rd_cuda_report(e, cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, m->stream),
                          "send data") &&
           rd_cuda_report(e, cudaStreamSynchronize(m->stream), "send data");
}

static void cuda_copy(rd_machine *m, void *to, const void *from, size_t bytes)
{
    rd_queue_send(m);
    rd_cuda_keep(m, cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, m->stream),
                 "copy memory");
}

/* Scan and sort at once, after the waiting calls. */
static void cuda_scan(rd_machine *m, int32_t *x, const int64_t *n, int64_t most, bool with_itself)
{
    rd_queue_send(m);
    rd_cuda_scan(m, x, n, most, with_itself);
}

static void cuda_scan_segments(rd_machine *m, int32_t *to, const int32_t *from, const uint8_t *flag,
                               int64_t n)
{
    rd_queue_send(m);
    rd_cuda_scan_segments(m, to, from, flag, n);
}

static void cuda_sort(rd_machine *m, uint32_t *key, uint32_t *value, uint32_t *key_to,
                      uint32_t *value_to, const int64_t *n, int64_t most, int bits)
{
    rd_queue_send(m);
    rd_cuda_sort(m, key, value, key_to, value_to, n, most, bits);
}

static void cuda_wait(rd_machine *m)
{
    rd_queue_send_to_measure(m);
    rd_cuda_keep(m, cudaStreamSynchronize(m->stream), "run a pass");
}

/* Waits for the GPU. After a failure, each later call reports it again. */
static bool cuda_sync(rd_machine *m, struct rd_error *e)
{
    rd_queue_send(m);
    rd_cuda_keep(m, cudaStreamSynchronize(m->stream), "run a pass");
    return rd_cuda_report(e, m->error, m->failed);
}

extern "C" const struct rd_backend rd_backend_cuda = {
    "cuda",
    false,
    cuda_open,
    cuda_close,
    cuda_device,
    cuda_threads,
    cuda_memory,
    rd_cuda_work_memory,
    rd_cuda_reserve,
    cuda_alloc,
    cuda_free,
    cuda_put,
    cuda_get,
    rd_cuda_gather,
    rd_cuda_scatter,
    rd_cuda_get_sums,
    rd_cuda_get_marks,
    cuda_zero,
    cuda_copy,
    rd_queue_run,
    rd_cuda_sum,
    cuda_scan,
    cuda_scan_segments,
    cuda_sort,
    cuda_wait,
    cuda_sync,
    rd_cuda_async_copy_open,
    rd_cuda_async_copy_close,
    rd_cuda_async_copy_bytes,
    rd_cuda_async_copy,
    rd_cuda_async_copy_wait,
};
