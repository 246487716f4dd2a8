/* collect - writes the totals of many results into one file, along the points of a sweep. */
#ifndef RD_RESULT_WRITE_COLLECT_H
#define RD_RESULT_WRITE_COLLECT_H

#include "result/write/collected_series.h"

/* Returns whether the path is free, or has a file that may be replaced with force, and its folder
   can be written. */
bool rd_collect_may(const char *path, bool force, struct rd_error *e);
/* Writes the collection, for each group of the output in a group of its name; at least one result
   must exist. A missing result is the fill value in
   /totals and 0 in /collected. It does not enter the statistics, which are NAN if a point has no
   results. Results must have the same times, species and number of runs. A file at path is
   replaced when the new one is complete. */
bool rd_collect_write(const char *path, const struct rd_collection *c, struct rd_error *e);

#endif
