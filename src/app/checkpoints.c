/* checkpoints - saves the state of a run from time to time and at signals, and restores it.

   If a checkpoint cannot be written, the run prints a warning and goes on; earlier checkpoints
   remain. */
#define _POSIX_C_SOURCE 200809L
#include "app/checkpoints.h"

#include "base/clock.h"
#include "base/signals.h"
#include "run/checkpoint.h"

#include <stdlib.h>
#include <string.h>

enum rd_past rd_checkpoints_past(const rd_config *c, const char *path, struct rd_error *e)
{
    char *effective;
    const enum rd_past past = rd_store_past(path, &effective);
    if (effective && !rd_config_is(c, effective))
        rd_fail(e, "%s: is %s result of another configuration; replace it with --force", path,
                past == RD_PAST_WHOLE ? "the complete" : "the unfinished");
    free(effective);
    return past;
}

/* Reads the edits that the program had made, of so many bytes. */
static bool read_journal(struct rd_checkpoints *k, struct rd_checkpoint_file *t, int64_t bytes)
{
    if (bytes == 0)
        return true;
    if (!k->journal)
        return rd_checkpoint_file_refuse(
            t, "was edited by a program; continue with this program, which starts the run with "
               "resume=True");
    char *const text = bytes > 0 && bytes <= t->length ? malloc((size_t)bytes + 1) : NULL;
    if (!text)
        return rd_checkpoint_file_refuse(t, "cannot be read: out of memory for its edits");
    text[bytes] = 0;
    const bool ok = rd_checkpoint_file_bytes(t, text, (size_t)bytes) &&
                    (rd_shared_text_add(k->journal, text, NULL, 0, "") ||
                     rd_checkpoint_file_refuse(t, "cannot be read: out of memory for its edits"));
    free(text);
    return ok;
}

/* Writes or reads what a program needs to go on: its edits, and when it takes control. */
static bool pass_program(struct rd_checkpoints *k, struct rd_checkpoint_file *t)
{
    char *const text = k->journal && !t->is_read ? rd_shared_text_copy(k->journal) : NULL;
    int64_t bytes = text ? (int64_t)strlen(text) : 0;
    bool ok = t->is_read || !k->journal || text ||
              rd_checkpoint_file_refuse(t, "cannot be written: out of memory for its edits");
    ok =
        ok && rd_checkpoint_file_record(t, "target", &k->target, sizeof k->target) &&
        rd_checkpoint_file_begin(t, "journal", &bytes) &&
        (t->is_read ? read_journal(k, t, bytes) : rd_checkpoint_file_bytes(t, text, (size_t)bytes));
    free(text);
    return ok;
}

bool rd_checkpoints_open(struct rd_checkpoints *k, const rd_config *c, struct rd_record_of *record,
                         bool is_resuming, bool force, struct rd_error *e)
{
    rd_store **const store = &k->recorder->store;
    struct rd_error refused = {0};
    k->saved = rd_clock();
    record->identity = k->identity = rd_config_identity(c);
    if (!k->identity)
        return rd_fail(e, "out of memory for the configuration's text");
    if (!is_resuming)
        return rd_store_open(store, record->model->file, force, record, e);
    k->can_resume =
        rd_store_resume(store, record->model->file, record, &k->checkpoint_file, &refused, e);
    k->warn(k->warn_to, &refused);
    rd_error_free(&refused);
    k->loads = k->can_resume;
    if (k->can_resume)
        rd_signals_keep(NULL);
    return k->can_resume && rd_batch_pass(k->batch, &k->checkpoint_file) &&
           pass_program(k, &k->checkpoint_file);
}

void rd_checkpoints_close(struct rd_checkpoints *k)
{
    rd_checkpoint_file_close(&k->checkpoint_file, false);
    free(k->identity);
    *k = (struct rd_checkpoints){0};
}

static struct rd_reached reached(const struct rd_checkpoints *k, double time, int64_t n_steps)
{
    const int64_t at = rd_batch_own_index(k->batch);
    return (struct rd_reached){
        .time = time, .steps = at * k->batch_steps + n_steps, .batch = at + 1};
}

/* Returns whether to save the state before a long step. A step that takes longer than the grace is
   abandoned at a signal. Saving is not worth it if it takes longer than to repeat the last step. */
static bool is_worth_saving(const struct rd_checkpoints *k, double step_seconds)
{
    return step_seconds > k->grace && step_seconds > k->save_seconds;
}

enum rd_run_request rd_checkpoints_request(const struct rd_checkpoints *k, double time,
                                           int64_t n_steps, double step_seconds)
{
    const struct rd_reached now = reached(k, time, n_steps);
    rd_signals_reach(&now);
    if (rd_signals_is_stop_requested())
        return RD_STOP;
    return rd_signals_take_save() || rd_clock() - k->saved >= k->every ||
                   is_worth_saving(k, step_seconds)
               ? RD_SAVE
               : RD_GO_ON;
}

static bool write_checkpoint(struct rd_checkpoints *k, struct rd_sim *s,
                             struct rd_run_position *now, struct rd_error *e)
{
    rd_store *const store = k->recorder->store;
    struct rd_checkpoint_file t;
    return rd_store_checkpoint_file(store, &t, e) &&
           rd_store_keep(store, &t,
                         rd_batch_pass(k->batch, &t) && pass_program(k, &t) &&
                             rd_checkpoint_pass(&t, s, now, e),
                         e);
}

/* Makes everything recorded safe, and then writes a checkpoint. Returns false if the first fails,
   since the result has failed then. */
static bool save_all(struct rd_checkpoints *k, struct rd_sim *s, struct rd_run_position *now,
                     struct rd_error *e)
{
    struct rd_error why = {0};
    const double time = rd_stretch_time(&now->stretch, now->n_done);
    const struct rd_reached here = reached(k, time, s->step_clock.step);
    if (!rd_recorder_live(k->recorder, s, e) || !rd_recorder_sync(k->recorder, e) ||
        (k->recorder->batch_file && !rd_batch_file_sync(k->recorder->batch_file, e)))
        return false;
    k->batch->waits = k->recorder->batch_file ? rd_batch_file_end(k->recorder->batch_file) : 0;
    k->is_saved = write_checkpoint(k, s, now, &why);
    k->can_resume = k->can_resume || k->is_saved;
    if (k->is_saved)
        rd_signals_keep(&here);
    if (!k->is_saved && !k->is_first_reported) {
        rd_fail(
            &why,
            "no checkpoint is written at t = %.9g; the run continues and writes the next one later",
            time);
        k->warn(k->warn_to, &why);
        k->is_first_reported = true;
    }
    rd_error_free(&why);
    return true;
}

static bool save_checkpoint(void *checkpoints, struct rd_sim *s, struct rd_run_position *now,
                            struct rd_error *e)
{
    struct rd_checkpoints *const k = checkpoints;
    const double begin = rd_clock();
    rd_signals_suspend();
    const bool ok = save_all(k, s, now, e);
    rd_signals_continue();
    k->saved = rd_clock();
    k->save_seconds = k->saved - begin;
    k->seconds += k->save_seconds;
    return ok;
}

/* Sets the batch file to the position of the checkpoint. Skips births and deaths of the steps
   before, which are in the result already. */
static bool position_batch_file(const struct rd_checkpoints *k, const struct rd_sim *s,
                                struct rd_error *e)
{
    struct rd_life row;
    int64_t n;
    rd_batch_file_go_to(k->recorder->batch_file, k->batch->at, k->recorder->n_written);
    do
        n = rd_batch_file_lives(k->recorder->batch_file, rd_first_order_key(s->step_clock.step),
                                &row, 1, e);
    while (n > 0);
    return n == 0;
}

static bool load_checkpoint(void *checkpoints, struct rd_sim *s, struct rd_run_position *now,
                            struct rd_error *e)
{
    struct rd_checkpoints *const k = checkpoints;
    k->checkpoint_file.e = e;
    if (!rd_checkpoint_file_close(&k->checkpoint_file,
                                  rd_checkpoint_pass(&k->checkpoint_file, s, now, e)))
        return false;
    k->n_steps = s->step_clock.step;
    const struct rd_reached here =
        reached(k, rd_stretch_time(&now->stretch, now->n_done), s->step_clock.step);
    rd_signals_reach(&here);
    rd_signals_keep(&here);
    k->recorder->n_written = now->t.n_recorded;
    k->loads = false;
    return !k->recorder->batch_file || position_batch_file(k, s, e);
}

void rd_checkpoints_join(struct rd_checkpoints *k, struct rd_watch *watch)
{
    watch->save = save_checkpoint;
    watch->load = k->loads ? load_checkpoint : NULL;
    watch->save_to = k;
}
