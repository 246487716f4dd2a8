/* react_rows_cpu - the tuned version of react_rows for the CPU, for a portion of the voxels. */
#ifndef RD_CPU_REACT_ROWS_CPU_H
#define RD_CPU_REACT_ROWS_CPU_H

#include "kernels/core/world.h"

/* Does the same as rd_react_row to the voxels begin ... end - 1, to the bit. */
void rd_react_rows_portion(const struct rd_world *w, int64_t begin, int64_t end);

#endif
