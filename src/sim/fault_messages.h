/* fault_messages - error messages about faults in passes: what happened, where, and what to do. */
#ifndef RD_SIM_FAULT_MESSAGES_H
#define RD_SIM_FAULT_MESSAGES_H

#include "sim/sim.h"

/* Adds the message about a fault in a pass that ended at the time `before`. Always returns
   false. */
bool rd_fault_message(const struct rd_sim *s, int kind, const struct rd_fault *f, double before,
                      struct rd_error *e);

#endif
