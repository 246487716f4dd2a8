/* hop_simd - the tuned version of hop for the CPU, for a portion of the voxels. */
#ifndef RD_CPU_HOP_SIMD_H
#define RD_CPU_HOP_SIMD_H

#include "kernels/core/world.h"

/* Does the same as rd_hop to the voxels begin ... end - 1, to the bit. */
void rd_hop_portion(const struct rd_world *w, int64_t begin, int64_t end);
/* Does the same as rd_land. */
void rd_land_portion(const struct rd_world *w, int64_t begin, int64_t end);

#endif
