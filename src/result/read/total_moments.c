/* total_moments - reads the totals of an ensemble from a result. */
#define _POSIX_C_SOURCE 200809L
#include "result/read/total_moments.h"

#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "config/filetype.h"
#include "hdf5/hdf5_file.h"
#include "result/files/open_result.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_TABLE = 1 << 30 };

bool rd_total_moments_allocate(struct rd_total_moments *s, struct rd_error *e)
{
    s->of = calloc((size_t)(s->n_times * s->n_species) + 1, sizeof *s->of);
    return s->of || rd_fail(e, "%s: out of memory for its totals", s->path);
}

/* Holds numbers of one kind in a result, and the first of them among those of the moments. */
struct moment_kind {
    const char *names;  /* data set with their names */
    const char *before; /* text before each name */
    enum rd_variable_name totals, mean, variance;
    int64_t first, n;
};

/* Reads a whole variable [time] or [time][item]; NULL if it is missing or of another shape. */
static double *read_whole_variable(const struct rd_total_moments *s, hid_t file,
                                   enum rd_variable_name name, int64_t n_items)
{
    hsize_t length[RD_RANK_MOST] = {0};
    const hid_t set = rd_result_series(file, name, length);
    const bool fits = set >= 0 && length[0] == (hsize_t)s->n_times &&
                      (rd_variables[name].rank == 1 || length[1] == (hsize_t)n_items);
    const int64_t n = s->n_times * (rd_variables[name].rank == 1 ? 1 : n_items);
    double *const value = fits ? rd_memory_need(malloc((size_t)n * sizeof *value + 1)) : NULL;
    const bool good =
        value && H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, value) >= 0;
    rd_h5_drop(set);
    if (good)
        return value;
    free(value);
    return NULL;
}

static struct rd_moments *moments_at(const struct rd_total_moments *s, const struct moment_kind *k,
                                     int64_t time, int64_t i)
{
    return &s->of[time * s->n_species + k->first + i];
}

/* Adds the fourth powers of one run, and counts it at the times at which it is valid. */
static void add_run_powers(struct rd_total_moments *s, const struct moment_kind *k,
                           const double *total, double *n)
{
    for (int64_t t = 0; t < s->n_times; t++, total += k->n) {
        if (total[0] < 0.0)
            continue;
        n[t]++;
        for (int64_t i = 0; i < k->n; i++) {
            struct rd_moments *const m = moments_at(s, k, t, i);
            const double by = total[i] - m->mean;
            m->fourth += by * by * by * by;
        }
    }
}

/* Reads the totals of all runs, one after the other. */
static bool add_all_runs(struct rd_total_moments *s, const struct moment_kind *k, hid_t set,
                         const hsize_t length[RD_RANK_MOST], double *total, double *n)
{
    hsize_t start[3] = {0}, count[3] = {1, length[1], length[2]};
    const hid_t space = H5Dget_space(set), memory = H5Screate_simple(3, count, NULL);
    bool good = space >= 0 && memory >= 0;
    for (; good && start[0] < length[0]; start[0]++) {
        good = H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL) >= 0 &&
               H5Dread(set, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, total) >= 0;
        if (good)
            add_run_powers(s, k, total, n);
    }
    rd_h5_drop(memory);
    rd_h5_drop(space);
    return good;
}

/* Computes the fourth moments from the totals of the runs that the result keeps; NAN where they are
   fewer than RUNS_LEAST. */
static bool read_fourth(struct rd_total_moments *s, const struct moment_kind *k, hid_t file,
                        struct rd_error *e)
{
    enum { RUNS_LEAST = 30 };
    hsize_t length[RD_RANK_MOST] = {0};
    const hid_t set = rd_result_series(file, k->totals, length);
    double *const n = calloc((size_t)s->n_times + 1, sizeof *n);
    double *const total = calloc((size_t)(s->n_times * k->n) + 1, sizeof *total);
    bool good = (n && total) || rd_fail(e, "%s: out of memory for its totals", s->path);
    const bool fits = set >= 0 && length[1] == (hsize_t)s->n_times && length[2] == (hsize_t)k->n;
    if (good && fits && !add_all_runs(s, k, set, length, total, n))
        good = rd_h5_fail(e, s->path, "is damaged: its totals cannot be read");
    for (int64_t t = 0; good && t < s->n_times; t++)
        for (int64_t i = 0; i < k->n; i++) {
            struct rd_moments *const m = moments_at(s, k, t, i);
            m->fourth = n[t] < RUNS_LEAST ? (double)NAN : m->fourth / n[t];
        }
    free(n);
    free(total);
    rd_h5_drop(set);
    return good;
}

/* Returns whether all moments are there; a missing segment leaves NAN. */
static bool check_moments(const struct rd_total_moments *s, struct rd_error *e)
{
    for (int64_t i = 0; i < s->n_times * s->n_species; i++) {
        const struct rd_moments *const m = &s->of[i];
        if (m->n < 1.0 || isnan(m->mean))
            return rd_fail(e,
                           "%s: some of it is missing; put the segments '%s.parts' of a killed run "
                           "into its folder, or try again if the run continues",
                           s->path, s->path);
        if (m->n > 1.0 && isnan(m->variance))
            return rd_fail(e,
                           "%s: has no variance of '%s' at t = %g, whose sums exceed 128 bits; "
                           "simulate fewer molecules",
                           s->path, s->species[i % s->n_species], s->time[i / s->n_species]);
    }
    return true;
}

/* Fills in the moments of one kind of numbers. */
static bool read_moments(struct rd_total_moments *s, const struct moment_kind *k, hid_t file,
                         struct rd_error *e)
{
    double *const mean = read_whole_variable(s, file, k->mean, k->n);
    double *const variance = read_whole_variable(s, file, k->variance, k->n);
    double *const runs = read_whole_variable(s, file, RD_IN, 1);
    const bool good =
        (mean && variance) || rd_h5_fail(e, s->path, "is damaged: its statistics cannot be read");
    for (int64_t t = 0; good && t < s->n_times; t++)
        for (int64_t i = 0; i < k->n; i++)
            *moments_at(s, k, t, i) = (struct rd_moments){.n = runs ? runs[t] : 1.0,
                                                          .mean = mean[t * k->n + i],
                                                          .variance = variance[t * k->n + i]};
    s->n_runs = runs && s->n_times > 0 ? runs[0] : 1.0;
    free(mean);
    free(variance);
    free(runs);
    return good && read_fourth(s, k, file, e);
}

/* Appends the names of one kind. */
static bool read_kind_names(struct rd_total_moments *s, struct moment_kind *k, hid_t file,
                            struct rd_error *e)
{
    char **const name = rd_result_texts(file, k->names, &k->n);
    char **const more = realloc(s->species, (size_t)(s->n_species + k->n + 1) * sizeof *s->species);
    bool good = more != NULL;
    if (good)
        s->species = more;
    k->first = s->n_species;
    for (int64_t i = 0; good && i < k->n; i++) {
        more[s->n_species] = rd_text_format("%s%s", k->before, name[i]);
        good = more[s->n_species] != NULL;
        s->n_species += good;
    }
    if (more)
        more[s->n_species] = NULL;
    rd_result_free_texts(name, k->n);
    return good || rd_fail(e, "%s: out of memory for its names", s->path);
}

/* Reads the totals of species, and observables. */
static bool read_result(struct rd_total_moments *s, struct rd_error *e)
{
    struct moment_kind kind[2] = {
        {"species", "", RD_TOTALS, RD_TOTAL_MEAN, RD_TOTAL_VARIANCE, 0, 0},
        {"observable", "observable ", RD_OBSERVABLES, RD_OBSERVABLE_MEAN, RD_OBSERVABLE_VARIANCE, 0,
         0}};
    const hid_t file = rd_result_open(s->path, "", e);
    if (file < 0)
        return false;
    const hid_t at = rd_result_enter_totals(file);
    s->time = rd_result_reals(at, "time", &s->n_times);
    const hid_t provenance = rd_h5_open(file, "provenance");
    if (provenance < 0 || !rd_h5_get_number(provenance, "seed", &s->seed))
        s->seed = (double)NAN;
    rd_h5_drop(provenance);
    bool good = (s->time && s->n_times > 0) ||
                rd_fail(e, "%s: has no snapshot; wait for the first one", s->path);
    if (good && H5Lexists(file, "rows", H5P_DEFAULT) > 0)
        good = rd_fail(e,
                       "%s: has rows of parameters, and no statistics over all runs; run one row "
                       "alone",
                       s->path);
    for (int i = 0; good && i < 2; i++)
        good = read_kind_names(s, &kind[i], at, e);
    good = good && rd_total_moments_allocate(s, e);
    for (int i = 0; good && i < 2; i++)
        good = kind[i].n == 0 || read_moments(s, &kind[i], at, e);
    rd_result_leave(file, at);
    rd_result_close(file);
    return good && check_moments(s, e);
}

/* Returns the text of a file that is no HDF5 file; NULL otherwise, or with a message. */
static char *read_moments_text(const char *path, struct rd_error *e)
{
    const char *why;
    FILE *const file = rd_file_open_stream(path, &why);
    char start[8] = "";
    if (!file || rd_filetype_is_hdf5(start, fread(start, 1, sizeof start, file))) {
        if (file)
            fclose(file);
        return NULL;
    }
    fseek(file, 0, SEEK_END);
    const long n = ftell(file);
    char *const text = n > 0 && n < MOST_TABLE ? malloc((size_t)n + 1) : NULL;
    rewind(file);
    const size_t got = text ? fread(text, 1, (size_t)n, file) : 0;
    fclose(file);
    if (!text || got != (size_t)n || memchr(text, 0, got)) {
        rd_fail(e, "%s: is neither a result nor a table of text; name another file", path);
        free(text);
        return NULL;
    }
    text[got] = 0;
    return text;
}

bool rd_total_moments_read(struct rd_total_moments *s, const char *path, struct rd_error *e)
{
    const int before = e->n;
    *s = (struct rd_total_moments){.path = path, .seed = (double)NAN};
    char *const text = read_moments_text(path, e);
    const bool good =
        text ? rd_total_moments_read_table(s, text, e) : e->n == before && read_result(s, e);
    free(text);
    return good;
}

void rd_total_moments_free(struct rd_total_moments *s)
{
    free(s->time);
    for (char **name = s->species; name && *name; name++)
        free(*name);
    free(s->species);
    free(s->of);
    *s = (struct rd_total_moments){0};
}
