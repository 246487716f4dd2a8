/* keeper - sees to it that a run can go on. A checkpoint that cannot be written is told, and no
   reason to stop: the ones before it stay. */
#define _POSIX_C_SOURCE 200809L
#include "keeper.h"

#include "checkpoint.h"
#include "clock.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Set by signals: what the run is to do after the step it is in. */
static volatile sig_atomic_t asked_to_stop, asked_to_save;

/* A queue tells the end of a job to all of its processes, and they to each other: for so many
   seconds that is one SIGTERM. */
static const double echo = 10.0;

static void hear(int number)
{
    static volatile double asked;
    static const char text[] = "\nrdsim: stopping after this step; a second signal ends at once\n";
    if (number == SIGUSR1) {
        asked_to_save = 1;
        return;
    }
    if (asked_to_stop && (number != SIGTERM || rd_clock() - asked > echo)) {
        signal(number, SIG_DFL);
        raise(number);
    }
    if (asked_to_stop)
        return;
    asked_to_stop = 1;
    asked = rd_clock();
    (void)!write(2, text, sizeof text - 1);
}

static void handle(int number, void (*handler)(int))
{
    struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART};
    sigemptyset(&action.sa_mask);
    sigaction(number, &action, NULL);
}

bool rd_keeper_outlives_terminals(void)
{
    struct sigaction now;
    return sigaction(SIGHUP, NULL, &now) == 0 && now.sa_handler == SIG_IGN;
}

void rd_keeper_heed(void)
{
    handle(SIGUSR1, hear);
}

void rd_keeper_listen(void)
{
    handle(SIGINT, hear);
    handle(SIGTERM, hear);
    if (!rd_keeper_outlives_terminals())
        handle(SIGHUP, hear);
}

enum rd_past rd_keeper_past(const rd_config *c, const char *path, struct rd_error *e)
{
    char *effective;
    const enum rd_past past = rd_store_past(path, &effective);
    if (effective && !rd_config_is(c, effective))
        rd_fail(e, "%s: is %s, but of another configuration; --force replaces it", path,
                past == RD_PAST_WHOLE ? "complete" : "begun");
    free(effective);
    return past;
}

bool rd_keeper_open(struct rd_keeper *k, const rd_config *c, struct rd_record_of *record,
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
    k->can_resume = rd_store_resume(store, record->model->file, record, &k->tape, &refused, e);
    k->warn(&refused);
    rd_error_free(&refused);
    k->loads = k->can_resume;
    return k->can_resume && rd_batch_pass(k->batch, &k->tape);
}

void rd_keeper_close(struct rd_keeper *k)
{
    rd_tape_close(&k->tape, false);
    free(k->identity);
    *k = (struct rd_keeper){0};
}

enum rd_wish rd_keeper_wish(const struct rd_keeper *k)
{
    if (asked_to_stop)
        return RD_STOP;
    return asked_to_save || rd_clock() - k->saved >= k->every ? RD_SAVE : RD_GO_ON;
}

static bool write_checkpoint(struct rd_keeper *k, struct rd_sim *s, struct rd_moment *now,
                             struct rd_error *e)
{
    rd_store *const store = k->recorder->store;
    struct rd_tape t;
    return rd_store_tape(store, &t, e) &&
           rd_store_keep(store, &t,
                         rd_batch_pass(k->batch, &t) && rd_checkpoint_pass(&t, s, now, e), e);
}

/* What was recorded is safe first: where that fails, the result has failed. */
static bool save(void *keeper, struct rd_sim *s, struct rd_moment *now, struct rd_error *e)
{
    struct rd_keeper *const k = keeper;
    struct rd_error why = {0};
    const double begin = rd_clock();
    asked_to_save = 0;
    if (!rd_recorder_live(k->recorder, s, e) || !rd_recorder_settle(k->recorder, e) ||
        (k->recorder->spool && !rd_spool_sync(k->recorder->spool, e)))
        return false;
    k->batch->waits = k->recorder->spool ? rd_spool_end(k->recorder->spool) : 0;
    k->is_saved = write_checkpoint(k, s, now, &why);
    k->can_resume = k->can_resume || k->is_saved;
    if (!k->is_saved && !k->is_first_told) {
        rd_fail(&why, "no checkpoint was written at t = %.9g; the run goes on, and tries again",
                rd_stretch_time(&now->stretch, now->n_done));
        k->warn(&why);
        k->is_first_told = true;
    }
    rd_error_free(&why);
    k->saved = rd_clock();
    k->seconds += k->saved - begin;
    return true;
}

/* Births and deaths of the steps before stand in the result already. */
static bool go_to(const struct rd_keeper *k, const struct rd_sim *s, struct rd_error *e)
{
    struct rd_life row;
    int64_t n;
    rd_spool_go_to(k->recorder->spool, k->batch->at, k->recorder->n_written);
    do
        n = rd_spool_lives(k->recorder->spool, rd_first_turn(s->beat.step), &row, 1, e);
    while (n > 0);
    return n == 0;
}

static bool load(void *keeper, struct rd_sim *s, struct rd_moment *now, struct rd_error *e)
{
    struct rd_keeper *const k = keeper;
    k->tape.e = e;
    if (!rd_tape_close(&k->tape, rd_checkpoint_pass(&k->tape, s, now, e)))
        return false;
    k->n_steps = s->beat.step;
    k->recorder->n_written = now->t.n_recorded;
    k->loads = false;
    return !k->recorder->spool || go_to(k, s, e);
}

void rd_keeper_join(struct rd_keeper *k, struct rd_watch *watch)
{
    watch->save = save;
    watch->load = k->loads ? load : NULL;
    watch->save_to = k;
}
