/* scheduler - runs the tasks of a sweep, several at a time, and prints their states. */
#define _POSIX_C_SOURCE 200809L
#include "sweep/sweep_command.h"

#include "base/clock.h"
#include "base/signals.h"
#include "result/read/result_reader.h"

#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { GO_ON = 75, POLL_MS = 200 };
/* Sets the seconds that a task has for its checkpoint before it is killed. */
static const double grace = 120.0;

struct scheduler {
    const struct rd_sweep *s;
    const struct rd_scheduler_options *how;
    int64_t next, last;
    struct rd_worker *worker;
    struct pollfd *output_pipe; /* one per worker, for poll */
    int n, most;                /* running workers, and their maximum */
    int64_t n_tasks, n_left_out, n_done, n_failed, n_stopped;
    enum rd_progress_kind progress;
    bool is_terminal;
    double begun, reported;
    struct rd_error *e;
};

/* Holds received signals that are to be forwarded; a queue may send several within one poll */
static volatile sig_atomic_t received[RD_PASSED_ON];

static void take_signal(int number)
{
    for (int i = 0; i < RD_PASSED_ON; i++)
        if (rd_passed_on[i] == number)
            received[i] = 1;
}

/* Installs the handlers. It restores none: the program ends with its sweep. */
static void listen_to_signals(void)
{
    struct sigaction act;
    memset(&act, 0, sizeof act);
    act.sa_handler = take_signal;
    for (int i = 0; i < RD_PASSED_ON; i++)
        if (rd_passed_on[i] != SIGHUP || !rd_signals_outlive_terminals())
            sigaction(rd_passed_on[i], &act, NULL);
}

static void report_progress(struct scheduler *f, bool always)
{
    const double now = rd_clock(), often = f->is_terminal ? 0.2 : 10.0;
    if (f->progress == RD_PROGRESS_NONE || (!always && now - f->reported < often))
        return;
    f->reported = now;
    const int64_t ended = f->n_done + f->n_failed + f->n_stopped;
    const int64_t ahead = f->n_tasks - f->n_left_out - ended;
    fprintf(stderr, "%srdsim: %lld of %lld tasks done, %d running, %lld failed",
            f->is_terminal ? "\r" : "", (long long)(f->n_left_out + f->n_done),
            (long long)f->n_tasks, f->n, (long long)f->n_failed);
    if (f->n_done > 0 && ahead > 0)
        fprintf(stderr, ", about %.0f s left",
                (now - f->begun) / (double)f->n_done * (double)ahead);
    fprintf(stderr, "%s", f->is_terminal ? "\033[K" : "\n");
}

/* Returns whether the task is to be run; else counts it by its state. */
static bool is_task_wanted(struct scheduler *f, const struct rd_task *t, bool *can_resume)
{
    struct rd_task_status is;
    rd_task_status_get(&is, t, f->s);
    *can_resume = is.can_resume;
    bool wanted = is.state == RD_STATE_NONE || is.state == RD_STATE_INTERRUPTED ||
                  ((is.state == RD_STATE_FAILED || is.state == RD_STATE_FAULTED) && f->how->retry);
    if (is.state == RD_STATE_COMPLETE) {
        rd_store_clear_leftover(t->output);
        f->n_left_out++;
    } else if (is.state == RD_STATE_RUNNING) {
        f->n_stopped++; /* unless the other process has completed it at the end */
    } else if (!wanted) {
        f->n_failed++;
        rd_fail(f->e, "task %lld: %s%s%s", (long long)t->number, t->output,
                is.state == RD_STATE_FAILED    ? ": failed before; run it again with --retry: "
                : is.state == RD_STATE_FAULTED ? ": runs faulted; run it again with --retry: "
                                               : ": ",
                is.reason ? is.reason : "no reason is stored");
    }
    rd_task_status_free(&is);
    return wanted;
}

/* Returns the index of the GPU with the fewest running tasks. */
static int find_free_device(const struct scheduler *f)
{
    int n[RD_DEVICES_MOST] = {0}, least = 0;
    for (int i = 0; i < f->n; i++)
        n[f->worker[i].device]++;
    for (int i = 1; i < f->how->devices.n; i++)
        least = n[i] < n[least] ? i : least;
    return least;
}

static bool start_next(struct scheduler *f)
{
    struct rd_task task;
    bool can_resume, ok = rd_sweep_task(&task, f->s, f->next++, f->e);
    if (ok && is_task_wanted(f, &task, &can_resume)) {
        ok = rd_worker_start(&f->worker[f->n], &task, find_free_device(f), f->s, f->how, can_resume,
                             f->e);
        f->n += ok;
        f->n_failed += !ok;
    }
    rd_task_free(&task);
    return ok;
}

static void end_worker(struct scheduler *f, int i)
{
    const int64_t number = f->worker[i].task.number;
    const int status = rd_worker_end(&f->worker[i], f->s);
    f->worker[i] = f->worker[--f->n];
    if (status == 0)
        f->n_done++;
    else if (status == GO_ON)
        f->n_stopped++;
    else
        f->n_failed++;
    if (status != 0 && status != GO_ON)
        rd_fail(f->e, "task %lld: %s", (long long)number,
                status < 0 ? "was killed; run the same command again"
                           : "failed; print the reason with rdsim sweep --status");
    report_progress(f, f->is_terminal);
}

/* Reads the output of all workers; a worker that closed its output has ended. */
static void read_pipes(struct scheduler *f)
{
    for (int i = 0; i < f->n; i++)
        f->output_pipe[i] =
            (struct pollfd){.fd = f->worker[i].process.output_pipe, .events = POLLIN};
    if (poll(f->output_pipe, (nfds_t)f->n, POLL_MS) <= 0)
        return;
    for (int i = f->n - 1; i >= 0; i--)
        if (f->output_pipe[i].revents != 0 && !rd_worker_read_pipe(&f->worker[i]))
            end_worker(f, i);
}

/* Stops tasks that exceed the timeout, and kills those that do not stop within the grace. */
static void watch_time(const struct scheduler *f)
{
    const double now = rd_clock();
    for (int i = 0; i < f->n; i++) {
        struct rd_worker *const j = &f->worker[i];
        if (j->stopped > 0.0 && now - j->stopped > grace)
            kill(j->process.id, SIGKILL);
        else if (j->stopped == 0.0 && f->how->timeout > 0.0 && now - j->begun > f->how->timeout) {
            j->stopped = now;
            kill(j->process.id, SIGTERM);
        }
    }
}

/* Forwards signals to the tasks; returns whether no more tasks are to be started. */
static bool handle_signal(const struct scheduler *f)
{
    bool stops = false;
    for (int k = 0; k < RD_PASSED_ON; k++) {
        if (!received[k])
            continue;
        received[k] = 0;
        stops = stops || rd_passed_on[k] != SIGUSR1;
        for (int i = 0; i < f->n; i++)
            kill(f->worker[i].process.id, rd_passed_on[k]);
    }
    return stops;
}

/* Runs the tasks; returns whether a signal stopped them. */
static bool work_tasks(struct scheduler *f)
{
    bool stops = false;
    while (f->n > 0 || (!stops && f->next <= f->last)) {
        while (!stops && f->n < f->most && f->next <= f->last)
            start_next(f);
        read_pipes(f);
        watch_time(f);
        stops = handle_signal(f) || stops;
        report_progress(f, false);
    }
    f->n_stopped += f->last - f->next + 1;
    return stops;
}

/* Counts the tasks anew: other processes may have completed some meanwhile. */
static void count_complete(struct scheduler *f)
{
    int64_t n_complete = 0;
    for (int64_t number = f->last - f->n_tasks + 1; number <= f->last; number++) {
        struct rd_task t;
        struct rd_task_status is = {0};
        if (rd_sweep_task(&t, f->s, number, f->e))
            rd_task_status_get(&is, &t, f->s);
        n_complete += is.state == RD_STATE_COMPLETE;
        rd_task_status_free(&is);
        rd_task_free(&t);
    }
    f->n_left_out = n_complete - f->n_done;
    f->n_stopped = f->n_tasks - n_complete - f->n_failed;
}

int rd_scheduler_run(const struct rd_sweep *s, int64_t first, int64_t last, int jobs,
                     const struct rd_scheduler_options *how, enum rd_progress_kind progress,
                     struct rd_error *e)
{
    struct scheduler f = {.s = s,
                          .how = how,
                          .next = first,
                          .last = last,
                          .most = jobs,
                          .n_tasks = last - first + 1,
                          .progress = progress,
                          .is_terminal = progress == RD_PROGRESS_AUTO && isatty(2),
                          .begun = rd_clock(),
                          .reported = rd_clock(),
                          .e = e};
    f.worker = calloc((size_t)jobs, sizeof *f.worker);
    f.output_pipe = calloc((size_t)jobs, sizeof *f.output_pipe);
    if (f.worker && f.output_pipe) {
        listen_to_signals();
        const bool is_stopped = work_tasks(&f);
        if (f.n_stopped > 0 && !is_stopped)
            count_complete(&f);
        report_progress(&f, true);
        if (f.is_terminal && progress != RD_PROGRESS_NONE)
            fputc('\n', stderr);
        if (is_stopped && f.n_stopped > 0 && how->says_stop)
            fprintf(stderr, "rdsim: stopped; continue with the same command\n");
    } else {
        f.n_failed = 1;
        rd_fail(e, "out of memory for %d jobs", jobs);
    }
    free(f.worker);
    free(f.output_pipe);
    return f.n_failed > 0 ? 1 : f.n_stopped > 0 ? GO_ON : 0;
}

/* Prints the lines of a text, indented. */
static void print_indented(FILE *out, const char *text)
{
    for (const char *end; *text; text = *end ? end + 1 : end) {
        end = text + strcspn(text, "\n");
        fprintf(out, "%10s%.*s\n", "", (int)(end - text), text);
    }
}

bool rd_scheduler_print(FILE *out, const struct rd_sweep *s, struct rd_error *e)
{
    int64_t count[RD_N_STATES] = {0};
    bool ok = true;
    fprintf(out, "%8s  %-12s %12s  result\n", "task", "state", "until");
    for (int64_t number = 1; ok && number <= s->n_tasks; number++) {
        struct rd_task t;
        struct rd_task_status is = {0};
        ok = rd_sweep_task(&t, s, number, e);
        if (ok)
            rd_task_status_get(&is, &t, s);
        count[is.state] += ok;
        char until[32] = ""; /* empty if there is no snapshot */
        if (ok && !isnan(is.until))
            snprintf(until, sizeof until, "%.6g", is.until);
        if (ok)
            fprintf(out, "%8lld  %-12s %12s  %s\n", (long long)number, rd_state_name(is.state),
                    until, t.output);
        if (is.reason)
            print_indented(out, is.reason);
        rd_task_status_free(&is);
        rd_task_free(&t);
    }
    for (int state = 0; state < RD_N_STATES; state++)
        if (count[state] > 0)
            fprintf(out, "%lld %s\n", (long long)count[state], rd_state_name((enum rd_state)state));
    return ok && count[RD_STATE_COMPLETE] == s->n_tasks;
}
