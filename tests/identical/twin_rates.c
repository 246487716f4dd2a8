/* twin_rates - tests that the same rates in another notation give the same bytes. */
#include "lab.h"

#include "probability.h"

#include <stdio.h>
#include <stdlib.h>

static void look(void *to, const struct rd_model *m, const struct rd_snapshot *s)
{
    uint64_t *const hash = to;
    for (int64_t i = 0; i < m->n_runs * m->n_species * m->grid.n_sites; i++)
        *hash = hash_step(*hash, (uint64_t)s->counts[i]);
    for (int64_t i = 0; i < m->n_runs * m->n_reactions; i++)
        *hash = hash_step(*hash, (uint64_t)s->fired[i]);
}

/* Describes a model: tests/models/identical/NAME.cfg with these settings. */
struct notation {
    const char *name;
    const char *const *sets; /* or NULL */
};

/* Returns a hash of all counts and firings, without the times. */
static uint64_t hash_of(const struct notation *n, const char *solver)
{
    enum { MOST = 8 };
    char name[64];
    const char *sets[MOST + 2] = {solver};
    uint64_t hash = PROBABILITY_HASH_START;
    const struct lab lab = {.look = look, .to = &hash};
    for (int i = 0; n->sets && n->sets[i]; i++) {
        assert_true(i < MOST);
        sets[i + 1] = n->sets[i];
    }
    snprintf(name, sizeof name, "identical/%s.cfg", n->name);
    char *const text = model_text(name);
    lab_run(&lab, text, sets);
    free(text);
    return hash;
}

static void assert_same_split(const struct notation *a, const struct notation *b)
{
    assert_true(hash_of(a, "solver=split") == hash_of(b, "solver=split"));
}

static void assert_same(const struct notation *a, const struct notation *b)
{
    assert_same_split(a, b);
    assert_true(hash_of(a, "solver=exact") == hash_of(b, "solver=exact"));
}

/* Makes every molecule an individual; the exact solver has no individuals. */
#define INDIVIDUALS                                                                                \
    "species.A.individuals={ max = 300; }", "species.B.individuals={ max = 300; }",                \
        "species.C.individuals={ max = 300; }"

static const struct notation plain = {.name = "rates"};
static const struct notation individuals = {.name = "rates",
                                            .sets = (const char *const[]){INDIVIDUALS, NULL}};

static void twin_propensities_of_mass_action(void **state)
{
    (void)state;
    assert_same(&(struct notation){"propensities", NULL}, &plain);
    assert_same_split(&(struct notation){"propensities", SETS(INDIVIDUALS)}, &individuals);
}

static void twin_reversible_reactions(void **state)
{
    (void)state;
    assert_same(&(struct notation){"both_ways", NULL}, &(struct notation){"one_way", NULL});
    assert_same_split(&(struct notation){"both_ways", SETS(INDIVIDUALS)},
                      &(struct notation){"one_way", SETS(INDIVIDUALS)});
}

static void twin_numbers_or_parameters(void **state)
{
    (void)state;
    assert_same(
        &(struct notation){"rates", SETS("reactions[0].rate=3", "reactions[1].rate=0.0625",
                                         "reactions[2].rate=0.25", "reactions[3].rate=0.5")},
        &plain);
}

/* Tests another unit of time. */
static void twin_all_rates_doubled(void **state)
{
    (void)state;
    assert_same(&(struct notation){"rates", SETS("parameters.f=2")}, &plain);
    assert_same(&(struct notation){"rates", SETS("parameters.f=0.0625")}, &plain);
    assert_same_split(&(struct notation){"rates", SETS("parameters.f=2", INDIVIDUALS)},
                      &individuals);
}

static void twin_sums_of_ones(void **state)
{
    (void)state;
    assert_same_split(&(struct notation){"sums", NULL}, &individuals);
}

/* Tests individuals without movement, since only movement has other random numbers than that of
   counted molecules. */
static void twin_immobile_individuals(void **state)
{
    (void)state;
    assert_same_split(&(struct notation){"rates", SETS("parameters.move=0", INDIVIDUALS)},
                      &(struct notation){"rates", SETS("parameters.move=0")});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(twin_propensities_of_mass_action),
        cmocka_unit_test(twin_reversible_reactions),
        cmocka_unit_test(twin_numbers_or_parameters),
        cmocka_unit_test(twin_all_rates_doubled),
        cmocka_unit_test(twin_sums_of_ones),
        cmocka_unit_test(twin_immobile_individuals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
