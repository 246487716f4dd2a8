/* subset - which of many molecules are removed, where all choices are equally likely; used by
   place.c alone, apart from it since its law has a test. */
#ifndef RD_SIM_SUBSET_H
#define RD_SIM_SUBSET_H

#include "base/error.h"
#include "kernels/core/rng.h"

/* Removes n molecules from n_places places, here[i] of them in place i; n is from 0 to their sum.
   Every choice of n molecules is equally likely: the numbers removed from the places have the
   multivariate hypergeometric law. Takes time in proportion to the places, and no random number
   where there is no choice. */
bool rd_subset_remove(struct rd_stream *s, int32_t *here, int64_t n_places, int64_t n,
                      struct rd_error *e);

#endif
