/* distribution - see the header. */
#include "distribution.h"

#include "probability.h"

#include <stdlib.h>

struct table table_of_ratios(int64_t first, int64_t last, int64_t middle, ratio_of *ratio,
                             const void *of)
{
    struct table t = {.first = first, .length = last - first + 1};
    t.f = malloc((size_t)t.length * sizeof *t.f);
    assert_non_null(t.f);
    const int64_t begin = middle - first;
    t.f[begin] = 1;
    for (int64_t i = begin + 1; i < t.length; i++)
        t.f[i] = t.f[i - 1] * ratio(of, (double)(first + i));
    for (int64_t i = begin; i > 0; i--)
        t.f[i - 1] = t.f[i] / ratio(of, (double)(first + i));
    double sum = 0;
    for (int64_t i = 0; i < t.length; i++)
        sum += t.f[i];
    for (int64_t i = 0; i < t.length; i++)
        t.f[i] /= sum;
    return t;
}

bool table_check_shape(const struct table *t, const int64_t *count, int64_t n_samples)
{
    enum { BINS_MOST = 64 };
    int64_t seen[BINS_MOST] = {0};
    double expected[BINS_MOST] = {0};
    int n = 0;
    for (int64_t i = 0; i < t->length; i++) {
        seen[n] += count[i];
        expected[n] += (double)n_samples * t->f[i];
        if (n < BINS_MOST - 1 && expected[n] >= (double)n_samples / 40.0)
            n++;
    }
    while (n > 0 && expected[n] < 20) {
        seen[n - 1] += seen[n];
        expected[n - 1] += expected[n];
        n--;
    }
    if (n > 0)
        assert_deviation("chi-square", chi_square_deviate(seen, expected, n + 1));
    return n > 0;
}
