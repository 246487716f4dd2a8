/* react_simd - the hand-written twin of react for the CPU: a portion of the voxels at once. */
#ifndef RD_CPU_REACT_SIMD_H
#define RD_CPU_REACT_SIMD_H

#include "kernels/core/world.h"

/* What rd_react does to the voxels begin ... end - 1, to the bit. */
void rd_react_portion(const struct rd_world *w, int64_t begin, int64_t end);

#endif
