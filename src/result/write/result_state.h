/* result_state - the state of an open result; separate because result.c and resume.c share it. */
#ifndef RD_RESULT_WRITE_RESULT_STATE_H
#define RD_RESULT_WRITE_RESULT_STATE_H

#include "hdf5/hdf5_file.h"
#include "result/format/metadata.h"
#include "result/statistics/ensemble.h"
#include "result/write/observed.h"
#include "result/write/result.h"
#include "result/write/segment.h"
#include "result/write/sparse_rows.h"

struct rd_store {
    char *path;
    struct rd_record_of record;
    struct rd_layout layout;
    struct rd_parts parts;
    struct rd_ensemble ensemble;
    struct rd_observed observed;
    struct rd_date start;
    double began,
        closed;      /* of a steady clock, in seconds: start of the run, end of the last segment */
    double *time;    /* of all snapshots, [capacity] */
    uint64_t *due;   /* [capacity]: the groups of the output that have the time */
    double *stopped; /* [run]: as in the last snapshot; NULL unless runs may stop */
    struct rd_faulted *faulted; /* runs that faulted; their messages are not owned */
    int64_t n_faulted;
    int64_t capacity;
    int64_t *length; /* [table]: rows written so far; for table 0, snapshots */
    void *chosen;    /* owned: buffer for the values that a group chooses; or NULL */
    size_t chosen_bytes;
    struct rd_sparse_rows sparse; /* buffer for the rows of counts of a group */
    int64_t n_safe;               /* snapshots in closed segments under the master */
    int64_t shown_end;            /* the master has the segments with numbers below this one */
    bool ended, failed;           /* the last segment is closed; no more can be written */
    struct rd_segment segment;
    struct rd_h5_cause cause;
};

/* Allocates a result without a directory; returns NULL with a message on failure. */
rd_store *rd_store_make(const char *path, const struct rd_record_of *r, struct rd_error *e);
/* Frees s, and leaves all files as they are. */
void rd_store_discard(rd_store *s);
/* Writes a master at the result's path: it then stands for this run, with all its segments. */
bool rd_store_show(rd_store *s, struct rd_error *e);

#endif
