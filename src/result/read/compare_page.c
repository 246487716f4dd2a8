/* compare_page - prints the comparison of two ensembles as a page. */
#include "result/read/compare.h"

#include <math.h>

enum { NAMED = 8 }; /* number of times and species that are named, at most */

static const char *const compared_name[RD_N_COMPARED] = {"mean", "variance"};

/* ---- what is compared ---- */

static void print_ensemble(FILE *out, const char *label, const struct rd_total_moments *s)
{
    fprintf(out, "%-12s%s: ", label, s->path);
    if (s->is_exact)
        fprintf(out, "exact means and deviations");
    else
        fprintf(out, "%.0f runs", s->n_runs);
    if (!isnan(s->seed))
        fprintf(out, ", seed %.0f", s->seed);
    fputc('\n', out);
}

/* Prints the times that only one side has. */
static void print_other_times(FILE *out, const struct rd_comparison *c, int side)
{
    const struct rd_total_moments *const s = &c->of[side];
    const int64_t n = s->n_times - c->n_times;
    if (n <= 0)
        return;
    fprintf(out, "            %lld only in %s:", (long long)n, s->path);
    for (int64_t i = 0, named = 0; i < s->n_times && named < NAMED; i++)
        if (!rd_comparison_has(c->time[side], c->n_times, i))
            fprintf(out, "%s %.10g", named++ ? "," : "", s->time[i]);
    fprintf(out, "%s\n", n > NAMED ? ", ..." : "");
}

static void print_other_species(FILE *out, const struct rd_comparison *c, int side)
{
    const struct rd_total_moments *const s = &c->of[side];
    const int64_t n = s->n_species - c->n_species;
    if (n <= 0)
        return;
    fprintf(out, "            %lld only in %s:", (long long)n, s->path);
    for (int64_t i = 0, named = 0; i < s->n_species && named < NAMED; i++)
        if (!rd_comparison_has(c->species[side], c->n_species, i))
            fprintf(out, "%s %s", named++ ? "," : "", s->species[i]);
    fprintf(out, "%s\n", n > NAMED ? ", ..." : "");
}

static void print_comparison_head(FILE *out, const struct rd_comparison *c)
{
    const double first = c->of[0].time[c->time[0][0]];
    print_ensemble(out, "A", &c->of[0]);
    print_ensemble(out, "B", &c->of[1]);
    fprintf(out, "times       %lld in both, from %.10g to %.10g\n", (long long)c->n_times, first,
            c->of[0].time[c->time[0][c->n_times - 1]]);
    print_other_times(out, c, 0);
    print_other_times(out, c, 1);
    fprintf(out, "species     %lld in both\n", (long long)c->n_species);
    print_other_species(out, c, 0);
    print_other_species(out, c, 1);
    fprintf(out, "tests       %lld of means and variances", (long long)c->n_tested);
    const int64_t n_left = c->n_times * c->n_species * RD_N_COMPARED - c->n_tested;
    if (n_left > 0)
        fprintf(out, "; %lld more are constant and equal, or have too few runs", (long long)n_left);
    fprintf(out, "\nlevel       %g for all together (Holm): |z| above %.3g is a difference\n",
            RD_COMPARE_LEVEL, c->critical);
}

/* ---- comparisons ---- */

static void print_comparison_row(FILE *out, const struct rd_comparison *c, int64_t t, int64_t i,
                                 enum rd_compared what)
{
    const struct rd_compared_pair *const p = rd_comparison_pair(c, t, i, what);
    fprintf(out, "%-16s %-8s %10.6g %12.6g %12.6g", c->of[0].species[c->species[0][i]],
            compared_name[what], c->of[0].time[c->time[0][t]], p->value[0], p->value[1]);
    if (p->is_tested)
        fprintf(out, " %8.2f %12.3g%s\n", p->by.z, rd_comparison_finds(c, p),
                p->differs ? "  differs" : "");
    else
        fprintf(out, " %8s %12s\n", "-", "-");
}

/* Returns the time at which the species' means or variances differ most; -1 if none is tested. */
static int64_t find_largest(const struct rd_comparison *c, int64_t i, enum rd_compared what)
{
    int64_t at = -1;
    for (int64_t t = 0; t < c->n_times; t++) {
        const struct rd_compared_pair *const p = rd_comparison_pair(c, t, i, what);
        if (p->is_tested &&
            (at < 0 || fabs(p->by.z) > fabs(rd_comparison_pair(c, at, i, what)->by.z)))
            at = t;
    }
    return at;
}

static void print_comparison_rows(FILE *out, const struct rd_comparison *c, bool all)
{
    fprintf(out, "\n%-16s %-8s %10s %12s %12s %8s %12s\n", "species", "", "time", "A", "B", "z",
            "finds");
    for (int64_t i = 0; i < c->n_species; i++)
        for (int what = 0; what < RD_N_COMPARED; what++) {
            const int64_t largest = find_largest(c, i, (enum rd_compared)what);
            for (int64_t t = 0; t < c->n_times; t++)
                if (all || t == largest)
                    print_comparison_row(out, c, t, i, (enum rd_compared)what);
        }
    fprintf(out, "%s; 'finds' is the difference that a test finds in 9 of 10 cases\n\n",
            all ? "Every comparison" : "The time of the largest |z|; --all prints every time");
}

/* Prints the range of the relative differences that the tests find. */
static void print_power(FILE *out, const struct rd_comparison *c, enum rd_compared what)
{
    double least = INFINITY, most = 0.0;
    for (int64_t t = 0; t < c->n_times; t++)
        for (int64_t i = 0; i < c->n_species; i++) {
            const struct rd_compared_pair *const p = rd_comparison_pair(c, t, i, what);
            const double size = fmax(fabs(p->value[0]), fabs(p->value[1]));
            if (!p->is_tested || size <= 0.0)
                continue;
            least = fmin(least, rd_comparison_finds(c, p) / size);
            most = fmax(most, rd_comparison_finds(c, p) / size);
        }
    if (most > 0.0)
        fprintf(out, "            A %s that differs by %.2g %% to %.2g %% would be found\n",
                compared_name[what], 100.0 * least, 100.0 * most);
}

static void print_verdict(FILE *out, const struct rd_comparison *c)
{
    if (c->n_differing > 0)
        fprintf(out, "verdict     differ: %lld of %lld comparisons\n", (long long)c->n_differing,
                (long long)c->n_tested);
    else
        fprintf(out, "verdict     agree: none of %lld comparisons differs\n",
                (long long)c->n_tested);
    print_power(out, c, RD_OF_MEANS);
    print_power(out, c, RD_OF_VARIANCES);
    if (rd_comparison_shares_seed(c))
        fprintf(out,
                "warning     both have seed %.0f: their runs may share random numbers, and agree "
                "more than\n            independent runs would; give one another --seed\n",
                c->of[0].seed);
}

bool rd_store_compare(const char *a, const char *b, bool json, bool all, FILE *out, bool *same,
                      struct rd_error *e)
{
    struct rd_comparison c;
    const bool good = rd_comparison_make(&c, a, b, e);
    *same = good && c.n_differing == 0;
    if (good && json) {
        rd_comparison_json(&c, out);
    } else if (good) {
        print_comparison_head(out, &c);
        print_comparison_rows(out, &c, all);
        print_verdict(out, &c);
    }
    rd_comparison_free(&c);
    return good;
}
