/* metadata - writes everything of a result but the series themselves: coordinates, attributes of
   the variables, the model, the provenance. */
#ifndef RD_RESULT_FORMAT_METADATA_H
#define RD_RESULT_FORMAT_METADATA_H

#include "result/format/layout.h"

#include <hdf5.h>

/* Holds the metadata of a result at one time. */
struct rd_result_info {
    const struct rd_record_of *record;
    const struct rd_layout *layout;
    const double *stopped;            /* [run], or NULL: runs cannot stop */
    const struct rd_faulted *faulted; /* runs that faulted */
    int64_t n_faulted;
    const double *time;        /* [length[0]] */
    const uint64_t *due;       /* [length[0]]: bit i: a time of group i of the output */
    const int64_t *length;     /* [table]: number of rows; for tables of snapshots, of times */
    const char *state, *start; /* start is a date */
    double wall_seconds;
    const struct rd_fact *fact; /* known only at the end */
    int n_facts;
};

/* Makes the data set of one series with all its values, by means of `how`. Returns a negative id
   on failure. */
typedef hid_t rd_make_series(hid_t file, const struct rd_series *s, void *how);

/* Writes the metadata into an empty file, and the series through `make`. Returns false as soon
   as HDF5 fails. */
bool rd_metadata_write(hid_t file, const struct rd_result_info *result_info, rd_make_series *make,
                       void *how);

/* Describes a date and time to the microsecond, "2024-05-01T12:00:00.000125Z": it identifies a
   run. */
struct rd_date {
    char text[32];
};
struct rd_date rd_date_now(void);

#endif
