/* backend - the machine that makes a pass happen to all: a dozen verbs. The CPU's are in
   backend_cpu.c, the GPU's in backend_cuda.cu; backend.c chooses one by name. */
#ifndef RD_CORE_BACKEND_H
#define RD_CORE_BACKEND_H

#include "base/error.h"
#include "kernels/core/passes.h"
#include "kernels/core/world.h"

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct rd_machine rd_machine; /* a back end's own state */
typedef struct rd_async_copy
    rd_async_copy; /* host memory for what leaves the machine while it goes on */

/* What is taken out of the machine's memory, and where it stands in the lift's. */
struct rd_piece {
    const void *from;
    size_t at, bytes;
};

struct rd_backend {
    const char *name;
    bool shares_host_memory; /* its memory is the host's own: to look at it costs nothing */
    bool
        updates_lists_at_once; /* the passes UPKEEP, REGROUP, WANDER instead of others one by one */
    bool (*open)(rd_machine **m, int threads, int device, struct rd_error *e);
    void (*close)(rd_machine *m);
    const char *(*device)(const rd_machine *m); /* "CPU", "NVIDIA H200" */
    int (*threads)(const rd_machine *m);        /* of the host that the passes use */
    int64_t (*memory)(const rd_machine *m);     /* bytes free, or -1 if not known */
    /* What passes, scans and sorts over such a world need beside its arrays, in bytes. Its sizes
       are looked at, and the host's tables of lists and, if they are made, reactions. */
    int64_t (*beside)(rd_machine *m, const struct rd_world *w);
    /* Takes that and so many bytes at once, of which is given what is asked for later. */
    bool (*reserve)(rd_machine *m, const struct rd_world *w, int64_t bytes, struct rd_error *e);
    void *(*alloc)(rd_machine *m, size_t bytes, struct rd_error *e); /* zeroed; NULL: a sentence */
    void (*free)(rd_machine *m, void *p);
    bool (*put)(rd_machine *m, void *to, const void *from, size_t bytes, struct rd_error *e);
    bool (*get)(rd_machine *m, void *to, const void *from, size_t bytes, struct rd_error *e);
    bool (*zero)(rd_machine *m, void *p, size_t bytes, struct rd_error *e);
    /* From and to the machine's own memory; a failure is kept until sync. */
    void (*copy)(rd_machine *m, void *to, const void *from, size_t bytes);
    /* The pass happens to every item of the world. A fault is kept in the machine until sync. */
    void (*run)(rd_machine *m, const struct rd_world *w, enum rd_pass pass);
    /* to[i] = sum of the length counts from[i * length ...], for n sums, all in the machine's
       memory; a failure is kept in the machine until sync. */
    void (*sum)(rd_machine *m, int64_t *to, const int32_t *from, int64_t n, int64_t length);
    /* Of the next three a failure is kept in the machine until sync. A number of things in the
       machine's memory, *n, is at most `most`: more may be looked at, and scanned. */
    /* x[i] becomes x[0] + ... + x[i], or without itself: x[0] + ... + x[i - 1], for the first *n,
       or `most` where n is NULL. */
    void (*scan)(rd_machine *m, int32_t *x, const int64_t *n, int64_t most, bool with_itself);
    /* to[i] = from[j] + ... + from[i], where j <= i is the last with flag[j] != 0, or 0. */
    void (*scan_segments)(rd_machine *m, int32_t *to, const int32_t *from, const uint8_t *flag,
                          int64_t n);
    /* The first *n pairs (key, value) sorted by the low bits of their keys, equals in the order
       they had, go to key_to, value_to; the old ones are lost. Behind them stand, in both, up to
       `most`, the same pairs whose keys are all ones; they stay. */
    void (*sort)(rd_machine *m, uint32_t *key, uint32_t *value, uint32_t *key_to,
                 uint32_t *value_to, const int64_t *n, int64_t most, int bits);
    bool (*sync)(rd_machine *m, struct rd_error *e);
    /* Room for so many bytes; NULL: a sentence. */
    rd_async_copy *(*async_copy_open)(rd_machine *m, size_t bytes, struct rd_error *e);
    void (*async_copy_close)(rd_machine *m, rd_async_copy *l);
    /* Begins to take n pieces, as they are after all that was asked for before: what comes after
       changes none of them. */
    void (*async_copy)(rd_machine *m, rd_async_copy *l, const struct rd_piece *piece, int n);
    /* Waits until all have arrived: the bytes, till the next lift; NULL: a sentence. Any thread may
       ask, while the machine goes on. */
    const char *(*lifted)(rd_async_copy *l, struct rd_error *e);
};

/* "cpu", "cuda" or "auto" (the GPU if there is one); NULL with a sentence for what is not there. */
const struct rd_backend *rd_backend_named(const char *name, struct rd_error *e);

/* Opens it. What `auto` does not take a GPU for that is here goes to why_not, which is no fault.
   NULL with a sentence. */
const struct rd_backend *rd_backend_open(const char *name, rd_machine **m, int threads, int device,
                                         struct rd_error *why_not, struct rd_error *e);

extern const struct rd_backend rd_backend_cpu;
#ifdef RD_HAS_CUDA
extern const struct rd_backend rd_backend_cuda;
int rd_cuda_devices(void);                     /* how many, 0 without a driver */
bool rd_cuda_check_driver(struct rd_error *e); /* false: it is too old to see them, in a sentence */
#endif

#ifdef __cplusplus
}
#endif

#endif
