/* fault_messages - error messages about faults in passes: what happened, where, and what to do. */
#ifndef RD_SIM_FAULT_MESSAGES_H
#define RD_SIM_FAULT_MESSAGES_H

#include "sim/sim.h"

/* Adds the message about a fault in a pass that ended at the time `before`. Always returns
   false. */
bool rd_fault_message(const struct rd_sim *s, int kind, const struct rd_fault *f, double before,
                      struct rd_error *e);

/* Writes ", since it divides by B, which is 0" with the divisor of the reaction's expression that
   is 0 with these counts in the voxel, [canonical number]; or ", and it divides by B and (B - k)"
   with all divisors if none is found, or if the counts are not known (NULL). */
void rd_fault_divisor(const struct rd_plan *p, const struct rd_reaction *r, int64_t voxel,
                      const int32_t *count, char *text, size_t bytes);

#endif
