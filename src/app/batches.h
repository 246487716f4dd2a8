/* batches - batches of runs: all runs of an ensemble, or as many at a time as fit into memory.

   The division into batches does not change the result. Several processes can share the batches:
   batch b belongs to process b % n_shares. */
#ifndef RD_APP_BATCHES_H
#define RD_APP_BATCHES_H

#include "plan/plan.h"
#include "result/batches/batch_file.h"
#include "result/files/checkpoint_file.h"
#include "sim/sim.h"

/* Holds one batch of runs. The caller sets the first members and zero-initialises the others.
   The struct must not move while open. */
struct rd_batch {
    const struct rd_model *all;
    struct rd_plan *plan_of_all; /* plan of all runs */
    int64_t size;                /* runs per batch */
    const rd_config *config;     /* of the model; needed if is_by_row is set */
    bool is_by_row;              /* a batch has the runs of one row of run.rows */
    int n_shares, share;         /* processes that share the batches (0: one), this one's index */

    int64_t at;     /* number of the current batch */
    int64_t waits;  /* bytes of the batch file that belong to this batch and to those before */
    bool is_parted; /* `model` and `part` are in use */
    bool is_owned;  /* `model` is that of the row */
    struct rd_model model;
    struct rd_plan part;
    struct rd_error out; /* why the row of the batch cannot run; its runs are left out */
};

/* Returns the first batch of the runs; wanted is the requested number of runs in a batch, or 0. The
   rows of a table are batches unless one plan is for all of them. */
struct rd_batch rd_batch_of(const struct rd_model *m, struct rd_plan *plan, const rd_config *c,
                            int64_t wanted);
/* Makes each row of the table a batch. */
void rd_batch_take_rows(struct rd_batch *b);
/* Goes on to the next batch of this process, which is not open. */
void rd_batch_go_on(struct rd_batch *b);
/* Returns the size of a batch before the free memory is known: as many runs as requested (0: all),
   or fewer if lists have no more room. */
int64_t rd_batch_first_size(const struct rd_model *m, int64_t wanted);
/* Makes the batches smaller if about `fit` runs would fit. Returns false if one run is left, or
   none fits. */
bool rd_batch_shrink(struct rd_batch *b, int64_t fit);
/* Returns the number of batches; 1 for a zero-initialised struct. */
int64_t rd_batch_count(const struct rd_batch *b);
/* Return the number of batches of this process, and the index of the current one among them. */
int64_t rd_batch_own_count(const struct rd_batch *b);
int64_t rd_batch_own_index(const struct rd_batch *b);
/* Returns whether this process has no other batch after the current one. */
bool rd_batch_is_last(const struct rd_batch *b);
/* Returns whether several processes share the batches. */
bool rd_batch_is_shared(const struct rd_batch *b);
/* Returns the plan of the current batch, or NULL with a message. rd_batch_close must be called in
   any case. If the row of the batch has an error, b->out has the message, and the plan is that of
   the model's own parameters. */
struct rd_plan *rd_batch_open(struct rd_batch *b, struct rd_error *e);
void rd_batch_close(struct rd_batch *b);
/* Does rd_batch_open for the row of the batch. */
struct rd_plan *rd_batch_open_row(struct rd_batch *b, struct rd_error *e);
/* Sets b->out, so that the next rd_batch_open leaves out the runs of the row. */
void rd_batch_refuse(struct rd_batch *b, const struct rd_error *why);
/* Writes why row i of the plan of the batch cannot run. */
void rd_batch_refuse_row(const struct rd_batch *b, const struct rd_plan *p, int64_t i,
                         struct rd_error *out);
/* Makes the model of a row, with the step of all rows if that is known. Returns false with messages
   if it is wrong, or if its result would have another shape. */
bool rd_batch_model_of_row(struct rd_model *m, const rd_config *c, const struct rd_model *all,
                           int64_t row, struct rd_error *e);
/* Sets the memory that recording takes for the current batch, which has this plan. */
void rd_batch_set_memory(const struct rd_batch *b, const struct rd_plan *p,
                         struct rd_machine_of *machine);
/* Returns what snapshots of all runs contain. */
struct rd_batch_file_of rd_batch_file_of_all(const struct rd_batch *b);
/* Writes `size`, `at` and `waits` to a checkpoint, or reads them from it. Refuses a checkpoint of
   another number of processes. */
bool rd_batch_pass(struct rd_batch *b, struct rd_checkpoint_file *t);

/* Writes the batches that an ensemble needs, and the reason. Writes "" if all runs form one batch
   or their number is unknown. at_once is the requested number of runs in a batch; 0: as many as
   fit. */
void rd_batch_describe(char *text, size_t bytes, struct rd_plan *p, const struct rd_machine_of *how,
                       int64_t at_once);

#endif
