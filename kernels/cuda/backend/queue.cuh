/* queue - the calls of the back end that are not yet launched: passes, scans and sorts of several
   steps. They are launched one by one, or as one CUDA graph if the same calls came before; a graph
   saves the time between kernels. A function that waits for the GPU or touches its memory sends
   them first. */
#ifndef RD_CUDA_BACKEND_QUEUE_CUH
#define RD_CUDA_BACKEND_QUEUE_CUH

#include "kernels/core/backend.h"

enum rd_call_kind { RD_CALL_PASS, RD_CALL_SCAN, RD_CALL_SEGMENTS, RD_CALL_SORT };

/* Holds one call with its arguments. Unused arguments are 0, so that calls compare as bytes. The
   step clock of its world is in device memory. */
struct rd_call {
    enum rd_call_kind kind;
    enum rd_pass pass;
    struct rd_world world;
    void *array[4];
    const void *flag;
    int64_t most;
    int32_t bits, with_itself;
};

typedef struct rd_queue rd_queue;

/* Returns a new queue, which the caller closes; NULL sets e. */
rd_queue *rd_queue_open(struct rd_error *e);
void rd_queue_close(rd_queue *q);

/* Implement `run`, `scan`, `scan_segments` and `sort` of struct rd_backend: they append a call, or
   none if a fused pass does it. */
void rd_queue_run(rd_machine *m, const struct rd_world *w, enum rd_pass requested);
void rd_queue_scan(rd_machine *m, int32_t *x, const int64_t *n, int64_t most, bool with_itself);
void rd_queue_scan_segments(rd_machine *m, int32_t *to, const int32_t *from, const uint8_t *flag,
                            int64_t n);
void rd_queue_sort(rd_machine *m, const struct rd_world *w, uint32_t *key, uint32_t *value,
                   uint32_t *key_to, uint32_t *value_to, const int64_t *n, int64_t most, int bits);

/* Sends all waiting calls to the GPU's stream. */
void rd_queue_send(rd_machine *m);
/* Drops all graphs, because memory that they refer to has moved. */
void rd_queue_invalidate(rd_machine *m);

#endif
