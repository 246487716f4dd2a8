/* batches - batches of runs: all runs of an ensemble, or as many at a time as fit into memory. */
#include "app/batches.h"

#include "record/record.h"
#include "record/snapshot_buffer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int64_t rd_batch_first_size(const struct rd_model *m, int64_t wanted)
{
    const int64_t most = rd_model_at_once(m);
    return wanted > 0 && wanted < most ? wanted : most;
}

struct rd_batch rd_batch_of(const struct rd_model *m, struct rd_plan *plan, const rd_config *c,
                            int64_t wanted)
{
    struct rd_batch b = {
        .all = m, .plan_of_all = plan, .config = c, .size = rd_batch_first_size(m, wanted)};
    if (m->theta.table.n_rows > 0 && !m->theta.is_flat)
        rd_batch_take_rows(&b);
    return b;
}

void rd_batch_take_rows(struct rd_batch *b)
{
    b->is_by_row = true;
    b->size = b->all->theta.n_runs;
}

static int64_t n_shares(const struct rd_batch *b)
{
    return b->n_shares > 1 ? b->n_shares : 1;
}

void rd_batch_go_on(struct rd_batch *b)
{
    b->at += n_shares(b);
    rd_error_free(&b->out);
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
    return b->at + n_shares(b) >= rd_batch_count(b);
}

int64_t rd_batch_own_count(const struct rd_batch *b)
{
    return (rd_batch_count(b) - b->share + n_shares(b) - 1) / n_shares(b);
}

int64_t rd_batch_own_index(const struct rd_batch *b)
{
    return b->at / n_shares(b);
}

bool rd_batch_is_shared(const struct rd_batch *b)
{
    return b->n_shares > 1 && rd_batch_count(b) > 1;
}

/* Makes b->model that of all runs, restricted to those of the batch. */
static void take_part(struct rd_batch *b)
{
    const int64_t before = b->at * b->size, left = b->all->n_runs - before;
    b->model = *b->all;
    b->model.first_run += before;
    b->model.n_runs = left < b->size ? left : b->size;
    b->is_parted = true;
}

struct rd_plan *rd_batch_open(struct rd_batch *b, struct rd_error *e)
{
    if (b->is_by_row)
        return rd_batch_open_row(b, e);
    if (b->size == b->all->n_runs)
        return b->plan_of_all;
    take_part(b);
    return rd_plan_open(&b->part, &b->model, e) ? &b->part : NULL;
}

void rd_batch_close(struct rd_batch *b)
{
    if (b->is_parted)
        rd_plan_free(&b->part);
    if (b->is_owned)
        rd_model_free(&b->model);
    b->is_parted = b->is_owned = false;
}

/* ---- rows ---- */

/* Returns the first part in which the result of a row would have another shape; NULL: none. */
static const char *find_shape_difference(const struct rd_model *a, const struct rd_model *b)
{
    const size_t moments = (size_t)a->n_moments * sizeof *a->moment;
    const size_t sites = (size_t)a->grid.n_sites * sizeof *a->mask;
    if (memcmp(a->grid.size, b->grid.size, sizeof a->grid.size) != 0 ||
        memcmp(a->grid.edge, b->grid.edge, sizeof a->grid.edge) != 0 ||
        memcmp(a->grid.origin, b->grid.origin, sizeof a->grid.origin) != 0)
        return "the grid";
    if (a->end != b->end)
        return "time.end";
    if (a->n_moments != b->n_moments || memcmp(a->moment, b->moment, moments) != 0)
        return "the times of the output";
    if (a->mask && memcmp(a->mask, b->mask, sites) != 0)
        return "regions";
    return NULL;
}

bool rd_batch_model_of_row(struct rd_model *m, const rd_config *c, const struct rd_model *all,
                           int64_t row, struct rd_error *e)
{
    const bool ok = rd_model_make_row(m, c, all, row, e);
    const char *const difference = ok ? find_shape_difference(all, m) : NULL;
    if (all->step > 0.0)
        m->step = all->step;
    return ok && (!difference || rd_fail(e,
                                         "sets a parameter that changes %s, which is the same for "
                                         "all rows; leave its column out",
                                         difference));
}

/* Puts the name of the row before each message. */
static void name_row(const struct rd_batch *b, int64_t row, const struct rd_error *why,
                     struct rd_error *out)
{
    char *const name = rd_model_row_name(b->all, row);
    int length;
    for (const char *at = NULL; (at = rd_error_next(why, at, &length));)
        rd_fail(out, "%s%.*s", name ? name : "", length, at);
    free(name);
}

void rd_batch_refuse(struct rd_batch *b, const struct rd_error *why)
{
    rd_error_free(&b->out);
    name_row(b, b->at, why, &b->out);
}

void rd_batch_refuse_row(const struct rd_batch *b, const struct rd_plan *p, int64_t i,
                         struct rd_error *out)
{
    const struct rd_model *const m = p->model;
    const int64_t row = (m->first_run - m->first_of_all) / m->theta.n_runs + i;
    struct rd_error why = {0};
    rd_plan_vector_refuse(p, row, &why);
    name_row(b, row, &why, out);
    rd_error_free(&why);
}

struct rd_plan *rd_batch_open_row(struct rd_batch *b, struct rd_error *e)
{
    struct rd_error why = {0};
    if (b->out.n == 0) {
        b->is_owned = b->is_parted = true;
        if (rd_batch_model_of_row(&b->model, b->config, b->all, b->at, &why) &&
            rd_plan_open(&b->part, &b->model, &why))
            return &b->part;
        rd_batch_close(b);
        rd_batch_refuse(b, &why);
        rd_error_free(&why);
    }
    take_part(b);
    b->model.theta = (struct rd_theta){0};
    b->model.stream_shift = b->all->theta.shares_streams ? b->at * b->size : 0;
    return rd_plan_open(&b->part, &b->model, e) ? &b->part : NULL;
}

void rd_batch_set_memory(const struct rd_batch *b, const struct rd_plan *p,
                         struct rd_machine_of *machine)
{
    const bool is_parted = rd_batch_count(b) > 1;
    const struct rd_batch_file_of batch_file = rd_batch_file_of_all(b);
    machine->recording_memory =
        rd_record_memory(p) + (is_parted ? rd_batch_file_memory(&batch_file) : 0.0);
    machine->aboard = rd_record_aboard(p);
}

struct rd_batch_file_of rd_batch_file_of_all(const struct rd_batch *b)
{
    return (struct rd_batch_file_of){.model = b->all,
                                     .size = b->size,
                                     .has_lost = b->plan_of_all->has_lost,
                                     .has_entered = b->plan_of_all->has_entered,
                                     .n_shares = b->n_shares,
                                     .share = b->share};
}

/* Checks that the checkpoint is of as many processes as this run has. */
static bool check_shares(const struct rd_batch *b, struct rd_checkpoint_file *t, int64_t n)
{
    char fact[160];
    if (n == n_shares(b))
        return true;
    snprintf(fact, sizeof fact,
             n > 1 ? "belongs to a run with --devices of %lld GPUs; give as many"
                   : "belongs to a run without --devices; leave it out",
             (long long)n);
    return rd_checkpoint_file_refuse(t, fact);
}

bool rd_batch_pass(struct rd_batch *b, struct rd_checkpoint_file *t)
{
    int64_t number[] = {b->size, b->at, b->waits, n_shares(b)};
    int64_t bytes =
        sizeof number - (number[3] == 1) * sizeof *number; /* one process is not noted */
    if (!rd_checkpoint_file_begin(t, "batch", &bytes))
        return false;
    if (bytes != sizeof number && bytes != 3 * sizeof *number)
        return rd_checkpoint_file_refuse(t, "has no valid batch of runs");
    number[3] = t->is_read ? 1 : number[3];
    if (!rd_checkpoint_file_bytes(t, number, (size_t)bytes) || !check_shares(b, t, number[3]))
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
    bool ok = true, fits = false;
    while (ok && !fits) {
        struct rd_fit now = {0};
        struct rd_machine_of machine = *how;
        const struct rd_plan *const p = rd_batch_open(b, &ignored);
        if (p)
            rd_batch_set_memory(b, p, &machine);
        ok = p && rd_sim_fits(p, &machine, &now, &ignored);
        rd_batch_close(b);
        if (ok && most->runs == 0)
            *most = now;
        fits = ok && now.runs >= b->size;
        if (ok && !fits)
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
    if (m->theta.table.n_rows > 0 && !m->theta.is_flat) {
        snprintf(text, bytes, "each row of the table is a batch of %lld runs",
                 (long long)m->theta.n_runs);
        return;
    }
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
