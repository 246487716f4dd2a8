/* gather_individuals - the individuals of all batches of runs at one time: those of earlier batches
   out of a log, the last one's behind them. */
#ifndef RD_RESULT_BATCHES_GATHER_INDIVIDUALS_H
#define RD_RESULT_BATCHES_GATHER_INDIVIDUALS_H

#include "result/batches/block_file.h"
#include "result/format/snapshot.h"

/* NULL is closed. */
typedef struct rd_gather rd_gather;

bool rd_gather_open(rd_gather **g, const struct rd_model *m, struct rd_error *e);
void rd_gather_close(rd_gather *g);

/* Bytes that those of a snapshot take in a log, of which so many runs are kept. */
int64_t rd_gather_bytes(const struct rd_snapshot *now, const struct rd_model *m, int64_t n_runs);
bool rd_gather_put(struct rd_log *l, const struct rd_snapshot *now, const struct rd_model *m,
                   int64_t n_runs, struct rd_error *e);

/* Nobody is there; then those of a batch out of the log, from *at on, which moves behind them; or
   of a snapshot. */
void rd_gather_begin(rd_gather *g);
bool rd_gather_get(rd_gather *g, const struct rd_log *l, int64_t n_runs, int64_t *at,
                   struct rd_error *e);
bool rd_gather_add(rd_gather *g, const struct rd_snapshot *now, int64_t n_runs, struct rd_error *e);
/* All of them are the snapshot's, until the next begin. */
void rd_gather_give(rd_gather *g, struct rd_snapshot *to);

#endif
