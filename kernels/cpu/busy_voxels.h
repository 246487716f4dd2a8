/* busy_voxels - simulates voxels with many events, side by side, on the CPU, for the tuned version
   of react. */
#ifndef RD_CPU_BUSY_VOXELS_H
#define RD_CPU_BUSY_VOXELS_H

#include "kernels/core/eval.h"
#include "kernels/core/world.h"
#include "kernels/cpu/direct_method.h"
#include "kernels/cpu/philox_simd.h"

/* Sets the most species and reactions. */
enum {
    RD_BUSY_SPECIES = 32,
    RD_BUSY_BLOCKS = 2,
    RD_BUSY_CHANNELS = RD_BUSY_BLOCKS * RD_REACTIONS_IN_BLOCK
};

/* Holds the lanes. Each has a voxel, and all simulate one event at a time. */
struct rd_busy {
    int n;                          /* lanes that have a voxel: the first ones */
    int n_waiting;                  /* voxels without a lane */
    struct rd_bunch call;           /* counters, then words */
    uint32_t turn, since[RD_BUNCH]; /* the draw of a lane is turn - since */
    uint32_t item[3][RD_BUNCH];     /* the rest of its counter */
    double left[RD_BUNCH];          /* time until the end of the pass */
    double after[RD_BUNCH]; /* likewise after this turn's event; not above 0: the lane ends */
    double aim[RD_BUSY_BLOCKS][RD_BUNCH]; /* the first reaction at which the sum exceeds that of its
                                             block fires */
    int64_t voxel[RD_BUNCH];
    int64_t waiting[2 * RD_BUNCH];
    struct rd_eval_context eval_context; /* for expressions: data that all voxels share */
    /* The world determines how many of each are used: */
    /* sums of propensities before each reaction in its block; after the block, of all: */
    double part[RD_BUSY_CHANNELS + RD_BUSY_BLOCKS][RD_BUNCH];
    double rate[RD_BUSY_CHANNELS][RD_BUNCH];
    double count[RD_BUSY_SPECIES][RD_BUNCH];
    double fired[RD_BUSY_CHANNELS][RD_BUNCH];
};

/* Returns whether the reactions of the world can be simulated like this. */
bool rd_busy_suits(const struct rd_world *w);
/* Initialises the lanes, without voxels. */
void rd_busy_begin(struct rd_busy *b, const struct rd_world *w);
/* Adds a voxel. Its events are simulated by rd_busy_end at the latest. The reactions of the world
   involve no individuals. Voxels that are left alone continue in `one`. */
void rd_busy_add(struct rd_busy *b, const struct rd_world *w, int64_t voxel,
                 struct rd_voxel_events *one);
void rd_busy_end(struct rd_busy *b, const struct rd_world *w, struct rd_voxel_events *one);

#endif
