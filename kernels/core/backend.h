/* backend - the interface of a machine that runs passes over all items. The CPU is in
   kernels/cpu/backend_cpu.c, the GPU in kernels/cuda/backend/backend_cuda.cu; backend.c selects one
   by name. */
#ifndef RD_CORE_BACKEND_H
#define RD_CORE_BACKEND_H

#include "base/error.h"
#include "kernels/core/passes.h"
#include "kernels/core/world.h"

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct rd_machine rd_machine;       /* state of a back end */
typedef struct rd_async_copy rd_async_copy; /* host memory for copies during passes */

/* Describes a range of the machine's memory to copy, and its offset in the asynchronous copy. */
struct rd_piece {
    const void *from;
    size_t at, bytes;
};

struct rd_backend {
    const char *name;
    bool shares_host_memory; /* its memory is host memory: reading it costs nothing */
    bool (*open)(rd_machine **m, int threads, int device, struct rd_error *e);
    void (*close)(rd_machine *m);
    const char *(*device)(const rd_machine *m); /* "CPU", "NVIDIA H200" */
    int (*threads)(const rd_machine *m);        /* host threads that the passes use */
    int64_t (*memory)(const rd_machine *m);     /* free bytes, or -1 if not known */
    /* Returns the bytes that passes, scans and sorts over such a world need in addition to its
       arrays. It reads the sizes of the world, the host's tables of lists and, if they exist, of
       reactions. */
    int64_t (*work_memory)(rd_machine *m, const struct rd_world *w);
    /* Reserves that memory and `bytes` more, from which later allocations are taken. */
    bool (*reserve)(rd_machine *m, const struct rd_world *w, int64_t bytes, struct rd_error *e);
    void *(*alloc)(rd_machine *m, size_t bytes, struct rd_error *e); /* zeroed; NULL: message */
    void (*free)(rd_machine *m, void *p);
    bool (*put)(rd_machine *m, void *to, const void *from, size_t bytes, struct rd_error *e);
    bool (*get)(rd_machine *m, void *to, const void *from, size_t bytes, struct rd_error *e);
    /* Copies n of the machine's counts, from[index[i]], to the host's to[i]; or n of the host's
       counts, from[i], to to[index[i]], where each index stands once. */
    bool (*gather)(rd_machine *m, int32_t *to, const int32_t *from, const int64_t *index, int64_t n,
                   struct rd_error *e);
    bool (*scatter)(rd_machine *m, int32_t *to, const int32_t *from, const int64_t *index,
                    int64_t n, struct rd_error *e);
    /* Sets the host's to[i] to the sum of the `length` counts from[i * length ...], for n sums. */
    bool (*get_sums)(rd_machine *m, int64_t *to, const int32_t *from, int64_t n, int64_t length,
                     struct rd_error *e);
    /* Sets the host's to[i] to whether from[i] is one of low ... high, for n counts. */
    bool (*get_marks)(rd_machine *m, uint8_t *to, const int32_t *from, int64_t n, int32_t low,
                      int32_t high, struct rd_error *e);
    bool (*zero)(rd_machine *m, void *p, size_t bytes, struct rd_error *e);
    /* Copies within the machine's memory. A failure is kept until sync. */
    void (*copy)(rd_machine *m, void *to, const void *from, size_t bytes);
    /* Runs the pass for every item of the world, or for the selected list. A fault is kept in the
       machine until sync. The machine may hold the pass, to do it together with those that
       follow. */
    void (*run)(rd_machine *m, const struct rd_world *w, enum rd_pass pass);
    /* Sets to[i] to the sum of the `length` counts from[i * length ...], for n sums, all in the
       machine's memory. A failure is kept in the machine until sync. */
    void (*sum)(rd_machine *m, int64_t *to, const int32_t *from, int64_t n, int64_t length);
    /* The next three functions keep a failure in the machine until sync. The number of items, *n,
       is in the machine's memory and at most `most`. They may read and scan more than *n items. */
    /* Replaces x[i] by x[0] + ... + x[i], or without itself by x[0] + ... + x[i - 1], for *n items,
       or for `most` if n is NULL. */
    void (*scan)(rd_machine *m, int32_t *x, const int64_t *n, int64_t most, bool with_itself);
    /* Sets to[i] to from[j] + ... + from[i], where j <= i is the last index with flag[j] != 0, or
       0. */
    void (*scan_segments)(rd_machine *m, int32_t *to, const int32_t *from, const uint8_t *flag,
                          int64_t n);
    /* Sorts the first *n pairs (key, value) by the low bits of their keys into key_to, value_to,
       and keeps the order of equal keys. The old pairs are lost. Behind them, up to `most`, both
       buffers hold the same pairs, with keys of all ones; these stay. */
    void (*sort)(rd_machine *m, uint32_t *key, uint32_t *value, uint32_t *key_to,
                 uint32_t *value_to, const int64_t *n, int64_t most, int bits);
    /* Waits for the passes that run, so that the host can measure their time. Passes that are held
       for a fused pass stay held. A failure is kept until sync. */
    void (*wait)(rd_machine *m);
    /* Runs all passes that are held, and waits. Returns false with a message after a failure. */
    bool (*sync)(rd_machine *m, struct rd_error *e);
    /* Returns a copy object with room for `bytes`; NULL with a message. */
    rd_async_copy *(*async_copy_open)(rd_machine *m, size_t bytes, struct rd_error *e);
    void (*async_copy_close)(rd_machine *m, rd_async_copy *l);
    /* Returns the bytes of the copy if passes can write to them; NULL if only async_copy can. */
    char *(*async_copy_bytes)(rd_async_copy *l);
    /* Begins to copy n pieces, as they are after all work submitted so far. Later work does not
       change the copy. */
    void (*async_copy)(rd_machine *m, rd_async_copy *l, const struct rd_piece *piece, int n);
    /* Waits until all pieces have arrived and returns their bytes, which are valid until the next
       async_copy; NULL with a message. Any thread may call it while the machine continues. */
    const char *(*async_copy_wait)(rd_async_copy *l, struct rd_error *e);
};

/* Returns the back end "cpu", "cuda" or "auto" (the GPU if there is one); NULL with a message if it
   is not available. */
const struct rd_backend *rd_backend_named(const char *name, struct rd_error *e);

/* Returns the number of GPUs that this program can use. */
int rd_backend_gpus(void);
/* Returns whether the GPU of this number is one of n, or false with a message. */
bool rd_backend_has_gpu(int device, int n, struct rd_error *e);

/* Opens the back end and returns it; NULL with a message. If `auto` does not use an existing GPU,
   the reason goes to why_not and is not an error. */
const struct rd_backend *rd_backend_open(const char *name, rd_machine **m, int threads, int device,
                                         struct rd_error *why_not, struct rd_error *e);

extern const struct rd_backend rd_backend_cpu;
#ifdef RD_HAS_CUDA
extern const struct rd_backend rd_backend_cuda;
int rd_cuda_devices(void);                     /* number of GPUs, 0 without a driver */
bool rd_cuda_check_driver(struct rd_error *e); /* false with a message: too old a driver */
#endif

#ifdef __cplusplus
}
#endif

#endif
