/* twin_rates - tests that the same rates in another notation give the same bytes. All numbers are
   sums of powers of two, so that no notation rounds. */
#include "lab.h"

#include "probability.h"

#include <stdio.h>

struct writing {
    double speed;     /* factor of every rate, divisor of every time */
    bool as_laws;     /* propensities instead of rates of mass action */
    bool as_constant; /* constants instead of a parameter */
    bool as_sums;     /* sums of an attribute that is 1, instead of numbers of individuals */
    bool distinct;    /* every molecule is an individual */
    bool stands;      /* no movement */
};

/* Writes the configuration, with voxels of volume 1/4. */
static void write_text(char *text, size_t size, const struct writing *w, const char *solver)
{
    const double f = w->speed, move = w->stands ? 0 : f;
    const char *const who =
        w->distinct
            ? "individuals = { max = 300; attributes = ( { name = \"one\"; initial = 1; } ); };"
            : "";
    char birth[64], pair[64], meeting[64], death[64];
    if (w->as_laws) {
        snprintf(birth, sizeof birth, "propensity = \"%g * k * volume\"", 3 * f);
        snprintf(pair, sizeof pair, "propensity = \"%g * k * A * (A - 1) / volume\"", 0.0625 * f);
        snprintf(meeting, sizeof meeting, "propensity = \"%g * k * A * B / volume\"", 0.25 * f);
        snprintf(death, sizeof death, "propensity = \"%g * k * C\"", 0.5 * f);
    } else {
        const char *const k = w->as_constant ? "" : " * k";
        snprintf(birth, sizeof birth, "rate = \"%g%s\"", 3 * f, k);
        snprintf(pair, sizeof pair, "rate = \"%g%s\"", 0.0625 * f, k);
        snprintf(meeting, sizeof meeting, "rate = \"%g%s%s\"", 0.25 * f, k,
                 w->as_sums ? " * sum(A.one)" : "");
        snprintf(death, sizeof death, "rate = \"%g%s%s\"", 0.5 * f, k,
                 w->as_sums ? " * sum(C.one)" : "");
    }
    snprintf(text, size,
             "grid = { voxels = (5, 3); edge = 0.5; walls = { y = \"periodic\"; }; };"
             "parameters = { k = 1.0; };"
             "species = ( { name = \"A\"; diffusion = %g; %s }, { name = \"B\"; diffusion = %g;"
             "              drift = (%g, 0); %s }, { name = \"C\"; %s } );"
             "reactions = ( { equation = \"0 -> A\"; %s; }, { equation = \"2 A -> B\"; %s; },"
             "              { equation = \"A + B -> C\"; %s; }, { equation = \"C -> 0\"; %s; } );"
             "initial = ( { species = \"A\"; count = 60; } );"
             "time = { end = %g; step = %g; }; output = { every = %g; };"
             "run = { seed = 5; runs = 3; }; solver = \"%s\";",
             0.25 * move, who, 0.5 * move, 0.125 * move, who, who, birth, pair, meeting, death,
             8 / f, 0.125 / f, 2 / f, solver);
}

static void look(void *to, const struct rd_model *m, const struct rd_snapshot *s)
{
    uint64_t *const hash = to;
    for (int64_t i = 0; i < m->n_runs * m->n_species * m->grid.n_sites; i++)
        *hash = hash_step(*hash, (uint64_t)s->counts[i]);
    for (int64_t i = 0; i < m->n_runs * m->n_reactions; i++)
        *hash = hash_step(*hash, (uint64_t)s->fired[i]);
}

/* Returns a hash of all counts and firings, without the times. */
static uint64_t hash_of(const struct writing *w, const char *solver)
{
    char text[2048];
    uint64_t hash = PROBABILITY_HASH_START;
    const struct lab lab = {.look = look, .to = &hash};
    write_text(text, sizeof text, w, solver);
    lab_run(&lab, text, NULL);
    return hash;
}

static void assert_same(const struct writing *a, const struct writing *b)
{
    static const char *const solver[] = {"split", "exact"};
    const int n_solvers = a->distinct || b->distinct ? 1 : 2; /* the exact solver has counts only */
    for (int i = 0; i < n_solvers; i++)
        assert_true(hash_of(a, solver[i]) == hash_of(b, solver[i]));
}

static const struct writing plain = {.speed = 1}, apart = {.speed = 1, .distinct = true};

static void twin_laws_that_are_mass_action(void **state)
{
    (void)state;
    assert_same(&(struct writing){.speed = 1, .as_laws = true}, &plain);
    assert_same(&(struct writing){.speed = 1, .as_laws = true, .distinct = true}, &apart);
}

static void twin_numbers_or_parameters(void **state)
{
    (void)state;
    assert_same(&(struct writing){.speed = 1, .as_constant = true}, &plain);
}

/* Tests another unit of time. */
static void twin_all_rates_doubled(void **state)
{
    (void)state;
    assert_same(&(struct writing){.speed = 2}, &plain);
    assert_same(&(struct writing){.speed = 0.0625}, &plain);
    assert_same(&(struct writing){.speed = 2, .distinct = true}, &apart);
}

static void twin_sums_of_ones(void **state)
{
    (void)state;
    assert_same(&(struct writing){.speed = 1, .as_sums = true, .distinct = true}, &apart);
}

/* Tests individuals without movement, since only movement has other random numbers than that of
   counted molecules. */
static void twin_individuals_that_stand(void **state)
{
    (void)state;
    assert_same(&(struct writing){.speed = 1, .stands = true, .distinct = true},
                &(struct writing){.speed = 1, .stands = true});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(twin_laws_that_are_mass_action),
        cmocka_unit_test(twin_numbers_or_parameters),
        cmocka_unit_test(twin_all_rates_doubled),
        cmocka_unit_test(twin_sums_of_ones),
        cmocka_unit_test(twin_individuals_that_stand),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
