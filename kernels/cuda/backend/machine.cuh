/* machine - the state of one NVIDIA GPU, for the files that are its back end: memory in
   memory_cuda.cu, passes in launch_cuda.cu, sums, scans and sorts in verbs_cuda.cu, what
   leaves it in lift_cuda.cu. */
#ifndef RD_CUDA_BACKEND_MACHINE_CUH
#define RD_CUDA_BACKEND_MACHINE_CUH

#include "kernels/core/arena.h"
#include "kernels/cuda/backend/fused_step.cuh"
#include "kernels/cuda/backend/queue.cuh"
#include "kernels/cuda/backend/tuned_passes.cuh"

#include <cuda_runtime.h>

/* Memory of the GPU in which what is lifted waits for its way to the host, one lift at a time. */
struct rd_stage {
    cudaStream_t stream; /* from the stage to the host */
    cudaEvent_t filled, emptied;
    char *byte; /* NULL: no room for it, so that passes wait for the way to the host */
    size_t capacity;
};

struct rd_machine {
    int device;
    cudaStream_t stream;
    rd_queue *queue;
    struct rd_arena arena;
    void *capacity; /* for CUB to work in */
    size_t capacity_bytes;
    rd_fusion *fusion;
    struct rd_deferred deferred; /* for twins of passes */
    int64_t most_deferred;
    struct rd_stage stage;
    cudaError_t error; /* the first of a pass or scan or sort; told by sync with what it was */
    const char *failed;
    cudaDeviceProp properties;
};

/* False with a sentence: the GPU could not do what. */
bool rd_cuda_report(struct rd_error *e, cudaError_t error, const char *what);
/* False once something failed; what failed first is kept until the next sync. */
bool rd_cuda_keep(rd_machine *m, cudaError_t error, const char *what);

/* Whether the card can be used, which is chosen; false with a sentence. */
bool rd_cuda_check_device(const cudaDeviceProp *p, struct rd_error *e);
/* What the first use of a kernel comes to. */
cudaError_t rd_cuda_try_kernel(void);

/* Two verbs of the back end: see there. */
int64_t rd_cuda_beside(rd_machine *m, const struct rd_world *w);
bool rd_cuda_reserve(rd_machine *m, const struct rd_world *w, int64_t bytes, struct rd_error *e);
/* Memory of the arena while there is room in it, else a piece of its own; NULL: why not. And back,
   NULL too; who is given what is given back comes later in the machine's stream. */
void *rd_cuda_take(rd_machine *m, size_t bytes, cudaError_t *error);
void rd_cuda_give(rd_machine *m, void *p);
/* Bytes that scans and sorts of such a world work in, and that twins set voxels aside in. */
size_t rd_cuda_verbs_capacity(rd_machine *m, const struct rd_world *w);
size_t rd_cuda_deferred_capacity(const struct rd_world *w);
/* Scans and sorts work in so many from now on; false once something failed. */
bool rd_cuda_take_capacity(rd_machine *m, size_t bytes);

/* What calls are, now: in the stream, without a look at the queue. */
void rd_cuda_run(rd_machine *m, const struct rd_world *w, enum rd_pass pass);
void rd_cuda_sum(rd_machine *m, int64_t *to, const int32_t *from, int64_t n, int64_t length);
void rd_cuda_scan(rd_machine *m, int32_t *x, int64_t most, bool with_itself);
void rd_cuda_scan_segments(rd_machine *m, int32_t *to, const int32_t *from, const uint8_t *flag,
                           int64_t n);
void rd_cuda_sort(rd_machine *m, uint32_t *key, uint32_t *value, uint32_t *key_to,
                  uint32_t *value_to, int64_t most, int bits);
rd_async_copy *rd_cuda_async_copy_open(rd_machine *m, size_t bytes, struct rd_error *e);
void rd_cuda_async_copy_close(rd_machine *m, rd_async_copy *l);
void rd_cuda_async_copy(rd_machine *m, rd_async_copy *l, const struct rd_piece *piece, int n);
const char *rd_cuda_lifted(rd_async_copy *l, struct rd_error *e);
void rd_cuda_stage_close(rd_machine *m);

#endif
