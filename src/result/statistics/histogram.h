/* histogram - counts of whole numbers, for quantiles: exact below 2048; above, bins have a width
   of at most 1/1024 of their numbers. Sums are integers, so the order of runs or batches does
   not change a bit of them. */
#ifndef RD_RESULT_STATISTICS_HISTOGRAM_H
#define RD_RESULT_STATISTICS_HISTOGRAM_H

#include "base/error.h"

#include <stdint.h>

/* Holds a histogram; a zero-initialised struct is empty. */
struct rd_histogram {
    int64_t n;               /* numbers that were added */
    int32_t first, capacity; /* the bins that are allocated */
    uint32_t *number;        /* owned, [capacity] */
    int64_t least, most;     /* of the numbers that were added */
};

/* Clears all numbers; keeps the memory. */
void rd_histogram_clear(struct rd_histogram *h);
void rd_histogram_free(struct rd_histogram *h);

/* Adds one number, which must not be negative. Returns false with a message if memory runs out. */
bool rd_histogram_add(struct rd_histogram *h, int64_t number, struct rd_error *e);
/* Returns the q-quantile: the least number such that at least a fraction q of all numbers is not
   above it, or the middle of its bin. There must be numbers. */
int64_t rd_histogram_quantile(const struct rd_histogram *h, double q);

#endif
