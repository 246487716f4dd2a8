/* job_shares - what a job does if several processes share its batches (--devices).

   The first process simulates its batches like the others, into a file of its own. Once all have
   ended, it joins the files to the result. So no process waits for another one before. */
#define _POSIX_C_SOURCE 200809L
#include "app/job_shares.h"

#include "base/clock.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/signals.h"
#include "sim/faults.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LOOK_MS = 100 };
/* Sets the seconds between two looks for failed processes, during steps. */
static const double look_every = 0.5;

/* Warns if some GPUs of the list have no runs. */
static void warn_of_idle(const struct rd_job *j)
{
    const struct rd_batch *const b = &j->batch;
    const int n = j->options->device_list.n;
    const int64_t n_used = rd_batch_count(b) < b->n_shares ? rd_batch_count(b) : b->n_shares;
    struct rd_error note = {0};
    if (n_used < n)
        rd_fail(&note, "--devices: the runs, %lld of them, take %lld of %d GPUs",
                (long long)b->all->n_runs, (long long)n_used, n);
    j->warn(j->warn_to, &note);
    rd_error_free(&note);
}

/* Returns whether it is a regular file, not standard input or another pipe. */
static bool can_read_again(const char *path)
{
    const char *why;
    const int file = rd_file_open(path, &why);
    if (file >= 0)
        close(file);
    return file >= 0;
}

bool rd_job_shares_divide(struct rd_job *j, struct rd_error *e)
{
    const struct rd_options *const o = j->options;
    struct rd_batch *const b = &j->batch;
    const int n = rd_device_shares_number(o, b->all);
    const int64_t most = (b->all->n_runs + n - 1) / n;
    b->n_shares = n;
    if (n > 1 && !b->is_by_row && b->size > most)
        b->size = most;
    if (o->device_list.n > 1)
        warn_of_idle(j);
    if (n > 1 && !can_read_again(o->file))
        return rd_fail(
            e,
            "--devices: each process reads the configuration, but '%s' can be read once; "
            "name a file",
            o->file);
    if (j->share) {
        b->share = j->share->index;
        b->size = j->share->size;
        b->at = j->share->at;
    }
    return true;
}

static uint64_t hash_config(const rd_config *c)
{
    char *const identity = rd_config_identity(c);
    const uint64_t hash = identity ? rd_hash_on(RD_HASH_OF_NOTHING, identity, strlen(identity)) : 0;
    free(identity);
    return hash;
}

bool rd_job_shares_open(struct rd_job *j, struct rd_error *e)
{
    const struct rd_batch_file_of of = rd_batch_file_of_all(&j->batch);
    const char *const file = j->setup.model.file;
    j->checkpoints.every = (double)INFINITY; /* only the first process writes checkpoints */
    rd_error_add(e, &j->sim.remark);         /* a warning would not be seen */
    if (j->sim.remark.n > 0)
        return false;
    if (j->share->hash != hash_config(j->setup.config) || j->share->at >= rd_batch_count(&j->batch))
        return rd_fail(e, "%s: has changed since the run began; begin again", j->options->file);
    if (!rd_batch_file_take_over(&j->recorder.batch_file, file, RD_PROCESS_KEPT, &of, e))
        return false;
    rd_batch_file_go_to(j->recorder.batch_file, j->batch.at, 0);
    return true;
}

/* Starts process number i, unless its batches are complete. */
static bool start_one(struct rd_job *j, struct rd_device_share *share, struct rd_error *e)
{
    const struct rd_path path = rd_store_batches(j->recorder.store, share->index);
    int64_t n_done;
    const int file = rd_batch_file_share(j->recorder.batch_file, share->index, path.text,
                                         j->past == RD_PAST_PARTS, &n_done, e);
    share->at = share->index + n_done * j->batch.n_shares;
    return file >= 0 &&
           (share->at >= rd_batch_count(&j->batch) ||
            rd_device_shares_start(&j->shares, j->argv, share,
                                   j->options->device_list.number[share->index], file, e));
}

bool rd_job_shares_start(struct rd_job *j, struct rd_error *e)
{
    const int64_t count = rd_batch_count(&j->batch);
    struct rd_device_share share = {
        .index = 1, .size = j->batch.size, .hash = hash_config(j->setup.config)};
    bool ok = true;
    for (; ok && !j->share && share.index < j->batch.n_shares && share.index < count; share.index++)
        ok = start_one(j, &share, e);
    return ok;
}

bool rd_job_shares_are_well(struct rd_job *j)
{
    struct rd_device_shares *const s = &j->shares;
    return s->n_running == 0 || rd_clock() - s->looked < look_every ? s->why.n == 0
                                                                    : rd_device_shares_look(s, 0);
}

bool rd_job_shares_end_batch(struct rd_job *j, struct rd_error *e)
{
    struct rd_sim *const s = &j->sim;
    struct rd_faulted *const here = malloc(((size_t)s->n_faulted + 1) * sizeof *here);
    int64_t n = 0;
    rd_faults_date(s, j->recorder.n_written);
    for (int64_t i = 0; here && i < s->n_faulted; i++)
        if (rd_faults_is_here(&s->world, &s->faulted[i]))
            here[n++] = s->faulted[i];
    const bool ok =
        here ? rd_batch_file_finish(j->recorder.batch_file, here, n, e)
             : rd_fail(e, "out of memory for the faults of %lld runs", (long long)s->n_faulted);
    free(here);
    return ok;
}

/* Waits until the other processes have ended, one has failed, or a signal requests a stop. Returns
   whether all have ended. */
static bool wait_for_others(struct rd_job *j)
{
    while (rd_job_shares_are_well(j) && j->shares.n_running > 0 && !rd_signals_is_stop_requested())
        rd_device_shares_look(&j->shares, LOOK_MS);
    return j->shares.n_running == 0 && rd_job_shares_are_well(j);
}

/* Writes the snapshots of all runs, until a signal stops that, and then the lineage. */
static bool write_snapshots(struct rd_job *j, struct rd_error *e)
{
    const struct rd_model *const m = &j->setup.model;
    const struct rd_faulted *faulted;
    int64_t n;
    rd_faults_date(&j->sim, j->recorder.n_written);
    bool ok = rd_batch_file_collect(j->recorder.batch_file, &faulted, &n, e) &&
              rd_faults_add(&j->sim, faulted, n, e);
    for (int64_t time = 0; ok && time < m->n_moments; time++) {
        struct rd_snapshot now = {.faulted = j->sim.faulted, .n_faulted = j->sim.n_faulted};
        if (rd_signals_is_stop_requested()) {
            j->stopped = m->moment[time];
            j->recorder.n_written = time;
            return true;
        }
        ok = rd_batch_file_join(j->recorder.batch_file, time, &now, e) &&
             rd_store_write(j->recorder.store, &now, e) &&
             rd_store_sync(j->recorder.store, false, e);
    }
    return ok && rd_recorder_merge_lives(&j->recorder, INT64_MAX, e) &&
           rd_store_sync(j->recorder.store, false, e);
}

bool rd_job_shares_join(struct rd_job *j, struct rd_error *e)
{
    const bool was_stopped = !isnan(j->stopped);
    const bool are_over = !was_stopped && wait_for_others(j);
    if (was_stopped && rd_job_shares_are_well(j)) {
        rd_device_shares_end(&j->shares);
        return true;
    }
    /* what follows is repeated from here if it fails or is stopped */
    if (!was_stopped && !(rd_run_save(&j->running, e) && rd_recorder_end(&j->recorder, e)))
        return false;
    if (are_over)
        return write_snapshots(j, e);
    const bool ok = rd_job_shares_are_well(j);
    if (ok)
        j->stopped = j->setup.model.end;
    rd_error_add(e, &j->shares.why);
    rd_device_shares_end(&j->shares);
    return ok;
}
