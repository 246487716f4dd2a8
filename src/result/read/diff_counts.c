/* diff_counts - compares the counts of two results of which at least one has them as rows: lists of
   what is not 0 are merged, run by run and time by time. */
#include "result/read/diff_counts.h"

#include "result/read/counts_reader.h"

#include <stdlib.h>

/* Counts a difference at a place, and keeps the first one. */
static void count_difference(struct rd_counts_difference *d, int64_t time, int64_t run,
                             int64_t place, int64_t n_sites, int64_t a, int64_t b)
{
    if (d->n++ > 0)
        return;
    d->time = time;
    d->run = run;
    d->species = place / n_sites;
    d->site = place % n_sites;
    d->value[0] = a;
    d->value[1] = b;
}

static void compare_lists(const struct rd_counts_list l[2], int64_t time, int64_t run,
                          int64_t n_sites, struct rd_counts_difference *d)
{
    for (int i = 0; i < 2; i++)
        d->is_missing[i] = d->is_missing[i] || l[i].is_missing;
    if (l[0].is_missing || l[1].is_missing) {
        if (l[0].is_missing != l[1].is_missing)
            count_difference(d, time, run, 0, n_sites, l[0].is_missing ? -1 : 0,
                             l[1].is_missing ? -1 : 0);
        return;
    }
    for (int64_t i = 0, k = 0; i < l[0].n || k < l[1].n;) {
        const int64_t a = i < l[0].n ? l[0].of[i].place : INT64_MAX;
        const int64_t b = k < l[1].n ? l[1].of[k].place : INT64_MAX;
        const int64_t x = a <= b ? l[0].of[i].count : 0, y = b <= a ? l[1].of[k].count : 0;
        if (x != y)
            count_difference(d, time, run, a < b ? a : b, n_sites, x, y);
        i += a <= b;
        k += b <= a;
    }
}

static bool compare_all_counts(const struct rd_counts_reader r[2], int64_t n_times,
                               struct rd_counts_difference *d, struct rd_error *e)
{
    struct rd_counts_list l[2] = {{0}};
    bool good = true;
    for (int64_t time = 0; good && time < n_times; time++)
        for (int64_t run = 0; good && run < r[0].n_runs; run++) {
            good = rd_counts_read(&r[0], run, time, &l[0], e) &&
                   rd_counts_read(&r[1], run, time, &l[1], e);
            if (good)
                compare_lists(l, time, run, r[0].n_sites, d);
        }
    rd_counts_list_free(&l[0]);
    rd_counts_list_free(&l[1]);
    return good;
}

bool rd_counts_compare(const struct rd_side side[2], int64_t n_times,
                       struct rd_counts_difference *d, struct rd_error *e)
{
    struct rd_counts_reader r[2] = {{0}};
    bool good = true;
    *d = (struct rd_counts_difference){0};
    for (int i = 0; good && i < 2; i++) {
        r[i].prefix = "";
        r[i].path = side[i].path;
        good = rd_counts_open(&r[i], side[i].at, side[i].n_runs, side[i].n_times, side[i].n_species,
                              e);
        d->is_there[i] = r[i].is_there;
    }
    if (good && d->is_there[0] && d->is_there[1])
        good = (r[0].n_sites == r[1].n_sites ||
                rd_fail(e, "%s and %s have counts of different voxels; compare results of one grid",
                        side[0].path, side[1].path)) &&
               compare_all_counts(r, n_times, d, e);
    else if (good)
        count_difference(d, n_times > 0 ? n_times - 1 : 0, 0, 0, 1, 0, 0);
    rd_counts_close(&r[0]);
    rd_counts_close(&r[1]);
    return good;
}

void rd_counts_report(const struct rd_side side[2], const struct rd_counts_difference *d,
                      const char *group, FILE *out)
{
    const struct rd_side *const s = &side[0];
    int64_t nx = 0, ny = 0;
    if (d->is_there[0] != d->is_there[1])
        fprintf(out, "/%scounts: only in %s\n", group, side[d->is_there[0] ? 0 : 1].path);
    if (d->n == 0 || d->is_there[0] != d->is_there[1])
        return;
    free(rd_result_reals(s->at, "x", &nx));
    free(rd_result_reals(s->at, "y", &ny));
    fprintf(out,
            "/%scounts: %lld value%s, first at t = %.10g, run %lld, species %s, voxel (%lld, %lld, "
            "%lld): %lld and %lld\n",
            group, (long long)d->n, d->n == 1 ? " differs" : "s differ", s->time[d->time],
            (long long)s->run[d->run], s->species[d->species], (long long)(d->site % nx),
            (long long)(d->site / nx % ny), (long long)(d->site / nx / ny), (long long)d->value[0],
            (long long)d->value[1]);
}
