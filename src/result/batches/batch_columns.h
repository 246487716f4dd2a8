/* batch_columns - the values that a snapshot has of each run, for the runs of all batches. */
#ifndef RD_RESULT_BATCHES_BATCH_COLUMNS_H
#define RD_RESULT_BATCHES_BATCH_COLUMNS_H

#include "result/format/snapshot.h"

/* Holds the contents of a snapshot of the ensemble, and the size of its batches. */
struct rd_batch_file_of {
    const struct rd_model *model; /* of all runs */
    int64_t size;                 /* runs of a batch; the last one may have fewer */
    bool has_lost, has_entered;   /* walls take molecules, or let them in */
    int n_shares, share; /* processes that share the batches (0: one), and the index of this one */
};

/* Holds one kind of values. */
struct rd_batch_column {
    size_t width; /* bytes of a run */
    int64_t runs; /* runs that have it, the first ones */
    char *all;    /* owned: values of all runs */
};

struct rd_batch_columns {
    const struct rd_batch_file_of *of;
    struct rd_recorded has;         /* data of voxels in the current snapshot */
    struct rd_batch_column *column; /* owned */
    int n;
    const double **field; /* owned: of each field that changes; points into the columns */
};

/* Holds the values of the runs of one batch. */
struct rd_batch_part {
    char *values;
    int64_t bytes;
};

/* Makes the columns for all that any snapshot has. Returns false if there is no memory; the caller
   frees them in any case. */
bool rd_batch_columns_make(struct rd_batch_columns *c, const struct rd_batch_file_of *of);
void rd_batch_columns_free(struct rd_batch_columns *c);
/* Returns the bytes that they take. */
double rd_batch_columns_memory(const struct rd_batch_file_of *of);
/* Sets the columns of a snapshot for the groups that are due. */
void rd_batch_columns_shape(struct rd_batch_columns *c, uint64_t due);

/* Returns how many runs of the batch are among the first `runs` of all. */
int64_t rd_batch_columns_runs(const struct rd_batch_file_of *of, int64_t runs, int64_t batch);
struct rd_batch_part rd_batch_columns_part(const struct rd_batch_columns *c, int i, int64_t batch);
/* Copies the values of a batch, of which `now` is a snapshot, to their place. */
void rd_batch_columns_put(struct rd_batch_columns *c, const struct rd_snapshot *now, int64_t batch);
/* Replaces the values in the snapshot by those of all runs. */
void rd_batch_columns_give(const struct rd_batch_columns *c, struct rd_snapshot *now);
/* Returns whether any run has not faulted. */
bool rd_batch_columns_any_in(const struct rd_batch_columns *c);

#endif
