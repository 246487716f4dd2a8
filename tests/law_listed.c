/* law_listed - tests that individuals have the means and variances of counted molecules, per voxel,
   per face and in total. It covers movement by displacement distributions and by uniformised walks
   with own rates, walls of every kind, regions, and reactions of first and second order. One launch
   computes all runs of a test. A stated resolution is 5 standard errors in the first variant of a
   test. */
#include "chain.h"
#include "walkers.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

/* Describes how individuals move: by the displacement distributions of bulk species, or with own
   rates whose attributes are all 1. */
struct motion {
    const char *name, *factor, *attributes;
};
static const struct motion motions[] = {
    {"rows", "", ""}, {"own", " * one", "attributes = ( { name = \"one\"; initial = 1.0; } );"}};

/* Describes individuals to test with each kind of movement and at each step. grid has the text of
   grid and regions, rest the initial state. species is the format of the species W: a %s after each
   of three expressions, and one for its attributes. */
struct listed {
    const char *grid, *species, *rest;
    const struct crowd *crowd;
    const char *step[2];
    int runs;
};

static void listed_obey(const char *test, const struct listed *l)
{
    struct verdict v = {0};
    for (int i = 0; i < 4; i++) {
        char text[2048], species[768], how[96];
        const struct motion *const by = &motions[i / 2];
        snprintf(species, sizeof species, l->species, by->factor, by->factor, by->factor,
                 by->attributes);
        snprintf(text, sizeof text, "%s species = ( { name = \"W\"; %s } ); %s", l->grid, species,
                 l->rest);
        snprintf(how, sizeof how, "%s %s", test, by->name);
        crowd_judge(l->crowd, &(struct trial){how, text, l->step[i % 2], l->runs}, &v);
    }
    verdict_give(&v);
}

/* Tests reflecting walls with different parameters along three axes. 100,000 individuals resolve 15
   % of a voxel's mean. */
static void law_listed_between_walls(void **state)
{
    (void)state;
    struct theory_walk w = {.size = {5, 7, 3}};
    theory_set_rates(&w, 0, 0.4, 0.5, 0.5);
    theory_set_rates(&w, 1, 1.0, -0.9, 0.8);
    theory_set_rates(&w, 2, 0.7, 0.2, 1.3);
    listed_obey(__func__,
                &(struct listed){
                    .grid = "grid = { voxels = (5, 7, 3); edge = (0.5, 0.8, 1.3); };",
                    .species =
                        "diffusion = (\"0.4%s\", \"1.0%s\", \"0.7%s\"); drift = (0.5, -0.9, 0.2);"
                        "individuals = { max = 1000; %s };",
                    .rest = "initial = ( { species = \"W\"; count = 1000; voxel = (1, 4, 0); } );"
                            "output = { times = (0.2, 1.0); }; time = { end = 1.0; };",
                    .crowd = &(struct crowd){.walk = &w, .n = 1000, .site = 4 * 5 + 1},
                    .step = {"1", "0.1"},
                    .runs = 100});
}

/* Tests absorbing and partial walls, reached along two axes in one step, together with periodic
   ones. It includes the sums of the faces. 120,000 individuals resolve 3 % of what a face
   absorbs. */
static void law_listed_and_absorbed(void **state)
{
    (void)state;
    struct theory_walk w = {.size = {4, 3, 3}, .pass = {0.3, 1, 0.6, 0, -1, -1}};
    theory_set_rates(&w, 0, 0.5, -0.3, 0.7);
    theory_set_rates(&w, 1, 1.5, 0.4, 1.2);
    theory_set_rates(&w, 2, 0.6, 0.9, 1.0);
    listed_obey(
        __func__,
        &(struct listed){
            .grid = "grid = { voxels = (4, 3, 3); edge = (0.7, 1.2, 1.0); walls = {"
                    "  xmin = { kind = \"absorb\"; probability = 0.3; }; xmax = \"absorb\";"
                    "  ymin = { kind = \"absorb\"; probability = 0.6; }; z = \"periodic\"; }; };",
            .species = "diffusion = (\"0.5%s\", \"1.5%s\", \"0.6%s\"); drift = (-0.3, 0.4, 0.9);"
                       "individuals = { max = 400; %s };",
            .rest = "initial = ( { species = \"W\"; count = 400; voxel = (1, 0, 2); } );"
                    "output = { times = (0.3, 1, 4); }; time = { end = 4.0; };",
            .crowd = &(struct crowd){.walk = &w, .n = 400, .site = 2 * 12 + 1},
            .step = {"4", "0.1"},
            .runs = 300});
}

/* Tests a high Peclet number, |v| h > 2 D, along x, and small periodic axes along y. 90,000
   individuals resolve 6 % of a voxel's mean. */
static void law_listed_in_rings(void **state)
{
    (void)state;
    struct theory_walk w = {.size = {7, 3, 1}, .pass = {-1, -1, -1, -1}};
    theory_set_rates(&w, 0, 0.1, 1.5, 1.0);
    theory_set_rates(&w, 1, 0.8, -0.2, 1.0);
    listed_obey(
        __func__,
        &(struct listed){.grid = "grid = { voxels = (7, 3); edge = 1.0; walls = { x = \"periodic\";"
                                 "  y = \"periodic\"; }; };",
                         .species = "diffusion = (\"0.1%s\", \"0.8%s\"); drift = (\"1.5%s\", -0.2);"
                                    "individuals = { max = 300; %s };",
                         .rest = "initial = ( { species = \"W\"; count = 300; voxel = (6, 1); } );"
                                 "output = { times = (0.5, 3); }; time = { end = 3.0; };",
                         .crowd = &(struct crowd){.walk = &w, .n = 300, .site = 13},
                         .step = {"3", "0.1"},
                         .runs = 300});
}

enum { BALL = 6 * 5 * 4 };

/* Tests a ball cut by a wall with absorption probability .4; both kinds of movement go hop by hop.
   60,000 individuals resolve 10 % of a voxel's mean. */
static void law_listed_in_a_ball(void **state)
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
    listed_obey(__func__,
                &(struct listed){
                    .grid = "grid = { voxels = (6, 5, 4); edge = (0.7, 1.0, 0.8);"
                            "  walls = { zmin = { kind = \"absorb\"; probability = 0.4; }; xmax = "
                            "\"absorb\"; };"
                            "};"
                            "regions = ( { name = \"ball\"; sphere = { centre = (2.1, 2.4, 0.9);"
                            "  radius = 1.5; }; } );",
                    .species =
                        "diffusion = (\"1%s\", \"0.5%s\", \"0.8%s\"); drift = (0.4, 0, -0.3);"
                        "in = \"ball\"; individuals = { max = 400; %s };",
                    .rest = "initial = ( { species = \"W\"; count = 400; voxel = (3, 2, 1); } );"
                            "output = { times = (0.2, 1, 5); }; time = { end = 5.0; };",
                    .crowd = &(struct crowd){.walk = &w, .n = 400, .site = 1 * 30 + 2 * 6 + 3},
                    .step = {"5", "0.2"},
                    .runs = 150});
}

/* Tests birth in two voxels, death and diffusion: the counts are independent Poisson numbers. 600
   runs resolve 10 % of a voxel's mean, and a correlation of .02 between two voxels. */
static void law_listed_from_a_source(void **state)
{
    (void)state;
    double source[20] = {0};
    source[5] = source[6] = 3;
    struct theory_walk w = {.size = {5, 4, 1}, .decay = 0.8, .source = source};
    theory_set_rates(&w, 0, 0.4, 0, 1);
    theory_set_rates(&w, 1, 0.2, 0.1, 1);
    listed_obey(
        __func__,
        &(struct listed){
            .grid = "grid = { voxels = (5, 4); edge = 1.0; };"
                    "regions = ( { name = \"nest\"; box = { from = (0, 1); to = (2, 2); }; } );",
            .species = "diffusion = (\"0.4%s\", \"0.2%s\"); drift = (0, \"0.1%s\");"
                       "individuals = { max = 200; %s };",
            .rest = "reactions = ( { equation = \"0 -> W\"; rate = 3.0; in = \"nest\"; },"
                    "  { equation = \"W -> 0\"; rate = 0.8; } );"
                    "output = { times = (0.5, 3); }; time = { end = 3.0; };",
            .crowd = &(struct crowd){.walk = &w},
            .step = {"0.02", "0.05"},
            .runs = 600});
}

/* Removes all individuals at t = .5; others are born from t = 1 on in two voxels and die. Their
   counts are Poisson numbers. 1000 runs resolve 20 % of a voxel's mean. Detects: no movement after
   a list was empty. */
static void law_listed_again(void **state)
{
    (void)state;
    double source[9] = {0};
    source[2] = source[3] = 2;
    struct theory_walk w = {.size = {9, 1, 1}, .decay = 0.5, .source = source};
    theory_set_rates(&w, 0, 0.5, 0.3, 1);
    listed_obey(
        __func__,
        &(struct listed){
            .grid = "grid = { voxels = (9, 1); edge = 1.0; }; parameters = { k = 0.0; };"
                    "regions = ( { name = \"nest\"; box = { from = (2, 0); to = (4, 1); }; } );",
            .species = "diffusion = (\"0.5%s\", \"0%s\"); drift = (\"0.3%s\", 0);"
                       "individuals = { max = 400; %s };",
            .rest = "reactions = ( { equation = \"0 -> W\"; rate = \"k\"; in = \"nest\"; },"
                    "              { equation = \"W -> 0\"; rate = 0.5; } );"
                    "initial = ( { species = \"W\"; count = 100; } );"
                    "events = ( { time = 0.5; remove = { species = \"W\"; all = true; }; },"
                    "           { time = 1.0; set = { k = 2.0; }; } );"
                    "time = { end = 4.0; }; output = { times = (4.0); };",
            .crowd = &(struct crowd){.walk = &w, .from = 1},
            .step = {"0.02", "0.05"},
            .runs = 1000});
}

/* Tests the AB reaction of law_wellmixed (2 A -> 0, A + B -> 0, 0 -> A, 0 -> B) in each voxel of a
   line, while an inert species hops, with A, B or both as individuals. 5000 voxels resolve .23 in
   mean A and .45 in mean B. Detects: one individual drawn twice for a pair. */
static void law_listed_react_in_pairs(void **state)
{
    (void)state;
    static const char *const of[3][2] = {
        {"individuals = { max = 4000; };", ""},
        {"", "individuals = { max = 6000; };"},
        {"individuals = { max = 4000; };", "individuals = { max = 6000; };"}};
    const struct chain c = chain_ab(0);
    struct verdict v = {0};
    for (int i = 0; i < 3; i++) {
        char text[1024], how[96];
        snprintf(text, sizeof text,
                 "grid = { voxels = 100; edge = 1.0; }; species = ( { name = \"A\"; %s },"
                 "  { name = \"B\"; %s }, { name = \"Z\"; diffusion = 0.1;"
                 "    individuals = { max = 50; }; } );"
                 "reactions = ( { equation = \"2 A -> 0\"; rate = 0.001; },"
                 "              { equation = \"A + B -> 0\"; rate = 0.01; },"
                 "              { equation = \"0 -> A\"; rate = 1.2; },"
                 "              { equation = \"0 -> B\"; rate = 1.0; } );"
                 "initial = ( { species = \"A\"; value = 10; }, { species = \"B\"; value = 12; },"
                 "            { species = \"Z\"; count = 50; } );"
                 "time = { end = 40.0; }; output = { times = (5.0, 40.0); };",
                 of[i][0], of[i][1]);
        snprintf(how, sizeof how, "%s %d", __func__, i);
        chain_judge_from(&c, (const int[CHAIN_SPECIES]){10, 12},
                         &(struct trial){how, text, "1.3", 50}, &v);
    }
    verdict_give(&v);
}

/* Tests two types that divide, convert into each other and die while they move. The totals follow
   the well-mixed chain at any step, for any choice of individuals and either kind of movement. 1500
   runs resolve 7 % of the mean totals. */
static void law_listed_totals(void **state)
{
    (void)state;
    static const char *const of[3][2] = {
        {"diffusion = 0.8; individuals = { max = 200; };",
         "diffusion = (0, 1.5, 0.1); individuals = { max = 200; };"},
        {"diffusion = 0.8;", "diffusion = (0, 1.5, 0.1); individuals = { max = 200; };"},
        {"diffusion = \"d\"; individuals = { max = 200;"
         "  attributes = ( { name = \"d\"; initial = 0.8; birth = \"uniform(0, 1)\"; } ); };",
         ""}};
    static const char *const step[] = {"auto", "1", "0.3"};
    const struct chain c = {.size = {130, 80},
                            .species = {0, 1},
                            .n_reactions = 4,
                            .reaction = {{.rate = 0.5, .takes = {1}, .change = {1}},
                                         {.rate = 0.3, .takes = {1}, .change = {-1, 1}},
                                         {.rate = 0.2, .takes = {0, 1}, .change = {1, -1}},
                                         {.rate = 0.4, .takes = {0, 1}, .change = {0, -1}}}};
    struct verdict v = {0};
    for (int i = 0; i < 3; i++) {
        char text[1280], how[96];
        snprintf(
            text, sizeof text,
            "grid = { voxels = (5, 3, 2); edge = (0.7, 1.0, 1.3); walls = { y = \"periodic\"; }"
            "; }; species = ( { name = \"A\"; %s }, { name = \"B\"; %s } );"
            "reactions = ( { equation = \"A -> 2 A\"; rate = 0.5; },"
            "              { equation = \"A -> B\"; rate = 0.3; },"
            "              { equation = \"B -> A\"; rate = 0.2; },"
            "              { equation = \"B -> 0\"; rate = 0.4; } );"
            "initial = ( { species = \"A\"; count = 20; voxel = (1, 1, 0); } );"
            "time = { end = 3.0; }; output = { times = (1.0, 3.0); };",
            of[i][0], of[i][1]);
        snprintf(how, sizeof how, "%s %d", __func__, i);
        chain_judge_from(&c, (const int[CHAIN_SPECIES]){20},
                         &(struct trial){how, text, step[i], 1500}, &v);
    }
    verdict_give(&v);
}

/* Tests A + B <-> C in equilibrium with individuals only: detailed balance, as in law_lattice. 1000
   runs resolve .31 in the mean of C. */
static void law_listed_in_equilibrium(void **state)
{
    (void)state;
    static const char text[] =
        "grid = { voxels = (4, 3, 2); edge = 0.5; };"
        "species = ( { name = \"A\"; diffusion = 0.3; individuals = { max = 30; }; },"
        "            { name = \"B\"; diffusion = 0.05; individuals = { max = 20; }; },"
        "            { name = \"C\"; diffusion = 0.02; individuals = { max = 20; }; } );"
        "reactions = ( { equation = \"A + B -> C\"; rate = 0.06; },"
        "              { equation = \"C -> A + B\"; rate = 0.5; } );"
        "initial = ( { species = \"A\"; count = 30; }, { species = \"B\"; count = 20; } );"
        "time = { end = 20.0; }; output = { times = (20.0); };";
    const struct chain c = {.size = {21}, .species = {2}};
    double *const p = chain_capacity(&c), sum = 0;
    for (int n = 0; n <= 20; n++)
        sum += p[n] =
            exp(n * log(0.06 / (0.5 * 3)) - lgamma(31 - n) - lgamma(21 - n) - lgamma(1 + n));
    for (int n = 0; n <= 20; n++)
        p[n] /= sum;
    struct verdict v = {0};
    chain_judge(&c, p, &(struct trial){__func__, text, "0.1", 1000}, &v);
    chain_judge(&c, p, &(struct trial){__func__, text, "1", 1000}, &v);
    verdict_give(&v);
    free(p);
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
static void law_listed_pairs_part(void **state)
{
    (void)state;
    static const char *const other[] = {"individuals = { max = 1024; };", ""};
    const double rate[] = {0.5, 0.1}, published[] = {321, 687};
    for (int i = 0; i < 4; i++) {
        char text[1024], how[96];
        snprintf(text, sizeof text,
                 "grid = { voxels = (32, 32); edge = 1.0; };"
                 "species = ( { name = \"A\"; diffusion = 1.0; individuals = { max = 1024; }; },"
                 "            { name = \"B\"; diffusion = 1.0; %s } );"
                 "reactions = ( { equation = \"A + B -> 0\"; rate = %g; } );"
                 "initial = ( { species = \"A\"; count = 1024; }, { species = \"B\"; count = 1024; "
                 "} );"
                 "time = { end = 5.0; }; output = { times = (5.0); };",
                 other[i / 2], rate[i % 2]);
        snprintf(how, sizeof how, "%s %g %d", __func__, rate[i % 2], i / 2);
        struct lab_sums left = {.mean = published[i % 2]};
        trial_run(&(struct trial){how, text, "auto", 60}, look_pairs, &left);
        const double error = sqrt(left.squares) / left.n, away = left.sum / left.n;
        print_message("             %.1f +- %.1f left\n", left.mean + away, error);
        assert_true(fabs(away) < 1 + 5 * error);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(law_listed_between_walls),  cmocka_unit_test(law_listed_and_absorbed),
        cmocka_unit_test(law_listed_in_rings),       cmocka_unit_test(law_listed_in_a_ball),
        cmocka_unit_test(law_listed_from_a_source),  cmocka_unit_test(law_listed_again),
        cmocka_unit_test(law_listed_react_in_pairs), cmocka_unit_test(law_listed_totals),
        cmocka_unit_test(law_listed_in_equilibrium), cmocka_unit_test(law_listed_pairs_part),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
