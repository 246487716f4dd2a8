/* collect - the totals of many results in one file, along the points that they belong to. */
#ifndef RD_RESULT_WRITE_COLLECT_H
#define RD_RESULT_WRITE_COLLECT_H

#include "base/error.h"

#include <stdint.h>

/* What was varied: a coordinate of the points. */
struct rd_varied {
    const char *name;
    const char **value; /* [point], as it is written in a configuration */
};

/* Results of n_points points, each repeated as often. */
struct rd_collection {
    const char *title, *command;
    const char *missing; /* NULL or "", or which results are missing, in words */
    int64_t n_points, n_repeats;
    int n_varied;
    const struct rd_varied *varied;
    const char *const *result; /* [point][repeat]: paths; NULL: it is missing */
    const int64_t *seed;       /* likewise */
};

/* Whether there is nothing at path, or a file that force allows to replace. */
bool rd_collect_may(const char *path, bool force, struct rd_error *e);
/* Writes them all; at least one must be there. What is missing is the fill value in /totals, 0 in
   /collected, and counts for nothing in the statistics, which are NaN without results. Results must
   have the same times, species and number of runs. What was at path is replaced when all is there.
 */
bool rd_collect_write(const char *path, const struct rd_collection *c, struct rd_error *e);

#endif
