/* batches - which runs of an ensemble are simulated at once: all of them, or, where these do not
   fit, so many after so many. Which ones does not change the result. */
#ifndef RD_APP_BATCHES_H
#define RD_APP_BATCHES_H

#include "plan/plan.h"
#include "result/batches/batch_file.h"
#include "result/files/checkpoint_file.h"
#include "sim/sim.h"

/* Zero-initialised but for the first ones; must not move while it is open. */
struct rd_batch {
    const struct rd_model *all;
    struct rd_plan *plan_of_all; /* of a model that was asked for */
    int64_t size;                /* runs of a batch */

    int64_t at;     /* the number of the one at hand */
    int64_t waits;  /* bytes of what waits of it, and of those before */
    bool is_parted; /* plan is of: */
    struct rd_model model;
    struct rd_plan part;
};

/* Runs of a batch before it is known what fits: so many as asked for (0: all), or fewer where lists
   have no more room. */
int64_t rd_batch_first_size(const struct rd_model *m, int64_t asked);
/* About so many would fit: batches are made smaller, until one run is left; false then. */
bool rd_batch_shrink(struct rd_batch *b, int64_t fit);
/* 1 of what is zero-initialised. */
int64_t rd_batch_count(const struct rd_batch *b);
bool rd_batch_is_last(const struct rd_batch *b);
/* The plan of the batch at hand. Frees with rd_batch_close in any case. */
struct rd_plan *rd_batch_open(struct rd_batch *b, struct rd_error *e);
void rd_batch_close(struct rd_batch *b);
/* The memory that recording takes beside the batch at hand, whose plan this is. */
void rd_batch_beside(const struct rd_batch *b, const struct rd_plan *p,
                     struct rd_machine_of *machine);
/* What snapshots of all have. */
struct rd_batch_file_of rd_batch_batch_file(const struct rd_batch *b);
/* To a checkpoint, or from it. */
bool rd_batch_pass(struct rd_batch *b, struct rd_checkpoint_file *t);

#endif
