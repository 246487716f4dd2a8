/* check_halve - `rdsim check --halve`: what half of the step changes. */
#ifndef RD_APP_CHECK_HALVE_H
#define RD_APP_CHECK_HALVE_H

#include "app/job.h"

#include <stdio.h>

/* Runs the model in memory at its steps and at half of each, in the model's number of runs, but at
   least 16. Prints the difference of the mean total of each species at the end with its standard
   error, and which are significant. Returns false with a message if a simulation fails. */
bool rd_check_halve(FILE *out, const struct rd_setup *a, const struct rd_options *o,
                    struct rd_error *e);

#endif
