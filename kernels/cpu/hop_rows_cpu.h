/* hop_rows_cpu - the tuned versions of hop_row and land_row for the CPU, for a portion of the
   voxels. */
#ifndef RD_CPU_HOP_ROWS_CPU_H
#define RD_CPU_HOP_ROWS_CPU_H

#include "kernels/core/world.h"

/* Does the same as rd_hop_row to the voxels begin ... end - 1; the arrivals have another order,
   which no result depends on. */
void rd_hop_rows_portion(const struct rd_world *w, int64_t begin, int64_t end);
/* Does the same as rd_land_row; the rows have other places, which no result depends on. */
void rd_land_rows_portion(const struct rd_world *w, int64_t begin, int64_t end);

#endif
