/* fault_messages - a fault in a pass as a sentence: what it was, where, and what would be right. */
#ifndef RD_SIM_FAULT_MESSAGES_H
#define RD_SIM_FAULT_MESSAGES_H

#include "sim/sim.h"

/* Adds the sentence, of a pass up to the time before, and returns false. */
bool rd_fault_message(const struct rd_sim *s, int kind, const struct rd_fault *f, double before,
                      struct rd_error *e);

#endif
