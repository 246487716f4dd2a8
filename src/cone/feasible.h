/* feasible - which columns of a compressed system can run: an exact linear program for each. */
#ifndef RD_FEASIBLE_H
#define RD_FEASIBLE_H

#include "base/error.h"
#include "cone/kernel.h"

/* Says whether a column can run: no, not yet decided, or yes. The order of the values is used. */
enum rd_feasible { RD_FEASIBLE_NO, RD_FEASIBLE_OPEN, RD_FEASIBLE_YES };

/* Sets state[column] to whether some vector of the kernel, not negative in columns that are not
   reversible, is not 0 there. effort: coefficients that may be visited, which is reduced by those
   that were; a column stays open if it is used up or a number does not fit into 128 bits. Returns
   false with a message if there is no memory. */
bool rd_feasible_find(enum rd_feasible *state, const struct rd_kernel *k, const bool *is_reversible,
                      int64_t *effort, struct rd_error *e);

#endif
