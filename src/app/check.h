/* check - `rdsim check`: prints everything that is derived, without running. */
#ifndef RD_APP_CHECK_H
#define RD_APP_CHECK_H

#include "plan/step_limit.h"

#include <stdio.h>

/* Prints the plan in the user's terms. The plan is as rd_outlook_take left it; `batches` is the
   text of rd_batch_describe, or "". Returns false with a message if molecules cannot be placed as
   the configuration states. */
bool rd_check_print(FILE *out, const struct rd_plan *p, const struct rd_forecast *o,
                    const char *batches, struct rd_error *e);

#endif
