/* busy_voxels - voxels in which much happens, many side by side, on the CPU: for the twin of react.
 */
#ifndef RD_CPU_BUSY_VOXELS_H
#define RD_CPU_BUSY_VOXELS_H

#include "kernels/core/eval.h"
#include "kernels/core/world.h"
#include "kernels/cpu/philox_simd.h"

/* So many species and reactions at most. */
enum { RD_BUSY_SPECIES = 32, RD_BUSY_CHANNELS = 64 };

/* Each lane has a voxel, and all take one event at a time. */
struct rd_busy {
    int n;                          /* lanes that have a voxel: the first ones */
    int n_waiting;                  /* voxels without a lane */
    struct rd_bunch call;           /* counters, then words */
    uint32_t turn, since[RD_BUNCH]; /* the draw of a lane is turn - since */
    uint32_t item[3][RD_BUNCH];     /* the rest of its counter */
    double left[RD_BUNCH];          /* of the pass, */
    double after[RD_BUNCH];         /* and after this turn's event; not above 0: the lane ends */
    double aim[RD_BUNCH]; /* the event falls to the first reaction after which the sum is larger */
    int64_t voxel[RD_BUNCH];
    int64_t waiting[2 * RD_BUNCH];
    struct rd_eval_context eval_context; /* for laws: what is the same in all voxels */
    /* as many of each as the world has */
    double part[RD_BUSY_CHANNELS + 1][RD_BUNCH]; /* the sum of propensities before each reaction */
    double count[RD_BUSY_SPECIES][RD_BUNCH];
    double fired[RD_BUSY_CHANNELS][RD_BUNCH];
};

/* Whether the world's reactions are of the kind that can be gone through like that. */
bool rd_busy_suits(const struct rd_world *w);
/* No lane has a voxel. */
void rd_busy_begin(struct rd_busy *b, const struct rd_world *w);
/* The events of the voxel are to happen; when, is not said before rd_busy_end. There is nothing of
   individuals in the world. */
void rd_busy_add(struct rd_busy *b, const struct rd_world *w, int64_t voxel);
void rd_busy_end(struct rd_busy *b, const struct rd_world *w);

#endif
