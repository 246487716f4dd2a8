/* individuals_snapshot - copies individuals from the machine to rows in the file's order. */
#ifndef RD_RECORD_INDIVIDUALS_SNAPSHOT_H
#define RD_RECORD_INDIVIDUALS_SNAPSHOT_H

#include "result/format/snapshot.h"
#include "sim/sim.h"

/* Holds the rows of every species whose individuals are recorded; NULL is closed. */
typedef struct rd_individuals_snapshot rd_individuals_snapshot;

bool rd_individuals_snapshot_open(rd_individuals_snapshot **h, const struct rd_plan *p,
                                  struct rd_error *e);
void rd_individuals_snapshot_close(rd_individuals_snapshot *h);

/* Returns the number of recorded lists. */
int rd_individuals_snapshot_lists(const rd_individuals_snapshot *h);
/* Returns the bytes that they need at most in an asynchronous copy. */
size_t rd_individuals_snapshot_bytes(const struct rd_plan *p);
/* Returns the number of pieces that they need in an asynchronous copy. */
int rd_individuals_snapshot_pieces(const rd_individuals_snapshot *h);

/* Sets live[list] to the number of living individuals in the runs that are kept, and piece[] to
   their pieces of an asynchronous copy, from offset `at` on. Returns false with a message on
   failure. */
bool rd_individuals_snapshot_look(const rd_individuals_snapshot *h, struct rd_sim *s, size_t at,
                                  int64_t *live, struct rd_piece *piece, struct rd_error *e);
/* Adds the copied individuals to the snapshot, without runs that are out; they are valid until the
   next call. Does not use the machine. Returns false with a message if memory is short. */
bool rd_individuals_snapshot_take(rd_individuals_snapshot *h, const char *byte, size_t at,
                                  const int64_t *live, struct rd_snapshot *snapshot,
                                  struct rd_error *e);

#endif
