/* law_strangers - tests that individuals move independently: of one species in one voxel or in two,
   of two species, together with counted molecules, by displacement distributions or by uniformised
   walks, in successive steps and in different runs. Shared random numbers show in such products
   only. A stated resolution is 5 standard errors. */
#include "trial.h"

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
struct paths {
    int n;
    int16_t place[STEPS + 1][TRANSPORTS][RUNS];
};

/* Stores the individuals of a species ordered by id; those placed first have smaller ids. */
static int take_rows(struct paths *p, const struct rd_individuals *of, int64_t row, int64_t run,
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
    struct paths *const p = to;
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

/* Returns what an individual did in a step: its shift, or whether it stayed; minus the mean,
   divided by the standard deviation. For steps of 0.5 at D = h = 1, shifts have variance 1 and
   e^{-1} I_0(1) stay. */
static double deed(const struct paths *p, int step, int transport, int run, bool stays)
{
    const double probability = 0.46575960759364043;
    const int shift = p->place[step + 1][transport][run] - p->place[step][transport][run];
    return stays ? ((shift == 0) - probability) / sqrt(probability * (1 - probability)) : shift;
}

static void hear_two(struct verdict *v, const struct paths *p, int step, int one, int other)
{
    for (int kind = 0; kind < 2; kind++) {
        double same = 0, next = 0, run_after = 0;
        for (int run = 0; run < RUNS; run++) {
            const double d = deed(p, step, one, run, kind);
            same += d * deed(p, step, other, run, kind);
            next += d * deed(p, (step + 1) % STEPS, other, run, kind);
            run_after += d * deed(p, step, other, (run + 1) % RUNS, kind);
        }
        const char *const what = kind ? "stays" : "shifts";
        if (one < other)
            verdict_hear(v, same / sqrt(RUNS), "%s, %s and %s, step %d", what, transport_name[one],
                         transport_name[other], step);
        verdict_hear(v, next / sqrt(RUNS), "%s, %s and %s, a step later than %d", what,
                     transport_name[one], transport_name[other], step);
        verdict_hear(v, run_after / sqrt(RUNS), "%s, %s and %s, in the next run, step %d", what,
                     transport_name[one], transport_name[other], step);
    }
}

/* 20,000 pairs each resolve correlations of .04. Detects: one stream for all species, for all
   in a voxel, for all voxels, for counted and listed ones; the step or the run missing from the
   stream. */
static void law_strangers(void **state)
{
    (void)state;
    static const char text[] =
        "grid = { voxels = 41; edge = 1.0; };"
        "species = ( { name = \"A\"; diffusion = 1.0; individuals = { max = 3; }; },"
        "  { name = \"B\"; diffusion = 1.0; individuals = { max = 1; }; },"
        "  { name = \"V\"; diffusion = \"d\"; individuals = { max = 1;"
        "    attributes = ( { name = \"d\"; initial = 1.0; } ); }; },"
        "  { name = \"W\"; diffusion = \"d\"; individuals = { max = 2;"
        "    attributes = ( { name = \"d\"; initial = 1.0; } ); }; },"
        "  { name = \"C\"; diffusion = 1.0; }, { name = \"D\"; diffusion = 1.0; } );"
        "initial = ( { species = \"A\"; count = 2; voxel = (20); },"
        "  { species = \"A\"; count = 1; voxel = (21); }, { species = \"B\"; count = 1; voxel = "
        "(20); "
        "},"
        "  { species = \"V\"; count = 1; voxel = (20); }, { species = \"W\"; count = 2; voxel = "
        "(20); "
        "},"
        "  { species = \"C\"; count = 1; voxel = (20); }, { species = \"D\"; count = 1; voxel = "
        "(20); "
        "} );"
        "time = { end = 1.5; }; output = { every = 0.5; };";
    struct paths *const p = calloc(1, sizeof *p);
    assert_non_null(p);
    trial_run(&(struct trial){__func__, text, "0.5", RUNS}, look_paths, p);
    struct verdict v = {0};
    for (int i = 0; i < TRANSPORTS * TRANSPORTS * STEPS; i++)
        hear_two(&v, p, i / TRANSPORTS / TRANSPORTS, i / TRANSPORTS % TRANSPORTS, i % TRANSPORTS);
    free(p);
    verdict_give(&v);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(law_strangers)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
