/* store_layout - what is in a result: ONE table of the variables that grow with time, their axes,
   and how each is cut into chunks. */
#include "store_layout.h"

#include "store_hdf.h"

#include <math.h>

/* Chunks grow to the first size; whole planes may grow to the second, so that a plane is read
   in one piece. Both in bytes. */
enum { SMALL_CHUNK = 1 << 16, LARGE_CHUNK = 1 << 20 };

#define BY_CELL RD_AXIS_SPECIES, RD_AXIS_Z, RD_AXIS_Y, RD_AXIS_X

const char *const rd_axis_names[RD_N_AXES] = {
    [RD_AXIS_RUN] = "run",
    [RD_AXIS_TIME] = "time",
    [RD_AXIS_SPECIES] = "species",
    [RD_AXIS_Z] = "z",
    [RD_AXIS_Y] = "y",
    [RD_AXIS_X] = "x",
    [RD_AXIS_REACTION] = "reaction",
    [RD_AXIS_FACE] = "face",
    [RD_AXIS_SPECIES_2] = "species_2",
};

const struct rd_variable rd_variables[RD_N_VARIABLES] = {
    [RD_COUNTS] =
        {"/counts", RD_INT32, 6, {RD_AXIS_RUN, RD_AXIS_TIME, BY_CELL}, "molecules in each cell"},
    [RD_TOTALS] = {"/totals",
                   RD_INT64,
                   3,
                   {RD_AXIS_RUN, RD_AXIS_TIME, RD_AXIS_SPECIES},
                   "molecules in all cells"},
    [RD_REACTIONS] = {"/reactions",
                      RD_INT64,
                      3,
                      {RD_AXIS_RUN, RD_AXIS_TIME, RD_AXIS_REACTION},
                      "how often each reaction fired since the start"},
    [RD_BOUNDARY] = {"/boundary",
                     RD_INT64,
                     4,
                     {RD_AXIS_RUN, RD_AXIS_TIME, RD_AXIS_SPECIES, RD_AXIS_FACE},
                     "molecules taken by each face since the start"},
    [RD_INJECTED] = {"/injected",
                     RD_INT64,
                     4,
                     {RD_AXIS_RUN, RD_AXIS_TIME, RD_AXIS_SPECIES, RD_AXIS_FACE},
                     "molecules that entered through each face since the start"},
    [RD_TOTAL_MEAN] = {"/statistics/total_mean",
                       RD_REAL,
                       2,
                       {RD_AXIS_TIME, RD_AXIS_SPECIES},
                       "mean over runs of the molecules in all cells"},
    [RD_TOTAL_VARIANCE] = {"/statistics/total_variance",
                           RD_REAL,
                           2,
                           {RD_AXIS_TIME, RD_AXIS_SPECIES},
                           "unbiased variance over runs of the molecules in all cells"},
    [RD_TOTAL_MIN] = {"/statistics/total_min",
                      RD_INT64,
                      2,
                      {RD_AXIS_TIME, RD_AXIS_SPECIES},
                      "least over runs of the molecules in all cells"},
    [RD_TOTAL_MAX] = {"/statistics/total_max",
                      RD_INT64,
                      2,
                      {RD_AXIS_TIME, RD_AXIS_SPECIES},
                      "most over runs of the molecules in all cells"},
    [RD_TOTAL_COVARIANCE] = {"/statistics/total_covariance",
                             RD_REAL,
                             3,
                             {RD_AXIS_TIME, RD_AXIS_SPECIES, RD_AXIS_SPECIES_2},
                             "unbiased covariance over runs of the molecules in all cells"},
    [RD_CELL_MEAN] = {"/statistics/cell_mean",
                      RD_REAL,
                      5,
                      {RD_AXIS_TIME, BY_CELL},
                      "mean over runs of the molecules in each cell"},
    [RD_CELL_VARIANCE] = {"/statistics/cell_variance",
                          RD_REAL,
                          5,
                          {RD_AXIS_TIME, BY_CELL},
                          "unbiased variance over runs of the molecules in each cell"},
    [RD_CELL_MIN] = {"/statistics/cell_min",
                     RD_INT32,
                     5,
                     {RD_AXIS_TIME, BY_CELL},
                     "least over runs of the molecules in each cell"},
    [RD_CELL_MAX] = {"/statistics/cell_max",
                     RD_INT32,
                     5,
                     {RD_AXIS_TIME, BY_CELL},
                     "most over runs of the molecules in each cell"},
};

/* Whether any face takes molecules. */
static bool is_open(const struct rd_model *m)
{
    for (int i = 0; i < m->n_species; i++)
        for (int face = 0; face < RD_FACES; face++)
            if (m->species[i].wall[face].kind == RD_WALL_ABSORB ||
                m->species[i].wall[face].kind == RD_WALL_RESERVOIR)
                return true;
    return false;
}

static bool is_wanted(const struct rd_record_of *r, enum rd_variable_name name)
{
    const bool ensemble = r->model->n_runs > 1;
    switch (name) {
    case RD_COUNTS:
        return r->has_counts && r->model->keep == RD_KEEP_ALL;
    case RD_TOTALS:
    case RD_REACTIONS:
        return r->model->keep != RD_KEEP_STATISTICS;
    case RD_BOUNDARY:
        return is_open(r->model) && r->model->keep != RD_KEEP_STATISTICS;
    case RD_INJECTED:
        return r->has_entered && r->model->keep != RD_KEEP_STATISTICS;
    case RD_TOTAL_COVARIANCE:
        return ensemble && r->model->n_species <= RD_PAIRS_MOST;
    case RD_CELL_MEAN:
    case RD_CELL_VARIANCE:
    case RD_CELL_MIN:
    case RD_CELL_MAX:
        return ensemble && r->has_counts;
    default:
        return true;
    }
}

/* An axis without length has no variables: netCDF takes length 0 for "without limit". */
static bool is_empty(const struct rd_layout *l, const struct rd_variable *v)
{
    for (int i = 0; i < v->rank; i++)
        if (l->length[v->axis[i]] == 0)
            return true;
    return false;
}

struct rd_layout rd_layout_of(const struct rd_record_of *r)
{
    const struct rd_model *const m = r->model;
    struct rd_layout l = {
        .compression = (unsigned)m->compression,
        .length = {[RD_AXIS_RUN] = m->n_runs,
                   [RD_AXIS_TIME] = m->n_outputs > 0 ? m->n_outputs : 1,
                   [RD_AXIS_SPECIES] = m->n_species,
                   [RD_AXIS_Z] = m->grid.size[2],
                   [RD_AXIS_Y] = m->grid.size[1],
                   [RD_AXIS_X] = m->grid.size[0],
                   [RD_AXIS_REACTION] = m->n_reactions,
                   [RD_AXIS_FACE] = RD_FACES,
                   [RD_AXIS_SPECIES_2] = m->n_species},
    };
    for (int name = 0; name < RD_N_VARIABLES; name++)
        l.has[name] =
            is_wanted(r, (enum rd_variable_name)name) && !is_empty(&l, &rd_variables[name]);
    return l;
}

hid_t rd_number_type(enum rd_number number)
{
    return number == RD_INT32   ? H5T_NATIVE_INT32
           : number == RD_INT64 ? H5T_NATIVE_INT64
                                : H5T_NATIVE_DOUBLE;
}

size_t rd_number_size(enum rd_number number)
{
    return number == RD_INT32 ? sizeof(int32_t) : sizeof(int64_t);
}

int rd_axis_place(const struct rd_variable *v, enum rd_axis axis)
{
    for (int i = 0; i < v->rank; i++)
        if (v->axis[i] == axis)
            return i;
    return -1;
}

/* The chunk grows along the i-th axis as far as bytes allow, in pieces as equal as can be. */
static void grow(hsize_t chunk[], int i, hsize_t length, size_t *size, size_t bytes)
{
    const hsize_t room = bytes / *size > 0 ? bytes / *size : 1;
    const hsize_t pieces = (length + room - 1) / room;
    chunk[i] = (length + pieces - 1) / pieces;
    *size *= (size_t)chunk[i];
}

static void shape_chunk(const struct rd_layout *l, enum rd_variable_name name,
                        enum rd_file_kind kind, int64_t n_times, hsize_t chunk[RD_RANK_MOST])
{
    const struct rd_variable *const v = &rd_variables[name];
    const int run = rd_axis_place(v, RD_AXIS_RUN), time = rd_axis_place(v, RD_AXIS_TIME);
    const bool by_cell = rd_axis_place(v, RD_AXIS_X) >= 0;
    const bool snapshots = by_cell || kind == RD_SEGMENT; /* all runs of a time together */
    size_t size = rd_number_size(v->number);
    for (int i = v->rank - 1; i > time; i--)
        grow(chunk, i, (hsize_t)l->length[v->axis[i]], &size,
             v->axis[i] == RD_AXIS_SPECIES || !by_cell ? SMALL_CHUNK : LARGE_CHUNK);
    if (!snapshots)
        grow(chunk, time, (hsize_t)n_times, &size, SMALL_CHUNK);
    if (run >= 0)
        grow(chunk, run, (hsize_t)l->length[RD_AXIS_RUN], &size, SMALL_CHUNK);
    if (snapshots)
        grow(chunk, time, (hsize_t)n_times, &size, SMALL_CHUNK);
}

hid_t rd_layout_plan(enum rd_number number)
{
    static const int64_t never = -1;
    static const double nothing = (double)NAN;
    const bool real = number == RD_REAL;
    const hid_t plan = H5Pcreate(H5P_DATASET_CREATE);
    if (H5Pset_obj_track_times(plan, false) >= 0 &&
        H5Pset_fill_value(plan, real ? H5T_NATIVE_DOUBLE : H5T_NATIVE_INT64,
                          real ? (const void *)&nothing : &never) >= 0)
        return plan;
    rd_h5_drop(plan);
    return H5I_INVALID_HID;
}

static hid_t space_between(const struct rd_layout *l, const struct rd_variable *v, int64_t n_times,
                           hsize_t most_times)
{
    hsize_t length[RD_RANK_MOST], most[RD_RANK_MOST];
    for (int i = 0; i < v->rank; i++) {
        const bool time = v->axis[i] == RD_AXIS_TIME;
        length[i] = (hsize_t)(time ? n_times : l->length[v->axis[i]]);
        most[i] = time ? most_times : length[i];
    }
    return H5Screate_simple(v->rank, length, most);
}

hid_t rd_layout_space(const struct rd_layout *l, enum rd_variable_name name, int64_t n_times)
{
    return space_between(l, &rd_variables[name], n_times, (hsize_t)n_times);
}

bool rd_layout_select(hid_t space, enum rd_variable_name name, struct rd_slab slab)
{
    const struct rd_variable *const v = &rd_variables[name];
    hsize_t start[RD_RANK_MOST] = {0}, count[RD_RANK_MOST] = {0};
    if (H5Sget_simple_extent_dims(space, count, NULL) != v->rank)
        return false;
    for (int i = 0; i < v->rank; i++) {
        if (v->axis[i] == RD_AXIS_RUN) {
            start[i] = (hsize_t)slab.first_run;
            count[i] = (hsize_t)slab.n_runs;
        } else if (v->axis[i] == RD_AXIS_TIME) {
            start[i] = (hsize_t)slab.first_time;
            count[i] = (hsize_t)slab.n_times;
        }
    }
    return H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL) >= 0;
}

hid_t rd_layout_create(const struct rd_layout *l, hid_t file, enum rd_variable_name name,
                       enum rd_file_kind kind, int64_t n_times)
{
    const struct rd_variable *const v = &rd_variables[name];
    const bool grows = kind == RD_SEGMENT;
    /* What is cut anew for the result is compressed anew: quick is better than small till then. */
    const bool again = grows && rd_axis_place(v, RD_AXIS_X) < 0;
    const unsigned level = again && l->compression > 1 ? 1 : l->compression;
    hsize_t chunk[RD_RANK_MOST];
    shape_chunk(l, name, kind, n_times, chunk);
    const hid_t plan = rd_layout_plan(v->number);
    const hid_t space =
        space_between(l, v, grows ? 0 : n_times, grows ? H5S_UNLIMITED : (hsize_t)n_times);
    bool good = plan >= 0 && H5Pset_chunk(plan, v->rank, chunk) >= 0;
    if (good && level > 0)
        good = H5Pset_shuffle(plan) >= 0 && H5Pset_deflate(plan, level) >= 0;
    hid_t set = H5I_INVALID_HID;
    if (good)
        set = H5Dcreate2(file, v->path, rd_number_type(v->number), space, H5P_DEFAULT, plan,
                         H5P_DEFAULT);
    rd_h5_drop(space);
    rd_h5_drop(plan);
    return set;
}

bool rd_layout_segment(const struct rd_layout *l, hid_t file, hid_t set[RD_N_VARIABLES])
{
    const hid_t statistics = rd_h5_group(file, "statistics");
    bool good = statistics >= 0;
    rd_h5_drop(statistics);
    for (int i = 0; good && i < RD_N_VARIABLES; i++) {
        if (!l->has[i])
            continue;
        set[i] = rd_layout_create(l, file, (enum rd_variable_name)i, RD_SEGMENT,
                                  l->length[RD_AXIS_TIME]);
        good = set[i] >= 0;
    }
    return good;
}

bool rd_layout_extend(const struct rd_layout *l, hid_t set, enum rd_variable_name name,
                      int64_t n_times)
{
    const struct rd_variable *const v = &rd_variables[name];
    hsize_t extent[RD_RANK_MOST];
    for (int i = 0; i < v->rank; i++)
        extent[i] = (hsize_t)(v->axis[i] == RD_AXIS_TIME ? n_times : l->length[v->axis[i]]);
    return H5Dset_extent(set, extent) >= 0;
}
