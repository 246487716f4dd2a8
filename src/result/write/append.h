/* append - adds a snapshot to the open segment; separate because result.c is long. */
#ifndef RD_RESULT_WRITE_APPEND_H
#define RD_RESULT_WRITE_APPEND_H

#include "result/write/result_state.h"

/* Writes a snapshot, of which the statistics are computed, to the groups that are due. `buffer` has
   room for a column of its individuals. Returns false if HDF5 fails or memory is short. */
bool rd_append_snapshot(struct rd_store *s, const struct rd_snapshot *now, void *buffer);
/* Adds n rows to the length of a table, when all its series have them. */
void rd_append_rows(struct rd_store *s, int table, int64_t n);

#endif
