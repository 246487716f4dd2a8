/* test_exchange - tests of reactions between voxels and compartments: the tree of sums, the choice
   of a voxel, single events, and runs of them. */
#include "kernels/passes/reactions/exchange.h"

#include "stage.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SITES = 75 * 70, GROUPS = 83, NODES = GROUPS + 2 + 1, RUNS = 2 };
enum { A, B, P, Q };                           /* species, in the order of the file */
enum { BIND, PAIR, RELEASE, TURN, REACTIONS }; /* reactions, in the same order */
static const int32_t changes[REACTIONS][4] = { /* by one event */
                                              [BIND] = {-1, 1, -1, 0},
                                              [PAIR] = {0, -2, 1, 0},
                                              [RELEASE] = {1, 0, -1, 0},
                                              [TURN] = {0, 1, 0, -1}};

static int32_t *count(const struct stage *s, int64_t run, int species, int64_t site)
{
    return stage_count(s, run, s->plan.species_at[species], site);
}

/* Returns the number of the exchange that is this reaction of the file. */
static int64_t exchange_of(const struct stage *s, int reaction)
{
    const struct rd_world *const w = &s->sim.world;
    int64_t i = 0;
    while (s->plan.reaction_of[w->exchanges.exchange[i].reaction] != reaction)
        i++;
    return i;
}

/* Opens the model with A and B at every third voxel or so, none in groups 2 and 3, and 20 P and 30
   Q in the pool of each run. */
static void open_exchange(struct stage *s, const char *name)
{
    struct rd_stream random = stream_of(name, 0);
    stage_open(s, "passes/exchange.cfg", NULL, 0.5);
    for (int64_t run = 0; run < RUNS; run++) {
        for (int64_t site = 0; site < SITES; site++) {
            if (site / RD_EXCHANGE_GROUP / 2 == 1)
                continue;
            *count(s, run, A, site) = (int32_t)rd_below(&random, 9) / 6;
            *count(s, run, B, site) = (int32_t)rd_below(&random, 9) / 4;
        }
        *count(s, run, P, RD_MIXED_SITE) = 20;
        *count(s, run, Q, RD_MIXED_SITE) = 30;
    }
    s->sim.world.pass.dt = 0.001;
}

static void sum_all(const struct stage *s)
{
    const struct rd_world *const w = &s->sim.world;
    for (int64_t item = 0; item < w->items.n_exchange_groups; item++)
        rd_exchange_sums(w, item);
    for (int64_t run = 0; run < RUNS; run++)
        for (int64_t i = 0; i < w->exchanges.n_exchange; i++)
            if (!w->exchanges.exchange[i].is_released)
                rd_exchange_update(&w->lattice, rd_exchange_tree(w, run, i), -1);
}

/* Returns the propensity in a voxel, without reactants in the pool. */
static double propensity(const struct stage *s, int64_t run, int reaction, int64_t site)
{
    const int64_t x = site % 75, y = site / 75;
    const double a = *count(s, run, A, site), b = *count(s, run, B, site);
    if (reaction == BIND)
        return x >= 3 && y < 60 ? 0.5 * a : 0;
    return 0.25 * (1.5 + (double)x) * b * (b - 1);
}

static double root_of(const struct stage *s, int64_t run, int64_t exchange)
{
    return rd_exchange_tree(&s->sim.world, run, exchange)[NODES - 1];
}

static void assert_near(double found, double expected)
{
    if (!(fabs(found - expected) <= 1e-12 * fabs(expected)))
        fail_msg("%.15g is not %.15g", found, expected);
}

/* Tests that each node is the sum of 64 below it, and the lowest are sums over 64 voxels. */
static void nodes_are_sums(void **state)
{
    (void)state;
    struct stage s;
    open_exchange(&s, __func__);
    assert_int_equal(rd_exchange_nodes(&s.sim.world.lattice), NODES);
    for (int64_t n = 1; n < 200; n++)
        assert_int_equal(rd_exchange_groups(n), (n - 1) / 64 + 1);
    sum_all(&s);
    for (int64_t run = 0; run < RUNS; run++)
        for (int reaction = BIND; reaction <= PAIR; reaction++) {
            const double *const tree =
                rd_exchange_tree(&s.sim.world, run, exchange_of(&s, reaction));
            double group[GROUPS] = {0}, node[2] = {0}, all = 0;
            for (int64_t site = 0; site < SITES; site++) {
                const double a = propensity(&s, run, reaction, site);
                group[site / 64] += a;
                node[site / 4096] += a;
                all += a;
            }
            for (int i = 0; i < GROUPS; i++)
                assert_near(tree[i], group[i]);
            assert_near(tree[GROUPS], node[0]);
            assert_near(tree[GROUPS + 1], node[1]);
            assert_near(tree[GROUPS + 2], all);
        }
    stage_close(&s);
}

/* Tests that the begin and the middle of the interval of each voxel select that voxel; sums are
   exact here. What exceeds the sum by rounding selects the last one. */
static void each_voxel_is_found_by_its_interval(void **state)
{
    (void)state;
    struct stage s;
    open_exchange(&s, __func__);
    sum_all(&s);
    const struct rd_world *const w = &s.sim.world;
    for (int reaction = BIND; reaction <= PAIR; reaction++) {
        const int64_t i = exchange_of(&s, reaction);
        const struct rd_exchange *const x = &w->exchanges.exchange[i];
        const double *const tree = rd_exchange_tree(w, 1, i);
        double before = 0;
        int64_t last = -1;
        for (int64_t site = 0; site < SITES; site++) {
            const double a = propensity(&s, 1, reaction, site);
            if (a == 0)
                continue;
            last = site;
            assert_int_equal(rd_exchange_find(w, x, 1, tree, before), site);
            assert_int_equal(rd_exchange_find(w, x, 1, tree, before + a / 2), site);
            before += a;
        }
        assert_true(last > 4096 || reaction == BIND);
        assert_int_equal(rd_exchange_find(w, x, 1, tree, before * 1.01), last);
    }
    stage_close(&s);
}

/* Tests that if a node exceeds the sum of its children by rounding, the choice stays among them. */
static void rounding_chooses_no_other_node(void **state)
{
    (void)state;
    struct stage s;
    open_exchange(&s, __func__);
    sum_all(&s);
    const struct rd_world *const w = &s.sim.world;
    const int64_t i = exchange_of(&s, PAIR);
    double *const tree = rd_exchange_tree(w, 0, i);
    int64_t last = 4095;
    while (propensity(&s, 0, PAIR, last) == 0)
        last--;
    tree[GROUPS] *= 1.01;
    assert_int_equal(rd_exchange_find(w, &w->exchanges.exchange[i], 0, tree, tree[GROUPS] * 0.999),
                     last);
    stage_close(&s);
}

/* Tests that a propensity that is not a number >= 0 counts as 0 and is a fault. */
static void wrong_propensities_are_faults(void **state)
{
    (void)state;
    static const double wrong[] = {-1, INFINITY, NAN};
    struct stage s;
    open_exchange(&s, __func__);
    struct rd_world *const w = &s.sim.world;
    struct rd_exchange x = w->exchanges.exchange[exchange_of(&s, PAIR)];
    const int64_t voxel = SITES + 4000;
    const struct rd_place p = rd_place_apart(&w->lattice, voxel);
    *count(&s, 1, B, 4000) = 2;
    for (int i = 0; i < 3; i++) {
        x.rate = wrong[i];
        assert_true(rd_exchange_propensity(w, &x, &p) == 0);
        assert_int_equal(w->runs.fault[RD_FAULT_PROPENSITY].number, i + 1);
        assert_int_equal(rd_fault_voxel(&w->runs.fault[RD_FAULT_PROPENSITY]), voxel);
    }
    x.rate = 0;
    assert_true(rd_exchange_propensity(w, &x, &p) == 0);
    assert_int_equal(w->runs.fault[RD_FAULT_PROPENSITY].number, 3);
    stage_close(&s);
}

static void no_voxel_is_found_if_all_are_empty(void **state)
{
    (void)state;
    struct stage s;
    stage_open(&s, "passes/exchange.cfg", NULL, 0.5);
    sum_all(&s);
    const struct rd_world *const w = &s.sim.world;
    const int64_t i = exchange_of(&s, PAIR);
    assert_int_equal(
        rd_exchange_find(w, &w->exchanges.exchange[i], 0, rd_exchange_tree(w, 0, i), 0), -1);
    stage_close(&s);
}

static void products_land_in_proportion_to_measures(void **state)
{
    (void)state;
    static const struct rd_landing landing[] = {{9, 1}, {0.5, 3}, {0.75, 7}, {2.0, 8}, {99, 2}};
    const struct rd_exchanges exchanges = {.landing = landing};
    for (int64_t n = 1; n <= 3; n++) {
        const struct rd_exchange x = {.landing = 1, .n_landing = n};
        const double all = landing[n].upto;
        double from = 0;
        for (int64_t i = 1; i <= n; i++) {
            assert_int_equal(rd_exchange_land(&exchanges, &x, from / all), landing[i].site);
            from = landing[i].upto;
            assert_int_equal(rd_exchange_land(&exchanges, &x, from / all * (1 - 0x1p-50)),
                             landing[i].site);
        }
    }
}

/* Tests the propensities of a whole run: the sums times the falling factorials of the pool's
   molecules. */
static void totals_and_choice(void **state)
{
    (void)state;
    struct stage s;
    open_exchange(&s, __func__);
    sum_all(&s);
    const struct rd_world *const w = &s.sim.world;
    *count(&s, 1, P, RD_MIXED_SITE) = 6;
    double expected[REACTIONS] = {0, 0, 2.0 * 6, 0.1 * 30 * 29}, all = 0;
    expected[BIND] = root_of(&s, 1, exchange_of(&s, BIND)) * 6 * 5;
    expected[PAIR] = root_of(&s, 1, exchange_of(&s, PAIR));
    for (int i = 0; i < REACTIONS; i++) {
        assert_near(rd_exchange_total(w, 1, exchange_of(&s, i)), expected[i]);
        all += expected[i];
    }
    double before = 0;
    for (int64_t i = 0; i < REACTIONS; i++) {
        const double a = rd_exchange_total(w, 1, i);
        double aim = before;
        int64_t which = -1;
        rd_exchange_choose(w, 1, &aim, &which);
        assert_int_equal(which, i);
        aim = before + 0.25 * a;
        rd_exchange_choose(w, 1, &aim, &which);
        assert_int_equal(which, i);
        assert_true(fabs(aim - 0.25 * a) <= 1e-12 * all);
        before += a;
    }
    double aim = INFINITY;
    int64_t which = -1;
    assert_near(rd_exchange_choose(w, 1, &aim, &which), all);
    assert_int_equal(which, REACTIONS - 1);
    stage_close(&s);
}

/* Returns the number of events of the reaction in the run. */
static int64_t fired(const struct stage *s, int64_t run, int reaction)
{
    const struct rd_world *const w = &s->sim.world;
    const int64_t k = w->exchanges.exchange[exchange_of(s, reaction)].reaction;
    int64_t n = 0;
    for (int64_t stripe = 0; stripe < w->lattice.n_stripes; stripe++)
        n += w->counts.fired[(stripe * w->lattice.n_runs + run) * w->reactions.n_reactions + k];
    return n;
}

static int64_t fired_in_all(const struct stage *s, int64_t run)
{
    int64_t n = 0;
    for (int i = 0; i < REACTIONS; i++)
        n += fired(s, run, i);
    return n;
}

static void events_change_the_voxel_and_the_pool(void **state)
{
    (void)state;
    struct stage s;
    open_exchange(&s, __func__);
    const struct rd_world *const w = &s.sim.world;
    const int64_t site = 1000;
    for (int reaction = 0; reaction < REACTIONS; reaction++) {
        *count(&s, 1, A, site) = 5;
        *count(&s, 1, B, site) = 6;
        *count(&s, 1, P, RD_MIXED_SITE) = 7;
        *count(&s, 1, Q, RD_MIXED_SITE) = 8;
        const struct rd_exchange *const x = &w->exchanges.exchange[exchange_of(&s, reaction)];
        assert_true(rd_exchange_fire(w, x, 1, site));
        assert_int_equal(*count(&s, 1, A, site), 5 + changes[reaction][A]);
        assert_int_equal(*count(&s, 1, B, site), 6 + changes[reaction][B]);
        assert_int_equal(*count(&s, 1, P, RD_MIXED_SITE), 7 + changes[reaction][P]);
        assert_int_equal(*count(&s, 1, Q, RD_MIXED_SITE), 8 + changes[reaction][Q]);
        assert_int_equal(fired(&s, 1, reaction), 1);
        assert_int_equal(fired(&s, 0, reaction), 0);
    }
    stage_close(&s);
}

/* Tests that an event that would leave a count below 0 or above INT32_MAX changes nothing. */
static void impossible_events_are_faults(void **state)
{
    (void)state;
    struct stage s;
    open_exchange(&s, __func__);
    const struct rd_world *const w = &s.sim.world;
    const struct rd_exchange *const bind = &w->exchanges.exchange[exchange_of(&s, BIND)];
    const struct rd_exchange *const release = &w->exchanges.exchange[exchange_of(&s, RELEASE)];
    *count(&s, 0, A, 1000) = 1;
    assert_true(rd_exchange_fire(w, bind, 0, 1000));
    assert_int_equal(w->runs.fault[RD_FAULT_NEGATIVE].number, 0);
    assert_false(rd_exchange_fire(w, bind, 0, 1000));
    assert_int_equal(w->runs.fault[RD_FAULT_NEGATIVE].number, 1);
    assert_int_equal(rd_fault_voxel(&w->runs.fault[RD_FAULT_NEGATIVE]), 1000);
    *count(&s, 1, A, 1000) = INT32_MAX - 1;
    assert_true(rd_exchange_fire(w, release, 1, 1000));
    assert_int_equal(w->runs.fault[RD_FAULT_OVERFLOW].number, 0);
    assert_false(rd_exchange_fire(w, release, 1, 1000));
    assert_int_equal(w->runs.fault[RD_FAULT_OVERFLOW].number, 1);
    assert_int_equal(*count(&s, 0, A, 1000), 0);
    assert_int_equal(*count(&s, 0, P, RD_MIXED_SITE), 20 - 1);
    assert_int_equal(*count(&s, 1, A, 1000), INT32_MAX);
    assert_int_equal(*count(&s, 1, P, RD_MIXED_SITE), 20 - 1);
    stage_close(&s);
}

static int64_t total(const struct stage *s, int64_t run, int species)
{
    return stage_total(s, run, s->plan.species_at[species]);
}

/* Tests that after a run of events, counts have changed by as many events as were counted, and the
   tree is that of the counts. The other run is as it was. */
static void a_run_keeps_counts_and_sums(void **state)
{
    (void)state;
    struct stage s;
    open_exchange(&s, __func__);
    sum_all(&s);
    const struct rd_world *const w = &s.sim.world;
    const size_t bytes = NODES * (size_t)w->exchanges.n_exchange * sizeof(double);
    int64_t before[4], events[REACTIONS];
    double *const tree = malloc(bytes);
    assert_non_null(tree);
    for (int species = A; species <= Q; species++)
        before[species] = total(&s, 1, species);
    rd_exchange_run(w, 1);
    for (int i = 0; i < REACTIONS; i++) {
        events[i] = fired(&s, 1, i);
        assert_int_equal(fired(&s, 0, i), 0);
    }
    assert_true(events[BIND] > 5 && events[PAIR] > 5);
    for (int species = A; species <= Q; species++) {
        for (int i = 0; i < REACTIONS; i++)
            before[species] += events[i] * changes[i][species];
        assert_int_equal(total(&s, 1, species), before[species]);
    }
    memcpy(tree, rd_exchange_tree(w, 1, 0), bytes);
    sum_all(&s);
    for (int reaction = BIND; reaction <= PAIR; reaction++) {
        const int64_t i = exchange_of(&s, reaction);
        assert_memory_equal(tree + i * NODES, rd_exchange_tree(w, 1, i), NODES * sizeof *tree);
    }
    free(tree);
    stage_close(&s);
}

/* Lets 30 Q react to the end, with this limit; returns the number of events. */
static int64_t events_up_to(uint32_t most, int64_t *faults)
{
    struct stage s;
    open_exchange(&s, __func__);
    s.sim.world.pass.dt = 1e9;
    s.sim.world.reactions.max_events = most;
    for (int64_t site = 0; site < SITES; site++)
        *count(&s, 0, A, site) = *count(&s, 0, B, site) = 0;
    *count(&s, 0, P, RD_MIXED_SITE) = 0;
    sum_all(&s);
    rd_exchange_run(&s.sim.world, 0);
    const int64_t n = fired_in_all(&s, 0);
    *faults = (int64_t)s.sim.world.runs.fault[RD_FAULT_EVENTS].number;
    stage_close(&s);
    return n;
}

/* Tests that one event more than the limit is a fault. At least 29 events leave one Q. */
static void too_many_events_are_a_fault(void **state)
{
    (void)state;
    int64_t faults;
    const int64_t all = events_up_to(1000000, &faults);
    assert_int_equal(faults, 0);
    assert_true(all >= 29);
    assert_int_equal(events_up_to((uint32_t)all, &faults), all);
    assert_int_equal(faults, 0);
    assert_int_equal(events_up_to((uint32_t)all - 1, &faults), all);
    assert_int_equal(faults, 1);
    assert_int_equal(events_up_to(7, &faults), 8);
    assert_int_equal(faults, 1);
}

/* Tests that a share exp(-sum dt) of all passes has no event. */
static void times_are_exponential(void **state)
{
    (void)state;
    enum { PASSES = 4000 };
    struct stage s;
    open_exchange(&s, __func__);
    sum_all(&s);
    struct rd_world *const w = &s.sim.world;
    double aim = INFINITY, quiet = 0;
    int64_t which;
    w->pass.dt = 1 / rd_exchange_choose(w, 0, &aim, &which);
    const size_t bytes = NODES * (size_t)w->exchanges.n_exchange * sizeof(double),
                 all = 4 * (size_t)w->lattice.n_voxels * sizeof *w->counts.count;
    double *const tree = malloc(bytes);
    int32_t *const counts = malloc(all);
    assert_true(tree && counts);
    memcpy(tree, rd_exchange_tree(w, 0, 0), bytes);
    memcpy(counts, w->counts.count, all);
    for (uint32_t pass = 0; pass < PASSES; pass++) {
        const int64_t before = fired_in_all(&s, 0);
        s.sim.step_clock.step = pass;
        rd_exchange_run(w, 0);
        quiet += fired_in_all(&s, 0) == before;
        memcpy(w->counts.count, counts, all);
        memcpy(rd_exchange_tree(w, 0, 0), tree, bytes);
    }
    const double p = exp(-1);
    assert_deviation("passes without an event", (quiet - PASSES * p) / sqrt(PASSES * p * (1 - p)));
    free(tree);
    free(counts);
    stage_close(&s);
}

static void frozen_runs_have_no_event(void **state)
{
    (void)state;
    struct stage s;
    uint8_t frozen[RUNS] = {RD_FROZEN_STOPPED, RD_FROZEN_NOT};
    open_exchange(&s, __func__);
    struct rd_run_status *const runs = &s.sim.world.runs, own = *runs;
    runs->n_frozen = RUNS;
    runs->frozen = frozen;
    sum_all(&s);
    assert_true(root_of(&s, 0, exchange_of(&s, PAIR)) == 0); /* not computed */
    assert_true(root_of(&s, 1, exchange_of(&s, PAIR)) > 0);
    for (int64_t run = 0; run < RUNS; run++)
        rd_exchange_run(&s.sim.world, run);
    assert_int_equal(fired_in_all(&s, 0), 0);
    assert_true(fired_in_all(&s, 1) > 0);
    *runs = own;
    stage_close(&s);
}

int test_exchange(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nodes_are_sums),
        cmocka_unit_test(each_voxel_is_found_by_its_interval),
        cmocka_unit_test(rounding_chooses_no_other_node),
        cmocka_unit_test(wrong_propensities_are_faults),
        cmocka_unit_test(no_voxel_is_found_if_all_are_empty),
        cmocka_unit_test(products_land_in_proportion_to_measures),
        cmocka_unit_test(totals_and_choice),
        cmocka_unit_test(events_change_the_voxel_and_the_pool),
        cmocka_unit_test(impossible_events_are_faults),
        cmocka_unit_test(a_run_keeps_counts_and_sums),
        cmocka_unit_test(too_many_events_are_a_fault),
        cmocka_unit_test(times_are_exponential),
        cmocka_unit_test(frozen_runs_have_no_event),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
