/* machine - the state of one NVIDIA GPU, shared by the files of its back end: memory in device.cu,
   passes in launch.cu, those of lists beside each other in branches.cu, sums, scans and sorts in
   scans_and_sorts.cu, asynchronous copies to the host in async_copy.cu, counts that the host reads
   and writes in counts_by_host.cu. */
#ifndef RD_CUDA_BACKEND_MACHINE_CUH
#define RD_CUDA_BACKEND_MACHINE_CUH

#include "kernels/core/arena.h"
#include "kernels/cuda/backend/fused_rows.cuh"
#include "kernels/cuda/backend/fused_step.cuh"
#include "kernels/cuda/backend/queue.cuh"
#include "kernels/cuda/backend/tuned_passes.cuh"

#include <cuda_runtime.h>

/* Holds a stream with the memory that its passes need for themselves. Zero: not opened. */
struct rd_branch {
    cudaStream_t stream;
    cudaEvent_t ended;
    void *capacity; /* temporary storage of CUB */
    size_t capacity_bytes;
    struct rd_deferred deferred; /* voxels that tuned passes leave to plain bodies */
    bool is_begun;               /* it has passes that the machine's stream has not waited for */
};

/* Sets the most branches beside the machine's stream. */
enum { RD_BRANCHES = 8 };

/* Holds device memory that buffers one asynchronous copy at a time on its way to the host. */
struct rd_stage {
    cudaStream_t stream; /* from the buffer to the host */
    cudaEvent_t filled, emptied;
    char *byte; /* NULL: out of memory; passes then wait for the copy to the host */
    size_t capacity;
};

/* Tells the host that a kernel has ended: its last block writes the number. */
struct rd_ticket {
    uint32_t *at;     /* pinned */
    uint32_t *n_done; /* on the device: blocks that have ended; 0 between two kernels */
    uint32_t number;  /* of the latest kernel */
};

/* Holds pinned memory of the host, which kernels read and write for it. */
struct rd_by_host {
    char *byte;
    size_t capacity;
    bool is_read; /* a kernel may still read it */
    struct rd_ticket ticket;
    int64_t *sum; /* on the device; 0 between two kernels */
    int64_t n_sums;
};

struct rd_machine {
    int device;
    cudaStream_t stream;
    rd_queue *queue;
    struct rd_arena arena;
    rd_fusion *fusion;
    rd_fused_rows *fused_rows;
    struct rd_branch trunk; /* the stream above */
    struct rd_branch branch[RD_BRANCHES];
    struct rd_branch *at;  /* where passes are launched */
    int64_t most_deferred; /* of the trunk */
    struct rd_stage stage;
    struct rd_by_host by_host;
    cudaError_t error; /* the first of passes, scans and sorts; sync reports it */
    const char *failed;
    cudaDeviceProp properties;
};

/* Returns whether error is cudaSuccess; otherwise sets e to "the GPU could not WHAT: ...". */
bool rd_cuda_report(struct rd_error *e, cudaError_t error, const char *what);
/* Keeps the first failure until the next sync. Returns false after any failure. */
bool rd_cuda_keep(rd_machine *m, cudaError_t error, const char *what);

/* Returns whether the current device can be used; otherwise sets e. */
bool rd_cuda_check_device(const cudaDeviceProp *p, struct rd_error *e);
/* Returns the error of the first use of a kernel. */
cudaError_t rd_cuda_try_kernel(void);

/* Implement `work_memory` and `reserve` of struct rd_backend. */
int64_t rd_cuda_work_memory(rd_machine *m, const struct rd_world *w);
bool rd_cuda_reserve(rd_machine *m, const struct rd_world *w, int64_t bytes, struct rd_error *e);
/* Returns memory of the arena while it has room, otherwise an allocation of its own; NULL sets
   *error. rd_cuda_give frees it, and accepts NULL. A later user of the memory comes later in the
   machine's stream. */
void *rd_cuda_take(rd_machine *m, size_t bytes, cudaError_t *error);
void rd_cuda_give(rd_machine *m, void *p);
/* Return the bytes of temporary storage for scans and sorts of this world, and the bytes for the
   voxels that tuned passes defer. */
size_t rd_cuda_verbs_capacity(rd_machine *m, const struct rd_world *w);
size_t rd_cuda_deferred_capacity(const struct rd_lattice *lattice);
size_t rd_cuda_sort_capacity(rd_machine *m, int64_t entries);
/* Replaces the temporary storage of scans and sorts by so many bytes. Returns false after any
   failure. */
bool rd_cuda_take_capacity(rd_machine *m, size_t bytes);

/* Reads whole words of 4 bytes, of at most RD_FEW_BYTES, sooner than by a copy. */
enum { RD_FEW_BYTES = 256 };
bool rd_cuda_get_few(rd_machine *m, void *to, const void *from, size_t bytes, struct rd_error *e);
bool rd_cuda_gather(rd_machine *m, int32_t *to, const int32_t *from, const int64_t *index,
                    int64_t n, struct rd_error *e);
bool rd_cuda_scatter(rd_machine *m, int32_t *to, const int32_t *from, const int64_t *index,
                     int64_t n, struct rd_error *e);
bool rd_cuda_get_sums(rd_machine *m, int64_t *to, const int32_t *from, int64_t n, int64_t length,
                      struct rd_error *e);
bool rd_cuda_get_marks(rd_machine *m, uint8_t *to, const int32_t *from, int64_t n, int32_t low,
                       int32_t high, struct rd_error *e);
void rd_cuda_by_host_close(rd_machine *m);
void rd_cuda_sum(rd_machine *m, int64_t *to, const int32_t *from, int64_t n, int64_t length);
/* Makes the machine's stream the trunk. */
cudaError_t rd_cuda_open_trunk(rd_machine *m);
/* Chooses where the pass is launched: in the branch of its list, or in the machine's stream, which
   waits for the branches first, as in rd_cuda_join. */
void rd_cuda_choose_branch(rd_machine *m, const struct rd_world *w, enum rd_pass pass);
void rd_cuda_join(rd_machine *m);
void rd_cuda_branches_close(rd_machine *m);
/* Executes the first of n calls of the queue in the machine's stream, with those after it that a
   kernel does at once. Returns their number. */
int rd_cuda_run(rd_machine *m, const struct rd_call *c, int n);
void rd_cuda_scan(rd_machine *m, int32_t *x, const int64_t *n, int64_t most, bool with_itself);
void rd_cuda_scan_segments(rd_machine *m, int32_t *to, const int32_t *from, const uint8_t *flag,
                           int64_t n);
void rd_cuda_sort(rd_machine *m, uint32_t *key, uint32_t *value, uint32_t *key_to,
                  uint32_t *value_to, const int64_t *n, int64_t most, int bits);
rd_async_copy *rd_cuda_async_copy_open(rd_machine *m, size_t bytes, struct rd_error *e);
void rd_cuda_async_copy_close(rd_machine *m, rd_async_copy *l);
char *rd_cuda_async_copy_bytes(rd_async_copy *l);
void rd_cuda_async_copy(rd_machine *m, rd_async_copy *l, const struct rd_piece *piece, int n);
const char *rd_cuda_async_copy_wait(rd_async_copy *l, struct rd_error *e);
void rd_cuda_stage_close(rd_machine *m);

#endif
