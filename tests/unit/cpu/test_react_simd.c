/* test_react_simd - tests that react for lanes of the CPU gives the same bytes as the plain
   body. */
#define _POSIX_C_SOURCE 200809L
#include "kernels/cpu/busy_voxels.h"
#include "kernels/cpu/react_simd.h"
#include "stage.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

static const char *const models[] = {"cpu/react_mass_action.cfg", "cpu/react_rate.cfg"};

/* Puts 0 to 3 molecules of each species into the voxels. */
static void begin(struct stage *s)
{
    for (int64_t i = 0; i < s->sim.world.counts.n_count; i++)
        s->sim.world.counts.count[i] = (int32_t)(i % 4);
    s->sim.step_clock.step = 17;
    rd_sim_aim(&s->sim, 1, 0, 0.6);
}

static void open_stage(struct stage *s, const char *name, const char *const *sets)
{
    stage_open(s, name, sets, 0.6);
    begin(s);
}

/* Checks that portions give the same bytes as single voxels; returns the number of events. */
static int64_t react_both(const struct rd_world *a, const struct rd_world *b, int64_t portion)
{
    for (int64_t i = 0; i < a->lattice.n_voxels; i++)
        rd_react(a, i);
    for (int64_t i = 0; i < b->lattice.n_voxels; i += portion)
        rd_react_portion(b, i,
                         i + portion < b->lattice.n_voxels ? i + portion : b->lattice.n_voxels);
    assert_memory_equal(a->counts.count, b->counts.count,
                        (size_t)a->counts.n_count * sizeof *a->counts.count);
    assert_memory_equal(a->counts.fired, b->counts.fired,
                        (size_t)a->counts.n_fired * sizeof *a->counts.fired);
    assert_memory_equal(a->runs.fault, b->runs.fault,
                        (size_t)a->runs.n_fault * sizeof *a->runs.fault);
    int64_t fired = 0;
    for (int64_t i = 0; i < a->counts.n_fired; i++)
        fired += a->counts.fired[i];
    return fired;
}

static void assert_portions(const char *name, int64_t portion)
{
    struct stage one, many;
    open_stage(&one, name, NULL);
    open_stage(&many, name, NULL);
    const struct rd_world *const a = &one.sim.world;
    react_both(a, &many.sim.world, portion);
    int64_t changed = 0;
    for (int64_t i = 0; i < a->counts.n_count; i++)
        changed += a->counts.count[i] != i % 4;
    assert_in_range(changed, a->counts.n_count / 20, a->counts.n_count / 2);
    stage_close(&one);
    stage_close(&many);
}

static void portions_match_plain_body(void **state)
{
    (void)state;
    static const int64_t portions[] = {1, 7, 64, 65, 1000};
    for (size_t c = 0; c < sizeof models / sizeof *models; c++)
        for (size_t i = 0; i < sizeof portions / sizeof *portions; i++)
            assert_portions(models[c], portions[i]);
}

/* Opens a stage with about two dozen events per voxel, more of them in later voxels: voxels finish
   at very different times. If counts overflow, both bodies stop at the same fault. */
static void open_busy(struct stage *s, bool overflows)
{
    open_stage(s, "cpu/react_busy.cfg", NULL);
    int32_t *const count = s->sim.world.counts.count;
    for (int64_t i = 0; i < s->sim.world.counts.n_count; i++)
        count[i] = (int32_t)(i % 41);
    /* Puts A near the limit in some voxels, and removes B there. */
    for (int64_t i = 0; overflows && i < 600; i += 83) {
        count[i] = INT32_MAX - (int32_t)(i % 2);
        count[600 + i] = 0;
    }
}

static void assert_busy_voxels(bool overflows, int64_t portion)
{
    struct stage one, many;
    open_busy(&one, overflows);
    open_busy(&many, overflows);
    const struct rd_world *const a = &one.sim.world;
    assert_true(react_both(a, &many.sim.world, portion) > 10 * a->lattice.n_voxels);
    assert_int_equal(a->runs.fault[RD_FAULT_OVERFLOW].number > 0, overflows);
    stage_close(&one);
    stage_close(&many);
}

static void voxels_with_many_events(void **state)
{
    (void)state;
    for (int64_t portion = 3; portion <= 600; portion = 3 * portion + 1) {
        assert_busy_voxels(false, portion);
        assert_busy_voxels(true, portion);
    }
}

/* Opens a stage with several expressions, of which the setting changes the last. In the second run
   no event occurs. */
static void open_expressions(struct stage *s, const char *last)
{
    open_stage(s, "cpu/react_expressions.cfg", SETS(last));
    for (int64_t i = 0; i < s->sim.world.counts.n_count; i++)
        s->sim.world.counts.count[i] = (int32_t)(i % 41);
    s->sim.world.runs.frozen[1] = RD_FROZEN_STOPPED;
}

/* Puts molecules of each species into few voxels, and none into many blocks of voxels. The second
   run is stopped. */
static void fill_rare(struct stage *s)
{
    for (int64_t i = 0; i < s->sim.world.counts.n_count; i++)
        s->sim.world.counts.count[i] = (int32_t)(i / 64 % 3 == 0 && i * i % 11 < 5 ? i % 4 : 0);
    s->sim.world.runs.frozen[1] = RD_FROZEN_STOPPED;
}

static void open_rare(struct stage *s, const char *first)
{
    open_stage(s, "cpu/rare_species.cfg", SETS(first));
    fill_rare(s);
}

/* Tests worlds whose reactions are selected block by block: by mass action alone, with an
   expression, and with one that is no number where a reactant is missing. */
static void rare_species_match_plain_body(void **state)
{
    (void)state;
    static const char *const first[] = {"reactions[0].rate=0.8", "reactions[0].rate=0.8 + 0 * S02",
                                        "reactions[0].rate=0.8 / S01"};
    static const int64_t portions[] = {1, 7, 64, 65, 1000};
    for (size_t k = 0; k < sizeof first / sizeof *first; k++)
        for (size_t i = 0; i < sizeof portions / sizeof *portions; i++) {
            struct stage one, many;
            open_rare(&one, first[k]);
            open_rare(&many, first[k]);
            assert_false(rd_busy_suits(&one.sim.world));
            assert_true(react_both(&one.sim.world, &many.sim.world, portions[i]) > 50);
            stage_close(&one);
            stage_close(&many);
        }
}

/* Fills the memory of births as the step before left it. */
static void leave_births(const struct rd_lists *lists)
{
    memset(lists->births, 3, (size_t)lists->n_births * sizeof *lists->births);
    memset(lists->named, 3, (size_t)lists->n_named * sizeof *lists->named);
    memset(lists->touched, 1, (size_t)lists->n_touched * sizeof *lists->touched);
}

/* Tests that voxels without events have no births, whatever they had in the step before. */
static void rare_individuals_match_plain_body(void **state)
{
    (void)state;
    static const int64_t portions[] = {1, 7, 64, 65, 1000};
    for (size_t i = 0; i < sizeof portions / sizeof *portions; i++) {
        struct stage one, many;
        open_stage(&one, "cpu/rare_species.cfg", SETS("species.S03.individuals={ max = 2000; }"));
        open_stage(&many, "cpu/rare_species.cfg", SETS("species.S03.individuals={ max = 2000; }"));
        const struct rd_lists *const a = &one.sim.world.lists, *const b = &many.sim.world.lists;
        fill_rare(&one);
        fill_rare(&many);
        leave_births(a);
        leave_births(b);
        react_both(&one.sim.world, &many.sim.world, portions[i]);
        assert_memory_equal(a->births, b->births, (size_t)a->n_births * sizeof *a->births);
        assert_memory_equal(a->named, b->named, (size_t)a->n_named * sizeof *a->named);
        assert_memory_equal(a->touched, b->touched, (size_t)a->n_touched * sizeof *a->touched);
        stage_close(&one);
        stage_close(&many);
    }
}

static void expressions_match_plain_body(void **state)
{
    (void)state;
    static const char *const last[] = {"reactions[3].propensity=max(A - B, 0)",
                                       "reactions[3].propensity=35 - B",
                                       "reactions[3].propensity=1 / max(A - 2, 0)"};
    for (int i = 0; i < 6; i++) {
        const bool faults = i % 3 > 0;
        struct stage one, many;
        open_expressions(&one, last[i % 3]);
        open_expressions(&many, last[i % 3]);
        const struct rd_world *const a = &one.sim.world;
        assert_true(rd_busy_suits(a));
        assert_true(react_both(a, &many.sim.world, 10 + 97 * i) > 10 * a->lattice.n_voxels / 2);
        assert_int_equal(a->runs.fault[RD_FAULT_PROPENSITY].number > 0, faults);
        for (int64_t k = 300; k < 600; k++)
            assert_int_equal(a->counts.count[k], k % 41);
        stage_close(&one);
        stage_close(&many);
    }
}

/* Tests more events than allowed in some voxels, but not in all; lanes end at every possible
   number. */
static void too_many_events_in_some_voxels_are_a_fault(void **state)
{
    (void)state;
    for (uint32_t most = 1; most < 60; most = 2 * most + 1) {
        struct stage one, many;
        open_expressions(&one, "reactions[3].propensity=max(A - B, 0)");
        open_expressions(&many, "reactions[3].propensity=max(A - B, 0)");
        one.sim.world.reactions.max_events = many.sim.world.reactions.max_events = most;
        react_both(&one.sim.world, &many.sim.world, 170);
        assert_in_range(one.sim.world.runs.fault[RD_FAULT_EVENTS].number, 1, 300);
        stage_close(&one);
        stage_close(&many);
    }
}

/* Opens a stage with a chain of species, each of which becomes the next one or decays. The last
   species counts events of one reaction. */
static void open_chain(struct stage *s, int n_voxels, int n_runs, int n_species)
{
    const size_t size = 4096 + 256 * (size_t)n_species;
    char *const text = malloc(size);
    FILE *const out = fmemopen(text, size, "w");
    fprintf(out,
            "grid = { voxels = (%d); edge = 1; }; time = { end = 1; }; run = { runs = %d; };"
            "species = ( { name = \"Z\"; store = \"grid\"; }",
            n_voxels, n_runs);
    for (int i = 0; i + 1 < n_species; i++)
        fprintf(out, ", { name = \"S%d\"; store = \"grid\"; }", i);
    fprintf(out, " ); reactions = ( { equation = \"0 -> S0\"; rate = 2; }"
                 ", { equation = \"S1 + S2 -> S0 + Z\"; rate = 0.2; }");
    for (int i = 1; i + 1 < n_species; i++)
        fprintf(out,
                ", { equation = \"S%d -> S%d\"; rate = 0.5; }"
                ", { equation = \"S%d -> 0\"; rate = 0.1; }",
                i - 1, i, i);
    fprintf(out, " );");
    fclose(out);
    stage_open_text(s, text, 0.6);
    free(text);
    begin(s);
}

/* Compares the lanes with the plain body for a chain in n_voxels voxels of each run. If overflows
   is set, the count of Z is at its limit in some runs. */
static void assert_chain(int n_voxels, int n_runs, int n_species, bool suits, bool overflows)
{
    struct stage stage[2];
    for (int i = 0; i < 2; i++) {
        open_chain(&stage[i], n_voxels, n_runs, n_species);
        const struct rd_world *const w = &stage[i].sim.world;
        for (int64_t voxel = 0; overflows && voxel < w->lattice.n_voxels; voxel += 17)
            w->counts.count[(n_species - 1) * w->lattice.n_voxels + voxel] = INT32_MAX;
    }
    const struct rd_world *const a = &stage[0].sim.world;
    assert_int_equal(rd_busy_suits(a), suits);
    assert_true(react_both(a, &stage[1].sim.world, 100) > n_species / 2 * a->lattice.n_voxels);
    assert_int_equal(a->runs.fault[RD_FAULT_OVERFLOW].number > 0, overflows);
    for (int i = 0; i < 2; i++)
        stage_close(&stage[i]);
}

/* Tests as many species and reactions as the lanes hold, and more: in lattices, and in runs of one
   voxel, where the number of reactions is the limit. */
static void many_species_and_reactions(void **state)
{
    (void)state;
    assert_chain(200, 1, 20, true, false);
    assert_chain(200, 1, RD_BUSY_SPECIES, true, true);
    assert_chain(200, 1, RD_BUSY_SPECIES + 1, false, false);
    assert_chain(1, 150, 12, true, true);
    assert_chain(1, 150, 70, true, false);
    assert_chain(1, 150, RD_BUSY_MOST / 2 + 1, true, true);
    assert_chain(1, 150, RD_BUSY_MOST / 2 + 2, false, false);
}

/* Tests that a lane with too many events gives the same fault as the plain body. The test moves the
   draws of the lanes close to the last ones. */
static void too_many_events_in_lanes_are_a_fault(void **state)
{
    (void)state;
    struct stage s;
    open_busy(&s, false);
    const struct rd_world *const w = &s.sim.world;
    struct rd_busy busy;
    struct rd_voxel_events one = rd_voxel_events_begin(w);
    assert_true(rd_busy_begin(&busy, w));
    for (int64_t i = 0; i < 2 * RD_BUNCH; i++)
        rd_busy_add(&busy, w, i, &one);
    assert_in_range(busy.n, RD_BUNCH / 2, RD_BUNCH - 1);
    assert_int_equal(w->runs.fault[RD_FAULT_EVENTS].number, 0);
    busy.turn = w->reactions.max_events - 4;
    memset(busy.since, 0, sizeof busy.since);
    rd_busy_end(&busy, w, &one);
    rd_voxel_events_end(&one);
    assert_int_equal(busy.n, 0);
    assert_true(w->runs.fault[RD_FAULT_EVENTS].number > RD_BUNCH / 4);
    stage_close(&s);
}

int test_react_simd(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(portions_match_plain_body),
        cmocka_unit_test(voxels_with_many_events),
        cmocka_unit_test(rare_species_match_plain_body),
        cmocka_unit_test(rare_individuals_match_plain_body),
        cmocka_unit_test(expressions_match_plain_body),
        cmocka_unit_test(too_many_events_in_some_voxels_are_a_fault),
        cmocka_unit_test(many_species_and_reactions),
        cmocka_unit_test(too_many_events_in_lanes_are_a_fault),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
