/* summary - the contents of a result for `rdsim info`, as a page and as JSON. */
#define _POSIX_C_SOURCE 200809L
#include "result/read/summary.h"

#include "base/memory.h"
#include "hdf5/hdf5_file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static void read_runs(struct rd_summary *s)
{
    s->run = rd_result_integers(s->at, "run", &s->n_runs);
    free(rd_result_integers(s->at, "ensemble", &s->n_all));
    s->n_all = s->n_all > 0 ? s->n_all : s->n_runs;
}

bool rd_summary_open(struct rd_summary *s, const char *path, struct rd_error *e)
{
    static const char *const axis[3] = {"x", "y", "z"};
    double wanted;
    struct stat about;
    *s = (struct rd_summary){.path = path, .state = rd_store_state(path), .n_wanted = -1};
    rd_h5_listen(&s->cause);
    if ((s->file = rd_result_open(path, "", e)) < 0)
        return false;
    s->at = s->file;
    s->groups = rd_result_groups(s->file);
    s->time = rd_result_times(s->file, &s->n_moments);
    s->n_times = s->n_moments;
    s->has_snapshots = s->groups.n == 0 || H5Lexists(s->file, "time", H5P_DEFAULT) > 0;
    if (s->has_snapshots && s->groups.n > 0) {
        free(s->time);
        s->time = rd_result_reals(s->file, "time", &s->n_times);
    }
    read_runs(s);
    for (int i = 0; i < 3; i++)
        free(rd_result_reals(s->file, axis[i], &s->voxels[i]));
    rd_result_edges(s->file, s->edge);
    s->bytes = stat(path, &about) == 0 ? (double)about.st_size : (double)NAN;
    const hid_t model = rd_h5_open(s->file, "model"), derived = rd_h5_open(model, "derived");
    if (derived >= 0 && rd_h5_get_number(derived, "snapshots", &wanted))
        s->n_wanted = (int64_t)wanted;
    rd_h5_drop(derived);
    rd_h5_drop(model);
    return true;
}

void rd_summary_close(struct rd_summary *s)
{
    free(s->time);
    free(s->run);
    rd_result_close(s->file);
    rd_h5_listen(NULL);
}

void rd_summary_enter(struct rd_summary *s, const struct rd_summary *of, const char *group)
{
    *s = *of;
    s->group = group;
    s->at = rd_h5_open(of->file, group);
    s->has_snapshots = true;
    s->time = rd_result_reals(s->at, "time", &s->n_times);
    read_runs(s);
}

void rd_summary_leave(struct rd_summary *s)
{
    free(s->time);
    free(s->run);
    rd_h5_drop(s->at);
}

/* Returns whether the totals of the last snapshot are there; they are NAN if its segment is
   missing. */
static bool has_last_totals(const struct rd_summary *s)
{
    int64_t n;
    char **const species = rd_result_texts(s->at, "species", &n);
    double *const mean = n > 0 ? rd_summary_means(s->at, RD_TOTAL_MEAN, 0, n) : NULL;
    bool has = true;
    for (int64_t i = 0; mean && i < n; i++)
        has = has && !isnan(mean[i]);
    free(mean);
    rd_result_free_texts(species, n);
    return has;
}

bool rd_summary_check(const struct rd_summary *s, struct rd_error *e)
{
    bool has_grid = true;
    for (int i = 0; i < 3; i++)
        has_grid = has_grid && s->voxels[i] >= 1 && s->edge[i] > 0.0;
    if (s->cause.text[0] || !has_grid || s->n_runs < 1)
        return rd_h5_fail(e, s->path, "is damaged: not all of it can be read");
    bool has = has_last_totals(s);
    for (int i = 0; has && i < s->groups.n; i++) {
        struct rd_summary group;
        rd_summary_enter(&group, s, s->groups.name[i]);
        has = has_last_totals(&group);
        rd_summary_leave(&group);
    }
    return has || rd_fail(e,
                          "%s: some of it is missing; put the segments '%s.parts' of a "
                          "killed run into its folder, or try again if the run continues",
                          s->path, s->path);
}

double *rd_summary_means(hid_t at, enum rd_variable_name name, int64_t place, int64_t n)
{
    const struct rd_variable *const v = &rd_variables[name];
    const int time = rd_axis_place(v, RD_AXIS_TIME);
    hsize_t length[RD_RANK_MOST] = {0}, start[RD_RANK_MOST] = {0}, count[RD_RANK_MOST];
    const hid_t set = rd_result_series(at, name, length);
    if (set < 0 || length[time] == 0 || length[v->rank - 1] != (hsize_t)n) {
        rd_h5_drop(set);
        return NULL;
    }
    const hsize_t runs = time > 0 ? length[0] : 1;
    for (int i = 0; i < v->rank; i++)
        count[i] = i == v->rank - 1 ? length[i] : 1;
    start[time] = length[time] - 1;
    if (time + 1 < v->rank - 1) /* of regions */
        start[time + 1] = (hsize_t)place;
    const hid_t space = H5Dget_space(set);
    const hid_t memory = H5Screate_simple(v->rank, count, NULL);
    double *const mean = rd_memory_need(calloc((size_t)n, sizeof *mean));
    double *const one = rd_memory_need(calloc((size_t)n, sizeof *one));
    const hid_t file = H5Iget_file_id(at);
    const bool has_faults = H5Lexists(file, "faults", H5P_DEFAULT) > 0;
    rd_h5_drop(file);
    hsize_t n_faulted = 0;
    for (hsize_t run = 0; run < runs; run++) {
        start[0] = time > 0 ? run : start[0];
        const bool good =
            H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL) >= 0 &&
            H5Dread(set, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, one) >= 0;
        const bool is_out = has_faults && good && n > 0 && one[0] < 0;
        n_faulted += is_out;
        for (int64_t i = 0; i < n && !is_out; i++)
            mean[i] += good && one[i] >= 0 ? one[i] / (double)runs : (double)NAN;
    }
    for (int64_t i = 0; n_faulted > 0 && i < n; i++)
        mean[i] *= (double)runs / (double)(runs - n_faulted);
    free(one);
    rd_h5_drop(memory);
    rd_h5_drop(space);
    rd_h5_drop(set);
    return mean;
}

bool rd_summary_is_column(const char *name)
{
    for (int i = 0; i < RD_REAL_ATTRIBUTE; i++)
        if ((rd_variables[i].tables & RD_STATES) != 0 && strcmp(name, rd_variables[i].path) == 0)
            return true;
    return strcmp(name, rd_axis_names[RD_AXIS_ROW]) == 0;
}

/* Returns the number of runs, of those that are kept, that are valid at the last time. */
static int64_t n_valid(const struct rd_summary *s)
{
    int64_t n = 0, n_out = 0;
    int64_t *const valid = rd_result_integers(s->at, "run_state", &n);
    for (int64_t run = 0; valid && run < n && run < s->n_runs; run++)
        n_out += valid[run] < s->n_times;
    free(valid);
    return s->n_runs - n_out;
}

double rd_summary_living(const struct rd_summary *s, hid_t species)
{
    double sum = 0;
    double *const count =
        s->n_runs > 0 ? rd_summary_means(species, RD_ROW_COUNT, 0, s->n_runs) : NULL;
    for (int64_t run = 0; count && run < s->n_runs; run++)
        sum += count[run];
    const bool is_said = count && sum >= 0;
    const int64_t n = n_valid(s);
    free(count);
    return is_said && n > 0 ? sum / (double)n : (double)NAN;
}

int64_t rd_summary_rows(hid_t species, const char *table)
{
    hsize_t length[RD_RANK_MOST] = {0};
    const hid_t group = rd_h5_open(species, table);
    const hid_t id = rd_result_series(group, RD_ID, length);
    const int64_t rows = id >= 0 ? (int64_t)length[0] : -1;
    rd_h5_drop(id);
    rd_h5_drop(group);
    return rows;
}

/* Reads one plane of the field, and extends the range by its values. */
static bool take_plane(hid_t field, hid_t space, hid_t memory_space, double *value, hsize_t n,
                       struct rd_summary_range *range)
{
    if (H5Dread(field, H5T_NATIVE_DOUBLE, memory_space, space, H5P_DEFAULT, value) < 0)
        return false;
    for (hsize_t i = 0; i < n; i++) {
        range->least = fmin(range->least, value[i]); /* fmin and fmax ignore NAN */
        range->most = fmax(range->most, value[i]);
    }
    return true;
}

bool rd_summary_field(const struct rd_summary *s, hid_t field, struct rd_summary_range *range)
{
    hsize_t length[H5S_MAX_RANK] = {0};
    const hid_t space = field >= 0 ? H5Dget_space(field) : H5I_INVALID_HID;
    const int rank = space >= 0 ? H5Sget_simple_extent_dims(space, length, NULL) : -1;
    *range = (struct rd_summary_range){INFINITY, -INFINITY, rank == 5};
    const int z = rank == 5 ? 2 : 0;
    const hsize_t n = rank == 3 || rank == 5 ? length[z + 1] * length[z + 2] : 0;
    double *const value = n > 0 ? rd_memory_need(malloc(n * sizeof *value)) : NULL;
    const hid_t memory_space = value ? H5Screate_simple(1, &n, NULL) : H5I_INVALID_HID;
    hsize_t first[5] = {0}, count[5] = {1, 1, 1, 1, 1};
    if (range->changes)
        first[1] = s->n_times > 0 ? (hsize_t)s->n_times - 1 : 0;
    bool good = memory_space >= 0;
    for (hsize_t k = 0; good && k < length[z]; k++) {
        first[z] = k;
        count[z + 1] = length[z + 1];
        count[z + 2] = length[z + 2];
        good = H5Sselect_hyperslab(space, H5S_SELECT_SET, first, NULL, count, NULL) >= 0 &&
               take_plane(field, space, memory_space, value, n, range);
    }
    free(value);
    rd_h5_drop(memory_space);
    rd_h5_drop(space);
    return good && range->least <= range->most;
}
