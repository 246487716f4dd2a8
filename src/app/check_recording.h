/* check_recording - what `rdsim check` says of recording: how much there is in all and at a time,
   and whether it can be written as fast as it comes. */
#ifndef RD_APP_CHECK_RECORDING_H
#define RD_APP_CHECK_RECORDING_H

#include "plan/forecast.h"
#include "plan/plan.h"

#include <stdio.h>

void rd_check_recording(FILE *out, const struct rd_plan *p, const struct rd_outlook *o);
/* Told where the run would surely wait for what it records. */
void rd_check_hop_rate_of_recording(FILE *out, const struct rd_plan *p, const struct rd_outlook *o);

/* A number of bytes as people say it: 3.1 GB. */
void rd_check_bytes(FILE *out, double bytes);

#endif
