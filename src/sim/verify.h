/* verify - whether the lists of individuals are what they must be. */
#ifndef RD_SIM_VERIFY_H
#define RD_SIM_VERIFY_H

#include "sim/sim.h"

/* Sorted by voxel; first[] right; counts as many as the list has; slots a permutation; ids once in
   a run, below the next; the pool inactive, and alike in both buffers. False with a sentence for
   each list in which something is wrong. */
bool rd_verify(struct rd_sim *s, struct rd_error *e);

#endif
