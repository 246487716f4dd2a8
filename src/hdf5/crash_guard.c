/* crash_guard - reports crashes and endless loops inside HDF5, by signal handlers. */
#define _XOPEN_SOURCE 700
#include "hdf5/crash_guard.h"

#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

enum { FAILED = 1, WRONG = 2, MOST = 2, PATH = 512, STACK = 1 << 16 };

enum { OVERTIME = SIGVTALRM, LIMIT_SECONDS = 5, TEXTS_PER_SECOND = 50000 };

static const int broken[] = {SIGSEGV, SIGBUS, SIGFPE, SIGABRT, OVERTIME};
enum { N_BROKEN = sizeof broken / sizeof broken[0] };

/* Holds the names of the guarded files, ready to write: a signal handler may do little more than
   that. */
static struct {
    bool is_enabled;
    char path[MOST][PATH];
    volatile sig_atomic_t n, is_writing;
    struct sigaction before[N_BROKEN];
    timer_t timer;
    bool has_timer;
} crash_guard;

/* Counts the guards raised by this thread: the file does not cause a crash of another thread */
static _Thread_local volatile sig_atomic_t n_here;

static void print_text(const char *text)
{
    size_t length = 0;
    while (text[length])
        length++;
    (void)!write(2, text, length);
}

/* Prints the guarded files and exits. If two are guarded, prints both, since either may be the
   cause. */
static void report_crash(int number)
{
    if (n_here == 0 && number != OVERTIME) { /* the instruction faults again, and then ends the
                          program as without a guard */
        signal(number, SIG_DFL);
        return;
    }
    print_text("rdsim: ");
    print_text(crash_guard.path[0]);
    for (int i = 1; i < crash_guard.n && i < MOST; i++) {
        print_text(" or ");
        print_text(crash_guard.path[i]);
    }
    if (number == OVERTIME) {
        print_text(": is damaged: HDF5 reads a text of this file without end; use another copy\n");
        _exit(WRONG);
    }
    if (!crash_guard.is_writing) {
        print_text(": is damaged: HDF5 crashes when it reads this file; use another copy\n");
        _exit(WRONG);
    }
    print_text(
        ": cannot be written: HDF5 crashes, as it does when memory runs out; earlier snapshots are "
        "safe; if there is a checkpoint, continue with --resume and more memory\n");
    _exit(FAILED);
}

/* Installs the handlers on an alternate stack, since a damaged file may cause endless recursion. A
   thread that has such a stack keeps it: its owner may free it when the thread ends. */
static void install_crash_handlers(void)
{
    static char stack[STACK];
    const stack_t own = {.ss_sp = stack, .ss_size = sizeof stack};
    stack_t present = {.ss_flags = SS_DISABLE};
    struct sigaction action = {.sa_handler = report_crash, .sa_flags = SA_ONSTACK};
    sigemptyset(&action.sa_mask);
    sigaltstack(NULL, &present);
    if (present.ss_flags & SS_DISABLE)
        sigaltstack(&own, NULL);
    for (int i = 0; i < N_BROKEN; i++)
        sigaction(broken[i], &action, &crash_guard.before[i]);
}

void rd_crash_guard_enable(void)
{
    crash_guard.is_enabled = true;
}

void rd_crash_guard_raise_writing(const char *path)
{
    crash_guard.is_writing = 1;
    rd_crash_guard_raise(path);
}

void rd_crash_guard_raise(const char *path)
{
    if (!crash_guard.is_enabled)
        return;
    n_here++;
    if (crash_guard.n < MOST)
        snprintf(crash_guard.path[crash_guard.n], PATH, "%s", path);
    if (crash_guard.n == 0)
        install_crash_handlers();
    crash_guard.n++;
}

void rd_crash_guard_begin_limit(int64_t n_texts)
{
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = OVERTIME};
    const struct itimerspec limit = {.it_value.tv_sec =
                                         LIMIT_SECONDS + (time_t)(n_texts / TEXTS_PER_SECOND)};
    if (n_here > 0)
        crash_guard.has_timer =
            timer_create(CLOCK_THREAD_CPUTIME_ID, &event, &crash_guard.timer) == 0 &&
            timer_settime(crash_guard.timer, 0, &limit, NULL) == 0;
}

void rd_crash_guard_end_limit(void)
{
    if (n_here > 0 && crash_guard.has_timer)
        timer_delete(crash_guard.timer);
}

void rd_crash_guard_drop(void)
{
    if (!crash_guard.is_enabled)
        return;
    crash_guard.n--;
    n_here--;
    if (crash_guard.n == 0)
        crash_guard.is_writing = 0;
    for (int i = 0; crash_guard.n == 0 && i < N_BROKEN; i++)
        sigaction(broken[i], &crash_guard.before[i], NULL);
}
