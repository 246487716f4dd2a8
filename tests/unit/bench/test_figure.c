/* test_figure - medians, spreads, numbers with a prefix, and the table of peers. */
#include "bench/figure.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static struct rd_sample sample_of(int n, const double *value)
{
    struct rd_sample s = {0};
    for (int i = 0; i < n; i++)
        rd_sample_add(&s, value[i]);
    return s;
}

static void medians_and_spreads(void **state)
{
    (void)state;
    const double value[] = {4.0, 1.0, 2.0, 7.0};
    const struct rd_sample none = {0}, one = sample_of(1, value), three = sample_of(3, value),
                           four = sample_of(4, value);
    assert_true(rd_sample_median(&none) == 0.0 && rd_sample_spread(&none) == 0.0);
    assert_true(rd_sample_median(&one) == 4.0 && rd_sample_spread(&one) == 0.0);
    assert_true(rd_sample_median(&three) == 2.0 && rd_sample_spread(&three) == 1.5);
    assert_true(rd_sample_median(&four) == 3.0 && rd_sample_spread(&four) == 2.0);
    assert_true(four.value[0] == 4.0 && four.value[3] == 7.0); /* in order of measurement */
}

static void full_sample_is_unchanged(void **state)
{
    (void)state;
    struct rd_sample s = {0};
    for (int i = 0; i < RD_REPEATS_MOST + 5; i++)
        rd_sample_add(&s, 1.0 + i);
    assert_int_equal(s.n, RD_REPEATS_MOST);
    assert_true(s.value[RD_REPEATS_MOST - 1] == RD_REPEATS_MOST);
}

static void numbers_have_three_digits(void **state)
{
    (void)state;
    static const struct {
        double value;
        const char *unit, *text;
    } cases[] = {
        {4.2949e12, "B/s", "4.29 TB/s"},
        {55.12e-6, "s", "55.1 us"},
        {0.9996, "s", "1.00 s"},
        {0.99949e-3, "s", "999 us"},
        {999.6e-6, "s", "1.00 ms"},
        {999.6, "B/s", "1.00 kB/s"},
        {1.8e12, "words/s", "1.80 T words/s"},
        {12.0, "voxels/s", "12.0 voxels/s"},
        {740e3, "/s", "740 k/s"},
        {1234.0, "x one sort", "1234 x one sort"},
        {0.0123, "%", "0.012 %"},
        {5.4, "x", "5.40 x"},
        {0.0, "s", "0.000 s"},
        {-0.5, "%", "-0.500 %"},
        {47.46, "B per individual", "47.5 B per individual"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[64];
        rd_figure_scaled(text, sizeof text, cases[i].value, cases[i].unit);
        assert_string_equal(text, cases[i].text);
    }
}

static void peers_are_found_by_case_size_and_load(void **state)
{
    (void)state;
    const struct rd_peer *const lm = rd_peer_of("peer", 256, 1.0);
    assert_non_null(lm);
    assert_true(lm->seconds == 8.73e-3);
    assert_true(rd_peer_is_on(lm, "NVIDIA H200"));
    assert_false(rd_peer_is_on(lm, "NVIDIA H100 PCIe"));
    assert_null(rd_peer_of("peer", 256, 3.0));
    assert_null(rd_peer_of("peer", 255, 1.0));
    assert_null(rd_peer_of("movement", 256, 1.0));
    const struct rd_peer *const exact = rd_peer_of("exact", 128, 10.0);
    assert_true(exact && exact->seconds == 0.0 && exact->rate == 0.74e6);
    assert_false(rd_peer_is_on(exact, "AMD EPYC"));
}

int test_figure(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(medians_and_spreads),
        cmocka_unit_test(full_sample_is_unchanged),
        cmocka_unit_test(numbers_have_three_digits),
        cmocka_unit_test(peers_are_found_by_case_size_and_load),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
