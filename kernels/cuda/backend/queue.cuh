/* queue - the passes of several steps that are not yet launched. The queue replaces sequences of
   requested passes by fused ones (fused_passes.c). It launches its calls one by one, or as one CUDA
   graph if the same calls came before; a graph saves the time between kernels. A function that
   waits for the GPU or touches its memory sends them first. */
#ifndef RD_CUDA_BACKEND_QUEUE_CUH
#define RD_CUDA_BACKEND_QUEUE_CUH

#include "kernels/core/backend.h"

/* Holds one pass with its world; the step clock of the world is in device memory. A fused step is
   one call for each of its parts; all other fused passes are one call. Calls compare as bytes. */
struct rd_call {
    enum rd_pass pass;
    enum rd_pass part; /* the requested pass, or the last one of a sequence */
    int32_t is_last;   /* of its fused step */
    struct rd_world world;
};

typedef struct rd_queue rd_queue;

/* Returns a new queue, which the caller closes; NULL sets e. */
rd_queue *rd_queue_open(rd_machine *m, struct rd_error *e);
void rd_queue_close(rd_queue *q);

/* Implements `run` of struct rd_backend. */
void rd_queue_run(rd_machine *m, const struct rd_world *w, enum rd_pass pass);

/* Sends all waiting calls to the GPU's stream, and the passes that are held for a fused pass. */
void rd_queue_send(rd_machine *m);
/* Sends all waiting calls, so that the host can measure the time of the last one. */
void rd_queue_send_to_measure(rd_machine *m);
/* Drops all graphs, because memory that they refer to has moved. */
void rd_queue_invalidate(rd_machine *m);

#endif
