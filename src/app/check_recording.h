/* check_recording - the part of `rdsim check` about recording.

   It prints the amount of data, in total and per snapshot, and whether writing keeps up with the
   run. */
#ifndef RD_APP_CHECK_RECORDING_H
#define RD_APP_CHECK_RECORDING_H

#include "plan/step_limit.h"
#include "plan/plan.h"

#include <stdio.h>

void rd_check_recording(FILE *out, const struct rd_plan *p, const struct rd_forecast *o);
/* Prints a warning if the run would surely wait for its recording. */
void rd_check_recording_time(FILE *out, const struct rd_plan *p, const struct rd_forecast *o);

/* Prints a number of bytes with a suitable unit: 3.1 GB. */
void rd_check_bytes(FILE *out, double bytes);

#endif
