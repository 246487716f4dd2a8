/* rows_snapshot - the parts of a snapshot buffer for counts: species in columns, and species in
   rows, whose size changes from one time to the next. */
#ifndef RD_RECORD_ROWS_SNAPSHOT_H
#define RD_RECORD_ROWS_SNAPSHOT_H

#include "kernels/core/rows.h"
#include "record/snapshot_buffer.h"

/* Ensures that the copy has room for so many bytes. Returns false with a message on failure. */
bool rd_rows_snapshot_reserve(struct rd_snapshot_buffer *p, const struct rd_sim *s, size_t bytes,
                              struct rd_error *e);
/* Computes the totals of rows and columns on the machine. Returns false with a message on
   failure. */
bool rd_rows_snapshot_totals(const struct rd_packing *k, struct rd_sim *s,
                             const struct rd_world *seen, struct rd_error *e);
/* Packs the entries of the first runs, for which it makes room, into the copy, or appends their
   piece. Returns false with a message on failure. */
bool rd_rows_snapshot_pieces(struct rd_snapshot_buffer *p, const struct rd_packing *k,
                             struct rd_sim *s, int64_t n_counted, struct rd_piece **piece,
                             struct rd_error *e);
/* Copies the counts of columns [column][run][site], in canonical order, and of rows to
   [run][species][site] in the file's order. */
void rd_counts_unpack(struct rd_packing *k, const struct rd_snapshot_buffer *p, int64_t n_counted,
                      const char *byte);
/* Adds up sums [portion of the runs][surveyed species][site] over the portions. */
void rd_survey_unpack(struct rd_packing *k, const struct rd_surveyed *from);

#endif
