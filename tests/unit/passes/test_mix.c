/* test_mix - tests of species that are mixed with those of a compartment: blocks of voxels, counts,
   the distribution of the molecules, and faults. */
#include "kernels/passes/reactions/mix.h"

#include "stage.h"

#include <stdlib.h>
#include <string.h>

enum { SITES = 60 * 40, BLOCKS = 3, RUNS = 2 };
enum { M, A, B, C, P, Q, R, SPECIES }; /* in the order of the file */
enum { MIXINGS = 3 };

static int32_t *count(const struct stage *s, int64_t run, int species, int64_t site)
{
    return stage_count(s, run, s->plan.species_at[species], site);
}

static int64_t total(const struct stage *s, int64_t run, int species)
{
    return stage_total(s, run, s->plan.species_at[species]);
}

/* Returns the mixing of this species in voxels. */
static int64_t mixing_of(const struct stage *s, int species)
{
    const struct rd_exchanges *const x = &s->sim.world.exchanges;
    int64_t i = 0;
    while (x->mixing[i].placed != s->plan.species_at[species])
        i++;
    return i;
}

static const struct rd_landing *landing_of(const struct stage *s, int species, int64_t *n)
{
    const struct rd_exchanges *const x = &s->sim.world.exchanges;
    const struct rd_mixing *const m = &x->mixing[mixing_of(s, species)];
    *n = m->n_landing;
    return x->landing + m->landing;
}

/* Places n molecules of each mixed species, one by one, in random voxels of their own, and as many
   in the pool; and some of C. */
static void open_mixing(struct stage *s, const char *name, int64_t n)
{
    struct rd_stream random = stream_of(name, 0);
    stage_open(s, "passes/mix.cfg", NULL, 0.5);
    for (int64_t run = 0; run < RUNS; run++) {
        for (int species = M; species <= B; species++) {
            int64_t voxels;
            const struct rd_landing *const landing = landing_of(s, species, &voxels);
            for (int64_t i = 0; i < n; i++)
                (*count(s, run, species, landing[rd_below(&random, (uint64_t)voxels)].site))++;
            *count(s, run, species + P, RD_MIXED_SITE) = (int32_t)n;
        }
        for (int64_t site = 0; site < SITES; site++)
            *count(s, run, C, site) = (int32_t)rd_below(&random, 5);
    }
}

static void mix(const struct stage *s)
{
    const struct rd_world *const w = &s->sim.world;
    for (int64_t i = 0; i < w->items.n_mixing_blocks; i++)
        rd_mix_count(w, i);
    for (int64_t i = 0; i < w->items.n_mixing; i++)
        rd_mix_share(w, i);
    for (int64_t i = 0; i < w->items.n_mixing_blocks; i++)
        rd_mix_place(w, i);
}

static void each_voxel_is_in_one_block(void **state)
{
    (void)state;
    struct stage s;
    open_mixing(&s, __func__, 0);
    const struct rd_world *const w = &s.sim.world;
    assert_int_equal(rd_mix_blocks(&w->lattice), BLOCKS);
    for (int64_t n = 1; n < 4000; n++)
        assert_int_equal(rd_mix_blocks(&(struct rd_lattice){.n_sites = n}), (n - 1) / 1024 + 1);
    assert_int_equal(w->items.n_mixing_blocks, RUNS * MIXINGS * BLOCKS);
    for (int64_t number = 0; number < w->items.n_mixing_blocks; number++) {
        const struct rd_mix_block b = rd_mix_block_of(w, number);
        const int64_t block = number % BLOCKS, mixing = number / BLOCKS % MIXINGS;
        assert_int_equal(b.run, number / BLOCKS / MIXINGS);
        assert_int_equal(b.item, number % (MIXINGS * BLOCKS));
        assert_ptr_equal(b.mixing, &w->exchanges.mixing[mixing]);
        assert_ptr_equal(b.landing, w->exchanges.landing + b.mixing->landing);
        assert_int_equal(b.begin, block * 1024);
        const int64_t rest = b.mixing->n_landing - b.begin;
        assert_int_equal(b.end - b.begin, rest < 1024 ? rest : 1024);
    }
    stage_close(&s);
}

static void blocks_are_counted(void **state)
{
    (void)state;
    struct stage s;
    open_mixing(&s, __func__, 3000);
    const struct rd_world *const w = &s.sim.world;
    for (int64_t i = 0; i < w->items.n_mixing_blocks; i++)
        rd_mix_count(w, i);
    for (int64_t run = 0; run < RUNS; run++)
        for (int species = M; species <= B; species++) {
            int64_t n;
            const struct rd_landing *const landing = landing_of(&s, species, &n);
            int64_t in_block[BLOCKS] = {0};
            for (int64_t i = 0; i < n; i++)
                in_block[i / 1024] += *count(&s, run, species, landing[i].site);
            const int64_t item = run * MIXINGS + mixing_of(&s, species);
            assert_memory_equal(in_block, w->exchanges.mixed_number + item * BLOCKS,
                                sizeof in_block);
        }
    stage_close(&s);
}

/* Returns the events of the reaction from the pool to the voxels, and back. */
static void fired(const struct stage *s, int64_t run, int species, int64_t events[2])
{
    const struct rd_world *const w = &s->sim.world;
    const struct rd_mixing *const m = &w->exchanges.mixing[mixing_of(s, species)];
    const int64_t *const of = w->counts.fired + run * w->reactions.n_reactions;
    events[0] = of[m->back];
    events[1] = of[m->reaction];
}

/* Checks that molecules are conserved, live where they may, and are counted as events; and that the
   other species is as it was. */
static void assert_mixed(const struct stage *s, const struct stage *before, int64_t run)
{
    for (int species = M; species <= B; species++) {
        int64_t n, events[2], there = 0;
        const struct rd_landing *const landing = landing_of(s, species, &n);
        for (int64_t i = 0; i < n; i++)
            there += *count(s, run, species, landing[i].site);
        assert_int_equal(total(s, run, species), there);
        const int64_t placed = total(before, run, species), mixed = total(before, run, species + P);
        assert_int_equal(there + total(s, run, species + P), placed + mixed);
        assert_int_equal(*count(s, run, species + P, RD_MIXED_SITE), total(s, run, species + P));
        fired(s, run, species, events);
        assert_int_equal(events[0] - events[1], there - placed);
        assert_true(events[0] == 0 || events[1] == 0);
    }
    assert_memory_equal(count(s, run, C, 0), count(before, run, C, 0), SITES * sizeof(int32_t));
}

static void molecules_are_conserved(void **state)
{
    (void)state;
    static const int64_t numbers[] = {0, 1, 7, 900, 5000, 300000};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        struct stage s, before;
        open_mixing(&s, __func__, numbers[i]);
        open_mixing(&before, __func__, numbers[i]);
        mix(&s);
        for (int64_t run = 0; run < RUNS; run++) {
            assert_mixed(&s, &before, run);
            assert_int_equal(total(&s, run, R), 0); /* the rate into the pool is 0 */
        }
        stage_close(&s);
        stage_close(&before);
    }
}

/* Compares the numbers in the pool and in all voxels after many steps with the shares. Numbers are
   drawn one by one for 2000 molecules, and by voxel for 40,000. */
static void assert_shares(const char *name, int64_t number, int steps, int species, double share)
{
    struct stage s;
    int64_t n;
    open_mixing(&s, name, number / 2);
    const struct rd_landing *const landing = landing_of(&s, species, &n);
    int64_t *const seen = calloc((size_t)n + 1, sizeof *seen);
    double *const expected = calloc((size_t)n + 1, sizeof *expected);
    assert_true(seen && expected);
    for (int step = 0; step < steps; step++) {
        s.sim.step_clock.step = (uint32_t)step;
        mix(&s);
        for (int64_t run = 0; run < RUNS; run++) {
            for (int64_t i = 0; i < n; i++)
                seen[i] += *count(&s, run, species, landing[i].site);
            seen[n] += total(&s, run, species + P);
        }
    }
    const double all = (double)(number * RUNS) * steps, measure = landing[n - 1].upto;
    int64_t bins = 0;
    for (int64_t i = 0; i <= n; i++) { /* neighbours are joined until 20 molecules are expected */
        const double part =
            i == n ? share
                   : (1 - share) * (landing[i].upto - (i ? landing[i - 1].upto : 0)) / measure;
        const bool joins = bins > 0 && i < n && expected[bins - 1] < 20;
        bins += !joins;
        expected[bins - 1] = (joins ? expected[bins - 1] : 0) + all * part;
        seen[bins - 1] = (joins ? seen[bins - 1] : 0) + seen[i];
    }
    assert_deviation(name, chi_square_deviate(seen, expected, (int)bins));
    free(seen);
    free(expected);
    stage_close(&s);
}

static void shares_follow_rates_and_measures(void **state)
{
    (void)state;
    assert_shares("one by one, on a surface", 100, 600, M, 0.25);
    assert_shares("by voxel, on a surface", 40000, 40, M, 0.25);
    assert_shares("one by one, in a region", 2000, 60, A, 0.75);
    assert_shares("by voxel, in a region", 40000, 40, A, 0.75);
}

/* Tests that the begin and the end of the interval of each voxel select that voxel. */
static void each_voxel_is_found_by_its_interval(void **state)
{
    (void)state;
    static const struct rd_landing landing[] = {{1, 4}, {1.5, 3}, {2.5, 0}, {4.5, 1}, {9, 2}};
    for (int64_t begin = 0; begin < 5; begin++)
        for (int64_t end = begin + 1; end <= 5; end++) {
            const struct rd_mix_block b = {.landing = landing, .begin = begin, .end = end};
            const double from = begin > 0 ? landing[begin - 1].upto : 0,
                         all = landing[end - 1].upto - from;
            double before = from;
            for (int64_t i = begin; i < end; i++) {
                int32_t n[5] = {0};
                const double after = landing[i].upto;
                rd_mix_put(&b, n, (before - from) / all + 1e-12);
                rd_mix_put(&b, n, (after - from) / all - 1e-12);
                assert_int_equal(n[landing[i].site], 2);
                before = after;
            }
        }
}

/* Tests that runs, steps and mixings have random numbers of their own. */
static void draws_are_independent(void **state)
{
    (void)state;
    struct stage s[2];
    const size_t bytes = SITES * sizeof(int32_t);
    for (int i = 0; i < 2; i++) {
        open_mixing(&s[i], __func__, 5000);
        s[i].sim.step_clock.step = (uint32_t)i;
        mix(&s[i]);
    }
    for (int species = M; species <= A; species++) {
        assert_memory_not_equal(count(&s[0], 0, species, 0), count(&s[0], 1, species, 0), bytes);
        assert_memory_not_equal(count(&s[0], 0, species, 0), count(&s[1], 0, species, 0), bytes);
        assert_int_not_equal(total(&s[0], 0, species), total(&s[0], 1, species));
        assert_int_not_equal(total(&s[0], 0, species), total(&s[1], 0, species));
    }
    s[1].sim.world.lattice.first_run = 1; /* its run 0 is then run 1 */
    s[1].sim.step_clock.step = 0;
    for (int species = M; species < SPECIES; species++)
        memcpy(count(&s[1], 0, species, 0), count(&s[0], 1, species, 0), bytes);
    mix(&s[1]);
    s[0].sim.step_clock.step = 0;
    mix(&s[0]);
    for (int species = M; species < SPECIES; species++)
        assert_memory_equal(count(&s[1], 0, species, 0), count(&s[0], 1, species, 0), bytes);
    for (int i = 0; i < 2; i++)
        stage_close(&s[i]);
}

static void too_many_molecules_are_a_fault(void **state)
{
    (void)state;
    struct stage s;
    int64_t n;
    open_mixing(&s, __func__, 0);
    struct rd_world *const w = &s.sim.world;
    const struct rd_fault *const fault = &w->runs.fault[RD_FAULT_OVERFLOW];
    const int64_t one = landing_of(&s, B, &n)[0].site;
    assert_int_equal(n, 1);
    *count(&s, 1, B, one) = INT32_MAX;
    mix(&s);
    assert_int_equal(fault->number, 0);
    *count(&s, 1, R, RD_MIXED_SITE) = 1;
    mix(&s);
    assert_int_equal(fault->number, 1);
    assert_int_equal(rd_fault_voxel(fault), SITES + one);
    *count(&s, 1, B, one) = *count(&s, 1, R, RD_MIXED_SITE) = 0;
    w->runs.fault[RD_FAULT_OVERFLOW] = (struct rd_fault){.first = INT64_MAX};
    *count(&s, 1, A, landing_of(&s, A, &n)[0].site) = INT32_MAX;
    *count(&s, 1, Q, RD_MIXED_SITE) = INT32_MAX; /* three quarters of both stay in the pool */
    mix(&s);
    assert_int_equal(fault->number, 1);
    assert_int_equal(rd_fault_voxel(fault), SITES + RD_MIXED_SITE);
    assert_int_equal(*count(&s, 1, Q, RD_MIXED_SITE), INT32_MAX);
    stage_close(&s);
}

static void frozen_runs_are_not_mixed(void **state)
{
    (void)state;
    struct stage s, before;
    uint8_t frozen[RUNS] = {RD_FROZEN_STOPPED, RD_FROZEN_NOT};
    open_mixing(&s, __func__, 500);
    open_mixing(&before, __func__, 500);
    struct rd_run_status *const runs = &s.sim.world.runs, own = *runs;
    runs->n_frozen = RUNS;
    runs->frozen = frozen;
    mix(&s);
    *runs = own;
    for (int species = M; species < SPECIES; species++)
        assert_memory_equal(count(&s, 0, species, 0), count(&before, 0, species, 0),
                            SITES * sizeof(int32_t));
    assert_int_not_equal(total(&s, 1, R), total(&before, 1, R));
    stage_close(&s);
    stage_close(&before);
}

int test_mix(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_voxel_is_in_one_block),
        cmocka_unit_test(blocks_are_counted),
        cmocka_unit_test(molecules_are_conserved),
        cmocka_unit_test(shares_follow_rates_and_measures),
        cmocka_unit_test(each_voxel_is_found_by_its_interval),
        cmocka_unit_test(draws_are_independent),
        cmocka_unit_test(too_many_molecules_are_a_fault),
        cmocka_unit_test(frozen_runs_are_not_mixed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
