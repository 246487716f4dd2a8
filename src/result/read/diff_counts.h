/* diff_counts - compares the counts of two results of which at least one has them as rows. */
#ifndef RD_RESULT_READ_DIFF_COUNTS_H
#define RD_RESULT_READ_DIFF_COUNTS_H

#include "result/read/diff_sides.h"

/* Describes how the counts of two results differ: the number of counts, and the first one by time,
   run, species and voxel. */
struct rd_counts_difference {
    int64_t n, time, run, species, site; /* time, run: indices; site: number of the voxel */
    int64_t value[2];                    /* -1: the run is missing there */
    bool is_missing[2];                  /* some run is missing at some time */
    bool is_there[2];                    /* the side has counts; one without is a difference */
};

/* Compares the first n_times times. Returns false with a message on failure. */
bool rd_counts_compare(const struct rd_side side[2], int64_t n_times,
                       struct rd_counts_difference *d, struct rd_error *e);
/* Prints the difference, if there is one, of a group with this name and a slash, or "". */
void rd_counts_report(const struct rd_side side[2], const struct rd_counts_difference *d,
                      const char *group, FILE *out);

#endif
