/* attribute_counts - counts individuals by the value of an attribute (output.by); one user, since
   record.c is about the order of snapshots. */
#ifndef RD_RECORD_ATTRIBUTE_COUNTS_H
#define RD_RECORD_ATTRIBUTE_COUNTS_H

#include "sim/sim.h"

/* Sets (*by)[run][value of any entry] to the individuals at this time, for the groups of the output
   that are due. *by is allocated if it is NULL and needed; the caller frees it. A run with a value
   outside the range of its entry faults, and has -1. Returns false with a message on failure, or if
   the fault ends the simulation. */
bool rd_attribute_counts_take(struct rd_sim *s, double time, uint64_t due, int64_t **by,
                              struct rd_error *e);

#endif
