/* record - snapshots leave the simulation: packed while it stands still, written while it goes
   on. */
#ifndef RD_RECORD_RECORD_H
#define RD_RECORD_RECORD_H

#include "record/conservation_check.h"
#include "record/snapshot_buffer.h"
#include "record/writer.h"
#include "result/batches/batch_file.h"
#include "result/write/result.h"
#include "sim/sim.h"

/* Zero-initialised is closed. */
struct rd_recorder {
    struct rd_store *store;    /* NULL: snapshots are only made */
    rd_batch_file *batch_file; /* of batches: where snapshots wait; or NULL */
    int n_parcels;             /* how many may wait to be written; 0: as many as are worth it */
    struct rd_packing packing;
    struct rd_snapshot_buffer *snapshot_buffer;
    rd_writer *writer;
    struct rd_snapshot snapshot; /* the last that was unpacked; the writer's, if there is one */
    struct rd_conservation_check conservation_check;
    int64_t n_written;
    double seconds; /* that the simulation stood still */
    struct rd_writer_times times;
};

/* Memory of the host that recording takes, in bytes; and of the machine, where that is another. */
double rd_record_memory(const struct rd_plan *p);
double rd_record_aboard(const struct rd_plan *p);

bool rd_recorder_open(struct rd_recorder *r, const struct rd_sim *s, int64_t n_counted,
                      struct rd_error *e);
/* Writes nothing more. */
void rd_recorder_close(struct rd_recorder *r, const struct rd_sim *s);
/* Likewise, for the simulator of the next batch to open it: what is not of one batch stays. */
void rd_recorder_leave(struct rd_recorder *r, const struct rd_sim *s);

/* A rd_record: the state now is on its way to the store. Without one recorder->snapshot is it. */
bool rd_recorder_take(void *recorder, struct rd_sim *s, double time, struct rd_error *e);
/* Births and deaths since the last call go to the store, if there is one. */
bool rd_recorder_live(void *recorder, struct rd_sim *s, struct rd_error *e);
/* False once writing has failed; why, the next of these functions says. */
bool rd_recorder_is_well(const struct rd_recorder *r);
/* Waits until all that was taken is safe: in closed files that can be seen. */
bool rd_recorder_settle(struct rd_recorder *r, struct rd_error *e);
/* Waits until all that was taken is written; the store is the caller's again. */
bool rd_recorder_end(struct rd_recorder *r, struct rd_error *e);

#endif
