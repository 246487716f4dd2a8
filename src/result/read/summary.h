/* summary - what `rdsim info` tells of a result, whether for people or for programs. */
#ifndef RD_RESULT_READ_SUMMARY_H
#define RD_RESULT_READ_SUMMARY_H

#include "hdf5/hdf5_file.h"
#include "result/files/open_result.h"
#include "result/files/run_state.h"
#include "result/read/result_reader.h"

struct rd_summary {
    const char *path;
    hid_t file;
    struct rd_state_of state; /* now */
    double *time;             /* of the snapshots that are there; owned */
    int64_t *run;             /* numbers; owned */
    int64_t n_times, n_runs;
    int64_t n_all;     /* runs, of which statistics are; n_runs of them are kept */
    int64_t n_wanted;  /* snapshots of a whole run; -1: it does not say */
    int64_t voxels[3]; /* along x, y, z */
    double edge[3], bytes;
    struct rd_h5_cause cause;
};

/* Must not move while it is open. Closes with rd_summary_close in any case. */
bool rd_summary_open(struct rd_summary *s, const char *path, struct rd_error *e);
void rd_summary_close(struct rd_summary *s);

/* Whether all that was read was there; to be asked last. */
bool rd_summary_check(const struct rd_summary *s, struct rd_error *e);

/* The mean over runs of what a variable [run,]time,item has at the last time, NAN where that is not
   there; NULL without it. The caller frees. */
double *rd_summary_means(hid_t at, enum rd_variable_name name, int64_t n);

struct rd_summary_name {
    char text[256];
};

/* The i-th thing in a group, in the order of making; false behind the last one. */
bool rd_summary_name(hid_t group, hsize_t i, struct rd_summary_name *name);
hid_t rd_summary_group(hid_t at, const char *name); /* negative if there is none such */
bool rd_summary_is_column(const char *name);        /* whether every table of individuals has it */

/* How many individuals there are at the last time, mean over runs; NAN if it is not said. */
double rd_summary_living(const struct rd_summary *s, hid_t species);
/* How many rows a table of the lineage has; -1 if there is none such. */
int64_t rd_summary_rows(hid_t species, const char *table);

/* The least and the largest number of a field, in the first run at the last time if it changes;
   false where none is there. */
struct rd_summary_range {
    double least, most;
    bool changes;
};
bool rd_summary_field(const struct rd_summary *s, hid_t field, struct rd_summary_range *range);

#endif
