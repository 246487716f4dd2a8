/* scales - the axes of a result: dimension scales with coordinates, and their units. */
#define _POSIX_C_SOURCE 200809L
#include "result/format/scales.h"

#include "expr/units.h"
#include "hdf5/hdf5_file.h"
#include "result/format/plain_table.h"

#include <hdf5_hl.h>
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
    [RD_AXIS_QUANTILE] = "fraction of the runs",
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

static hid_t put_centres(hid_t file, const struct rd_result_info *s, enum rd_axis axis)
{
    const struct rd_grid *const g = &s->record->model->grid;
    const int dimension = dimension_of(axis);
    const int64_t n = s->layout->length[axis];
    double *const centre = malloc((size_t)n * sizeof *centre);
    for (int64_t i = 0; centre && i < n; i++)
        centre[i] = rd_layout_centre(g, dimension, i);
    const hid_t set =
        centre ? rd_h5_put_column(file, rd_axis_names[axis], H5T_NATIVE_DOUBLE, n, centre)
               : H5I_INVALID_HID;
    free(centre);
    return set;
}

static hid_t put_runs(hid_t file, const struct rd_result_info *s, enum rd_axis axis)
{
    const int64_t n = s->layout->length[axis];
    int64_t *const number = malloc((size_t)n * sizeof *number);
    for (int64_t i = 0; number && i < n; i++)
        number[i] = s->record->model->first_run + i;
    const hid_t set = number
                          ? rd_h5_put_column(file, rd_axis_names[axis], H5T_NATIVE_INT64, n, number)
                          : H5I_INVALID_HID;
    free(number);
    return set;
}

/* Writes the names of the regions with totals. */
static hid_t put_regions(hid_t file, const struct rd_model *m)
{
    const char *name[RD_MAX_REGIONS];
    int n = 0;
    for (int i = 0; i < m->n_regions; i++)
        if (m->totalled >> i & 1)
            name[n++] = m->region[i].name;
    const hid_t text = rd_h5_text_type();
    const hid_t set = rd_h5_put_column(file, rd_axis_names[RD_AXIS_REGION], text, n, name);
    rd_h5_drop(text);
    return set;
}

/* Writes a text for each species, for pictures; species without one have an empty text. */
static bool put_looks(hid_t file, const struct rd_model *m, const char *name, bool is_colour)
{
    const char **const text = malloc(((size_t)m->n_species + 1) * sizeof *text);
    bool is_given = false;
    for (int i = 0; text && i < m->n_species; i++) {
        const char *const given = is_colour ? m->species[i].colour : m->species[i].label;
        is_given = is_given || given;
        text[i] = given ? given : "";
    }
    const hid_t type = rd_h5_text_type();
    const hid_t set =
        text && is_given ? rd_h5_put_column(file, name, type, m->n_species, text) : H5I_INVALID_HID;
    const hid_t scale = set < 0 ? set : H5Dopen2(file, "species", H5P_DEFAULT);
    const bool good = text && (!is_given || (scale >= 0 && H5DSattach_scale(set, scale, 0) >= 0));
    rd_h5_drop(scale);
    rd_h5_drop(set);
    rd_h5_drop(type);
    free(text);
    return good;
}

static hid_t put_names(hid_t file, const struct rd_result_info *s, enum rd_axis axis)
{
    const struct rd_model *const m = s->record->model;
    const int64_t n = s->layout->length[axis];
    const char **const name = malloc((size_t)n * sizeof *name);
    for (int64_t i = 0; name && i < n; i++)
        name[i] = axis == RD_AXIS_FACE         ? face_names[i]
                  : axis == RD_AXIS_REACTION   ? m->reaction[i].label
                  : axis == RD_AXIS_OBSERVABLE ? m->observable[i].name
                                               : m->species[i].name;
    const hid_t text = rd_h5_text_type();
    const hid_t set =
        name ? rd_h5_put_column(file, rd_axis_names[axis], text, n, name) : H5I_INVALID_HID;
    rd_h5_drop(text);
    free(name);
    return set;
}

/* Writes the coordinates along an axis. Returns the open data set, or a negative number. */
static hid_t put_coordinates(hid_t file, const struct rd_result_info *s, enum rd_axis axis)
{
    const struct rd_model *const m = s->record->model;
    switch (axis) {
    case RD_AXIS_RUN:
    case RD_AXIS_ENSEMBLE:
        return put_runs(file, s, axis);
    case RD_AXIS_QUANTILE:
        return rd_h5_put_column(file, "quantile", H5T_NATIVE_DOUBLE, m->n_quantiles, m->quantile);
    case RD_AXIS_TIME:
        return rd_h5_put_column(file, "time", H5T_NATIVE_DOUBLE, s->length[0], s->time);
    case RD_AXIS_X:
    case RD_AXIS_Y:
    case RD_AXIS_Z:
        return put_centres(file, s, axis);
    case RD_AXIS_REGION:
        return put_regions(file, m);
    default:
        return put_names(file, s, axis);
    }
}

static bool put_scale(hid_t file, const struct rd_result_info *s, enum rd_axis axis)
{
    const char *const name = rd_axis_names[axis];
    const struct rd_model *const m = s->record->model;
    const hid_t set = put_coordinates(file, s, axis);
    bool good = rd_h5_label(set, axis_long_names[axis], rd_scales_unit(m, axis)) &&
                H5DSset_scale(set, name) >= 0;
    const int dimension = dimension_of(axis);
    if (good && dimension >= 0)
        good = rd_h5_put_number(set, "voxel_size", H5T_NATIVE_DOUBLE, &m->grid.edge[dimension]);
    rd_h5_drop(set);
    return good;
}

static bool is_used(const struct rd_layout *l, enum rd_axis axis)
{
    if (axis == RD_AXIS_SPECIES_2)
        return rd_layout_has(l, RD_TOTAL_COVARIANCE);
    if (axis == RD_AXIS_QUANTILE)
        return rd_layout_has(l, RD_TOTAL_QUANTILE);
    return l->length[axis] > 0;
}

bool rd_scales_write(hid_t file, const struct rd_result_info *s)
{
    for (int axis = 0; axis < RD_N_AXES; axis++)
        if (is_used(s->layout, (enum rd_axis)axis) && !put_scale(file, s, (enum rd_axis)axis))
            return false;
    return put_looks(file, s->record->model, "species_label", false) &&
           put_looks(file, s->record->model, "species_colour", true);
}

bool rd_scales_all_rows(hid_t file, const struct rd_result_info *s)
{
    bool good = true;
    for (int i = 1; good && i < s->layout->n_tables; i++) {
        const char *const name = s->layout->table[i].group;
        const hid_t group =
            rd_h5_parents(file, name) ? H5Gopen2(file, name, H5P_DEFAULT) : H5I_INVALID_HID;
        good = group >= 0 && rd_scale_put_rows(group, s->length[i]);
        rd_h5_drop(group);
    }
    return good;
}
