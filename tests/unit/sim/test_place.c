/* test_place - molecules placed in voxels at the start and by events: the exact number, only where
   they are allowed, with the right distribution, and what is refused. */
#include "sim/place.h"

#include "model/surface.h"
#include "stage.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PLACE  "sim/place.cfg"
#define VALUES "sim/place_values.cfg"
#define REMOVE "sim/place_removal.cfg"
#define ADD    "sim/place_addition.cfg"
enum { SITES = 20, A = 0, B = 1 }; /* canonical numbers */

/* Counts after placing: [species][run][site]. */
struct placed {
    struct stage s;
    int32_t *count; /* of `counts` */
    struct rd_host_counts counts;
    struct rd_placements placements;
};

static void open_placed(struct placed *p, const char *name, const char *const *sets)
{
    p->placements = (struct rd_placements){0};
    stage_plan(&p->s, name, sets);
    p->count = calloc((size_t)(p->s.plan.world.lattice.n_voxels * p->s.plan.world.counts.n_species),
                      sizeof *p->count);
    assert_non_null(p->count);
    p->counts = rd_host_counts_of(&p->s.plan, p->count);
}

static void close_placed(struct placed *p)
{
    rd_placements_free(&p->placements);
    free(p->count);
    stage_close(&p->s);
}

static void start(struct placed *p, const char *name, const char *const *sets)
{
    struct rd_error e = {0};
    open_placed(p, name, sets);
    if (!rd_place_start(&p->s.plan, p->s.model.value, &p->counts, &p->placements, &e))
        fail_msg("%s", e.text);
}

static const int32_t *counts_of(const struct placed *p, int64_t run, int species)
{
    const struct rd_world *const w = &p->s.plan.world;
    return p->count + species * w->lattice.n_voxels + run * w->lattice.n_sites;
}

static int64_t total(const struct placed *p, int64_t run, int species)
{
    int64_t sum = 0;
    for (int64_t site = 0; site < p->s.plan.world.lattice.n_sites; site++)
        sum += counts_of(p, run, species)[site];
    return sum;
}

static void assert_total(const char *const *sets, int64_t n)
{
    struct placed p;
    start(&p, PLACE, sets);
    for (int64_t run = 0; run < 3; run++) {
        assert_int_equal(total(&p, run, A), n);
        assert_int_equal(total(&p, run, B), 0);
    }
    close_placed(&p);
}

/* Checks that the number is exact: one by one, voxel by voxel for large numbers, and evenly. */
static void counts_are_exact(void **state)
{
    (void)state;
    assert_total(SETS("initial[0].count=0"), 0);
    assert_total(SETS("initial[0].count=79"), 79); /* one less than four per voxel */
    assert_total(SETS("initial[0].count=80"), 80);
    assert_total(SETS("initial[0].count=12345678901L"), INT64_C(12345678901));
    assert_total(SETS("initial[0].count=12345", "initial[0].spread=even"), 12345);
    assert_total(SETS("initial=( { species = \"A\"; count = \"3 * n\"; },"
                      "          { species = \"A\"; count = 4; voxel = (4, 3); } )"),
                 28);
}

static void even_counts_differ_by_at_most_one(void **state)
{
    (void)state;
    struct placed p;
    start(&p, PLACE, SETS("initial[0].count=47", "initial[0].spread=even"));
    int more = 0;
    for (int site = 0; site < SITES; site++) {
        const int32_t n = counts_of(&p, 0, A)[site];
        assert_in_range(n, 2, 3);
        more += n == 3;
    }
    assert_int_equal(more, 7);
    close_placed(&p);
}

/* Checks that a species is placed in its region only, or in a smaller region that an entry
   gives. */
static void molecules_are_placed_in_both_regions(void **state)
{
    (void)state;
    struct placed p;
    start(&p, "sim/place_regions.cfg", NULL);
    for (int site = 0; site < SITES; site++) {
        assert_int_equal(counts_of(&p, 0, B)[site] > 0, site % 5 < 2);
        assert_int_equal(counts_of(&p, 0, A)[site] > 0, site < 5);
    }
    close_placed(&p);
    start(&p, PLACE, SETS("initial[0].species=B", "initial[0].count=500", "initial[0].in=low"));
    assert_int_equal(counts_of(&p, 0, B)[0] + counts_of(&p, 0, B)[1], 500);
    close_placed(&p);
    start(&p, PLACE, SETS("initial[0].count=3", "initial[0].at=(2.5, 1.2)"));
    assert_int_equal(counts_of(&p, 0, A)[2 * 5 + 4], 3);
    close_placed(&p);
}

/* Checks that integer means are exact; others are rounded at random with the right mean, or give
   Poisson numbers. */
static void means_are_rounded_or_poisson(void **state)
{
    (void)state;
    enum { RUNS = 1000, N = RUNS * SITES };
    struct placed p;
    start(&p, PLACE, SETS("initial=( { species = \"A\"; density = 12; } )")); /* 3 per voxel */
    for (int site = 0; site < SITES; site++)
        assert_int_equal(counts_of(&p, 0, A)[site], 3);
    close_placed(&p);
    start(&p, VALUES,
          SETS("initial[0].value=x + 2.05", "run.runs=1000")); /* 2.3, 2.8, 3.3, 3.8, 4.3 */
    double up = 0, expected = 0, variance = 0;
    for (int i = 0; i < N; i++) {
        const double mean = 2.3 + 0.5 * (i % 5), part = mean - floor(mean);
        const int32_t n = p.count[i];
        assert_in_range(n, (int32_t)mean, (int32_t)mean + 1);
        up += n - (int32_t)mean;
        expected += part;
        variance += part * (1 - part);
    }
    assert_deviation("rounding", (up - expected) / sqrt(variance));
    close_placed(&p);
    start(&p, VALUES, SETS("initial[0].value=4.5", "initial[0].spread=poisson", "run.runs=1000"));
    double sum = 0, squares = 0;
    for (int i = 0; i < N; i++) {
        sum += p.count[i] - 4.5;
        squares += (p.count[i] - 4.5) * (p.count[i] - 4.5);
    }
    assert_deviation("mean", sum / sqrt(N * 4.5));
    assert_deviation("variance", (squares / N / 4.5 - 1) * sqrt(N / (2 + 1 / 4.5)));
    close_placed(&p);
}

static void random_places_are_uniform(void **state)
{
    (void)state;
    static const int32_t numbers[] = {60, 6000}; /* one by one; binomial numbers voxel by voxel */
    for (int i = 0; i < 2; i++) {
        char count[64], n_runs[64];
        struct placed p;
        int64_t seen[SITES] = {0};
        double expected[SITES];
        const int runs = 30000 / numbers[i];
        snprintf(count, sizeof count, "initial[0].count=%d", numbers[i]);
        snprintf(n_runs, sizeof n_runs, "run.runs=%d", runs);
        start(&p, PLACE, SETS(count, n_runs));
        for (int site = 0; site < SITES; site++) {
            expected[site] = 30000.0 / SITES;
            for (int run = 0; run < runs; run++)
                seen[site] += counts_of(&p, run, A)[site];
        }
        assert_deviation("uniform", chi_square_deviate(seen, expected, SITES));
        close_placed(&p);
    }
}

/* Checks that molecules on a surface are placed by the area of each voxel's part of it, one by one
   and by binomial numbers. */
static void places_on_a_surface_follow_its_area(void **state)
{
    (void)state;
    enum { SITES_MOST = 144, PLACED = 100000 };
    static const int32_t numbers[] = {50, 5000};
    for (int i = 0; i < 2; i++) {
        char count[64], n_runs[64];
        struct placed p;
        int64_t seen[SITES_MOST] = {0};
        double expected[SITES_MOST] = {0};
        int n = 1; /* bin 0 has the voxels with little of the surface */
        const int runs = PLACED / numbers[i];
        snprintf(count, sizeof count, "initial[0].count=%d", numbers[i]);
        snprintf(n_runs, sizeof n_runs, "run.runs=%d", runs);
        start(&p, "sim/place_surface.cfg", SETS(count, n_runs));
        const double area = rd_surface_area(p.s.model.surface);
        for (int64_t site = 0; site < p.s.plan.world.lattice.n_sites; site++) {
            const double mean =
                PLACED / area * rd_surface_measure(&p.s.model, &p.s.model.species[0], site);
            const int bin = mean < 100.0 ? 0 : n++;
            for (int run = 0; run < runs; run++) {
                assert_true(mean > 0.0 || counts_of(&p, run, A)[site] == 0);
                seen[bin] += counts_of(&p, run, A)[site];
            }
            expected[bin] += mean;
        }
        assert_in_range(n, 20, SITES_MOST);
        assert_deviation("area", chi_square_deviate(seen, expected, n));
        close_placed(&p);
    }
}

/* Checks that entries use different random numbers; otherwise every count would be even. */
static void entries_add_up_and_use_their_own_numbers(void **state)
{
    (void)state;
    struct placed p;
    start(&p, PLACE,
          SETS("initial=( { species = \"A\"; count = 50; }, { species = \"A\"; count = 50; } )"));
    int odd = 0;
    for (int site = 0; site < SITES; site++)
        odd += counts_of(&p, 0, A)[site] % 2;
    assert_int_equal(total(&p, 0, A), 100);
    assert_in_range(odd, 2, SITES);
    close_placed(&p);
}

/* Event 0 at t = 0.5 in step 9, without parameters, and with n = 7. */
/* Returns the first event of the model, at a time and step. */
static struct rd_occasion first_event(const struct rd_model *m, const double *value)
{
    return (struct rd_occasion){.event = m->event, .time = 0.5, .step = 9, .value = value};
}

/* Applies the event of a model to the counts, with parameter n = 7. Returns the messages, or
   NULL. */
static char *apply_event(struct placed *p, const char *name, const char *const *sets)
{
    struct rd_error e = {0};
    start(p, name, sets);
    const struct rd_occasion seven = first_event(&p->s.model, (const double[]){7});
    const bool ok = rd_place_event(&p->s.plan, &seven, &p->counts, &p->placements, &e);
    assert_true(ok == (e.n == 0));
    return e.text;
}

static void events_remove_and_add(void **state)
{
    (void)state;
    struct placed p;
    assert_null(apply_event(&p, "sim/place_events.cfg", NULL));
    for (int64_t run = 0; run < 2; run++) {
        assert_int_equal(total(&p, run, A), 200 - 120 + 5);
        assert_int_equal(total(&p, run, B), 6 * 6);
        assert_int_equal(counts_of(&p, run, B)[0] + counts_of(&p, run, B)[1], 0);
        for (int site = 0; site < SITES; site++)
            assert_true(counts_of(&p, run, A)[site] >= 0);
    }
    assert_memory_not_equal(counts_of(&p, 0, A), counts_of(&p, 1, A), SITES * sizeof(int32_t));
    close_placed(&p);
    assert_null(apply_event(&p, REMOVE, NULL));
    assert_int_equal(total(&p, 0, A), 0); /* removes all molecules */
    close_placed(&p);
}

/* Checks that each molecule is removed with the same probability. */
static void removal_is_uniform(void **state)
{
    (void)state;
    struct placed p;
    assert_null(apply_event(
        &p, REMOVE, SETS("initial[0].value=100 * (1 + 4 * x)", "events[0].remove.count=6000")));
    int64_t seen[SITES];
    double expected[SITES];
    for (int site = 0; site < SITES; site++) {
        const double before = 100 * (2 + 2 * (site % 5)); /* the sum is 12000 */
        seen[site] = (int64_t)before - counts_of(&p, 0, A)[site];
        expected[site] = before / 2;
    }
    const double z = chi_square_deviate(seen, expected, SITES);
    assert_true(z < PROBABILITY_Z_MOST); /* sampling without replacement spreads less */
    close_placed(&p);
}

static void assert_refused(const char *name, const char *const *sets, const char *words)
{
    struct placed p;
    char *const messages = apply_event(&p, name, sets);
    assert_contains(messages, words);
    free(messages);
    close_placed(&p);
}

static void impossible_events_are_refused(void **state)
{
    (void)state;
    assert_refused(
        REMOVE, SETS("events[0].remove.count=201"),
        "201 molecules of 'A' are to be removed at t = 0.5, but there are only 200 in run 0; use "
        "all = true");
    assert_refused(REMOVE, SETS("events[0].remove.count=n / 2"),
                   "the count 'n / 2' to remove is 3.5; give an integer >= 0");
    assert_refused(ADD, SETS("events[0].add.count=n / 2"),
                   "the count 'n / 2' is 3.5; give an integer from 0 to");
    assert_refused(ADD, SETS("events[0].add.count=2147483631 + n", "events[0].add.voxel=(2, 3)"),
                   "one voxel gets 2147483648 molecules of 'A'");
    assert_refused(ADD, SETS("events[0].add.count=5e15 * (n < 8)"),
                   "is 5e+15; give an integer from 0 to 2^52 - 1");
    assert_refused(ADD, SETS("events[0].add={ species = \"A\"; value = \"1 - n * y\"; }"),
                   "'1 - n * y' is -0.75 at (0.25, 0.25); give a number >= 0");
}

static void impossible_starts_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *name, *set, *message;
    } cases[] = {
        {VALUES, "initial[0].value=1 - x",
         "sim/place_values.cfg:12: '1 - x' is -0.25 at (1.25, 0.25)"},
        {VALUES, "initial=( { species = \"A\"; density = \"1 / (x - 0.75)\"; } )",
         "is -2 at (0.25, 0.25"},
        {VALUES, "initial[0].value=1 / abs(x - 0.75)", "is inf at (0.75, 0.25"},
        {VALUES, "initial[0].value=sqrt(0.5 - x)", "at (0.75, 0.25"},
        {VALUES, "initial[0].value=3e9",
         "one voxel gets 3000000000 molecules of 'A'; place at most 2147483647"},
        {VALUES, "initial[0].value=1e300", "molecules of 'A'; place at most 2147483647 there"},
        {PLACE, "initial[0].count=4.5e15", "molecules of 'A'; place at most"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct placed p;
        struct rd_error e = {0};
        open_placed(&p, cases[i].name, SETS(cases[i].set));
        assert_false(rd_place_start(&p.s.plan, p.s.model.value, &p.counts, &p.placements, &e));
        assert_contains(e.text, cases[i].message);
        rd_error_free(&e);
        close_placed(&p);
    }
}

/* Places a model of four blocks of voxels by some threads. Returns whether it succeeds; the caller
   closes it. */
static bool start_blocks(struct placed *p, const char *set, int threads, struct rd_error *e)
{
    open_placed(p, "sim/place_blocks.cfg", SETS(set));
    p->placements.threads = threads;
    return rd_place_start(&p->s.plan, p->s.model.value, &p->counts, &p->placements, e);
}

/* Checks that blocks of 65,536 voxels have different random numbers, that all of their means are
   right, and that any number of threads places the same. */
static void threads_place_blocks(void **state)
{
    (void)state;
    static const char *const values[] = {
        "initial[0].value=2.5",
        "initial=( { species = \"A\"; value = \"2.5 + 0 * x\"; spread = \"poisson\"; } )",
        "initial[0].value=if(x < 250, 1.25, 4.25)"};
    enum { BLOCK = 1 << 16, N = 500 * 400 };
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        struct placed one, three;
        struct rd_error e = {0};
        assert_true(start_blocks(&one, values[i], 1, &e));
        assert_true(start_blocks(&three, values[i], 3, &e));
        const int32_t *const n = counts_of(&one, 0, A);
        assert_memory_equal(n, counts_of(&three, 0, A), N * sizeof *n);
        for (int block = 1; block * BLOCK < N; block++)
            assert_memory_not_equal(n, n + block * BLOCK, 100 * sizeof *n);
        for (int block = 0; block * BLOCK < N; block++) {
            const int end = (block + 1) * BLOCK < N ? (block + 1) * BLOCK : N;
            double sum = 0.0, variance = 0.0;
            for (int k = block * BLOCK; k < end; k++) {
                const double mean = i < 2 ? 2.5 : k % 500 < 250 ? 1.25 : 4.25;
                sum += n[k] - mean;
                variance += mean;
            }
            assert_true(fabs(sum) < 5.0 * sqrt(variance));
        }
        close_placed(&three);
        close_placed(&one);
    }
}

/* Checks that the message names the first voxel without a number, in whichever block it is. */
static void first_voxel_is_refused(void **state)
{
    (void)state;
    for (int threads = 1; threads <= 3; threads++) {
        struct placed p;
        struct rd_error e = {0};
        assert_false(start_blocks(&p, "initial[0].value=300 - y", threads, &e));
        assert_contains(e.text, "'300 - y' is -0.5 at (0.5, 300.5); give a number >= 0 everywhere");
        assert_null(strchr(e.text, '\n'));
        rd_error_free(&e);
        close_placed(&p);
    }
}

/* C has individuals: the list of placements gives their number per voxel, entry by entry, negative
   for removals; A has none. */

static void assert_placement(const struct rd_placement *a, int32_t number, int64_t voxel,
                             const struct rd_amount *by)
{
    assert_int_equal(a->list, 0);
    assert_int_equal(a->number, number);
    assert_int_equal(a->voxel, voxel);
    assert_ptr_equal(a->by, by);
}

static void placements_are_listed_by_entry(void **state)
{
    (void)state;
    struct placed p;
    struct rd_error e = {0};
    start(&p, "sim/placements.cfg", NULL);
    const struct rd_amount *const initial = p.s.model.initial;
    assert_int_equal(p.placements.n, 4);
    for (int run = 0; run < 2; run++) {
        assert_placement(&p.placements.placement[run], 3, 1 + run * SITES, &initial[0]);
        assert_placement(&p.placements.placement[2 + run], 2, 1 + run * SITES, &initial[3]);
    }
    rd_placements_free(&p.placements);
    assert_int_equal(p.placements.n, 0);
    const struct rd_occasion plain = first_event(&p.s.model, NULL);
    assert_true(rd_place_event(&p.s.plan, &plain, &p.counts, &p.placements, &e));
    const struct rd_event *const event = &p.s.model.event[0];
    assert_int_equal(p.placements.n, 4);
    for (int run = 0; run < 2; run++) {
        assert_placement(&p.placements.placement[run], -5, 1 + run * SITES, event->take);
        assert_placement(&p.placements.placement[2 + run], 4, 1 + run * SITES, event->add);
    }
    close_placed(&p);
}

/* Checks max for each run and each species separately; exactly max individuals are allowed. */
static void more_individuals_than_max_are_refused(void **state)
{
    (void)state;
    struct placed p;
    struct rd_error e = {0};
    start(&p, "sim/place_max.cfg", NULL);
    const struct rd_occasion plain = first_event(&p.s.model, NULL);
    assert_false(rd_place_event(&p.s.plan, &plain, &p.counts, &p.placements, &e));
    assert_int_equal(e.n, 2);
    assert_contains(e.text, "sim/place_max.cfg:6: run 0 gets 51 individuals of 'C' at t = 0.5, "
                            "more than max = 50; raise individuals.max");
    assert_contains(e.text, "run 1 gets 51 individuals of 'C' at t = 0.5");
    rd_error_free(&e);
    close_placed(&p);
    open_placed(&p, "sim/place_max.cfg", SETS("initial=( { species = \"C\"; value = 3; } )"));
    assert_false(rd_place_start(&p.s.plan, NULL, &p.counts, &p.placements, &e));
    assert_contains(e.text, "run 0 gets 60 individuals of 'C' at t = 0, more than max = 50");
    rd_error_free(&e);
    close_placed(&p);
}

int test_place(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_are_exact),
        cmocka_unit_test(even_counts_differ_by_at_most_one),
        cmocka_unit_test(molecules_are_placed_in_both_regions),
        cmocka_unit_test(means_are_rounded_or_poisson),
        cmocka_unit_test(random_places_are_uniform),
        cmocka_unit_test(places_on_a_surface_follow_its_area),
        cmocka_unit_test(entries_add_up_and_use_their_own_numbers),
        cmocka_unit_test(events_remove_and_add),
        cmocka_unit_test(removal_is_uniform),
        cmocka_unit_test(impossible_events_are_refused),
        cmocka_unit_test(impossible_starts_are_refused),
        cmocka_unit_test(threads_place_blocks),
        cmocka_unit_test(first_voxel_is_refused),
        cmocka_unit_test(placements_are_listed_by_entry),
        cmocka_unit_test(more_individuals_than_max_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
