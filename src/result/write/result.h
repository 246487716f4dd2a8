/* result - writes a result: segments that are closed, synced and renamed under a small master of
   virtual data sets, and joined into one file at the end. docs/output.md describes the contents. */
#ifndef RD_RESULT_WRITE_RESULT_H
#define RD_RESULT_WRITE_RESULT_H

#include "result/files/checkpoint_file.h"
#include "result/files/parts.h"
#include "result/format/snapshot.h"

typedef struct rd_store rd_store;

/* Returns whether rd_store_open would accept a result at path; changes nothing. It fails if a
   result exists, unless force; if another run writes it; if the path cannot be written. The
   process that writes the result must not call it. */
bool rd_store_check(const char *path, bool force, struct rd_error *e);
/* Opens a result, and locks the path against other processes until it is closed. What exists
   there changes only when new data replace it. */
bool rd_store_open(rd_store **s, const char *path, bool force, const struct rd_record_of *r,
                   struct rd_error *e);
/* Writes a snapshot. After a failure (disk full, ...) no more is written; what was written stays
   readable. */
bool rd_store_write(rd_store *s, const struct rd_snapshot *snapshot, struct rd_error *e);
/* Records the runs that faulted, for what is written after the last snapshot. Their messages are
   not copied and must stay valid. */
bool rd_store_faulted(rd_store *s, const struct rd_faulted *faulted, int64_t n, struct rd_error *e);
/* Writes births and deaths since the last call; those of species without record = "lineage" are
   omitted. */
bool rd_store_live(rd_store *s, const struct rd_life *life, int64_t n, struct rd_error *e);
/* Returns the seconds until the open segment should be closed; INFINITY: nothing is unsaved. */
double rd_store_due(const rd_store *s);
/* Closes and syncs the segment if it is due, or if now is set. If there is a snapshot, the file
   at the result's path then shows it. */
bool rd_store_sync(rd_store *s, bool now, struct rd_error *e);
/* Joins the segments. state is "complete", "faulted" (to the end, but not with all runs),
   "interrupted" or "failed"; fact has facts that are known only at the end (wall time per pass
   ...). Frees s in any case. */
bool rd_store_close(rd_store *s, const char *state, const struct rd_fact *fact, int n_facts,
                    struct rd_error *e);

/* Returns the path of the file beside the segments for batches of runs of a process (0: of the one
   that writes the result): a new one, or that of the checkpoint. It is removed with the last
   checkpoint. */
struct rd_path rd_store_batches(rd_store *s, int share);

/* Creates a checkpoint file with the state of this result, after rd_store_sync with now. The
   caller adds its own records, and then calls rd_store_keep to keep the file, or to drop it if
   it is not good. The last two checkpoints are kept. */
bool rd_store_checkpoint_file(rd_store *s, struct rd_checkpoint_file *t, struct rd_error *e);
bool rd_store_keep(rd_store *s, struct rd_checkpoint_file *t, bool good, struct rd_error *e);
/* Continues from the newest checkpoint that is whole, fits the record, and whose segments exist;
   data that were written later are dropped. The checkpoint file stays open for the caller's
   records. The reasons why newer ones were not used go to refused. */
bool rd_store_resume(rd_store **s, const char *path, const struct rd_record_of *r,
                     struct rd_checkpoint_file *t, struct rd_error *refused, struct rd_error *e);

#endif
