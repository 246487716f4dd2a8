/* test_capacity - more births in a step than the arrays can hold: they are counted again, and the
   result is the same as with sufficient capacity from the start. */
#include "roll.h"
#include "sim/capacity.h"
#include "sim/step.h"

#include <string.h>

/* About 2000 births occur per step; at first there is capacity for 256 and a sixteenth of max. */
#define TEXT(reactions)                                                                            \
    "grid = { voxels = 4; edge = 1.0; };\n"                                                        \
    "species = ( { name = \"A\"; individuals = { max = 5000; record = \"lineage\"; attributes = (" \
    "\n  { name = \"w\"; initial = \"uniform(1, 2)\"; birth = \"parent.w + normal(0, 0.1)\";\n"    \
    "    orphan = 1; } ); }; } );\n"                                                               \
    "reactions = ( " reactions ", { equation = \"A -> 0\"; rate = 0.2; },\n"                       \
    "              { equation = \"A -> 2 A\"; rate = 0.1; } );\n"                                  \
    "time = { end = 4.0; }; run = { runs = 2; };\n"

static const char plain[] = TEXT("{ equation = \"0 -> A\"; rate = 250; }");
/* This is the same model, but a rate reads the attributes of individuals, so that attributes of
   newborn are computed while they are counted. */
static const char keen[] =
    TEXT("{ equation = \"0 -> A\"; propensity = \"250 + 0.001 * sum(A.w)\"; }");

static void run_steps(struct stage *s, const char *text, int64_t n_newborn, int64_t n_notes)
{
    static const struct rd_stretch stretch = {.from = 0, .to = 4, .n_steps = 4, .step = 1};
    struct rd_error e = {0};
    stage_open(s, text, 1.0);
    roll_put(s, 0, (const int32_t[]){0, 0, 3, 5}, 4);
    assert_true(rd_capacity_reserve(&s->sim, n_newborn, n_notes, &e));
    for (int64_t j = 0; j < stretch.n_steps; j++) {
        rd_step(&s->sim, &stretch, j);
        assert_sound(s);
    }
}

static void assert_same(const char *text)
{
    struct stage scarce, ample;
    stage_open(&scarce, text, 1.0);
    const int64_t at_first = scarce.sim.world.n_newborn, notes_at_first = scarce.sim.world.n_note;
    stage_close(&scarce);
    run_steps(&scarce, text, 0, 0);
    run_steps(&ample, text, 20000, 20000);
    assert_true(at_first < 900 && scarce.sim.world.n_newborn > 2 * at_first);
    assert_true(scarce.sim.world.n_note > notes_at_first);
    assert_int_equal(ample.sim.world.n_newborn, 20000);
    assert_int_equal(ample.sim.world.n_note, 20000);
    assert_true(scarce.sim.world.live[0] > 3000);
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

static void they_are_counted_again(void **state)
{
    (void)state;
    assert_same(plain);
}

static void they_are_counted_again_where_rates_are_sums(void **state)
{
    (void)state;
    assert_same(keen);
}

/* Checks that the requested capacity is the exact number of newborn and of lineage rows. A first
   count with too little capacity and a second one with enough give the same numbers. */
static void the_capacity_asked_for_is_enough(void **state)
{
    (void)state;
    struct stage s;
    stage_open(&s, plain, 1.0);
    roll_put(&s, 0, NULL, 0);
    rd_sim_aim(&s.sim, 0, 0, 1.0);
    struct rd_need need[2];
    for (int i = 0; i < 2; i++) {
        rd_sim_run(&s.sim, RD_RESERVE);
        rd_sim_run(&s.sim, RD_REACT);
        need[i] = *s.sim.world.need;
        assert_int_equal(need[i].from, s.sim.step_clock.pass - 1);
        assert_true((need[i].newborn > s.sim.world.n_newborn) == (i == 0));
        rd_capacity_grant(&s.sim);
        assert_int_equal(rd_capacity_lacked(&s.sim), i == 0);
        assert_int_equal(*s.sim.world.first_faulting_pass, INT64_MAX);
        assert_true(s.sim.world.n_newborn >= need[i].newborn);
        assert_true(s.sim.world.n_note >= need[i].notes);
    }
    need[0].from = need[1].from;
    assert_memory_equal(&need[0], &need[1], sizeof need[0]);
    rd_sim_run(&s.sim, RD_MAINTAIN);
    assert_int_equal(s.sim.world.need->n_newborn, need[1].newborn);
    assert_int_equal(s.sim.world.need->n_notes, need[1].notes);
    stage_close(&s);
}

/* A rule fails in the first voxel of run 0. A propensity fails in the second voxel, after more
   births than the capacity; its fault is reported. */
static const char failing[] =
    "grid = { voxels = 2; edge = 1.0; };\n"
    "species = ( { name = \"A\"; individuals = { max = 5000; attributes = ( { name = \"w\"; "
    "initial = 1; birth = \"if(x < 1, 1 / 0, 1)\"; } ); }; } );\n"
    "reactions = ( { equation = \"A -> 2 A\"; propensity = \"if(A > 50.5, -1, 4 * sum(A.w))\"; } "
    ");\n"
    "time = { end = 4.0; }; run = { runs = 2; };\n";

static void assert_law_is_told(bool shares_host_memory, int64_t capacity)
{
    static const struct rd_stretch stretch = {.from = 0, .to = 4, .n_steps = 4, .step = 1};
    struct stage s;
    struct rd_error e = {0};
    stage_open(&s, failing, 1.0);
    struct rd_backend machine = *s.sim.backend;
    machine.shares_host_memory = shares_host_memory;
    s.sim.backend = &machine;
    roll_put(&s, 0, (const int32_t[]){0, 0, 0, 1, 1, 1, 1}, 7);
    roll_give(&s, 0, 0, 1.0);
    assert_true(rd_capacity_reserve(&s.sim, 1000, 0, &e));
    s.sim.world.n_newborn = capacity;
    rd_sim_mark(&s.sim);
    while (s.sim.step_clock.step == 0) { /* repeats the step after a pause */
        rd_step(&s.sim, &stretch, 0);
        assert_true(rd_sim_check(&s.sim, &e));
    }
    assert_int_equal(s.sim.n_faulted, 1);
    assert_said(s.sim.faulted[0].text, "the propensity of reaction 'A -> 2 A' is negative");
    assert_sound(&s);
    stage_close(&s);
}

static void the_fault_told_is_that_of_those_who_had_no_capacity_too(void **state)
{
    (void)state;
    assert_law_is_told(true, 1000);
    assert_law_is_told(true, 20);
    assert_law_is_told(false, 20);
}

static int64_t little(const rd_machine *m)
{
    (void)m;
    return 100000;
}

/* Checks the message when memory is insufficient: two thousand newborn and their lineage take more
   than 100 kB. */
static void births_for_which_memory_is_lacking_are_told(void **state)
{
    (void)state;
    static const struct rd_stretch stretch = {.from = 0, .to = 4, .n_steps = 4, .step = 1};
    struct stage s;
    struct rd_error e = {0};
    stage_open(&s, plain, 1.0);
    struct rd_backend machine = *s.sim.backend;
    machine.memory = little;
    s.sim.backend = &machine;
    roll_put(&s, 0, (const int32_t[]){0, 0, 3, 5}, 4);
    const int64_t capacity = s.sim.world.n_newborn;
    rd_step(&s.sim, &stretch, 0);
    assert_false(rd_sim_check(&s.sim, &e));
    assert_said(e.text, "births in one step need 0.000");
    assert_said(e.text, " GB more, and ");
    assert_said(e.text, " has 0.0001 GB free; set a shorter time.step");
    assert_int_equal(s.sim.world.n_newborn, capacity);
    rd_error_free(&e);
    stage_close(&s);
}

int test_capacity(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(they_are_counted_again),
        cmocka_unit_test(they_are_counted_again_where_rates_are_sums),
        cmocka_unit_test(the_capacity_asked_for_is_enough),
        cmocka_unit_test(the_fault_told_is_that_of_those_who_had_no_capacity_too),
        cmocka_unit_test(births_for_which_memory_is_lacking_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
