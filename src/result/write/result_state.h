/* result_state - what an open result is made of; for store.c, which writes it, and store_resume.c,
   which leaves it and comes back. */
#ifndef RD_RESULT_WRITE_RESULT_STATE_H
#define RD_RESULT_WRITE_RESULT_STATE_H

#include "hdf5/hdf5_file.h"
#include "result/statistics/ensemble.h"
#include "result/write/join.h"
#include "result/write/result.h"
#include "result/write/segment.h"

struct rd_store {
    char *path;
    struct rd_record_of record;
    struct rd_layout layout;
    struct rd_parts parts;
    struct rd_ensemble ensemble;
    struct rd_date start;
    double began, closed; /* seconds of a steady clock: the run's start, the last segment's end */
    double *time;         /* of all snapshots, [room] */
    double *stopped;      /* [run]: as in the last snapshot; NULL unless runs may stop */
    struct rd_faulted *faulted; /* runs that did, whose sentences are not owned */
    int64_t n_faulted;
    int64_t capacity;
    int64_t *length;    /* [table]: rows written so far; of table 0 snapshots */
    int64_t n_safe;     /* of these in closed segments under the master */
    int64_t shown_end;  /* segments with numbers below are under it */
    bool ended, failed; /* the last segment is closed; nothing more can be written */
    struct rd_segment segment;
    struct rd_h5_cause cause;
};

/* One that has no directory yet; NULL with a sentence. */
rd_store *rd_store_make(const char *path, const struct rd_record_of *r, struct rd_error *e);
/* Leaves all as it is on the disk, and frees. */
void rd_store_discard(rd_store *s);
/* From now on the result's name stands for this run, and for all that is in its segments. */
bool rd_store_show(rd_store *s, struct rd_error *e);

#endif
