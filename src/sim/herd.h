/* herd - the individuals on the machine to rows in the file's order, for a snapshot. */
#ifndef RD_HERD_H
#define RD_HERD_H

#include "sim.h"
#include "store.h"

/* Rows of every species whose individuals are recorded. Zero-initialised is closed. */
typedef struct rd_herd rd_herd;

bool rd_herd_open(rd_herd **h, const struct rd_sim *s, struct rd_error *e);
void rd_herd_close(rd_herd *h);
/* Puts those who are alive now into the snapshot; they live until the next call. */
bool rd_herd_take(rd_herd *h, struct rd_sim *s, struct rd_snapshot *snapshot, struct rd_error *e);

#endif
