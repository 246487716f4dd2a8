/* collected_series - the numbers that a sweep collects: for each item at each time the values of
   all runs, and their mean and variance over the runs of all repeats. */
#ifndef RD_RESULT_WRITE_COLLECTED_SERIES_H
#define RD_RESULT_WRITE_COLLECTED_SERIES_H

#include "base/error.h"
#include "result/format/layout.h"

#include <hdf5.h>

/* Describes a coordinate of the points: a key that the sweep varies. */
struct rd_varied {
    const char *name;
    const char **value; /* [point], as it is written in a configuration */
};

/* Holds results of n_points points with n_repeats repeats each. */
struct rd_collection {
    const char *title, *command;
    const char *missing; /* NULL or "", or a text that lists the missing results */
    int64_t n_points, n_repeats;
    int n_varied;
    const struct rd_varied *varied;
    const char *const *result; /* [point][repeat]: paths; NULL: it is missing */
    const int64_t *seed;       /* [point][repeat] */
};

/* Lists the axes of the collected variables. */
enum {
    RD_COLLECTED_POINT,
    RD_COLLECTED_REPEAT,
    RD_COLLECTED_RUN,
    RD_COLLECTED_TIME,
    RD_COLLECTED_REGION,
    RD_COLLECTED_OBSERVABLE,
    RD_COLLECTED_SPECIES,
    RD_COLLECTED_VALUE, /* of an attribute */
    RD_COLLECTED_AXES
};
extern const char *const rd_collected_axis[RD_COLLECTED_AXES];

/* Lists what is collected: totals of all voxels, of regions, observables, and counts by an
   attribute. */
enum { RD_COLLECTED_SERIES = 4, RD_COLLECTED_STATISTICS = 2 };

/* Describes the file that is being written. */
struct rd_collecting {
    const struct rd_collection *of;
    const char *path;
    const char *group;                 /* of the output, that is collected now; "": the root */
    char *by;                          /* path in the group of the counts by an attribute that are
                                          collected now; NULL: everything else is */
    hid_t file, at;                    /* at: that group in `file` */
    hid_t to;                          /* where variables are made: `at`, or `by` in it */
    hid_t each[RD_COLLECTED_SERIES];   /* H5I_INVALID_HID if results have only statistics of it */
    hsize_t length[RD_COLLECTED_AXES]; /* of all dimensions; 0 if results have none */
    double *time;                      /* of the first result, and so of all others */
    char *time_unit;                   /* of the first result; owned by HDF5 */
    int64_t *run;
    int64_t *value;                 /* of the attribute; NULL without `by` */
    char **text[RD_COLLECTED_AXES]; /* names along RD_COLLECTED_REGION, RD_COLLECTED_OBSERVABLE and
                                       RD_COLLECTED_SPECIES */
    double *statistic[RD_COLLECTED_SERIES]
                     [RD_COLLECTED_STATISTICS]; /* [point][time][item]; VARIANCE: sums of squares */
    struct rd_error *e;
};

/* Returns whether the file may have something of this name at its root besides what is varied. */
bool rd_collected_is_reserved(const char *name);

/* Attaches an axis to a place of a variable. */
bool rd_collected_attach(const struct rd_collecting *c, hid_t set, int place, int which);

/* Writes a variable of these axes, whole. */
bool rd_collected_put(const struct rd_collecting *c, const char *name, enum rd_number number,
                      int rank, const int dimension[], const char *long_name, const void *value);

/* Allocates the statistics of all series that the results have; frees them, and closes the
   variables. */
bool rd_collected_open(struct rd_collecting *c);
void rd_collected_close(struct rd_collecting *c);

/* Makes the variables of single runs that the first result has in this group. */
bool rd_collected_make_each(struct rd_collecting *c, hid_t first);

/* Adds all series of a group of a result, of whose point `before` repeats were added earlier. */
bool rd_collected_add(const struct rd_collecting *c, hid_t file, int64_t point, int64_t repeat,
                      int64_t before);

/* Writes the statistics, when all results were added. */
bool rd_collected_put_statistics(const struct rd_collecting *c);

#endif
