/* metadata - everything of a result but the series themselves: coordinates, what each
   variable is, the model, the provenance. */
#ifndef RD_RESULT_FORMAT_METADATA_H
#define RD_RESULT_FORMAT_METADATA_H

#include "result/format/data_set.h"

/* What is told, and as of when. */
struct rd_result_info {
    const struct rd_record_of *record;
    const struct rd_layout *layout;
    const double *stopped;            /* [run], or NULL: they do not */
    const struct rd_faulted *faulted; /* runs that did */
    int64_t n_faulted;
    const double *time;        /* [length[0]] */
    const int64_t *length;     /* [table]: how many rows each has; of table 0 the times */
    const char *state, *start; /* start is a date */
    double wall_seconds;
    const struct rd_fact *fact; /* known only at the end */
    int n_facts;
};

/* Makes the data set of one series with all that is there in it, given how; negative on
   failure. */
typedef hid_t rd_make_series(hid_t file, const struct rd_series *s, void *how);

/* Writes it all into an empty file, the series in their place; false as soon as HDF5 fails. */
bool rd_metadata_write(hid_t file, const struct rd_result_info *result_info, rd_make_series *make,
                       void *how);

/* "2024-05-01T12:00:00.000125Z": no two runs begin at the same. */
struct rd_date {
    char text[32];
};
struct rd_date rd_date_now(void);

#endif
