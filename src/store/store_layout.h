/* store_layout - what is in a result: ONE table of the variables that grow with time, their axes,
   and how each is cut into chunks. docs/output.md says the same in words. */
#ifndef RD_STORE_LAYOUT_H
#define RD_STORE_LAYOUT_H

#include "store.h"

#include <hdf5.h>

/* The root attribute rdsim_format: how all this is laid out. */
enum { RD_FORMAT = 1 };

/* Each is a dimension scale of its name, and the coordinates along it. */
enum rd_axis {
    RD_AXIS_RUN,
    RD_AXIS_TIME,
    RD_AXIS_SPECIES,
    RD_AXIS_Z,
    RD_AXIS_Y,
    RD_AXIS_X,
    RD_AXIS_REACTION,
    RD_AXIS_FACE,
    RD_AXIS_SPECIES_2,
    RD_N_AXES
};

enum rd_variable_name {
    RD_COUNTS,
    RD_TOTALS,
    RD_REACTIONS,
    RD_BOUNDARY,
    RD_INJECTED,
    RD_TOTAL_MEAN,
    RD_TOTAL_VARIANCE,
    RD_TOTAL_MIN,
    RD_TOTAL_MAX,
    RD_TOTAL_COVARIANCE,
    RD_CELL_MEAN,
    RD_CELL_VARIANCE,
    RD_CELL_MIN,
    RD_CELL_MAX,
    RD_N_VARIABLES
};

enum rd_number { RD_INT32, RD_INT64, RD_REAL };

enum { RD_RANK_MOST = 6 };

struct rd_variable {
    const char *path;
    enum rd_number number;
    int rank;
    enum rd_axis axis[RD_RANK_MOST];
    const char *long_name;
};

extern const struct rd_variable rd_variables[RD_N_VARIABLES];
extern const char *const rd_axis_names[RD_N_AXES];

/* What one result has, and how long its axes are; TIME is how many times there will be. */
struct rd_layout {
    bool has[RD_N_VARIABLES];
    int64_t length[RD_N_AXES];
    unsigned compression;
};

/* Covariances are kept up to so many species. */
enum { RD_PAIRS_MOST = 256 };

struct rd_layout rd_layout_of(const struct rd_record_of *r);

hid_t rd_number_type(enum rd_number number); /* not to be closed */
size_t rd_number_size(enum rd_number number);
int rd_axis_place(const struct rd_variable *v, enum rd_axis axis); /* -1 if it has none such */

/* Segments are written snapshot by snapshot; results are read along time. */
enum rd_file_kind { RD_SEGMENT, RD_RESULT };

/* A chunked, compressed data set, negative on failure. A segment's grows in time from nothing. */
hid_t rd_layout_create(const struct rd_layout *l, hid_t file, enum rd_variable_name name,
                       enum rd_file_kind kind, int64_t n_times);
/* All data sets of a segment in an empty file; those that it does not have stay 0. */
bool rd_layout_segment(const struct rd_layout *l, hid_t file, hid_t set[RD_N_VARIABLES]);
/* A segment's data set has n_times times now. */
bool rd_layout_extend(const struct rd_layout *l, hid_t set, enum rd_variable_name name,
                      int64_t n_times);

/* Some runs and times of a variable, and all that it has there. */
struct rd_slab {
    int64_t first_run, n_runs, first_time, n_times;
};
/* Selects the slab in a space of the variable; false if HDF5 fails. */
bool rd_layout_select(hid_t space, enum rd_variable_name name, struct rd_slab slab);

/* A data set creation plan that knows the value of what was never written. */
hid_t rd_layout_plan(enum rd_number number);
/* The variable's extent with n_times times. */
hid_t rd_layout_space(const struct rd_layout *l, enum rd_variable_name name, int64_t n_times);

#endif
