/* queue - what the host has asked of the GPU and what is not yet on its way there: passes,
   scans and sorts of several steps. They go one by one, or, when the same were asked before, all
   at once as a graph, which saves the time between kernels. Whoever waits for the GPU or touches
   its memory sends them off first. */
#ifndef RD_CUDA_BACKEND_QUEUE_CUH
#define RD_CUDA_BACKEND_QUEUE_CUH

#include "kernels/core/backend.h"

enum rd_call_kind { RD_CALL_PASS, RD_CALL_SCAN, RD_CALL_SEGMENTS, RD_CALL_SORT };

/* One of them, by its arguments; those it does not have are 0, so that calls compare as bytes. The
   world's beat is on the GPU. */
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

/* NULL with a sentence. */
rd_queue *rd_queue_open(struct rd_error *e);
void rd_queue_close(rd_queue *q);

/* The verbs of the back end. */
void rd_queue_run(rd_machine *m, const struct rd_world *w, enum rd_pass pass);
void rd_queue_scan(rd_machine *m, int32_t *x, const int64_t *n, int64_t most, bool with_itself);
void rd_queue_scan_segments(rd_machine *m, int32_t *to, const int32_t *from, const uint8_t *flag,
                            int64_t n);
void rd_queue_sort(rd_machine *m, uint32_t *key, uint32_t *value, uint32_t *key_to,
                   uint32_t *value_to, const int64_t *n, int64_t most, int bits);

/* All that waits goes to the GPU's stream. */
void rd_queue_send(rd_machine *m);
/* Memory that graphs know moved: they are made anew. */
void rd_queue_invalidate(rd_machine *m);

#endif
