/* check_mistakes - warnings of `rdsim check` about what is probably a mistake, though it can run.
 */
#ifndef RD_APP_CHECK_MISTAKES_H
#define RD_APP_CHECK_MISTAKES_H

#include "plan/plan.h"

#include <stdio.h>

/* Warns about parameters that nothing reads, species that never occur, reactions that can never
   happen, and reactions and species of which less than one event or hop is expected in all runs.
   Returns false with a message if there is no memory. */
bool rd_check_mistakes(FILE *out, const struct rd_plan *p, struct rd_error *e);

#endif
