/* test_substeps - the number of substeps of a movement: as many as needed if the host checks each
   one, as many as reserved if it does not. */
#include "sim/substeps.h"

#include "stage.h"

/* The number of calls of each pass, and the parts of the hops. */
static struct {
    int n_run[RD_N_PASSES];
    uint32_t part[RD_PART_END];
} called;

static void count_run(rd_machine *m, const struct rd_world *w, enum rd_pass pass)
{
    if (pass == RD_SUBSTEP_HOP)
        called.part[called.n_run[pass]] = w->pass.part;
    called.n_run[pass]++;
    rd_backend_cpu.run(m, w, pass);
}

static void open_counted(struct stage *s, struct rd_backend *counted, bool shares_host_memory)
{
    stage_open(s, "sim/substeps.cfg", NULL, 2.0);
    *counted = rd_backend_cpu;
    counted->run = count_run;
    counted->shares_host_memory = shares_host_memory;
    s->sim.backend = counted;
    memset(&called, 0, sizeof called);
    *stage_count(s, 0, 0, 1) = 20;
}

static bool is_behind(const struct stage *s)
{
    return s->sim.world.movement.substep[0].left > 0 || s->sim.world.movement.substep[1].left > 0;
}

static void as_many_substeps_as_needed(void **state)
{
    (void)state;
    struct stage s;
    struct rd_backend counted;
    int64_t pass;
    struct rd_error e = {0};
    open_counted(&s, &counted, true);
    rd_substeps_take(&s.sim, 0, 2.0);
    const int n = called.n_run[RD_SUBSTEP_HOP];
    assert_in_range(n, 12, 36); /* 2 D dt is 12 at first, and decreases to 4 */
    for (int i = 0; i < n; i++)
        assert_int_equal(called.part[i], i);
    assert_true(called.n_run[RD_UPDATE_RATES] == n && called.n_run[RD_CHOOSE_SUBSTEP] == n);
    assert_true(called.n_run[RD_DEPOSIT] == n && called.n_run[RD_SUBSTEP_BEGIN] == 1);
    assert_int_equal(called.n_run[RD_CHECK_SUBSTEPS], 0);
    assert_false(is_behind(&s) || rd_substeps_lacked(&s.sim, &pass, &e));
    assert_int_equal(stage_total(&s, 0, 0), 20);
    stage_close(&s);
}

/* Takes a movement without host checks; returns the number of its substeps. */
static int take_far(struct stage *s)
{
    memset(&called, 0, sizeof called);
    *s->sim.world.runs.first_faulting_pass = INT64_MAX;
    rd_substeps_take(&s->sim, 0, 2.0);
    assert_int_equal(called.n_run[RD_CHECK_SUBSTEPS], 1);
    return called.n_run[RD_SUBSTEP_HOP];
}

static void as_many_substeps_as_reserved(void **state)
{
    (void)state;
    struct stage s;
    struct rd_backend counted;
    struct rd_error e = {0};
    open_counted(&s, &counted, false);
    s.sim.world.runs.n_first_faulting_pass = 1;
    int64_t pass = 0;
    assert_int_equal(take_far(&s), 1); /* if none is reserved there is one */
    assert_true(is_behind(&s));
    for (int n = 2; n <= RD_PART_END;
         n *= 2) { /* the number doubles each time, up to the maximum */
        const int64_t behind = s.sim.step_clock.pass;
        s.sim.world.movement.substep[0].left = 1;
        *s.sim.world.runs.first_faulting_pass = behind;
        assert_true(rd_substeps_lacked(&s.sim, &pass, &e));
        assert_int_equal(pass, behind);
        assert_int_equal(s.sim.reserved.substeps[s.sim.reserved.n - 1], n);
        assert_int_equal(s.sim.reserved.from[s.sim.reserved.n - 1], behind);
    }
    *s.sim.world.runs.first_faulting_pass = INT64_MAX;
    assert_false(rd_substeps_lacked(&s.sim, &pass, &e));
    rd_substeps_mark(&s.sim);
    assert_true(s.sim.reserved.n == 1 && s.sim.reserved.substeps[0] == RD_PART_END);
    assert_int_equal(s.sim.reserved.from[0], 0);
    stage_close(&s);
}

/* Checks that a repeated movement before the pass of a new reservation has its old number of
   substeps; the one that paused in that pass has more. */
static void earlier_passes_have_their_earlier_number(void **state)
{
    (void)state;
    struct stage s;
    struct rd_backend counted;
    enum { FROM = 1000, BEFORE = 1 + 3 * 4 /* passes of three substeps */ };
    open_counted(&s, &counted, false);
    s.sim.reserved = (struct rd_reserved_substeps){.n = 2, .from = {0, FROM}, .substeps = {3, 8}};
    assert_int_equal(take_far(&s), 3);
    s.sim.step_clock.pass = FROM - 2 - BEFORE;
    assert_int_equal(take_far(&s), 3);
    s.sim.step_clock.pass = FROM - 1 - BEFORE;
    assert_int_equal(take_far(&s), 8);
    assert_int_equal(s.sim.step_clock.pass, FROM + 5 * 4);
    stage_close(&s);
}

static void no_substeps_without_changing_rates(void **state)
{
    (void)state;
    struct stage s;
    struct rd_backend counted;
    open_counted(&s, &counted, true);
    s.sim.world.items.n_substepped = 0;
    rd_substeps_take(&s.sim, 0, 2.0);
    assert_int_equal(called.n_run[RD_SUBSTEP_BEGIN] + called.n_run[RD_SUBSTEP_HOP], 0);
    stage_close(&s);
}

int test_substeps(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_many_substeps_as_needed),
        cmocka_unit_test(as_many_substeps_as_reserved),
        cmocka_unit_test(earlier_passes_have_their_earlier_number),
        cmocka_unit_test(no_substeps_without_changing_rates),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
