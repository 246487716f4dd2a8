/* subset - chooses the molecules that are removed; all choices are equally likely.

   Only place.c uses it. It is separate so that a test can check its distribution. */
#ifndef RD_SIM_SUBSET_H
#define RD_SIM_SUBSET_H

#include "base/error.h"
#include "kernels/core/rng.h"

/* Removes n molecules from n_places places, here[i] of them in place i; n is from 0 to their sum.
   Every choice of n molecules is equally likely: the numbers removed have the multivariate
   hypergeometric distribution. Takes time in proportion to n_places, and draws no random number if
   there is no choice. Returns false with a message if memory is short. */
bool rd_subset_remove(struct rd_stream *s, int32_t *here, int64_t n_places, int64_t n,
                      struct rd_error *e);

#endif
