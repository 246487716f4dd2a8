/* figure - medians, spreads, and numbers with three digits. */
#include "bench/figure.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

void rd_sample_add(struct rd_sample *s, double value)
{
    if (s->n < RD_REPEATS_MOST)
        s->value[s->n++] = value;
}

static int order_by_seconds(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static struct rd_sample sorted(const struct rd_sample *s)
{
    struct rd_sample in_order = *s;
    qsort(in_order.value, (size_t)s->n, sizeof s->value[0], order_by_seconds);
    return in_order;
}

double rd_sample_median(const struct rd_sample *s)
{
    const struct rd_sample in_order = sorted(s);
    const int half = s->n / 2;
    if (s->n == 0)
        return 0.0;
    return s->n % 2 ? in_order.value[half]
                    : (in_order.value[half - 1] + in_order.value[half]) / 2.0;
}

double rd_sample_spread(const struct rd_sample *s)
{
    const struct rd_sample in_order = sorted(s);
    const double median = rd_sample_median(s);
    return median > 0.0 ? (in_order.value[s->n - 1] - in_order.value[0]) / median : 0.0;
}

void rd_figure_scaled(char *to, size_t bytes, double value, const char *unit)
{
    static const char *const prefix[] = {"p", "n", "u", "m", "", "k", "M", "G", "T", "P"};
    enum { ONE = 4, MOST = sizeof prefix / sizeof prefix[0] - 1 };
    const char *const rate = strstr(unit, "/s");
    const bool is_scaled = rate || strcmp(unit, "s") == 0;
    int i = ONE;
    for (; is_scaled && fabs(value) >= 999.5 && i < MOST; i++)
        value /= 1000.0;
    for (; is_scaled && value != 0.0 && fabs(value) < 0.9995 && i > 0; i--)
        value *= 1000.0;
    const double size = fabs(value);
    const int digits = size < 0.9995 ? 3 : size < 9.995 ? 2 : size < 99.95 ? 1 : 0;
    const bool is_word = rate && rate - unit > 1; /* "voxels/s", not "B/s" */
    snprintf(to, bytes, "%.*f %s%s%s", digits, value, prefix[i], is_word && i != ONE ? " " : "",
             unit);
}
