/* signals - handles the signals that a run receives.
   Handlers set flags. A thread sleeps until a handler requests a stop, and then waits for the
   grace. After that it ends the process, even if the simulating thread is still in a step. */
#define _POSIX_C_SOURCE 200809L
#include "base/signals.h"

#include "base/clock.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { ENDED = 1, GOES_ON = 75 };

/* Hold requests by signals, which are fulfilled after the present step. */
static volatile sig_atomic_t stop_requested, save_requested;

/* Gives the number of seconds during which repeated SIGTERMs count as one: a queueing system sends
   SIGTERM to all processes of a job, and they forward it to each other. */
static const double echo = 10.0;

/* Holds the state of the thread and of its message. It is static since signals reach a process, not
   an object. */
static struct {
    sem_t stop_request;
    bool has_thread;
    pthread_mutex_t lock; /* protects the members below */
    struct rd_signals_options options;
    struct rd_reached now, saved;
    bool has_checkpoint, is_moment_known;
    bool is_suspended;
    double suspended_until;
} watch = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void request_stop(void)
{
    stop_requested = 1;
    if (watch.has_thread)
        sem_post(&watch.stop_request);
}

static void on_end_signal(int number)
{
    static volatile double requested;
    static const char text[] =
        "\nrdsim: stops after this step; send a second signal to end it immediately\n";
    const int before = errno;
    if (stop_requested && (number != SIGTERM || rd_clock() - requested > echo)) {
        signal(number, SIG_DFL);
        raise(number);
    }
    if (!stop_requested) {
        requested = rd_clock();
        request_stop();
        (void)!write(2, text, sizeof text - 1);
    }
    errno = before;
}

static void on_save_signal(int number)
{
    (void)number;
    save_requested = 1;
}

/* Requests a stop, once: each line that is printed into a broken pipe raises another SIGPIPE, and
   each second of processor time above the limit another SIGXCPU. */
static void on_repeated_signal(int number)
{
    const int before = errno;
    (void)number;
    if (!stop_requested)
        request_stop();
    errno = before;
}

static bool is_ignored(int number)
{
    struct sigaction now;
    return sigaction(number, NULL, &now) == 0 && now.sa_handler == SIG_IGN;
}

static void handle(int number, void (*handler)(int))
{
    struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART};
    sigemptyset(&action.sa_mask);
    sigaction(number, &action, NULL);
}

static void mask(int how, int number)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, number);
    pthread_sigmask(how, &set, NULL);
}

bool rd_signals_outlive_terminals(void)
{
    return is_ignored(SIGHUP);
}

void rd_signals_hold(void)
{
    mask(SIG_BLOCK, SIGUSR1);
}

void rd_signals_begin(void)
{
    handle(SIGUSR1, on_save_signal);
    mask(SIG_UNBLOCK, SIGUSR1);
}

bool rd_signals_is_stop_requested(void)
{
    return stop_requested != 0;
}

bool rd_signals_take_save(void)
{
    const bool was = save_requested != 0;
    if (was)
        save_requested = 0;
    return was;
}

void rd_signals_reach(const struct rd_reached *now)
{
    pthread_mutex_lock(&watch.lock);
    watch.now = *now;
    pthread_mutex_unlock(&watch.lock);
}

void rd_signals_keep(const struct rd_reached *saved)
{
    pthread_mutex_lock(&watch.lock);
    watch.has_checkpoint = true;
    watch.is_moment_known = saved != NULL;
    if (saved)
        watch.saved = *saved;
    pthread_mutex_unlock(&watch.lock);
}

void rd_signals_suspend(void)
{
    pthread_mutex_lock(&watch.lock);
    watch.is_suspended = true;
    pthread_mutex_unlock(&watch.lock);
}

void rd_signals_continue(void)
{
    pthread_mutex_lock(&watch.lock);
    watch.is_suspended = false;
    watch.suspended_until = rd_clock();
    pthread_mutex_unlock(&watch.lock);
}

/* Writes the work that is repeated: "12 steps, from t = 1 to t = 2". */
static void write_loss(char *text, size_t size)
{
    const struct rd_reached none = {.batch = 1};
    const struct rd_reached *const from = watch.has_checkpoint ? &watch.saved : &none;
    const long long steps = (long long)(watch.now.steps - from->steps);
    if (watch.has_checkpoint && !watch.is_moment_known)
        snprintf(text, size, "repeats all steps since the last checkpoint");
    else if (steps == 0)
        snprintf(text, size, "repeats only that step");
    else
        snprintf(text, size,
                 "repeats %lld finished step%s (t = %.9g to t = %.9g%s) and the unfinished one",
                 steps, steps == 1 ? "" : "s", from->time, watch.now.time,
                 from->batch != watch.now.batch ? " of a later batch" : "");
}

static int write_message(char *text, size_t size)
{
    char loss[200];
    const struct rd_signals_options *const o = &watch.options;
    if (o->is_trial)
        return snprintf(text, size,
                        "\nrdsim: %s: the step after t = %.9g is abandoned, since it takes more "
                        "than %g s after the signal (--grace)\n",
                        o->path, watch.now.time, o->grace);
    write_loss(loss, sizeof loss);
    return snprintf(
        text, size,
        "\nrdsim: %s: the step after t = %.9g is abandoned, since it takes more than %g s after "
        "the signal (--grace); repeat the command with --resume, which %s and %s\n",
        o->path, watch.now.time, o->grace,
        watch.has_checkpoint ? "continues from the checkpoint" : "begins at the start", loss);
}

/* Ends the process as SIGKILL would. All files are replaced by renaming, so none is incomplete. */
static void end_process(void)
{
    char text[8192];
    const int length = write_message(text, sizeof text);
    if (watch.options.clean)
        watch.options.clean(watch.options.path);
    if (length > 0)
        (void)!write(2, text, strnlen(text, sizeof text));
    if (!watch.options.is_trial && access(watch.options.path, F_OK) == 0) {
        (void)!write(1, watch.options.path, strlen(watch.options.path));
        (void)!write(1, "\n", 1);
    }
    _exit(watch.options.is_trial ? ENDED : GOES_ON);
}

static void sleep_for(double seconds)
{
    const double whole = floor(seconds);
    const struct timespec t = {.tv_sec = (time_t)whole, .tv_nsec = (long)((seconds - whole) * 1e9)};
    nanosleep(&t, NULL);
}

/* Waits for a stop request, then for the grace, and longer while a file is written. */
static void *serve_signals(void *unused)
{
    while (sem_wait(&watch.stop_request) != 0)
        ;
    const double requested = rd_clock();
    for (;;) {
        pthread_mutex_lock(&watch.lock);
        const double begun = fmax(requested, watch.suspended_until);
        const double left =
            watch.is_suspended ? watch.options.grace : begun + watch.options.grace - rd_clock();
        if (left <= 0.0)
            end_process(); /* called with the lock held, so that no write begins */
        pthread_mutex_unlock(&watch.lock);
        sleep_for(left);
    }
    return unused;
}

/* Starts the thread with all signals blocked in it. If this fails, a signal waits for the end of
   the step. */
static void start_thread(void)
{
    enum { STACK = 1 << 17 };
    sigset_t all, before;
    pthread_attr_t how;
    pthread_t thread;
    if (sem_init(&watch.stop_request, 0, 0) != 0 || pthread_attr_init(&how) != 0)
        return;
    pthread_attr_setstacksize(&how, STACK);
    pthread_attr_setdetachstate(&how, PTHREAD_CREATE_DETACHED);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    watch.has_thread = pthread_create(&thread, &how, serve_signals, NULL) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&how);
}

void rd_signals_listen(const struct rd_signals_options *options)
{
    static const int stop_signals[] = {SIGINT, SIGTERM, SIGHUP}, repeated[] = {SIGPIPE, SIGXCPU};
    watch.options = *options;
    watch.now = (struct rd_reached){.batch = 1};
    start_thread();
    for (size_t i = 0; i < sizeof stop_signals / sizeof *stop_signals; i++)
        if (stop_signals[i] != SIGHUP || !is_ignored(SIGHUP))
            handle(stop_signals[i], on_end_signal);
    for (size_t i = 0; i < sizeof repeated / sizeof *repeated; i++)
        if (!is_ignored(repeated[i]))
            handle(repeated[i], on_repeated_signal);
}
