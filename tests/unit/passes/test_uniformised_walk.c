/* test_uniformised_walk - tests of hops that are attempted at one rate: the direction that a word
   selects, the number of attempts, and the voxels of molecules after a step.

   Molecules walk one by one, in binomial batches, and in batches of batches. */
#include "kernels/passes/movement/uniformised_walk.h"

#include "roll.h"
#include "theory.h"

static void words_select_directions(void **state)
{
    (void)state;
    const uint32_t below[RD_N_FACES] = {0, 10, 10, 30, 40, 40};
    const struct {
        uint32_t word;
        int way;
    } is[] = {{0, 1}, {9, 1}, {10, 3}, {29, 3}, {30, 4}, {39, 4}, {40, 6}, {UINT32_MAX, 6}};
    for (size_t i = 0; i < sizeof is / sizeof is[0]; i++) {
        assert_int_equal(rd_uniformised_walk_way(below, RD_N_FACES, is[i].word), is[i].way);
        assert_int_equal(rd_uniformised_walk_way(below, 4, is[i].word),
                         is[i].way < 4 ? is[i].way : 4);
    }
}

/* Checks the attempts after the first hop, each of which is a hop with probability `share`: the
   number of all hops is a Poisson number with mean share * mean, given that it is not 0. */
static void assert_attempts(double mean, double share)
{
    struct rd_displacements rows = {0};
    struct rd_error e = {0};
    int32_t number;
    assert_true(rd_displacements_add_tries(&rows, mean, share, &number, &e));
    const struct rd_displacement *const row = &rows.displacement[number];
    double hops[400] = {0}, below = 0;
    for (int k = 0; k < row->n; k++) {
        const struct rd_jump *const o = &rows.jump[row->first + k];
        const double probability = (k == row->n - 1 ? 1 : o->below / 4294967296.0) - below;
        below += probability;
        double part = pow(1 - share, o->shift); /* i of its attempts are hops */
        for (int i = 0; i <= o->shift; i++) {
            hops[1 + i] += share < 1 ? probability * part : i == o->shift ? probability : 0;
            part *= (o->shift - i) / (1.0 + i) * share / (1 - share);
        }
    }
    double want = share * mean * exp(-share * mean) / -expm1(-share * mean);
    for (int i = 1; i < 400; i++, want *= share * mean / i)
        if (fabs(hops[i] - want) > 1e-8)
            fail_msg("mean %g, share %g: %d hops with probability %.12g, not %.12g", mean, share, i,
                     hops[i], want);
    rd_displacements_free(&rows);
}

static void attempts_make_the_right_number_of_hops(void **state)
{
    (void)state;
    static const double means[] = {1e-6, 0.1, 1, 6, 40, 150};
    for (size_t i = 0; i < sizeof means / sizeof means[0]; i++) {
        assert_attempts(means[i], 1);
        assert_attempts(means[i], 0.7);
        assert_attempts(means[i], 0.01);
    }
}

/* The configuration has two zones with drift, and hop rates that are twice as high in the second.
   The border transmits with probabilities 0.4 and 0.1; one end absorbs with probability 0.3, and
   another axis is periodic. */
enum { NX = 6, NY = 3, SITES = NX * NY, FROM = NX + 2 };
static double passes(int from, int to)
{
    const bool was_left = from % NX < 3, is_left = to % NX < 3;
    return was_left == is_left ? 1 : was_left ? 0.4 : 0.1;
}

/* Sets the probabilities of the voxels after the time, for molecules that start at FROM; the last
   one is that of being lost. Returns the probability that a molecule attempts no hop. */
static double find_probabilities(double time, double *probability)
{
    double hop_rate[SITES], m[SITES + THEORY_FACES] = {0};
    for (int site = 0; site < SITES; site++)
        hop_rate[site] = site % NX < 3 ? 1 : 2;
    struct theory_walk w = {
        .size = {NX, NY, 1}, .pass = {0, 0.3, -1, -1}, .hop_rate = hop_rate, .passes = passes};
    theory_set_rates(&w, 0, 1, 0.4, 1);
    theory_set_rates(&w, 1, 0.5, 0, 1);
    m[FROM] = 1;
    theory_walk_on(&w, time, m);
    memcpy(probability, m, SITES * sizeof *probability);
    probability[SITES] = m[SITES + 1];
    return exp(-3 * time);
}

/* Checks n molecules that walk together, `times` times; with 400,000 of them the test detects 0.5 %
   of the mean of a typical voxel. */
static void assert_uniformised_walk(double time, int64_t n, int times)
{
    struct stage s;
    stage_open(&s, "passes/zones.cfg", NULL, time);
    const struct rd_world *const w = &s.sim.world;
    assert_int_equal(s.plan.transport[0].hop_rate_kind, RD_HOP_RATE_BY_ZONE);
    assert_int_equal(w->movement.n_uniformised_walk, 2);
    const struct rd_place p = rd_place_of(&w->lattice, FROM);
    struct rd_stream stream = stream_of("assert_tour", (int64_t)(time * 1000) + times);
    for (int i = 0; i < times; i++)
        rd_uniformised_walk(w, 0, &p, n, &stream);
    double probability[SITES + 1], z = 0;
    const double stays = find_probabilities(time, probability);
    probability[FROM] -= stays;
    int64_t left = n * times;
    for (int i = 0; i <= SITES; i++) {
        const int64_t seen = i < SITES ? w->counts.arrive[i] : stage_lost(&s, 0, 0, 1);
        left -= seen;
        z = theory_binomial_deviate((double)seen, (double)(n * times),
                                    probability[i] / (1 - stays));
        if (fabs(z) > PROBABILITY_Z_MOST)
            fail_msg("%lld together, time %g: %lld in voxel %d: %.1f standard errors off",
                     (long long)n, time, (long long)seen, i, z);
    }
    assert_int_equal(left, 0);
    stage_close(&s);
}

static void molecules_follow_the_master_equation(void **state)
{
    (void)state;
    static const double times[] = {0.05, 0.3, 2, 15};
    for (int i = 0; i < 4; i++) {
        assert_uniformised_walk(times[i], 1, 100000);
        assert_uniformised_walk(times[i], RD_BATCH - 1, 400000 / RD_BATCH);
        assert_uniformised_walk(times[i], 200, 2000);
        assert_uniformised_walk(times[i], 400000, 1);
    }
}

/* Tests 40,000 individuals in one voxel, each with words of its own; the test detects 2 % of the
   mean of a typical voxel. */
static void individuals_follow_the_master_equation(void **state)
{
    (void)state;
    enum { N = 40000 };
    static const double times[] = {0.05, 0.3, 2, 15};
    for (int i = 0; i < 4; i++) {
        struct stage s;
        stage_open(&s, "passes/zones.cfg", SETS("species.A.individuals.max=40000"), times[i]);
        const struct rd_world *const w = &s.sim.world;
        roll_into_voxel(&s, 0, FROM, N);
        roll_move(&s, 0);
        double probability[SITES + 1];
        int64_t seen[SITES + 1] = {0};
        find_probabilities(times[i], probability);
        for (int64_t k = 0; k < N; k++)
            seen[w->lists.key[k] == RD_KEY_NONE ? SITES : w->lists.key[k]]++;
        assert_int_equal(seen[SITES], stage_lost(&s, 0, 0, 1));
        for (int k = 0; k <= SITES; k++)
            assert_deviation("voxel", theory_binomial_deviate((double)seen[k], N, probability[k]));
        stage_close(&s);
    }
}

static void end_of_the_stream_is_a_fault(void **state)
{
    (void)state;
    struct stage s;
    stage_open(&s, "passes/zones.cfg", NULL, 1.0);
    const struct rd_world *const w = &s.sim.world;
    const struct rd_place p = rd_place_of(&w->lattice, FROM);
    struct rd_stream stream = stream_of("end_of_the_stream_is_a_fault", 0);
    stream.counter[0] = UINT32_MAX - 100;
    rd_uniformised_walk(w, 0, &p, 3, &stream);
    assert_true(w->runs.fault[RD_FAULT_STUCK].number > 0);
    assert_int_equal(rd_fault_voxel(&w->runs.fault[RD_FAULT_STUCK]), FROM);
    assert_int_equal(stage_arriving(&s, 0, 0) + stage_lost(&s, 0, 0, 1), 3);
    stage_close(&s);
}

int test_uniformised_walk(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_select_directions),
        cmocka_unit_test(attempts_make_the_right_number_of_hops),
        cmocka_unit_test(molecules_follow_the_master_equation),
        cmocka_unit_test(individuals_follow_the_master_equation),
        cmocka_unit_test(end_of_the_stream_is_a_fault),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
