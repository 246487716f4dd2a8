/* scales - the axes of a result: dimension scales with coordinates, and their units. */
#define _POSIX_C_SOURCE 200809L
#include "result/format/scales.h"

#include "expr/units.h"
#include "hdf5/hdf5_file.h"
#include "result/format/plain_table.h"

#include <hdf5_hl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const face_names[RD_FACES] = {"xmin", "xmax", "ymin", "ymax", "zmin", "zmax"};

static const char *const axis_long_names[RD_N_AXES] = {
    [RD_AXIS_RUN] = "number of the run",
    [RD_AXIS_TIME] = "time",
    [RD_AXIS_SPECIES] = "name of the species",
    [RD_AXIS_Z] = "centre of the voxel along z",
    [RD_AXIS_Y] = "centre of the voxel along y",
    [RD_AXIS_X] = "centre of the voxel along x",
    [RD_AXIS_REACTION] = "name or equation of the reaction",
    [RD_AXIS_FACE] = "face of the box",
    [RD_AXIS_SPECIES_2] = "name of the other species",
    [RD_AXIS_REGION] = "name of the region or surface",
    [RD_AXIS_OBSERVABLE] = "name of the observable",
    [RD_AXIS_VALUE] = "name of the value",
    [RD_AXIS_QUANTILE] = "fraction of the runs",
    [RD_AXIS_BIN] = "value of the attribute",
    [RD_AXIS_ENSEMBLE] = "number of the run, of all runs",
};

/* Returns 0, 1, 2 for x, y, z, and -1 for an axis that is not of space. */
static int dimension_of(enum rd_axis axis)
{
    return axis == RD_AXIS_X ? 0 : axis == RD_AXIS_Y ? 1 : axis == RD_AXIS_Z ? 2 : -1;
}

const char *rd_scales_unit(const struct rd_model *m, enum rd_axis axis)
{
    const char *unit = "";
    if (axis == RD_AXIS_TIME) /* the symbol: xarray takes "hours", but not "h", for a duration and
                                 turns numbers into timedelta64 */
        unit = m->time_unit ? rd_units_symbol(m->time_unit) : "";
    if (dimension_of(axis) >= 0)
        unit = m->length_unit;
    return unit && unit[0] ? unit : "1";
}

/* Says where axes are written, and whose: those of a table of snapshots, or those of all. */
struct scales {
    hid_t at;
    const struct rd_result_info *of;
    int number; /* of the table */
    const struct rd_table *table;
};

static hid_t put_centres(const struct scales *s, enum rd_axis axis)
{
    const struct rd_grid *const g = &s->of->record->model->grid;
    const int dimension = dimension_of(axis);
    const int64_t n = s->table->length[axis];
    double *const centre = rd_h5_memory(malloc((size_t)n * sizeof *centre));
    for (int64_t i = 0; centre && i < n; i++)
        centre[i] = rd_layout_centre(g, dimension, i);
    const hid_t set =
        centre ? rd_h5_put_column(s->at, rd_axis_names[axis], H5T_NATIVE_DOUBLE, n, centre)
               : H5I_INVALID_HID;
    free(centre);
    return set;
}

static hid_t put_runs(const struct scales *s, enum rd_axis axis)
{
    const int64_t n = s->table->length[axis];
    int64_t *const number = rd_h5_memory(malloc((size_t)n * sizeof *number));
    for (int64_t i = 0; number && i < n; i++)
        number[i] = s->of->record->model->first_run + i;
    const hid_t set =
        number ? rd_h5_put_column(s->at, rd_axis_names[axis], H5T_NATIVE_INT64, n, number)
               : H5I_INVALID_HID;
    free(number);
    return set;
}

/* Writes the times that the group has of all times. */
static hid_t put_times(const struct scales *s)
{
    const int64_t n = s->of->length[s->number];
    double *const time = rd_h5_memory(malloc(((size_t)n + 1) * sizeof *time));
    for (int64_t k = 0, i = 0; time && k < s->of->length[0]; k++)
        if (s->of->due[k] >> s->table->output & 1)
            time[i++] = s->of->time[k];
    const hid_t set =
        time ? rd_h5_put_column(s->at, "time", H5T_NATIVE_DOUBLE, n, time) : H5I_INVALID_HID;
    free(time);
    return set;
}

static hid_t put_quantiles(const struct scales *s)
{
    const struct rd_output *const o = &s->of->record->model->output[s->table->output];
    return rd_h5_put_column(s->at, "quantile", H5T_NATIVE_DOUBLE, o->n_quantiles, o->quantile);
}

/* Writes the values of the attribute by which a table counts. */
static hid_t put_bins(const struct scales *s)
{
    const int64_t n = s->table->length[RD_AXIS_BIN];
    int64_t *const value = rd_h5_memory(malloc((size_t)n * sizeof *value));
    for (int64_t i = 0; value && i < n; i++)
        value[i] = s->of->record->model->by[s->table->by].least + i;
    const hid_t set =
        value ? rd_h5_put_column(s->at, "value", H5T_NATIVE_INT64, n, value) : H5I_INVALID_HID;
    free(value);
    return set;
}

/* Returns the name of the i-th place along an axis of names. */
static const char *name_at(const struct scales *s, enum rd_axis axis, int64_t i)
{
    const struct rd_model *const m = s->of->record->model;
    const int64_t place = s->table->chosen[axis] ? s->table->chosen[axis][i] : i;
    if (axis == RD_AXIS_FACE)
        return face_names[place];
    if (axis == RD_AXIS_REACTION)
        return m->reaction[place].label;
    if (axis == RD_AXIS_OBSERVABLE)
        return m->observable[place].name;
    if (axis == RD_AXIS_VALUE)
        return m->named_value[place].name;
    if (axis == RD_AXIS_SPECIES_2)
        return m->species[m->paired[place]].name;
    if (axis != RD_AXIS_REGION)
        return m->species[place].name;
    const uint64_t all = rd_model_totalled(m);
    int region = 0;
    for (int64_t before = 0; before + (int64_t)(all >> region & 1) <= place; region++)
        before += (int64_t)(all >> region & 1);
    return m->region[region].name;
}

static hid_t put_names(const struct scales *s, enum rd_axis axis)
{
    const int64_t n = s->table->length[axis];
    const char **const name = rd_h5_memory(malloc((size_t)n * sizeof *name));
    for (int64_t i = 0; name && i < n; i++)
        name[i] = name_at(s, axis, i);
    const hid_t text = rd_h5_text_type();
    const hid_t set =
        name ? rd_h5_put_column(s->at, rd_axis_names[axis], text, n, name) : H5I_INVALID_HID;
    rd_h5_drop(text);
    free(name);
    return set;
}

/* Writes the coordinates along an axis. Returns the open data set, or a negative number. */
static hid_t put_coordinates(const struct scales *s, enum rd_axis axis)
{
    switch (axis) {
    case RD_AXIS_RUN:
    case RD_AXIS_ENSEMBLE:
        return put_runs(s, axis);
    case RD_AXIS_QUANTILE:
        return put_quantiles(s);
    case RD_AXIS_BIN:
        return put_bins(s);
    case RD_AXIS_TIME:
        return put_times(s);
    case RD_AXIS_X:
    case RD_AXIS_Y:
    case RD_AXIS_Z:
        return put_centres(s, axis);
    default:
        return put_names(s, axis);
    }
}

/* Writes which species are not recorded, if some are not. */
static bool put_omitted(const struct scales *s, hid_t set)
{
    const struct rd_model *const m = s->of->record->model;
    const int32_t *const chosen = s->table->chosen[RD_AXIS_SPECIES];
    char *text = NULL;
    size_t length = 0;
    FILE *const out = chosen ? open_memstream(&text, &length) : NULL;
    for (int i = 0, k = 0; out && i < m->n_species; i++)
        if (k < s->table->length[RD_AXIS_SPECIES] && chosen[k] == i)
            k++;
        else
            fprintf(out, "%s%s", i > k ? " " : "", m->species[i].name);
    const bool good = !chosen || (out && fclose(out) == 0 && rd_h5_put_text(set, RD_OMITTED, text));
    free(text);
    return good;
}

/* Writes the species that is counted, and its attribute. */
static bool put_counted(const struct scales *s, hid_t set)
{
    const struct rd_model *const m = s->of->record->model;
    const struct rd_by *const by = &m->by[s->table->by];
    const struct rd_species *const of = &m->species[by->species];
    return rd_h5_put_text(set, "species", of->name) &&
           rd_h5_put_text(set, "attribute", of->attribute[by->attribute].name);
}

static bool put_scale(const struct scales *s, enum rd_axis axis)
{
    const char *const name = rd_axis_names[axis];
    const struct rd_model *const m = s->of->record->model;
    const hid_t set = put_coordinates(s, axis);
    bool good = rd_h5_label(set, axis_long_names[axis], rd_scales_unit(m, axis)) &&
                H5DSset_scale(set, name) >= 0;
    if (good && axis == RD_AXIS_SPECIES)
        good = put_omitted(s, set);
    if (good && axis == RD_AXIS_BIN)
        good = put_counted(s, set);
    const int dimension = dimension_of(axis);
    if (good && dimension >= 0)
        good = rd_h5_put_number(set, "voxel_size", H5T_NATIVE_DOUBLE, &m->grid.edge[dimension]);
    rd_h5_drop(set);
    return good;
}

/* Holds texts of a species, for pictures; NULL: it has none. */
typedef const char *species_text(const struct rd_model *m, const struct rd_species *x);

static const char *label_of(const struct rd_model *m, const struct rd_species *x)
{
    (void)m;
    return x->label;
}

static const char *colour_of(const struct rd_model *m, const struct rd_species *x)
{
    (void)m;
    return x->colour;
}

static const char *compartment_of_species(const struct rd_model *m, const struct rd_species *x)
{
    return x->compartment < 0 ? NULL : m->region[m->compartment[x->compartment].region].name;
}

/* Writes a text for each species, if one has any; species without one have an empty text. */
static bool put_texts(const struct scales *s, const char *name, species_text *text_of)
{
    const struct rd_model *const m = s->of->record->model;
    const int64_t n = s->table->length[RD_AXIS_SPECIES];
    const int32_t *const chosen = s->table->chosen[RD_AXIS_SPECIES];
    const char **const text = rd_h5_memory(malloc(((size_t)n + 1) * sizeof *text));
    bool is_given = false;
    for (int64_t i = 0; text && i < n; i++) {
        const char *const given = text_of(m, &m->species[chosen ? chosen[i] : i]);
        is_given = is_given || given;
        text[i] = given ? given : "";
    }
    const hid_t type = rd_h5_text_type();
    const hid_t set =
        text && is_given ? rd_h5_put_column(s->at, name, type, n, text) : H5I_INVALID_HID;
    const hid_t scale = set < 0 ? set : H5Dopen2(s->at, "species", H5P_DEFAULT);
    const bool good = text && (!is_given || (scale >= 0 && H5DSattach_scale(set, scale, 0) >= 0));
    rd_h5_drop(scale);
    rd_h5_drop(set);
    rd_h5_drop(type);
    free(text);
    return good;
}

/* Returns whether the table has the axis. A root without snapshots has the axes that name runs,
   species, voxels and reactions. */
static bool is_used(const struct scales *s, enum rd_axis axis)
{
    const struct rd_layout *const l = s->of->layout;
    if (s->table->kind == RD_BY)
        return axis == RD_AXIS_BIN;
    if (s->table->kind == RD_MOMENTS)
        return s->table->length[axis] > 0 && (axis == RD_AXIS_RUN || axis == RD_AXIS_SPECIES ||
                                              axis == RD_AXIS_REACTION || dimension_of(axis) >= 0);
    if (axis == RD_AXIS_SPECIES_2)
        return rd_layout_has(l, s->number, RD_TOTAL_COVARIANCE);
    if (axis == RD_AXIS_QUANTILE)
        return rd_layout_has(l, s->number, RD_TOTAL_QUANTILE);
    return s->table->length[axis] > 0;
}

static bool put_scales(const struct scales *s)
{
    for (int axis = 0; axis < RD_N_AXES; axis++)
        if (is_used(s, (enum rd_axis)axis) && !put_scale(s, (enum rd_axis)axis))
            return false;
    if (s->table->kind == RD_BY)
        return true;
    return put_texts(s, "species_label", label_of) && put_texts(s, "species_colour", colour_of) &&
           put_texts(s, "species_compartment", compartment_of_species);
}

hid_t rd_scales_group(hid_t file, const char *group)
{
    char path[2 * RD_NAME_BYTES + sizeof RD_BY_GROUP];
    if (!*group)
        return file;
    snprintf(path, sizeof path, "%s/", group);
    return rd_h5_parents(file, path) ? H5Gopen2(file, group, H5P_DEFAULT) : H5I_INVALID_HID;
}

/* Returns whether table number i has the axes at the root of the file, or in a group. */
static bool has_scales(const struct rd_layout *l, int i)
{
    bool is_root_free = true;
    for (int k = 1; k < l->n_tables; k++)
        is_root_free = is_root_free && !(l->table[k].kind == RD_SNAPSHOTS && !*l->table[k].group);
    return (l->table[i].kind & (RD_SNAPSHOTS | RD_BY)) ||
           (l->table[i].kind == RD_MOMENTS && is_root_free);
}

bool rd_scales_write(hid_t file, const struct rd_result_info *s)
{
    bool good = true;
    for (int i = 0; good && i < s->layout->n_tables; i++) {
        if (!has_scales(s->layout, i))
            continue;
        const struct rd_table *const t = &s->layout->table[i];
        const struct scales scales = {rd_scales_group(file, t->group), s, i, t};
        good = scales.at >= 0 && put_scales(&scales);
        if (scales.at != file)
            rd_h5_drop(scales.at);
    }
    return good;
}

bool rd_scales_all_rows(hid_t file, const struct rd_result_info *s)
{
    bool good = true;
    for (int i = 0; good && i < s->layout->n_tables; i++) {
        const char *const name = s->layout->table[i].group;
        if (s->layout->table[i].kind & (RD_MOMENTS | RD_SNAPSHOTS | RD_BY))
            continue;
        const hid_t group =
            rd_h5_parents(file, name) ? H5Gopen2(file, name, H5P_DEFAULT) : H5I_INVALID_HID;
        good = group >= 0 && rd_scale_put_rows(group, s->length[i]);
        rd_h5_drop(group);
    }
    return good;
}
