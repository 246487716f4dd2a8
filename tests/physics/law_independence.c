/* law_independence - tests that individuals move independently: of one species in
   one voxel or in two, of two species, together with counted molecules, by displacement
   distributions or by uniformised walks, in successive steps and in different runs. Shared random
   numbers show in such products only. A stated resolution is 5 standard errors. */
#include "walkers.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

enum { RUNS = 20000, STEPS = 3, LINE = 41, TRANSPORTS = 9 };
static const char *const transport_name[TRANSPORTS] = {
    "A", "next A", "A beside", "B", "own V", "own W", "next own W", "counted", "counted too"};

/* Holds the place of each at each time. */
struct run_paths {
    int n;
    int16_t place[STEPS + 1][TRANSPORTS][RUNS];
};

/* Stores the individuals of a species ordered by id; those placed first have smaller ids. */
static int take_rows(struct run_paths *p, const struct rd_individuals *of, int64_t row, int64_t run,
                     int transport)
{
    const int n = (int)of->row_count[run];
    for (int i = 0; i < n; i++) {
        int rank = 0;
        for (int k = 0; k < n; k++)
            rank += of->id[row + k] < of->id[row + i];
        p->place[p->n][transport + rank][run] = (int16_t)of->site[row + i];
    }
    return transport + n;
}

static void look_paths(void *to, const struct rd_model *m, const struct rd_snapshot *s)
{
    struct run_paths *const p = to;
    int64_t row[4] = {0};
    for (int64_t run = 0; run < m->n_runs; run++) {
        int transport = 0;
        for (int i = 0; i < s->n_individuals; i++) {
            transport = take_rows(p, &s->individuals[i], row[i], run, transport);
            row[i] += s->individuals[i].row_count[run];
        }
        for (int species = s->n_individuals; species < m->n_species; species++, transport++)
            for (int16_t i = 0; i < LINE; i++)
                if (s->counts[(run * m->n_species + species) * LINE + i])
                    p->place[p->n][transport][run] = i;
        assert_int_equal(transport, TRANSPORTS);
    }
    p->n++;
}

/* Returns the displacement of an individual in a step, or whether it stayed, standardised. */
static double deviate(const struct run_paths *p, int step, int transport, int run, bool stays)
{
    return walkers_deviate(p->place[step + 1][transport][run] - p->place[step][transport][run],
                           stays);
}

static void compare_two(struct verdict *v, const struct run_paths *p, int step, int one, int other)
{
    for (int kind = 0; kind < 2; kind++) {
        double same = 0, next = 0, run_after = 0;
        for (int run = 0; run < RUNS; run++) {
            const double d = deviate(p, step, one, run, kind);
            same += d * deviate(p, step, other, run, kind);
            next += d * deviate(p, (step + 1) % STEPS, other, run, kind);
            run_after += d * deviate(p, step, other, (run + 1) % RUNS, kind);
        }
        const char *const what = kind ? "stays" : "shifts";
        if (one < other)
            verdict_add(v, same / sqrt(RUNS), "%s, %s and %s, step %d", what, transport_name[one],
                        transport_name[other], step);
        verdict_add(v, next / sqrt(RUNS), "%s, %s and %s, a step later than %d", what,
                    transport_name[one], transport_name[other], step);
        verdict_add(v, run_after / sqrt(RUNS), "%s, %s and %s, in the next run, step %d", what,
                    transport_name[one], transport_name[other], step);
    }
}

/* Resolves correlations of .04, with 20,000 pairs each. Detects: one stream for all species, for
   all in a voxel, for all voxels, for counted and listed ones; the step or the run missing from the
   stream. */
static void law_individuals_move_independently(void **state)
{
    (void)state;
    struct run_paths *const p = calloc(1, sizeof *p);
    assert_non_null(p);
    trial_run(&(struct trial){__func__, "physics/independence.cfg", .step = "0.5", .runs = RUNS},
              look_paths, p);
    struct verdict v = {0};
    for (int i = 0; i < TRANSPORTS * TRANSPORTS * STEPS; i++)
        compare_two(&v, p, i / TRANSPORTS / TRANSPORTS, i / TRANSPORTS % TRANSPORTS,
                    i % TRANSPORTS);
    free(p);
    verdict_check(&v);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(law_individuals_move_independently)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
