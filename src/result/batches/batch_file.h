/* batch_file - where the runs of an ensemble do not all fit they go in batches, one after another;
   what a result needs of the earlier ones waits here, in a file beside its segments, until the last
   one comes to the same time. So the store sees whole snapshots, as if all had gone at once. */
#ifndef RD_RESULT_BATCHES_BATCH_FILE_H
#define RD_RESULT_BATCHES_BATCH_FILE_H

#include "result/format/snapshot.h"

typedef struct rd_batch_file rd_batch_file;

/* What snapshots of the ensemble have, and how it is cut. */
struct rd_batch_file_of {
    const struct rd_model *model; /* of all runs */
    int64_t size;                 /* runs of a batch; the last one may have fewer */
    int64_t n_counted;            /* runs, the first ones, whose counts they have */
    bool has_sums, has_entered;
};

/* The file at path, from the beginning, or to go on with what an earlier process left. */
bool rd_batch_file_open(rd_batch_file **s, const char *path, const struct rd_batch_file_of *of,
                        bool is_resuming, struct rd_error *e);
void rd_batch_file_close(rd_batch_file *s);
/* Bytes of memory that it takes. */
double rd_batch_file_memory(const struct rd_batch_file_of *of);

/* The file is as it was when an earlier process said that it ended there. */
bool rd_batch_file_resume(rd_batch_file *s, int64_t end, struct rd_error *e);
int64_t rd_batch_file_end(const rd_batch_file *s);

/* The next snapshot is that number n_times of this batch. */
void rd_batch_file_go_to(rd_batch_file *s, int64_t batch, int64_t n_times);
/* The batch's next snapshot waits, or, of the last batch, becomes that of all runs: true with
 *is_whole. False with a sentence, also where all runs have faulted. */
bool rd_batch_file_take(rd_batch_file *s, struct rd_snapshot *now, bool *is_whole,
                        struct rd_error *e);
/* Births and deaths of the batch wait; those of the last one until rd_spool_lives has given all. */
bool rd_batch_file_live(rd_batch_file *s, struct rd_life *life, int64_t n, struct rd_error *e);
/* In the last batch: the next ones of all runs, at most so many, of turns before this one; gives
   how many, 0 at the end, or -1 with a sentence. */
int64_t rd_batch_file_lives(rd_batch_file *s, int64_t order_key, struct rd_life *to, int64_t most,
                            struct rd_error *e);
/* What waits is safe. */
bool rd_batch_file_sync(const rd_batch_file *s, struct rd_error *e);

#endif
