/* direct_method - Gillespie's direct method with a dependency graph for one voxel with many
   reactions, on the CPU: after an event, only the propensities that depend on a changed count are
   computed again, and the sums of the blocks that contain them. The bytes are those of rd_react. */
#ifndef RD_CPU_DIRECT_METHOD_H
#define RD_CPU_DIRECT_METHOD_H

#include "kernels/passes/reactions/ssa.h"

struct rd_direct;

/* Returns whether voxels of the world can be simulated like this, and it is faster. */
bool rd_direct_suits(const struct rd_world *w);
/* Returns memory for one voxel after another, or NULL if there is none. */
struct rd_direct *rd_direct_open(const struct rd_world *w);
void rd_direct_close(struct rd_direct *d);
/* Does the same as rd_react_on, to the bit. */
void rd_direct_react_on(struct rd_direct *d, const struct rd_ssa *ssa);

#endif
