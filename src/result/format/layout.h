/* layout - the contents of a result: ONE table of the variables that grow with the run, their
   axes, and which of them one result has. docs/output.md describes the same in words. */
#ifndef RD_RESULT_FORMAT_LAYOUT_H
#define RD_RESULT_FORMAT_LAYOUT_H

#include "result/format/snapshot.h"

/* Gives the value of the root attribute rdsim_format: the version of this layout. */
enum { RD_FORMAT = 2 };

/* Gives the axes. Each is a dimension scale of its name, with the coordinates along it. Rows have
   no coordinates, and each table has its own. Every variable grows along time or along rows. */
enum rd_axis {
    RD_AXIS_RUN,
    RD_AXIS_TIME,
    RD_AXIS_SPECIES,
    RD_AXIS_Z,
    RD_AXIS_Y,
    RD_AXIS_X,
    RD_AXIS_REACTION,
    RD_AXIS_FACE,
    RD_AXIS_SPECIES_2, /* those with covariances */
    RD_AXIS_REGION,
    RD_AXIS_OBSERVABLE,
    RD_AXIS_VALUE,
    RD_AXIS_QUANTILE,
    RD_AXIS_BIN,      /* values of the attribute by which a table counts */
    RD_AXIS_ENSEMBLE, /* all runs, if RD_AXIS_RUN holds only the first of them */
    RD_AXIS_ROW,
    RD_N_AXES
};

enum rd_variable_name {
    RD_COUNTS,
    RD_TOTALS,
    RD_REGION_TOTALS,
    RD_OBSERVABLES,
    RD_VALUES,
    RD_REACTIONS,
    RD_BOUNDARY,
    RD_INJECTED,
    RD_TOTAL_MEAN,
    RD_TOTAL_VARIANCE,
    RD_TOTAL_MIN,
    RD_TOTAL_MAX,
    RD_TOTAL_COVARIANCE,
    RD_TOTAL_QUANTILE,
    RD_REGION_MEAN,
    RD_REGION_VARIANCE,
    RD_REGION_MIN,
    RD_REGION_MAX,
    RD_REGION_COVARIANCE,
    RD_REGION_QUANTILE,
    RD_OBSERVABLE_MEAN,
    RD_OBSERVABLE_VARIANCE,
    RD_OBSERVABLE_MIN,
    RD_OBSERVABLE_MAX,
    RD_OBSERVABLE_QUANTILE,
    RD_VALUE_MEAN,
    RD_VALUE_VARIANCE,
    RD_VALUE_MIN,
    RD_VALUE_MAX,
    RD_VOXEL_MEAN,
    RD_VOXEL_VARIANCE,
    RD_VOXEL_MIN,
    RD_VOXEL_MAX,
    RD_IN,
    RD_BY_COUNTS,
    RD_BY_MEAN,
    RD_BY_VARIANCE,
    RD_BY_MIN,
    RD_BY_MAX,
    RD_ROW_START,
    RD_ROW_COUNT,
    RD_ID,
    RD_PARENT,
    RD_BORN,
    RD_LIFE_TIME,
    RD_LIFE_RUN,
    RD_EVENT,
    RD_VOXEL,
    RD_VOXEL_X,
    RD_VOXEL_Y,
    RD_VOXEL_Z,
    RD_SPECIES_NUMBER,
    RD_COUNT,
    RD_REAL_ATTRIBUTE,
    RD_INTEGER_ATTRIBUTE,
    RD_FIELD,
    RD_N_VARIABLES
};

/* Lists the types of numbers. RD_SIGNED has 64 bits like RD_INT64, but -1 is a valid value; RD_FLAG
   is one byte, 0 or 1. */
enum rd_number { RD_INT32, RD_INT64, RD_SIGNED, RD_REAL, RD_FLAG };

/* Lists the owners of variables, as bits: the snapshots of one group of the output, its counts as
   rows, its counts by an attribute, a table of one species, or that of events. RD_MOMENTS is the
   table of all times, which has no variables. */
enum rd_table_kind {
    RD_SNAPSHOTS = 1,
    RD_STATES = 2,
    RD_BIRTHS = 4,
    RD_DEATHS = 8,
    RD_MOMENTS = 16,
    RD_FIRINGS = 32, /* of events on conditions */
    RD_SPARSE = 64,
    RD_BY = 128
};

enum { RD_RANK_MOST = 6 };

/* Names an attribute of the root: the names of the groups of the output, with blanks between
   them. */
#define RD_OUTPUTS "output_groups"
/* Names an attribute of the axis of species: the names of those that the group does not record,
 * likewise. */
#define RD_OMITTED "not_recorded"

/* Names the group of counts as rows, and that of counts by attributes. */
#define RD_SPARSE_GROUP "/sparse/"
#define RD_BY_GROUP     "/by/"

/* Lists the groups of fields, of masks of regions and of areas of surfaces. */
#define RD_FIELDS   "/fields"
#define RD_REGIONS  "/regions"
#define RD_SURFACES "/surfaces"

struct rd_variable {
    const char *path; /* in the group of its table; for an attribute it is empty, and for a field it
                         is the group */
    enum rd_number number;
    int rank;
    enum rd_axis axis[RD_RANK_MOST];
    const char *long_name;
    unsigned tables;   /* bits of enum rd_table_kind: the tables that have it */
    enum rd_axis unit; /* it has the unit of this axis; RD_AXIS_RUN: a pure number */
};

extern const struct rd_variable rd_variables[RD_N_VARIABLES];
/* Variables with one value for each run, along RD_AXIS_RUN or RD_AXIS_ENSEMBLE. */
enum { RD_RUN_STATE, RD_STOPPED, RD_N_RUN_VARIABLES };
extern const struct rd_variable rd_run_variables[RD_N_RUN_VARIABLES];
extern const char *const rd_axis_names[RD_N_AXES];

struct rd_table {
    enum rd_table_kind kind;
    int species; /* in the file's order; -1: it is of no species */
    int output;  /* index of its group of the output; -1: of none */
    int by;      /* of RD_BY: index of its entry in the model */
    char *group; /* owned: "" or "/fast" for snapshots, "/fast/by/P_gene" for RD_BY; else
                    with its last slash: "/fast/individuals/walker/" */
    int64_t length[RD_N_AXES];  /* of the axes of its variables; that of TIME is the expected number
                                   of times; 0 for rows */
    int32_t *chosen[RD_N_AXES]; /* owned: of snapshots and RD_BY, the places along an axis that are
                                   recorded, [length]; NULL: all */
    int32_t *surveyed; /* owned: of snapshots with statistics of voxels, the places of the species
                          among those that are surveyed; NULL: all */
    unsigned compression;
};

/* Describes one data set of a result. */
struct rd_series {
    enum rd_variable_name name;
    int table;
    int attribute; /* number of the attribute or field, for RD_REAL_ATTRIBUTE, RD_INTEGER_ATTRIBUTE,
                      RD_FIELD */
    int growth;    /* the table with whose rows it grows: its own, or that of its snapshots */
    char *path;    /* owned */
};

/* Holds the contents of one result. Table 0 has a row for each time at which anything is recorded,
   and the lengths of the axes before a group chooses; the tables of snapshots follow. */
struct rd_layout {
    struct rd_table *table; /* owned */
    int n_tables;
    struct rd_series *series; /* owned */
    int n_series;
};

bool rd_layout_make(struct rd_layout *l, const struct rd_record_of *r, struct rd_error *e);
void rd_layout_free(struct rd_layout *l);
/* Returns whether a table, or for -1 any, has the variable. */
bool rd_layout_has(const struct rd_layout *l, int table, enum rd_variable_name name);
/* Returns the table of the snapshots of a table's group: 0 if it is of no group. */
int rd_layout_snapshots(const struct rd_layout *l, int table);

int rd_axis_place(const struct rd_variable *v, enum rd_axis axis); /* -1 if it has no such axis */
int rd_growth_place(const struct rd_variable *v); /* index of the axis along which it grows */

/* Returns the coordinate of the centre of voxel number `at` along a dimension. */
double rd_layout_centre(const struct rd_grid *g, int dimension, int64_t at);

#endif
