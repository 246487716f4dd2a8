/* table - prints the totals of a result as rows of text. */
#include "result/read/table.h"

#include "base/memory.h"
#include "base/text.h"
#include "hdf5/hdf5_file.h"
#include "result/files/open_result.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Holds numbers of one kind: of species in all voxels or in a region, of observables, or of
   individuals by an attribute. */
struct table_kind {
    const char *names; /* data set with their names */
    enum rd_variable_name totals, mean, variance;
    bool is_by_region;
};

static const struct table_kind OF_SPECIES = {"species", RD_TOTALS, RD_TOTAL_MEAN, RD_TOTAL_VARIANCE,
                                             false};
static const struct table_kind OF_REGIONS = {"species", RD_REGION_TOTALS, RD_REGION_MEAN,
                                             RD_REGION_VARIANCE, true};
static const struct table_kind OF_OBSERVABLES = {"observable", RD_OBSERVABLES, RD_OBSERVABLE_MEAN,
                                                 RD_OBSERVABLE_VARIANCE, false};

static const struct table_kind OF_BY = {"value", RD_BY_COUNTS, RD_BY_MEAN, RD_BY_VARIANCE, false};

/* Holds columns of one kind. */
struct table_columns {
    const struct table_kind *kind;
    char **name;
    int64_t n;
    double *value, *deviation; /* [time][n] of one run; or means and deviations */
};

/* Holds a table while it is printed. */
struct table_rows {
    const char *path;
    const struct rd_table_print_options *o;
    FILE *out;
    hid_t at; /* group of the output */
    hid_t by; /* group of the entry of output.by, if that is wanted */
    double *time;
    int64_t n_times, region;
    struct table_columns part[2];
    int n_parts;
    int column; /* number of the next column in its row */
    struct rd_error *e;
};

/* ---- text ---- */

enum { WIDTH = 14 };

static void print_separator(struct table_rows *t)
{
    if (t->column++ > 0)
        fputc(t->o->csv ? ',' : ' ', t->out);
}

/* Prints a name; in comma-separated values one with a comma or a quote is quoted. */
static void print_column_name(struct table_rows *t, const char *name, const char *suffix)
{
    print_separator(t);
    if (!t->o->csv) {
        fprintf(t->out, "%*s%s", WIDTH - (int)strlen(suffix), name, suffix);
        return;
    }
    const bool quoted = strpbrk(name, ",\"\n") != NULL;
    if (quoted)
        fputc('"', t->out);
    for (const char *at = name; *at; at++) {
        if (*at == '"')
            fputc('"', t->out);
        fputc(*at, t->out);
    }
    fputs(suffix, t->out);
    if (quoted)
        fputc('"', t->out);
}

static void print_number(struct table_rows *t, double value)
{
    print_separator(t);
    fprintf(t->out, "%*.15g", t->o->csv ? 0 : WIDTH, value);
}

static void end_row(struct table_rows *t)
{
    fputc('\n', t->out);
    t->column = 0;
}

/* ---- numbers ---- */

/* Reads [time][item] of a variable: of one run (run >= 0), and of the region, if it has these axes.
   Returns NULL if the result has no such variable of this shape, or cannot be read. */
static double *read_items(const struct table_rows *t, const struct table_columns *c,
                          enum rd_variable_name name, int64_t run)
{
    hsize_t length[RD_RANK_MOST] = {0}, start[RD_RANK_MOST] = {0};
    const hid_t set = rd_result_series(c->kind == &OF_BY ? t->by : t->at, name, length);
    const int rank = rd_variables[name].rank, time = run >= 0, last = rank - 1;
    if (set < 0 || length[time] < (hsize_t)t->n_times || length[last] != (hsize_t)c->n) {
        rd_h5_drop(set);
        return NULL;
    }
    if (run >= 0) {
        start[0] = (hsize_t)run;
        length[0] = 1;
    }
    length[time] = (hsize_t)t->n_times;
    if (c->kind->is_by_region) {
        start[time + 1] = (hsize_t)t->region;
        length[time + 1] = 1;
    }
    double *value = rd_memory_need(malloc((size_t)(t->n_times * c->n) * sizeof *value + 1));
    const hid_t space = H5Dget_space(set), memory = H5Screate_simple(rank, length, NULL);
    const bool good = space >= 0 && memory >= 0 &&
                      H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, length, NULL) >= 0 &&
                      H5Dread(set, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, value) >= 0;
    rd_h5_drop(memory);
    rd_h5_drop(space);
    rd_h5_drop(set);
    if (good)
        return value;
    free(value);
    return NULL;
}

static bool fail_damaged(const struct table_rows *t)
{
    return rd_h5_fail(t->e, t->path, "is damaged: its totals cannot be read");
}

/* Reads the numbers of one run, or means and deviations (run < 0), in place of those before. */
static bool read_run_numbers(struct table_rows *t, int64_t run)
{
    for (int i = 0; i < t->n_parts; i++) {
        struct table_columns *const c = &t->part[i];
        free(c->value);
        free(c->deviation);
        c->deviation = NULL;
        c->value = read_items(t, c, run < 0 ? c->kind->mean : c->kind->totals, run);
        if (run < 0)
            c->deviation = read_items(t, c, c->kind->variance, run);
        if (!c->value || (run < 0 && !c->deviation))
            return fail_damaged(t);
        for (int64_t k = 0; run < 0 && k < t->n_times * c->n; k++)
            c->deviation[k] = sqrt(c->deviation[k]);
    }
    return true;
}

/* ---- rows ---- */

static void print_items(struct table_rows *t, int64_t time)
{
    for (int i = 0; i < t->n_parts; i++) {
        const struct table_columns *const c = &t->part[i];
        for (int64_t k = time * c->n; k < (time + 1) * c->n; k++) {
            print_number(t, c->value[k]);
            if (c->deviation)
                print_number(t, c->deviation[k]);
        }
    }
}

/* Prints the rows of a run, without those after its fault; or of the means, of all runs or of those
   with the parameters of a row. */
static void print_run_rows(struct table_rows *t, const int64_t *run)
{
    for (int64_t time = 0; time < t->n_times; time++) {
        if (t->part[0].n > 0 && t->part[0].value[time * t->part[0].n] < 0.0)
            continue;
        if (run)
            print_number(t, (double)*run);
        print_number(t, t->time[time]);
        print_items(t, time);
        end_row(t);
    }
}

/* Prints the names of the columns; `number` is that of the first, or NULL. */
static void print_table_head(struct table_rows *t, const char *number, bool has_means)
{
    if (number)
        print_column_name(t, number, "");
    print_column_name(t, "time", "");
    for (int i = 0; i < t->n_parts; i++)
        for (int64_t k = 0; k < t->part[i].n; k++) {
            print_column_name(t, t->part[i].name[k], has_means ? "-mean" : "");
            if (has_means)
                print_column_name(t, t->part[i].name[k], "-sd");
        }
    end_row(t);
}

static bool print_means(struct table_rows *t)
{
    if (!read_run_numbers(t, -1))
        return false;
    print_table_head(t, NULL, true);
    print_run_rows(t, NULL);
    return true;
}

/* Holds the sums of a part over the runs of a row of parameters. */
struct row_sums {
    double *mean, *square; /* owned, [time][n]: mean, and sum of squares of deviations */
    int64_t *count;        /* owned, [time][n]: runs that did not fault before */
};

static void free_row_sums(struct row_sums *s)
{
    free(s->mean);
    free(s->square);
    free(s->count);
    *s = (struct row_sums){0};
}

static bool open_row_sums(const struct table_rows *t, const struct table_columns *c,
                          struct row_sums *s)
{
    const size_t n = (size_t)(t->n_times * c->n);
    *s = (struct row_sums){.mean = calloc(n + 1, sizeof *s->mean),
                           .square = calloc(n + 1, sizeof *s->square),
                           .count = calloc(n + 1, sizeof *s->count)};
    return (s->mean && s->square && s->count) ||
           rd_fail(t->e, "%s: out of memory for the means of a row", t->path);
}

/* Adds the numbers of a run (Welford, Technometrics 4, 419, 1962). Those after its fault are -1. */
static void add_row_run(const struct table_rows *t, const struct table_columns *c,
                        struct row_sums *s)
{
    for (int64_t k = 0; k < t->n_times * c->n; k++) {
        if (c->value[k] < 0.0)
            continue;
        const double before = c->value[k] - s->mean[k];
        s->mean[k] += before / (double)++s->count[k];
        s->square[k] += before * (c->value[k] - s->mean[k]);
    }
}

/* Puts means and deviations in place of the numbers of the last run; -1 where no run is left. */
static bool set_row_means(const struct table_rows *t, struct table_columns *c,
                          const struct row_sums *s)
{
    c->deviation = calloc((size_t)(t->n_times * c->n) + 1, sizeof *c->deviation);
    if (!c->deviation)
        return rd_fail(t->e, "%s: out of memory for the means of a row", t->path);
    for (int64_t k = 0; k < t->n_times * c->n; k++) {
        c->value[k] = s->count[k] > 0 ? s->mean[k] : -1.0;
        c->deviation[k] =
            s->count[k] > 1 ? sqrt(s->square[k] / (double)(s->count[k] - 1)) : (double)NAN;
    }
    return true;
}

/* Prints means and deviations over the runs begin ... end - 1, which have the parameters of a
   row. */
static bool print_row_means(struct table_rows *t, int64_t row, int64_t begin, int64_t end)
{
    struct row_sums sum[2] = {{0}};
    bool good = true;
    for (int i = 0; good && i < t->n_parts; i++)
        good = open_row_sums(t, &t->part[i], &sum[i]);
    for (int64_t run = begin; good && run < end; run++) {
        good = read_run_numbers(t, run);
        for (int i = 0; good && i < t->n_parts; i++)
            add_row_run(t, &t->part[i], &sum[i]);
    }
    for (int i = 0; good && i < t->n_parts; i++)
        good = set_row_means(t, &t->part[i], &sum[i]);
    if (good)
        print_run_rows(t, &row);
    for (int i = 0; i < t->n_parts; i++)
        free_row_sums(&sum[i]);
    return good;
}

/* Prints means for each row of parameters, of so many runs each. */
static bool print_means_of_rows(struct table_rows *t, hid_t rows)
{
    double each = 0.0;
    int64_t n_runs = 0;
    free(rd_result_integers(t->at, "run", &n_runs));
    if (!rd_h5_get_number(rows, "runs", &each) || !(each >= 1.0))
        return fail_damaged(t);
    print_table_head(t, "row", true);
    bool good = true;
    for (int64_t run = 0, n = (int64_t)each; good && run + n <= n_runs; run += n)
        good = print_row_means(t, run / n, run, run + n);
    return good;
}

static bool print_runs(struct table_rows *t, const int64_t *run, int64_t n_runs)
{
    print_table_head(t, "run", false);
    for (int64_t i = 0; i < n_runs; i++) {
        if (!read_run_numbers(t, i))
            return false;
        print_run_rows(t, &run[i]);
    }
    return true;
}

/* ---- the result ---- */

static bool has_by(hid_t at, const char *entry)
{
    char *const path = rd_text_format("%s%s", &RD_BY_GROUP[1], entry);
    const hid_t by = path ? rd_h5_open(at, path) : H5I_INVALID_HID;
    free(path);
    rd_h5_drop(by);
    return by >= 0;
}

/* Opens the first group of the output that has the entry of output.by, or the root. */
static hid_t find_by(const struct table_rows *t, hid_t file, const struct rd_groups *groups)
{
    for (int i = 0; i < groups->n && !has_by(file, t->o->by); i++) {
        const hid_t at = rd_h5_open(file, groups->name[i]);
        if (at >= 0 && has_by(at, t->o->by))
            return at;
        rd_h5_drop(at);
    }
    return file;
}

/* Opens the group of the output that is wanted, or the one with most totals. */
static hid_t enter_group(const struct table_rows *t, hid_t file)
{
    const char *const name = t->o->group;
    const struct rd_groups groups = rd_result_groups(file);
    if (!name && t->o->by)
        return find_by(t, file, &groups);
    if (!name)
        return rd_result_enter_totals(file);
    for (int i = 0; i < groups.n; i++)
        if (strcmp(groups.name[i], name) == 0)
            return rd_h5_open(file, name);
    rd_fail(t->e, "%s: has no group '%s' of outputs; see rdsim info", t->path, name);
    return H5I_INVALID_HID;
}

/* Finds the region that is wanted among those that have totals. */
static bool find_region(struct table_rows *t)
{
    int64_t n = 0;
    char **const name = rd_result_texts(t->at, "region", &n);
    t->region = 0;
    while (t->region < n && strcmp(name[t->region], t->o->region) != 0)
        t->region++;
    const bool found = t->region < n;
    rd_result_free_texts(name, n);
    return found ||
           rd_fail(t->e, "%s: has no totals of a region '%s'; see output.regions, or rdsim info",
                   t->path, t->o->region);
}

/* Opens the entry of output.by that is wanted, and makes names of its values. */
static bool open_by(struct table_rows *t)
{
    struct table_columns *const c = &t->part[t->n_parts++];
    char *const path = rd_text_format("%s%s", &RD_BY_GROUP[1], t->o->by);
    int64_t n = 0, *value = NULL;
    t->by = path ? rd_h5_open(t->at, path) : H5I_INVALID_HID;
    if (t->by >= 0)
        value = rd_result_integers(t->by, "value", &n);
    c->kind = &OF_BY;
    c->name = value ? calloc((size_t)n + 1, sizeof *c->name) : NULL;
    for (c->n = 0; c->name && c->n < n; c->n++) {
        enum { DIGITS = 24 };
        c->name[c->n] = H5allocate_memory(DIGITS, true); /* rd_result_free_texts frees it */
        if (c->name[c->n])
            snprintf(c->name[c->n], DIGITS, "%lld", (long long)value[c->n]);
    }
    free(value);
    free(path);
    return (c->name && n > 0) ||
           rd_fail(t->e, "%s: counts no individuals by '%s'; see output.by, or rdsim info", t->path,
                   t->o->by);
}

/* Reads the axes and the names of the columns. */
static bool read_table_names(struct table_rows *t)
{
    t->time = rd_result_reals(t->at, "time", &t->n_times);
    if (!t->time || t->n_times == 0)
        return rd_fail(t->e, "%s: has no snapshot; wait for the first one", t->path);
    if (t->o->region && !find_region(t))
        return false;
    if (t->o->by)
        return open_by(t) &&
               (!t->o->region || rd_fail(t->e,
                                         "%s: --by and --region are both given; leave "
                                         "out one of them",
                                         t->path));
    const struct table_kind *const kind[] = {t->o->region ? &OF_REGIONS : &OF_SPECIES,
                                             &OF_OBSERVABLES};
    for (int i = 0; i < (t->o->region ? 1 : 2); i++) {
        struct table_columns *const c = &t->part[t->n_parts];
        c->kind = kind[i];
        c->name = rd_result_texts(t->at, kind[i]->names, &c->n);
        t->n_parts += c->name && c->n > 0;
    }
    return t->n_parts > 0 ||
           rd_fail(t->e, "%s: has no species; name the file of a result", t->path);
}

static bool has_table_totals(const struct table_rows *t)
{
    hsize_t length[RD_RANK_MOST] = {0};
    const hid_t set = rd_result_series(t->o->by ? t->by : t->at, t->part[0].kind->totals, length);
    rd_h5_drop(set);
    return set >= 0;
}

static void free_parts(struct table_rows *t)
{
    for (int i = 0; i < 2; i++) {
        rd_result_free_texts(t->part[i].name, t->part[i].n);
        free(t->part[i].value);
        free(t->part[i].deviation);
    }
    free(t->time);
}

/* Prints the table of an open file. */
static bool print_table(struct table_rows *t, hid_t file)
{
    t->at = enter_group(t, file);
    int64_t n_runs = 0, *run = NULL;
    bool good = t->at >= 0 && read_table_names(t);
    const hid_t rows = good && t->o->mean && H5Lexists(file, "rows", H5P_DEFAULT) > 0
                           ? rd_h5_open(file, "rows")
                           : H5I_INVALID_HID;
    if (rows >= 0)
        good = print_means_of_rows(t, rows);
    else if (good && (t->o->mean || !has_table_totals(t)))
        good = print_means(t);
    else if (good) {
        run = rd_result_integers(t->at, "run", &n_runs);
        good = run ? print_runs(t, run, n_runs) : fail_damaged(t);
    }
    free(run);
    rd_h5_drop(rows);
    free_parts(t);
    rd_h5_drop(t->by);
    if (t->at >= 0)
        rd_result_leave(file, t->at);
    return good;
}

bool rd_store_table(const char *path, const struct rd_table_print_options *o, FILE *out,
                    struct rd_error *e)
{
    struct rd_h5_cause cause = {0};
    rd_h5_listen(&cause);
    struct table_rows t = {.path = path, .o = o, .out = out, .by = H5I_INVALID_HID, .e = e};
    const hid_t file = rd_result_open(path, "", e);
    const bool good = file >= 0 && print_table(&t, file);
    rd_result_close(file);
    rd_h5_listen(NULL);
    return good;
}
