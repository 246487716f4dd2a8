/* busy_voxels - simulates voxels with many events, side by side, on the CPU, for the tuned version
   of react. */
#ifndef RD_CPU_BUSY_VOXELS_H
#define RD_CPU_BUSY_VOXELS_H

#include "kernels/core/eval.h"
#include "kernels/core/world.h"
#include "kernels/cpu/direct_method.h"
#include "kernels/cpu/philox_simd.h"

/* Sets the most species and reactions; the most of both for runs of one voxel. */
enum { RD_BUSY_SPECIES = 32, RD_BUSY_CHANNELS = 64, RD_BUSY_MOST = 512 };
static_assert(RD_BUSY_MOST <= RD_REACTIONS_IN_BLOCK * RD_REACTIONS_IN_BLOCK,
              "blocks form one node");

/* Holds the lanes. Each has a voxel, and all simulate one event at a time. */
struct rd_busy {
    int n;                          /* lanes that have a voxel: the first ones */
    int n_waiting;                  /* voxels without a lane */
    struct rd_bunch call;           /* counters, then words */
    uint32_t turn, since[RD_BUNCH]; /* the draw of a lane is turn - since */
    uint32_t item[3][RD_BUNCH];     /* the rest of its counter */
    double left[RD_BUNCH];          /* time until the end of the pass */
    double after[RD_BUNCH]; /* likewise after this turn's event; not above 0: the lane ends */
    double block[RD_BUNCH]; /* the block of the event's reaction */
    double aim[RD_BUNCH]; /* the first reaction at which the sum exceeds that of its block fires */
    int64_t voxel[RD_BUNCH];
    int64_t waiting[2 * RD_BUNCH];
    struct rd_eval_context eval_context; /* for expressions: data that all voxels share */
    /* Rows of one number for each lane: */
    double (*value)[RD_BUNCH]; /* owned: 1, and the counts of the species */
    double (*count)[RD_BUNCH]; /* [species] */
    double (*part)[RD_BUNCH];  /* sums of propensities before each reaction in its block; after the
                                  block, of all */
    double (*fired)[RD_BUNCH]; /* [reaction] */
    double (*rate)[RD_BUNCH];  /* [reaction], or NULL: all runs have the same rates */
};

/* Returns whether the reactions of the world can be simulated like this. */
bool rd_busy_suits(const struct rd_world *w);
/* Initialises the lanes, without voxels. Returns false without memory; there is nothing to end
   then. */
bool rd_busy_begin(struct rd_busy *b, const struct rd_world *w);
/* Adds a voxel. Its events are simulated by rd_busy_end at the latest. The reactions of the world
   involve no individuals. Voxels that are left alone continue in `one`. */
void rd_busy_add(struct rd_busy *b, const struct rd_world *w, int64_t voxel,
                 struct rd_voxel_events *one);
/* Simulates what is left and frees the lanes. */
void rd_busy_end(struct rd_busy *b, const struct rd_world *w, struct rd_voxel_events *one);

#endif
