/* join - what is made of closed segments: the master that shows them as one, a larger
   segment, and the result. Each is a draft until it is whole. */
#ifndef RD_RESULT_WRITE_JOIN_H
#define RD_RESULT_WRITE_JOIN_H

#include "result/files/parts.h"
#include "result/format/metadata.h"

/* The small file at path whose series lie in the segments. */
bool rd_join_master(const char *path, const struct rd_parts *parts,
                    const struct rd_result_info *result_info, struct rd_error *e);
/* One file at path with everything in it. */
bool rd_join_result(const char *path, const struct rd_parts *parts,
                    const struct rd_result_info *result_info, struct rd_error *e);
/* The last n segments as one, under the next number; the list is not changed. */
bool rd_join_segments(const struct rd_parts *parts, int n, const struct rd_layout *l,
                      struct rd_error *e);

#endif
