/* collect - writes the totals of many results into one file, along the points of a sweep.
   Statistics are over all runs of all repeats of a point, combined from those of each result:
   with n_i runs, mean m_i and variance v_i, the mean is sum n_i m_i / N and the variance is sum
   ((n_i - 1) v_i + n_i (m_i - mean)^2) / (N - 1). */
#define _POSIX_C_SOURCE 200809L
#include "result/write/collect.h"

#include "base/file.h"
#include "base/text.h"
#include "hdf5/hdf5_file.h"
#include "hdf5/temporary_file.h"
#include "result/files/open_result.h"
#include "result/format/data_set.h"
#include "result/format/metadata.h"

#include <hdf5_hl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { POINT, REPEAT, RUN, TIME, SPECIES, N_DIMENSIONS };
static const char *const dimension_names[] = {"point", "repeat", "run", "time", "species"};

enum { MEAN, VARIANCE, N_STATISTICS };

/* The file that is being written. */
struct collecting {
    const struct rd_collection *of;
    const char *path;
    const char *group;            /* of the output, that is collected now; "": the root */
    hid_t file, at, totals;       /* at: that group in `file`; totals: -1 if results have none */
    hsize_t length[N_DIMENSIONS]; /* of all dimensions */
    double *time;                 /* of the first result, and so of all others */
    int64_t *run;
    char **species;
    double *statistic[N_STATISTICS]; /* [point][time][species]; VARIANCE: sums of squares */
    struct rd_error *e;
};

bool rd_collect_may(const char *path, bool force, struct rd_error *e)
{
    const bool may = rd_file_may_publish(path, force, "", e);
    e->wrong = !may;
    return may;
}

/* Returns the path of the first result that is there. */
static const char *first_result(const struct collecting *c)
{
    const char *const *result = c->of->result;
    while (!*result)
        result++;
    return *result;
}

static int64_t series_length(const struct collecting *c)
{
    return (int64_t)(c->length[TIME] * c->length[SPECIES]);
}

static bool is_number(const char *text)
{
    char *end;
    (void)strtod(text, &end);
    return end > text && *end == 0;
}

/* Writes a column that is a dimension of its name. */
static bool put_dimension(const struct collecting *c, int which, hid_t type, const void *value,
                          const char *long_name)
{
    const char *const name = dimension_names[which];
    const hid_t set = rd_h5_put_column(c->at, name, type, (int64_t)c->length[which], value);
    const bool good = rd_h5_label(set, long_name, "1") && H5DSset_scale(set, name) >= 0;
    rd_h5_drop(set);
    return good;
}

static bool attach(const struct collecting *c, hid_t set, int place, int which)
{
    const hid_t scale = H5Dopen2(c->at, dimension_names[which], H5P_DEFAULT);
    const bool good = scale >= 0 && H5DSattach_scale(set, scale, (unsigned)place) >= 0;
    rd_h5_drop(scale);
    return good;
}

/* Writes the dimension 1, 2, 3, ... */
static bool put_numbers(const struct collecting *c, int which, const char *long_name)
{
    const int64_t n = (int64_t)c->length[which];
    int64_t *const number = malloc((size_t)n * sizeof *number);
    for (int64_t i = 0; number && i < n; i++)
        number[i] = i + 1;
    const bool good = number && put_dimension(c, which, H5T_NATIVE_INT64, number, long_name);
    free(number);
    return good;
}

/* Writes a coordinate of the points: as numbers if all its values are numbers, else as texts. */
static bool put_varied(const struct collecting *c, const struct rd_varied *v)
{
    const int64_t n = c->of->n_points;
    double *const number = malloc((size_t)n * sizeof *number);
    bool are_numbers = number != NULL;
    for (int64_t i = 0; are_numbers && i < n; i++) {
        are_numbers = is_number(v->value[i]);
        number[i] = strtod(v->value[i], NULL);
    }
    const hid_t text = rd_h5_text_type();
    const hid_t set = are_numbers ? rd_h5_put_column(c->at, v->name, H5T_NATIVE_DOUBLE, n, number)
                                  : rd_h5_put_column(c->at, v->name, text, n, v->value);
    const bool good = rd_h5_label(set, v->name, "1") && attach(c, set, 0, POINT);
    rd_h5_drop(set);
    rd_h5_drop(text);
    free(number);
    return good;
}

/* Returns the names of the variables that are coordinates, as CF requires; the caller frees it. */
static char *coordinates(const struct collecting *c)
{
    char *text = NULL;
    size_t length = 0;
    FILE *const out = open_memstream(&text, &length);
    for (int i = 0; out && i < c->of->n_varied; i++)
        fprintf(out, "%s%s", i > 0 ? " " : "", c->of->varied[i].name);
    if (out && fclose(out) == 0)
        return text;
    free(text);
    return NULL;
}

/* Makes a variable of these dimensions, with the fill value of its type. */
static hid_t make_variable(const struct collecting *c, const char *name, enum rd_number number,
                           int rank, const int dimension[], const char *long_name)
{
    hsize_t length[N_DIMENSIONS];
    for (int i = 0; i < rank; i++)
        length[i] = c->length[dimension[i]];
    char *const names = coordinates(c);
    const hid_t plan = rd_set_plan(number), space = H5Screate_simple(rank, length, NULL);
    const hid_t set = !rd_h5_protect(plan, rank, length)
                          ? H5I_INVALID_HID
                          : H5Dcreate2(c->at, name, rd_number_type(number), space, H5P_DEFAULT,
                                       plan, H5P_DEFAULT);
    bool good = names && rd_h5_label(set, long_name, "1") &&
                rd_h5_put_text(set, "coordinates", names) &&
                rd_h5_put_number(set, "_FillValue", rd_number_type(number), rd_number_fill(number));
    for (int i = 0; good && i < rank; i++)
        good = attach(c, set, i, dimension[i]);
    rd_h5_drop(space);
    rd_h5_drop(plan);
    free(names);
    if (good)
        return set;
    rd_h5_drop(set);
    return H5I_INVALID_HID;
}

static bool put_whole(const struct collecting *c, const char *name, enum rd_number number, int rank,
                      const int dimension[], const char *long_name, const void *value)
{
    const hid_t set = make_variable(c, name, number, rank, dimension, long_name);
    const bool good = set >= 0 && H5Dwrite(set, rd_number_type(number), H5S_ALL, H5S_ALL,
                                           H5P_DEFAULT, value) >= 0;
    rd_h5_drop(set);
    return good;
}

/* Writes 1 if a result was collected, and 0 if it is missing. */
static bool put_collected(const struct collecting *c)
{
    static const int jobs[] = {POINT, REPEAT};
    const int64_t n = c->of->n_points * c->of->n_repeats;
    int64_t *const is_there = malloc((size_t)n * sizeof *is_there);
    for (int64_t i = 0; is_there && i < n; i++)
        is_there[i] = c->of->result[i] != NULL;
    const bool good =
        is_there && put_whole(c, "collected", RD_INT64, 2, jobs,
                              "1: the task's result is here, 0: it is missing", is_there);
    free(is_there);
    return good;
}

static bool put_head(const struct collecting *c)
{
    char *const history = rd_text_format("%s: %s", rd_date_now().text, c->of->command);
    const bool good =
        history && rd_h5_put_text(c->file, "Conventions", "CF-1.8") &&
        rd_h5_put_text(c->file, "title", c->of->title) &&
        rd_h5_put_text(c->file, "source", RD_H5_COLLECTED) &&
        rd_h5_put_text(c->file, "history", history) &&
        (!c->of->missing || !*c->of->missing || rd_h5_put_text(c->file, "missing", c->of->missing));
    free(history);
    return good;
}

static bool put_metadata(struct collecting *c, bool has_totals)
{
    static const int everything[] = {POINT, REPEAT, RUN, TIME, SPECIES};
    static const int jobs[] = {POINT, REPEAT};
    const hid_t text = rd_h5_text_type();
    bool good = put_numbers(c, POINT, "number of the point") &&
                put_numbers(c, REPEAT, "number of the repeat") &&
                put_dimension(c, RUN, H5T_NATIVE_INT64, c->run, "number of the run") &&
                put_dimension(c, TIME, H5T_NATIVE_DOUBLE, c->time, "time") &&
                put_dimension(c, SPECIES, text, c->species, "name of the species");
    rd_h5_drop(text);
    for (int i = 0; good && i < c->of->n_varied; i++)
        good = put_varied(c, &c->of->varied[i]);
    good = good && put_whole(c, "seed", RD_INT64, 2, jobs, "seed of the task", c->of->seed) &&
           put_collected(c);
    if (good && has_totals)
        c->totals = make_variable(c, "totals", RD_INT64, N_DIMENSIONS, everything,
                                  "molecules in all voxels");
    return good && (!has_totals || c->totals >= 0);
}

/* Reads one result's variable as doubles or integers; it must have the lengths of the first
   result. */
static bool read_series(const struct collecting *c, hid_t file, enum rd_variable_name name,
                        hid_t type, void *to)
{
    hsize_t length[RD_RANK_MOST];
    const hid_t set = rd_result_series(file, name, length);
    const int rank = rd_variables[name].rank;
    bool good = set >= 0 && length[rank - 2] == c->length[TIME] &&
                length[rank - 1] == c->length[SPECIES] && (rank < 3 || length[0] == c->length[RUN]);
    good = good && H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, to) >= 0;
    rd_h5_drop(set);
    return good;
}

static bool copy_totals(const struct collecting *c, hid_t file, int64_t point, int64_t repeat)
{
    if (c->totals < 0)
        return true;
    const hsize_t start[] = {(hsize_t)point, (hsize_t)repeat, 0, 0, 0};
    const hsize_t count[] = {1, 1, c->length[RUN], c->length[TIME], c->length[SPECIES]};
    int64_t *const value =
        malloc((size_t)(count[RUN] * count[TIME] * count[SPECIES]) * sizeof *value);
    const hid_t here = H5Dget_space(c->totals), there = H5Screate_simple(5, count, NULL);
    const bool good = value && read_series(c, file, RD_TOTALS, H5T_NATIVE_INT64, value) &&
                      H5Sselect_hyperslab(here, H5S_SELECT_SET, start, NULL, count, NULL) >= 0 &&
                      H5Dwrite(c->totals, H5T_NATIVE_INT64, there, here, H5P_DEFAULT, value) >= 0;
    rd_h5_drop(there);
    rd_h5_drop(here);
    free(value);
    return good;
}

/* Adds a result of n runs to the mean and the sum of squares of the `before` earlier runs of its
   point (Chan, Golub and LeVeque, Am. Stat. 37, 242 (1983)). */
static void pool(const struct collecting *c, int64_t point, double before, const double *mean,
                 const double *variance)
{
    const int64_t n = series_length(c);
    const double runs = (double)c->length[RUN], all = before + runs;
    double *const m = c->statistic[MEAN] + point * n;
    double *const squares = c->statistic[VARIANCE] + point * n;
    for (int64_t i = 0; i < n; i++) {
        const double away = mean[i] - m[i];
        squares[i] += (runs > 1.0 ? (runs - 1.0) * variance[i] : 0.0) +
                      (before > 0.0 ? away * away * before * runs / all : 0.0);
        m[i] = before > 0.0 ? m[i] + away * runs / all : mean[i];
    }
}

/* Counts the results of a point among its first repeats. */
static int64_t count_results(const struct collecting *c, int64_t point, int64_t repeats)
{
    int64_t n = 0;
    for (int64_t repeat = 0; repeat < repeats; repeat++)
        n += c->of->result[point * c->of->n_repeats + repeat] != NULL;
    return n;
}

static bool add_statistics(const struct collecting *c, hid_t file, int64_t point, int64_t before)
{
    const size_t bytes = (size_t)series_length(c) * sizeof(double);
    double *const mean = malloc(bytes), *const variance = malloc(bytes);
    const bool good = mean && variance &&
                      read_series(c, file, RD_TOTAL_MEAN, H5T_NATIVE_DOUBLE, mean) &&
                      read_series(c, file, RD_TOTAL_VARIANCE, H5T_NATIVE_DOUBLE, variance);
    if (good)
        pool(c, point, (double)before * (double)c->length[RUN], mean, variance);
    free(mean);
    free(variance);
    return good;
}

static bool has_same_axes(const struct collecting *c, hid_t file)
{
    int64_t n_times = 0, n_species = 0, n_runs = 0;
    double *const time = rd_result_reals(file, "time", &n_times);
    char **const species = rd_result_texts(file, "species", &n_species);
    int64_t *const run = rd_result_integers(file, "run", &n_runs);
    bool same = time && species && run && n_times == (int64_t)c->length[TIME] &&
                n_species == (int64_t)c->length[SPECIES] && n_runs == (int64_t)c->length[RUN];
    same = same && memcmp(time, c->time, (size_t)n_times * sizeof *time) == 0;
    for (int64_t i = 0; same && i < n_species; i++)
        same = strcmp(species[i], c->species[i]) == 0;
    rd_result_free_texts(species, n_species);
    free(time);
    free(run);
    return same;
}

/* Opens the collected group in a result. */
static hid_t open_group(const struct collecting *c, hid_t file)
{
    return *c->group ? rd_h5_open(file, c->group) : file;
}

static bool add_result(const struct collecting *c, int64_t point, int64_t repeat, int64_t before)
{
    const char *const path = c->of->result[point * c->of->n_repeats + repeat];
    if (!path)
        return true;
    const hid_t file = rd_result_open(path, "", c->e);
    if (file < 0)
        return false;
    const hid_t at = open_group(c, file);
    bool good = has_same_axes(c, at) || rd_fail(c->e,
                                                "%s: has other output times, species or runs "
                                                "than %s; collect results that have the same",
                                                path, first_result(c));
    good = good && ((copy_totals(c, at, point, repeat) && add_statistics(c, at, point, before)) ||
                    rd_h5_fail(c->e, path, "cannot be collected"));
    rd_result_leave(file, at);
    rd_result_close(file);
    return good;
}

/* Writes means, and variances from sums of squares. One run has no variance, and no run has no
   mean: these are NAN. */
static bool put_statistics(const struct collecting *c)
{
    static const int dimension[] = {POINT, TIME, SPECIES};
    const int64_t n = series_length(c);
    for (int64_t point = 0; point < c->of->n_points; point++) {
        const double runs =
            (double)count_results(c, point, c->of->n_repeats) * (double)c->length[RUN];
        double *const mean = c->statistic[MEAN] + point * n;
        double *const variance = c->statistic[VARIANCE] + point * n;
        for (int64_t i = 0; i < n; i++) {
            mean[i] = runs > 0.0 ? mean[i] : (double)NAN;
            variance[i] = runs > 1.0 ? variance[i] / (runs - 1.0) : (double)NAN;
        }
    }
    return put_whole(c, "total_mean", RD_REAL, 3, dimension, "mean over runs and repeats",
                     c->statistic[MEAN]) &&
           put_whole(c, "total_variance", RD_REAL, 3, dimension, "variance over runs and repeats",
                     c->statistic[VARIANCE]);
}

/* Reads the axes of the first result, which all results must have. */
static bool look_at_first(struct collecting *c, bool *has_totals)
{
    const hid_t file = rd_result_open(first_result(c), "", c->e);
    if (file < 0)
        return false;
    int64_t n[N_DIMENSIONS] = {c->of->n_points, c->of->n_repeats};
    hsize_t length[RD_RANK_MOST];
    const hid_t at = open_group(c, file);
    c->run = rd_result_integers(at, "run", &n[RUN]);
    c->time = rd_result_reals(at, "time", &n[TIME]);
    c->species = rd_result_texts(at, "species", &n[SPECIES]);
    const hid_t totals = rd_result_series(at, RD_TOTALS, length);
    *has_totals = totals >= 0;
    rd_h5_drop(totals);
    rd_result_leave(file, at);
    rd_result_close(file);
    for (int i = 0; i < N_DIMENSIONS; i++)
        c->length[i] = (hsize_t)n[i];
    const size_t n_values = (size_t)(c->of->n_points * series_length(c));
    c->statistic[MEAN] = calloc(n_values + 1, sizeof(double));
    c->statistic[VARIANCE] = calloc(n_values + 1, sizeof(double));
    return (c->run && c->time && c->species && c->statistic[MEAN] && c->statistic[VARIANCE]) ||
           rd_fail(c->e,
                   "%s: has no runs, times or species, or too many for the memory; check it with "
                   "rdsim info",
                   first_result(c));
}

static bool fill(struct collecting *c, bool has_totals)
{
    bool good = put_metadata(c, has_totals) || rd_h5_fail(c->e, c->path, "cannot be written");
    for (int64_t point = 0; good && point < c->of->n_points; point++) {
        int64_t before = 0;
        for (int64_t repeat = 0; good && repeat < c->of->n_repeats; repeat++) {
            good = add_result(c, point, repeat, before);
            before += c->of->result[point * c->of->n_repeats + repeat] != NULL;
        }
    }
    good = good && (put_statistics(c) || rd_h5_fail(c->e, c->path, "cannot be written"));
    rd_h5_drop(c->totals);
    c->totals = H5I_INVALID_HID;
    return good;
}

/* Collects one group of the output. */
static bool collect_group(struct collecting *c, const char *group)
{
    bool has_totals = false;
    c->group = group;
    c->at = *group ? rd_h5_group(c->file, group) : c->file;
    const bool good = look_at_first(c, &has_totals) && fill(c, has_totals);
    rd_result_leave(c->file, c->at);
    rd_result_free_texts(c->species, (int64_t)c->length[SPECIES]);
    free(c->time);
    free(c->run);
    for (int i = 0; i < N_STATISTICS; i++) {
        free(c->statistic[i]);
        c->statistic[i] = NULL;
    }
    c->species = NULL;
    c->time = NULL;
    c->run = NULL;
    return good;
}

/* Collects all groups that the first result has. */
static bool collect_groups(struct collecting *c)
{
    const hid_t first = rd_result_open(first_result(c), "", c->e);
    if (first < 0)
        return false;
    const struct rd_groups groups = rd_result_groups(first);
    const bool has_root = groups.n == 0 || H5Lexists(first, "time", H5P_DEFAULT) > 0;
    char *const names = rd_h5_get_text(first, RD_OUTPUTS);
    bool good = (put_head(c) && (groups.n == 0 || rd_h5_put_text(c->file, RD_OUTPUTS, names))) ||
                rd_h5_fail(c->e, c->path, "cannot be written");
    H5free_memory(names);
    rd_result_close(first);
    good = good && (!has_root || collect_group(c, ""));
    for (int i = 0; good && i < groups.n; i++)
        good = collect_group(c, groups.name[i]);
    return good;
}

/* Writes the collection under another name beside its path, and renames it. */
static bool write_temporary_file(struct collecting *c)
{
    char *const temporary = rd_text_format("%s.collecting", c->path);
    if (!temporary)
        return rd_fail(c->e, "%s: out of memory for the collected results", c->path);
    struct rd_temporary_file temporary_file;
    bool good = rd_temporary_file_open(&temporary_file, temporary, c->path, c->e);
    if (good) {
        c->file = temporary_file.file;
        const int before = c->e->n;
        good = collect_groups(c);
        struct rd_error ignored = {0};
        good =
            rd_temporary_file_publish(&temporary_file, good, c->e->n > before ? &ignored : c->e) &&
            good;
        rd_error_free(&ignored);
    }
    free(temporary);
    return good;
}

bool rd_collect_write(const char *path, const struct rd_collection *of, struct rd_error *e)
{
    struct collecting c = {.of = of, .path = path, .totals = H5I_INVALID_HID, .e = e};
    struct rd_h5_cause cause = {{0}};
    rd_h5_listen(&cause);
    const bool good = write_temporary_file(&c);
    rd_h5_listen(NULL);
    return good;
}
