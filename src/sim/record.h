/* record - the state on the machine to a snapshot in the file's order, and on to the store. */
#ifndef RD_RECORD_H
#define RD_RECORD_H

#include "guard.h"
#include "herd.h"
#include "sim.h"
#include "store.h"

/* Buffers for one snapshot; zero-initialised is closed. */
struct rd_recorder {
    struct rd_store *store; /* NULL: snapshots are only made */
    struct rd_snapshot snapshot;
    int32_t *state, *counts;
    int64_t *sums, *totals, *fired, *lost, *entered;
    rd_herd *herd; /* with keep = "all" */
    struct rd_guard guard;
    int64_t n_written;
    double seconds;
};

bool rd_recorder_open(struct rd_recorder *r, const struct rd_sim *s, bool has_counts,
                      struct rd_error *e);
void rd_recorder_close(struct rd_recorder *r);

/* A rd_record: recorder->snapshot is the state now, and is written if there is a store. */
/* Births and deaths since the last call go to the store, if there is one. */
bool rd_recorder_live(void *recorder, struct rd_sim *s, struct rd_error *e);
bool rd_recorder_take(void *recorder, struct rd_sim *s, double time, struct rd_error *e);

#endif
