/* snapshot_checks - checks that an earlier result has what initial values are read from, before it
   is read; separate because read_snapshot.c is long. */
#ifndef RD_RESULT_READ_SNAPSHOT_CHECKS_H
#define RD_RESULT_READ_SNAPSHOT_CHECKS_H

#include "base/name_index.h"
#include "result/format/layout.h"
#include "result/read/counts_reader.h"
#include "result/read/result_reader.h"

/* Describes the request, and the result's own columns. */
struct rd_reading {
    const struct rd_wanted *wanted;
    const char *path, *prefix;
    hid_t file, at, counts;       /* at: the group of the output that is read, or the file; counts:
                                     negative if they are rows */
    hsize_t length[RD_RANK_MOST]; /* of counts */
    bool is_sparse;               /* counts are rows: */
    struct rd_counts_reader rows;
    double *time;
    int64_t *run;
    char **species;
    struct rd_name_index names, wanted_names; /* of its species, and of those of the request */
    char *omitted;                            /* the species that it does not record; NULL: none */
    int64_t n_times, n_runs, n_species;
};

/* Checks that the result has counts of all species that are wanted, on the same grid. Opens the
   rows of a sparse result. Returns false with a message. */
bool rd_reading_check(struct rd_reading *r, struct rd_error *e);
/* Find the indices of the requested time, where a snapshot matches if nine digits agree, and run.
 */
bool rd_reading_find_time(const struct rd_reading *r, int64_t *place, struct rd_error *e);
bool rd_reading_find_run(const struct rd_reading *r, int64_t *place, struct rd_error *e);

#endif
