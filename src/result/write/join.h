/* join - files that are made of closed segments: the master that shows them as one, a larger
   segment, and the result. Each is a temporary file until it is complete. */
#ifndef RD_RESULT_WRITE_JOIN_H
#define RD_RESULT_WRITE_JOIN_H

#include "result/files/parts.h"
#include "result/format/metadata.h"

/* Writes the small file at path whose series are virtual data sets of the segments. */
bool rd_join_master(const char *path, const struct rd_parts *parts,
                    const struct rd_result_info *result_info, struct rd_error *e);
/* Writes one file at path with all data. */
bool rd_join_result(const char *path, const struct rd_parts *parts,
                    const struct rd_result_info *result_info, struct rd_error *e);
/* Joins the last n segments into one, under the next number. The list does not change. */
bool rd_join_segments(const struct rd_parts *parts, int n, const struct rd_layout *l,
                      struct rd_error *e);

#endif
