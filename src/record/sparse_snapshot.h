/* sparse_snapshot - the counts of a snapshot as sorted rows (voxel, species, count), made on the
   host from columns and rows of the machine, so that they do not depend on its storage. */
#ifndef RD_RECORD_SPARSE_SNAPSHOT_H
#define RD_RECORD_SPARSE_SNAPSHOT_H

#include "record/snapshot_buffer.h"

/* Makes the rows of one snapshot after the other; NULL is closed. */
typedef struct rd_sparse_snapshot rd_sparse_snapshot;

bool rd_sparse_snapshot_open(rd_sparse_snapshot **s, const struct rd_packing *k,
                             struct rd_error *e);
void rd_sparse_snapshot_close(rd_sparse_snapshot *s);

/* Returns the bytes of memory that it is expected to take if there are columns: there are as many
   rows as entries of the machine's rows, and one for every fourth count of its columns. */
double rd_sparse_snapshot_memory(const struct rd_packing *k);

/* Makes the rows of the first runs from the copied bytes, which have n_entries entries and are
   changed; those with out[run] have none, and the
   row count -1. They are valid until the next call. Returns NULL with a message if memory is
   short. */
const struct rd_sparse_counts *rd_sparse_snapshot_take(rd_sparse_snapshot *s,
                                                       const struct rd_packing *k,
                                                       int64_t n_counted, const char *byte,
                                                       int64_t n_entries, struct rd_error *e);

#endif
