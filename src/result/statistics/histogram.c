/* histogram - counts of whole numbers, for quantiles: exact below 2048; above, bins have a width
   of at most 1/1024 of their numbers. */
#include "result/statistics/histogram.h"

#include <stdlib.h>
#include <string.h>

/* Sets BINS, the number of bins for numbers from 2^k to 2^(k + 1), for each k from BITS on;
   smaller numbers have one bin each. */
enum { BITS = 10, BINS = 1 << BITS };

/* Sets the least number of bins by which the array grows. */
enum { MORE = 64 };

/* Returns how often a number must be halved until it is below 2 * BINS; a bin holds 2^k numbers
   then. */
static int halvings(int64_t number)
{
    int k = 0;
    while (number >> k >= 2 * BINS)
        k++;
    return k;
}

static int32_t bin_of(int64_t number)
{
    const int k = halvings(number);
    return k * BINS + (int32_t)(number >> k);
}

static int64_t middle_of(int32_t bin)
{
    const int k = bin < 2 * BINS ? 0 : bin / BINS - 1;
    const int64_t low = (int64_t)(bin - k * BINS) << k;
    return low + ((INT64_C(1) << k) - 1) / 2;
}

void rd_histogram_clear(struct rd_histogram *h)
{
    h->n = 0;
    if (h->capacity > 0)
        memset(h->number, 0, (size_t)h->capacity * sizeof *h->number);
}

void rd_histogram_free(struct rd_histogram *h)
{
    free(h->number);
    *h = (struct rd_histogram){0};
}

/* Extends the array to the bin, and by some more bins on its side. */
static bool reach_bin(struct rd_histogram *h, int32_t bin, struct rd_error *e)
{
    const int32_t end = h->capacity > 0 ? h->first + h->capacity : bin,
                  begin = h->capacity > 0 ? h->first : bin;
    const int32_t more = MORE + h->capacity / 2;
    int32_t from = bin < begin ? bin - more : begin;
    from = from < 0 ? 0 : from;
    const int32_t to = bin >= end ? bin + more : end;
    uint32_t *const number = calloc((size_t)(to - from), sizeof *number);
    if (!number)
        return rd_fail(e, "out of memory for the quantiles over runs");
    if (h->capacity > 0)
        memcpy(number + (h->first - from), h->number, (size_t)h->capacity * sizeof *number);
    free(h->number);
    h->number = number;
    h->first = from;
    h->capacity = to - from;
    return true;
}

bool rd_histogram_add(struct rd_histogram *h, int64_t number, struct rd_error *e)
{
    const int32_t bin = bin_of(number);
    if ((bin < h->first || bin >= h->first + h->capacity) && !reach_bin(h, bin, e))
        return false;
    h->number[bin - h->first]++;
    h->least = h->n == 0 || number < h->least ? number : h->least;
    h->most = h->n == 0 || number > h->most ? number : h->most;
    h->n++;
    return true;
}

int64_t rd_histogram_quantile(const struct rd_histogram *h, double q)
{
    const double wanted = q * (double)h->n * (1.0 - 1e-12); /* 0.55 of 100 are 55 */
    int64_t below = 0;
    int32_t i = 0;
    while ((below += h->number[i]) == 0 || (double)below < wanted)
        i++;
    const int64_t middle = middle_of(h->first + i);
    return middle < h->least ? h->least : middle > h->most ? h->most : middle;
}
