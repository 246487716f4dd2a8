/* substeps - movement in substeps, for species whose hop rates change during a step.

   Each run takes as many substeps as it needs. If the host does not synchronise after each of them,
   it reserves as many as were needed before. If a run needs more, the passes pause (see
   sim/capacity.h). */
#ifndef RD_SIM_SUBSTEPS_H
#define RD_SIM_SUBSTEPS_H

#include "sim/sim.h"

/* Does one movement of all species that move in substeps; does nothing if there are none. */
void rd_substeps_take(struct rd_sim *s, double from, double dt);

/* Returns whether the passes paused for lack of substeps since the last synchronisation. If they
   did, sets *pass to the pass in which they paused, and reserves more from that pass on. */
bool rd_substeps_lacked(struct rd_sim *s, int64_t *pass, struct rd_error *e);
/* Applies the last reserved number to all passes from now on. */
void rd_substeps_mark(struct rd_sim *s);

#endif
