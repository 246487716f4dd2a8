/* batches - batches of runs: all runs of an ensemble, or as many at a time as fit into memory. */
#include "app/batches.h"

#include "record/record.h"
#include "record/snapshot_buffer.h"

int64_t rd_batch_first_size(const struct rd_model *m, int64_t asked)
{
    const int64_t most = rd_model_at_once(m);
    return asked > 0 && asked < most ? asked : most;
}

/* Makes the batches smaller, at least by one run. Several calls may be needed, since a part of the
   memory does not depend on the number of runs. */
bool rd_batch_shrink(struct rd_batch *b, int64_t fit)
{
    const bool may = b->size > 1 && fit > 0;
    if (may)
        b->size = fit < b->size ? fit : b->size - 1;
    return may;
}

int64_t rd_batch_count(const struct rd_batch *b)
{
    return b->size > 0 ? (b->all->n_runs + b->size - 1) / b->size : 1;
}

bool rd_batch_is_last(const struct rd_batch *b)
{
    return b->at == rd_batch_count(b) - 1;
}

struct rd_plan *rd_batch_open(struct rd_batch *b, struct rd_error *e)
{
    const int64_t before = b->at * b->size, left = b->all->n_runs - before;
    if (b->size == b->all->n_runs)
        return b->plan_of_all;
    b->model = *b->all;
    b->model.first_run += before;
    b->model.n_runs = left < b->size ? left : b->size;
    b->is_parted = true;
    return rd_plan_open(&b->part, &b->model, e) ? &b->part : NULL;
}

void rd_batch_close(struct rd_batch *b)
{
    if (b->is_parted)
        rd_plan_free(&b->part);
    b->is_parted = false;
}

void rd_batch_beside(const struct rd_batch *b, const struct rd_plan *p,
                     struct rd_machine_of *machine)
{
    const bool is_parted = rd_batch_count(b) > 1;
    const struct rd_batch_file_of batch_file = rd_batch_batch_file(b);
    machine->beside = rd_record_memory(p) + (is_parted ? rd_batch_file_memory(&batch_file) : 0.0);
    machine->aboard = rd_record_aboard(p);
}

struct rd_batch_file_of rd_batch_batch_file(const struct rd_batch *b)
{
    const int64_t n_counted = rd_snapshot_buffer_counted(b->all);
    const bool has_sums = rd_snapshot_buffer_has_voxels(b->all) &&
                          (n_counted < b->all->n_runs || b->all->keep == RD_KEEP_FIRST);
    return (struct rd_batch_file_of){.model = b->all,
                                     .size = b->size,
                                     .n_counted = n_counted,
                                     .has_sums = has_sums,
                                     .has_entered = b->plan_of_all->has_entered};
}

bool rd_batch_pass(struct rd_batch *b, struct rd_checkpoint_file *t)
{
    int64_t number[] = {b->size, b->at, b->waits};
    if (!rd_checkpoint_file_record(t, "batch", number, sizeof number))
        return false;
    if (number[0] < 1 || number[0] > b->all->n_runs || number[1] < 0 ||
        number[1] > (b->all->n_runs - 1) / number[0] || number[2] < 0)
        return rd_checkpoint_file_refuse(t, "stands in no batch of runs");
    b->size = number[0];
    b->at = number[1];
    b->waits = number[2];
    return true;
}
