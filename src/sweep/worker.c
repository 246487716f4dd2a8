/* worker - runs one task of a sweep as a process of its own, and determines the state of a task. */
#define _POSIX_C_SOURCE 200809L
#include "sweep/worker.h"

#include "base/clock.h"
#include "base/file.h"
#include "config/tree.h"
#include "result/read/result_reader.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Lists exit statuses of the program: refused before it began; continues with another call */
enum { REFUSED = 2, GO_ON = 75 };

static void add_word(struct rd_arguments *w, const char *word)
{
    rd_arguments_add(w, strdup(word));
}

static void add_option(struct rd_arguments *w, const char *name, const char *value)
{
    add_word(w, name);
    add_word(w, value);
}

static void add_numbered_word(struct rd_arguments *w, const char *name, long long value)
{
    add_word(w, name);
    rd_arguments_add(w, rd_text_format("%lld", value));
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

/* Returns the configuration of a result, which the caller frees; NULL if it cannot be used. That of
   an interrupted result can be used although the run is not whole. */
static char *configuration_of(const char *path, bool is_interrupted)
{
    struct rd_error ignored = {0};
    struct rd_origin origin;
    char *effective = NULL;
    if (!is_interrupted && rd_store_past(path, &effective) != RD_PAST_WHOLE) {
        free(effective);
        effective = NULL;
    } else if (is_interrupted) {
        rd_store_origin(path, &origin, &ignored);
        effective = origin.effective;
        origin.effective = NULL;
        rd_origin_free(&origin);
        rd_error_free(&ignored);
    }
    return effective;
}

/* Returns whether a configuration is the base with the task's values and seed. */
static bool is_up_to_date(const char *effective, const struct rd_task *t, const struct rd_sweep *s)
{
    struct rd_error ignored = {0};
    rd_config *c = NULL;
    char seed[24];
    struct rd_set *const set = calloc((size_t)s->n_axes + 1, sizeof *set);
    snprintf(seed, sizeof seed, "%lluL", (unsigned long long)t->seed);
    for (int i = 0; set && i < s->n_axes; i++)
        set[i] = t->set[i];
    if (set)
        set[s->n_axes] = (struct rd_set){.path = "run.seed", .value = seed};
    const bool is = set && rd_config_read(&c, s->base, set, s->n_axes + 1, &ignored) &&
                    rd_config_is(c, effective);
    free(set);
    rd_config_free(c);
    rd_error_free(&ignored);
    return is;
}

/* Returns whether a result was made with other values than the task has. An interrupted result that
   does not state its values yet has none. */
static bool has_other_values(const struct rd_task *t, const struct rd_sweep *s, bool is_interrupted)
{
    char *const effective = configuration_of(t->output, is_interrupted);
    const bool has = effective ? !is_up_to_date(effective, t, s) : !is_interrupted;
    free(effective);
    return has;
}

/* Returns the reason why a file is no result of the task, which the caller frees; NULL if it is
   one, or if there is no file. */
static char *reason_of_foreign(const struct rd_state_of *result, const struct rd_task *t,
                               const struct rd_sweep *s)
{
    const bool is_interrupted = result->state == RD_STATE_INTERRUPTED;
    const bool is_whole = result->state == RD_STATE_COMPLETE || result->state == RD_STATE_FAULTED;
    if (is_whole && result->seed != (int64_t)t->seed)
        return rd_text_format("is the result of another task: its seed is %lld, not %llu",
                              (long long)result->seed, (unsigned long long)t->seed);
    if ((is_whole || is_interrupted) && has_other_values(t, s, is_interrupted))
        return rd_text_format("is %s, but the sweep or its base has changed since; move it "
                              "elsewhere, or set another 'output' of the sweep",
                              is_whole ? "complete" : "unfinished");
    return result->state == RD_STATE_FOREIGN
               ? rd_text_format("exists, but is not a result of rdsim; move it elsewhere")
               : NULL;
}

/* Returns the stored reason of a failure, which the caller frees; NULL: there is none. */
static char *read_reason(const char *result)
{
    char *const path = reason_path(result);
    char *reason = path ? read_log_text(path) : NULL;
    for (size_t n = reason ? strlen(reason) : 0; n > 0 && reason[n - 1] == '\n'; n--)
        reason[n - 1] = 0;
    if (reason && !*reason) {
        free(reason);
        reason =
            rd_text_format("%s: is empty, as on a full disk; make room, and use --retry", path);
    }
    free(path);
    return reason;
}

void rd_task_status_get(struct rd_task_status *is, const struct rd_task *t,
                        const struct rd_sweep *s)
{
    const struct rd_state_of result = rd_store_state(t->output);
    char *const foreign = reason_of_foreign(&result, t, s);
    const bool may_fail = result.state != RD_STATE_COMPLETE && result.state != RD_STATE_RUNNING;
    char *const failure = may_fail && !foreign ? read_reason(t->output) : NULL;
    *is = (struct rd_task_status){.state = result.state,
                                  .until = result.until,
                                  .can_resume = result.can_resume,
                                  .reason = foreign ? foreign : failure};
    if (foreign)
        is->state = RD_STATE_FOREIGN;
    else if (failure)
        is->state = result.state == RD_STATE_FAULTED ? RD_STATE_FAULTED : RD_STATE_FAILED;
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
        ok = rd_file_make_folder(folder);
        if (!ok)
            rd_fail(e, "%s: the folder for results cannot be made: %s; set output in the sweep",
                    folder, strerror(errno));
        *slash = '/';
    }
    free(folder);
    return ok;
}

/* Writes the command line of a task. It resumes from a checkpoint if there is one, and otherwise
   replaces what is left. */
static void write_command(struct rd_arguments *w, const struct rd_worker *j,
                          const struct rd_sweep *s, const struct rd_scheduler_options *how,
                          bool can_resume)
{
    const struct rd_task *const t = &j->task;
    add_word(w, "rdsim");
    add_option(w, "run", s->base);
    for (int i = 0; i < s->n_axes; i++) {
        add_word(w, "--set");
        rd_arguments_add(w, rd_text_format("%s=%s", t->set[i].path, t->set[i].value));
    }
    add_numbered_word(w, "--seed", (long long)t->seed);
    add_option(w, "--output", t->output);
    add_option(w, "--progress", "none");
    add_option(w, "--backend", how->backend);
    add_numbered_word(w, "--device", how->devices.number[j->device]);
    add_numbered_word(w, "--threads", how->threads);
    add_word(w, "--grace");
    rd_arguments_add(w, rd_text_format("%.9gs", how->grace));
    if (how->at_once > 0)
        add_numbered_word(w, "--at-once", (long long)how->at_once);
    if (how->strict)
        add_word(w, "--strict");
    add_word(w, can_resume ? "--resume" : "--force");
}

bool rd_worker_start(struct rd_worker *j, struct rd_task *task, int device,
                     const struct rd_sweep *s, const struct rd_scheduler_options *how,
                     bool can_resume, struct rd_error *e)
{
    *j = (struct rd_worker){
        .task = *task, .device = device, .begun = rd_clock(), .is_quiet = how->is_quiet};
    *task = (struct rd_task){0};
    struct rd_arguments w = {0};
    char *const reason = reason_path(j->task.output);
    write_command(&w, j, s, how, can_resume);
    bool ok = ((reason && !w.failed) || rd_fail(e, "out of memory for a task")) &&
              make_folders(j->task.output, e);
    if (ok)
        unlink(reason);
    ok = ok && rd_process_start(&j->process, w.word, SIGTERM, -1, "a task", e);
    free(reason);
    rd_arguments_free(&w);
    if (!ok)
        rd_task_free(&j->task);
    return ok;
}

bool rd_worker_read_pipe(struct rd_worker *j)
{
    return rd_process_read(&j->process, !j->is_quiet);
}

/* Writes the task's output as the reason of its failure. */
static void keep_reason(const struct rd_worker *j)
{
    char *const path = reason_path(j->task.output);
    const int fd = path ? rd_file_create(path) : -1;
    FILE *const out = fd >= 0 ? fdopen(fd, "w") : NULL;
    if (out) {
        fputs(j->process.output ? j->process.output : "rdsim: the task ended without a message\n",
              out);
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
    const int status = rd_process_wait(&j->process, !j->is_quiet);
    int code = WIFEXITED(status) ? WEXITSTATUS(status) : was_signalled(status) ? GO_ON : -1;
    if (code == REFUSED)
        code = status_of_refused(j, s);
    if (code > 0 && code != GO_ON)
        keep_reason(j);
    rd_process_close(&j->process);
    rd_task_free(&j->task);
    return code;
}
