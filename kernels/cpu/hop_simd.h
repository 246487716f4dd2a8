/* hop_simd - the hand-written twin of hop for the CPU: a portion of the voxels at once. */
#ifndef RD_CPU_HOP_SIMD_H
#define RD_CPU_HOP_SIMD_H

#include "kernels/core/world.h"

/* What rd_hop does to the voxels begin ... end - 1, to the bit. */
void rd_hop_portion(const struct rd_world *w, int64_t begin, int64_t end);

#endif
