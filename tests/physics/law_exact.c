/* law_exact - tests the exact solver against the master equation: walks with every kind of wall,
   reservoirs, binding, a pair that must meet, a network in one voxel, an epidemic. */
#include "exact/exact.h"

#include "handmade.h"
#include "theory.h"

#include <string.h>

static void simulate(struct handmade *h, double dt)
{
    struct rd_error e = {0};
    rd_exact *x;
    h->world.pass.dt = dt;
    assert_true(rd_exact_open(&x, &h->world, 2, &e));
    rd_exact_run(x, &h->world, false);
    rd_exact_close(x);
    for (int kind = 0; kind < RD_N_FAULTS; kind++)
        assert_int_equal(h->fault[kind].number, 0);
}

/* Returns the sum over all runs of the count at a site, or of what a face absorbed or let in. */
static double sum_at(const struct handmade *h, char species, int64_t site)
{
    double sum = 0;
    for (int64_t run = 0; run < h->world.lattice.n_runs; run++)
        sum += *handmade_count(h, run, species, site);
    return sum;
}

static double sum_through(const struct handmade *h, const int64_t *through, char species, int face)
{
    double sum = 0;
    for (int64_t run = 0; run < h->world.lattice.n_runs; run++)
        sum += (double)through[(run * HANDMADE_SPECIES + species - 'A') * RD_N_FACES + face];
    return sum;
}

/* Compares a walk of A with its exact distribution: 60 molecules from one site in each of 2000
   runs. Every number is binomial; an error of 2 per cent in a hop rate is visible. */
enum { SIZE_X = 4, SIZE_Y = 3, SIZE_Z = 2, SITES = SIZE_X * SIZE_Y * SIZE_Z };

static void check_walk(const char *name, const double pass[RD_N_FACES], const bool *is_home)
{
    enum { RUNS = 2000, MOLECULES = 60, START = 14 };
    const double rate[RD_N_FACES] = {0.5, 0.9, 1.1, 1.1, 1.5, 0.3}, t = 0.8;
    struct handmade h;
    handmade_open(&h, name, (const int32_t[]){SIZE_X, SIZE_Y, SIZE_Z}, RUNS);
    handmade_move(&h, 'A', rate, pass);
    handmade_put(&h, 'A', START, MOLECULES);
    struct theory_walk walk = {.size = {SIZE_X, SIZE_Y, SIZE_Z}, .is_home = is_home};
    memcpy(walk.rate, rate, sizeof walk.rate);
    memcpy(walk.pass, pass, sizeof walk.pass);
    double mean[SITES + THEORY_FACES] = {0};
    mean[START] = 1;
    theory_walk_on(&walk, t, mean);
    if (is_home)
        h.transport[0].region = 3;
    for (int site = 0; is_home && site < SITES; site++)
        h.mask[site] = is_home[site] ? 1 << 3 : 0;
    simulate(&h, t);
    for (int site = 0; site < SITES; site++)
        assert_deviation(
            name, theory_binomial_deviate(sum_at(&h, 'A', site), RUNS * MOLECULES, mean[site]));
    for (int face = 0; face < RD_N_FACES; face++)
        assert_deviation(name, theory_binomial_deviate(sum_through(&h, h.lost, 'A', face),
                                                       RUNS * MOLECULES, mean[SITES + face]));
    handmade_close(&h);
}

static void law_walk_between_reflecting_walls(void **state)
{
    (void)state;
    check_walk("law_walk_between_reflecting_walls", (const double[RD_N_FACES]){0}, NULL);
}

static void law_walk_in_a_periodic_box(void **state)
{
    (void)state;
    check_walk("law_walk_in_a_periodic_box", (const double[]){-1, -1, -1, -1, -1, -1}, NULL);
}

static void law_walk_between_absorbing_walls(void **state)
{
    (void)state;
    check_walk("law_walk_between_absorbing_walls", (const double[]){1, 0.4, 0, 1, -1, -1}, NULL);
}

/* Tests an L-shaped region with closed borders in a periodic box. */
static void law_walk_within_a_region(void **state)
{
    (void)state;
    bool is_home[SITES];
    for (int site = 0; site < SITES; site++)
        is_home[site] = site % SIZE_X != 1 || site / SIZE_X % SIZE_Y == 0;
    check_walk("law_walk_within_a_region", (const double[]){0, 1, -1, -1, -1, -1}, is_home);
}

/* Tests A that enters through two faces, where its region has voxels, walks and dies: every voxel
   has a Poisson number. */
static void law_inflow_from_reservoirs(void **state)
{
    (void)state;
    enum { RUNS = 4000, FACE = 0, OTHER = 3 };
    const char *const name = "law_inflow_from_reservoirs";
    const double rate[RD_N_FACES] = {0.5, 0.9, 1.1, 1.1, 0, 0};
    const double pass[RD_N_FACES] = {1, 0, 0, 1, 0, 0}, t = 1.5, decay = 0.2;
    struct handmade h;
    handmade_open(&h, name, (const int32_t[]){SIZE_X, SIZE_Y, 1}, RUNS);
    handmade_move(&h, 'A', rate, pass);
    handmade_react(&h, "A", "", decay);
    h.transport[0].region = 0;
    h.mask[4] = 0; /* site at the face x = 0 */
    h.transport[0].mean[FACE] = 1.3;
    h.transport[0].mean[OTHER] = 0.4;
    h.transport[1].mean[OTHER] = 0.7; /* B enters and does not move */
    h.transport[1].hop_rate.rate[OTHER ^ 1] = 1;
    h.world.movement.inlet[FACE] = SIZE_Y;
    h.world.movement.inlet[OTHER] = SIZE_X;
    h.world.items.n_inlets = (SIZE_X + SIZE_Y) * RUNS;
    bool is_home[SIZE_X * SIZE_Y];
    double source[SIZE_X * SIZE_Y] = {0}, mean[SIZE_X * SIZE_Y + THEORY_FACES] = {0};
    for (int site = 0; site < SIZE_X * SIZE_Y; site++)
        is_home[site] = site != 4;
    struct theory_walk walk = {
        .size = {SIZE_X, SIZE_Y, 1}, .is_home = is_home, .decay = decay, .source = source};
    memcpy(walk.rate, rate, sizeof walk.rate);
    memcpy(walk.pass, pass, sizeof walk.pass);
    theory_add_inlet(&walk, FACE, 1.3, source);
    theory_add_inlet(&walk, OTHER, 0.4, source);
    theory_walk_on(&walk, t, mean);
    simulate(&h, t);
    for (int site = 0; site < SIZE_X * SIZE_Y; site++)
        assert_deviation(name, theory_poisson_deviate(sum_at(&h, 'A', site), RUNS * mean[site]));
    for (int face = 0; face < RD_N_FACES; face++)
        assert_deviation(name, theory_poisson_deviate(sum_through(&h, h.lost, 'A', face),
                                                      RUNS * mean[SIZE_X * SIZE_Y + face]));
    const double in_a = 2 * RUNS * t * 1.3 * rate[FACE + 1];
    const double in_b = SIZE_X * RUNS * t * 0.7;
    assert_deviation(name, theory_poisson_deviate(sum_through(&h, h.entered, 'A', FACE), in_a));
    assert_deviation(name, theory_poisson_deviate(sum_through(&h, h.entered, 'B', OTHER), in_b));
    handmade_close(&h);
}

/* Tests A + B <-> C on 2 x 2 voxels with 6 A and 4 B. The stationary probability of c is
   proportional to (k+ / (k- V))^c / ((6 - c)! (4 - c)! c!) for V voxels of volume 1, for any
   diffusivity. */
static void law_binding_reaches_equilibrium(void **state)
{
    (void)state;
    enum { RUNS = 6000, N_A = 6, N_B = 4 };
    const char *const name = "law_binding_reaches_equilibrium";
    const double forward = 2.0, back = 0.8;
    struct handmade h;
    handmade_open(&h, name, (const int32_t[]){2, 2, 1}, RUNS);
    for (char s = 'A'; s <= 'C'; s++)
        handmade_move(&h, s, (const double[]){1, 1, 0.4, 0.4, 0, 0}, (const double[RD_N_FACES]){0});
    handmade_react(&h, "AB", "C", forward);
    handmade_react(&h, "C", "AB", back);
    handmade_put(&h, 'A', 0, N_A);
    handmade_put(&h, 'B', 3, N_B);
    simulate(&h, 25.0);
    int64_t seen[N_B + 1] = {0};
    double expected[N_B + 1], sum = 0, term = 1;
    for (int64_t run = 0; run < RUNS; run++)
        seen[handmade_total(&h, run, 'C')]++;
    for (int c = 0; c <= N_B; c++) {
        expected[c] = term;
        sum += term;
        term *= forward / (back * 4) * (N_A - c) * (N_B - c) / (c + 1);
    }
    for (int c = 0; c <= N_B; c++)
        expected[c] *= RUNS / sum;
    assert_deviation(name, chi_square_deviate(seen, expected, N_B + 1));
    handmade_close(&h);
}

/* Tests A at site 0 and B at site 5 of 6, D = h = 1, A + B -> 0 with k = 2. The pair survives until
   t = 4 with probability .745551401 (solved on its 36 states). The standard error of 60000 runs is
   .0018; a splitting with step .125 would have an error of .0015 to .0084. */
static void law_survival_of_a_pair(void **state)
{
    (void)state;
    enum { RUNS = 60000 };
    struct handmade h;
    handmade_open(&h, "law_survival_of_a_pair", (const int32_t[]){6, 1, 1}, RUNS);
    for (char s = 'A'; s <= 'B'; s++)
        handmade_move(&h, s, (const double[]){1, 1, 0, 0, 0, 0}, (const double[RD_N_FACES]){0});
    handmade_react(&h, "AB", "", 2.0);
    handmade_put(&h, 'A', 0, 1);
    handmade_put(&h, 'B', 5, 1);
    simulate(&h, 4.0);
    double left = 0;
    for (int64_t site = 0; site < 6; site++)
        left += sum_at(&h, 'A', site);
    assert_deviation("survival", theory_binomial_deviate(left, RUNS, 0.745551401));
    handmade_close(&h);
}

static void assert_mean(const char *what, double sum, double runs, double mean, double variance)
{
    assert_deviation(what, (sum / runs - mean) / sqrt(variance / runs));
}

/* Tests 2 A -> 0 with .001 a (a - 1), A + B -> 0 with .01 a b, 0 -> A with 1.2, 0 -> B with 1 in
   one voxel. The stationary means of the master equation differ by 7 standard errors from the 10,
   10 of the rate equations. */
static void law_network_in_one_voxel(void **state)
{
    (void)state;
    enum { RUNS = 6000 };
    struct handmade h;
    handmade_open(&h, "law_network_in_one_voxel", (const int32_t[]){1, 1, 1}, RUNS);
    handmade_react(&h, "AA", "", 0.001);
    handmade_react(&h, "AB", "", 0.01);
    handmade_react(&h, "", "A", 1.2);
    handmade_react(&h, "", "B", 1.0);
    handmade_put(&h, 'A', 0, 10);
    handmade_put(&h, 'B', 0, 12);
    simulate(&h, 600.0);
    assert_mean("A", sum_at(&h, 'A', 0), RUNS, 9.58890, 17.67335);
    assert_mean("B", sum_at(&h, 'B', 0), RUNS, 12.11888, 39.62992);
    handmade_close(&h);
}

/* Tests S + I -> 2 I with 1.6 s i / 60 and I -> R with 1, from one infected of 60. The mean final
   size is 14.83440. The epidemic ends; its size has a standard deviation below 30. */
static void law_final_size_of_an_epidemic(void **state)
{
    (void)state;
    enum { RUNS = 20000, PEOPLE = 60 };
    struct handmade h;
    handmade_open(&h, "law_final_size_of_an_epidemic", (const int32_t[]){1, 1, 1}, RUNS);
    handmade_react(&h, "AB", "BB", 1.6 / PEOPLE);
    handmade_react(&h, "B", "C", 1.0);
    handmade_put(&h, 'A', 0, PEOPLE - 1);
    handmade_put(&h, 'B', 0, 1);
    simulate(&h, 1e6);
    double squares = 0;
    for (int64_t run = 0; run < RUNS; run++) {
        const double d = *handmade_count(&h, run, 'C', 0) - 14.83440;
        squares += d * d;
    }
    assert_true(sum_at(&h, 'B', 0) == 0 && squares / RUNS < 30.0 * 30.0);
    assert_mean("size", sum_at(&h, 'C', 0), RUNS, 14.83440, squares / RUNS);
    handmade_close(&h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(law_walk_between_reflecting_walls),
        cmocka_unit_test(law_walk_in_a_periodic_box),
        cmocka_unit_test(law_walk_between_absorbing_walls),
        cmocka_unit_test(law_walk_within_a_region),
        cmocka_unit_test(law_inflow_from_reservoirs),
        cmocka_unit_test(law_binding_reaches_equilibrium),
        cmocka_unit_test(law_survival_of_a_pair),
        cmocka_unit_test(law_network_in_one_voxel),
        cmocka_unit_test(law_final_size_of_an_epidemic),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
