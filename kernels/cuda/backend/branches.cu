/* branches - streams in which the passes of short lists run beside each other: a kernel for ten
   thousand individuals uses a small part of a GPU. All passes of a list are in one branch, in their
   order. Any other pass waits for all branches. */
#include "kernels/core/fused_passes.h"
#include "kernels/cuda/backend/machine.cuh"

/* Returns whether the pass uses one list alone and cannot fault: after a fault no later pass runs.
   CHECK_CAPACITY may pause, but the first list that lacks memory decides where. */
static bool is_of_one_list(const struct rd_world *w, enum rd_pass pass)
{
    switch (pass) {
    case RD_MOVE:
        return !w->lists.now.moves_by_rates;
    case RD_SORT:
    case RD_INDEX:
    case RD_COPY_LIST:
    case RD_RETURN_SLOTS:
    case RD_CHECK_CAPACITY:
        return true;
    default:
        return false;
    }
}

cudaError_t rd_cuda_open_trunk(rd_machine *m)
{
    m->at = &m->trunk;
    m->trunk.stream = m->stream;
    return cudaEventCreateWithFlags(&m->trunk.ended, cudaEventDisableTiming);
}

/* Takes the stream of a branch and its memory. */
static bool open_branch(rd_machine *m, struct rd_branch *b)
{
    cudaError_t error;
    const size_t bytes = rd_cuda_sort_capacity(m, RD_SHORT_LIST);
    b->capacity = rd_cuda_take(m, bytes, &error);
    if (!rd_cuda_keep(m, error, "allocate memory for a list"))
        return false;
    b->capacity_bytes = bytes;
    b->deferred.n = (uint32_t *)rd_cuda_take(m, RD_DEFERRED_NUMBERS * sizeof(uint32_t), &error);
    return rd_cuda_keep(m, error, "allocate memory for a list") &&
           rd_cuda_keep(m, cudaEventCreateWithFlags(&b->ended, cudaEventDisableTiming),
                        "make an event") &&
           rd_cuda_keep(m, cudaStreamCreateWithFlags(&b->stream, cudaStreamNonBlocking),
                        "make a stream");
}

/* Lets a branch begin after all that is in the machine's stream, which gets no work until the
   branches join it. */
static bool begin_branch(rd_machine *m, struct rd_branch *b)
{
    if (b->is_begun)
        return true;
    if (!b->stream && !open_branch(m, b))
        return false;
    b->is_begun =
        rd_cuda_keep(m, cudaEventRecord(m->trunk.ended, m->stream), "begin a list") &&
        rd_cuda_keep(m, cudaStreamWaitEvent(b->stream, m->trunk.ended, 0), "begin a list");
    return b->is_begun;
}

void rd_cuda_join(rd_machine *m)
{
    m->at = &m->trunk;
    for (int i = 0; i < RD_BRANCHES; i++) {
        struct rd_branch *const b = &m->branch[i];
        if (b->is_begun) {
            rd_cuda_keep(m, cudaEventRecord(b->ended, b->stream), "end a list");
            rd_cuda_keep(m, cudaStreamWaitEvent(m->stream, b->ended, 0), "end a list");
        }
        b->is_begun = false;
    }
}

void rd_cuda_choose_branch(rd_machine *m, const struct rd_world *w, enum rd_pass pass)
{
    struct rd_branch *const b = &m->branch[w->lists.at_list % RD_BRANCHES];
    if (is_of_one_list(w, pass) && rd_is_beside_others(w) && begin_branch(m, b))
        m->at = b;
    else
        rd_cuda_join(m);
}

void rd_cuda_branches_close(rd_machine *m)
{
    if (m->trunk.ended)
        cudaEventDestroy(m->trunk.ended);
    for (int i = 0; i < RD_BRANCHES; i++) {
        struct rd_branch *const b = &m->branch[i];
        rd_cuda_give(m, b->capacity);
        rd_cuda_give(m, b->deferred.n);
        if (b->ended)
            cudaEventDestroy(b->ended);
        if (b->stream)
            cudaStreamDestroy(b->stream);
    }
}
