/* worker - runs one task of a sweep as a process of its own, and determines the state of a task. */
#define _POSIX_C_SOURCE 200809L
#include "sweep/worker.h"

#include "base/clock.h"
#include "base/file.h"
#include "config/tree.h"
#include "result/read/result_reader.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* Lists exit statuses of the program: refused before it began; continues with another call */
enum { REFUSED = 2, GO_ON = 75 };

/* Holds the words of a command line, all owned. */
enum { WORDS_FIXED = 28 };
struct words {
    char **word;
    int n;
    bool failed;
};

static void add_word(struct words *w, char *word)
{
    w->failed = w->failed || !word;
    w->word[w->n++] = word;
}

static void add_option(struct words *w, const char *name, const char *value)
{
    add_word(w, strdup(name));
    add_word(w, strdup(value));
}

static void add_numbered_word(struct words *w, const char *name, long long value)
{
    add_word(w, strdup(name));
    add_word(w, rd_text_format("%lld", value));
}

static void free_words(struct words *w)
{
    for (int i = 0; i < w->n; i++)
        free(w->word[i]);
    free(w->word);
}

/* Returns the name of the file with the reason of a failure. */
static char *reason_path(const char *result)
{
    return rd_text_format("%s.failed", result);
}

static char *read_log_text(const char *path)
{
    enum { MOST = 4000 };
    const char *why;
    FILE *const in = rd_file_open_stream(path, &why);
    char *const text = in ? calloc(MOST + 1, 1) : NULL;
    if (text)
        text[fread(text, 1, MOST, in)] = 0;
    if (in)
        fclose(in);
    return text;
}

/* Returns whether a complete result was made from the base with the task's values and seed. */
static bool is_up_to_date(const struct rd_task *t, const struct rd_sweep *s)
{
    struct rd_error ignored = {0};
    rd_config *c = NULL;
    char seed[24], *effective = NULL;
    struct rd_set *const set = calloc((size_t)s->n_axes + 1, sizeof *set);
    snprintf(seed, sizeof seed, "%lluL", (unsigned long long)t->seed);
    for (int i = 0; set && i < s->n_axes; i++)
        set[i] = t->set[i];
    if (set)
        set[s->n_axes] = (struct rd_set){.path = "run.seed", .value = seed};
    const bool is = set && rd_store_past(t->output, &effective) == RD_PAST_WHOLE &&
                    rd_config_read(&c, s->base, set, s->n_axes + 1, &ignored) &&
                    rd_config_is(c, effective);
    free(set);
    free(effective);
    rd_config_free(c);
    rd_error_free(&ignored);
    return is;
}

void rd_task_status_get(struct rd_task_status *is, const struct rd_task *t,
                        const struct rd_sweep *s)
{
    const struct rd_state_of result = rd_store_state(t->output);
    *is = (struct rd_task_status){
        .state = result.state, .until = result.until, .can_resume = result.can_resume};
    const bool is_whole = result.state == RD_STATE_COMPLETE || result.state == RD_STATE_FAULTED;
    if (is_whole && result.seed != (int64_t)t->seed) {
        is->state = RD_STATE_FOREIGN;
        is->reason = rd_text_format("is the result of another task: its seed is %lld, not %llu",
                                    (long long)result.seed, (unsigned long long)t->seed);
    } else if (is_whole && !is_up_to_date(t, s)) {
        is->state = RD_STATE_FOREIGN;
        is->reason = strdup("is complete, but the sweep or its base has changed since; move it "
                            "elsewhere, or set another 'output' of the sweep");
    } else if (result.state == RD_STATE_FOREIGN) {
        is->reason = rd_text_format("exists, but is not a result of rdsim; move it elsewhere");
    }
    char *const path = reason_path(t->output);
    char *const reason =
        path && result.state != RD_STATE_COMPLETE && result.state != RD_STATE_RUNNING && !is->reason
            ? read_log_text(path)
            : NULL;
    if (reason) {
        is->state = is_whole ? RD_STATE_FAULTED : RD_STATE_FAILED;
        is->reason = reason;
    }
    free(path);
}

void rd_task_status_free(struct rd_task_status *is)
{
    free(is->reason);
    *is = (struct rd_task_status){0};
}

/* Makes the folders on the way to a file. */
static bool make_folders(const char *path, struct rd_error *e)
{
    char *const folder = strdup(path);
    bool ok = folder != NULL;
    for (char *slash = folder; ok && (slash = strchr(slash + 1, '/'));) {
        *slash = 0;
        ok = mkdir(folder, 0777) == 0 || errno == EEXIST;
        if (!ok)
            rd_fail(e, "%s: cannot be made: %s", folder, strerror(errno));
        *slash = '/';
    }
    free(folder);
    return ok;
}

/* Writes the command line of a task. It resumes from a checkpoint if there is one, and otherwise
   replaces what is left. */
static bool write_command(struct words *w, const struct rd_worker *j, const struct rd_sweep *s,
                          const struct rd_scheduler_options *how, bool can_resume)
{
    const struct rd_task *const t = &j->task;
    w->word = calloc(WORDS_FIXED + 2 * (size_t)s->n_axes, sizeof *w->word);
    if (!w->word)
        return false;
    add_word(w, strdup("rdsim"));
    add_option(w, "run", s->base);
    for (int i = 0; i < s->n_axes; i++) {
        add_word(w, strdup("--set"));
        add_word(w, rd_text_format("%s=%s", t->set[i].path, t->set[i].value));
    }
    add_numbered_word(w, "--seed", (long long)t->seed);
    add_option(w, "--output", t->output);
    add_option(w, "--progress", "none");
    add_option(w, "--backend", how->backend);
    add_numbered_word(w, "--device", how->devices.number[j->device]);
    add_numbered_word(w, "--threads", how->threads);
    add_word(w, strdup("--grace"));
    add_word(w, rd_text_format("%.9gs", how->grace));
    if (how->at_once > 0)
        add_numbered_word(w, "--at-once", (long long)how->at_once);
    if (how->strict)
        add_word(w, strdup("--strict"));
    add_word(w, strdup(can_resume ? "--resume" : "--force"));
    return !w->failed;
}

const int rd_passed_on[RD_PASSED_ON] = {SIGUSR1, SIGINT, SIGTERM, SIGHUP};

/* Blocks the forwarded signals, so that none is lost in a new process that still has the handlers
   of the sweep; returns the previous mask. */
static sigset_t hold_signals(void)
{
    sigset_t held, before;
    sigemptyset(&held);
    for (int i = 0; i < RD_PASSED_ON; i++)
        sigaddset(&held, rd_passed_on[i]);
    sigprocmask(SIG_BLOCK, &held, &before);
    return before;
}

/* Executes the task in the new process. Its stderr is the pipe. It stops when the sweep is killed,
   and receives the terminal's signals only through the sweep. */
static void exec_task(char **word, int pipe_end, const sigset_t *mask)
{
    for (int i = 0; i < RD_PASSED_ON; i++)
        signal(rd_passed_on[i], SIG_DFL);
    sigset_t held = *mask;
    sigaddset(&held, SIGUSR1); /* until the program handles it; by default it would end the
                                  program */
    sigprocmask(SIG_SETMASK, &held, NULL);
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    signal(SIGPIPE, SIG_IGN);
    const int null = open("/dev/null", O_RDWR);
    if (null < 0 || dup2(null, 0) < 0 || dup2(null, 1) < 0 || dup2(pipe_end, 2) < 0)
        _exit(1);
    execv("/proc/self/exe", word);
    _exit(1);
}

static bool begin_worker(struct rd_worker *j, struct words *w, struct rd_error *e)
{
    int ends[2];
    if (pipe(ends) != 0)
        return rd_fail(e, "a task cannot be started: %s", strerror(errno));
    fcntl(ends[0], F_SETFD, FD_CLOEXEC);
    fcntl(ends[1], F_SETFD, FD_CLOEXEC);
    const sigset_t mask = hold_signals();
    j->process = fork();
    if (j->process == 0)
        exec_task(w->word, ends[1], &mask);
    const int fault = errno;
    sigprocmask(SIG_SETMASK, &mask, NULL);
    close(ends[1]);
    j->output_pipe = ends[0];
    if (j->process > 0)
        return true;
    close(ends[0]);
    return rd_fail(e, "a task cannot be started: %s", strerror(fault));
}

bool rd_worker_start(struct rd_worker *j, struct rd_task *task, int device,
                     const struct rd_sweep *s, const struct rd_scheduler_options *how,
                     bool can_resume, struct rd_error *e)
{
    *j = (struct rd_worker){
        .task = *task, .device = device, .begun = rd_clock(), .is_quiet = how->is_quiet};
    *task = (struct rd_task){0};
    struct words w = {0};
    char *const reason = reason_path(j->task.output);
    bool ok =
        reason &&
        (write_command(&w, j, s, how, can_resume) || rd_fail(e, "out of memory for a task")) &&
        make_folders(j->task.output, e);
    if (ok)
        unlink(reason);
    ok = ok && begin_worker(j, &w, e);
    free(reason);
    free_words(&w);
    if (!ok)
        rd_task_free(&j->task);
    return ok;
}

bool rd_worker_read_pipe(struct rd_worker *j)
{
    char text[4096];
    const ssize_t n = read(j->output_pipe, text, sizeof text);
    if (n < 0 && errno == EINTR)
        return true;
    if (n <= 0)
        return false;
    if (!j->is_quiet)
        (void)!write(2, text, (size_t)n);
    char *const more = realloc(j->output, j->n_output + (size_t)n + 1);
    if (more) {
        memcpy(more + j->n_output, text, (size_t)n);
        j->n_output += (size_t)n;
        more[j->n_output] = 0;
        j->output = more;
    }
    return true;
}

/* Writes the task's output as the reason of its failure. */
static void keep_reason(const struct rd_worker *j)
{
    char *const path = reason_path(j->task.output);
    const int fd = path ? rd_file_create(path) : -1;
    FILE *const out = fd >= 0 ? fdopen(fd, "w") : NULL;
    if (out) {
        fputs(j->output ? j->output : "rdsim: the task ended without a message\n", out);
        fclose(out);
    }
    free(path);
}

/* Returns the exit status for a task that was refused: another sweep may run it, or may have
   completed it. */
static int status_of_refused(const struct rd_worker *j, const struct rd_sweep *s)
{
    struct rd_task_status is;
    rd_task_status_get(&is, &j->task, s);
    const int code = is.state == RD_STATE_RUNNING    ? GO_ON
                     : is.state == RD_STATE_COMPLETE ? 0
                                                     : REFUSED;
    rd_task_status_free(&is);
    return code;
}

/* Returns whether a forwarded signal ended the task before it installed its handlers. No other
   process sends these signals, since the task has its own process group. */
static bool was_signalled(int status)
{
    bool was = false;
    for (int i = 0; i < RD_PASSED_ON; i++)
        was = was || (WIFSIGNALED(status) && WTERMSIG(status) == rd_passed_on[i]);
    return was;
}

int rd_worker_end(struct rd_worker *j, const struct rd_sweep *s)
{
    int status = 0;
    while (rd_worker_read_pipe(j))
        ;
    while (waitpid(j->process, &status, 0) < 0 && errno == EINTR)
        ;
    int code = WIFEXITED(status) ? WEXITSTATUS(status) : was_signalled(status) ? GO_ON : -1;
    if (code == REFUSED)
        code = status_of_refused(j, s);
    if (code > 0 && code != GO_ON)
        keep_reason(j);
    close(j->output_pipe);
    free(j->output);
    rd_task_free(&j->task);
    return code;
}
