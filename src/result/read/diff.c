/* diff - `rdsim diff`: compares the data of two results, and reports the first difference.
   Provenance is not compared. */
#define _POSIX_C_SOURCE 200809L
#include "result/read/result_reader.h"

#include "hdf5/hdf5_file.h"
#include "result/files/open_result.h"
#include "result/read/diff_counts.h"
#include "result/read/diff_values.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct diff_comparison {
    struct rd_side side[2];
    char group[RD_NAME_BYTES + 1]; /* of the output, with a slash, before paths; "": the root */
    int64_t n_times;               /* number of times that are compared: those that both have */
    bool is_cut;                   /* one of them has more */
    bool may_be_shorter;           /* the first may end early: the second is compared up to there */
    FILE *out;
    int64_t n_different, n_sets;     /* values that differ; data sets that have some */
    int64_t n_all_times, n_all_sets; /* in all groups */
    double end;                      /* last time of all groups */
    double first;                    /* time of the first difference */
    char first_set[256];
};

/* ---- reports of differences ---- */

/* Counts n values of the data set that differ; the first one is at that time. */
static void count_differences(struct diff_comparison *c, const char *set, int64_t n, double time)
{
    if (c->n_sets == 0 || time < c->first) {
        c->first = time;
        snprintf(c->first_set, sizeof c->first_set, "/%s%s", c->group, set);
    }
    c->n_different += n;
    c->n_sets++;
}

static double end_time_of(const struct diff_comparison *c)
{
    return c->n_times > 0 ? c->side[0].time[c->n_times - 1] : 0;
}

/* Reports a data set or group that cannot be compared, and counts it as a difference. */
static void report_whole(struct diff_comparison *c, const char *path, const char *what,
                         const char *where)
{
    fprintf(c->out, "/%s%s: %s%s\n", c->group, path, what, where);
    count_differences(c, path, 1, end_time_of(c));
}

/* Compares the times. The first times that differ end the comparison of all data. */
static void compare_output_times(struct diff_comparison *c)
{
    const struct rd_side *const a = &c->side[0], *const b = &c->side[1];
    const int64_t least = a->n_times < b->n_times ? a->n_times : b->n_times;
    while (c->n_times < least &&
           memcmp(&a->time[c->n_times], &b->time[c->n_times], sizeof *a->time) == 0)
        c->n_times++;
    c->is_cut = c->is_cut || c->n_times < a->n_times || c->n_times < b->n_times;
    if (c->n_times < least) {
        fprintf(c->out, "/%stime: differs from number %lld on: %.17g and %.17g\n", c->group,
                (long long)c->n_times, a->time[c->n_times], b->time[c->n_times]);
        count_differences(c, "time", least - c->n_times, a->time[c->n_times]);
    } else if (c->is_cut && !(c->may_be_shorter && c->n_times == a->n_times)) {
        fprintf(c->out, "/%stime: %lld snapshots in %s, %lld in %s; compared up to t = %.10g\n",
                c->group, (long long)a->n_times, a->path, (long long)b->n_times, b->path,
                end_time_of(c));
        count_differences(c, "time", llabs(a->n_times - b->n_times), end_time_of(c));
    }
}

/* ---- one data set ---- */

static int lengths_of(hid_t set, hsize_t length[RD_RANK_MOST])
{
    const hid_t space = H5Dget_space(set);
    const int rank = H5Sget_simple_extent_ndims(space);
    if (rank > 0 && rank <= RD_RANK_MOST)
        H5Sget_simple_extent_dims(space, length, NULL);
    rd_h5_drop(space);
    return rank;
}

/* Reads one number of a data set in the same group as path; returns false if there is none. */
static bool number_in_group(hid_t file, const char *path, const char *name, int rank,
                            const hsize_t *at, double *number)
{
    static const hsize_t one[2] = {1, 1};
    char *const sibling = malloc(strlen(path) + strlen(name) + 2);
    if (!sibling)
        return false;
    strcpy(strrchr(strcpy(sibling, path), '/') + 1, name);
    const hid_t set = rd_h5_open(file, sibling);
    const hid_t space = set < 0 ? H5I_INVALID_HID : H5Dget_space(set);
    const hid_t memory = H5Screate_simple(rank, one, NULL);
    const bool good = space >= 0 && H5Sget_simple_extent_ndims(space) == rank &&
                      H5Sselect_hyperslab(space, H5S_SELECT_SET, at, NULL, one, NULL) >= 0 &&
                      H5Dread(set, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, number) >= 0;
    rd_h5_drop(memory);
    rd_h5_drop(space);
    rd_h5_drop(set);
    free(sibling);
    return good;
}

/* Returns the number of rows of individuals before those of this time and run (indices). */
static double rows_before(const struct diff_comparison *c, const char *path, int64_t time,
                          int64_t run)
{
    double rows = 0;
    const hsize_t at[2] = {(hsize_t)time, (hsize_t)run};
    return number_in_group(c->side[0].at, path, "row_start", 2, at, &rows) ? rows : INFINITY;
}

/* Finds the time and run of a row of individuals: the last ones with no more rows before them. */
static void find_row(const struct diff_comparison *c, const char *path, hsize_t row, int64_t *time,
                     int64_t *run)
{
    int64_t beyond = c->n_times * c->side[0].n_runs, place = 0;
    while (beyond - place > 1) {
        const int64_t middle = place + (beyond - place) / 2;
        if (rows_before(c, path, middle / c->side[0].n_runs, middle % c->side[0].n_runs) <=
            (double)row)
            place = middle;
        else
            beyond = middle;
    }
    *time = place / c->side[0].n_runs;
    *run = place % c->side[0].n_runs;
}

/* Returns whether the variable has one value for each run. */
static bool is_of_runs(const struct rd_variable *v)
{
    return v == &rd_run_variables[RD_STOPPED];
}

/* Returns the length along the growing axis up to which a data set is compared. */
static hsize_t length_compared(const struct diff_comparison *c, const char *path,
                               const struct rd_variable *v, hsize_t a, hsize_t b)
{
    const hsize_t least = a < b ? a : b;
    if (is_of_runs(v))
        return c->is_cut ? 0 : least;
    if (rd_axis_place(v, RD_AXIS_TIME) >= 0)
        return (hsize_t)c->n_times < least ? (hsize_t)c->n_times : least;
    if (!c->is_cut || v->tables & (RD_BIRTHS | RD_DEATHS | RD_FIRINGS) ||
        c->n_times == c->side[0].n_times)
        return least;
    const double rows = rows_before(c, path, c->n_times, 0);
    return rows < (double)least ? (hsize_t)rows : least;
}

/* Returns whether an axis has the length of its coordinates. Axes of voxels and rows may have
   any length. */
static bool is_axis_whole(const struct rd_side *s, enum rd_axis axis, hsize_t length)
{
    switch (axis) {
    case RD_AXIS_RUN:
        return length == (hsize_t)s->n_runs;
    case RD_AXIS_TIME:
        return length == (hsize_t)s->n_times;
    case RD_AXIS_SPECIES:
    case RD_AXIS_SPECIES_2:
        return length == (hsize_t)s->n_species;
    case RD_AXIS_REACTION:
        return length == (hsize_t)s->n_reactions;
    case RD_AXIS_FACE:
        return length == (hsize_t)s->n_faces;
    case RD_AXIS_REGION:
        return length == (hsize_t)s->n_regions;
    case RD_AXIS_OBSERVABLE:
        return length == (hsize_t)s->n_observables;
    case RD_AXIS_VALUE:
        return length == (hsize_t)s->n_values;
    default:
        return true;
    }
}

/* Returns whether runs faulted: these have missing values at later times. */
static bool have_faults(const struct rd_side side[2])
{
    return H5Lexists(side[0].file, "faults", H5P_DEFAULT) > 0 ||
           H5Lexists(side[1].file, "faults", H5P_DEFAULT) > 0;
}

/* Holds a data set of both results. */
struct data_set_pair {
    const char *path;
    const struct rd_variable *of;
    struct rd_values values;
    hsize_t rows[2]; /* length along the growing axis */
};

/* Opens the data set in both results, and sets the part that is compared. Counts a different
   shape as a difference. */
static bool open_pair(struct diff_comparison *c, struct data_set_pair *p)
{
    hsize_t length[2][RD_RANK_MOST];
    bool fits = true;
    for (int i = 0; i < 2; i++) {
        const hid_t set = H5Dopen2(c->side[i].at, p->path, H5P_DEFAULT);
        const struct rd_variable *const here = rd_sides_variable(p->path, set);
        p->values.set[i] = set;
        fits =
            fits && here && (i == 0 || here == p->of) && lengths_of(set, length[i]) == here->rank;
        for (int k = 0; fits && k < here->rank && !is_of_runs(here); k++)
            fits = is_axis_whole(&c->side[i], here->axis[k], length[i][k]);
        p->of = here;
    }
    fits = fits && (p->of->tables != RD_BY || rd_sides_have_same_range(c->side, p->path));
    for (int k = 0; fits && k < p->of->rank; k++)
        fits = k == rd_growth_place(p->of) || length[0][k] == length[1][k];
    if (!fits) {
        report_whole(c, p->path, "of another shape or type", "");
        return false;
    }
    struct rd_values *const v = &p->values;
    v->rank = p->of->rank;
    v->first = is_of_runs(p->of) ? 0 : rd_growth_place(p->of);
    v->number = p->of->number;
    v->never_negative = (p->of->tables & (RD_SNAPSHOTS | RD_BY)) && v->number != RD_REAL &&
                        !(rd_axis_place(p->of, RD_AXIS_RUN) >= 0 && have_faults(c->side));
    memcpy(v->length, length[0], sizeof v->length);
    p->rows[0] = length[0][v->first];
    p->rows[1] = length[1][v->first];
    v->length[v->first] = length_compared(c, p->path, p->of, p->rows[0], p->rows[1]);
    return true;
}

static void report_voxel(const struct diff_comparison *c, const hsize_t at[3])
{
    fprintf(c->out, ", voxel (%llu, %llu, %llu)", (unsigned long long)at[2],
            (unsigned long long)at[1], (unsigned long long)at[0]);
}

/* Returns the time of a place, and sets *number to the number of its run; -1 if it has none. */
static double time_of_place(const struct diff_comparison *c, const char *path,
                            const struct rd_variable *of, const hsize_t *at, int64_t *number)
{
    const struct rd_side *const s = &c->side[0];
    int64_t time = rd_axis_place(of, RD_AXIS_TIME), run = rd_axis_place(of, RD_AXIS_RUN);
    double real_time = 0, real_run = -1;
    if (rd_sides_is_log(path)) {
        number_in_group(s->at, path, "time", 1, at, &real_time);
        number_in_group(s->at, path, "run", 1, at, &real_run);
        *number = (int64_t)real_run;
        return real_time;
    }
    if (is_of_runs(of)) {
        *number = s->run[0] + (int64_t)at[0];
        return end_time_of(c);
    }
    if (time >= 0) {
        time = (int64_t)at[time];
        run = run >= 0 ? (int64_t)at[run] : -1;
    } else {
        find_row(c, path, at[0], &time, &run);
    }
    *number = run >= 0 ? s->run[run] : -1;
    return s->time[time];
}

/* Prints the place of the first difference, axis by axis; returns its time. */
static double report_place(const struct diff_comparison *c, const char *path,
                           const struct rd_variable *of, const hsize_t *at)
{
    const struct rd_side *const s = &c->side[0];
    int64_t run;
    double bin;
    const double time = time_of_place(c, path, of, at, &run);
    fprintf(c->out, "t = %.10g", time);
    if (run >= 0)
        fprintf(c->out, ", run %lld", (long long)run);
    for (int i = 0; i < of->rank; i++)
        if (of->axis[i] == RD_AXIS_SPECIES || of->axis[i] == RD_AXIS_SPECIES_2)
            fprintf(c->out, ", species %s", s->species[at[i]]);
        else if (of->axis[i] == RD_AXIS_REACTION)
            fprintf(c->out, ", reaction %s", s->reaction[at[i]]);
        else if (of->axis[i] == RD_AXIS_FACE)
            fprintf(c->out, ", face %s", s->face[at[i]]);
        else if (of->axis[i] == RD_AXIS_REGION)
            fprintf(c->out, ", region %s", s->region[at[i]]);
        else if (of->axis[i] == RD_AXIS_OBSERVABLE)
            fprintf(c->out, ", observable %s", s->observable[at[i]]);
        else if (of->axis[i] == RD_AXIS_VALUE)
            fprintf(c->out, ", value %s", s->value[at[i]]);
        else if (of->axis[i] == RD_AXIS_BIN &&
                 number_in_group(s->at, path, "value", 1, at + i, &bin))
            fprintf(c->out, ", value %.0f", bin);
        else if (of->axis[i] == RD_AXIS_Z)
            report_voxel(c, at + i);
        else if (of->axis[i] == RD_AXIS_ROW)
            fprintf(c->out, ", row %llu", (unsigned long long)at[i]);
    return time;
}

/* Checks for values that were never written, which read as -1: their segment is missing. */
static bool check_missing(const struct diff_comparison *c, const char *path,
                          const struct rd_difference *d, struct rd_error *e)
{
    for (int i = 0; i < 2; i++)
        if (d->is_missing[i])
            return rd_fail(e,
                           "%s: some of /%s%s is missing; put the segments '%s.parts' of a killed "
                           "run into its folder, or try again if the run continues",
                           c->side[i].path, c->group, path, c->side[i].path);
    return true;
}

/* Returns whether the rows that one log has more than the other are later than the last snapshot: a
   run that was interrupted has stored them with its checkpoint. */
static bool are_rows_later(const struct diff_comparison *c, const struct data_set_pair *p)
{
    const int longer = p->rows[1] > p->rows[0];
    double time;
    return c->may_be_shorter && rd_sides_is_log(p->path) &&
           number_in_group(c->side[longer].at, p->path, "time", 1, &p->rows[!longer], &time) &&
           time > end_time_of(c);
}

static void report_pair(struct diff_comparison *c, const struct data_set_pair *p,
                        const struct rd_difference *d)
{
    const bool is_longer = !c->is_cut && p->rows[0] != p->rows[1] && !are_rows_later(c, p);
    if (d->n == 0 && !is_longer)
        return;
    double time = end_time_of(c);
    fprintf(c->out, "/%s%s: ", c->group, p->path);
    if (d->n > 0) {
        fprintf(c->out, "%lld value%s, first at ", (long long)d->n,
                d->n == 1 ? " differs" : "s differ");
        time = report_place(c, p->path, p->of, d->at);
        fprintf(c->out, ": %s and %s%s", d->value[0], d->value[1], is_longer ? "; " : "");
    }
    if (is_longer)
        fprintf(c->out, "%llu rows and %llu", (unsigned long long)p->rows[0],
                (unsigned long long)p->rows[1]);
    fputc('\n', c->out);
    count_differences(c, p->path, d->n + is_longer, time);
}

static bool compare_set(struct diff_comparison *c, const char *path, struct rd_error *e)
{
    struct data_set_pair p = {.path = path};
    struct rd_difference d;
    bool good = true;
    if (open_pair(c, &p)) {
        good = rd_values_compare(&p.values, &d, path, e) && check_missing(c, path, &d, e);
        if (good)
            report_pair(c, &p, &d);
    }
    rd_h5_drop(p.values.set[0]);
    rd_h5_drop(p.values.set[1]);
    return good;
}

/* ---- counts as rows ---- */

static bool any_is_sparse(const struct diff_comparison *c)
{
    return c->side[0].is_sparse || c->side[1].is_sparse;
}

/* Compares counts of which at least one side has rows. */
static bool compare_counts(struct diff_comparison *c, struct rd_error *e)
{
    struct rd_counts_difference d;
    struct rd_difference missing = {0};
    if (!rd_counts_compare(c->side, c->n_times, &d, e))
        return false;
    for (int i = 0; i < 2; i++)
        missing.is_missing[i] = d.is_missing[i] && !have_faults(c->side);
    if (!check_missing(c, "counts", &missing, e))
        return false;
    rd_counts_report(c->side, &d, c->group, c->out);
    if (d.n > 0)
        count_differences(c, "counts", d.n, c->side[0].time[d.time]);
    return true;
}

/* ---- all data sets ---- */

/* Reports a data set that one side alone compares. The other side may have another object there. */
static void report_one_side(struct diff_comparison *c, const char *path, int side)
{
    const hid_t other = rd_h5_open(c->side[1 - side].at, path);
    report_whole(c, path, other < 0 ? "only in " : "of another shape or type",
                 other < 0 ? c->side[side].path : "");
    rd_h5_drop(other);
}

/* Compares the data sets of both lists, which are sorted. */
static bool compare_sets(struct diff_comparison *c, struct rd_error *e)
{
    const struct rd_side *const s = c->side;
    bool good = true;
    for (int64_t i = 0, k = 0; good && (i < s[0].n_sets || k < s[1].n_sets);) {
        const int order = i == s[0].n_sets   ? 1
                          : k == s[1].n_sets ? -1
                                             : strcmp(s[0].set[i], s[1].set[k]);
        const char *const path = order <= 0 ? s[0].set[i] : s[1].set[k];
        if (any_is_sparse(c) && strcmp(path, "counts") == 0)
            good = true; /* compare_counts does it */
        else if (order == 0)
            good = compare_set(c, s[0].set[i], e);
        else
            report_one_side(c, path, order < 0 ? 0 : 1);
        i += order <= 0;
        k += order >= 0;
    }
    return good;
}

static void report_end(const struct diff_comparison *c)
{
    const struct rd_side *const s = c->side;
    if (c->n_sets == 0)
        fprintf(c->out, "identical: %lld times to t = %.10g, %lld run%s, %lld data sets\n",
                (long long)c->n_all_times, c->end, (long long)s->n_runs, s->n_runs == 1 ? "" : "s",
                (long long)c->n_all_sets);
    else
        fprintf(c->out, "different: %lld values in %lld data sets, first at t = %.10g in %s\n",
                (long long)c->n_different, (long long)c->n_sets, c->first, c->first_set);
}

/* Compares what is in the present group. */
static bool compare_group(struct diff_comparison *c, struct rd_error *e)
{
    compare_output_times(c);
    c->n_all_times += c->n_times;
    c->n_all_sets += c->side[0].n_sets + c->side[0].is_sparse;
    c->end = fmax(c->end, end_time_of(c));
    return compare_sets(c, e) && (!any_is_sparse(c) || compare_counts(c, e));
}

static bool has_group(const struct rd_groups *groups, const char *name)
{
    for (int i = 0; i < groups->n; i++)
        if (strcmp(groups->name[i], name) == 0)
            return true;
    return false;
}

/* Compares a group of the output that has a name. */
static bool compare_named(struct diff_comparison *c, const char *name, struct rd_error *e)
{
    struct rd_side root[2];
    memcpy(root, c->side, sizeof root);
    const bool was_cut = c->is_cut;
    c->n_times = 0;
    c->is_cut = false;
    snprintf(c->group, sizeof c->group, "%s/", name);
    const bool good = rd_sides_enter(c->side, root, name, e) && compare_group(c, e);
    rd_sides_leave(c->side);
    memcpy(c->side, root, sizeof root);
    c->n_times = 0;
    c->is_cut = c->is_cut || was_cut;
    c->group[0] = 0;
    return good;
}

/* Compares the groups of the output that have names. */
static bool compare_all_named(struct diff_comparison *c, struct rd_error *e)
{
    bool good = true;
    for (int side = 0; good && side < 2; side++) {
        const struct rd_groups *const here = &c->side[side].groups;
        for (int i = 0; good && i < here->n; i++)
            if (!has_group(&c->side[1 - side].groups, here->name[i]))
                report_whole(c, here->name[i], "only in ", c->side[side].path);
            else if (side == 0)
                good = compare_named(c, here->name[i], e);
    }
    return good;
}

bool rd_store_diff(const char *a, const char *b, bool may_be_shorter, FILE *out, bool *same,
                   struct rd_error *e)
{
    struct rd_h5_cause cause = {0};
    struct diff_comparison c = {.out = out, .may_be_shorter = may_be_shorter};
    rd_h5_listen(&cause);
    const bool good =
        rd_sides_open(c.side, a, b, e) && compare_all_named(&c, e) && compare_group(&c, e);
    if (good)
        report_end(&c);
    *same = good && c.n_sets == 0;
    rd_sides_close(c.side);
    rd_h5_listen(NULL);
    return good;
}
