/* test_place_individuals - individuals placed and removed at the start and by events: ids,
   attributes, which are removed, and that nothing changes if they do not fit. */
#include "placed.h"
#include "sim/verify.h"

#include <stdlib.h>
#include <string.h>

/* In all models A is list 0 and C is list 1; B is counted. */
enum { SITES = 12 };
#define CHOICE "sim/choice.cfg"
#define EVENT  "sim/above_max.cfg"

static void assert_verified(struct stage *s)
{
    struct rd_error e = {0};
    if (!rd_verify(&s->sim, &e))
        fail_msg("%s", e.text);
}

/* Checks that each run numbers its individuals: first all of A, voxel by voxel, then all of C. */
static void ids_follow_lists_and_voxels(void **state)
{
    (void)state;
    struct stage s;
    placed_start(&s, "sim/ids.cfg", NULL, 1);
    assert_verified(&s);
    assert_int_equal(placed_live(&s, 0), 75);
    assert_int_equal(placed_live(&s, 1), 27);
    for (int64_t i = 0; i < 75; i++) {
        const struct placed_one one = placed_one(&s, 0, i);
        assert_int_equal(one.voxel / SITES, i / 25);
        assert_int_equal(one.id, i % 25);
        assert_true(one.parent == -1 && one.born == 0);
    }
    for (int64_t i = 0; i < 27; i++)
        assert_int_equal(placed_one(&s, 1, i).id, 25 + i % 9);
    stage_close(&s);
}

/* Checks that entries keep their order in a voxel, each with its own rules: two entries in one
   voxel, and one that covers all voxels. */
static void entries_of_a_voxel_keep_their_order(void **state)
{
    (void)state;
    static const double tags[] = {3, 3, 7, 5};
    struct stage s;
    placed_start(&s, "sim/order_of_entries.cfg", NULL, 1);
    assert_int_equal(placed_live(&s, 0), SITES + 3);
    for (int64_t i = 0; i < SITES + 3; i++) {
        const bool is_shared = i >= 9 && i < 13;
        const double tag = is_shared ? tags[i - 9] : 7;
        assert_int_equal(placed_one(&s, 0, i).voxel, i < 9 ? i : is_shared ? 9 : i - 3);
        assert_true(placed_trait(&s, 0, i, 0) == tag);
        assert_true(placed_trait(&s, 0, i, 1) == (tag == 5 ? 0 : 2 * tag));
    }
    stage_close(&s);
}

/* Checks that rules read the centre of the voxel, the time, the parameters, and the counts after
   placing. */
static void rules_use_position_time_and_counts(void **state)
{
    (void)state;
    struct stage s;
    placed_start(&s, "sim/initial_attributes.cfg", NULL, 1);
    for (int64_t i = 0; i < 2; i++) {
        assert_true(placed_trait(&s, 0, i, 0) == 1.75 + 7.5);
        assert_true(placed_trait(&s, 0, i, 1) == 42.5);
    }
    assert_null(placed_event(&s, 0, 2));
    assert_verified(&s);
    const struct placed_one added = placed_one(&s, 0, 0); /* it precedes the existing ones */
    assert_true(added.id == 2 && added.born == 2 && added.parent == -1);
    assert_true(placed_trait(&s, 0, 0, 0) == 209.25);
    assert_true(placed_trait(&s, 0, 0, 1) == 43.5);
    stage_close(&s);
}

/* Checks that each individual draws its own numbers, different in each run; there are so many that
   they are placed in portions. */
static void attributes_are_drawn_one_by_one(void **state)
{
    (void)state;
    enum { RUNS = 1000, N = 30 * RUNS, BINS = 50 };
    struct stage s;
    int64_t seen[BINS] = {0}, pairs[BINS] = {0};
    double expected[BINS];
    placed_start(&s, "sim/random_attributes.cfg", NULL, 1);
    assert_verified(&s);
    for (int i = 0; i < BINS; i++)
        expected[i] = (double)N / BINS;
    for (int64_t i = 0; i < N; i++) {
        assert_int_equal(placed_one(&s, 0, i).id, i % 30);
        const double u = placed_trait(&s, 0, i, 0), v = placed_trait(&s, 0, i, 1);
        const double next = placed_trait(&s, 0, (i + 1) % N, 0);
        const double other = placed_trait(&s, 0, (i + 30) % N, 0);
        seen[(int)(u * BINS)]++;
        pairs[(int)((u + v + next + other - floor(u + v + next + other)) * BINS)]++;
        assert_true(u != v && u != next && u != other);
    }
    assert_deviation("separate", chi_square_deviate(seen, expected, BINS));
    assert_deviation("together", chi_square_deviate(pairs, expected, BINS));
    stage_close(&s);
}

enum { HERE = 5, RUNS = 4000 };

/* Finds which of the five individuals of a list remain in each run; the ids are 0 to 4 in A and 5
   to 9 in C. */
static void left_of(const struct stage *s, int list, unsigned left[RUNS])
{
    memset(left, 0, RUNS * sizeof *left);
    for (int64_t i = 0; i < placed_live(s, list); i++) {
        const struct placed_one one = placed_one(s, list, i);
        left[one.voxel / SITES] |= 1u << (one.id - list * HERE);
    }
}

/* Fails unless two individuals are gone in every run, each pair of the five equally often. */
static void assert_pairs_uniform(const char *what, const unsigned left[RUNS])
{
    int64_t seen[10] = {0};
    double expected[10];
    for (int run = 0; run < RUNS; run++) {
        const unsigned gone = 31 & ~left[run];
        int pair = -1, n = 0;
        for (int i = 0; i < HERE; i++)
            for (int k = i + 1; k < HERE; k++, n++)
                if (gone == (1u << i | 1u << k))
                    pair = n;
        assert_in_range(pair, 0, 9);
        seen[pair]++;
    }
    for (int i = 0; i < 10; i++)
        expected[i] = RUNS / 10.0;
    assert_deviation(what, chi_square_deviate(seen, expected, 10));
}

/* Checks removal by one entry, by two entries of an event, and by two events: no word of a random
   stream is used twice. */
static void choices_are_uniform(void **state)
{
    (void)state;
    static const struct {
        const char *what, *set;
        int n;
    } cases[] = {{"one entry", NULL, 1},
                 {"two entries",
                  "events[0].remove=( { species = \"A\"; count = 1; }, { species = \"A\"; count = "
                  "1; in = \"all\"; } )",
                  1},
                 {"two events",
                  "events=( { time = 1; remove = { species = \"A\"; count = 1; }; }, { time = 1; "
                  "remove = { species = \"A\"; count = 1; }; } )",
                  2}};
    unsigned left[RUNS];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct stage s;
        placed_start(&s, CHOICE, SETS(cases[i].set), 1);
        for (int k = 0; k < cases[i].n; k++)
            assert_null(placed_event(&s, k, 1));
        assert_verified(&s);
        left_of(&s, 0, left);
        assert_pairs_uniform(cases[i].what, left);
        stage_close(&s);
    }
}

/* Checks that the choices of two species in the same voxel are independent. */
static void choices_of_species_are_independent(void **state)
{
    (void)state;
    unsigned left[2][RUNS];
    struct stage s;
    int64_t seen[HERE * HERE] = {0};
    double expected[HERE * HERE];
    placed_start(&s, CHOICE,
                 SETS("events[0].remove=( { species = \"A\"; count = 1; }, { species = \"C\"; "
                      "count = 1; } )"),
                 1);
    assert_null(placed_event(&s, 0, 1));
    for (int list = 0; list < 2; list++)
        left_of(&s, list, left[list]);
    for (int run = 0; run < RUNS; run++)
        for (int i = 0; i < HERE * HERE; i++)
            seen[i] += !(left[0][run] >> i / HERE & 1) && !(left[1][run] >> i % HERE & 1);
    for (int i = 0; i < HERE * HERE; i++)
        expected[i] = (double)RUNS / (HERE * HERE);
    assert_deviation("pairs of A and C", chi_square_deviate(seen, expected, HERE * HERE));
    stage_close(&s);
}

/* Finds the ids of A that remain after 9 of 24 are removed in the run at index RUN of the
   ensemble. */
static void find_left(const char *const *sets, int run, int64_t left[15])
{
    struct stage s;
    int64_t n = 0;
    placed_start(&s, "sim/removal.cfg", sets, 1);
    s.plan.world.pass.seed = s.sim.world.pass.seed = seed_of("find_left");
    assert_null(placed_event(&s, 0, 1));
    for (int64_t i = 0; i < placed_live(&s, 0); i++)
        if (placed_one(&s, 0, i).voxel / SITES == run)
            left[n++] = placed_one(&s, 0, i).id;
    assert_int_equal(n, 15);
    stage_close(&s);
}

static void runs_are_independent(void **state)
{
    (void)state;
    int64_t among[15], separate[15], other[15];
    find_left(SETS("run.runs=3"), 2, among);
    find_left(SETS("run.runs=3"), 1, other);
    find_left(SETS("run.first=2"), 0, separate);
    assert_memory_equal(among, separate, sizeof among);
    assert_memory_not_equal(among, other, sizeof among);
}

/* Checks that converted individuals keep their ids and get the attributes of their new species;
   there are so many that they are placed in portions. */
static void converted_individuals_get_attributes(void **state)
{
    (void)state;
    struct stage s;
    placed_start(&s, CHOICE,
                 SETS("events=( { time = 1; convert = { equation = \"C -> A\"; all = true; }; } )"),
                 1);
    assert_null(placed_event(&s, 0, 1));
    assert_verified(&s);
    assert_int_equal(placed_live(&s, 0), 2 * HERE * RUNS);
    assert_int_equal(placed_live(&s, 1), 0);
    for (int64_t i = 0, converted = 0; i < 2 * HERE * RUNS; i++) {
        const struct placed_one one = placed_one(&s, 0, i);
        converted += one.id >= HERE;
        assert_true(one.parent == -1 && one.born == 0);
        assert_true(placed_trait(&s, 0, i, 0) == 7 && placed_trait(&s, 0, i, 1) == 14);
        assert_true(i + 1 < 2 * HERE * RUNS || converted == HERE * RUNS);
    }
    stage_close(&s);
}

/* Checks the order of lineage rows: removals entry by entry, then additions list by list. */
static void lineage_is_in_order(void **state)
{
    (void)state;
    struct stage s;
    placed_start(&s, "sim/order_of_lineage.cfg", NULL, 1);
    assert_null(placed_event(&s, 0, 2));
    assert_verified(&s);
    static const struct rd_life lives[] = {
        {0, 0, 0, 0, 11, 0, -1, 2, true}, {0, 0, 0, 0, 0, 1, -1, 0, true},
        {2, 0, 0, 0, 0, 1, -1, 0, false}, {2, 0, 0, 0, 11, 0, -1, 2, false},
        {2, 0, 0, 0, 2, 2, -1, 2, true},  {2, 0, 0, 0, 1, 3, -1, 0, true},
        {2, 0, 0, 0, 1, 4, -1, 0, true}};
    assert_int_equal(s.sim.n_lives, 7);
    for (int i = 0; i < 7; i++) {
        const struct rd_life *const a = &s.sim.life[i], *const b = &lives[i];
        assert_true(a->time == b->time);
        assert_int_equal(a->site, b->site);
        assert_int_equal(a->id, b->id);
        assert_int_equal(a->parent, b->parent);
        assert_int_equal(a->species, b->species);
        assert_int_equal(a->is_birth, b->is_birth);
        assert_int_equal(a->order_key, rd_first_order_key(s.sim.step_clock.step));
        assert_true(i == 0 || a->part > a[-1].part || (i == 6 && a->part == a[-1].part));
    }
    stage_close(&s);
}

/* Checks that max applies after removal: a full list takes as many as leave it. */
static void max_applies_after_removal(void **state)
{
    (void)state;
    struct stage s;
    placed_start(&s, "sim/max_after_removal.cfg", NULL, 1);
    assert_null(placed_event(&s, 0, 1));
    assert_verified(&s);
    assert_int_equal(placed_live(&s, 0), 30);
    for (int64_t i = 0; i < 12; i++)
        assert_int_equal(placed_one(&s, 0, i).id, 30 + i);
    stage_close(&s);
}

/* Checks the message of the start or the event, and that the state is unchanged. */
static void assert_refused(const char *name, const char *const *sets, bool is_event,
                           const char *words)
{
    struct stage s;
    char *messages = placed_open(&s, name, sets, 1);
    const int64_t live = placed_live(&s, 0), lives = s.sim.n_lives;
    if (is_event) {
        assert_null(messages);
        messages = placed_event(&s, 0, 2);
    }
    assert_contains(messages, words);
    assert_int_equal(live, is_event ? 25 : 0);
    assert_int_equal(placed_live(&s, 0), live);
    assert_int_equal(s.sim.n_lives, lives);
    assert_int_equal(s.sim.world.lists.id_base[2], is_event ? 25 : 0);
    assert_verified(&s);
    free(messages);
    stage_close(&s);
}

static void individuals_above_max_change_nothing(void **state)
{
    (void)state;
    assert_refused("sim/three_in_a_voxel.cfg", NULL, false,
                   "sim/three_in_a_voxel.cfg:8: run 0 gets 36 individuals of 'A' at t = 0, more "
                   "than max = 30; raise individuals.max");
    assert_refused("sim/three_in_a_voxel.cfg", SETS("initial[0].value=2e9"), false,
                   "gets 24000000000 individuals of 'A' at t = 0, more than max = 30");
    assert_refused(EVENT, NULL, true,
                   "sim/above_max.cfg:8: run 0 gets 31 individuals of 'A' at t = 2");
}

static void invalid_attributes_change_nothing(void **state)
{
    (void)state;
    assert_refused("sim/invalid_attribute.cfg", NULL, false,
                   "sim/invalid_attribute.cfg:11: attribute 'u' of 'A' begins as inf at (0.75, "
                   "0.25) in run 0; give a finite number");
    assert_refused("sim/invalid_attribute.cfg",
                   SETS("species.A.individuals.attributes.u.kind=integer",
                        "species.A.individuals.attributes.u.initial=2 * x"),
                   false,
                   "attribute 'u' of 'A' begins as 0.5 at (0.25, 0.25) in run 0; give an integer "
                   "(floor() makes one)");
    assert_refused(
        EVENT,
        SETS("events=( { time = 2; remove = { species = \"A\"; count = 5; }; add = { species = "
             "\"A\"; count = 3; attributes = { twice = \"log(1 - t)\"; }; }; } )"),
        true, "attribute 'twice' of 'A' begins as ");
}

int test_place_individuals(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ids_follow_lists_and_voxels),
        cmocka_unit_test(entries_of_a_voxel_keep_their_order),
        cmocka_unit_test(rules_use_position_time_and_counts),
        cmocka_unit_test(attributes_are_drawn_one_by_one),
        cmocka_unit_test(choices_are_uniform),
        cmocka_unit_test(choices_of_species_are_independent),
        cmocka_unit_test(runs_are_independent),
        cmocka_unit_test(converted_individuals_get_attributes),
        cmocka_unit_test(lineage_is_in_order),
        cmocka_unit_test(max_applies_after_removal),
        cmocka_unit_test(individuals_above_max_change_nothing),
        cmocka_unit_test(invalid_attributes_change_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
