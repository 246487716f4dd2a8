/* snapshot_checks - checks that an earlier result has what initial values are read from. */
#include "result/read/snapshot_checks.h"

#include "result/files/open_result.h"

#include <math.h>

static bool check_columns(struct rd_reading *r, struct rd_error *e)
{
    if (r->counts < 0 && !r->is_sparse)
        return rd_fail(e,
                       "%s%s: contains no counts of voxels; write them with output.keep = \"all\"",
                       r->prefix, r->path);
    const hsize_t *const there = r->length;
    if (r->is_sparse && r->n_runs > 0 && r->n_times > 0)
        return rd_counts_open(&r->rows, r->at, r->n_runs, r->n_times, r->n_species, e);
    return ((hsize_t)r->n_runs == there[0] && (hsize_t)r->n_times == there[1] &&
            (hsize_t)r->n_species == there[2] && r->n_runs > 0 && r->n_times > 0) ||
           rd_fail(e, "%s%s: its counts do not fit its runs, times and species", r->prefix,
                   r->path);
}

/* Checks that a request for all species leaves none out. */
static bool check_all_species(const struct rd_reading *r, struct rd_error *e)
{
    return !r->wanted->is_all || !r->omitted ||
           rd_fail(e,
                   "%s%s: has no counts of %s, which its output left out; name the wanted species",
                   r->prefix, r->path, r->omitted);
}

static bool check_same_grid(const struct rd_reading *r, struct rd_error *e)
{
    const hsize_t *const there = r->length;
    const int32_t *const size = r->wanted->size;
    if (there[3] != (hsize_t)size[2] || there[4] != (hsize_t)size[1] ||
        there[5] != (hsize_t)size[0])
        return rd_fail(e,
                       "%s%s: has %llu x %llu x %llu voxels, and this grid has %d x %d x %d; use "
                       "the same grid",
                       r->prefix, r->path, (unsigned long long)there[5],
                       (unsigned long long)there[4], (unsigned long long)there[3], (int)size[0],
                       (int)size[1], (int)size[2]);
    const double *const here = r->wanted->edge;
    double edge[3];
    rd_result_edges(r->file, edge);
    for (int i = 0; i < 3; i++)
        if (!(fabs(edge[i] - here[i]) <= 1e-9 * here[i]))
            return rd_fail(e,
                           "%s%s: has voxels of %.10g x %.10g x %.10g, and this grid of %.10g x "
                           "%.10g x %.10g; use the same grid",
                           r->prefix, r->path, edge[0], edge[1], edge[2], here[0], here[1],
                           here[2]);
    return true;
}

bool rd_reading_check(struct rd_reading *r, struct rd_error *e)
{
    return check_columns(r, e) && check_all_species(r, e) && check_same_grid(r, e);
}

bool rd_reading_find_time(const struct rd_reading *r, int64_t *place, struct rd_error *e)
{
    const double at_time = r->wanted->at_time;
    int64_t nearest = r->n_times - 1;
    *place = nearest;
    if (isnan(at_time))
        return true;
    for (int64_t i = 0; i < r->n_times; i++)
        if (fabs(r->time[i] - at_time) < fabs(r->time[nearest] - at_time))
            nearest = i;
    *place = nearest;
    if (fabs(r->time[nearest] - at_time) <= 1e-9 * fabs(at_time))
        return true;
    return rd_fail(e, "%s%s: has no snapshot at time %.10g; use the nearest one, at %.10g",
                   r->prefix, r->path, at_time, r->time[nearest]);
}

bool rd_reading_find_run(const struct rd_reading *r, int64_t *place, struct rd_error *e)
{
    const int64_t run = r->wanted->run;
    *place = 0;
    if (r->n_runs == 1)
        return true;
    for (int64_t i = 0; i < r->n_runs; i++)
        if (r->run[i] == run) {
            *place = i;
            return true;
        }
    return rd_fail(e, "%s%s: has no run %lld; use a run from %lld to %lld", r->prefix, r->path,
                   (long long)run, (long long)r->run[0], (long long)r->run[r->n_runs - 1]);
}
