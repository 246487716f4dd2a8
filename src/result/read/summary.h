/* summary - the contents of a result for `rdsim info`, as a page and as JSON. */
#ifndef RD_RESULT_READ_SUMMARY_H
#define RD_RESULT_READ_SUMMARY_H

#include "hdf5/hdf5_file.h"
#include "result/files/open_result.h"
#include "result/files/run_state.h"

/* Describes a result, or one group of its output. */
struct rd_summary {
    const char *path;
    const char *group; /* NULL: the result, with the contents of its root */
    hid_t file, at;    /* at: the group, or the file */
    struct rd_groups groups;
    struct rd_state_of state; /* at the time of opening */
    double *time;             /* of the snapshots; of those of all groups if it has none; owned */
    int64_t *run;             /* numbers; owned */
    int64_t n_times, n_runs;
    int64_t n_moments;  /* times of all groups */
    bool has_snapshots; /* of its own, not in groups */
    int64_t n_all;      /* runs in the statistics; n_runs of them are kept */
    int64_t n_wanted;   /* snapshots of a complete run; -1: the file does not state it */
    int64_t voxels[3];  /* along x, y, z */
    double edge[3], bytes;
    struct rd_h5_cause cause;
};

/* Opens a result; s must not move while it is open. rd_summary_close closes it in any case. */
bool rd_summary_open(struct rd_summary *s, const char *path, struct rd_error *e);
void rd_summary_close(struct rd_summary *s);

/* Opens a named group of the result, which must stay open. rd_summary_leave closes it. */
void rd_summary_enter(struct rd_summary *s, const struct rd_summary *of, const char *group);
void rd_summary_leave(struct rd_summary *s);

/* Returns whether all that was read was there; to be called last. */
bool rd_summary_check(const struct rd_summary *s, struct rd_error *e);

/* Returns the mean over runs of a variable [run,]time,[place,]item at the last time and one place,
   n values. A value is NAN if it is missing. Returns NULL if the variable is missing. The caller
   frees it. */
double *rd_summary_means(hid_t at, enum rd_variable_name name, int64_t place, int64_t n);

bool rd_summary_is_column(const char *name); /* whether every table of individuals has it */

/* Returns the number of individuals at the last time, mean over runs; NAN if the file does not
   state it. */
double rd_summary_living(const struct rd_summary *s, hid_t species);
/* Returns the number of rows of a table of the lineage; -1 if there is no such table. */
int64_t rd_summary_rows(hid_t species, const char *table);

/* Describes the least and the largest value of a field. If the field changes: of the first run at
   the last time. */
struct rd_summary_range {
    double least, most;
    bool changes;
};
bool rd_summary_field(const struct rd_summary *s, hid_t field, struct rd_summary_range *range);

#endif
