/* test_displacement - displacement distributions along one axis, compared with the exponential of
   the generator. The means are 1e-12 to 64 hops; lines have every kind of end and are shorter and
   longer than the reach. */
#include "plan/displacement.h"

#include "kernels/passes/movement/hop.h"
#include "probability.h"
#include "theory.h"

#include <stdlib.h>
#include <string.h>

/* Error bounds. A displacement distribution resolves shares of the probability of leaving to 2^-32.
   The truncated part is below 2^-33 of that probability; a few rounding errors are added. */
static const double share_error = 4.0 / 4294967296.0, leave_error = 2.0 / 8589934592.0;

/* Returns the generator of the walk over n places and both ends, row by row; rates are per step.
   The caller frees it. */
static double *generator(const struct rd_walk_of *w)
{
    const int n = w->n, all = n + 2;
    double *const q = calloc((size_t)(all * all), sizeof *q);
    assert_non_null(q);
    for (int i = 0; i < n; i++) {
        const int up = i < n - 1 ? i + 1 : w->wraps ? 0 : n + 1;
        const int down = i > 0 ? i - 1 : w->wraps ? n - 1 : n;
        const double forward = w->forward * (up == n + 1 ? w->take[1] : 1);
        const double back = w->back * (down == n ? w->take[0] : 1);
        q[i * all + up] += forward;
        q[i * all + down] += back;
        q[i * all + i] -= forward + back;
    }
    return q;
}

/* Returns the index in the generator that a jump by SHIFT from place i leads to. */
static int target(const struct rd_walk_of *w, int i, int32_t shift)
{
    if (shift == RD_LOST_LOW || shift == RD_LOST_HIGH)
        return w->n + (shift == RD_LOST_HIGH);
    return w->wraps ? rd_wrap(i + shift, w->n) : i + shift;
}

/* Adds up the shares that the thresholds encode, by destination, and checks their form. */
static void read_displacement(const struct rd_displacements *rows,
                              const struct rd_displacement *row, const struct rd_walk_of *w, int i,
                              double *share)
{
    double below = 0, last = 1;
    for (int k = 0; k < row->n; k++) {
        const struct rd_jump *const o = &rows->jump[row->first + k];
        const bool is_last = k == row->n - 1;
        const double next = is_last ? 4294967296.0 : o->below;
        assert_true(!is_last || o->below == UINT32_MAX);
        const double here = (next - below) / 4294967296.0;
        assert_true(here >= 0 && (is_last || here <= last + share_error)); /* in descending order */
        assert_true(o->shift != 0);
        const int to = target(w, i, o->shift);
        assert_in_range(to, 0, w->n + 1);
        share[to] += here;
        below = next;
        last = here;
    }
}

static void assert_displacement(const struct rd_displacements *rows,
                                const struct rd_displacement *row, const struct rd_walk_of *w,
                                int i, const double *p)
{
    double share[256] = {0}, away = 0;
    read_displacement(rows, row, w, i, share);
    for (int to = 0; to < w->n + 2; to++)
        away += to == i ? 0 : p[to];
    const double back = share[i];        /* a walk around a ring and back counts as leaving */
    const int turns = 1 + row->n / w->n; /* outcomes that lead to the same place of a ring */
    const double error = share_error * (w->wraps ? turns : 1);
    if (fabs(row->leave * (1 - back) - away) > (leave_error + (back > 0 ? error : 0)) * row->leave)
        fail_msg("place %d of %d, %g forward, %g back: leaves with %.17g, not %.17g", i, w->n,
                 w->forward, w->back, row->leave * (1 - back), away);
    for (int to = 0; to < w->n + 2; to++)
        if (to != i && fabs(share[to] - p[to] / row->leave) > error)
            fail_msg("place %d of %d, %g forward, %g back, to %d: share %.17g, not %.17g", i, w->n,
                     w->forward, w->back, to, share[to], p[to] / row->leave);
    for (int end = 0; end < 2; end++) /* loss times exist only where loss is possible */
        assert_true(row->lost[end] >= 0 ? p[w->n + end] > 0 : share[w->n + end] == 0);
}

/* Checks every place of the walk; the distribution is found in the same way as in the hop pass. */
static void assert_walk(const struct rd_walk_of *w)
{
    const int all = w->n + 2;
    struct rd_error e = {0};
    struct rd_displacements rows = {0};
    struct rd_axis_table axis_table = {.hi = w->n};
    assert_true(rd_displacements_add(&rows, w, &axis_table, &e));
    const struct rd_world world = {.movement.displacement = rows.displacement,
                                   .movement.jump = rows.jump};
    double *const q = generator(w), *const p = calloc((size_t)(all * all), sizeof *p);
    assert_non_null(p);
    theory_expm(q, all, 1, p);
    for (int i = 0; i < w->n; i++)
        assert_displacement(&rows, rd_displacement_at(&world.movement, &axis_table, i), w, i,
                            p + i * all);
    assert_int_equal(axis_table.wraps, w->wraps);
    free(q);
    free(p);
    rd_displacements_free(&rows);
}

static const double means[] = {1e-12, 1e-6, 1e-3, 0.1, 1, 1.0 / 3, 6, 20, 64};
static const double leans[] = {0.5, 0.51, 0.9, 1, 0}; /* the fraction of hops that go forward */
enum { N_MEANS = sizeof means / sizeof means[0], N_LEANS = sizeof leans / sizeof leans[0] };

static void assert_walks(const int *n, int n_sizes, bool wraps, double low, double high)
{
    for (int size = 0; size < n_sizes; size++)
        for (int m = 0; m < N_MEANS; m++)
            for (int lean = 0; lean < N_LEANS; lean++) {
                const struct rd_walk_of w = {.forward = means[m] * leans[lean],
                                             .back = means[m] * (1 - leans[lean]),
                                             .n = n[size],
                                             .wraps = wraps,
                                             .take = {low, high}};
                assert_walk(&w);
            }
}

static void reflecting_ends(void **state)
{
    (void)state;
    assert_walks((const int[]){2, 3, 5, 12, 31}, 5, false, 0, 0);
}

static void absorbing_ends(void **state)
{
    (void)state;
    assert_walks((const int[]){2, 3, 5, 12}, 4, false, 1, 1);
    assert_walks((const int[]){2, 7}, 2, false, 1, 0);
    assert_walks((const int[]){2, 7}, 2, false, 0, 1);
}

static void partially_absorbing_ends(void **state)
{
    (void)state;
    assert_walks((const int[]){2, 5, 12}, 3, false, 0.3, 0.8);
}

static void periodic_axes(void **state)
{
    (void)state;
    assert_walks((const int[]){2, 3, 8, 24}, 4, true, 0, 0);
}

/* Checks that inner places share one distribution and that places near an end have their own. */
static void inner_places_share_a_distribution(void **state)
{
    (void)state;
    struct rd_error e = {0};
    const struct rd_walk_of w = {.forward = 0.2, .back = 0.3, .n = 100, .take = {1, 0}};
    struct rd_displacements rows = {0};
    struct rd_axis_table axis_table = {.hi = 100};
    assert_true(rd_displacements_add(&rows, &w, &axis_table, &e));
    assert_in_range(axis_table.reach, 5, 20);
    assert_int_equal(rows.n_displacement, 2 * axis_table.reach + 1);
    assert_walk(&w);
    rd_displacements_free(&rows);
}

/* Checks one place with an open end: the probability of leaving is 1 - exp(-take forward). */
static void single_place_with_an_open_end(void **state)
{
    (void)state;
    for (int m = 0; m < N_MEANS; m++) {
        const struct rd_walk_of one = {
            .forward = means[m] * 0.6, .back = means[m] * 0.4, .n = 1, .take = {0.5, 1}};
        assert_walk(&one);
        const struct rd_walk_of away = {.forward = means[m], .n = 1, .take = {1, 0}};
        struct rd_displacements rows = {0};
        struct rd_axis_table axis_table;
        struct rd_error e = {0};
        assert_true(rd_displacements_add(&rows, &away, &axis_table, &e));
        assert_true(rows.displacement[axis_table.first].leave == 0);
        rd_displacements_free(&rows);
    }
}

static void no_rate_no_jump(void **state)
{
    (void)state;
    static const struct rd_walk_of rests[] = {{.n = 7},
                                              {.n = 7, .wraps = true},
                                              {.forward = 3, .back = 3, .n = 1, .wraps = true},
                                              {.forward = 3, .back = 3, .n = 1},
                                              {.n = 4, .take = {1, 1}}};
    struct rd_error e = {0};
    struct rd_displacements rows = {0};
    for (size_t i = 0; i < sizeof rests / sizeof rests[0]; i++) {
        struct rd_axis_table axis_table;
        assert_true(rd_displacements_add(&rows, &rests[i], &axis_table, &e));
        assert_int_equal(axis_table.first, i);
        assert_int_equal(axis_table.reach, 0);
        assert_true(rows.displacement[axis_table.first].leave == 0);
        assert_int_equal(rows.displacement[axis_table.first].lost[0], -1);
        assert_int_equal(rows.displacement[axis_table.first].lost[1], -1);
    }
    rd_displacements_free(&rows);
}

/* Checks that later axis tables do not change the data of earlier ones. */
static void later_tables_keep_earlier_ones(void **state)
{
    (void)state;
    struct rd_error e = {0};
    struct rd_displacements rows = {0};
    struct rd_axis_table first, axis_table;
    const struct rd_walk_of w = {.forward = 1.5, .back = 0.5, .n = 9, .take = {1, 1}};
    assert_true(rd_displacements_add(&rows, &w, &first, &e));
    const struct rd_displacement row = rows.displacement[first.first + 4];
    const struct rd_jump jump = rows.jump[row.first];
    const struct rd_when when = rows.when[row.lost[1]];
    for (int i = 0; i < 40; i++)
        assert_true(rd_displacements_add(&rows, &w, &axis_table, &e));
    assert_int_equal(axis_table.first, 40 * 9);
    assert_memory_equal(&rows.displacement[first.first + 4], &row, sizeof row);
    assert_memory_equal(&rows.jump[row.first], &jump, sizeof jump);
    assert_memory_equal(&rows.when[row.lost[1]], &when, sizeof when);
    rd_displacements_free(&rows);
    assert_null(rows.displacement);
    assert_int_equal(rows.n_jump, 0);
}

/* Compares the distribution of the absorption time with a computation jump by jump. There are three
   places, and the low end absorbs. From the middle place, absorption occurs at the second jump, the
   fourth, ... */
static void absorption_times_match_jumps(void **state)
{
    (void)state;
    const double mean = 2.5, forward = 0.4, back = 0.6;
    const struct rd_walk_of w = {
        .forward = mean * forward, .back = mean * back, .n = 3, .take = {1, 0}};
    struct rd_error e = {0};
    struct rd_displacements rows = {0};
    struct rd_axis_table axis_table;
    assert_true(rd_displacements_add(&rows, &w, &axis_table, &e));
    const struct rd_when *const when = &rows.when[rows.displacement[axis_table.first + 1].lost[0]];
    assert_true(when->mean == mean);
    double at[3] = {0, 1, 0}, probability = exp(-mean), tail = 1 - probability, sum = 0,
           taken[64] = {0};
    for (int m = 1; m < 64; m++) {
        taken[m] = at[0] * back * tail; /* at the m-th jump, if the step has at least m jumps */
        sum += taken[m];
        const double next[3] = {at[1] * back, at[0] * forward + at[2] * back,
                                (at[1] + at[2]) * forward};
        memcpy(at, next, sizeof at);
        probability *= mean / m;
        tail -= probability;
    }
    double below = 0;
    for (int m = 1; m <= when->n; m++) {
        below += taken[m] / sum;
        assert_true(fabs(rows.when_below[when->first + m - 1] / 4294967296.0 - below) <
                    share_error);
    }
    assert_int_equal(rows.when_below[when->first], 0);
    assert_true(rows.when_below[when->first + 1] > 0);
    assert_int_equal(rows.displacement[axis_table.first + 1].lost[1], -1);
    rd_displacements_free(&rows);
}

/* Returns the length of the longest jump in the distribution. */
static int64_t farthest(const struct rd_displacements *rows, int64_t number)
{
    const struct rd_displacement *const row = &rows->displacement[number];
    int64_t far = 0;
    for (int32_t k = 0; k < row->n; k++) {
        const int64_t shift = rows->jump[row->first + k].shift;
        far = llabs(shift) > far ? llabs(shift) : far;
    }
    return far;
}

/* Tests that not more than RD_ARRIVE_SITES voxels are in reach of the largest displacements along
   three axes, and of walks with as many hops along each. */
static void few_voxels_are_in_reach(void **state)
{
    (void)state;
    struct rd_displacements rows = {0};
    struct rd_axis_table axis;
    struct rd_error e = {0};
    const double most = RD_DISPLACEMENTS_MOST * (1.0 + 1e-6);
    const struct rd_walk_of walk = {.forward = most, .n = 1000, .wraps = true};
    int32_t tries;
    assert_true(rd_displacements_add(&rows, &walk, &axis, &e));
    assert_true(rd_displacements_add_tries(&rows, 3.0 * most, 1.0, &tries, &e));
    const int64_t n = 2 * farthest(&rows, axis.first) + 1, hops = farthest(&rows, tries) + 1;
    assert_in_range(n, 2 * 100 + 1, 2 * 122 + 1);
    assert_true(n * n * n <= RD_ARRIVE_SITES);
    assert_in_range(hops, 250, 288);
    assert_true((4 * hops * hops * hops + 6 * hops * hops + 8 * hops + 3) / 3 <= RD_ARRIVE_SITES);
    rd_displacements_free(&rows);
}

int test_displacement(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reflecting_ends),
        cmocka_unit_test(absorbing_ends),
        cmocka_unit_test(partially_absorbing_ends),
        cmocka_unit_test(periodic_axes),
        cmocka_unit_test(inner_places_share_a_distribution),
        cmocka_unit_test(single_place_with_an_open_end),
        cmocka_unit_test(no_rate_no_jump),
        cmocka_unit_test(later_tables_keep_earlier_ones),
        cmocka_unit_test(absorption_times_match_jumps),
        cmocka_unit_test(few_voxels_are_in_reach),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
