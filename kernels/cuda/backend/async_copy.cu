/* async_copy - copies data from the GPU on a stream of their own while passes go on. A copy within
   device memory, in the order of the passes, is followed by one to pinned host memory, concurrent
   with them. */
#include "kernels/cuda/backend/machine.cuh"

#include <stdlib.h>

struct rd_async_copy {
    int device;
    char *byte;          /* pinned */
    cudaEvent_t arrived; /* recorded after the last copy */
    cudaError_t error;   /* the first one of the last copy */
};

static bool open_stage(struct rd_stage *stage, struct rd_error *e)
{
    const unsigned untimed = cudaEventDisableTiming;
    return stage->stream ||
           (rd_cuda_report(e, cudaStreamCreateWithFlags(&stage->stream, cudaStreamNonBlocking),
                           "make a stream") &&
            rd_cuda_report(e, cudaEventCreateWithFlags(&stage->filled, untimed), "make an event") &&
            rd_cuda_report(e, cudaEventCreateWithFlags(&stage->emptied, untimed), "make an event"));
}

/* Frees the buffer after its stream has finished reading it. */
static void give_stage(rd_machine *m)
{
    if (m->stage.stream)
        cudaStreamSynchronize(m->stage.stream);
    rd_cuda_give(m, m->stage.byte);
}

/* Enlarges the buffer, or continues without one if memory is short. It is cleared once, since a
   copy includes the gaps between pieces. */
static void enlarge(rd_machine *m, size_t bytes)
{
    cudaError_t error;
    if (bytes <= m->stage.capacity)
        return;
    give_stage(m);
    m->stage.byte = (char *)rd_cuda_take(m, bytes, &error);
    m->stage.capacity = bytes;
    if (m->stage.byte)
        rd_cuda_keep(m, cudaMemsetAsync(m->stage.byte, 0, bytes, m->stream), "clear memory");
}

void rd_cuda_stage_close(rd_machine *m)
{
    struct rd_stage *const stage = &m->stage;
    give_stage(m);
    if (stage->stream)
        cudaStreamDestroy(stage->stream);
    if (stage->filled)
        cudaEventDestroy(stage->filled);
    if (stage->emptied)
        cudaEventDestroy(stage->emptied);
    *stage = rd_stage();
}

rd_async_copy *rd_cuda_async_copy_open(rd_machine *m, size_t bytes, struct rd_error *e)
{
    rd_async_copy *const l = (rd_async_copy *)calloc(1, sizeof *l);
    if (!l) {
        rd_fail(e, "out of memory for recording");
        return NULL;
    }
    l->device = m->device;
    if (open_stage(&m->stage, e) &&
        rd_cuda_report(e, cudaMallocHost((void **)&l->byte, bytes > 0 ? bytes : 1),
                       "pin memory for recording") &&
        rd_cuda_report(e, cudaEventCreateWithFlags(&l->arrived, cudaEventDisableTiming),
                       "make an event")) {
        enlarge(m, bytes);
        return l;
    }
    rd_cuda_async_copy_close(m, l);
    return NULL;
}

void rd_cuda_async_copy_close(rd_machine *m, rd_async_copy *l)
{
    (void)m;
    if (!l)
        return;
    if (l->arrived) {
        cudaEventSynchronize(l->arrived);
        cudaEventDestroy(l->arrived);
    }
    cudaFreeHost(l->byte);
    free(l);
}

/* Keeps the first error. */
static void keep_error(rd_async_copy *l, cudaError_t error)
{
    if (l->error == cudaSuccess)
        l->error = error;
}

char *rd_cuda_async_copy_bytes(rd_async_copy *l)
{
    (void)l;
    return NULL;
}

void rd_cuda_async_copy(rd_machine *m, rd_async_copy *l, const struct rd_piece *piece, int n)
{
    struct rd_stage *const stage = &m->stage;
    const cudaStream_t passes = m->stream;
    const bool by_stage = stage->byte != NULL;
    const cudaMemcpyKind kind = by_stage ? cudaMemcpyDeviceToDevice : cudaMemcpyDeviceToHost;
    char *const to = by_stage ? stage->byte : l->byte;
    size_t end = 0;
    rd_queue_send(m);
    l->error = cudaStreamWaitEvent(passes, stage->emptied, 0);
    for (int i = 0; i < n; i++) {
        if (piece[i].bytes == 0)
            continue;
        keep_error(l,
                   cudaMemcpyAsync(to + piece[i].at, piece[i].from, piece[i].bytes, kind, passes));
        end = piece[i].at + piece[i].bytes > end ? piece[i].at + piece[i].bytes : end;
    }
    if (by_stage && end > 0) {
        keep_error(l, cudaEventRecord(stage->filled, passes));
        keep_error(l, cudaStreamWaitEvent(stage->stream, stage->filled, 0));
        keep_error(
            l, cudaMemcpyAsync(l->byte, stage->byte, end, cudaMemcpyDeviceToHost, stage->stream));
        keep_error(l, cudaEventRecord(stage->emptied, stage->stream));
    }
    keep_error(l, cudaEventRecord(l->arrived, by_stage ? stage->stream : passes));
}

const char *rd_cuda_async_copy_wait(rd_async_copy *l, struct rd_error *e)
{
    cudaError_t error = l->error;
    if (error == cudaSuccess)
        error = cudaSetDevice(l->device);
    if (error == cudaSuccess)
        error = cudaEventSynchronize(l->arrived);
    return rd_cuda_report(e, error, "hand out what is recorded") ? l->byte : NULL;
}
