/* test_direct_method - tests that the direct method with a dependency graph gives the same bytes as
   the plain body. */
#define _POSIX_C_SOURCE 200809L
#include "kernels/cpu/direct_method.h"
#include "kernels/cpu/few_products.h"
#include "kernels/cpu/react_simd.h"
#include "stage.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

/* Writes n - first reactions of a random network, each of one of `n_sides` kinds. */
static void write_reactions(FILE *out, int first, int n, int n_species, int n_sides)
{
    static const char *const sides[] = {"S%d -> S%d + S%d", "S%d + S%d -> S%d",
                                        "2 S%d -> S%d + S%d", "S%d + 3 S%d -> S%d",
                                        "S%d + 2 S%d -> S%d"};
    static const double rates[] = {0.6, 0.2, 0.1, 0.004, 0.02};
    const double slower = n < 60 ? 1.0 : 60.0 / n; /* about as many events in any network */
    uint32_t x = 12345;
    for (int i = first; i < n; i++) {
        int species[3];
        for (int k = 0; k < 3; k++)
            species[k] = (int)((x = x * 1664525u + 1013904223u) >> 8) % n_species;
        fprintf(out, ", { equation = \"");
        fprintf(out, sides[i % n_sides], species[0], species[1], species[2]);
        fprintf(out, "\"; rate = %.9f; }", rates[i % n_sides] * slower);
    }
}

/* Opens a stage of eight voxels with n reactions of a random network of species, and Z. With a
   rate, these are a source, one in a region, one whose rate is this text, and others of one to four
   molecules; without one, a source, one that makes Z, and others of one or two molecules. */
static void open_network_of(struct stage *s, int n, int n_species, const char *rate)
{
    const size_t size = 4096 + 128 * (size_t)(n + n_species);
    char *const text = malloc(size);
    FILE *const out = fmemopen(text, size, "w");
    fprintf(out, "grid = { voxels = (8); edge = 1; }; time = { end = 1; };"
                 "regions = ( { name = \"half\"; box = { from = (0); to = (4); }; } );"
                 "species = ( { name = \"S0\"; store = \"grid\"; }");
    for (int i = 1; i < n_species; i++)
        fprintf(out, ", { name = \"S%d\"; store = \"grid\"; }", i);
    fprintf(out, ", { name = \"Z\"; store = \"grid\"; } );"
                 "reactions = ( { equation = \"0 -> S0\"; rate = 2; },");
    if (rate)
        fprintf(out,
                "{ equation = \"S1 -> S2\"; rate = 0.5; in = \"half\"; },"
                "{ equation = \"S2 -> S1 + Z\"; rate = \"%s\"; }",
                rate);
    else
        fprintf(out, "{ equation = \"S2 -> S1 + Z\"; rate = 0.7; }");
    write_reactions(out, rate ? 3 : 2, n, n_species, rate ? 5 : 3);
    fprintf(out, " );");
    fclose(out);
    stage_open_text(s, text, 0.6);
    for (int64_t i = 0; i < s->sim.world.counts.n_count; i++)
        s->sim.world.counts.count[i] = (int32_t)(i % 7);
    s->sim.step_clock.step = 17;
    rd_sim_aim(&s->sim, 1, 0, 0.6);
    free(text);
}

static void open_network(struct stage *s, int n, const char *rate)
{
    open_network_of(s, n, n / 4 + 4, rate);
}

/* Simulates the voxels of one stage by the plain body, those of the other by the direct method: in
   the registers that suit, or in narrow ones. */
static void react_both_in(const struct rd_world *a, const struct rd_world *b, bool is_narrow)
{
    struct rd_voxel_events events = rd_voxel_events_begin(b);
    assert_false(events.is_plain);
    if (is_narrow) {
        events.direct = rd_direct_open(b);
        assert_non_null(events.direct);
        rd_direct_use_narrow(events.direct);
    }
    for (int64_t i = 0; i < a->lattice.n_voxels; i++) {
        rd_react(a, i);
        rd_voxel_events_react(&events, i);
    }
    assert_non_null(events.direct);
    rd_voxel_events_end(&events);
    assert_memory_equal(a->counts.count, b->counts.count,
                        (size_t)a->counts.n_count * sizeof *a->counts.count);
    assert_memory_equal(a->counts.fired, b->counts.fired,
                        (size_t)a->counts.n_fired * sizeof *a->counts.fired);
    assert_memory_equal(a->runs.fault, b->runs.fault,
                        (size_t)a->runs.n_fault * sizeof *a->runs.fault);
}

static void react_both(const struct rd_world *a, const struct rd_world *b)
{
    react_both_in(a, b, false);
}

static int64_t events_of(const struct rd_world *w)
{
    int64_t n = 0;
    for (int64_t i = 0; i < w->counts.n_fired; i++)
        n += w->counts.fired[i];
    return n;
}

static const int sizes[] = {9, 31, 32, 33, 63, 65, 255, 257, 1023, 1025, 3000};

static void networks_match_plain_body(void **state)
{
    (void)state;
    static const char *const rate[] = {
        "0.7 / S2 + x", "0.3 * S0 + 0.2 * S3", "0.4 * [S3] + 0.1 * [S0]",
        "0.2\"; }, { equation = \"S1 -> S2\"; propensity = \"1.4 + 0.1 * S0"};
    enum { RATES = sizeof rate / sizeof *rate };
    for (size_t i = 0; i < RATES * (sizeof sizes / sizeof *sizes); i++) {
        struct stage one, other;
        open_network(&one, sizes[i / RATES], rate[i % RATES]);
        open_network(&other, sizes[i / RATES], rate[i % RATES]);
        react_both(&one.sim.world, &other.sim.world);
        assert_true(events_of(&one.sim.world) > 20);
        const struct rd_reactions *const all = &one.sim.world.reactions;
        const bool is_merged = all->n_affected == all->n_reactions; /* both kinds of lists */
        assert_true(is_merged == (sizes[i / RATES] < 3000));
        stage_close(&one);
        stage_close(&other);
    }
}

/* Compares networks of products of at most two counts, with `more` times as many molecules. Returns
   the number of events. */
static int64_t compare_products(int n, int n_species, int more, bool is_narrow)
{
    struct stage one, other;
    open_network_of(&one, n, n_species, NULL);
    open_network_of(&other, n, n_species, NULL);
    struct rd_world *const world[] = {&one.sim.world, &other.sim.world};
    assert_int_equal(rd_are_few_products(world[0]->reactions.product, n), n <= RD_FEW_PRODUCTS);
    for (int k = 0; k < 2; k++)
        for (int64_t i = 0; i < world[k]->counts.n_count; i++)
            world[k]->counts.count[i] *= more;
    react_both_in(world[0], world[1], is_narrow);
    const int64_t n_events = events_of(world[0]);
    stage_close(&one);
    stage_close(&other);
    return n_events;
}

/* Tests that the same bytes come out if all propensities are computed again at each event. */
static void products_match_plain_body(void **state)
{
    (void)state;
    static const int few[] = {8, 9, 10, 31, 32, 33, 40, 63, 64, 65, 96, 127, 128, 129};
    static const int species[] = {3, 6, 7, 14, 15, 22, 23, 30, 31};
    for (size_t i = 0; i < sizeof few / sizeof *few; i++)
        for (size_t k = 0; k < sizeof species / sizeof *species; k++)
            for (int is_narrow = 0; is_narrow < 2; is_narrow++)
                assert_true(compare_products(few[i], species[k], 1, is_narrow) > 20);
}

/* Tests so many events that some are selected by numbers next to the sum up to a reaction. */
static void many_products_match_plain_body(void **state)
{
    (void)state;
    assert_true(compare_products(20, 6, 2000, false) > 50000);
    assert_true(compare_products(40, 9, 1000, false) > 50000);
    assert_true(compare_products(110, 28, 500, false) > 50000);
}

/* Compares worlds that stop at a fault of the kind: a rate that becomes negative, too many events,
   or the count of Z, which no reaction takes, that overflows. */
static void compare_faults(int n, const char *rate, int kind)
{
    struct stage one, other;
    open_network(&one, n, rate);
    open_network(&other, n, rate);
    struct rd_world *const world[] = {&one.sim.world, &other.sim.world};
    for (int k = 0; k < 2; k++) {
        if (kind == RD_FAULT_EVENTS)
            world[k]->reactions.max_events = 3;
        for (int64_t voxel = 1; kind == RD_FAULT_OVERFLOW && voxel <= 8; voxel++)
            world[k]->counts.count[world[k]->counts.n_count - voxel] = INT32_MAX; /* of Z */
    }
    react_both(world[0], world[1]);
    assert_true(world[0]->runs.fault[kind].number > 0);
    stage_close(&one);
    stage_close(&other);
}

static void faults_match_plain_body(void **state)
{
    (void)state;
    compare_faults(300, "S2 - 2.5", RD_FAULT_PROPENSITY);
    compare_faults(300, "5", RD_FAULT_EVENTS);
    compare_faults(300, "5", RD_FAULT_OVERFLOW);
    compare_faults(40, NULL, RD_FAULT_EVENTS);
    compare_faults(40, NULL, RD_FAULT_OVERFLOW);
    compare_faults(70, NULL, RD_FAULT_EVENTS);
    compare_faults(70, NULL, RD_FAULT_OVERFLOW);
}

/* Tests that portions of voxels, as the back end runs them, give these bytes too. */
static void portions_match_plain_body(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct stage one, other;
        open_network(&one, sizes[i], "0.2");
        open_network(&other, sizes[i], "0.2");
        const struct rd_world *const a = &one.sim.world, *const b = &other.sim.world;
        for (int64_t voxel = 0; voxel < a->lattice.n_voxels; voxel++)
            rd_react(a, voxel);
        rd_react_portion(b, 0, b->lattice.n_voxels);
        assert_memory_equal(a->counts.count, b->counts.count,
                            (size_t)a->counts.n_count * sizeof *a->counts.count);
        stage_close(&one);
        stage_close(&other);
    }
}

int test_direct_method(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(networks_match_plain_body),
        cmocka_unit_test(products_match_plain_body),
        cmocka_unit_test(many_products_match_plain_body),
        cmocka_unit_test(faults_match_plain_body),
        cmocka_unit_test(portions_match_plain_body),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
