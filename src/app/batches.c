/* batches - batches of runs: all runs of an ensemble, or as many at a time as fit into memory. */
#include "app/batches.h"

#include "record/record.h"
#include "record/snapshot_buffer.h"

#include <stdio.h>

int64_t rd_batch_first_size(const struct rd_model *m, int64_t wanted)
{
    const int64_t most = rd_model_at_once(m);
    return wanted > 0 && wanted < most ? wanted : most;
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

void rd_batch_set_memory(const struct rd_batch *b, const struct rd_plan *p,
                         struct rd_machine_of *machine)
{
    const bool is_parted = rd_batch_count(b) > 1;
    const struct rd_batch_file_of batch_file = rd_batch_file_of_all(b);
    machine->beside = rd_record_memory(p) + (is_parted ? rd_batch_file_memory(&batch_file) : 0.0);
    machine->aboard = rd_record_aboard(p);
}

struct rd_batch_file_of rd_batch_file_of_all(const struct rd_batch *b)
{
    return (struct rd_batch_file_of){
        .model = b->all, .size = b->size, .has_entered = b->plan_of_all->has_entered};
}

bool rd_batch_pass(struct rd_batch *b, struct rd_checkpoint_file *t)
{
    int64_t number[] = {b->size, b->at, b->waits};
    if (!rd_checkpoint_file_record(t, "batch", number, sizeof number))
        return false;
    if (number[0] < 1 || number[0] > b->all->n_runs || number[1] < 0 ||
        number[1] > (b->all->n_runs - 1) / number[0] || number[2] < 0)
        return rd_checkpoint_file_refuse(t, "names a batch of runs that does not exist");
    b->size = number[0];
    b->at = number[1];
    b->waits = number[2];
    return true;
}

/* Writes the runs of the first batches: "runs 0 to 3999, then 4000 to 7999 and so on". */
static void list_runs(const struct rd_batch *b, char *text, size_t bytes)
{
    const int64_t first = b->all->first_run, end = first + b->all->n_runs, n = rd_batch_count(b);
    const int64_t second = first + b->size, third = second + b->size;
    if (b->size == 1)
        snprintf(text, bytes, "run %lld, then %lld%s", (long long)first, (long long)second,
                 n > 2 ? " and so on" : "");
    else
        snprintf(text, bytes, "runs %lld to %lld, then %lld to %lld%s", (long long)first,
                 (long long)second - 1, (long long)second,
                 (long long)(third < end ? third : end) - 1, n > 2 ? " and so on" : "");
}

/* Makes the batches so small that one fits. Returns false if none does, or if this is unknown. */
static bool shrink_to_fit(struct rd_batch *b, const struct rd_machine_of *how, struct rd_fit *most)
{
    struct rd_error ignored = {0};
    bool ok = true;
    for (struct rd_fit now = {0}; ok && now.runs < b->size;) {
        struct rd_machine_of machine = *how;
        const struct rd_plan *const p = rd_batch_open(b, &ignored);
        if (p)
            rd_batch_set_memory(b, p, &machine);
        ok = p && rd_sim_fits(p, &machine, &now, &ignored);
        rd_batch_close(b);
        if (ok && most->runs == 0)
            *most = now;
        if (ok && now.runs < b->size)
            ok = rd_batch_shrink(b, now.runs);
    }
    rd_error_free(&ignored);
    return ok;
}

void rd_batch_describe(char *text, size_t bytes, struct rd_plan *p, const struct rd_machine_of *how,
                       int64_t at_once)
{
    const struct rd_model *const m = p->model;
    struct rd_batch b = {.all = m, .plan_of_all = p, .size = rd_batch_first_size(m, at_once)};
    const int64_t before = b.size;
    struct rd_fit of_all = {0};
    char runs[120], why[160];
    *text = 0;
    if (m->n_runs == 1 || (at_once == 0 && !shrink_to_fit(&b, how, &of_all)) || b.size == m->n_runs)
        return;
    if (b.size < before)
        snprintf(why, sizeof why, "%lld runs need %.3g GB, and %.3g GB are free", (long long)before,
                 of_all.need / 1e9, of_all.has / 1e9);
    else if (b.size == at_once)
        snprintf(why, sizeof why, "--at-once sets their number");
    else
        snprintf(why, sizeof why,
                 "a batch has at most 2^31 - 1 individuals of a species, and 2^32 - 2 voxels");
    list_runs(&b, runs, sizeof runs);
    snprintf(text, bytes, "%s, %lld batches: %s", runs, (long long)rd_batch_count(&b), why);
}
