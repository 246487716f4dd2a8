/* test_exact - what the exact solver does besides its statistics: ends, threads, ensembles, faults,
   reactions that depend on other species. */
#include "exact/exact.h"
#include "exact/one_voxel.h"

#include "handmade.h"
#include "kernels/core/lattice.h"

#include <stdlib.h>
#include <string.h>

static const double one_each[RD_N_FACES] = {1, 1, 1, 1, 1, 1};
static const double wraps[RD_N_FACES] = {-1, -1, -1, -1, -1, -1};
static const double reflects[RD_N_FACES] = {0};

static void simulate(struct handmade *h, int threads, double dt)
{
    struct rd_error e = {0};
    rd_exact *x;
    h->world.pass.dt = dt;
    assert_true(rd_exact_open(&x, &h->world, threads, &e));
    rd_exact_run(x, &h->world, false);
    rd_exact_close(x);
}

static size_t count_bytes(const struct handmade *h)
{
    return (size_t)h->world.lattice.n_voxels * HANDMADE_SPECIES * sizeof *h->count;
}

/* Opens a model with all features: A, B and C move and bind on 5 x 3 x 2 voxels with walls of each
   kind. */
static void open_busy(struct handmade *h, int64_t runs)
{
    const double pass[RD_N_FACES] = {0, 1, -1, -1, 0, 0.5};
    handmade_open(h, "busy", (const int32_t[]){5, 3, 2}, runs);
    for (char s = 'A'; s <= 'C'; s++)
        handmade_move(h, s, one_each, pass);
    handmade_react(h, "AB", "C", 0.2);
    handmade_react(h, "C", "AB", 0.5);
    handmade_react(h, "", "A", 0.1);
    h->transport[1].mean[1] = 0.3;
    h->world.movement.inlet[1] = 6;
    h->world.items.n_inlets = 6 * runs;
    handmade_put(h, 'A', 7, 30);
    handmade_put(h, 'B', 8, 20);
}

static void assert_same_run(const struct handmade *h, int64_t run, const struct handmade *other,
                            int64_t run_there)
{
    for (char s = 'A'; s <= 'C'; s++)
        assert_memory_equal(handmade_count(h, run, s, 0), handmade_count(other, run_there, s, 0),
                            (size_t)h->world.lattice.n_sites * sizeof(int32_t));
    const int64_t walls = HANDMADE_SPECIES * RD_N_FACES, n = h->world.reactions.n_reactions;
    assert_memory_equal(h->lost + run * walls, other->lost + run_there * walls,
                        (size_t)walls * sizeof(int64_t));
    assert_memory_equal(h->entered + run * walls, other->entered + run_there * walls,
                        (size_t)walls * sizeof(int64_t));
    assert_memory_equal(h->fired + run * n, other->fired + run_there * n,
                        (size_t)n * sizeof(int64_t));
}

static void test_threads_change_nothing(void **state)
{
    (void)state;
    enum { RUNS = 9 };
    struct handmade one, three;
    open_busy(&one, RUNS);
    open_busy(&three, RUNS);
    simulate(&one, 1, 5.0);
    simulate(&three, 3, 5.0);
    for (int64_t run = 0; run < RUNS; run++)
        assert_same_run(&one, run, &three, run);
    assert_memory_not_equal(handmade_count(&one, 0, 'A', 0), handmade_count(&one, 1, 'A', 0),
                            (size_t)one.world.lattice.n_sites * sizeof(int32_t));
    handmade_close(&one);
    handmade_close(&three);
}

static void test_run_of_ensemble_equals_single_run(void **state)
{
    (void)state;
    struct handmade all, single;
    open_busy(&all, 6);
    open_busy(&single, 1);
    single.world.lattice.first_run = 4;
    simulate(&all, 1, 5.0);
    simulate(&single, 1, 5.0);
    assert_same_run(&all, 4, &single, 0);
    handmade_close(&all);
    handmade_close(&single);
}

/* Checks that a call keeps no state of an earlier call: counts and rates may change between
   calls. */
static void test_calls_keep_no_state(void **state)
{
    (void)state;
    struct rd_error e = {0};
    struct handmade used, fresh;
    rd_exact *x;
    open_busy(&used, 2);
    used.world.pass.dt = 1.0;
    assert_true(rd_exact_open(&x, &used.world, 1, &e));
    rd_exact_run(x, &used.world, false);
    open_busy(&fresh, 2);
    memcpy(used.count, fresh.count, count_bytes(&fresh));
    memset(used.lost, 0, 2 * HANDMADE_SPECIES * RD_N_FACES * sizeof *used.lost);
    memset(used.entered, 0, 2 * HANDMADE_SPECIES * RD_N_FACES * sizeof *used.entered);
    memset(used.fired, 0, HANDMADE_REACTIONS * sizeof *used.fired);
    used.channel[0].rate = fresh.channel[0].rate = 0.9;
    used.transport[2].kind = fresh.transport[2].kind = RD_MOVE_NOT;
    used.world.pass.dt = 3.0;
    rd_exact_run(x, &used.world, false);
    rd_exact_close(x);
    simulate(&fresh, 1, 3.0);
    for (int64_t run = 0; run < 2; run++)
        assert_same_run(&used, run, &fresh, run);
    handmade_close(&used);
    handmade_close(&fresh);
}

static void test_steps_and_parts_have_their_own_words(void **state)
{
    (void)state;
    struct handmade h[3];
    for (int i = 0; i < 3; i++)
        open_busy(&h[i], 1);
    h[1].step_clock.step = 1;
    h[2].world.pass.part = 1;
    for (int i = 0; i < 3; i++)
        simulate(&h[i], 1, 5.0);
    for (int i = 1; i < 3; i++)
        assert_memory_not_equal(h[0].count, h[i].count, count_bytes(&h[0]));
    for (int i = 0; i < 3; i++)
        handmade_close(&h[i]);
}

/* All of 100 molecules decay although an item of the stream has numbers for seven events; each item
   has its own numbers, so that the last time is that of no shorter sequence. */
static void test_events_of_one_voxel_go_on_in_the_next_item(void **state)
{
    (void)state;
    struct handmade few, many;
    struct rd_one_voxel x = {0};
    handmade_open(&few, "items", (const int32_t[]){1, 1, 1}, 1);
    handmade_react(&few, "A", "B", 1.0);
    handmade_put(&few, 'A', 0, 100);
    few.world.pass.dt = 1e6;
    rd_one_voxel_run(&x, &few.world, 0, 7);
    assert_int_equal(handmade_total(&few, 0, 'A'), 0);
    assert_int_equal(handmade_total(&few, 0, 'B'), 100);
    handmade_open(&many, "items", (const int32_t[]){1, 1, 1}, 1);
    handmade_react(&many, "A", "B", 1.0);
    handmade_react(&many, "B", "A", 1.0);
    handmade_put(&many, 'A', 0, 100);
    many.world.pass.dt = 10;
    rd_one_voxel_run(&x, &many.world, 0, 7);
    assert_in_range(handmade_total(&many, 0, 'A'), 20, 80);    /* 50, six standard errors of 5 */
    assert_in_range(many.fired[0] + many.fired[1], 800, 1200); /* 1000 */
    rd_one_voxel_close(&x);
    handmade_close(&few);
    handmade_close(&many);
}

static void test_model_without_events_ends(void **state)
{
    (void)state;
    struct handmade h;
    handmade_open(&h, "idle", (const int32_t[]){3, 1, 1}, 1);
    handmade_move(&h, 'A', one_each, reflects);
    handmade_react(&h, "A", "", 1.0);
    simulate(&h, 1, 1e300); /* there are no molecules */
    handmade_put(&h, 'B', 1, 5);
    simulate(&h, 1, 1e300); /* none moves or reacts */
    handmade_put(&h, 'A', 1, 5);
    simulate(&h, 1, 0.0);
    assert_int_equal(handmade_total(&h, 0, 'A'), 5);
    assert_int_equal(handmade_total(&h, 0, 'B'), 5);
    handmade_close(&h);
}

static void test_extinct_run_ends(void **state)
{
    (void)state;
    struct handmade h;
    handmade_open(&h, "dies", (const int32_t[]){3, 2, 1}, 2);
    handmade_move(&h, 'A', one_each, wraps);
    handmade_react(&h, "A", "B", 1.0);
    handmade_put(&h, 'A', 0, 500);
    simulate(&h, 1, 1e9);
    for (int64_t run = 0; run < 2; run++) {
        assert_int_equal(handmade_total(&h, run, 'A'), 0);
        assert_int_equal(handmade_total(&h, run, 'B'), 500);
        assert_int_equal(h.fired[run], 500);
    }
    handmade_close(&h);
}

/* Checks that molecules which neither move nor react stay where they are, and that they need no
   random numbers. */
static void test_molecules_at_rest_change_nothing(void **state)
{
    (void)state;
    struct handmade alone, beside;
    struct handmade *const both[] = {&alone, &beside};
    for (int i = 0; i < 2; i++) {
        handmade_open(both[i], "rest", (const int32_t[]){3, 2, 1}, 1);
        handmade_move(both[i], 'A', one_each, wraps);
        handmade_react(both[i], "A", "", 0.1);
        handmade_put(both[i], 'A', 0, 100);
    }
    handmade_put(&beside, 'B', 1, 1000);
    simulate(&alone, 1, 2.0);
    simulate(&beside, 1, 2.0);
    assert_int_equal(*handmade_count(&beside, 0, 'B', 1), 1000);
    for (int64_t site = 0; site < 6; site++)
        assert_int_equal(*handmade_count(&beside, 0, 'A', site),
                         *handmade_count(&alone, 0, 'A', site));
    handmade_close(&alone);
    handmade_close(&beside);
}

/* Compares A + B -> B with mass action and A -> 0 with an expression that reads the count of B. */
static void test_expression_follows_the_species_it_reads(void **state)
{
    (void)state;
    struct handmade mass, law;
    struct handmade *const both[] = {&mass, &law};
    for (int i = 0; i < 2; i++) {
        handmade_open(both[i], "propensity", (const int32_t[]){4, 1, 1}, 1);
        handmade_move(both[i], 'B', one_each, reflects);
        handmade_react(both[i], "B", "", 0.3);
        handmade_put(both[i], 'A', 3, 1000);
        handmade_put(both[i], 'B', 0, 40);
    }
    handmade_react(&mass, "AB", "B", 0.02);
    struct rd_channel *const c = handmade_react(&law, "A", "", 0.02);
    c->expression_kind = RD_EXPRESSION_FACTOR;
    c->n_program = 1;
    law.law[0] = (struct rd_op){.code = RD_OP_COUNT, .index = 1};
    simulate(&mass, 1, 6.0);
    simulate(&law, 1, 6.0);
    assert_in_range(handmade_total(&mass, 0, 'A'), 1, 990);
    assert_same_run(&mass, 0, &law, 0);
    handmade_close(&mass);
    handmade_close(&law);
}

/* Checks that B -> C occurs in region 1 only, which is site 1. B is at sites 0 and 1. */
static void test_reaction_stays_in_its_region(void **state)
{
    (void)state;
    struct handmade h;
    handmade_open(&h, "region", (const int32_t[]){2, 1, 1}, 1);
    h.mask[1] |= 2;
    handmade_react(&h, "B", "C", 1.0)->region = 1;
    handmade_put(&h, 'B', 0, 10);
    handmade_put(&h, 'B', 1, 10);
    simulate(&h, 1, 1e6);
    assert_int_equal(*handmade_count(&h, 0, 'B', 0), 10);
    assert_int_equal(*handmade_count(&h, 0, 'B', 1), 0);
    assert_int_equal(*handmade_count(&h, 0, 'C', 1), 10);
    handmade_close(&h);
}

/* Checks that run 0 has the fault and that run 1 continues to its end. */
static void assert_fault(struct handmade *h, int kind, int64_t voxel, int64_t what)
{
    handmade_react(h, "C", "", 1.0);
    *handmade_count(h, 1, 'C', 0) = 50;
    simulate(h, 1, 1e6);
    assert_int_equal(h->fault[kind].number, 1);
    assert_int_equal(rd_fault_voxel(&h->fault[kind]), voxel);
    assert_int_equal(rd_fault_what(&h->fault[kind]), what);
    for (int other = 0; other < RD_N_FAULTS; other++)
        assert_true(other == kind || h->fault[other].number == 0);
    assert_int_equal(handmade_total(h, 1, 'C'), 0);
    handmade_close(h);
}

static void open_faulty(struct handmade *h)
{
    handmade_open(h, "fault", (const int32_t[]){2, 1, 1}, 2);
}

static void test_overflow_by_a_reaction_is_a_fault(void **state)
{
    (void)state;
    struct handmade h;
    open_faulty(&h);
    handmade_react(&h, "A", "AB", 1.0);
    *handmade_count(&h, 0, 'A', 1) = 1;
    *handmade_count(&h, 0, 'B', 1) = INT32_MAX - 5;
    assert_fault(&h, RD_FAULT_OVERFLOW, 1, 1);
}

static void test_overflow_by_a_hop_is_a_fault(void **state)
{
    (void)state;
    struct handmade h;
    open_faulty(&h);
    handmade_move(&h, 'A', (const double[]){0, 1, 0, 0, 0, 0}, reflects);
    *handmade_count(&h, 0, 'A', 0) = INT32_MAX;
    *handmade_count(&h, 0, 'A', 1) = INT32_MAX;
    assert_fault(&h, RD_FAULT_OVERFLOW, 1, 0);
}

/* Opens A -> 0 with a propensity of VALUE x (count of B). Run 0 has one B, at site 1. */
static void open_with_propensity(struct handmade *h, double value)
{
    open_faulty(h);
    struct rd_channel *const c = handmade_react(h, "A", "", 1.0);
    c->n_reactants = 0;
    c->expression_kind = RD_EXPRESSION_PROPENSITY;
    c->n_program = 3;
    h->law[0] = (struct rd_op){.code = RD_OP_COUNT, .index = 1};
    h->law[1] = (struct rd_op){.code = RD_OP_CONSTANT, .value = value};
    h->law[2] = (struct rd_op){.code = RD_OP_MULTIPLY};
    *handmade_count(h, 0, 'B', 1) = 1;
}

static void test_negative_propensity_is_a_fault(void **state)
{
    (void)state;
    struct handmade h;
    open_with_propensity(&h, -1.0);
    assert_fault(&h, RD_FAULT_PROPENSITY, 1, 0);
}

/* Checks the fault when a propensity becomes infinite: (count of B)^inf, after a reaction has made
   more B. */
static void test_infinite_propensity_is_a_fault(void **state)
{
    (void)state;
    struct handmade h;
    open_with_propensity(&h, 1e200);
    h.law[1].code = RD_OP_COUNT;
    h.law[1].index = 1;
    h.channel[0].n_program = 5;
    h.law[3] = (struct rd_op){.code = RD_OP_CONSTANT, .value = INFINITY};
    h.law[4] = (struct rd_op){.code = RD_OP_POWER}; /* 0^inf = 0, 1^inf = 1, 4^inf = inf */
    *handmade_count(&h, 0, 'A', 1) = 1000000;
    handmade_react(&h, "B", "BB", 1.0);
    assert_fault(&h, RD_FAULT_PROPENSITY, 1, 0);
}

static void test_event_without_reactants_is_a_fault(void **state)
{
    (void)state;
    struct handmade h;
    open_with_propensity(&h, 1.0);
    assert_fault(&h, RD_FAULT_NEGATIVE, 1, 0);
}

/* Checks that a propensity which does not depend on counts ends with the last reactant. */
static void test_propensity_ends_with_the_last_reactant(void **state)
{
    (void)state;
    struct handmade h;
    handmade_open(&h, "last", (const int32_t[]){2, 1, 1}, 1);
    struct rd_channel *const c = handmade_react(&h, "AA", "B", 1.0);
    c->required = c->reactant;
    c->n_required = c->n_reactants;
    c->n_reactants = 0;
    c->expression_kind = RD_EXPRESSION_PROPENSITY;
    c->n_program = 1;
    h.law[0] = (struct rd_op){.code = RD_OP_CONSTANT, .value = 1e3};
    handmade_put(&h, 'A', 0, 5);
    simulate(&h, 1, 1e3);
    assert_int_equal(handmade_total(&h, 0, 'A'), 1);
    assert_int_equal(handmade_total(&h, 0, 'B'), 2);
    assert_int_equal(h.fault[RD_FAULT_NEGATIVE].number, 0);
    handmade_close(&h);
}

static void test_endless_events_are_a_fault(void **state)
{
    (void)state;
    struct handmade h;
    open_faulty(&h);
    handmade_react(&h, "A", "B", 1e300);
    *handmade_count(&h, 0, 'A', 1) = 1;
    assert_fault(&h, RD_FAULT_STUCK, 0, 0);
}

static void test_memory_grows_with_threads_up_to_runs(void **state)
{
    (void)state;
    struct handmade h;
    open_busy(&h, 3);
    const size_t one = rd_exact_memory(&h.world, 1), two = rd_exact_memory(&h.world, 2);
    assert_true(one > (size_t)h.world.lattice.n_sites * HANDMADE_SPECIES * sizeof(int32_t));
    assert_true(two > one && two < 2 * one);
    assert_true(rd_exact_memory(&h.world, 3) == rd_exact_memory(&h.world, 64));
    assert_true(rd_exact_memory(&h.world, 0) == one);
    handmade_close(&h);
}

static void test_closing_an_unopened_solver_is_allowed(void **state)
{
    (void)state;
    rd_exact_close(NULL);
}

static void test_unavailable_options_are_refused(void **state)
{
    (void)state;
    struct rd_error e = {0};
    rd_exact *x;
    struct rd_world w = {.lattice.n_sites = INT64_C(8) * INT32_MAX + 1, .lattice.n_runs = 1};
    assert_false(rd_exact_open(&x, &w, 1, &e));
    assert_null(x);
    assert_non_null(strstr(e.text, "at most 17179869176"));
    rd_error_free(&e);
}

int test_exact(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_threads_change_nothing),
        cmocka_unit_test(test_run_of_ensemble_equals_single_run),
        cmocka_unit_test(test_calls_keep_no_state),
        cmocka_unit_test(test_steps_and_parts_have_their_own_words),
        cmocka_unit_test(test_events_of_one_voxel_go_on_in_the_next_item),
        cmocka_unit_test(test_model_without_events_ends),
        cmocka_unit_test(test_extinct_run_ends),
        cmocka_unit_test(test_molecules_at_rest_change_nothing),
        cmocka_unit_test(test_expression_follows_the_species_it_reads),
        cmocka_unit_test(test_reaction_stays_in_its_region),
        cmocka_unit_test(test_overflow_by_a_reaction_is_a_fault),
        cmocka_unit_test(test_overflow_by_a_hop_is_a_fault),
        cmocka_unit_test(test_negative_propensity_is_a_fault),
        cmocka_unit_test(test_infinite_propensity_is_a_fault),
        cmocka_unit_test(test_event_without_reactants_is_a_fault),
        cmocka_unit_test(test_propensity_ends_with_the_last_reactant),
        cmocka_unit_test(test_endless_events_are_a_fault),
        cmocka_unit_test(test_memory_grows_with_threads_up_to_runs),
        cmocka_unit_test(test_closing_an_unopened_solver_is_allowed),
        cmocka_unit_test(test_unavailable_options_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
