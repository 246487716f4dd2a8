/* join - files that are made of closed segments: the master that shows them as one, a larger
   segment, and the result. */
#include "result/write/join.h"

#include "hdf5/hdf5_file.h"
#include "result/write/copy.h"

#include <stdio.h>

static bool map_segments(hid_t plan, hid_t space, const struct rd_series *s,
                         const struct rd_source *source)
{
    const int64_t n_runs = source->layout->length[RD_AXIS_RUN];
    int64_t begin = 0;
    bool good = true;
    for (int i = 0; good && i < source->parts->n; i++) {
        const int64_t n = rd_parts_length(source->parts, i, s->growth);
        if (n == 0)
            continue;
        const struct rd_path file =
            rd_parts_name_in_master(source->parts, source->parts->part[i].number);
        const hid_t there = rd_set_space(source->layout, s, n_runs, n);
        good = rd_set_select(space, s, (struct rd_slab){0, n_runs, begin, n}) &&
               H5Pset_virtual(plan, space, file.text, s->path, there) >= 0;
        rd_h5_drop(there);
        begin += n;
    }
    return good;
}

static hid_t make_virtual(hid_t file, const struct rd_series *s, void *how)
{
    const struct rd_source *const source = how;
    const struct rd_layout *const l = source->layout;
    const hid_t plan = rd_set_plan(rd_variables[s->name].number);
    const hid_t space = rd_set_space(l, s, l->length[RD_AXIS_RUN], rd_source_length(source, s));
    hid_t set = H5I_INVALID_HID;
    if (map_segments(plan, space, s, source))
        set = rd_set_create(file, s, space, plan);
    rd_h5_drop(space);
    rd_h5_drop(plan);
    return set;
}

static hid_t make_joined(hid_t file, const struct rd_series *s, void *how)
{
    const struct rd_source *const source = how;
    const hid_t set = rd_set_result(source->layout, file, s, rd_source_length(source, s));
    if (set >= 0 && rd_series_copy(set, s, source))
        return set;
    rd_h5_drop(set);
    return H5I_INVALID_HID;
}

static bool make_framed(const char *path, const struct rd_parts *parts,
                        const struct rd_result_info *result_info, rd_make_series *make,
                        struct rd_error *e)
{
    struct rd_temporary_file temporary_file;
    struct rd_source source = {result_info->layout, parts, 0, &temporary_file};
    return rd_temporary_file_open(&temporary_file, rd_parts_temporary_file(parts).text, path, e) &&
           rd_temporary_file_publish(
               &temporary_file, rd_metadata_write(temporary_file.file, result_info, make, &source),
               e);
}

bool rd_join_master(const char *path, const struct rd_parts *parts,
                    const struct rd_result_info *result_info, struct rd_error *e)
{
    return make_framed(path, parts, result_info, make_virtual, e);
}

bool rd_join_result(const char *path, const struct rd_parts *parts,
                    const struct rd_result_info *result_info, struct rd_error *e)
{
    return make_framed(path, parts, result_info, make_joined, e);
}

static bool join_series(hid_t file, const struct rd_series *s, const struct rd_source *source)
{
    const struct rd_layout *const l = source->layout;
    const hid_t set = rd_set_segment(l, file, s);
    const bool good = set >= 0 && rd_set_extend(l, set, s, rd_source_length(source, s)) &&
                      rd_series_copy(set, s, source);
    rd_h5_drop(set);
    return good;
}

bool rd_join_segments(const struct rd_parts *parts, int n, const struct rd_layout *l,
                      struct rd_error *e)
{
    struct rd_temporary_file temporary_file;
    const struct rd_source source = {l, parts, parts->n - n, &temporary_file};
    if (!rd_temporary_file_open(&temporary_file, rd_parts_temporary_file(parts).text,
                                rd_parts_path(parts, parts->next).text, e))
        return false;
    bool good = true;
    for (int i = 0; good && i < l->n_series; i++)
        good = join_series(temporary_file.file, &l->series[i], &source);
    return rd_temporary_file_publish(&temporary_file, good, e);
}
