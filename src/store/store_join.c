/* store_join - what is made of closed segments: the master that shows them as one, a larger
   segment, and the result. */
#include "store_join.h"

#include "store_copy.h"
#include "store_hdf.h"

#include <stdio.h>

/* The segment's name as seen from the master. HDF5 reads "%b" in it as a pattern: "%%" is "%". */
static struct rd_path name_of(const struct rd_parts *parts, int64_t number)
{
    struct rd_path name;
    size_t n = 0;
    for (const char *c = rd_parts_name(parts); *c && n + 32 < sizeof name.text; c++) {
        if (*c == '%')
            name.text[n++] = '%';
        name.text[n++] = *c;
    }
    snprintf(name.text + n, sizeof name.text - n, "/%06lld.h5", (long long)number);
    return name;
}

static bool map_segments(hid_t plan, hid_t space, enum rd_variable_name name,
                         const struct rd_source *source)
{
    const struct rd_layout *const l = source->layout;
    int64_t begin = 0;
    bool good = true;
    for (int i = 0; good && i < source->parts->n; i++) {
        const struct rd_part *const part = &source->parts->part[i];
        const struct rd_path file = name_of(source->parts, part->number);
        const hid_t there = rd_layout_space(l, name, part->n_times);
        good =
            rd_layout_select(space, name,
                             (struct rd_slab){0, l->length[RD_AXIS_RUN], begin, part->n_times}) &&
            H5Pset_virtual(plan, space, file.text, rd_variables[name].path, there) >= 0;
        rd_h5_drop(there);
        begin += part->n_times;
    }
    return good;
}

static hid_t make_virtual(hid_t file, enum rd_variable_name name, void *how)
{
    const struct rd_source *const source = how;
    const struct rd_variable *const v = &rd_variables[name];
    const hid_t plan = rd_layout_plan(v->number);
    const hid_t space = rd_layout_space(source->layout, name, rd_source_times(source));
    hid_t set = H5I_INVALID_HID;
    if (map_segments(plan, space, name, source))
        set = H5Dcreate2(file, v->path, rd_number_type(v->number), space, H5P_DEFAULT, plan,
                         H5P_DEFAULT);
    rd_h5_drop(space);
    rd_h5_drop(plan);
    return set;
}

static hid_t make_joined(hid_t file, enum rd_variable_name name, void *how)
{
    const struct rd_source *const source = how;
    const hid_t set =
        rd_layout_create(source->layout, file, name, RD_RESULT, rd_source_times(source));
    if (set >= 0 && rd_series_copy(set, name, source))
        return set;
    rd_h5_drop(set);
    return H5I_INVALID_HID;
}

static bool make_framed(const char *path, const struct rd_parts *parts,
                        const struct rd_story *story, rd_make_series *make, struct rd_error *e)
{
    struct rd_draft draft;
    struct rd_source source = {story->layout, parts, 0, &draft};
    return rd_draft_open(&draft, rd_parts_draft(parts).text, path, e) &&
           rd_draft_publish(&draft, rd_frame_write(draft.file, story, make, &source), e);
}

bool rd_join_master(const char *path, const struct rd_parts *parts, const struct rd_story *story,
                    struct rd_error *e)
{
    return make_framed(path, parts, story, make_virtual, e);
}

bool rd_join_result(const char *path, const struct rd_parts *parts, const struct rd_story *story,
                    struct rd_error *e)
{
    return make_framed(path, parts, story, make_joined, e);
}

bool rd_join_segments(const struct rd_parts *parts, int n, const struct rd_layout *l,
                      struct rd_error *e)
{
    struct rd_draft draft;
    const struct rd_source source = {l, parts, parts->n - n, &draft};
    hid_t set[RD_N_VARIABLES] = {0};
    if (!rd_draft_open(&draft, rd_parts_draft(parts).text, rd_parts_path(parts, parts->next).text,
                       e))
        return false;
    bool good = rd_layout_segment(l, draft.file, set);
    for (int i = 0; good && i < RD_N_VARIABLES; i++)
        good = !l->has[i] ||
               (rd_layout_extend(l, set[i], (enum rd_variable_name)i, rd_source_times(&source)) &&
                rd_series_copy(set[i], (enum rd_variable_name)i, &source));
    for (int i = 0; i < RD_N_VARIABLES; i++)
        rd_h5_drop(set[i]);
    return rd_draft_publish(&draft, good, e);
}
