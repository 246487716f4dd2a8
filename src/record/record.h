/* record - snapshots of a simulation: it waits while they are packed, and goes on while they are
   written. */
#ifndef RD_RECORD_RECORD_H
#define RD_RECORD_RECORD_H

#include "record/conservation_check.h"
#include "record/snapshot_buffer.h"
#include "record/writer.h"
#include "result/batches/batch_file.h"
#include "result/write/result.h"
#include "sim/sim.h"

/* A zero-initialised struct is closed. */
struct rd_recorder {
    struct rd_store *store;    /* NULL: without a batch file, snapshots are made but not written */
    rd_batch_file *batch_file; /* holds the snapshots of batches until all are complete; or NULL */
    int n_snapshot_buffers;    /* number of snapshot buffers; 0: chosen by their size */
    struct rd_packing packing;
    struct rd_snapshot_buffer *snapshot_buffer;
    rd_writer *writer;
    struct rd_snapshot snapshot; /* unpacked last; it belongs to the writer if there is one */
    struct rd_conservation_check conservation_check;
    int64_t n_written;
    double seconds; /* wall time for which the simulation waited */
    struct rd_writer_times times;
};

/* Return the bytes of host memory that recording takes, and that a run on one thread takes with its
   recording. */
double rd_record_memory(const struct rd_plan *p);
double rd_record_run_memory(const struct rd_plan *p);
/* Returns the bytes of the machine's memory that recording takes, if that is separate. */
double rd_record_aboard(const struct rd_plan *p);

/* n_forced: number of runs, the first ones, whose counts every snapshot has; RD_AS_DUE: as many as
   the groups that are due need. */
bool rd_recorder_open(struct rd_recorder *r, const struct rd_sim *s, int64_t n_forced,
                      struct rd_error *e);
/* Ends the writer, ignores its errors, and frees everything. */
void rd_recorder_close(struct rd_recorder *r, const struct rd_sim *s);
/* Does the same, but keeps what belongs to all batches, for the simulator of the next batch. */
void rd_recorder_leave(struct rd_recorder *r, const struct rd_sim *s);

/* Records the present state; an rd_record. It is sent to the store, or without one unpacked to
   recorder->snapshot. */
bool rd_recorder_take(void *recorder, struct rd_sim *s, double time, struct rd_error *e);
/* Sends births and deaths since the last call to the store, if there is one; an rd_live. */
bool rd_recorder_live(void *recorder, struct rd_sim *s, struct rd_error *e);
/* Sends the last births and deaths to the store, after a fault that ended all runs. */
bool rd_recorder_last_lives(struct rd_recorder *r, struct rd_sim *s, struct rd_error *e);
/* Writes the births and deaths of all batches with order keys below this one, once the last batch
   has come so far. The writer does not run, or calls it. */
bool rd_recorder_merge_lives(struct rd_recorder *r, int64_t order_key, struct rd_error *e);
/* Returns false after writing has failed; the next of these functions then reports the reason. */
bool rd_recorder_is_well(const struct rd_recorder *r);
/* Waits until everything recorded is safe, in closed files that can be read. */
bool rd_recorder_sync(struct rd_recorder *r, struct rd_error *e);
/* Waits until everything recorded is written. The store then belongs to the caller again. */
bool rd_recorder_end(struct rd_recorder *r, struct rd_error *e);

#endif
