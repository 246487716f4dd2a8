/* individuals_snapshot - the individuals on the machine to rows in the file's order, for a
 * snapshot. */
#ifndef RD_RECORD_INDIVIDUALS_SNAPSHOT_H
#define RD_RECORD_INDIVIDUALS_SNAPSHOT_H

#include "result/format/snapshot.h"
#include "sim/sim.h"

/* Rows of every species whose individuals are recorded. NULL is closed. */
typedef struct rd_individuals_snapshot rd_individuals_snapshot;

bool rd_individuals_snapshot_open(rd_individuals_snapshot **h, const struct rd_plan *p,
                                  struct rd_error *e);
void rd_individuals_snapshot_close(rd_individuals_snapshot *h);

/* Of how many lists, and bytes that theirs take in a lift at most. */
int rd_individuals_snapshot_lists(const rd_individuals_snapshot *h);
size_t rd_individuals_snapshot_bytes(const struct rd_plan *p);
/* So many pieces are lifted for them. */
int rd_individuals_snapshot_pieces(const rd_individuals_snapshot *h);

/* Where all those who are alive now stand, and how many, live[list]: the pieces to be lifted, to
   `at` and behind it. */
bool rd_individuals_snapshot_look(const rd_individuals_snapshot *h, struct rd_sim *s, size_t at,
                                  int64_t *live, struct rd_piece *piece, struct rd_error *e);
/* What was lifted becomes the snapshot's, but for runs that are out, until the next call. Needs
   nothing of the machine. */
bool rd_individuals_snapshot_take(rd_individuals_snapshot *h, const char *byte, size_t at,
                                  const int64_t *live, struct rd_snapshot *snapshot,
                                  struct rd_error *e);

#endif
