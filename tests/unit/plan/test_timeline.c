/* test_timeline - where time is cut, and into how many steps: times do not drift, and times that
   are equal apart from rounding are one. */
#include "plan/timeline.h"

#include "probability.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

static struct rd_model model_of(double end, double *output, int64_t n_outputs,
                                struct rd_event *event, int n_events)
{
    return (struct rd_model){
        .end = end, .moment = output, .n_moments = n_outputs, .event = event, .n_events = n_events};
}

static void open_timeline(struct rd_timeline *t, const struct rd_model *m)
{
    struct rd_error e = {0};
    assert_true(rd_timeline_open(t, m, &e));
}

/* Counts the outputs that are due and takes them. */
static int take_outputs(struct rd_timeline *t)
{
    int n = 0;
    while (rd_timeline_output(t))
        n++;
    return n;
}

/* Takes the events that are due, and counts those of each number. Checks that they come in the
   order of the file. */
static void take_events(struct rd_timeline *t, int *n, int n_events)
{
    memset(n, 0, (size_t)n_events * sizeof *n);
    for (int i, last = 0; rd_timeline_event(t, &i); last = i) {
        assert_in_range(i, last, n_events - 1);
        n[i]++;
    }
}

/* Counts the events that are due, and takes them. */
static int take_all(struct rd_timeline *t)
{
    int n = 0;
    for (int i; rd_timeline_event(t, &i);)
        n++;
    return n;
}

static void stretches_end_at_outputs_events_and_end(void **state)
{
    (void)state;
    double output[] = {0, 1, 4};
    struct rd_event event[] = {{.time = 2.5, .until = 5}, {.time = 0, .every = 2, .until = 5}};
    const struct rd_model m = model_of(5, output, 3, event, 2);
    static const struct {
        double time;
        int outputs, first, second;
    } cuts[] = {{0, 1, 0, 1},   {1, 1, 0, 0}, {2, 0, 0, 1},
                {2.5, 0, 1, 0}, {4, 1, 0, 1}, {5, 0, 0, 0}};
    struct rd_timeline t;
    struct rd_stretch stretch = {.to = 0};
    open_timeline(&t, &m);
    for (int i = 0; i < 6; i++) {
        assert_true(t.now == cuts[i].time && stretch.to == cuts[i].time);
        int n[2];
        take_events(&t, n, 2);
        assert_int_equal(n[0], cuts[i].first);
        assert_int_equal(n[1], cuts[i].second);
        assert_int_equal(take_outputs(&t), cuts[i].outputs);
        assert_int_equal(rd_timeline_next(&t, 10, &stretch), i < 5);
        assert_true(i == 5 || (stretch.from == cuts[i].time && stretch.n_steps == 1));
    }
    rd_timeline_close(&t);
}

static void stretches_have_equal_steps(void **state)
{
    (void)state;
    static const struct {
        double length, longest;
        int64_t n;
    } cases[] = {{1, 1, 1},
                 {1, 0.3, 4},
                 {1, 0.25, 4},
                 {3, 0.1, 30},
                 {1, INFINITY, 1},
                 {1e-9, 1, 1},
                 {1, 0.7, 2},
                 {1e5, 1e-3, 100000000},
                 {0.7, 0.1, 7},
                 {0.3, 0.1, 3},
                 {1, 1e-300, INT64_C(9000000000000000)}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct rd_model m = model_of(cases[i].length, NULL, 0, NULL, 0);
        struct rd_timeline t;
        struct rd_stretch s;
        open_timeline(&t, &m);
        assert_true(rd_timeline_next(&t, cases[i].longest, &s));
        assert_int_equal(s.n_steps, cases[i].n);
        assert_true(s.step <= cases[i].longest * (1 + 1e-8) || cases[i].n > 100000000);
        assert_true(fabs(s.step * (double)s.n_steps - cases[i].length) < 1e-12 * cases[i].length);
        assert_false(rd_timeline_next(&t, 1, &s));
        rd_timeline_close(&t);
    }
}

/* Checks ten thousand outputs at multiples of 0.1. The steps of all stretches agree up to rounding
   of the times, and every cut is exactly at the output time. */
static void multiples_of_a_tenth_are_exact(void **state)
{
    (void)state;
    enum { N = 10000 };
    double *const output = malloc((N + 1) * sizeof *output);
    assert_non_null(output);
    for (int i = 0; i <= N; i++)
        output[i] = i * 0.1;
    const struct rd_model m = model_of(1000, output, N + 1, NULL, 0);
    struct rd_timeline t;
    struct rd_stretch s;
    double step = 0;
    open_timeline(&t, &m);
    for (int i = 0; i < N; i++) {
        assert_int_equal(take_outputs(&t), 1);
        assert_true(rd_timeline_next(&t, 0.02, &s));
        assert_true(s.from == output[i] && s.to == output[i + 1]);
        assert_int_equal(s.n_steps, 5);
        if (i == 0)
            step = s.step;
        assert_true(fabs(s.step - step) < 1e-10 * step); /* ulp of t = 1000 / step */
    }
    assert_int_equal(take_outputs(&t), 1);
    assert_false(rd_timeline_next(&t, 0.02, &s));
    rd_timeline_close(&t);
    free(output);
}

/* Checks that stretches near 0 that differ only in their last bits have the same step. */
static void equal_stretches_have_equal_steps(void **state)
{
    (void)state;
    double output[] = {0.1, 0.2, 0.30000000000000004, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1};
    const struct rd_model m = model_of(1, output, 10, NULL, 0);
    struct rd_timeline t;
    struct rd_stretch s;
    open_timeline(&t, &m);
    assert_true(rd_timeline_next(&t, 1, &s));
    const double step = s.step;
    for (int i = 1; i < 10; i++) {
        assert_int_equal(take_outputs(&t), 1);
        assert_true(rd_timeline_next(&t, 1, &s));
        assert_true(s.step == step);
    }
    rd_timeline_close(&t);
}

/* Checks that times which are equal apart from rounding are one cut. In binary 3 x 0.1 is not 0.3;
   here an event is at the former and an output at the latter. */
static void times_equal_up_to_rounding_are_one(void **state)
{
    (void)state;
    double output[] = {0.3, 0.6, 0.6000000000000001, 0.9};
    struct rd_event event[] = {{.time = 0.1, .every = 0.1, .until = 0.9}};
    const struct rd_model m = model_of(0.9, output, 4, event, 1);
    struct rd_timeline t;
    struct rd_stretch s;
    int n_stretches = 0, n_events = 0, n_outputs = 0;
    open_timeline(&t, &m);
    do {
        n_events += take_all(&t);
        n_outputs += take_outputs(&t);
        n_stretches++;
    } while (rd_timeline_next(&t, 1, &s));
    assert_int_equal(n_stretches - 1, 9);
    assert_int_equal(n_events, 9);
    assert_int_equal(n_outputs, 4);
    rd_timeline_close(&t);
}

static void events_repeat_until_their_end(void **state)
{
    (void)state;
    static const struct {
        double time, every, until, end;
        int n;
    } cases[] = {{1, 0, 10, 10, 1},    {0, 0, 10, 10, 1},    {10, 0, 10, 10, 1},
                 {11, 0, 10, 10, 0},   {0.1, 0.1, 1, 1, 10}, {0, 0.1, 0.3, 1, 4},
                 {0.5, 1, 2.4, 10, 2}, {1, 3, 100, 10, 4},   {0, 1e-3, 1, 1, 1001},
                 {5, 1e-20, 5, 10, 1}, {5, 0.25, 4, 10, 0},  {0.5, 1e-13, 0.5000000000005, 1, 6}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct rd_event event[] = {
            {.time = cases[i].time, .every = cases[i].every, .until = cases[i].until}};
        const struct rd_model m = model_of(cases[i].end, NULL, 0, event, 1);
        struct rd_timeline t;
        struct rd_stretch s;
        int n = 0, turns = 0;
        open_timeline(&t, &m);
        do {
            n += take_all(&t);
            assert_true(turns++ < 2000);
        } while (rd_timeline_next(&t, 1, &s));
        assert_int_equal(n, cases[i].n);
        rd_timeline_close(&t);
    }
}

/* Checks that time advances at every cut, however close the occurrences are. */
static void time_always_advances(void **state)
{
    (void)state;
    double output[] = {0.5, 0.5 + 1e-16, 0.5 + 2e-16, 0.5 + 1e-13};
    struct rd_event event[] = {{.time = 0.5, .every = 1e-17, .until = 0.5 + 3e-16}};
    const struct rd_model m = model_of(1, output, 4, event, 1);
    struct rd_timeline t;
    struct rd_stretch s;
    open_timeline(&t, &m);
    while (rd_timeline_next(&t, 1, &s)) {
        assert_true(s.to > s.from && s.step > 0);
        take_all(&t);
        take_outputs(&t);
    }
    assert_int_equal(t.n_recorded, 4);
    rd_timeline_close(&t);
}

/* Checks that events which are due at one time, up to rounding, come in the order of the file. */
static void events_of_one_time_keep_their_order(void **state)
{
    (void)state;
    struct rd_event event[] = {{.time = 0.3, .until = 1},
                               {.time = 0.1, .every = 0.1, .until = 1},
                               {.time = 0.2, .until = 1},
                               {.time = 0, .every = 0.30000000000000004, .until = 1},
                               {.time = 0.3, .when.n = 1}};
    static const int expected[] = {3, 1, 1, 2, 0, 1, 3, 1, 1, 1, 3, 1, 1, 1, 3, 1};
    const struct rd_model m = model_of(1, NULL, 0, event, 5);
    struct rd_timeline t;
    struct rd_stretch s;
    size_t n = 0;
    open_timeline(&t, &m);
    do
        for (int i; rd_timeline_event(&t, &i);)
            assert_true(n < sizeof expected / sizeof *expected && i == expected[n++]);
    while (rd_timeline_next(&t, 1, &s));
    assert_int_equal(n, sizeof expected / sizeof *expected);
    rd_timeline_close(&t);
}

/* Checks that the times of many events are found in less than seconds, as a search of all events at
   each division would take. */
static void many_events_are_found_fast(void **state)
{
    (void)state;
    enum { N = 100000 };
    struct rd_event *const event = calloc(N, sizeof *event);
    assert_non_null(event);
    for (int i = 0; i < N; i++)
        event[i] = (struct rd_event){.time = (double)(N - i), .until = N};
    const struct rd_model m = model_of(N, NULL, 0, event, N);
    const clock_t start = clock();
    struct rd_timeline t;
    struct rd_stretch s;
    int n = 0;
    open_timeline(&t, &m);
    do {
        for (int i; rd_timeline_event(&t, &i); n++)
            assert_int_equal(i, N - 1 - n);
        assert_true(clock() - start < 5 * CLOCKS_PER_SEC);
    } while (rd_timeline_next(&t, 10, &s));
    assert_int_equal(n, N);
    rd_timeline_close(&t);
    free(event);
}

/* Checks that every stretch has twice or four times the steps, also where they are equal only up to
   the next division. */
static void steps_are_halved(void **state)
{
    (void)state;
    double output[] = {0, 1, 4};
    struct rd_model m = model_of(4, output, 3, NULL, 0);
    for (int halvings = 0; halvings < 3; halvings++) {
        static const int64_t n[] = {4, 10};
        m.halvings = halvings;
        struct rd_timeline t;
        struct rd_stretch stretch;
        open_timeline(&t, &m);
        for (int i = 0; i < 2; i++) {
            take_outputs(&t);
            assert_true(rd_timeline_next(&t, 0.3, &stretch));
            assert_int_equal(stretch.n_steps, n[i] << halvings);
            assert_true(fabs(stretch.step * (double)stretch.n_steps - (i ? 3 : 1)) < 1e-12);
        }
        rd_timeline_close(&t);
    }
}

/* Checks that time is cut where a program takes control, also between outputs and at the end. */
static void control_is_taken_at_multiples(void **state)
{
    (void)state;
    double output[] = {0, 0.5, 1};
    static const double cuts[] = {0.4, 0.5, 0.8, 1.0, 1.2, 1.5};
    struct rd_model m = model_of(1.5, output, 3, NULL, 0);
    struct rd_timeline t;
    struct rd_stretch s;
    m.control = 0.4;
    open_timeline(&t, &m);
    assert_true(rd_timeline_control(&t));
    for (int i = 0; i < 6; i++) {
        take_outputs(&t);
        assert_true(rd_timeline_next(&t, 10, &s));
        assert_true(s.to == t.now && fabs(s.to - cuts[i]) < 1e-12);
        assert_int_equal(rd_timeline_control(&t), i != 1 && i != 3);
    }
    assert_false(rd_timeline_next(&t, 10, &s));
    rd_timeline_close(&t);
    m.control = 0.0;
    open_timeline(&t, &m);
    take_outputs(&t);
    assert_true(rd_timeline_control(&t));
    assert_true(rd_timeline_next(&t, 10, &s) && s.to == 0.5);
    assert_false(rd_timeline_control(&t));
    rd_timeline_close(&t);
}

int test_timeline(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stretches_end_at_outputs_events_and_end),
        cmocka_unit_test(stretches_have_equal_steps),
        cmocka_unit_test(multiples_of_a_tenth_are_exact),
        cmocka_unit_test(equal_stretches_have_equal_steps),
        cmocka_unit_test(times_equal_up_to_rounding_are_one),
        cmocka_unit_test(events_repeat_until_their_end),
        cmocka_unit_test(time_always_advances),
        cmocka_unit_test(events_of_one_time_keep_their_order),
        cmocka_unit_test(many_events_are_found_fast),
        cmocka_unit_test(steps_are_halved),
        cmocka_unit_test(control_is_taken_at_multiples),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
