/* collected_series - the numbers that a sweep collects: for each item at each time the values of
   all runs, and their mean and variance over the runs of all repeats.
   Statistics of a point are combined from those of each result: with n_i runs, mean m_i and
   variance v_i, the mean is sum n_i m_i / N and the variance is sum ((n_i - 1) v_i + n_i (m_i -
   mean)^2) / (N - 1). */
#define _POSIX_C_SOURCE 200809L
#include "result/write/collected_series.h"

#include "hdf5/hdf5_file.h"
#include "result/files/open_result.h"
#include "result/format/data_set.h"

#include <hdf5_hl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { MEAN, VARIANCE };

const char *const rd_collected_axis[RD_COLLECTED_AXES] = {
    "point", "repeat", "run", "time", "region", "observable", "species", "value"};

enum { AXES_MOST = 6 };
static const struct {
    enum rd_variable_name each, statistic[RD_COLLECTED_STATISTICS]; /* in the results */
    int n_axes, axis[AXES_MOST]; /* of `each`, in the collected file */
    const char *name, *statistic_name[RD_COLLECTED_STATISTICS], *long_name;
} series_of[] = {
    {RD_TOTALS,
     {RD_TOTAL_MEAN, RD_TOTAL_VARIANCE},
     5,
     {RD_COLLECTED_POINT, RD_COLLECTED_REPEAT, RD_COLLECTED_RUN, RD_COLLECTED_TIME,
      RD_COLLECTED_SPECIES},
     "totals",
     {"total_mean", "total_variance"},
     "molecules in all voxels"},
    {RD_REGION_TOTALS,
     {RD_REGION_MEAN, RD_REGION_VARIANCE},
     6,
     {RD_COLLECTED_POINT, RD_COLLECTED_REPEAT, RD_COLLECTED_RUN, RD_COLLECTED_TIME,
      RD_COLLECTED_REGION, RD_COLLECTED_SPECIES},
     "region_totals",
     {"region_mean", "region_variance"},
     "molecules in each region"},
    {RD_OBSERVABLES,
     {RD_OBSERVABLE_MEAN, RD_OBSERVABLE_VARIANCE},
     5,
     {RD_COLLECTED_POINT, RD_COLLECTED_REPEAT, RD_COLLECTED_RUN, RD_COLLECTED_TIME,
      RD_COLLECTED_OBSERVABLE},
     "observables",
     {"observable_mean", "observable_variance"},
     "sums of molecules in all voxels"},
    {RD_BY_COUNTS,
     {RD_BY_MEAN, RD_BY_VARIANCE},
     5,
     {RD_COLLECTED_POINT, RD_COLLECTED_REPEAT, RD_COLLECTED_RUN, RD_COLLECTED_TIME,
      RD_COLLECTED_VALUE},
     "counts",
     {"mean", "variance"},
     "individuals with each value of the attribute"},
};

bool rd_collected_is_reserved(const char *name)
{
    static const char *const others[] = {"seed", "collected", "by"};
    bool is = false;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        is = is || strcmp(name, others[i]) == 0;
    for (int i = 0; i < RD_COLLECTED_AXES; i++)
        is = is || (i != RD_COLLECTED_VALUE && strcmp(name, rd_collected_axis[i]) == 0);
    for (size_t i = 0; i < sizeof series_of / sizeof *series_of; i++) {
        if (series_of[i].each == RD_BY_COUNTS)
            continue;
        is = is || strcmp(name, series_of[i].name) == 0;
        for (int k = 0; k < RD_COLLECTED_STATISTICS; k++)
            is = is || strcmp(name, series_of[i].statistic_name[k]) == 0;
    }
    return is;
}

/* Returns the number of values of a series in one run. */
static int64_t series_length(const struct rd_collecting *c, int which)
{
    hsize_t n = 1;
    for (int i = 3; i < series_of[which].n_axes; i++)
        n *= c->length[series_of[which].axis[i]];
    return (int64_t)n;
}

bool rd_collected_attach(const struct rd_collecting *c, hid_t set, int place, int which)
{
    const hid_t at = which == RD_COLLECTED_VALUE ? c->to : c->at;
    const hid_t scale = H5Dopen2(at, rd_collected_axis[which], H5P_DEFAULT);
    const bool good = scale >= 0 && H5DSattach_scale(set, scale, (unsigned)place) >= 0;
    rd_h5_drop(scale);
    return good;
}

/* Returns the names of the variables that are coordinates, as CF requires; the caller frees it. */
static char *coordinates(const struct rd_collecting *c)
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
static hid_t make_variable(const struct rd_collecting *c, const char *name, enum rd_number number,
                           int rank, const int dimension[], const char *long_name)
{
    hsize_t length[RD_COLLECTED_AXES];
    for (int i = 0; i < rank; i++)
        length[i] = c->length[dimension[i]];
    char *const names = coordinates(c);
    const hid_t plan = rd_set_plan(number), space = H5Screate_simple(rank, length, NULL);
    const hid_t set = !rd_h5_protect(plan, rank, length)
                          ? H5I_INVALID_HID
                          : H5Dcreate2(c->to, name, rd_number_type(number), space, H5P_DEFAULT,
                                       plan, H5P_DEFAULT);
    bool good = names && rd_h5_label(set, long_name, "1") &&
                rd_h5_put_text(set, "coordinates", names) &&
                rd_h5_put_number(set, "_FillValue", rd_number_type(number), rd_number_fill(number));
    for (int i = 0; good && i < rank; i++)
        good = rd_collected_attach(c, set, i, dimension[i]);
    rd_h5_drop(space);
    rd_h5_drop(plan);
    free(names);
    if (good)
        return set;
    rd_h5_drop(set);
    return H5I_INVALID_HID;
}

bool rd_collected_put(const struct rd_collecting *c, const char *name, enum rd_number number,
                      int rank, const int dimension[], const char *long_name, const void *value)
{
    const hid_t set = make_variable(c, name, number, rank, dimension, long_name);
    const bool good = set >= 0 && H5Dwrite(set, rd_number_type(number), H5S_ALL, H5S_ALL,
                                           H5P_DEFAULT, value) >= 0;
    rd_h5_drop(set);
    return good;
}

bool rd_collected_make_each(struct rd_collecting *c, hid_t first)
{
    bool good = true;
    for (int i = 0; good && i < RD_COLLECTED_SERIES; i++) {
        hsize_t length[RD_RANK_MOST];
        const hid_t each = rd_result_series(first, series_of[i].each, length);
        if (each >= 0)
            c->each[i] = make_variable(c, series_of[i].name, RD_INT64, series_of[i].n_axes,
                                       series_of[i].axis, series_of[i].long_name);
        good = each < 0 || c->each[i] >= 0;
        rd_h5_drop(each);
    }
    return good;
}

/* Reads one result's variable as doubles or integers; its axes, the last ones of the series, must
   have the lengths of the first result. */
static bool read_result_series(const struct rd_collecting *c, hid_t file, int which,
                               enum rd_variable_name name, hid_t type, void *to)
{
    hsize_t length[RD_RANK_MOST];
    const hid_t set = rd_result_series(file, name, length);
    const int rank = rd_variables[name].rank;
    const int *const axis = series_of[which].axis + series_of[which].n_axes - rank;
    bool good = set >= 0;
    for (int i = 0; good && i < rank; i++)
        good = length[i] == c->length[axis[i]];
    good = good && H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, to) >= 0;
    rd_h5_drop(set);
    return good;
}

static bool copy_each(const struct rd_collecting *c, hid_t file, int which, int64_t point,
                      int64_t repeat)
{
    if (c->each[which] < 0)
        return true;
    const hsize_t start[AXES_MOST] = {(hsize_t)point, (hsize_t)repeat};
    const int rank = series_of[which].n_axes;
    hsize_t count[AXES_MOST] = {1, 1, c->length[RD_COLLECTED_RUN]};
    for (int i = 3; i < rank; i++)
        count[i] = c->length[series_of[which].axis[i]];
    int64_t *const value =
        malloc((size_t)series_length(c, which) * c->length[RD_COLLECTED_RUN] * sizeof *value);
    const hid_t here = H5Dget_space(c->each[which]), there = H5Screate_simple(rank, count, NULL);
    const bool good =
        value &&
        read_result_series(c, file, which, series_of[which].each, H5T_NATIVE_INT64, value) &&
        H5Sselect_hyperslab(here, H5S_SELECT_SET, start, NULL, count, NULL) >= 0 &&
        H5Dwrite(c->each[which], H5T_NATIVE_INT64, there, here, H5P_DEFAULT, value) >= 0;
    rd_h5_drop(there);
    rd_h5_drop(here);
    free(value);
    return good;
}

/* Adds a result of n runs to the mean and the sum of squares of the `before` earlier runs of its
   point (Chan, Golub and LeVeque, Am. Stat. 37, 242 (1983)). */
static void pool(const struct rd_collecting *c, int which, int64_t point, double before,
                 const double *mean, const double *variance)
{
    const int64_t n = series_length(c, which);
    const double runs = (double)c->length[RD_COLLECTED_RUN], all = before + runs;
    double *const m = c->statistic[which][MEAN] + point * n;
    double *const squares = c->statistic[which][VARIANCE] + point * n;
    for (int64_t i = 0; i < n; i++) {
        const double away = mean[i] - m[i];
        squares[i] += (runs > 1.0 ? (runs - 1.0) * variance[i] : 0.0) +
                      (before > 0.0 ? away * away * before * runs / all : 0.0);
        m[i] = before > 0.0 ? m[i] + away * runs / all : mean[i];
    }
}

/* Counts the results of a point among its first repeats. */
static int64_t count_results(const struct rd_collecting *c, int64_t point, int64_t repeats)
{
    int64_t n = 0;
    for (int64_t repeat = 0; repeat < repeats; repeat++)
        n += c->of->result[point * c->of->n_repeats + repeat] != NULL;
    return n;
}

/* Reads the mean and the variance of a result. Results of one run need not have them. */
static bool read_statistics(const struct rd_collecting *c, hid_t file, int which, double *mean,
                            double *variance)
{
    const enum rd_variable_name *const name = series_of[which].statistic;
    return (read_result_series(c, file, which, name[MEAN], H5T_NATIVE_DOUBLE, mean) &&
            read_result_series(c, file, which, name[VARIANCE], H5T_NATIVE_DOUBLE, variance)) ||
           (c->length[RD_COLLECTED_RUN] == 1 &&
            read_result_series(c, file, which, series_of[which].each, H5T_NATIVE_DOUBLE, mean));
}

static bool add_statistics(const struct rd_collecting *c, hid_t file, int which, int64_t point,
                           int64_t before)
{
    const size_t bytes = (size_t)series_length(c, which) * sizeof(double);
    double *const mean = malloc(bytes), *const variance = malloc(bytes);
    const bool good = mean && variance && read_statistics(c, file, which, mean, variance);
    if (good)
        pool(c, which, point, (double)before * (double)c->length[RD_COLLECTED_RUN], mean, variance);
    free(mean);
    free(variance);
    return good;
}

bool rd_collected_add(const struct rd_collecting *c, hid_t file, int64_t point, int64_t repeat,
                      int64_t before)
{
    bool good = true;
    for (int i = 0; good && i < RD_COLLECTED_SERIES; i++)
        good = series_length(c, i) == 0 ||
               (copy_each(c, file, i, point, repeat) && add_statistics(c, file, i, point, before));
    return good;
}

/* Writes means, and variances from sums of squares. One run has no variance, and no run has no
   mean: these are NAN. */
static bool put_statistics(const struct rd_collecting *c, int which)
{
    const int rank = series_of[which].n_axes - 2;
    const int64_t n = series_length(c, which);
    int dimension[AXES_MOST] = {RD_COLLECTED_POINT};
    for (int i = 1; i < rank; i++)
        dimension[i] = series_of[which].axis[i + 2];
    for (int64_t point = 0; point < c->of->n_points; point++) {
        const double runs =
            (double)count_results(c, point, c->of->n_repeats) * (double)c->length[RD_COLLECTED_RUN];
        double *const mean = c->statistic[which][MEAN] + point * n;
        double *const variance = c->statistic[which][VARIANCE] + point * n;
        for (int64_t i = 0; i < n; i++) {
            mean[i] = runs > 0.0 ? mean[i] : (double)NAN;
            variance[i] = runs > 1.0 ? variance[i] / (runs - 1.0) : (double)NAN;
        }
    }
    return rd_collected_put(c, series_of[which].statistic_name[MEAN], RD_REAL, rank, dimension,
                            "mean over runs and repeats", c->statistic[which][MEAN]) &&
           rd_collected_put(c, series_of[which].statistic_name[VARIANCE], RD_REAL, rank, dimension,
                            "variance over runs and repeats", c->statistic[which][VARIANCE]);
}

bool rd_collected_put_statistics(const struct rd_collecting *c)
{
    bool good = true;
    for (int i = 0; good && i < RD_COLLECTED_SERIES; i++)
        good = series_length(c, i) == 0 || put_statistics(c, i);
    return good;
}

bool rd_collected_open(struct rd_collecting *c)
{
    bool good = true;
    for (int i = 0; i < RD_COLLECTED_SERIES; i++)
        for (int k = 0; k < RD_COLLECTED_STATISTICS; k++) {
            const size_t n = (size_t)(c->of->n_points * series_length(c, i));
            c->statistic[i][k] = calloc(n + 1, sizeof(double));
            good = good && c->statistic[i][k];
        }
    return good;
}

void rd_collected_close(struct rd_collecting *c)
{
    for (int i = 0; i < RD_COLLECTED_SERIES; i++) {
        rd_h5_drop(c->each[i]);
        c->each[i] = H5I_INVALID_HID;
        for (int k = 0; k < RD_COLLECTED_STATISTICS; k++) {
            free(c->statistic[i][k]);
            c->statistic[i][k] = NULL;
        }
    }
}
