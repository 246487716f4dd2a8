/* result - writes a result: segments that are closed, synced and renamed under a small
   master of virtual data sets, and joined into one file at the end. docs/output.md describes what
   is in it. */
#ifndef RD_RESULT_WRITE_RESULT_H
#define RD_RESULT_WRITE_RESULT_H

#include "result/files/checkpoint_file.h"
#include "result/files/parts.h"
#include "result/format/snapshot.h"

typedef struct rd_store rd_store;

/* Refuses what rd_store_open would refuse of a result at path: that exists, unless force; that
   another run is writing; that cannot be written there. Touches nothing. Not to be asked about a
   path that this process is writing. */
bool rd_store_check(const char *path, bool force, struct rd_error *e);
/* Keeps other processes from the path until it is closed; changes nothing that exists until data
   replace it. */
bool rd_store_open(rd_store **s, const char *path, bool force, const struct rd_record_of *r,
                   struct rd_error *e);
/* After a failure (disk full, ...) nothing more is written; what was written stays readable. */
bool rd_store_write(rd_store *s, const struct rd_snapshot *snapshot, struct rd_error *e);
/* The runs that faulted, for what comes after the last snapshot; sentences live on. */
bool rd_store_faulted(rd_store *s, const struct rd_faulted *faulted, int64_t n, struct rd_error *e);
/* Births and deaths since the last call; those of species without record = "lineage" are left
   out. */
bool rd_store_live(rd_store *s, const struct rd_life *life, int64_t n, struct rd_error *e);
/* So many seconds from now what was written should be made safe; INFINITY: all is. */
double rd_store_due(const rd_store *s);
/* What was written is closed and synced, and in the result's place if there is a snapshot: if it is
   due to be, or now. */
bool rd_store_settle(rd_store *s, bool now, struct rd_error *e);
/* Joins the segments. state is "complete", "faulted" (to the end, but not with all runs),
   "interrupted" or "failed"; fact are facts known only
   at the end (wall time per pass ...). Frees s in any case. */
bool rd_store_close(rd_store *s, const char *state, const struct rd_fact *fact, int n_facts,
                    struct rd_error *e);

/* The file beside the segments in which batches of runs wait: a new one, or that of the checkpoint.
   It goes with the last checkpoint. */
struct rd_path rd_store_batches(rd_store *s);

/* After rd_store_settle with now, a tape on which this result stands; what else goes onto it is up
   to the caller, who then has it kept, or dropped if it is not good. The last two tapes are kept.
 */
bool rd_store_checkpoint_file(rd_store *s, struct rd_checkpoint_file *t, struct rd_error *e);
bool rd_store_keep(rd_store *s, struct rd_checkpoint_file *t, bool good, struct rd_error *e);
/* Goes on from the newest tape that is whole, fits the record, and whose segments are there: what
   was written later is dropped. The tape is open for what else is on it. Why newer ones were not
   taken is told to refused. */
bool rd_store_resume(rd_store **s, const char *path, const struct rd_record_of *r,
                     struct rd_checkpoint_file *t, struct rd_error *refused, struct rd_error *e);

#endif
