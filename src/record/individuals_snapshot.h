/* individuals_snapshot - the individuals on the machine to rows in the file's order, for a
 * snapshot. */
#ifndef RD_RECORD_INDIVIDUALS_SNAPSHOT_H
#define RD_RECORD_INDIVIDUALS_SNAPSHOT_H

#include "result/format/snapshot.h"
#include "sim/sim.h"

/* Rows of every species whose individuals are recorded. NULL is closed. */
typedef struct rd_herd rd_herd;

bool rd_herd_open(rd_herd **h, const struct rd_plan *p, struct rd_error *e);
void rd_herd_close(rd_herd *h);

/* Of how many lists, and bytes that theirs take in a lift at most. */
int rd_herd_lists(const rd_herd *h);
size_t rd_herd_bytes(const struct rd_plan *p);
/* So many pieces are lifted for them. */
int rd_herd_pieces(const rd_herd *h);

/* Where all those who are alive now stand, and how many, live[list]: the pieces to be lifted, to
   `at` and behind it. */
bool rd_herd_look(const rd_herd *h, struct rd_sim *s, size_t at, int64_t *live,
                  struct rd_piece *piece, struct rd_error *e);
/* What was lifted becomes the snapshot's, but for runs that are out, until the next call. Needs
   nothing of the machine. */
bool rd_herd_take(rd_herd *h, const char *byte, size_t at, const int64_t *live,
                  struct rd_snapshot *snapshot, struct rd_error *e);

#endif
