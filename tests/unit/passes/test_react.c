/* test_react - tests of propensities, of the choice among reactions, of counts and faults, and of
   the SSA in voxels that are worked out by hand. */
#include "kernels/passes/reactions/react.h"

#include "handmade.h"

static const int32_t one_voxel[3] = {1, 1, 1};

static void open_voxel(struct handmade *h, const char *name)
{
    handmade_open(h, name, one_voxel, 1);
    h->world.pass.dt = 1;
}

/* Sets the propensity expression of the channel to the constant. */
static void set_propensity(struct handmade *h, struct rd_channel *c, int32_t kind, double constant)
{
    h->law[0] = (struct rd_op){.code = RD_OP_CONSTANT, .value = constant};
    c->program = 0;
    c->n_program = 1;
    c->expression_kind = kind;
}

static double propensity(const struct handmade *h, const struct rd_channel *c, int32_t a, int32_t b)
{
    const int32_t count[] = {a, b, 0};
    const struct rd_eval_context eval_context = {.volume = 1, .count = count, .stride = 1};
    return rd_propensity(&h->world, c, count, 1, &eval_context);
}

static void propensities_have_falling_factorials(void **state)
{
    (void)state;
    struct handmade h;
    open_voxel(&h, "propensities_have_falling_factorials");
    const struct rd_channel *const c = handmade_react(&h, "AAABB", "", 2);
    assert_true(propensity(&h, c, 5, 4) == 2.0 * 5 * 4 * 3 * 4 * 3);
    assert_true(propensity(&h, c, 3, 2) == 2.0 * 6 * 2);
    for (int32_t a = 0; a < 3; a++)
        assert_true(propensity(&h, c, a, 100) == 0);
    assert_true(propensity(&h, c, 100, 1) == 0);
    assert_true(propensity(&h, handmade_react(&h, "", "A", 0.25), 7, 7) == 0.25);
    assert_true(propensity(&h, handmade_react(&h, "AA", "", 1), INT32_MAX, 0) ==
                2147483647.0 * 2147483646.0);
    handmade_close(&h);
}

static void expressions_are_rates_or_propensities(void **state)
{
    (void)state;
    struct handmade h;
    open_voxel(&h, "expressions_are_rates_or_propensities");
    struct rd_channel *const c = handmade_react(&h, "A", "B", 2);
    set_propensity(&h, c, RD_EXPRESSION_FACTOR, 0.5);
    assert_true(propensity(&h, c, 3, 0) == 3);
    h.law[0].value = NAN;
    /* The expression is not evaluated if the reaction cannot fire. */
    assert_true(propensity(&h, c, 0, 0) == 0);
    assert_true(isnan(propensity(&h, c, 1, 0)));
    h.law[0].value = -0.1;
    assert_true(isnan(propensity(&h, c, 1, 0)));
    h.law[0].value = INFINITY;
    assert_true(isnan(propensity(&h, c, 1, 0)));
    c->n_reactants = 0;
    c->rate = 1;
    set_propensity(&h, c, RD_EXPRESSION_PROPENSITY, 7);
    assert_true(propensity(&h, c, 0, 0) == 7);
    handmade_close(&h);
}

/* Checks that an expression is not evaluated until all required reactants are there. */
static void missing_reactants_give_propensity_0(void **state)
{
    (void)state;
    struct handmade h;
    open_voxel(&h, "missing_reactants_give_propensity_0");
    struct rd_channel *const c = handmade_react(&h, "AAB", "B", 1);
    c->required = c->reactant;
    c->n_required = c->n_reactants;
    c->n_reactants = 0;
    set_propensity(&h, c, RD_EXPRESSION_PROPENSITY, 7);
    assert_true(propensity(&h, c, 2, 1) == 7);
    h.law[0].value = NAN;
    assert_true(propensity(&h, c, 0, 0) == 0);
    assert_true(propensity(&h, c, 1, 5) == 0);
    assert_true(propensity(&h, c, 5, 0) == 0);
    assert_true(isnan(propensity(&h, c, 2, 1)));
    handmade_close(&h);
}

/* Returns the channel that the target selects; n_reactions if none. */
static int32_t channel_at(const struct handmade *h, double target)
{
    const struct rd_place p = rd_place_of(&h->world.lattice, 0);
    const struct rd_eval_context eval_context = rd_eval_context_of(&h->world, &p);
    return rd_choose_reaction(&h->world, &p, &eval_context, target);
}

static void target_selects_a_channel(void **state)
{
    (void)state;
    struct handmade h;
    open_voxel(&h, "target_selects_a_channel");
    handmade_react(&h, "", "A", 1);
    handmade_react(&h, "B", "", 100); /* there is no B */
    handmade_react(&h, "", "A", 2);
    handmade_react(&h, "", "A", 3);
    assert_int_equal(channel_at(&h, 0), 0);
    assert_int_equal(channel_at(&h, nextafter(1, 0)), 0);
    assert_int_equal(channel_at(&h, 1), 2);
    assert_int_equal(channel_at(&h, nextafter(3, 0)), 2);
    assert_int_equal(channel_at(&h, 3), 3);
    assert_int_equal(channel_at(&h, nextafter(6, 0)), 3);
    assert_int_equal(channel_at(&h, 6), 4);
    handmade_close(&h);
}

static void regions_confine_reactions(void **state)
{
    (void)state;
    struct handmade h;
    open_voxel(&h, "regions_confine_reactions");
    handmade_react(&h, "", "A", 1)->region = 1; /* the voxel is in region 0 only */
    handmade_react(&h, "", "B", 1)->region = 0;
    assert_int_equal(channel_at(&h, 0), 1);
    handmade_close(&h);
}

static bool fire(const struct handmade *h, int32_t reaction)
{
    struct rd_ssa ssa;
    rd_ssa_open(&ssa, &h->world, 0);
    if (!rd_can_fire(&ssa, reaction))
        return false;
    rd_change_counts(&ssa, reaction, true);
    rd_count_fired(&ssa, reaction);
    return true;
}

static void counts_change_by_a_reaction_or_not_at_all(void **state)
{
    (void)state;
    struct handmade h;
    open_voxel(&h, "counts_change_by_a_reaction_or_not_at_all");
    handmade_react(&h, "AAB", "CCC", 1);
    handmade_put(&h, 'A', 0, 2);
    handmade_put(&h, 'B', 0, 5);
    assert_true(fire(&h, 0));
    assert_int_equal(*handmade_count(&h, 0, 'A', 0), 0);
    assert_int_equal(*handmade_count(&h, 0, 'B', 0), 4);
    assert_int_equal(*handmade_count(&h, 0, 'C', 0), 3);
    assert_int_equal(h.fired[0], 1);
    assert_false(fire(&h, 0));
    assert_int_equal(h.fault[RD_FAULT_NEGATIVE].number, 1);
    assert_int_equal(rd_fault_what(&h.fault[RD_FAULT_NEGATIVE]), 0);
    handmade_put(&h, 'A', 0, 2);
    handmade_put(&h, 'C', 0, INT32_MAX - 2);
    assert_false(fire(&h, 0));
    assert_int_equal(rd_fault_what(&h.fault[RD_FAULT_OVERFLOW]), 'C' - 'A');
    assert_int_equal(*handmade_count(&h, 0, 'A', 0), 2);
    assert_int_equal(*handmade_count(&h, 0, 'B', 0), 4);
    assert_int_equal(*handmade_count(&h, 0, 'C', 0), INT32_MAX - 2);
    assert_int_equal(h.fired[0], 1);
    handmade_close(&h);
}

static void fired_is_counted_by_run_and_reaction(void **state)
{
    (void)state;
    struct handmade h;
    handmade_open(&h, "fired_is_counted_by_run_and_reaction", (const int32_t[]){2, 1, 1}, 3);
    h.world.pass.dt = 1e9;
    handmade_react(&h, "B", "C", 1);
    handmade_react(&h, "A", "B", 1);
    handmade_put(&h, 'A', 0, 5);
    handmade_put(&h, 'B', 1, 3);
    for (int64_t voxel = 2; voxel < 4; voxel++) /* voxels of the second run */
        rd_react(&h.world, voxel);
    const int64_t expected[] = {0, 0, 8, 5, 0, 0};
    assert_memory_equal(h.fired, expected, sizeof expected);
    assert_int_equal(handmade_total(&h, 1, 'C'), 8);
    assert_int_equal(handmade_total(&h, 0, 'C'), 0);
    handmade_close(&h);
}

static void no_reaction_in_no_time(void **state)
{
    (void)state;
    struct handmade h;
    open_voxel(&h, "no_reaction_in_no_time");
    handmade_react(&h, "", "A", 1e6);
    h.world.pass.dt = 0;
    rd_react(&h.world, 0);
    assert_int_equal(h.fired[0], 0);
    handmade_close(&h);
}

/* Tests A -> 0 for a time t, which leaves a binomial number; runs and steps have different
   numbers. */
static void deaths_are_binomial(void **state)
{
    (void)state;
    enum { RUNS = 400, STEPS = 25, N = 40 };
    const double rate = 0.7, t = 0.9, stay = exp(-rate * t);
    struct handmade h;
    handmade_open(&h, "deaths_are_binomial", one_voxel, RUNS);
    h.world.pass.dt = t;
    handmade_react(&h, "A", "", rate);
    double sum = 0, squares = 0;
    for (h.step_clock.step = 0; h.step_clock.step < STEPS; h.step_clock.step++) {
        handmade_put(&h, 'A', 0, N);
        for (int64_t run = 0; run < RUNS; run++) {
            rd_react(&h.world, run);
            const double d = *handmade_count(&h, run, 'A', 0) - N * stay;
            sum += d;
            squares += d * d;
        }
    }
    const double n = RUNS * STEPS, variance = N * stay * (1 - stay);
    const double excess = (1 - 6 * stay * (1 - stay)) / variance;
    assert_deviation("mean", sum / sqrt(n * variance));
    assert_deviation("variance", (squares / n / variance - 1) * sqrt(n / (2 + excess)));
    handmade_close(&h);
}

/* Tests 0 -> A at a, 0 -> B at b: both give Poisson numbers, and these are independent. */
static void births_are_poisson(void **state)
{
    (void)state;
    enum { RUNS = 10000 };
    const double a = 3, b = 0.5, dt = 2;
    struct handmade h;
    handmade_open(&h, "births_are_poisson", one_voxel, RUNS);
    h.world.pass.dt = dt;
    handmade_react(&h, "", "A", a);
    handmade_react(&h, "", "B", b);
    double first = 0, second = 0, product = 0, squares = 0;
    for (int64_t run = 0; run < RUNS; run++) {
        rd_react(&h.world, run);
        const double x = *handmade_count(&h, run, 'A', 0) - a * dt;
        const double y = *handmade_count(&h, run, 'B', 0) - b * dt;
        first += x;
        second += y;
        product += x * y;
        squares += x * x;
    }
    const double mean = a * dt;
    assert_deviation("mean of A", first / sqrt(RUNS * mean));
    assert_deviation("mean of B", second / sqrt(RUNS * b * dt));
    assert_deviation("variance of A", (squares / RUNS / mean - 1) * sqrt(RUNS / (2 + 1 / mean)));
    assert_deviation("covariance", product / sqrt(RUNS * mean * b * dt));
    handmade_close(&h);
}

/* Returns the count of A in one voxel after the pass, for this run, step and part. */
static int32_t born(struct handmade *h, int64_t run, uint32_t step, uint32_t part)
{
    h->world.lattice.first_run = run;
    h->step_clock.step = step;
    h->world.pass.part = part;
    handmade_put(h, 'A', 0, 0);
    rd_react(&h->world, 0);
    return *handmade_count(h, 0, 'A', 0);
}

static void runs_steps_and_parts_have_their_own_words(void **state)
{
    (void)state;
    struct handmade h;
    open_voxel(&h, "runs_steps_and_parts_have_their_own_words");
    handmade_react(&h, "", "A", 1e5);
    const int32_t n = born(&h, 3, 4, 0);
    assert_int_equal(born(&h, 3, 4, 0), n);
    assert_int_not_equal(born(&h, 4, 4, 0), n); /* both are equal with probability 1/1000 */
    assert_int_not_equal(born(&h, 3, 5, 0), n);
    assert_int_not_equal(born(&h, 3, 4, 1), n);
    handmade_close(&h);
}

static void faulty_expressions_are_recorded_and_other_voxels_continue(void **state)
{
    (void)state;
    struct handmade h;
    open_voxel(&h, "faulty_expressions_are_recorded_and_other_voxels_continue");
    handmade_react(&h, "", "A", 50);
    set_propensity(&h, handmade_react(&h, "", "B", 1), RD_EXPRESSION_PROPENSITY, -1);
    rd_react(&h.world, 0);
    assert_true(h.fault[RD_FAULT_PROPENSITY].number > 0);
    assert_int_equal(rd_fault_what(&h.fault[RD_FAULT_PROPENSITY]), 1);
    assert_int_equal(rd_fault_voxel(&h.fault[RD_FAULT_PROPENSITY]), 0);
    assert_int_equal(h.fired[1], 0);
    assert_true(h.fired[0] > 0);
    handmade_close(&h);
}

/* Tests finite propensities with an infinite sum, and one infinite propensity. */
static void infinite_propensities_are_faults(void **state)
{
    (void)state;
    struct handmade h;
    open_voxel(&h, "infinite_propensities_are_faults");
    h.world.pass.dt = 1e-310;
    handmade_react(&h, "", "A", 1.5e308);
    handmade_react(&h, "", "A", 1.5e308);
    handmade_react(&h, "AA", "", 1e300);
    handmade_put(&h, 'A', 0, 1 << 30);
    assert_int_equal(channel_at(&h, INFINITY), 3);
    assert_int_equal(h.fault[RD_FAULT_PROPENSITY].number, 2);
    assert_int_equal(rd_fault_what(&h.fault[RD_FAULT_PROPENSITY]), 1);
    handmade_close(&h);
}

static void propensity_without_reactants_stops_the_voxel(void **state)
{
    (void)state;
    struct handmade h;
    open_voxel(&h, "propensity_without_reactants_stops_the_voxel");
    struct rd_channel *const c = handmade_react(&h, "A", "B", 1);
    c->n_reactants = 0;
    set_propensity(&h, c, RD_EXPRESSION_PROPENSITY, 1e3);
    handmade_put(&h, 'A', 0, 2);
    rd_react(&h.world, 0);
    assert_int_equal(h.fired[0], 2);
    assert_int_equal(*handmade_count(&h, 0, 'A', 0), 0);
    assert_int_equal(h.fault[RD_FAULT_NEGATIVE].number, 1);
    handmade_close(&h);
}

/* Tests that the greatest allowed number of events gives no fault, and that one more does. */
static void too_many_events_are_a_fault(void **state)
{
    (void)state;
    int64_t fired = 0;
    for (uint32_t less = 0; less < 3; less++) {
        struct handmade h;
        open_voxel(&h, "too_many_events_are_a_fault");
        handmade_react(&h, "", "B", 1e-9);
        handmade_react(&h, "", "A", 200);
        h.world.reactions.max_events = less == 0 ? 1000 : (uint32_t)fired - less + 1;
        rd_react(&h.world, 0);
        if (less == 0)
            fired = h.fired[1];
        assert_int_equal(h.fired[1], fired - (less == 2));
        assert_int_equal(*handmade_count(&h, 0, 'A', 0), h.fired[1]);
        assert_int_equal(h.fault[RD_FAULT_EVENTS].number, less == 2);
        if (less == 2)
            assert_int_equal(rd_fault_what(&h.fault[RD_FAULT_EVENTS]), 1);
        handmade_close(&h);
    }
}

/* Tests that propensities use the centre of the voxel and the middle of the pass. */
static void propensities_use_voxel_centre_and_middle_of_pass(void **state)
{
    (void)state;
    struct handmade h;
    handmade_open(&h, "propensities_use_voxel_centre_and_middle_of_pass",
                  (const int32_t[]){3, 4, 5}, 2);
    h.step_clock.time = 7.5;
    h.world.lattice.volume = 0.25;
    const struct rd_place p =
        rd_place_of(&h.world.lattice, h.world.lattice.n_sites + (4 * 4 + 2) * 3 + 1);
    *handmade_count(&h, 1, 'B', p.site) = 9;
    const struct rd_eval_context eval_context = rd_eval_context_of(&h.world, &p);
    assert_true(eval_context.x == 1.5 && eval_context.y == 2.5 && eval_context.z == 4.5);
    assert_true(eval_context.t == 7.5 && eval_context.volume == 0.25);
    assert_int_equal(eval_context.count[eval_context.stride], 9);
    handmade_close(&h);
}

int test_react(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(propensities_have_falling_factorials),
        cmocka_unit_test(expressions_are_rates_or_propensities),
        cmocka_unit_test(missing_reactants_give_propensity_0),
        cmocka_unit_test(target_selects_a_channel),
        cmocka_unit_test(regions_confine_reactions),
        cmocka_unit_test(counts_change_by_a_reaction_or_not_at_all),
        cmocka_unit_test(fired_is_counted_by_run_and_reaction),
        cmocka_unit_test(no_reaction_in_no_time),
        cmocka_unit_test(deaths_are_binomial),
        cmocka_unit_test(births_are_poisson),
        cmocka_unit_test(runs_steps_and_parts_have_their_own_words),
        cmocka_unit_test(faulty_expressions_are_recorded_and_other_voxels_continue),
        cmocka_unit_test(infinite_propensities_are_faults),
        cmocka_unit_test(propensity_without_reactants_stops_the_voxel),
        cmocka_unit_test(too_many_events_are_a_fault),
        cmocka_unit_test(propensities_use_voxel_centre_and_middle_of_pass),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
