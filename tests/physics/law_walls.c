/* law_walls - tests walls that absorb, absorb with a probability, or are periodic: exact for steps
   of any length. A hop across the box's face has the rate of any hop and is absorbed with the
   face's probability; tests/support/theory.c integrates the master equation with an absorbing state
   per face. A stated resolution is 5 standard errors in the first variant of a test. */
#include "walkers.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

/* Nine voxels lie between absorbing ends. 200,000 molecules resolve 0.5 % of all. */

/* Detects: ends that absorb half of the hops. */
static void law_absorbing_ends(void **state)
{
    (void)state;
    const struct theory_walk w = {.size = {9, 1, 1}, .rate = {1, 1}, .pass = {1, 1}};
    const struct walkers c = {.walk = &w, .n = 100, .site = 2};
    const struct method method[] = {
        {"12", 2000}, {"0.5", 2000}, {"0.02", 500}, {"exact", 500}, {NULL, 0}};
    walkers_test(&c, __func__, "physics/absorbing_ends.cfg", NULL, method);
}

/* Counts exits to the left, and integrates the survivors, at the end of each unit of time. */
struct exits {
    double n_left, n_all, time;
};

static void look_exits(void *to, const struct rd_model *m, const struct rd_snapshot *s)
{
    struct exits *const x = to;
    x->n_left = x->n_all = 0;
    for (int64_t run = 0; run < m->n_runs; run++) {
        x->n_left += (double)s->lost[run * RD_FACES];
        x->n_all += (double)(s->lost[run * RD_FACES] + s->lost[run * RD_FACES + 1]);
        x->time += (double)s->totals[run] * (s->time > 0 ? 1 : 0.5);
    }
}

/* Tests the mean exit time (i + 1) (n - i) h^2 / 2 D = 10.5, and the probability (n - i) / (n + 1)
   = .7 of an exit to the left (gambler's ruin: Feller 1968, XIV.2-3). 200,000 molecules resolve
   0.12 and 0.005. The trapezoidal sum over the survivors has an error below 1e-3; the variance,
   103.25, solves the generator's equations for the first two moments. Detects: ends that absorb
   half of the hops. */
static void law_exit_times(void **state)
{
    (void)state;
    static const char *const step[] = {"1", "0.25", "exact"};
    struct verdict v = {0};
    for (int i = 0; i < 3; i++) {
        struct exits x = {0};
        trial_run(
            &(struct trial){__func__, "physics/exit_times.cfg", .step = step[i], .runs = 2000},
            look_exits, &x);
        assert_true(x.n_all == 200000);
        verdict_add(&v, theory_binomial_deviate(x.n_left, x.n_all, 0.7), "left, step %s", step[i]);
        verdict_add(&v, (x.time / x.n_all - 10.5) / sqrt(103.25 / x.n_all), "time, step %s",
                    step[i]);
    }
    verdict_check(&v);
}

/* Tests walls on two axes that absorb a hop with probability .3 or .7, and a third side that
   absorbs all. 400,000 molecules resolve 2 % of what a face absorbs. Detects: partial walls that
   absorb all. */
static void law_partial_walls(void **state)
{
    (void)state;
    struct theory_walk w = {.size = {4, 5, 1}, .pass = {0.3, 0, 1, 0.7}};
    theory_set_rates(&w, 0, 0.5, -0.4, 0.7);
    theory_set_rates(&w, 1, 1.5, 0.3, 1.2);
    const struct walkers c = {.walk = &w, .n = 800, .site = 9};
    const struct method method[] = {
        {"4", 500}, {"0.2", 500}, {"0.01", 200}, {"exact", 300}, {NULL, 0}};
    walkers_test(&c, __func__, "physics/partial_walls.cfg", NULL, method);
}

/* Tests a corner where walls of two or three axes absorb a molecule within one long step: the first
   in time counts. 500,000 molecules resolve 1.5 % of what a face absorbs. */
static void test_first_wall(const char *test, const char *times, const struct method *method)
{
    struct theory_walk w = {.size = {4, 3, 2}, .pass = {1, 1, 0.6, 0.6, 0, 1}};
    theory_set_rates(&w, 0, 0.5, 0.3, 1);
    theory_set_rates(&w, 1, 2, 0, 1);
    theory_set_rates(&w, 2, 0.3, 0.4, 0.9);
    const struct walkers c = {.walk = &w, .n = 1000, .site = 4};
    walkers_test(&c, test, "physics/first_wall.cfg", SETS(times), method);
}

/* Detects: the face of the first axis counted; any of the faces with equal probability. */
static void law_first_of_several_walls(void **state)
{
    (void)state;
    const struct method method[] = {
        {"20", 500}, {"0.5", 500}, {"0.02", 200}, {"exact", 500}, {NULL, 0}};
    test_first_wall(__func__, "output.times=(0.5, 2, 20)", method);
}

/* Has 62 hops along y in one movement. Detects: jumps before an absorption cut off. */
static void law_first_wall_in_a_long_step(void **state)
{
    (void)state;
    const struct method method[] = {{"20", 1000}, {"12", 1000}, {NULL, 0}};
    test_first_wall(__func__, "output.times=(15.5)", method);
}

/* Tests one voxel with walls all round, where only the faces' numbers can be observed. 300,000
   molecules resolve 3 % of them. Detects: the face of the first axis counted; any of the faces with
   equal probability. */
static void law_one_voxel(void **state)
{
    (void)state;
    struct theory_walk w = {.size = {1, 1, 1}, .pass = {1, 1, 1, 0}};
    theory_set_rates(&w, 0, 1, 0.7, 1);
    theory_set_rates(&w, 1, 0.1, 0, 0.5);
    const struct walkers c = {.walk = &w, .n = 15};
    const struct method method[] = {{"5", 20000}, {"0.04", 20000}, {"exact", 20000}, {NULL, 0}};
    walkers_test(&c, __func__, "physics/one_voxel.cfg", NULL, method);
}

/* Tests periodic axes of 1, 2 and 3 voxels with a drift, around which a walk may go many times in
   one step. 300,000 molecules resolve 2 % of a voxel's mean. Detects: a shift that wraps once only;
   periodic axes that reflect. */
static void law_small_rings(void **state)
{
    (void)state;
    struct theory_walk w = {.size = {3, 2, 1}, .pass = {-1, -1, -1, -1, -1, -1}};
    theory_set_rates(&w, 0, 0.4, 1, 0.5);
    theory_set_rates(&w, 1, 0.2, 0.3, 1);
    const struct walkers c = {.walk = &w, .n = 600, .site = 1};
    const struct method method[] = {
        {"9", 500}, {"0.1", 500}, {"0.01", 200}, {"exact", 200}, {NULL, 0}};
    walkers_test(&c, __func__, "physics/small_rings.cfg", NULL, method);
}

/* Tests a grid that is periodic along x and absorbing along y, with one species that has its own
   walls and one that has the grid's. An absorbed molecule must not appear in the next row; one that
   wraps stays in its row. 400,000 molecules each resolve 2 % of what a face absorbs. Detects: walls
   of the other species. */
static void law_walls_of_each_species(void **state)
{
    (void)state;
    struct theory_walk a = {.size = {5, 4, 1}, .pass = {1, 1, 1, 0}};
    struct theory_walk b = {.size = {5, 4, 1}, .pass = {-1, -1, 1, 1}};
    theory_set_rates(&a, 0, 1, 0.5, 1);
    theory_set_rates(&b, 0, 1, 2.5, 1);
    theory_set_rates(&a, 1, 1, 0, 1);
    theory_set_rates(&b, 1, 1, 0, 1);
    const struct walkers c[] = {{.walk = &b, .n = 1000, .site = 9, .species = 0},
                                {.walk = &a, .n = 1000, .site = 13, .species = 1}};
    static const char *const step[] = {"2", "0.05", "exact"};
    struct verdict v = {0};
    for (int i = 0; i < 6; i++)
        walkers_compare(&c[i % 2],
                        &(struct trial){__func__, "physics/walls_of_species.cfg",
                                        .step = step[i / 2], .runs = 400},
                        &v);
    verdict_check(&v);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(law_absorbing_ends),
        cmocka_unit_test(law_exit_times),
        cmocka_unit_test(law_partial_walls),
        cmocka_unit_test(law_first_of_several_walls),
        cmocka_unit_test(law_first_wall_in_a_long_step),
        cmocka_unit_test(law_one_voxel),
        cmocka_unit_test(law_small_rings),
        cmocka_unit_test(law_walls_of_each_species),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
