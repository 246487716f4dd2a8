/* move_simd - the tuned version of move for the CPU, for a portion of a list. */
#ifndef RD_CPU_MOVE_SIMD_H
#define RD_CPU_MOVE_SIMD_H

#include "kernels/core/world.h"

/* Does the same as rd_move to the entries begin ... end - 1, to the bit. */
void rd_move_portion(const struct rd_world *w, int64_t begin, int64_t end);

#endif
