/* compare - compares two ensembles statistically: what they share, and which means and variances
   differ by more than chance allows. */
#include "result/read/compare.h"

#include "hdf5/hdf5_file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- what both have ---- */

static bool is_same_time(double a, double b)
{
    return fabs(a - b) <= 1e-9 * fmax(fabs(a), fabs(b));
}

/* Returns the number of the time in a sample; -1 if it has none. The next one is tried first. */
static int64_t find_time(const struct rd_total_moments *s, double time, int64_t next)
{
    if (next < s->n_times && is_same_time(s->time[next], time))
        return next;
    for (int64_t i = 0; i < s->n_times; i++)
        if (is_same_time(s->time[i], time))
            return i;
    return -1;
}

static int64_t find_sample_species(const struct rd_total_moments *s, const char *name)
{
    for (int64_t i = 0; i < s->n_species; i++)
        if (strcmp(s->species[i], name) == 0)
            return i;
    return -1;
}

/* Finds the times and species that both have. */
static bool match(struct rd_comparison *c, struct rd_error *e)
{
    const struct rd_total_moments *const a = &c->of[0], *const b = &c->of[1];
    for (int i = 0; i < 2; i++) {
        c->time[i] = calloc((size_t)a->n_times + 1, sizeof *c->time[i]);
        c->species[i] = calloc((size_t)a->n_species + 1, sizeof *c->species[i]);
        if (!c->time[i] || !c->species[i])
            return rd_fail(e, "out of memory for the comparison");
    }
    for (int64_t i = 0, next = 0; i < a->n_times; i++) {
        const int64_t k = find_time(b, a->time[i], next);
        if (k < 0)
            continue;
        c->time[0][c->n_times] = i;
        c->time[1][c->n_times++] = k;
        next = k + 1;
    }
    for (int64_t i = 0; i < a->n_species; i++) {
        const int64_t k = find_sample_species(b, a->species[i]);
        if (k < 0)
            continue;
        c->species[0][c->n_species] = i;
        c->species[1][c->n_species++] = k;
    }
    if (c->n_species == 0)
        return rd_fail(e,
                       "%s and %s have no species in common, the first ones are '%s' and '%s'; "
                       "rename those of one",
                       a->path, b->path, a->species[0], b->species[0]);
    return c->n_times > 0 ||
           rd_fail(e, "%s and %s have no time in common; give both the same output.times", a->path,
                   b->path);
}

/* Checks that an ensemble has enough runs. */
static bool check_enough_runs(const struct rd_total_moments *s, struct rd_error *e)
{
    if (s->n_runs == 1.0)
        return rd_fail(e,
                       "%s: has one run, from which no deviation can be estimated; simulate an "
                       "ensemble, as with --runs 100, or compare single runs with rdsim diff",
                       s->path);
    return s->n_runs >= RD_RUNS_FOR_MEANS ||
           rd_fail(e,
                   "%s: has %g runs, too few to estimate deviations; simulate %d or more, as with "
                   "--runs 100",
                   s->path, s->n_runs, RD_RUNS_FOR_MEANS);
}

/* ---- comparisons ---- */

static const struct rd_moments *moments_of(const struct rd_comparison *c, int side, int64_t time,
                                           int64_t species)
{
    const struct rd_total_moments *const s = &c->of[side];
    return &s->of[c->time[side][time] * s->n_species + c->species[side][species]];
}

static void compare_pair(struct rd_compared_pair *pair, const struct rd_moments *a,
                         const struct rd_moments *b)
{
    const double least = fmin(a->n, b->n);
    const struct rd_contrast means = rd_contrast_means(a, b);
    const struct rd_contrast variances = rd_contrast_variances(a, b);
    pair[RD_OF_MEANS] = (struct rd_compared_pair){
        .value = {a->mean, b->mean},
        .by = means,
        .is_tested = least >= RD_RUNS_FOR_MEANS && (means.error > 0.0 || means.z != 0.0)};
    pair[RD_OF_VARIANCES] = (struct rd_compared_pair){.value = {a->variance, b->variance},
                                                      .by = variances,
                                                      .is_tested = least >= RD_RUNS_FOR_VARIANCES &&
                                                                   variances.error > 0.0};
}

/* Decides which of the tested pairs differ. */
static bool decide(struct rd_comparison *c, struct rd_error *e)
{
    const int64_t n = c->n_times * c->n_species * RD_N_COMPARED;
    double *const z = calloc((size_t)n + 1, sizeof *z);
    bool *const differs = calloc((size_t)n + 1, sizeof *differs);
    bool good = (z && differs) || rd_fail(e, "out of memory for the comparison");
    for (int64_t i = 0; good && i < n; i++)
        if (c->pair[i].is_tested)
            z[c->n_tested++] = c->pair[i].by.z;
    c->critical = rd_deviate(RD_COMPARE_LEVEL / fmax(1.0, (double)c->n_tested));
    if (good) {
        c->n_differing = rd_holm(z, c->n_tested, RD_COMPARE_LEVEL, differs, e);
        good = c->n_differing >= 0;
    }
    for (int64_t i = 0, k = 0; good && i < n; i++)
        if (c->pair[i].is_tested)
            c->pair[i].differs = differs[k++];
    free(z);
    free(differs);
    return good;
}

static bool compare_all_times(struct rd_comparison *c, struct rd_error *e)
{
    c->pair = calloc((size_t)(c->n_times * c->n_species * RD_N_COMPARED), sizeof *c->pair);
    if (!c->pair)
        return rd_fail(e, "out of memory for the comparison");
    for (int64_t t = 0; t < c->n_times; t++)
        for (int64_t i = 0; i < c->n_species; i++)
            compare_pair(&c->pair[(t * c->n_species + i) * RD_N_COMPARED], moments_of(c, 0, t, i),
                         moments_of(c, 1, t, i));
    return decide(c, e);
}

bool rd_comparison_make(struct rd_comparison *c, const char *a, const char *b, struct rd_error *e)
{
    struct rd_h5_cause cause = {0};
    *c = (struct rd_comparison){0};
    rd_h5_listen(&cause);
    const bool first = rd_total_moments_read(&c->of[0], a, e),
               second = rd_total_moments_read(&c->of[1], b, e);
    rd_h5_listen(NULL);
    if (!first || !second)
        return false;
    const bool enough = check_enough_runs(&c->of[0], e), too = check_enough_runs(&c->of[1], e);
    return enough && too && match(c, e) && compare_all_times(c, e);
}

void rd_comparison_free(struct rd_comparison *c)
{
    for (int i = 0; i < 2; i++) {
        rd_total_moments_free(&c->of[i]);
        free(c->time[i]);
        free(c->species[i]);
    }
    free(c->pair);
    *c = (struct rd_comparison){0};
}

bool rd_comparison_has(const int64_t *shared, int64_t n, int64_t number)
{
    for (int64_t i = 0; i < n; i++)
        if (shared[i] == number)
            return true;
    return false;
}

const struct rd_compared_pair *rd_comparison_pair(const struct rd_comparison *c, int64_t time,
                                                  int64_t species, enum rd_compared what)
{
    return &c->pair[(time * c->n_species + species) * RD_N_COMPARED + (int)what];
}

double rd_comparison_finds(const struct rd_comparison *c, const struct rd_compared_pair *p)
{
    const double nine_of_ten =
        1.2816; /* the normal distribution is below it with probability 0.9 */
    return (c->critical + nine_of_ten) * p->by.error;
}

bool rd_comparison_shares_seed(const struct rd_comparison *c)
{
    return c->of[0].seed == c->of[1].seed; /* NAN, an unknown one, is none */
}
