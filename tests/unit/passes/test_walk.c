/* test_walk - tests of one hop and of walks of many hops: directions by rate, walls of each kind,
   regions, arrivals and losses. */
#include "kernels/passes/movement/walk.h"

#include "handmade.h"

#include <stdlib.h>

static const double shut[RD_N_FACES] = {0};
static const double rates[RD_N_FACES] = {1, 2, 0, 0, 0.5, 0.25};
enum { X_LOW, X_HIGH, Y_LOW, Y_HIGH, Z_LOW, Z_HIGH };

static void directions_follow_rates(void **state)
{
    (void)state;
    struct handmade h;
    handmade_open(&h, "directions_follow_rates", (const int32_t[]){3, 3, 3}, 1);
    handmade_move(&h, 'A', rates, shut);
    const struct rd_transport *const m = &h.transport[0];
    const double total = 3.75;
    assert_true(m->hop_rate.total == total);
    assert_int_equal(rd_direction(m->hop_rate.rate, m->hop_rate.total, 0), X_LOW);
    assert_int_equal(rd_direction(m->hop_rate.rate, m->hop_rate.total, 0.99 / total), X_LOW);
    assert_int_equal(rd_direction(m->hop_rate.rate, m->hop_rate.total, 1.01 / total), X_HIGH);
    assert_int_equal(rd_direction(m->hop_rate.rate, m->hop_rate.total, 2.99 / total), X_HIGH);
    assert_int_equal(rd_direction(m->hop_rate.rate, m->hop_rate.total, 3.01 / total), Z_LOW);
    assert_int_equal(rd_direction(m->hop_rate.rate, m->hop_rate.total, 3.51 / total), Z_HIGH);
    assert_int_equal(rd_direction(m->hop_rate.rate, m->hop_rate.total, 1),
                     Z_HIGH); /* rounding never selects a rate of 0 */
    handmade_close(&h);
}

/* Sets at to the voxel that a hop leads to; returns false if the molecule is absorbed. */
static bool hop(const struct handmade *h, int face, int32_t x, int32_t y, int32_t z, int32_t at[3])
{
    struct rd_stream s = stream_of("hop", face);
    at[0] = x;
    at[1] = y;
    at[2] = z;
    return rd_hop_once(&h->world, &h->transport[0], face, at, &s);
}

static void walls_reflect_absorb_or_wrap(void **state)
{
    (void)state;
    const double pass[RD_N_FACES] = {0, 1, -1, -1, 0, 0};
    struct handmade h;
    int32_t at[3];
    handmade_open(&h, "walls_reflect_absorb_or_wrap", (const int32_t[]){3, 4, 5}, 1);
    handmade_move(&h, 'A', rates, pass);
    assert_true(hop(&h, X_HIGH, 0, 1, 2, at));
    assert_int_equal(rd_site_number(&h.world.lattice, at), (2 * 4 + 1) * 3 + 1);
    assert_true(hop(&h, X_LOW, 0, 1, 2, at) && at[0] == 0 && at[1] == 1 && at[2] == 2);
    assert_false(hop(&h, X_HIGH, 2, 1, 2, at));
    assert_true(hop(&h, Y_LOW, 2, 0, 2, at) && at[1] == 3);
    assert_true(hop(&h, Y_HIGH, 2, 3, 2, at) && at[1] == 0);
    assert_true(hop(&h, Z_HIGH, 2, 3, 4, at) && at[2] == 4);
    assert_true(hop(&h, Z_LOW, 2, 3, 4, at) && at[2] == 3);
    handmade_close(&h);
}

static void partial_walls_absorb_by_probability(void **state)
{
    (void)state;
    enum { N = 20000 };
    const double probability = 0.3;
    const double pass[RD_N_FACES] = {probability, 0, 0, 0, 0, 0};
    struct handmade h;
    handmade_open(&h, "partial_walls_absorb_by_probability", (const int32_t[]){3, 1, 1}, 1);
    handmade_move(&h, 'A', rates, pass);
    struct rd_stream s = stream_of("partial_walls_absorb_by_probability", 0);
    double taken = 0;
    for (int i = 0; i < N; i++) {
        int32_t at[3] = {0, 0, 0};
        taken += !rd_hop_once(&h.world, &h.transport[0], X_LOW, at, &s);
        assert_int_equal(at[0], 0);
    }
    assert_deviation("taken",
                     (taken - N * probability) / sqrt(N * probability * (1 - probability)));
    handmade_close(&h);
}

static void molecules_stay_in_their_region(void **state)
{
    (void)state;
    struct handmade h;
    int32_t at[3];
    handmade_open(&h, "molecules_stay_in_their_region", (const int32_t[]){3, 1, 1}, 1);
    handmade_move(&h, 'A', rates, shut);
    h.transport[0].region = 0;
    h.mask[2] = 0;
    assert_true(hop(&h, X_HIGH, 0, 0, 0, at) && at[0] == 1);
    assert_true(hop(&h, X_HIGH, 1, 0, 0, at) && at[0] == 1);
    handmade_close(&h);
}

static void open_walk(struct handmade *h, const char *name, const int32_t size[3],
                      const double *rate, const double *pass, int32_t *arrive)
{
    handmade_open(h, name, size, 1);
    handmade_move(h, 'A', rate, pass);
    h->world.counts.arrive = arrive;
}

static void walk_without_time_ends(void **state)
{
    (void)state;
    int32_t arrive[3 * 9] = {0};
    struct handmade h;
    open_walk(&h, "no_time_left_is_an_arrival", (const int32_t[]){9, 1, 1}, rates, shut, arrive);
    const struct rd_place p = rd_place_of(&h.world.lattice, 4);
    struct rd_stream s = stream_of("no_time_left_is_an_arrival", 0);
    rd_walk(&h.world, 0, &p, 0, &s);
    assert_int_equal(arrive[4], 1);
    handmade_close(&h);
}

/* Tests mean and variance of the displacement: (forward - back) t and (forward + back) t. */
static void walks_have_mean_and_variance(void **state)
{
    (void)state;
    enum { N = 20000, SIZE = 201 };
    const double rate[RD_N_FACES] = {1, 2, 0, 0, 0, 0}, t = 3, mean = (2 - 1) * t;
    const double variance = (2 + 1) * t;
    static int32_t arrive[3 * SIZE];
    struct handmade h;
    const char *const name = "walks_have_mean_and_variance";
    open_walk(&h, name, (const int32_t[]){SIZE, 1, 1}, rate, shut, arrive);
    const struct rd_place p = rd_place_of(&h.world.lattice, SIZE / 2);
    struct rd_stream s = stream_of(name, 0);
    for (int i = 0; i < N; i++)
        rd_walk(&h.world, 0, &p, t, &s);
    double n = 0, sum = 0, squares = 0;
    for (int x = 0; x < SIZE; x++) {
        const double d = x - SIZE / 2 - mean;
        n += arrive[x];
        sum += d * arrive[x];
        squares += d * d * arrive[x];
    }
    assert_true(n == N);
    assert_deviation("mean", sum / sqrt(N * variance));
    assert_deviation("variance", (squares / N / variance - 1) * sqrt(N / (2 + 1 / variance)));
    handmade_close(&h);
}

/* Tests that a walk from one voxel with open ends is absorbed at each face in proportion to its
   rate. */
static void faces_absorb_in_proportion_to_rates(void **state)
{
    (void)state;
    enum { N = 20000 };
    const double all_open[RD_N_FACES] = {1, 1, 1, 1, 1, 1};
    int32_t arrive[3] = {0};
    struct handmade h;
    open_walk(&h, "faces_absorb_in_proportion_to_rates", (const int32_t[]){1, 1, 1}, rates,
              all_open, arrive);
    const struct rd_place p = rd_place_of(&h.world.lattice, 0);
    struct rd_stream s = stream_of("faces_absorb_in_proportion_to_rates", 0);
    for (int i = 0; i < N; i++)
        rd_walk(&h.world, 0, &p, 1e9, &s);
    assert_int_equal(arrive[0], 0);
    double expected[4];
    int64_t seen[4];
    int n = 0;
    for (int face = 0; face < RD_N_FACES; face++) {
        if (rates[face] > 0) {
            expected[n] = N * rates[face] / 3.75;
            seen[n++] = h.lost[face];
        } else {
            assert_int_equal(h.lost[face], 0);
        }
    }
    assert_deviation("faces", chi_square_deviate(seen, expected, n));
    handmade_close(&h);
}

/* Tests that a walk ends with a fault when its stream is nearly used up; the molecule is kept. */
static void endless_walk_is_a_fault(void **state)
{
    (void)state;
    int32_t arrive[3 * 3] = {0};
    struct handmade h;
    open_walk(&h, "endless_walk_is_a_fault", (const int32_t[]){3, 1, 1}, rates, shut, arrive);
    const struct rd_place p = rd_place_of(&h.world.lattice, 1);
    struct rd_stream s = stream_of("endless_walk_is_a_fault", 0);
    s.counter[0] = UINT32_MAX - 100;
    rd_walk(&h.world, 0, &p, 1e300, &s);
    assert_int_equal(h.fault[RD_FAULT_STUCK].number, 1);
    assert_int_equal(rd_fault_voxel(&h.fault[RD_FAULT_STUCK]), 1);
    assert_int_equal(arrive[0] + arrive[1] + arrive[2], 1);
    handmade_close(&h);
}

/* Sends the numbers to a voxel, one after the other, and checks that landing gives an overflow
   fault. */
static void assert_overflows(const char *name, const int32_t *number, const int64_t *times, int n)
{
    int32_t arrive[3 * 2] = {0};
    struct handmade h;
    open_walk(&h, name, (const int32_t[]){2, 1, 1}, rates, shut, arrive);
    int64_t sum = 0, n_wrong = 0;
    for (int i = 0; i < n; i++)
        for (int64_t k = 0; k < times[i]; k++) {
            sum += number[i];
            rd_arrive(&h.world, 1, 1, number[i]);
            n_wrong += (*rd_arrivals_at(&h.world, 1, 1) < 0) != (sum > INT32_MAX);
        }
    assert_int_equal(n_wrong, 0);
    assert_int_equal(h.fault[RD_FAULT_OVERFLOW].number, 0); /* only landing reports the fault */
    rd_land(&h.world, 1);
    assert_int_equal(h.fault[RD_FAULT_OVERFLOW].number, 1);
    assert_int_equal(rd_fault_voxel(&h.fault[RD_FAULT_OVERFLOW]), 1);
    assert_int_equal(rd_fault_what(&h.fault[RD_FAULT_OVERFLOW]), 1);
    assert_int_equal(*handmade_count(&h, 0, 'B', 1), 0);
    handmade_close(&h);
}

static void overflow_of_arrivals_is_a_fault(void **state)
{
    (void)state;
    /* the sum passes 2^32: by groups, by small numbers, and by both in two orders */
    assert_overflows("overflow_of_arrivals_is_a_fault", (const int32_t[]){65000},
                     (const int64_t[]){85184}, 1);
    assert_overflows("overflow_of_arrivals_is_a_fault", (const int32_t[]){1023},
                     (const int64_t[]){4300000}, 1);
    assert_overflows("overflow_of_arrivals_is_a_fault", (const int32_t[]){INT32_MAX, 1000, 1},
                     (const int64_t[]){2, 2200000, 9}, 3);
    assert_overflows("overflow_of_arrivals_is_a_fault", (const int32_t[]){1, 1000, INT32_MAX},
                     (const int64_t[]){9, 2200000, 2}, 3);
    assert_overflows("overflow_of_arrivals_is_a_fault", (const int32_t[]){INT32_MAX - 7, 1},
                     (const int64_t[]){1, 8}, 2);
}

/* Tests that the greatest possible number gives no fault. Small numbers are added without a check;
   an overflowed sum stays negative, whatever they add up to. */
static void small_sums_do_not_overflow(void **state)
{
    (void)state;
    int32_t arrive[3 * 2] = {0};
    struct handmade h;
    open_walk(&h, "small_sums_do_not_overflow", (const int32_t[]){2, 1, 1}, rates, shut, arrive);
    int32_t *const sum = rd_arrivals_at(&h.world, 0, 0);
    rd_arrive(&h.world, 0, 0, INT32_MAX - 1);
    rd_add_one_of_small(sum);
    assert_int_equal(*sum, INT32_MAX);
    *sum = RD_ARRIVE_RESET - 1;
    rd_arrive(&h.world, 0, 0, RD_ARRIVE_GROUP - 1);
    assert_true(*sum >= RD_ARRIVE_RESET);
    assert_true((int64_t)*sum + (int64_t)(RD_BATCH_LEAST - 1) * RD_ARRIVE_SITES +
                    (INT64_C(1) << 19) * (RD_ARRIVE_GROUP - 1) <
                0);
    rd_arrive(&h.world, 0, 0, 1);
    assert_int_equal(*sum, INT32_MIN);
    handmade_close(&h);
}

int test_walk(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(directions_follow_rates),
        cmocka_unit_test(walls_reflect_absorb_or_wrap),
        cmocka_unit_test(partial_walls_absorb_by_probability),
        cmocka_unit_test(molecules_stay_in_their_region),
        cmocka_unit_test(walk_without_time_ends),
        cmocka_unit_test(walks_have_mean_and_variance),
        cmocka_unit_test(faces_absorb_in_proportion_to_rates),
        cmocka_unit_test(endless_walk_is_a_fault),
        cmocka_unit_test(overflow_of_arrivals_is_a_fault),
        cmocka_unit_test(small_sums_do_not_overflow),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
