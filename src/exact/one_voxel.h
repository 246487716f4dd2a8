/* one_voxel - runs of one voxel in which only reactions happen; they take the direct method of the
   split solver, which is faster than the search over voxels. */
#ifndef RD_EXACT_ONE_VOXEL_H
#define RD_EXACT_ONE_VOXEL_H

#include "exact/replica.h"
#include "kernels/cpu/direct_method.h"

/* Returns whether runs are like this: one voxel without hops, inlets and exchanges, and nothing
   that must be tested after every event or changes between two of them. */
bool rd_one_voxel_suits(const struct rd_scheme *scheme, const struct rd_world *w);

/* Holds what a thread needs for one run after another. A zero-initialised struct is empty. */
struct rd_one_voxel {
    struct rd_world world;    /* with no limit of events */
    struct rd_direct *direct; /* owned; NULL if the plain body is faster */
};

/* Sets the number of events that take the random numbers of one item of a stream. */
#define RD_EVENTS_OF_ITEM (UINT32_C(1) << 31)

/* Simulates a run until the end of the step. Random numbers and results are those of the split
   solver. There is no limit of events: after so many, the next item of the stream follows. */
void rd_one_voxel_run(struct rd_one_voxel *x, const struct rd_world *w, int64_t run,
                      uint32_t events_of_item);
void rd_one_voxel_close(struct rd_one_voxel *x);

#endif
