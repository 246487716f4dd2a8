/* law_subset - tests the removal of molecules: any set of places loses a hypergeometric number,
   with each method of drawing it. */
#include "distribution.h"
#include "probability.h"
#include "sim/subset.h"

#include <stdlib.h>
#include <string.h>

enum { SAMPLES = 20000, MOST_PLACES = 2000 };

/* Describes a removal of n molecules; the loss of places begin to end - 1 of n_places is tested.
   The numbers here[] repeat. */
struct removal {
    int64_t n;
    int n_places, begin, end;
    int32_t here[4];
};

static int64_t sum_of(const struct removal *r, int begin, int end)
{
    int64_t sum = 0;
    for (int i = begin; i < end; i++)
        sum += r->here[i % 4];
    return sum;
}

/* Holds a hypergeometric distribution: n out of all are removed, of which `marked` are tested. */
struct hypergeometric {
    double all, marked, n;
};

static double ratio(const void *of, double k)
{
    const struct hypergeometric *const h = of;
    return (h->marked - k + 1) / k * ((h->n - k + 1) / (h->all - h->marked - h->n + k));
}

/* Returns the probabilities of 9 standard deviations on both sides and 40 more. The caller frees
   f. */
static struct table table_of(double all, double marked, double n)
{
    const struct hypergeometric h = {all, marked, n};
    const double mean = n * marked / all, rest = (all - marked) / all;
    const double deviation = sqrt(mean * rest * (all - n) / fmax(all - 1, 1));
    const double low = fmax(fmax(0, n - (all - marked)), floor(mean - 9 * deviation - 40));
    const double high = fmin(fmin(n, marked), ceil(mean + 9 * deviation + 40));
    return table_of_ratios((int64_t)low, (int64_t)high, (int64_t)floor(mean), ratio, &h);
}

/* Returns the loss of the tested places. */
static int64_t remove_once(const struct removal *r, struct rd_stream *s)
{
    int32_t here[MOST_PLACES];
    struct rd_error e = {0};
    int64_t lost = 0, sum = 0;
    for (int i = 0; i < r->n_places; i++)
        here[i] = r->here[i % 4];
    assert_true(rd_subset_remove(s, here, r->n_places, r->n, &e));
    for (int i = 0; i < r->n_places; i++) {
        const int32_t gone = r->here[i % 4] - here[i];
        assert_true(gone >= 0 && here[i] >= 0);
        sum += gone;
        lost += i >= r->begin && i < r->end ? gone : 0;
    }
    assert_true(sum == r->n);
    return lost;
}

static void law_places_lose_hypergeometric_numbers(void **state)
{
    (void)state;
    static const struct removal removal[] = {
        /* one by one */
        {4, 4, 0, 1, {3, 5, 0, 2}},
        {4, 4, 1, 3, {3, 5, 0, 2}},
        {9, 4, 3, 4, {3, 5, 0, 2}},
        /* a binomial number for each place, then one by one */
        {900, 4, 0, 1, {1000, 2000, 500, 70}},
        {900, 4, 3, 4, {1000, 2000, 500, 70}},
        {3000, 4, 1, 3, {1000, 2000, 500, 70}},
        {300000000, 4, 0, 1, {500000000, 399999900, 100, 100000000}},
        {300000000, 4, 2, 4, {500000000, 399999900, 100, 100000000}},
        {999000000, 4, 2, 3, {500000000, 399999900, 100, 100000000}},
        /* many places: one by one from several blocks, and after binomial numbers */
        {100, 2000, 0, 700, {1, 0, 2, 1}},
        {100, 2000, 1500, 2000, {1, 0, 2, 1}},
        {1900, 2000, 200, 300, {1, 0, 2, 1}},
        {20000, 2000, 0, 3, {50, 3, 40, 0}},
        {20000, 2000, 900, 1400, {50, 3, 40, 0}},
    };
    for (size_t i = 0; i < sizeof removal / sizeof *removal; i++) {
        const struct removal *const r = &removal[i];
        struct rd_stream s = stream_of("law_places_lose_hypergeometric_numbers", (int64_t)i);
        struct table t = table_of((double)sum_of(r, 0, r->n_places),
                                  (double)sum_of(r, r->begin, r->end), (double)r->n);
        int64_t *const count = calloc((size_t)t.length, sizeof *count);
        assert_non_null(count);
        for (int k = 0; k < SAMPLES; k++) {
            const int64_t place = remove_once(r, &s) - t.first;
            assert_true(place >= 0 && place < t.length);
            count[place]++;
        }
        print_message("removal %zu\n", i);
        assert_true(table_check_shape(&t, count, SAMPLES));
        free(count);
        free(t.f);
    }
}

/* Tests that removing nothing or everything draws no random number. */
static void law_removal_of_none_or_all_draws_nothing(void **state)
{
    (void)state;
    static const int32_t full[4] = {INT32_MAX, 0, INT32_MAX, 77};
    const int64_t all = 2 * (int64_t)INT32_MAX + 77;
    struct rd_error e = {0};
    struct rd_stream s = stream_of("law_removal_of_none_or_all_draws_nothing", 0);
    const struct rd_stream before = s;
    int32_t here[4];
    memcpy(here, full, sizeof here);
    assert_true(rd_subset_remove(&s, here, 4, 0, &e));
    assert_memory_equal(here, full, sizeof here);
    assert_true(rd_subset_remove(&s, here, 4, all, &e));
    for (int i = 0; i < 4; i++)
        assert_int_equal(here[i], 0);
    assert_true(rd_subset_remove(&s, here, 4, 0, &e));
    assert_memory_equal(&s, &before, sizeof s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(law_places_lose_hypergeometric_numbers),
        cmocka_unit_test(law_removal_of_none_or_all_draws_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
