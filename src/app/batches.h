/* batches - batches of runs: all runs of an ensemble, or as many at a time as fit into memory.

   The division into batches does not change the result. */
#ifndef RD_APP_BATCHES_H
#define RD_APP_BATCHES_H

#include "plan/plan.h"
#include "result/batches/batch_file.h"
#include "result/files/checkpoint_file.h"
#include "sim/sim.h"

/* The caller sets the first members and zero-initialises the others. It must not move while
   open. */
struct rd_batch {
    const struct rd_model *all;
    struct rd_plan *plan_of_all; /* plan of all runs */
    int64_t size;                /* runs per batch */

    int64_t at;     /* number of the current batch */
    int64_t waits;  /* bytes of the batch file that belong to this batch and to those before */
    bool is_parted; /* `model` and `part` are in use */
    struct rd_model model;
    struct rd_plan part;
};

/* Returns the size of a batch before the free memory is known: as many runs as requested (0: all),
   or fewer if lists have no more room. */
int64_t rd_batch_first_size(const struct rd_model *m, int64_t wanted);
/* Makes the batches smaller if about `fit` runs would fit. Returns false if one run is left, or
   none fits. */
bool rd_batch_shrink(struct rd_batch *b, int64_t fit);
/* Returns the number of batches; 1 for a zero-initialised struct. */
int64_t rd_batch_count(const struct rd_batch *b);
bool rd_batch_is_last(const struct rd_batch *b);
/* Returns the plan of the current batch, or NULL with a message. rd_batch_close must be called in
   any case. */
struct rd_plan *rd_batch_open(struct rd_batch *b, struct rd_error *e);
void rd_batch_close(struct rd_batch *b);
/* Sets the memory that recording takes for the current batch, which has this plan. */
void rd_batch_set_memory(const struct rd_batch *b, const struct rd_plan *p,
                         struct rd_machine_of *machine);
/* Returns what snapshots of all runs contain. */
struct rd_batch_file_of rd_batch_file_of_all(const struct rd_batch *b);
/* Writes `size`, `at` and `waits` to a checkpoint, or reads them from it. */
bool rd_batch_pass(struct rd_batch *b, struct rd_checkpoint_file *t);

/* Writes the batches that an ensemble needs, and the reason. Writes "" if all runs form one batch
   or their number is unknown. at_once is the requested number of runs in a batch; 0: as many as
   fit. */
void rd_batch_describe(char *text, size_t bytes, struct rd_plan *p, const struct rd_machine_of *how,
                       int64_t at_once);

#endif
