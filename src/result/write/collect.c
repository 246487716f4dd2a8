/* collect - writes the totals of many results into one file, along the points of a sweep: those of
   all voxels, of regions, of observables, and counts by an attribute. */
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
#include <stdlib.h>
#include <string.h>

static const char *const titles[RD_COLLECTED_AXES] = {
    "number of the point", "number of the repeat",
    "number of the run",   "time",
    "name of the region",  "name of the observable",
    "name of the species", "value of the attribute"};

bool rd_collect_may(const char *path, bool force, struct rd_error *e)
{
    const bool may = rd_file_may_publish(path, force, "", e) && rd_file_check_place(path, e);
    e->wrong = !may;
    return may;
}

/* Returns the path of the first result that is there. */
static const char *first_result(const struct rd_collecting *c)
{
    const char *const *result = c->of->result;
    while (!*result)
        result++;
    return *result;
}

static bool is_number_text(const char *text)
{
    char *end;
    (void)strtod(text, &end);
    return end > text && *end == 0;
}

/* Writes a column that is a dimension of its name. */
static bool put_dimension(const struct rd_collecting *c, int which, hid_t type, const void *value)
{
    const char *const name = rd_collected_axis[which];
    const hid_t set = rd_h5_put_column(c->to, name, type, (int64_t)c->length[which], value);
    const char *const unit = which == RD_COLLECTED_TIME && c->time_unit ? c->time_unit : "1";
    const bool good = rd_h5_label(set, titles[which], unit) && H5DSset_scale(set, name) >= 0;
    rd_h5_drop(set);
    return good;
}

/* Writes the dimension 1, 2, 3, ... */
static bool put_numbers(const struct rd_collecting *c, int which)
{
    const int64_t n = (int64_t)c->length[which];
    int64_t *const number = malloc((size_t)n * sizeof *number);
    for (int64_t i = 0; number && i < n; i++)
        number[i] = i + 1;
    const bool good = number && put_dimension(c, which, H5T_NATIVE_INT64, number);
    free(number);
    return good;
}

/* Writes a coordinate of the points: as numbers if all its values are numbers, else as texts. */
static bool put_varied(const struct rd_collecting *c, const struct rd_varied *v)
{
    const int64_t n = c->of->n_points;
    double *const number = malloc((size_t)n * sizeof *number);
    bool are_numbers = number != NULL;
    for (int64_t i = 0; are_numbers && i < n; i++) {
        are_numbers = is_number_text(v->value[i]);
        number[i] = strtod(v->value[i], NULL);
    }
    const hid_t text = rd_h5_text_type();
    const hid_t set = are_numbers ? rd_h5_put_column(c->at, v->name, H5T_NATIVE_DOUBLE, n, number)
                                  : rd_h5_put_column(c->at, v->name, text, n, v->value);
    const bool good =
        rd_h5_label(set, v->name, "1") && rd_collected_attach(c, set, 0, RD_COLLECTED_POINT);
    rd_h5_drop(set);
    rd_h5_drop(text);
    free(number);
    return good;
}

/* Writes 1 if a result was collected, and 0 if it is missing. */
static bool put_collected(const struct rd_collecting *c)
{
    static const int jobs[] = {RD_COLLECTED_POINT, RD_COLLECTED_REPEAT};
    const int64_t n = c->of->n_points * c->of->n_repeats;
    int64_t *const is_there = malloc((size_t)n * sizeof *is_there);
    for (int64_t i = 0; is_there && i < n; i++)
        is_there[i] = c->of->result[i] != NULL;
    const bool good =
        is_there && rd_collected_put(c, "collected", RD_INT64, 2, jobs,
                                     "1: the task's result is here, 0: it is missing", is_there);
    free(is_there);
    return good;
}

static bool write_collected_head(const struct rd_collecting *c)
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

static bool put_metadata(struct rd_collecting *c)
{
    static const int jobs[] = {RD_COLLECTED_POINT, RD_COLLECTED_REPEAT};
    const hid_t text = rd_h5_text_type();
    bool good = put_numbers(c, RD_COLLECTED_POINT) && put_numbers(c, RD_COLLECTED_REPEAT) &&
                put_dimension(c, RD_COLLECTED_RUN, H5T_NATIVE_INT64, c->run) &&
                put_dimension(c, RD_COLLECTED_TIME, H5T_NATIVE_DOUBLE, c->time);
    for (int i = RD_COLLECTED_REGION; good && i <= RD_COLLECTED_SPECIES; i++)
        good = c->length[i] == 0 || put_dimension(c, i, text, c->text[i]);
    rd_h5_drop(text);
    for (int i = 0; good && i < c->of->n_varied; i++)
        good = put_varied(c, &c->of->varied[i]);
    return good &&
           rd_collected_put(c, "seed", RD_INT64, 2, jobs, "seed of the task", c->of->seed) &&
           put_collected(c);
}

/* Returns whether the result has the names of the first one along an axis. */
static bool has_same_names(const struct rd_collecting *c, hid_t file, int axis)
{
    int64_t n = 0;
    char **const text = rd_result_texts(file, rd_collected_axis[axis], &n);
    bool same = n == (int64_t)c->length[axis];
    for (int64_t i = 0; same && i < n; i++)
        same = text && strcmp(text[i], c->text[axis][i]) == 0;
    rd_result_free_texts(text, n);
    return same;
}

static bool has_same_axes(const struct rd_collecting *c, hid_t file)
{
    int64_t n_times = 0, n_runs = 0;
    double *const time = rd_result_reals(file, "time", &n_times);
    int64_t *const run = rd_result_integers(file, "run", &n_runs);
    bool same = time && run && n_times == (int64_t)c->length[RD_COLLECTED_TIME] &&
                n_runs == (int64_t)c->length[RD_COLLECTED_RUN];
    same = same && memcmp(time, c->time, (size_t)n_times * sizeof *time) == 0;
    for (int i = RD_COLLECTED_REGION; same && i <= RD_COLLECTED_SPECIES; i++)
        same = has_same_names(c, file, i);
    free(time);
    free(run);
    return same;
}

/* Returns whether the result has the values of an attribute that the first one has. */
static bool has_same_values(const struct rd_collecting *c, hid_t at)
{
    int64_t n = 0;
    int64_t *const value = rd_result_integers(at, rd_collected_axis[RD_COLLECTED_VALUE], &n);
    const bool same = value && n == (int64_t)c->length[RD_COLLECTED_VALUE] &&
                      memcmp(value, c->value, (size_t)n * sizeof *value) == 0;
    free(value);
    return same;
}

/* Holds an open result, and the group in it that is collected now. */
struct opened_result {
    hid_t file, at; /* negative: not open */
};

/* Opens a result and its group. If the result cannot be opened, there is a message. */
static struct opened_result open_source(const struct rd_collecting *c, const char *path)
{
    struct opened_result from = {rd_result_open(path, "", c->e), H5I_INVALID_HID};
    char *const group =
        rd_text_format("%s%s%s", c->group, *c->group && c->by ? "/" : "", c->by ? c->by : "");
    if (from.file >= 0 && group)
        from.at = *group ? rd_h5_open(from.file, group) : from.file;
    free(group);
    return from;
}

static void close_source(struct opened_result from)
{
    rd_result_leave(from.file, from.at);
    rd_result_close(from.file);
}

/* Checks that a result has the axes of the first one. */
static bool check_axes(const struct rd_collecting *c, hid_t at, const char *path)
{
    if (c->by)
        return has_same_values(c, at) ||
               rd_fail(c->e,
                       "%s: has other values of %s than %s; collect results that have the same",
                       path, c->by, first_result(c));
    return has_same_axes(c, at) ||
           rd_fail(c->e,
                   "%s: has other output times, species, regions, observables or runs than %s; "
                   "collect results that have the same",
                   path, first_result(c));
}

static bool add_result(const struct rd_collecting *c, int64_t point, int64_t repeat, int64_t before)
{
    const char *const path = c->of->result[point * c->of->n_repeats + repeat];
    if (!path)
        return true;
    const struct opened_result from = open_source(c, path);
    const bool good = from.file >= 0 && check_axes(c, from.at, path) &&
                      (rd_collected_add(c, from.at, point, repeat, before) ||
                       rd_h5_fail(c->e, path, "cannot be collected"));
    close_source(from);
    return good;
}

/* Returns the unit of the times of a result, which the caller frees with H5free_memory, or NULL. */
static char *read_time_unit(hid_t at)
{
    const hid_t set = H5Dopen2(at, "time", H5P_DEFAULT);
    char *const unit = set < 0 ? NULL : rd_h5_get_text(set, "units");
    rd_h5_drop(set);
    return unit;
}

/* Reads the axes of the first result, which all results must have. */
static bool look_at_first(struct rd_collecting *c)
{
    const struct opened_result from = open_source(c, first_result(c));
    if (from.file < 0)
        return false;
    int64_t n[RD_COLLECTED_AXES] = {c->of->n_points, c->of->n_repeats};
    c->run = rd_result_integers(from.at, "run", &n[RD_COLLECTED_RUN]);
    c->time = rd_result_reals(from.at, "time", &n[RD_COLLECTED_TIME]);
    c->time_unit = read_time_unit(from.at);
    for (int i = RD_COLLECTED_REGION; i <= RD_COLLECTED_SPECIES; i++)
        c->text[i] = rd_result_texts(from.at, rd_collected_axis[i], &n[i]);
    close_source(from);
    for (int i = 0; i < RD_COLLECTED_AXES; i++)
        c->length[i] = (hsize_t)n[i];
    return (c->run && c->time && c->text[RD_COLLECTED_SPECIES] && rd_collected_open(c)) ||
           rd_fail(c->e,
                   "%s: has no runs, times or species, or too many for the memory; check it with "
                   "rdsim info",
                   first_result(c));
}

/* Makes the variables of single runs that the first result has. */
static bool make_each(struct rd_collecting *c)
{
    const struct opened_result from = open_source(c, first_result(c));
    const bool good = from.at >= 0 && rd_collected_make_each(c, from.at);
    close_source(from);
    return good;
}

/* Writes all series of the group that is collected now. */
static bool fill_series(struct rd_collecting *c)
{
    bool good = make_each(c) || rd_h5_fail(c->e, c->path, "cannot be written");
    for (int64_t point = 0; good && point < c->of->n_points; point++) {
        int64_t before = 0;
        for (int64_t repeat = 0; good && repeat < c->of->n_repeats; repeat++) {
            good = add_result(c, point, repeat, before);
            before += c->of->result[point * c->of->n_repeats + repeat] != NULL;
        }
    }
    return good &&
           (rd_collected_put_statistics(c) || rd_h5_fail(c->e, c->path, "cannot be written"));
}

static bool fill_collecting(struct rd_collecting *c)
{
    return (put_metadata(c) || rd_h5_fail(c->e, c->path, "cannot be written")) && fill_series(c);
}

/* Reads the values of the attribute of the first result. */
static bool look_at_values(struct rd_collecting *c)
{
    int64_t n = 0;
    const struct opened_result from = open_source(c, first_result(c));
    if (from.at >= 0)
        c->value = rd_result_integers(from.at, rd_collected_axis[RD_COLLECTED_VALUE], &n);
    close_source(from);
    c->length[RD_COLLECTED_VALUE] = (hsize_t)n;
    return (c->value && n > 0 && rd_collected_open(c)) ||
           rd_fail(c->e, "%s: has no values of %s, or too many for the memory", first_result(c),
                   c->by);
}

/* Collects the counts by an attribute that have this name. The group's runs and times are known. */
static bool collect_by(struct rd_collecting *c, const char *name)
{
    struct rd_collecting by = *c;
    by.by = rd_text_format("%s%s", &RD_BY_GROUP[1], name);
    if (!by.by)
        return rd_fail(c->e, "%s: out of memory for the collected results", c->path);
    for (int i = RD_COLLECTED_REGION; i <= RD_COLLECTED_SPECIES; i++)
        by.length[i] = 0;
    for (int i = 0; i < RD_COLLECTED_SERIES; i++)
        by.each[i] = H5I_INVALID_HID;
    by.to = rd_h5_parents(c->at, by.by) ? rd_h5_group(c->at, by.by) : H5I_INVALID_HID;
    const bool good = look_at_values(&by) &&
                      (put_dimension(&by, RD_COLLECTED_VALUE, H5T_NATIVE_INT64, by.value) ||
                       rd_h5_fail(c->e, c->path, "cannot be written")) &&
                      fill_series(&by);
    rd_collected_close(&by);
    rd_h5_drop(by.to);
    free(by.value);
    free(by.by);
    return good;
}

/* Gets the name of the i-th counts by an attribute in the group of the first result. */
static bool name_by(const struct rd_collecting *c, hsize_t i, struct rd_h5_name *name)
{
    const struct opened_result from = open_source(c, first_result(c));
    const hid_t folder = from.at < 0 ? from.at : rd_h5_open(from.at, "by");
    const bool is_there = rd_h5_name(folder, i, name);
    rd_h5_drop(folder);
    close_source(from);
    return is_there;
}

static bool collect_all_by(struct rd_collecting *c)
{
    struct rd_h5_name name;
    const int before = c->e->n;
    bool good = true;
    for (hsize_t i = 0; good && name_by(c, i, &name); i++)
        good = collect_by(c, name.text);
    return good && c->e->n == before; /* the first result could be opened each time */
}

/* Frees what was read and summed of a group. */
static void close_collected_group(struct rd_collecting *c)
{
    for (int i = RD_COLLECTED_REGION; i <= RD_COLLECTED_SPECIES; i++) {
        rd_result_free_texts(c->text[i], (int64_t)c->length[i]);
        c->text[i] = NULL;
    }
    rd_collected_close(c);
    free(c->time);
    free(c->run);
    H5free_memory(c->time_unit);
    c->time_unit = NULL;
    c->time = NULL;
    c->run = NULL;
}

/* Collects one group of the output. */
static bool collect_group(struct rd_collecting *c, const char *group)
{
    c->group = group;
    c->to = c->at = *group ? rd_h5_group(c->file, group) : c->file;
    for (int i = 0; i < RD_COLLECTED_SERIES; i++)
        c->each[i] = H5I_INVALID_HID;
    const bool good = look_at_first(c) && fill_collecting(c) && collect_all_by(c);
    rd_result_leave(c->file, c->at);
    close_collected_group(c);
    return good;
}

/* Collects all groups that the first result has. */
static bool collect_groups(struct rd_collecting *c)
{
    const hid_t first = rd_result_open(first_result(c), "", c->e);
    if (first < 0)
        return false;
    if (H5Lexists(first, "rows", H5P_DEFAULT) > 0) {
        rd_result_close(first);
        return rd_fail(
            c->e,
            "%s: has rows of parameters, which are not collected; vary the parameters in "
            "the sweep, in place of run.rows",
            first_result(c));
    }
    const struct rd_groups groups = rd_result_groups(first);
    const bool has_root = groups.n == 0 || H5Lexists(first, "time", H5P_DEFAULT) > 0;
    char *const names = rd_h5_get_text(first, RD_OUTPUTS);
    bool good = (write_collected_head(c) &&
                 (groups.n == 0 || rd_h5_put_text(c->file, RD_OUTPUTS, names))) ||
                rd_h5_fail(c->e, c->path, "cannot be written");
    H5free_memory(names);
    rd_result_close(first);
    good = good && (!has_root || collect_group(c, ""));
    for (int i = 0; good && i < groups.n; i++)
        good = collect_group(c, groups.name[i]);
    return good;
}

/* Writes the collection under another name beside its path, and renames it. */
static bool write_temporary_file(struct rd_collecting *c)
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
    struct rd_collecting c = {.of = of, .path = path, .e = e};
    struct rd_h5_cause cause = {0};
    rd_h5_listen(&cause);
    const bool good = write_temporary_file(&c);
    rd_h5_listen(NULL);
    return good;
}
