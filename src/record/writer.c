/* writer - a thread that writes loads, one after the other, while the simulation goes on. */
#define _POSIX_C_SOURCE 200809L
#include "record/writer.h"

#include "base/c_locale.h"
#include "base/clock.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct rd_writer {
    struct rd_writing writing;
    int n_loads;
    int *free, *sent; /* a stack, which reuses few loads if few suffice; a ring */
    int n_free, n_sent, first_sent;
    bool syncs, ends; /* requests, for the time when nothing is sent */
    bool works;       /* the thread is busy */
    struct rd_error error;
    struct rd_writer_times times;
    atomic_bool failed;
    pthread_mutex_t lock; /* protects everything above except `failed` */
    pthread_cond_t requested, answered;
    pthread_t thread;
};

static void work_begins(rd_writer *w)
{
    w->works = true;
    pthread_mutex_unlock(&w->lock);
}

static void work_ends(rd_writer *w, bool good, double begun)
{
    pthread_mutex_lock(&w->lock);
    w->works = false;
    w->times.worked += rd_clock() - begun;
    if (!good)
        w->failed = true;
    pthread_cond_broadcast(&w->answered);
}

/* Writes the next load. After a failure, drops it, so that no caller waits forever. */
static void write_next(rd_writer *w)
{
    const double begun = rd_clock();
    const int load = w->sent[w->first_sent];
    w->first_sent = (w->first_sent + 1) % w->n_loads;
    w->n_sent--;
    work_begins(w);
    const bool good = w->failed || w->writing.write(w->writing.to, load, &w->error);
    work_ends(w, good, begun);
    w->free[w->n_free++] = load;
}

static void sync_now(rd_writer *w, bool now)
{
    const double begun = rd_clock();
    work_begins(w);
    const bool good = w->failed || w->writing.sync(w->writing.to, now, &w->error);
    work_ends(w, good, begun);
}

/* Waits for a request. Returns false when it is time to sync first. */
static bool wait_for_request(rd_writer *w)
{
    const double seconds = w->failed ? (double)INFINITY : w->writing.due(w->writing.to);
    if (seconds <= 0.0)
        return false;
    if (seconds == (double)INFINITY)
        return pthread_cond_wait(&w->requested, &w->lock) == 0;
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    const double whole = floor(seconds);
    until.tv_sec += (time_t)whole;
    until.tv_nsec += (long)((seconds - whole) * 1e9);
    if (until.tv_nsec >= 1000000000) {
        until.tv_nsec -= 1000000000;
        until.tv_sec++;
    }
    return pthread_cond_timedwait(&w->requested, &w->lock, &until) == 0;
}

static void *serve_writer(void *writer)
{
    rd_writer *const w = writer;
    void *const locale = rd_c_locale_enter();
    pthread_mutex_lock(&w->lock);
    while (w->n_sent > 0 || !w->ends) {
        if (w->n_sent > 0) {
            write_next(w);
        } else if (w->syncs) {
            w->syncs = false;
            sync_now(w, true);
        } else if (!wait_for_request(w) && w->n_sent == 0) {
            sync_now(w, false);
        }
    }
    pthread_mutex_unlock(&w->lock);
    rd_c_locale_leave(locale);
    return NULL;
}

/* Starts the thread without signals; the thread that simulates receives them. */
static int start(rd_writer *w)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const int failure = pthread_create(&w->thread, NULL, serve_writer, w);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return failure;
}

static void discard(rd_writer *w)
{
    free(w->free);
    free(w->sent);
    rd_error_free(&w->error);
    free(w);
}

static void make_locks(rd_writer *w)
{
    pthread_condattr_t steady; /* a clock that is never set */
    pthread_condattr_init(&steady);
    pthread_condattr_setclock(&steady, CLOCK_MONOTONIC);
    pthread_mutex_init(&w->lock, NULL);
    pthread_cond_init(&w->requested, &steady);
    pthread_cond_init(&w->answered, NULL);
    pthread_condattr_destroy(&steady);
}

static void free_locks(rd_writer *w)
{
    pthread_cond_destroy(&w->answered);
    pthread_cond_destroy(&w->requested);
    pthread_mutex_destroy(&w->lock);
}

bool rd_writer_open(rd_writer **to, int n_loads, const struct rd_writing *writing,
                    struct rd_error *e)
{
    rd_writer *const w = *to = calloc(1, sizeof *w);
    if (!w)
        return rd_fail(e, "out of memory for recording");
    w->writing = *writing;
    w->n_loads = n_loads;
    w->free = calloc((size_t)n_loads, sizeof *w->free);
    w->sent = calloc((size_t)n_loads, sizeof *w->sent);
    for (int i = n_loads; w->free && i > 0; i--)
        w->free[w->n_free++] = i - 1;
    make_locks(w);
    const bool has_memory = w->free && w->sent;
    const int failure = has_memory ? start(w) : ENOMEM;
    if (!failure)
        return true;
    free_locks(w);
    discard(w);
    *to = NULL;
    if (!has_memory)
        return rd_fail(e, "out of memory for recording");
    return rd_fail(e, "recording: a thread cannot be started: %s", strerror(failure));
}

/* Waits, with the lock held, until is_there or a failure; then adds the messages of the failure and
   returns false. */
static bool wait_for(rd_writer *w, bool (*is_there)(const rd_writer *), struct rd_error *e)
{
    const double begun = rd_clock();
    while (!w->failed && !is_there(w))
        pthread_cond_wait(&w->answered, &w->lock);
    w->times.waited += rd_clock() - begun;
    if (w->failed)
        rd_error_add(e, &w->error);
    return !w->failed;
}

static bool has_free_buffer(const rd_writer *w)
{
    return w->n_free > 0;
}

static bool is_done(const rd_writer *w)
{
    return w->n_sent == 0 && !w->syncs && !w->works;
}

int rd_writer_load(rd_writer *w, struct rd_error *e)
{
    pthread_mutex_lock(&w->lock);
    const int load = wait_for(w, has_free_buffer, e) ? w->free[--w->n_free] : -1;
    pthread_mutex_unlock(&w->lock);
    return load;
}

void rd_writer_send(rd_writer *w, int load)
{
    pthread_mutex_lock(&w->lock);
    assert(w->n_sent < w->n_loads);
    w->sent[(w->first_sent + w->n_sent++) % w->n_loads] = load;
    pthread_cond_signal(&w->requested);
    pthread_mutex_unlock(&w->lock);
}

bool rd_writer_sync(rd_writer *w, struct rd_error *e)
{
    pthread_mutex_lock(&w->lock);
    w->syncs = true;
    pthread_cond_signal(&w->requested);
    const bool good = wait_for(w, is_done, e);
    pthread_mutex_unlock(&w->lock);
    return good;
}

bool rd_writer_close(rd_writer *w, struct rd_writer_times *times, struct rd_error *e)
{
    if (!w)
        return true;
    pthread_mutex_lock(&w->lock);
    w->ends = true;
    pthread_cond_signal(&w->requested);
    const bool good = wait_for(w, is_done, e);
    pthread_mutex_unlock(&w->lock);
    pthread_join(w->thread, NULL);
    *times = w->times;
    free_locks(w);
    discard(w);
    return good;
}

bool rd_writer_is_well(const rd_writer *w)
{
    return !w->failed;
}
