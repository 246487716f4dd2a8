/* histogram - how often whole numbers came, for quantiles: exact below 2048, and above in bins of a
   1024th of their numbers at most. Sums of integers, so no order of runs or batches changes a bit.
 */
#ifndef RD_RESULT_STATISTICS_HISTOGRAM_H
#define RD_RESULT_STATISTICS_HISTOGRAM_H

#include "base/error.h"

#include <stdint.h>

/* Zero-initialised is empty. */
struct rd_histogram {
    int64_t n;               /* numbers that were added */
    int32_t first, capacity; /* the bins that there is memory for */
    uint32_t *number;        /* owned, [room] */
    int64_t least, most;     /* of those added */
};

/* No numbers yet; what memory there is stays. */
void rd_histogram_clear(struct rd_histogram *h);
void rd_histogram_free(struct rd_histogram *h);

/* One more number, not negative. False with a sentence if memory is out. */
bool rd_histogram_add(struct rd_histogram *h, int64_t number, struct rd_error *e);
/* The least number that the fraction q of those added does not exceed, or the middle of its bin.
   There must be numbers. */
int64_t rd_histogram_quantile(const struct rd_histogram *h, double q);

#endif
