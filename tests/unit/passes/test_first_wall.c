/* test_first_wall - tests of the time of absorption within a step, against its exact
   distribution. */
#include "kernels/passes/movement/hop.h"

#include "plan/displacement.h"
#include "probability.h"
#include "theory.h"

enum { N_DRAWS = 40000, N_BINS = 20 };

/* Checks Poisson numbers with this mean, given that they are at least `least`, against direct
   sums. */
static void assert_jumps(const char *name, double mean, int64_t least, int64_t most)
{
    struct rd_stream s = stream_of(name, least);
    double probability[400] = {0}, sum = 0, first = 0, mean_seen = 0, variance = 0;
    for (int64_t n = least; n <= most; n++) {
        probability[n - least] = exp((double)n * log(mean) - mean - lgamma((double)n + 1));
        sum += probability[n - least];
    }
    for (int64_t n = least; n <= most; n++)
        first += probability[n - least] / sum * (double)n;
    for (int64_t n = least; n <= most; n++)
        variance += probability[n - least] / sum * ((double)n - first) * ((double)n - first);
    for (int i = 0; i < N_DRAWS; i++) {
        const int64_t n = rd_jumps_from(mean, least, &s);
        assert_in_range(n, least, most);
        mean_seen += (double)n - first;
    }
    assert_deviation(name, mean_seen / sqrt(N_DRAWS * variance));
}

static void jumps_are_truncated_poisson_numbers(void **state)
{
    (void)state;
    const char *const name = "jumps_are_truncated_poisson_numbers";
    assert_jumps(name, 0.3, 1, 60);
    assert_jumps(name, 3, 2, 80);
    assert_jumps(name, 5, 14, 90);
    assert_jumps(name, 64, 1, 300);
    assert_jumps(name, 64, 70, 300);
}

static void rare_jumps_have_the_least_number(void **state)
{
    (void)state;
    struct rd_stream s = stream_of("rare_jumps_have_the_least_number", 0);
    for (int i = 0; i < 1000; i++)
        assert_int_equal(rd_jumps_from(1e-12, 3, &s), 3);
}

/* Returns the probability of absorption at the end (0 low, 1 high) within the fraction t of the
   step. */
static double absorbed(const struct rd_walk_of *w, int from, int end, double t)
{
    double q[64] = {0}, p[64];
    const int n = w->n, all = n + 2;
    assert_true(all <= 8);
    for (int i = 0; i < n; i++) {
        const int up = i == n - 1 ? n + 1 : i + 1, down = i == 0 ? n : i - 1;
        q[i * all + up] = w->forward * (i == n - 1 ? w->take[1] : 1);
        q[i * all + down] = w->back * (i == 0 ? w->take[0] : 1);
        q[i * all + i] = -q[i * all + up] - q[i * all + down];
    }
    theory_expm(q, all, t, p);
    return p[from * all + n + end];
}

static void assert_times(const char *name, const struct rd_walk_of *w, int from, int end)
{
    struct rd_error e = {0};
    struct rd_displacements rows = {0};
    struct rd_axis_table axis_table;
    assert_true(rd_displacements_add(&rows, w, &axis_table, &e));
    assert_int_equal(axis_table.reach, w->n); /* each place has its own displacement distribution */
    const struct rd_world world = {.movement.when = rows.when,
                                   .movement.when_below = rows.when_below};
    struct rd_stream s = stream_of(name, 10 * from + end);
    int64_t seen[N_BINS] = {0};
    double expected[N_BINS];
    const double all = absorbed(w, from, end, 1);
    for (int i = 0; i < N_BINS; i++)
        expected[i] = N_DRAWS / all *
                      (absorbed(w, from, end, (i + 1.0) / N_BINS) -
                       absorbed(w, from, end, (double)i / N_BINS));
    for (int i = 0; i < N_DRAWS; i++) {
        const double time =
            rd_when_lost(&world.movement, rows.displacement[axis_table.first + from].lost[end], &s);
        assert_true(time > 0 && time < 1);
        seen[(int)(time * N_BINS)]++;
    }
    assert_deviation(name, chi_square_deviate(seen, expected, N_BINS));
    rd_displacements_free(&rows);
}

static void absorption_times_have_their_distribution(void **state)
{
    (void)state;
    const char *const name = "absorption_times_have_their_distribution";
    const struct rd_walk_of one = {.forward = 1.2, .n = 1, .take = {0, 1}};
    assert_times(name, &one, 0, 1);
    const struct rd_walk_of three = {.forward = 0.9, .back = 0.6, .n = 3, .take = {0.5, 1}};
    assert_times(name, &three, 0, 0);
    assert_times(name, &three, 2, 1);
    const struct rd_walk_of often = {.forward = 30, .back = 34, .n = 6, .take = {0.002, 0.005}};
    assert_times(name, &often, 5, 1);
}

int test_first_wall(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(jumps_are_truncated_poisson_numbers),
        cmocka_unit_test(rare_jumps_have_the_least_number),
        cmocka_unit_test(absorption_times_have_their_distribution),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
