/* test_capacity - more births in a step than the arrays can hold: they are counted again, and the
   result is the same as with sufficient capacity from the start. */
#include "roll.h"
#include "sim/capacity.h"
#include "sim/step.h"

#include <string.h>

#define MODEL "sim/capacity.cfg"

static void run_steps(struct stage *s, const char *const *sets, int64_t n_newborn, int64_t n_notes)
{
    static const struct rd_stretch stretch = {.from = 0, .to = 4, .n_steps = 4, .step = 1};
    struct rd_error e = {0};
    stage_open(s, MODEL, sets, 1.0);
    roll_put(s, 0, (const int32_t[]){0, 0, 3, 5}, 4);
    assert_true(rd_capacity_reserve(&s->sim, n_newborn, n_notes, &e));
    for (int64_t j = 0; j < stretch.n_steps; j++) {
        rd_step(&s->sim, &stretch, j);
        assert_sound(s);
    }
}

static void assert_same(const char *const *sets)
{
    struct stage scarce, ample;
    stage_open(&scarce, MODEL, sets, 1.0);
    const int64_t at_first = scarce.sim.world.lists.n_newborn,
                  notes_at_first = scarce.sim.world.lists.n_note;
    stage_close(&scarce);
    run_steps(&scarce, sets, 0, 0);
    run_steps(&ample, sets, 20000, 20000);
    assert_true(at_first < 900 && scarce.sim.world.lists.n_newborn > 2 * at_first);
    assert_true(scarce.sim.world.lists.n_note > notes_at_first);
    assert_int_equal(ample.sim.world.lists.n_newborn, 20000);
    assert_int_equal(ample.sim.world.lists.n_note, 20000);
    assert_true(scarce.sim.world.lists.live[0] > 3000);
    assert_int_equal(roll_fingerprint(&scarce), roll_fingerprint(&ample));
    assert_int_equal(scarce.sim.n_lives, ample.sim.n_lives);
    for (int64_t i = 0; i < scarce.sim.n_lives; i++) {
        const struct rd_life *const a = &scarce.sim.life[i], *const b = &ample.sim.life[i];
        assert_true(a->id == b->id && a->parent == b->parent && a->time == b->time);
        assert_true(a->site == b->site && a->run == b->run && a->is_birth == b->is_birth);
    }
    stage_close(&scarce);
    stage_close(&ample);
}

static void births_above_capacity_are_counted_again(void **state)
{
    (void)state;
    assert_same(NULL);
}

/* Checks a rate that reads attributes: those of newborn are computed while they are counted. */
static void births_are_counted_again_with_rates_by_attributes(void **state)
{
    (void)state;
    assert_same(SETS("reactions[2].rate=0.07 * sum(A.w)"));
}

/* Checks that the requested capacity is the exact number of newborn and of lineage rows. A first
   count with too little capacity and a second one with enough give the same numbers. */
static void requested_capacity_is_exact(void **state)
{
    (void)state;
    struct stage s;
    stage_open(&s, MODEL, NULL, 1.0);
    roll_put(&s, 0, NULL, 0);
    rd_sim_aim(&s.sim, 0, 0, 1.0);
    struct rd_need need[2];
    for (int i = 0; i < 2; i++) {
        rd_sim_run(&s.sim, RD_RESERVE);
        rd_sim_run(&s.sim, RD_REACT);
        need[i] = *s.sim.world.lists.need;
        assert_int_equal(need[i].from, s.sim.step_clock.pass - 1);
        assert_true((need[i].newborn > s.sim.world.lists.n_newborn) == (i == 0));
        rd_capacity_check(&s.sim);
        assert_int_equal(rd_capacity_lacked(&s.sim), i == 0);
        assert_int_equal(*s.sim.world.runs.first_faulting_pass, INT64_MAX);
        assert_true(s.sim.world.lists.n_newborn >= need[i].newborn);
        assert_true(s.sim.world.lists.n_note >= need[i].notes);
    }
    need[0].from = need[1].from;
    assert_memory_equal(&need[0], &need[1], sizeof need[0]);
    rd_sim_run(&s.sim, RD_MAINTAIN);
    assert_int_equal(s.sim.world.lists.need->n_newborn, need[1].newborn);
    assert_int_equal(s.sim.world.lists.need->n_notes, need[1].notes);
    stage_close(&s);
}

static void assert_propensity_is_reported(bool shares_host_memory, int64_t capacity)
{
    static const struct rd_stretch stretch = {.from = 0, .to = 4, .n_steps = 4, .step = 1};
    struct stage s;
    struct rd_error e = {0};
    stage_open(&s, "sim/capacity_faults.cfg", NULL, 1.0);
    struct rd_backend machine = *s.sim.backend;
    machine.shares_host_memory = shares_host_memory;
    s.sim.backend = &machine;
    roll_put(&s, 0, (const int32_t[]){0, 0, 0, 1, 1, 1, 1}, 7);
    roll_give(&s, 0, 0, 1.0);
    assert_true(rd_capacity_reserve(&s.sim, 1000, 0, &e));
    s.sim.world.lists.n_newborn = capacity;
    rd_sim_mark(&s.sim);
    while (s.sim.step_clock.step == 0) { /* repeats the step after a pause */
        rd_step(&s.sim, &stretch, 0);
        assert_true(rd_sim_check(&s.sim, &e));
    }
    assert_int_equal(s.sim.n_faulted, 1);
    assert_contains(s.sim.faulted[0].text, "the propensity of reaction 'A -> 2 A' is negative");
    assert_sound(&s);
    stage_close(&s);
}

static void fault_beyond_capacity_is_reported(void **state)
{
    (void)state;
    assert_propensity_is_reported(true, 1000);
    assert_propensity_is_reported(true, 20);
    assert_propensity_is_reported(false, 20);
}

static int64_t little(const rd_machine *m)
{
    (void)m;
    return 100000;
}

/* Checks the message when memory is insufficient: two thousand newborn and their lineage take more
   than 100 kB. */
static void missing_memory_is_reported(void **state)
{
    (void)state;
    static const struct rd_stretch stretch = {.from = 0, .to = 4, .n_steps = 4, .step = 1};
    struct stage s;
    struct rd_error e = {0};
    stage_open(&s, MODEL, NULL, 1.0);
    struct rd_backend machine = *s.sim.backend;
    machine.memory = little;
    s.sim.backend = &machine;
    roll_put(&s, 0, (const int32_t[]){0, 0, 3, 5}, 4);
    const int64_t capacity = s.sim.world.lists.n_newborn;
    rd_step(&s.sim, &stretch, 0);
    assert_false(rd_sim_check(&s.sim, &e));
    assert_contains(e.text, "births in one step need 0.000");
    assert_contains(e.text, " GB more, and ");
    assert_contains(e.text, " has 0.0001 GB free; set a shorter time.step");
    assert_int_equal(s.sim.world.lists.n_newborn, capacity);
    rd_error_free(&e);
    stage_close(&s);
}

int test_capacity(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(births_above_capacity_are_counted_again),
        cmocka_unit_test(births_are_counted_again_with_rates_by_attributes),
        cmocka_unit_test(requested_capacity_is_exact),
        cmocka_unit_test(fault_beyond_capacity_is_reported),
        cmocka_unit_test(missing_memory_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
