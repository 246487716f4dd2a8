/* tally_simd - the tuned version of tally for the CPU, and the clearing of arrays of lists in which
   most numbers are 0. */
#ifndef RD_CPU_TALLY_SIMD_H
#define RD_CPU_TALLY_SIMD_H

#include "kernels/core/world.h"

/* Sets n numbers to 0, of which most are 0 already. */
void rd_clear_numbers(int32_t *x, int64_t n);

/* Does the same as rd_tally for the voxels begin ... end - 1. */
void rd_tally_portion(const struct rd_world *w, int64_t begin, int64_t end);

#endif
