/* tally_simd - tally for the CPU; separate because each pass has the file of its tuned version. */
#ifndef RD_CPU_TALLY_SIMD_H
#define RD_CPU_TALLY_SIMD_H

#include "kernels/core/world.h"

/* Does the same as rd_tally for the voxels begin ... end - 1. */
void rd_tally_portion(const struct rd_world *w, int64_t begin, int64_t end);

#endif
