/* batch_file - the file in which batches of runs wait for the last batch.
   If the runs of an ensemble do not all fit into memory, they are simulated in batches, one
   after another. This file, beside the segments of the result, holds what the result needs of
   the earlier batches until the last batch comes to the same time. So the result is written from
   whole snapshots, as if all runs had been simulated together.

   Several processes can share the batches: batch b belongs to process b % n_shares, and each has a
   file of its own. Process 0 writes the result once all batches are complete. */
#ifndef RD_RESULT_BATCHES_BATCH_FILE_H
#define RD_RESULT_BATCHES_BATCH_FILE_H

#include "result/batches/batch_columns.h"

typedef struct rd_batch_file rd_batch_file;

/* Opens the file at path: a new one, or, if is_resuming, the one that an earlier process left. */
bool rd_batch_file_open(rd_batch_file **s, const char *path, const struct rd_batch_file_of *of,
                        bool is_resuming, struct rd_error *e);
/* Opens, in a process other than 0, its file, which is open already; path is for messages. */
bool rd_batch_file_take_over(rd_batch_file **s, const char *path, int file,
                             const struct rd_batch_file_of *of, struct rd_error *e);
void rd_batch_file_close(rd_batch_file *s);
/* Returns the bytes of memory that an open file takes. */
double rd_batch_file_memory(const struct rd_batch_file_of *of);

/* Restores the file to the length `end` that an earlier process recorded, and reads its blocks. */
bool rd_batch_file_resume(rd_batch_file *s, int64_t end, struct rd_error *e);
int64_t rd_batch_file_end(const rd_batch_file *s);

/* Sets the batch, and the number in it of the snapshot that comes next. */
void rd_batch_file_go_to(rd_batch_file *s, int64_t batch, int64_t n_times);
/* Stores the next snapshot of the batch. In the last batch, replaces it by the snapshot of all
   runs and sets *is_whole. Returns false with a message on failure, also if all runs have
   faulted. */
bool rd_batch_file_take(rd_batch_file *s, struct rd_snapshot *now, bool *is_whole,
                        struct rd_error *e);
/* Stores births and deaths of the batch. Those of the last batch stay with the caller until
   rd_batch_file_lives has returned all of them. */
bool rd_batch_file_live(rd_batch_file *s, struct rd_life *life, int64_t n, struct rd_error *e);
/* Copies, in the last batch or after rd_batch_file_collect, the next births and deaths of all runs
   with order keys below this one: at most `most`. Returns their number, 0 at the end, or -1 with a
   message. */
int64_t rd_batch_file_lives(rd_batch_file *s, int64_t order_key, struct rd_life *to, int64_t most,
                            struct rd_error *e);
/* Opens in process 0 the file of another process, and sets *n to the number of its batches that are
   complete there; removes what an unfinished batch has left. A file that is missing is made anew.
   The returned descriptor is for that process; -1 with a message on failure. */
int rd_batch_file_share(rd_batch_file *s, int share, const char *path, bool is_resuming, int64_t *n,
                        struct rd_error *e);
/* Ends a batch in a process other than 0, with the runs of the batch that faulted, and syncs. */
bool rd_batch_file_finish(rd_batch_file *s, const struct rd_faulted *faulted, int64_t n,
                          struct rd_error *e);
/* Reads, in process 0, what the other processes have written; all of them have ended. Sets *faulted
   to the runs that faulted there, which belong to the file, and *n to their number. */
bool rd_batch_file_collect(rd_batch_file *s, const struct rd_faulted **faulted, int64_t *n,
                           struct rd_error *e);
/* Sets *now to snapshot number `time` of all runs, after rd_batch_file_collect; the caller sets the
   faulted runs before. Returns false with a message on failure, also if all runs have faulted. */
bool rd_batch_file_join(rd_batch_file *s, int64_t time, struct rd_snapshot *now,
                        struct rd_error *e);
/* Writes what is in the file to the disk (fsync). */
bool rd_batch_file_sync(const rd_batch_file *s, struct rd_error *e);

#endif
