/* hop_words - calls of the random generator for hops, collected from the streams of many voxels and
   computed side by side, for tuned passes on the CPU. */
#ifndef RD_CPU_HOP_WORDS_H
#define RD_CPU_HOP_WORDS_H

#include "kernels/core/lattice.h"
#include "kernels/cpu/philox_simd.h"

struct rd_calls {
    int n;                       /* calls that wait, RD_BUNCH at most */
    struct rd_bunch counter;     /* of each call */
    uint32_t word[4 * RD_BUNCH]; /* of all calls in their order, after they are computed */
};

/* Begins with no waiting calls. */
void rd_calls_begin(struct rd_calls *c);
/* Adds calls first ... first + n - 1 of a stream of the voxel; there must be room. */
void rd_calls_add(struct rd_calls *c, const struct rd_world *w, int64_t voxel, uint32_t first,
                  int n);
/* Computes the words of all waiting calls; then no call waits. */
void rd_calls_make(struct rd_calls *c, const struct rd_pass_parameters *pass, uint32_t purpose);

#endif
