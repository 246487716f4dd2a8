/* move_simd - the hand-written twin of move for the CPU: a portion of a list at once. */
#ifndef RD_CPU_MOVE_SIMD_H
#define RD_CPU_MOVE_SIMD_H

#include "kernels/core/world.h"

/* What rd_move does to the entries begin ... end - 1, to the bit. */
void rd_move_portion(const struct rd_world *w, int64_t begin, int64_t end);

#endif
