/* named_values - the variables of ODEs, and observables that are expressions, in a snapshot;
   separate because snapshot_buffer.c is long. */
#ifndef RD_RECORD_NAMED_VALUES_H
#define RD_RECORD_NAMED_VALUES_H

#include "record/snapshot_buffer.h"

/* Sets where the totals and parameters that the expressions read are in a copy, from the offset
   `at` on. Returns the offset after them. */
size_t rd_named_values_place(struct rd_packing *k, size_t at);
/* Notes the parameters that are equal in all runs, and adds the pieces of the copy. Returns their
   number. */
int rd_named_values_take(struct rd_snapshot_buffer *p, const struct rd_packing *k,
                         const struct rd_sim *s, struct rd_piece *piece);
/* Sets the numbers of a faulted run to NAN. */
void rd_named_values_leave_out(struct rd_packing *k, int64_t run);
/* Evaluates the expressions of each run from the copy at `byte`. */
void rd_named_values_unpack(struct rd_packing *k, const struct rd_snapshot_buffer *p,
                            const char *byte);

#endif
