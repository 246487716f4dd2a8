/* test_record - snapshots: the order of the file, sums over stripes, and what is left out. */
#include "record/record.h"

#include "placed.h"

/* Names and equations are not in canonical order; walls absorb and inject. */
enum { SITES = 300, RUNS = 2, SPECIES = 3, REACTIONS = 2 };
static const int in_file[SPECIES] = {1, 2, 0}; /* of canonical A, B, C */

/* Sets different numbers in the counts and in every stripe of every sum. */
static void fill(const struct stage *s)
{
    const struct rd_world *const w = &s->sim.world;
    for (int64_t i = 0; i < w->counts.n_count; i++)
        w->counts.count[i] = (int32_t)(i * i % 1009);
    for (int64_t i = 0; i < w->counts.n_fired; i++)
        w->counts.fired[i] = i + 1;
    for (int64_t i = 0; i < w->counts.n_lost; i++)
        w->counts.lost[i] = 1000 + i;
    for (int64_t i = 0; i < w->counts.n_entered; i++)
        w->counts.entered[i] = INT64_C(1) << 40 | i;
}

static void take(struct rd_recorder *r, struct stage *s, bool has_counts)
{
    struct rd_error e = {0};
    *r = (struct rd_recorder){0};
    assert_true(rd_recorder_open(r, &s->sim, has_counts ? s->sim.world.lattice.n_runs : 0, &e));
    assert_true(rd_recorder_take(r, &s->sim, 0.25, &e));
    assert_int_equal(r->n_written, 1);
    assert_true(r->snapshot.time == 0.25);
}

static void counts_and_totals_have_the_order_of_the_file(void **state)
{
    (void)state;
    struct stage s;
    struct rd_recorder r;
    stage_open(&s, "run/record.cfg", NULL, 0.1);
    fill(&s);
    take(&r, &s, true);
    for (int run = 0; run < RUNS; run++)
        for (int i = 0; i < SPECIES; i++) {
            const int there = run * SPECIES + in_file[i];
            assert_int_equal(r.snapshot.totals[there], stage_total(&s, run, i));
            for (int site = 0; site < SITES; site++)
                assert_int_equal(r.snapshot.counts[there * SITES + site],
                                 *stage_count(&s, run, i, site));
        }
    rd_recorder_close(&r, &s.sim);
    stage_close(&s);
}

static void sums_include_all_stripes(void **state)
{
    (void)state;
    struct stage s;
    struct rd_recorder r;
    stage_open(&s, "run/record.cfg", NULL, 0.1);
    assert_true(s.sim.world.lattice.n_stripes > 10);
    fill(&s);
    take(&r, &s, false);
    for (int run = 0; run < RUNS; run++) {
        for (int i = 0; i < REACTIONS; i++) {
            int64_t sum = 0;
            for (int stripe = 0; stripe < s.sim.world.lattice.n_stripes; stripe++)
                sum += s.sim.world.counts.fired[(stripe * RUNS + run) * REACTIONS + i];
            assert_int_equal(r.snapshot.fired[run * REACTIONS + (REACTIONS - 1 - i)], sum);
        }
        for (int i = 0; i < SPECIES; i++)
            for (int face = 0; face < RD_N_FACES; face++) {
                const int there = (run * SPECIES + in_file[i]) * RD_N_FACES + face;
                assert_int_equal(r.snapshot.lost[there], stage_lost(&s, run, i, face));
                assert_int_equal(r.snapshot.entered[there], stage_entered(&s, run, i, face));
            }
    }
    rd_recorder_close(&r, &s.sim);
    stage_close(&s);
}

static void absent_data_are_left_out(void **state)
{
    (void)state;
    struct stage s;
    struct rd_recorder r;
    stage_open(&s, "run/one_species.cfg", NULL, 0.1);
    take(&r, &s, false);
    assert_null(r.snapshot.counts);
    assert_null(r.snapshot.entered);
    assert_null(r.snapshot.lost);
    rd_recorder_close(&r, &s.sim);
    rd_recorder_close(&r, &s.sim);
    stage_close(&s);
}

/* Checks that an invalid state is not recorded. */
static void faults_are_not_recorded(void **state)
{
    (void)state;
    struct stage s;
    struct rd_recorder r = {0};
    struct rd_error e = {0};
    stage_open(&s, "run/record.cfg", NULL, 0.1);
    s.sim.world.runs.faults_are_separate = 0; /* a fault ends all runs */
    s.sim.world.runs.fault[RD_FAULT_OVERFLOW] = (struct rd_fault){1, 0};
    assert_true(rd_recorder_open(&r, &s.sim, RUNS, &e));
    assert_false(rd_recorder_take(&r, &s.sim, 0, &e));
    assert_contains(e.text, "more than 2147483647 molecules of 'A'");
    assert_int_equal(r.n_written, 0);
    rd_recorder_close(&r, &s.sim);
    rd_error_free(&e);
    stage_close(&s);
}

/* Checks that with keep = "all" the snapshot holds individuals, and that lineage which is not
   stored does not accumulate. */
static void snapshots_hold_individuals_if_all_is_kept(void **state)
{
    (void)state;
    struct stage s;
    struct rd_recorder r;
    struct rd_error e = {0};
    placed_start(&s, "run/record_individuals.cfg", NULL, 0.1);
    take(&r, &s, true);
    assert_int_equal(r.snapshot.n_individuals, 1);
    assert_int_equal(r.snapshot.individuals[0].n, 4);
    assert_int_equal(s.sim.n_lives, 4);
    assert_true(rd_recorder_live(&r, &s.sim, &e));
    assert_int_equal(s.sim.n_lives, 0);
    rd_recorder_close(&r, &s.sim);
    stage_close(&s);
    placed_start(&s, "run/record_individuals.cfg", SETS("output.keep=totals"), 0.1);
    take(&r, &s, false);
    assert_int_equal(r.snapshot.n_individuals, 0);
    assert_int_equal(r.snapshot.totals[0], 4);
    rd_recorder_close(&r, &s.sim);
    stage_close(&s);
}

int test_record(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_and_totals_have_the_order_of_the_file),
        cmocka_unit_test(sums_include_all_stripes),
        cmocka_unit_test(absent_data_are_left_out),
        cmocka_unit_test(faults_are_not_recorded),
        cmocka_unit_test(snapshots_hold_individuals_if_all_is_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
