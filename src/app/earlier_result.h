/* earlier_result - an existing result with --resume; separate because job.c has the most lines. */
#ifndef RD_APP_EARLIER_RESULT_H
#define RD_APP_EARLIER_RESULT_H

#include "app/job.h"

/* Determines the state of the earlier result; prints a message if there is nothing to continue. */
void rd_earlier_result_look(struct rd_job *j, struct rd_error *e);
/* Checks that a complete result is not damaged, and removes what a killed process left next to it.
   Returns false with a message if it is damaged or runs faulted. */
bool rd_earlier_result_check(struct rd_job *j, struct rd_error *e);

#endif
