/* test_statistics - sums over runs compared with direct computation: small and huge counts, one
   run, batches in any order. */
#include "probability.h"
#include "result/statistics/ensemble.h"

#include <stdlib.h>
#include <string.h>

enum { RUNS = 300, QUANTITIES = 4 };

/* Fills the array with values around 2^level, the same on every call. */
static void fill(int64_t value[RUNS][QUANTITIES], int level, const char *name)
{
    struct rd_stream s = stream_of(name, level);
    for (int run = 0; run < RUNS; run++)
        for (int i = 0; i < QUANTITIES; i++)
            value[run][i] = (INT64_C(1) << level) + (int64_t)(rd_word(&s) % 100000) * (i + 1) -
                            (i == 3 ? value[run][0] - (INT64_C(1) << level) : 0);
}

/* Returns the covariance about an exact offset, so that long double loses no digit. */
static long double covariance_of(int64_t value[RUNS][QUANTITIES], int i, int j)
{
    long double mean_i = 0, mean_j = 0, sum = 0;
    for (int run = 0; run < RUNS; run++) {
        mean_i += (long double)(value[run][i] - value[0][i]) / RUNS;
        mean_j += (long double)(value[run][j] - value[0][j]) / RUNS;
    }
    for (int run = 0; run < RUNS; run++)
        sum += ((long double)(value[run][i] - value[0][i]) - mean_i) *
               ((long double)(value[run][j] - value[0][j]) - mean_j);
    return sum / (RUNS - 1);
}

static void assert_near(long double seen, long double expected)
{
    if (!(fabsl(seen - expected) <= 4e-16L * fabsl(expected)))
        fail_msg("%.20Lg is not %.20Lg", seen, expected);
}

static void assert_moments(const struct rd_statistics *t, int64_t value[RUNS][QUANTITIES])
{
    for (int i = 0; i < QUANTITIES; i++) {
        long double mean = 0;
        int64_t min = value[0][i], max = value[0][i];
        for (int run = 0; run < RUNS; run++) {
            mean += (long double)(value[run][i] - value[0][i]) / RUNS;
            min = value[run][i] < min ? value[run][i] : min;
            max = value[run][i] > max ? value[run][i] : max;
        }
        assert_near(rd_statistics_mean(t, i), (long double)value[0][i] + mean);
        assert_true(t->of[i].min == min && t->of[i].max == max);
        assert_near(rd_statistics_variance(t, i), covariance_of(value, i, i));
        for (int j = 0; j < QUANTITIES; j++)
            assert_near(rd_statistics_covariance(t, i, j), covariance_of(value, i, j));
    }
}

/* Checks moments up to 2^61: the sum of squares exceeds 128 bits, and a double does not resolve the
   deviations. */
static void test_moments_at_any_size(void **state)
{
    (void)state;
    static int64_t value[RUNS][QUANTITIES];
    static const int level[] = {20, 31, 40, 61};
    for (size_t l = 0; l < sizeof level / sizeof *level; l++) {
        struct rd_error e = {0};
        struct rd_statistics t;
        fill(value, level[l], "test_moments_at_any_size");
        assert_true(rd_statistics_make(&t, QUANTITIES, true, &e));
        for (int run = 0; run < RUNS; run++)
            rd_statistics_add(&t, value[run]);
        assert_moments(&t, value);
        rd_statistics_free(&t);
    }
}

static void test_batches_in_any_order(void **state)
{
    (void)state;
    static int64_t value[RUNS][QUANTITIES];
    struct rd_error e = {0};
    struct rd_statistics whole, batch[3];
    fill(value, 33, "test_batches_in_any_order");
    assert_true(rd_statistics_make(&whole, QUANTITIES, false, &e));
    for (int b = 0; b < 3; b++)
        assert_true(rd_statistics_make(&batch[b], QUANTITIES, false, &e));
    for (int run = 0; run < RUNS; run++) {
        rd_statistics_add(&whole, value[run]);
        rd_statistics_add(&batch[run % 7 % 3], value[RUNS - 1 - run]);
    }
    rd_sums_add(batch[2].of, batch[0].of, QUANTITIES);
    rd_sums_add(batch[2].of, batch[1].of, QUANTITIES);
    assert_true(batch[0].runs + batch[1].runs + batch[2].runs == RUNS);
    assert_memory_equal(whole.of, batch[2].of, QUANTITIES * sizeof *whole.of);
    rd_statistics_free(&whole);
    for (int b = 0; b < 3; b++)
        rd_statistics_free(&batch[b]);
}

static void test_one_run_has_no_variance(void **state)
{
    (void)state;
    struct rd_error e = {0};
    struct rd_statistics t;
    assert_true(rd_statistics_make(&t, 2, true, &e));
    rd_statistics_add(&t, (const int64_t[]){7, 0});
    assert_true(rd_statistics_mean(&t, 0) == 7 && t.of[0].min == 7 && t.of[0].max == 7);
    assert_true(isnan(rd_statistics_variance(&t, 0)));
    assert_true(isnan(rd_statistics_covariance(&t, 0, 1)));
    rd_statistics_free(&t);
}

/* Checks that the variance is NaN if sums do not fit in 128 bits. Every other run has 2^60
   molecules: the sums of 64 runs fit, those of 1024 do not. */
static void test_too_large_moments_are_nan(void **state)
{
    (void)state;
    for (int runs = 64; runs <= 1024; runs *= 16) {
        struct rd_error e = {0};
        struct rd_statistics t;
        assert_true(rd_statistics_make(&t, 2, true, &e));
        for (int run = 0; run < runs; run++)
            rd_statistics_add(&t, (const int64_t[]){(int64_t)(run % 2) << 60, run % 2});
        assert_true(rd_statistics_mean(&t, 0) == 0x1p59);
        if (runs == 64)
            assert_near(rd_statistics_variance(&t, 0), 0x1p118L * 64 / 63);
        assert_int_equal(isnan(rd_statistics_variance(&t, 0)), runs > 64);
        assert_int_equal(isnan(rd_statistics_covariance(&t, 0, 0)), runs > 64);
        assert_near(rd_statistics_covariance(&t, 0, 1), 0x1p58L * runs / (runs - 1));
        assert_near(rd_statistics_variance(&t, 1), 0.25L * runs / (runs - 1));
        rd_statistics_free(&t);
    }
}

static void test_equal_runs_have_variance_zero(void **state)
{
    (void)state;
    struct rd_error e = {0};
    struct rd_statistics t;
    assert_true(rd_statistics_make(&t, 1, false, &e));
    for (int run = 0; run < 1000; run++)
        rd_statistics_add_counts(&t, (const int32_t[]){INT32_MAX});
    assert_true(rd_statistics_mean(&t, 0) == INT32_MAX);
    assert_true(rd_statistics_variance(&t, 0) == 0);
    rd_statistics_free(&t);
}

/* Checks the statistics of every voxel of the surveyed species, and covariances of the paired ones;
   there are more voxels than one block holds. */
static void test_ensemble_of_voxels(void **state)
{
    (void)state;
    enum { N_RUNS = 3, N_SPECIES = 4, N_SITES = 3001, SURVEYED = 3, PAIRED = 2 };
    static const int32_t surveyed[SURVEYED] = {0, 1, 3}, paired[PAIRED] = {1, 3};
    struct rd_error e = {0};
    struct rd_ensemble m;
    int32_t *const counts = malloc(N_RUNS * N_SPECIES * N_SITES * sizeof *counts);
    int64_t totals[N_RUNS * N_SPECIES] = {0};
    struct rd_stream s = stream_of("test_ensemble_of_voxels", 0);
    for (int i = 0; i < N_RUNS * N_SPECIES * N_SITES; i++) {
        counts[i] = (int32_t)(rd_word(&s) >> 1);
        totals[i / N_SITES] += counts[i];
    }
    static const double quantile[] = {0, 0.5, 1};
    const struct rd_ensemble of = {.n_runs = N_RUNS,
                                   .n_species = N_SPECIES,
                                   .n_sites = N_SITES,
                                   .surveyed = surveyed,
                                   .paired = paired,
                                   .n_surveyed = SURVEYED,
                                   .n_paired = PAIRED,
                                   .quantile = quantile,
                                   .n_quantiles = 3};
    assert_true(rd_ensemble_make(&m, &of, &e));
    assert_true(rd_ensemble_take(&m, totals, NULL, counts, NULL, NULL, &e));
    assert_true(rd_ensemble_take(&m, totals, NULL, counts, NULL, NULL, &e)); /* sums start anew */
    for (int i = 0; i < SURVEYED * N_SITES; i++) {
        const int32_t *const count = counts + surveyed[i / N_SITES] * N_SITES + i % N_SITES;
        const long double a = count[0], b = count[N_SPECIES * N_SITES],
                          c = count[2 * N_SPECIES * N_SITES], mean = (a + b + c) / 3;
        assert_near(m.voxel_mean[i], mean);
        assert_near(m.voxel_variance[i],
                    ((a - mean) * (a - mean) + (b - mean) * (b - mean) + (c - mean) * (c - mean)) /
                        2);
        assert_true(m.voxel_min[i] <= a && m.voxel_min[i] <= b && m.voxel_min[i] <= c);
        assert_true(m.voxel_max[i] >= a && m.voxel_max[i] >= b && m.voxel_max[i] >= c);
    }
    for (int i = 0; i < N_SPECIES; i++)
        assert_near(m.all.mean[i],
                    (long double)(totals[i] + totals[i + N_SPECIES] + totals[i + 2 * N_SPECIES]) /
                        3);
    assert_true(m.all.covariance[1] == m.all.covariance[2]);
    assert_true(m.all.covariance[0] == m.all.variance[paired[0]]);
    assert_true(m.all.covariance[3] == m.all.variance[paired[1]]);
    rd_ensemble_free(&m);
    free(counts);
}

int test_statistics(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_moments_at_any_size),
        cmocka_unit_test(test_batches_in_any_order),
        cmocka_unit_test(test_one_run_has_no_variance),
        cmocka_unit_test(test_equal_runs_have_variance_zero),
        cmocka_unit_test(test_too_large_moments_are_nan),
        cmocka_unit_test(test_ensemble_of_voxels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
