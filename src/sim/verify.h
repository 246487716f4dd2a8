/* verify - checks the lists of individuals for consistency. */
#ifndef RD_SIM_VERIFY_H
#define RD_SIM_VERIFY_H

#include "sim/sim.h"

/* Checks that each list is sorted by voxel, that first[] is right, that the counts are those of the
   list, that no run exceeds its maximum, that the slots are a permutation, that ids are unique in a
   run and below the next one, and that the pool is inactive and the same in both buffers. Returns
   false with a message for each list that is wrong. */
bool rd_verify(struct rd_sim *s, struct rd_error *e);

#endif
