/* variables - ONE table of the variables of a result that grow with the run, and their axes;
   layout.h declares it. */
#include "result/format/layout.h"

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
    [RD_AXIS_REGION] = "region",
    [RD_AXIS_OBSERVABLE] = "observable",
    [RD_AXIS_VALUE] = "value",
    [RD_AXIS_QUANTILE] = "quantile",
    [RD_AXIS_BIN] = "value",
    [RD_AXIS_ENSEMBLE] = "ensemble",
    [RD_AXIS_ROW] = "row",
};

#define AXES(...)                                                                                  \
    .rank = sizeof((enum rd_axis[]){__VA_ARGS__}) / sizeof(enum rd_axis), .axis = {__VA_ARGS__}
/* Gives a variable with one value (or array) per snapshot. */
#define SERIES(PATH, NUMBER, LONG_NAME, ...)                                                       \
    {                                                                                              \
        .path = PATH, .number = NUMBER, .long_name = LONG_NAME, .tables = RD_SNAPSHOTS,            \
        AXES(__VA_ARGS__)                                                                          \
    }
/* Describes statistics over the runs. */
#define OF_TOTALS(NAME, NUMBER, WORD)                                                              \
    SERIES("/statistics/total_" NAME, NUMBER, WORD " over runs of the molecules in all voxels",    \
           RD_AXIS_TIME, RD_AXIS_SPECIES)
#define OF_OBSERVABLES(NAME, NUMBER, WORD)                                                         \
    SERIES("/statistics/observable_" NAME, NUMBER, WORD " over runs of each observable",           \
           RD_AXIS_TIME, RD_AXIS_OBSERVABLE)
#define OF_VOXELS(NAME, NUMBER, WORD)                                                              \
    SERIES("/statistics/voxel_" NAME, NUMBER, WORD " over runs of the molecules in each voxel",    \
           RD_AXIS_TIME, BY_VOXEL)
#define OF_VALUES(NAME, WORD)                                                                      \
    SERIES("/statistics/value_" NAME, RD_REAL, WORD " over runs of each value", RD_AXIS_TIME,      \
           RD_AXIS_VALUE)
/* Gives a variable with a number for each value of an attribute. */
#define BY_VALUE(PATH, NUMBER, LONG_NAME, ...)                                                     \
    {                                                                                              \
        .path = PATH, .number = NUMBER, .long_name = LONG_NAME, .tables = RD_BY, AXES(__VA_ARGS__) \
    }
#define OF_BY(PATH, NUMBER, WORD)                                                                  \
    BY_VALUE(PATH, NUMBER, WORD " over runs of the individuals with each value", RD_AXIS_TIME,     \
             RD_AXIS_BIN)
/* Gives a variable with the places of a snapshot's rows, per time and run. */
#define PLACES(PATH, LONG_NAME)                                                                    \
    {                                                                                              \
        .path = PATH, .number = RD_INT64, .long_name = LONG_NAME, .tables = RD_STATES | RD_SPARSE, \
        AXES(RD_AXIS_TIME, RD_AXIS_RUN)                                                            \
    }
/* Gives a variable with one value per row. */
#define COLUMN(PATH, NUMBER, LONG_NAME, UNIT, TABLES)                                              \
    {                                                                                              \
        .path = PATH, .number = NUMBER, .long_name = LONG_NAME, .tables = TABLES, .unit = UNIT,    \
        AXES(RD_AXIS_ROW)                                                                          \
    }
#define LOGS     RD_BIRTHS | RD_DEATHS | RD_FIRINGS
#define BY_VOXEL RD_AXIS_SPECIES, RD_AXIS_Z, RD_AXIS_Y, RD_AXIS_X

const struct rd_variable rd_variables[RD_N_VARIABLES] = {
    [RD_COUNTS] =
        SERIES("/counts", RD_INT32, "molecules in each voxel", RD_AXIS_RUN, RD_AXIS_TIME, BY_VOXEL),
    [RD_TOTALS] = SERIES("/totals", RD_INT64, "molecules in all voxels", RD_AXIS_RUN, RD_AXIS_TIME,
                         RD_AXIS_SPECIES),
    [RD_REGION_TOTALS] = SERIES(RD_REGIONS "/totals", RD_INT64, "molecules in each region",
                                RD_AXIS_RUN, RD_AXIS_TIME, RD_AXIS_REGION, RD_AXIS_SPECIES),
    [RD_OBSERVABLES] = SERIES("/observables", RD_INT64, "sums of molecules in all voxels",
                              RD_AXIS_RUN, RD_AXIS_TIME, RD_AXIS_OBSERVABLE),
    [RD_VALUES] = SERIES("/values", RD_REAL, "variables of ODEs, and observables with a value",
                         RD_AXIS_RUN, RD_AXIS_TIME, RD_AXIS_VALUE),
    [RD_REACTIONS] = SERIES("/reactions", RD_INT64, "events of each reaction since the start",
                            RD_AXIS_RUN, RD_AXIS_TIME, RD_AXIS_REACTION),
    [RD_BOUNDARY] = SERIES("/boundary", RD_INT64, "molecules taken by each face since the start",
                           RD_AXIS_RUN, RD_AXIS_TIME, RD_AXIS_SPECIES, RD_AXIS_FACE),
    [RD_INJECTED] =
        SERIES("/injected", RD_INT64, "molecules that entered through each face since the start",
               RD_AXIS_RUN, RD_AXIS_TIME, RD_AXIS_SPECIES, RD_AXIS_FACE),
    [RD_TOTAL_MEAN] = OF_TOTALS("mean", RD_REAL, "mean"),
    [RD_TOTAL_VARIANCE] = OF_TOTALS("variance", RD_REAL, "unbiased variance"),
    [RD_TOTAL_MIN] = OF_TOTALS("min", RD_INT64, "least"),
    [RD_TOTAL_MAX] = OF_TOTALS("max", RD_INT64, "most"),
    [RD_TOTAL_COVARIANCE] = SERIES("/statistics/total_covariance", RD_REAL,
                                   "unbiased covariance over runs of the molecules in all voxels",
                                   RD_AXIS_TIME, RD_AXIS_SPECIES, RD_AXIS_SPECIES_2),
    [RD_TOTAL_QUANTILE] = SERIES("/statistics/total_quantile", RD_INT64,
                                 "quantiles over runs of the molecules in all voxels", RD_AXIS_TIME,
                                 RD_AXIS_SPECIES, RD_AXIS_QUANTILE),
    [RD_REGION_MEAN] =
        SERIES("/statistics/region_mean", RD_REAL, "mean over runs of the molecules in each region",
               RD_AXIS_TIME, RD_AXIS_REGION, RD_AXIS_SPECIES),
    [RD_REGION_VARIANCE] = SERIES("/statistics/region_variance", RD_REAL,
                                  "unbiased variance over runs of the molecules in each region",
                                  RD_AXIS_TIME, RD_AXIS_REGION, RD_AXIS_SPECIES),
    [RD_REGION_MIN] = SERIES("/statistics/region_min", RD_INT64,
                             "least over runs of the molecules in each region", RD_AXIS_TIME,
                             RD_AXIS_REGION, RD_AXIS_SPECIES),
    [RD_REGION_MAX] =
        SERIES("/statistics/region_max", RD_INT64, "most over runs of the molecules in each region",
               RD_AXIS_TIME, RD_AXIS_REGION, RD_AXIS_SPECIES),
    [RD_REGION_COVARIANCE] =
        SERIES("/statistics/region_covariance", RD_REAL,
               "unbiased covariance over runs of the molecules in each region", RD_AXIS_TIME,
               RD_AXIS_REGION, RD_AXIS_SPECIES, RD_AXIS_SPECIES_2),
    [RD_REGION_QUANTILE] = SERIES("/statistics/region_quantile", RD_INT64,
                                  "quantiles over runs of the molecules in each region",
                                  RD_AXIS_TIME, RD_AXIS_REGION, RD_AXIS_SPECIES, RD_AXIS_QUANTILE),
    [RD_OBSERVABLE_MEAN] = OF_OBSERVABLES("mean", RD_REAL, "mean"),
    [RD_OBSERVABLE_VARIANCE] = OF_OBSERVABLES("variance", RD_REAL, "unbiased variance"),
    [RD_OBSERVABLE_MIN] = OF_OBSERVABLES("min", RD_INT64, "least"),
    [RD_OBSERVABLE_MAX] = OF_OBSERVABLES("max", RD_INT64, "most"),
    [RD_OBSERVABLE_QUANTILE] = SERIES("/statistics/observable_quantile", RD_INT64,
                                      "quantiles over runs of each observable", RD_AXIS_TIME,
                                      RD_AXIS_OBSERVABLE, RD_AXIS_QUANTILE),
    [RD_VALUE_MEAN] = OF_VALUES("mean", "mean"),
    [RD_VALUE_VARIANCE] = OF_VALUES("variance", "unbiased variance"),
    [RD_VALUE_MIN] = OF_VALUES("min", "least"),
    [RD_VALUE_MAX] = OF_VALUES("max", "most"),
    [RD_VOXEL_MEAN] = OF_VOXELS("mean", RD_REAL, "mean"),
    [RD_VOXEL_VARIANCE] = OF_VOXELS("variance", RD_REAL, "unbiased variance"),
    [RD_VOXEL_MIN] = OF_VOXELS("min", RD_INT32, "least"),
    [RD_VOXEL_MAX] = OF_VOXELS("max", RD_INT32, "most"),
    [RD_IN] =
        SERIES("/statistics/runs", RD_INT64, "number of runs in the statistics", RD_AXIS_TIME),
    [RD_BY_COUNTS] = BY_VALUE("/counts", RD_INT64, "individuals with each value of the attribute",
                              RD_AXIS_RUN, RD_AXIS_TIME, RD_AXIS_BIN),
    [RD_BY_MEAN] = OF_BY("/mean", RD_REAL, "mean"),
    [RD_BY_VARIANCE] = OF_BY("/variance", RD_REAL, "unbiased variance"),
    [RD_BY_MIN] = OF_BY("/min", RD_INT64, "least"),
    [RD_BY_MAX] = OF_BY("/max", RD_INT64, "most"),
    [RD_ROW_START] = PLACES("row_start", "first row of the run at that time"),
    [RD_ROW_COUNT] = PLACES("row_count", "number of rows of the run at that time"),
    [RD_ID] = COLUMN("id", RD_INT64, "number of the individual in its run", RD_AXIS_RUN,
                     RD_STATES | RD_BIRTHS | RD_DEATHS),
    [RD_PARENT] = COLUMN("parent", RD_INT64, "id of the parent, -1 without one", RD_AXIS_RUN,
                         RD_STATES | RD_BIRTHS),
    [RD_BORN] = COLUMN("born", RD_REAL, "time of birth", RD_AXIS_TIME, RD_STATES),
    [RD_LIFE_TIME] = COLUMN("time", RD_REAL, "time of the event", RD_AXIS_TIME, LOGS),
    [RD_LIFE_RUN] = COLUMN("run", RD_INT64, "number of the run", RD_AXIS_RUN, LOGS),
    [RD_EVENT] = COLUMN("event", RD_INT64, "its number, from 0", RD_AXIS_RUN, RD_FIRINGS),
    [RD_VOXEL] = COLUMN("voxel", RD_INT64, "number of the voxel in its run", RD_AXIS_RUN,
                        RD_STATES | RD_BIRTHS | RD_DEATHS | RD_SPARSE),
    [RD_VOXEL_X] = COLUMN("x", RD_REAL, "centre of the voxel along x", RD_AXIS_X, RD_STATES),
    [RD_VOXEL_Y] = COLUMN("y", RD_REAL, "centre of the voxel along y", RD_AXIS_Y, RD_STATES),
    [RD_VOXEL_Z] = COLUMN("z", RD_REAL, "centre of the voxel along z", RD_AXIS_Z, RD_STATES),
    [RD_SPECIES_NUMBER] =
        COLUMN("species", RD_INT32, "number of the species along its axis", RD_AXIS_RUN, RD_SPARSE),
    [RD_COUNT] =
        COLUMN("count", RD_INT32, "molecules of the species in the voxel", RD_AXIS_RUN, RD_SPARSE),
    [RD_REAL_ATTRIBUTE] =
        COLUMN("", RD_REAL, "attribute of the individual", RD_AXIS_RUN, RD_STATES),
    [RD_INTEGER_ATTRIBUTE] =
        COLUMN("", RD_SIGNED, "attribute of the individual", RD_AXIS_RUN, RD_STATES),
    [RD_FIELD] = SERIES(RD_FIELDS "/", RD_REAL, "the field in each voxel", RD_AXIS_RUN,
                        RD_AXIS_TIME, RD_AXIS_Z, RD_AXIS_Y, RD_AXIS_X),
};

const struct rd_variable rd_run_variables[RD_N_RUN_VARIABLES] = {
    [RD_RUN_STATE] = {.path = "/run_state",
                      .number = RD_INT64,
                      .long_name = "number of times of the run that are valid",
                      .unit = RD_AXIS_RUN,
                      AXES(RD_AXIS_RUN)},
    [RD_STOPPED] = {.path = "/stopped",
                    .number = RD_REAL,
                    .long_name = "time at which the run stopped",
                    .unit = RD_AXIS_TIME,
                    AXES(RD_AXIS_RUN)},
};

int rd_axis_place(const struct rd_variable *v, enum rd_axis axis)
{
    for (int i = 0; i < v->rank; i++)
        if (v->axis[i] == axis)
            return i;
    return -1;
}

int rd_growth_place(const struct rd_variable *v)
{
    const int time = rd_axis_place(v, RD_AXIS_TIME);
    return time >= 0 ? time : rd_axis_place(v, RD_AXIS_ROW);
}
