/* open_result - opens a result, written by rdsim or by another program, and reads its columns
   with care: before any value is read, it checks links, data sets, and the segments that virtual
   data sets name. */
#define _XOPEN_SOURCE 700
#include "result/files/open_result.h"

#include "base/file.h"
#include "base/memory.h"
#include "hdf5/crash_guard.h"
#include "hdf5/hdf5_file.h"
#include "hdf5/inspect.h"
#include "result/files/parts.h"
#include "result/files/run_state.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- checks before reading ---- */

/* Limits the number of segments of a result. Runs merge segments, so a result has few at a time. */
enum { SEGMENTS_MOST = 1024 };

/* Describes a result that is being checked, or one of its segments. */
struct survey {
    const char *path, *prefix;
    const char *real; /* path without links; the segments have its name */
    bool is_segment;
    bool is_refused; /* and the message is set */
    int64_t *number; /* owned: numbers of the segments that it needs */
    int n;
    struct rd_error *e;
};

static herr_t refuse_link(struct survey *s, const char *name, const char *why)
{
    rd_fail(s->e, "%s%s: %s%s%s", s->prefix, s->path, name, name[0] ? " " : "", why);
    s->is_refused = true;
    return 1;
}

static herr_t check_link(hid_t group, const char *name, const H5L_info_t *about, void *to)
{
    struct rd_why why = {""};
    if (about->type != H5L_TYPE_EXTERNAL)
        return 0;
    rd_inspect_has_link(group, name, &why);
    return refuse_link(to, "", why.text);
}

static bool note_segment(struct survey *s, int64_t number)
{
    for (int i = 0; i < s->n; i++)
        if (s->number[i] == number)
            return true;
    if (s->n == SEGMENTS_MOST)
        return false;
    s->number[s->n++] = number;
    return true;
}

/* Returns whether the source of a virtual data set is a segment in the directory of parts, and
   records its number. */
static bool is_own_segment(struct survey *s, const char *source, const struct rd_parts *parts)
{
    const char *const slash = strrchr(source, '/');
    const int64_t number = slash ? strtoll(slash + 1, NULL, 10) : -1;
    return number >= 0 && strcmp(rd_parts_name_in_master(parts, number).text, source) == 0 &&
           note_segment(s, number);
}

static herr_t check_sources(struct survey *s, hid_t plan, const char *name)
{
    const struct rd_parts parts = rd_parts_at(s->real);
    size_t n = 0;
    if (H5Pget_virtual_count(plan, &n) < 0)
        return -1;
    for (size_t i = 0; i < n; i++) {
        char source[sizeof(struct rd_path)] = "";
        if (H5Pget_virtual_filename(plan, i, source, sizeof source) < 0)
            return -1;
        if (!is_own_segment(s, source, &parts)) {
            struct rd_why why;
            snprintf(why.text, sizeof why.text,
                     "has its values in '%.300s', and only segments in the result's own '%.300s' "
                     "are read; give the result its first name",
                     source, rd_parts_name(&parts));
            return refuse_link(s, name, why.text);
        }
    }
    return 0;
}

static herr_t check_object(hid_t file, const char *name, const H5O_info_t *about, void *to)
{
    struct survey *const s = to;
    struct rd_why why = {""};
    if (about->type != H5O_TYPE_DATASET)
        return 0;
    const hid_t set = H5Dopen2(file, name, H5P_DEFAULT), plan = H5Dget_create_plist(set);
    herr_t status = -1;
    if (plan >= 0 && H5Pget_layout(plan) == H5D_VIRTUAL && !s->is_segment)
        status = check_sources(s, plan, name);
    else if (plan >= 0)
        status =
            rd_inspect_check_set(set, RD_CHUNK_MOST, &why) ? 0 : refuse_link(s, name, why.text);
    rd_h5_drop(plan);
    rd_h5_drop(set);
    return status;
}

static bool look_through(struct survey *s, hid_t file)
{
    const bool is_read =
        H5Lvisit(file, H5_INDEX_NAME, H5_ITER_INC, check_link, s) >= 0 &&
        (s->is_refused || H5Ovisit(file, H5_INDEX_NAME, H5_ITER_INC, check_object, s) >= 0);
    if (!is_read && !s->is_refused) {
        rd_fail(s->e,
                "%s%s: is damaged, since not all of it can be read; restore it from a copy, or "
                "repeat its run",
                s->prefix, s->path);
        return rd_h5_fail(s->e, s->path, "cannot be inspected");
    }
    return !s->is_refused;
}

/* Checks a segment at a path where HDF5 looks for it. A missing segment reads as missing values. */
static bool check_segment(const struct survey *of, const char *path)
{
    const char *why;
    struct stat about;
    struct survey s = {.path = path, .prefix = of->prefix, .is_segment = true, .e = of->e};
    if (lstat(path, &about) != 0 && errno == ENOENT)
        return true;
    const int fd = rd_file_open(path, &why);
    if (fd < 0)
        return rd_fail(of->e, "%s%s: cannot be read: %s", of->prefix, path, why);
    close(fd);
    const hid_t file = rd_h5_read_only(path);
    const bool good = file < 0 || look_through(&s, file); /* damaged: its values are missing */
    rd_h5_drop(file);
    return good;
}

/* Checks each segment at the three places where HDF5 searches for it: beside the name of the
   result, beside its file if that name is a link, and in the working directory. */
static bool check_segments(const struct survey *s)
{
    const char *const slash = strrchr(s->path, '/'), *const name = strrchr(s->real, '/') + 1;
    struct rd_path own_folder;
    snprintf(own_folder.text, sizeof own_folder.text, "%.*s%s",
             slash ? (int)(slash - s->path) + 1 : 0, s->path, name);
    const char *const place[] = {own_folder.text, s->real, name};
    bool good = true;
    for (int i = 0; good && i < s->n; i++)
        for (size_t k = 0; good && k < sizeof place / sizeof *place; k++) {
            const struct rd_parts parts = rd_parts_at(place[k]);
            good = check_segment(s, rd_parts_path(&parts, s->number[i]).text);
        }
    return good;
}

/* Checks a whole result. It must have no external links. Its data sets must be as
   rd_inspect_check_set requires, or virtual ones of segments in the result's own OUT.parts, which
   are checked too. */
static bool inspect(hid_t file, const char *path, const char *prefix, struct rd_error *e)
{
    char *const real = realpath(path, NULL);
    struct survey s = {.path = path, .prefix = prefix, .real = real, .e = e};
    s.number = rd_memory_guard(malloc(SEGMENTS_MOST * sizeof *s.number));
    const bool good = s.number && real
                          ? look_through(&s, file) && check_segments(&s)
                          : rd_fail(e, "%s%s: out of memory for its segments", prefix, path);
    free(s.number);
    free(real);
    return good;
}

/* ---- opening ---- */

/* Returns whether the file can be read; the system's message is clearer than HDF5's. */
static bool is_readable(const char *path, const char *prefix, struct rd_error *e)
{
    struct stat about;
    const char *why;
    const int file = rd_file_open(path, &why);
    if (file < 0 && rd_parts_exist(path))
        return rd_fail(e,
                       "%s%s: is not written yet, and its run has data in %s.parts; wait, or "
                       "continue a run that was killed with --resume",
                       prefix, path, path);
    if (file < 0)
        return rd_fail(e, "%s%s: cannot be read: %s; name a result of rdsim", prefix, path, why);
    const bool is_empty = fstat(file, &about) != 0 || about.st_size == 0;
    close(file);
    return !is_empty || rd_fail(e, "%s%s: is empty; name a result", prefix, path);
}

static bool is_collected(hid_t file)
{
    char *const source = rd_h5_get_text(file, "source");
    const bool is = source && strcmp(source, RD_H5_COLLECTED) == 0;
    H5free_memory(source);
    return is;
}

static bool refuse_old_names(const char *path, const char *prefix, struct rd_error *e)
{
    return rd_fail(e,
                   "%s%s: has format 1, in which keys and data sets have old names (cells, law, "
                   "chance); convert its configuration with tools/rename_keys.py, and run it again",
                   prefix, path);
}

static bool is_of_rdsim(hid_t file, const char *path, const char *prefix, struct rd_error *e)
{
    double format = 0;
    if (is_collected(file))
        return rd_fail(e,
                       "%s%s: contains the totals of a whole sweep, not one result; name one of "
                       "its results, or open it as netCDF",
                       prefix, path);
    if (!rd_h5_get_number(file, "rdsim_format", &format))
        return rd_fail(
            e,
            "%s%s: is an HDF5 file, but no result of rdsim (it has no rdsim_format); name a result",
            prefix, path);
    if (format == 1.0)
        return refuse_old_names(path, prefix, e);
    return format == RD_FORMAT || rd_fail(e,
                                          "%s%s: has format %g, and this program reads format %d; "
                                          "use the program that wrote it",
                                          prefix, path, format, (int)RD_FORMAT);
}

static bool is_result_whole(const char *path, hid_t file, const char *prefix, struct rd_error *e)
{
    if (file >= 0)
        return true;
    if (H5Fis_hdf5(path) <= 0)
        return rd_fail(e, "%s%s: is not an HDF5 file; name a result of rdsim", prefix, path);
    rd_fail(
        e,
        "%s%s: is an HDF5 file that is damaged or cut short; restore it from a copy, or repeat its "
        "run",
        prefix, path);
    return rd_h5_fail(e, path, "cannot be opened");
}

bool rd_result_has_old_names(const char *path, struct rd_error *e)
{
    double format = 0;
    if (H5Fis_hdf5(path) <= 0)
        return false;
    const hid_t file = rd_h5_read_only(path);
    if (file >= 0)
        rd_h5_get_number(file, "rdsim_format", &format);
    rd_h5_drop(file);
    return format == 1.0 && !refuse_old_names(path, "", e);
}

hid_t rd_result_open(const char *path, const char *prefix, struct rd_error *e)
{
    if (!is_readable(path, prefix, e))
        return H5I_INVALID_HID;
    rd_crash_guard_raise(path);
    const hid_t file = rd_h5_read_only(path);
    if (is_result_whole(path, file, prefix, e) && is_of_rdsim(file, path, prefix, e) &&
        inspect(file, path, prefix, e))
        return file;
    rd_h5_drop(file);
    rd_crash_guard_drop();
    return H5I_INVALID_HID;
}

hid_t rd_result_try(const char *path)
{
    struct rd_error ignored = {0};
    rd_h5_listen(NULL);
    const hid_t file = rd_result_open(path, "", &ignored);
    rd_error_free(&ignored);
    return file;
}

void rd_result_close(hid_t file)
{
    if (file <= 0)
        return;
    rd_h5_drop(file);
    rd_crash_guard_drop();
}

/* ---- columns ---- */

/* Returns the values of a column as numbers, or as texts of `size` bytes if they are texts in
   the file. Returns NULL if the column is missing or its length cannot be right. */
static void *column(hid_t at, const char *name, hid_t type, size_t size, int64_t *n)
{
    *n = 0;
    const hid_t set = rd_h5_open(at, name);
    if (set < 0)
        return NULL;
    const hid_t space = H5Dget_space(set), there = H5Dget_type(set);
    const bool text = H5Tget_class(type) == H5T_STRING;
    const hssize_t length = H5Sget_simple_extent_npoints(space);
    hsize_t whole = 0;
    const hid_t whole_file = H5Iget_file_id(at);
    H5Fget_filesize(whole_file, &whole);
    rd_h5_drop(whole_file);
    void *values = NULL;
    if (length > 0 && (hsize_t)length <= whole / H5Tget_size(there) &&
        H5Sget_simple_extent_ndims(space) == 1 &&
        (text ? H5Tis_variable_str(there) > 0 : H5Tget_class(there) != H5T_STRING))
        values = rd_memory_guard(calloc((size_t)length, size));
    const bool is_read =
        values && (text ? rd_h5_read_texts(set, length, values)
                        : H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
    if (!is_read) {
        free(values);
        values = NULL;
    }
    rd_h5_drop(there);
    rd_h5_drop(space);
    rd_h5_drop(set);
    *n = values ? length : 0;
    return values;
}

double *rd_result_reals(hid_t file, const char *name, int64_t *n)
{
    return column(file, name, H5T_NATIVE_DOUBLE, sizeof(double), n);
}

int64_t *rd_result_integers(hid_t file, const char *name, int64_t *n)
{
    return column(file, name, H5T_NATIVE_INT64, sizeof(int64_t), n);
}

/* Puts empty texts in place of those that were never written, which HDF5 reads as null pointers. */
static bool fill_texts(char **text, int64_t n)
{
    bool good = true;
    for (int64_t i = 0; i < n; i++) {
        text[i] = text[i] ? text[i] : H5allocate_memory(1, true);
        good = good && text[i];
    }
    return good;
}

char **rd_result_texts(hid_t file, const char *name, int64_t *n)
{
    const hid_t type = rd_h5_text_type();
    char **const text = column(file, name, type, sizeof(char *), n);
    rd_h5_drop(type);
    if (fill_texts(text, *n))
        return text;
    rd_result_free_texts(text, *n);
    *n = 0;
    return NULL;
}

void rd_result_free_texts(char **text, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        H5free_memory(text[i]);
    free(text);
}

char *rd_result_text(hid_t file, const char *name)
{
    const hid_t set = H5Dopen2(file, name, H5P_DEFAULT);
    const hid_t space = H5Dget_space(set), there = H5Dget_type(set);
    char *text = NULL, *copy = NULL;
    if (H5Sget_simple_extent_npoints(space) == 1 && H5Tis_variable_str(there) > 0 &&
        rd_h5_read_texts(set, 1, &text) && text)
        copy = rd_memory_guard(strdup(text));
    H5free_memory(text);
    rd_h5_drop(there);
    rd_h5_drop(space);
    rd_h5_drop(set);
    return copy;
}

void rd_result_edges(hid_t file, double edge[3])
{
    static const enum rd_axis axis[3] = {RD_AXIS_X, RD_AXIS_Y, RD_AXIS_Z};
    for (int i = 0; i < 3; i++) {
        const hid_t set = rd_h5_open(file, rd_axis_names[axis[i]]);
        if (set < 0 || !rd_h5_get_number(set, "voxel_size", &edge[i]))
            edge[i] = 0;
        rd_h5_drop(set);
    }
}

struct rd_groups rd_result_groups(hid_t file)
{
    struct rd_groups groups = {0};
    char *const text = rd_h5_get_text(file, RD_OUTPUTS);
    for (const char *at = text; at && *at && groups.n < RD_MAX_OUTPUTS;) {
        const size_t n = strcspn(at, " ");
        if (n > 0 && n < RD_NAME_BYTES)
            snprintf(groups.name[groups.n++], RD_NAME_BYTES, "%.*s", (int)n, at);
        at += n + (at[n] == ' ');
    }
    H5free_memory(text);
    return groups;
}

static int order_segment_times(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

/* Adds times to a list, and frees them. Returns the list, which may have moved. */
static double *add_times(double *list, int64_t *n, double *more, int64_t n_more)
{
    const size_t bytes = (size_t)(*n + n_more) * sizeof *list;
    double *const all = n_more > 0 ? rd_memory_guard(realloc(list, bytes)) : NULL;
    if (all) {
        memcpy(all + *n, more, (size_t)n_more * sizeof *all);
        *n += n_more;
    }
    free(more);
    return all ? all : list;
}

double *rd_result_times(hid_t file, int64_t *n)
{
    const struct rd_groups groups = rd_result_groups(file);
    double *all = rd_result_reals(file, "time", n);
    int64_t n_more;
    for (int i = 0; i < groups.n; i++) {
        const hid_t at = rd_h5_open(file, groups.name[i]);
        double *const more = rd_result_reals(at, "time", &n_more);
        all = add_times(all, n, more, n_more);
        rd_h5_drop(at);
    }
    if (groups.n == 0 || !all)
        return all;
    qsort(all, (size_t)*n, sizeof *all, order_segment_times);
    const int64_t n_all = *n;
    *n = 0;
    for (int64_t i = 0; i < n_all; i++)
        if (*n == 0 || all[i] > all[*n - 1])
            all[(*n)++] = all[i];
    return all;
}

/* Returns the number of totals of one run in a group. */
static int64_t n_totals(hid_t at)
{
    int64_t n_times, n_species;
    free(rd_result_reals(at, "time", &n_times));
    char **const species = rd_result_texts(at, "species", &n_species);
    rd_result_free_texts(species, n_species);
    return n_times * n_species;
}

hid_t rd_result_enter_totals(hid_t file)
{
    const struct rd_groups groups = rd_result_groups(file);
    int64_t most = groups.n > 0 ? n_totals(file) : 0;
    const char *best = NULL;
    for (int i = 0; i < groups.n; i++) {
        const hid_t at = rd_h5_open(file, groups.name[i]);
        const int64_t n = n_totals(at);
        best = n > most ? groups.name[i] : best;
        most = n > most ? n : most;
        rd_h5_drop(at);
    }
    return best ? rd_h5_open(file, best) : file;
}

void rd_result_leave(hid_t file, hid_t at)
{
    if (at != file)
        rd_h5_drop(at);
}

hid_t rd_result_series(hid_t at, enum rd_variable_name name, hsize_t length[RD_RANK_MOST])
{
    const struct rd_variable *const v = &rd_variables[name];
    const hid_t set = rd_h5_open(at, v->path + (v->path[0] == '/'));
    if (set < 0)
        return set;
    const hid_t space = H5Dget_space(set);
    const bool good = H5Sget_simple_extent_ndims(space) == v->rank &&
                      H5Sget_simple_extent_dims(space, length, NULL) == v->rank;
    rd_h5_drop(space);
    if (good)
        return set;
    rd_h5_drop(set);
    return H5I_INVALID_HID;
}
