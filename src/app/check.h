/* check - `rdsim check`: everything derived, without running. */
#ifndef RD_APP_CHECK_H
#define RD_APP_CHECK_H

#include "plan/forecast.h"

#include <stdio.h>

/* Prints the plan in the user's terms; the plan is as rd_outlook_take left it; in which batches
   runs go is "" or rd_check_batches. False if molecules cannot be placed as the configuration asks.
 */
bool rd_check_print(FILE *out, const struct rd_plan *p, const struct rd_outlook *o,
                    const char *batches, struct rd_error *e);

#endif
