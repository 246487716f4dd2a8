/* substeps - how many strides a step is made of, for those who roam: each run takes as many as it
   needs, and where the host does not look at each, so many are granted as were needed before.
   Where a run needs more there is a pause (see room.h). */
#ifndef RD_SIM_SUBSTEPS_H
#define RD_SIM_SUBSTEPS_H

#include "sim/sim.h"

/* One movement, in strides, of all that roam; nothing if there are none. */
void rd_substeps_take(struct rd_sim *s, double from, double dt);

/* Whether there was a pause because of strides since the last look; then more are granted from the
   pass on in which it was, whose number is given. */
bool rd_substeps_lacked(struct rd_sim *s, int64_t *pass, struct rd_error *e);
/* What was granted holds from now on. */
void rd_substeps_mark(struct rd_sim *s);

#endif
