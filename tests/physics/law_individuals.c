/* law_individuals - tests that individuals have the means and variances of counted molecules, per
   voxel, per face and in total. It covers movement by displacement distributions and by uniformised
   walks with own rates, walls of every kind, regions, and reactions of first and second order. One
   launch computes all runs of a test. A stated resolution is 5 standard errors in the first variant
   of a test. */
#include "chain.h"
#include "walkers.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

/* Describes individuals that move with own rates, whose attributes are all 1. */
struct moving {
    const char *model;
    const char *const *as_counted; /* settings that let them move by the displacement distributions
                                      of counted species instead */
    const struct walkers *walkers;
    const char *step[2];
    int runs;
};

/* Tests both kinds of movement, each with both steps. */
static void test_movement(const char *test, const struct moving *l)
{
    struct verdict v = {0};
    for (int i = 0; i < 4; i++) {
        char name[96];
        snprintf(name, sizeof name, "%s %s", test, i < 2 ? "as counted" : "by own rates");
        walkers_compare(l->walkers,
                        &(struct trial){name, l->model, .sets = i < 2 ? l->as_counted : NULL,
                                        .step = l->step[i % 2], .runs = l->runs},
                        &v);
    }
    verdict_check(&v);
}

/* Tests reflecting walls with different parameters along three axes. 100,000 individuals resolve 15
   % of a voxel's mean. */
static void law_individuals_between_walls(void **state)
{
    (void)state;
    struct theory_walk w = {.size = {5, 7, 3}};
    theory_set_rates(&w, 0, 0.4, 0.5, 0.5);
    theory_set_rates(&w, 1, 1.0, -0.9, 0.8);
    theory_set_rates(&w, 2, 0.7, 0.2, 1.3);
    test_movement(
        __func__,
        &(struct moving){.model = "physics/individuals_between_walls.cfg",
                         .as_counted = SETS("species.W.diffusion=(0.4, 1.0, 0.7)",
                                            "species.W.individuals={ max = 1000; }"),
                         .walkers = &(struct walkers){.walk = &w, .n = 1000, .site = 4 * 5 + 1},
                         .step = {"1", "0.1"},
                         .runs = 100});
}

/* Tests absorbing and partial walls, reached along two axes in one step, together with periodic
   ones. It includes the sums of the faces. 120,000 individuals resolve 3 % of what a face
   absorbs. */
static void law_individuals_between_absorbing_walls(void **state)
{
    (void)state;
    struct theory_walk w = {.size = {4, 3, 3}, .pass = {0.3, 1, 0.6, 0, -1, -1}};
    theory_set_rates(&w, 0, 0.5, -0.3, 0.7);
    theory_set_rates(&w, 1, 1.5, 0.4, 1.2);
    theory_set_rates(&w, 2, 0.6, 0.9, 1.0);
    test_movement(
        __func__,
        &(struct moving){.model = "physics/individuals_absorbed.cfg",
                         .as_counted = SETS("species.W.diffusion=(0.5, 1.5, 0.6)",
                                            "species.W.individuals={ max = 400; }"),
                         .walkers = &(struct walkers){.walk = &w, .n = 400, .site = 2 * 12 + 1},
                         .step = {"4", "0.1"},
                         .runs = 300});
}

/* Tests a high Peclet number, |v| h > 2 D, along x, and small periodic axes along y. 90,000
   individuals resolve 6 % of a voxel's mean. */
static void law_individuals_in_rings(void **state)
{
    (void)state;
    struct theory_walk w = {.size = {7, 3, 1}, .pass = {-1, -1, -1, -1}};
    theory_set_rates(&w, 0, 0.1, 1.5, 1.0);
    theory_set_rates(&w, 1, 0.8, -0.2, 1.0);
    test_movement(__func__,
                  &(struct moving){.model = "physics/individuals_in_rings.cfg",
                                   .as_counted = SETS("species.W.diffusion=(0.1, 0.8)",
                                                      "species.W.drift=(1.5, -0.2)",
                                                      "species.W.individuals={ max = 300; }"),
                                   .walkers = &(struct walkers){.walk = &w, .n = 300, .site = 13},
                                   .step = {"3", "0.1"},
                                   .runs = 300});
}

enum { BALL = 6 * 5 * 4 };

/* Tests a ball cut by a wall with absorption probability .4; both kinds of movement go hop by hop.
   60,000 individuals resolve 10 % of a voxel's mean. */
static void law_individuals_in_a_ball(void **state)
{
    (void)state;
    bool home[BALL];
    for (int i = 0; i < BALL; i++) {
        const double x = (i % 6 + 0.5) * 0.7, y = i / 6 % 5 + 0.5, z = (i / 30 + 0.5) * 0.8;
        home[i] = pow(x - 2.1, 2) + pow(y - 2.4, 2) + pow(z - 0.9, 2) <= 2.25;
    }
    struct theory_walk w = {.size = {6, 5, 4}, .pass = {0, 1, 0, 0, 0.4, 0}, .is_home = home};
    theory_set_rates(&w, 0, 1, 0.4, 0.7);
    theory_set_rates(&w, 1, 0.5, 0, 1);
    theory_set_rates(&w, 2, 0.8, -0.3, 0.8);
    test_movement(
        __func__,
        &(struct moving){
            .model = "physics/individuals_in_a_ball.cfg",
            .as_counted =
                SETS("species.W.diffusion=(1, 0.5, 0.8)", "species.W.individuals={ max = 400; }"),
            .walkers = &(struct walkers){.walk = &w, .n = 400, .site = 1 * 30 + 2 * 6 + 3},
            .step = {"5", "0.2"},
            .runs = 150});
}

/* Tests birth in two voxels, death and diffusion: the counts are independent Poisson numbers. 600
   runs resolve 10 % of a voxel's mean, and a correlation of .02 between two voxels. */
static void law_individuals_from_a_source(void **state)
{
    (void)state;
    double source[20] = {0};
    source[5] = source[6] = 3;
    struct theory_walk w = {.size = {5, 4, 1}, .decay = 0.8, .source = source};
    theory_set_rates(&w, 0, 0.4, 0, 1);
    theory_set_rates(&w, 1, 0.2, 0.1, 1);
    test_movement(__func__,
                  &(struct moving){.model = "physics/individuals_from_a_source.cfg",
                                   .as_counted = SETS("species.W.diffusion=(0.4, 0.2)",
                                                      "species.W.drift=(0, 0.1)",
                                                      "species.W.individuals={ max = 200; }"),
                                   .walkers = &(struct walkers){.walk = &w},
                                   .step = {"0.02", "0.05"},
                                   .runs = 600});
}

/* Removes all individuals at t = .5; others are born from t = 1 on in two voxels and die. Their
   counts are Poisson numbers. 1000 runs resolve 20 % of a voxel's mean. Detects: no movement after
   a list was empty. */
static void law_individuals_after_removal(void **state)
{
    (void)state;
    double source[9] = {0};
    source[2] = source[3] = 2;
    struct theory_walk w = {.size = {9, 1, 1}, .decay = 0.5, .source = source};
    theory_set_rates(&w, 0, 0.5, 0.3, 1);
    test_movement(__func__,
                  &(struct moving){.model = "physics/individuals_again.cfg",
                                   .as_counted = SETS("species.W.diffusion=(0.5, 0)",
                                                      "species.W.drift=(0.3, 0)",
                                                      "species.W.individuals={ max = 400; }"),
                                   .walkers = &(struct walkers){.walk = &w, .from = 1},
                                   .step = {"0.02", "0.05"},
                                   .runs = 1000});
}

/* Tests the AB reaction of law_wellmixed (2 A -> 0, A + B -> 0, 0 -> A, 0 -> B) in each voxel of a
   line, while an inert species hops, with A, B or both as individuals. 5000 voxels resolve .23 in
   mean A and .45 in mean B. Detects: one individual drawn twice for a pair. */
static void law_individuals_react_in_pairs(void **state)
{
    (void)state;
    static const char a[] = "species.A.individuals={ max = 4000; }";
    static const char b[] = "species.B.individuals={ max = 6000; }";
    const char *const *const sets[] = {SETS(a), SETS(b), SETS(a, b)};
    const struct chain c = chain_ab(0);
    struct verdict v = {0};
    for (int i = 0; i < 3; i++) {
        char name[96];
        snprintf(name, sizeof name, "%s %d", __func__, i);
        chain_compare_from(&c, (const int[CHAIN_SPECIES]){10, 12},
                           &(struct trial){name, "physics/ab_line.cfg", .sets = sets[i],
                                           .step = "1.3", .runs = 50},
                           &v);
    }
    verdict_check(&v);
}

/* Tests two types that divide, convert into each other and die while they move. The totals follow
   the well-mixed chain at any step, for any choice of individuals and either kind of movement. 1500
   runs resolve 7 % of the mean totals. */
static void law_individuals_totals(void **state)
{
    (void)state;
    static const char a[] = "species.A.individuals={ max = 200; }";
    static const char b[] = "species.B.individuals={ max = 200; }";
    const struct trial trials[] = {
        {.model = "physics/linear_network.cfg", .sets = SETS(a, b), .step = "auto"},
        {.model = "physics/linear_network.cfg", .sets = SETS(b), .step = "1"},
        {.model = "physics/linear_network_own_rates.cfg", .step = "0.3"}};
    const struct chain c = chain_linear();
    struct verdict v = {0};
    for (int i = 0; i < 3; i++) {
        char name[96];
        struct trial t = trials[i];
        snprintf(name, sizeof name, "%s %d", __func__, i);
        t.test = name;
        t.runs = 1500;
        chain_compare_from(&c, (const int[CHAIN_SPECIES]){20}, &t, &v);
    }
    verdict_check(&v);
}

/* Tests A + B <-> C in equilibrium with individuals only: detailed balance, as in law_lattice. 1000
   runs resolve .31 in the mean of C. */
static void law_individuals_in_equilibrium(void **state)
{
    (void)state;
    const char *const *const sets =
        SETS("species.A.individuals={ max = 30; }", "species.B.individuals={ max = 20; }",
             "species.C.individuals={ max = 20; }", "time.end=20", "output.times=(20)");
    static const char *const step[] = {"0.1", "1"};
    struct verdict v = {0};
    for (int i = 0; i < 2; i++)
        chain_compare_binding(&(struct trial){__func__, "physics/binding.cfg", .sets = sets,
                                              .step = step[i], .runs = 1000},
                              &v);
    verdict_check(&v);
}

static void look_pairs(void *to, const struct rd_model *m, const struct rd_snapshot *s)
{
    struct lab_sums *const left = to;
    for (int64_t run = 0; run < m->n_runs; run++) {
        assert_int_equal(s->totals[2 * run], s->totals[2 * run + 1]);
        lab_add(left, (double)s->totals[2 * run]);
    }
}

/* Tests 1024 A and 1024 B in 32^2 voxels, h = D = 1, A + B -> 0 until t = 5: 321 of each are left
   at k = .5, 687 at k = .1 (each accurate to a molecule). Species that share random numbers never
   separate and leave 133 and 499. 60 runs resolve about 1 + 6. */
static void law_individuals_pairs_separate(void **state)
{
    (void)state;
    static const char *const rate[] = {"0.5", "0.1"};
    const double published[] = {321, 687};
    for (int i = 0; i < 4; i++) {
        char name[96], set[64];
        snprintf(name, sizeof name, "%s %s %d", __func__, rate[i % 2], i / 2);
        snprintf(set, sizeof set, "reactions[0].rate=%s", rate[i % 2]);
        struct lab_sums left = {.mean = published[i % 2]};
        trial_run(
            &(struct trial){name, "physics/pairs.cfg",
                            .sets = SETS(set, "species.A.individuals={ max = 1024; }",
                                         i < 2 ? "species.B.individuals={ max = 1024; }" : NULL),
                            .step = "auto", .runs = 60},
            look_pairs, &left);
        const double error = sqrt(left.squares) / left.n, away = left.sum / left.n;
        print_message("             %.1f +- %.1f left\n", left.mean + away, error);
        assert_true(fabs(away) < 1 + 5 * error);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(law_individuals_between_walls),
        cmocka_unit_test(law_individuals_between_absorbing_walls),
        cmocka_unit_test(law_individuals_in_rings),
        cmocka_unit_test(law_individuals_in_a_ball),
        cmocka_unit_test(law_individuals_from_a_source),
        cmocka_unit_test(law_individuals_after_removal),
        cmocka_unit_test(law_individuals_react_in_pairs),
        cmocka_unit_test(law_individuals_totals),
        cmocka_unit_test(law_individuals_in_equilibrium),
        cmocka_unit_test(law_individuals_pairs_separate),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
