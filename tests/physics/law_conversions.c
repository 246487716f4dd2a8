/* law_conversions - tests conversions of individuals and removals by events: each individual is
   chosen with equal probability, and a converted one keeps its identity. A stated resolution is 5
   standard errors in the first variant of a test. */
#include "probability.h"
#include "theory.h"
#include "trial.h"

#include <stdlib.h>
#include <string.h>

/* Individuals convert, A -> B, at rate 1, and newcomers arrive, 0 -> A, until T = 1. */
enum { START = 8, CONVERTED = 5000, BINS = 10 };
struct conversions {
    double tag[CONVERTED][START]; /* tags of the initial individuals */
    double became[START], both[START];
    int64_t since[BINS]; /* times of conversion, in bins of equal probability given a conversion
                            before T */
    double came[BINS], became_too[BINS];
};

static void look_converted(struct conversions *c, const struct rd_individuals *b, int64_t row,
                           int64_t run, bool is_b[START])
{
    const double since = b->attribute[1][row];
    assert_true(b->parent[row] == -1 && b->born[row] < since && since < 1);
    if (b->id[row] >= START) {
        c->became_too[(int)(b->born[row] * BINS)]++;
        c->came[(int)(b->born[row] * BINS)]++;
        return;
    }
    assert_true(b->born[row] == 0 && b->attribute[0][row] == c->tag[run][b->id[row]]);
    is_b[b->id[row]] = true;
    c->since[(int)((1 - exp(-since)) / (1 - exp(-1)) * BINS)]++;
}

static void look_conversions(void *to, const struct rd_model *m, const struct rd_snapshot *s)
{
    struct conversions *const c = to;
    const struct rd_individuals *const a = &s->individuals[0], *const b = &s->individuals[1];
    int64_t row_a = 0, row_b = 0;
    for (int64_t run = 0; run < m->n_runs; run++) {
        bool is_b[START] = {false};
        for (const int64_t end = row_b + b->row_count[run]; row_b < end; row_b++)
            look_converted(c, b, row_b, run, is_b);
        for (const int64_t end = row_a + a->row_count[run]; row_a < end; row_a++)
            if (s->time == 0)
                c->tag[run][a->id[row_a]] = a->attribute[0][row_a];
            else if (a->id[row_a] >= START)
                c->came[(int)(a->born[row_a] * BINS)]++;
            else
                assert_true(a->attribute[0][row_a] == c->tag[run][a->id[row_a]]);
        for (int i = 0; i < START; i++) {
            c->became[i] += is_b[i];
            c->both[i] += is_b[i] && is_b[(i + 1) % START];
        }
    }
}

static void compare_conversions(struct verdict *v, const struct conversions *c, const char *step)
{
    const double p = 1 - exp(-1);
    double n = 0, expected[BINS];
    for (int i = 0; i < START; i++) {
        n += c->became[i];
        verdict_add(v, theory_binomial_deviate(c->became[i], CONVERTED, p), "step %s, number %d",
                    step, i);
        verdict_add(v, theory_binomial_deviate(c->both[i], CONVERTED, p * p),
                    "step %s, number %d and the next", step, i);
    }
    for (int i = 0; i < BINS; i++) {
        const double late = BINS * (exp((i + 1.0) / BINS - 1) - exp((double)i / BINS - 1));
        expected[i] = n / BINS;
        verdict_add(v, theory_binomial_deviate(c->became_too[i], c->came[i], 1 - late),
                    "step %s, newcomers of %g", step, (double)i / BINS);
        verdict_add(v, theory_poisson_deviate(c->came[i], 6.0 * CONVERTED / BINS),
                    "step %s, how many came at %g", step, (double)i / BINS);
    }
    verdict_add(v, chi_square_deviate(c->since, expected, BINS), "step %s, times", step);
}

/* Tests that each A converts independently at rate 1, an initial one or one that came during the
   step. It keeps its id, its time of birth and its tag to the bit, and the birth rule of B's own
   attribute gets the time of the event. 40,000 initial individuals and 30,000 newcomers resolve 3.4
   % in the probability of each of 8, and 4 % in each tenth of the conversion times. Detects: the
   first in the voxel chosen; newborn chosen half as often; a new id or time of birth. */
static void law_conversions_keep_identity(void **state)
{
    (void)state;
    static const char *const step[] = {"1", "0.03"};
    struct verdict v = {0};
    struct conversions *const c = malloc(sizeof *c);
    assert_non_null(c);
    for (int i = 0; i < 2; i++) {
        memset(c, 0, sizeof *c);
        trial_run(&(struct trial){__func__, "physics/conversions.cfg", .step = step[i],
                                  .runs = CONVERTED},
                  look_conversions, c);
        compare_conversions(&v, c, step[i]);
    }
    free(c);
    verdict_check(&v);
}

/* Ten individuals are in each of four voxels; an event removes 7 and then 5 from the whole grid. */
enum { PLACED = 40, TAKEN = 12, REMOVED = 5000 };
struct removals {
    double left[PLACED], both[PLACED]; /* by id; both: this id and the next one */
};

static void look_removals(void *to, const struct rd_model *m, const struct rd_snapshot *s)
{
    struct removals *const r = to;
    const struct rd_individuals *const of = &s->individuals[0];
    for (int64_t run = 0, row = 0; run < m->n_runs; run++) {
        bool is_left[PLACED] = {false};
        assert_int_equal(of->row_count[run], PLACED - TAKEN);
        for (const int64_t end = row + of->row_count[run]; row < end; row++)
            is_left[of->id[row]] = true;
        for (int i = 0; i < PLACED; i++) {
            r->left[i] += is_left[i];
            r->both[i] += is_left[i] && is_left[(i + 1) % PLACED];
        }
    }
}

/* Tests that removals are drawn from all individuals: each remains with probability 28 / 40, two
   with 28 27 / 40 39. 5000 runs resolve .032. Detects: the first of each voxel removed; one stream
   for all voxels and both removals. */
static void law_events_remove_at_random(void **state)
{
    (void)state;
    struct removals r = {.left = {0}};
    struct verdict v = {0};
    trial_run(&(struct trial){__func__, "physics/removals.cfg", .step = "1", .runs = REMOVED},
              look_removals, &r);
    for (int i = 0; i < PLACED; i++) {
        verdict_add(&v, theory_binomial_deviate(r.left[i], REMOVED, 0.7), "number %d", i);
        verdict_add(&v, theory_binomial_deviate(r.both[i], REMOVED, 28.0 * 27 / (40 * 39)),
                    "number %d and the next", i);
    }
    verdict_check(&v);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(law_conversions_keep_identity),
        cmocka_unit_test(law_events_remove_at_random),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
