/* main - runs the commands. It prints all errors and returns the exit status. */
#define _POSIX_C_SOURCE 200809L
#include "app/again.h"
#include "app/check.h"
#include "app/export_command.h"
#include "app/job.h"
#include "app/pictures.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/signals.h"
#include "base/text.h"
#include "hdf5/crash_guard.h"
#include "modes/modes_command.h"
#include "rd_version.h"
#include "result/read/compare.h"
#include "result/read/table.h"
#include "sweep/sweep_command.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum status { DONE = 0, FAILED = 1, WRONG = 2, PARTIAL = 3, GOES_ON = 75 };

/* Opens closed standard streams, so that no file that is written gets their numbers. Stdout is
   opened for reading only, so that writing to it is reported as a failure. */
static void keep_streams(void)
{
    for (int stream = 0; stream <= 2; stream++)
        if (fcntl(stream, F_GETFD) < 0)
            (void)!open("/dev/null", stream == 2 ? O_WRONLY : O_RDONLY);
}

/* Sets OMP_WAIT_POLICY to passive and executes the program again, so that waiting threads sleep.
   The OpenMP runtime reads the variable once, before main. Otherwise waiting threads spin, which on
   a busy machine takes time from working ones. */
static void wait_asleep(char **argv)
{
    if (getenv("OMP_WAIT_POLICY"))
        return;
    setenv("OMP_WAIT_POLICY", "passive", 1);
    execv("/proc/self/exe", argv); /* if execv fails, the program continues without it */
}

/* Returns whether a command may divide steps among threads that wait for each other. The others
   start in half the time without the second execution. */
static bool is_stepping(enum rd_command command)
{
    return command == RD_COMMAND_RUN || command == RD_COMMAND_CHECK ||
           command == RD_COMMAND_AGAIN || command == RD_COMMAND_SWEEP;
}

/* Returns whether a command only prints, so that it has nothing to save if memory runs out. */
static bool is_printing(enum rd_command command)
{
    return command == RD_COMMAND_CHECK || !is_stepping(command);
}

static void print_timing(const struct rd_job *j)
{
    for (int i = 0; i < j->timing.n; i++)
        if (!j->timing.fact[i].text)
            fprintf(stderr, "%-18s %12.6g\n", j->timing.fact[i].name, j->timing.fact[i].number);
}

/* Returns how a stopped run can be continued. */
static const char *how_to_continue(const struct rd_checkpoints *k)
{
    return k->is_saved     ? "; continue with the same command and --resume"
           : k->can_resume ? "; continue from an older checkpoint with --resume"
                           : "";
}

/* Prints one message about the result; and the result's name on stdout, for scripts. */
static void print_end(const struct rd_job *j)
{
    const struct rd_model *const m = &j->setup.model;
    const struct rd_options *const o = j->options;
    const struct rd_backend *const b = j->sim.backend;
    const double others = rd_clock() - j->began - j->times.setup - j->times.steps;
    char other[64] = "";
    if (o->quiet)
        return;
    if (others > 0.1)
        snprintf(other, sizeof other, " and %.2g s for the result", others);
    printf("%s\n", m->file);
    if (o->timing)
        print_timing(j);
    const int64_t n_batches = rd_batch_own_count(&j->batch);
    const bool is_shared = rd_batch_is_shared(&j->batch);
    if (j->is_stopped && (is_shared || !rd_batch_is_last(&j->batch)))
        fprintf(stderr, "rdsim: stopped by a signal at t = %.9g of batch %lld of %lld%s%s\n",
                j->stopped, (long long)rd_batch_own_index(&j->batch) + 1, (long long)n_batches,
                is_shared ? " of the first process; snapshots are written when all have ended"
                          : "; snapshots are written with the last one",
                how_to_continue(&j->checkpoints));
    else if (j->is_stopped)
        fprintf(stderr,
                "rdsim: stopped by a signal at t = %.9g; the %lld snapshots before are in %s%s\n",
                j->stopped, (long long)j->recorder.n_written, m->file,
                how_to_continue(&j->checkpoints));
    else if (o->progress == RD_PROGRESS_NONE)
        return;
    else if (j->past == RD_PAST_WHOLE)
        fprintf(stderr, "rdsim: %s: is complete; there is nothing to do\n", m->file);
    else
        fprintf(stderr,
                "rdsim: %lld steps to t = %g%s in %.3g s on %s%s%s, after %.2g s of set-up%s; "
                "snapshots in %s: %lld\n",
                (long long)j->sim.step_clock.step, m->end,
                n_batches > 1 ? ", batch after batch,"
                : is_shared   ? ", in several processes,"
                              : "",
                j->times.steps, b->name, b->shares_host_memory ? "" : ", ",
                b->shares_host_memory ? "" : b->device(j->sim.machine), j->times.setup, other,
                m->file, (long long)j->recorder.n_written);
}

/* Prints each message on its own line. */
static void print_messages(const struct rd_error *e, const char *before)
{
    int length;
    for (const char *at = NULL; (at = rd_error_next(e, at, &length));)
        fprintf(stderr, "rdsim: %s%.*s\n", before, length, at);
    if (e->is_incomplete)
        fprintf(stderr, "rdsim: %sout of memory for a message\n", before);
    if (e->n > RD_ERROR_MOST)
        fprintf(stderr, "rdsim: %sand %d more\n", before, e->n - RD_ERROR_MOST);
}

static void print_warning_messages(void *to, const struct rd_error *messages)
{
    (void)to;
    print_messages(messages, "warning: ");
}

/* Prints nothing: for --quiet. */
static void warn_not(void *to, const struct rd_error *messages)
{
    (void)to;
    (void)messages;
}

static rd_warn *warn_of(const struct rd_options *o)
{
    return o->quiet ? warn_not : print_warning_messages;
}

/* Opens the stream for reports: standard output, or with --quiet /dev/null. Returns NULL with a
   message. */
static FILE *open_report(const struct rd_options *o, struct rd_error *e)
{
    FILE *const out = o->quiet ? fopen("/dev/null", "w") : stdout;
    if (!out)
        rd_fail(e, "/dev/null: cannot be opened: %s", strerror(errno));
    return out;
}

static void close_report(FILE *out)
{
    if (out && out != stdout)
        fclose(out);
}

/* Simulates the share of a process that --devices started; reports errors only. */
static enum status run_share(const struct rd_options *o, const struct rd_device_share *share,
                             struct rd_error *e)
{
    struct rd_options mine = *o;
    mine.progress = RD_PROGRESS_NONE;
    struct rd_job j = {.options = &mine, .warn = warn_not, .share = share, .is_trial = true};
    const bool ok = rd_job_run(&j, e);
    rd_job_close(&j);
    return ok ? DONE : FAILED;
}

static enum status run_job(const struct rd_options *o, char *const *argv, struct rd_error *e)
{
    struct rd_job j = {
        .options = o, .warn = warn_of(o), .command = rd_text_join(argv), .argv = argv};
    const bool ok = rd_job_run(&j, e);
    if (ok)
        print_end(&j);
    const bool is_stopped = j.is_stopped, can_resume = j.checkpoints.can_resume;
    const bool is_lacking = ok && !is_stopped && rd_job_has_faults(&j);
    rd_job_close(&j);
    return !ok || is_lacking || (is_stopped && !can_resume) ? FAILED : is_stopped ? GOES_ON : DONE;
}

/* Repeats the run from the configuration in the result, up to its last output time. */
static bool run_again(const struct rd_again *a, const struct rd_options *o, char *const *argv,
                      struct rd_error *e)
{
    struct rd_options second = *o;
    struct rd_set set[] = {a->set[0], a->set[1]};
    second.set = set;
    second.n_set = a->n_set;
    struct rd_job j = {.options = &second,
                       .warn = warn_of(o),
                       .command = rd_text_join(argv),
                       .text = a->origin.effective,
                       .edits_text = a->origin.journal,
                       .n_wanted = rd_again_n_times(a),
                       .is_trial = true};
    bool ok = rd_job_run(&j, e);
    if (ok && o->timing)
        print_timing(&j);
    if (ok && j.is_stopped && (j.n_wanted == 0 || j.recorder.n_written < j.n_wanted))
        ok = rd_fail(e, "%s: stopped by a signal before it could be compared; run it again",
                     o->file);
    rd_job_close(&j);
    return ok;
}

static enum status again(const struct rd_options *o, char *const *argv, struct rd_error *e)
{
    struct rd_again a;
    bool same = false;
    bool ok = rd_again_open(&a, o->file, o->keep, e);
    e->wrong = !ok;
    warn_of(o)(NULL, &a.warnings);
    FILE *const out = ok ? open_report(o, e) : NULL;
    ok = out && run_again(&a, o, argv, e) && rd_again_compare(&a, out, &same, e);
    close_report(out);
    rd_again_close(&a);
    return ok && same ? DONE : FAILED;
}

/* Opens the file that --json names, and replaces none; without --json the stream for reports. */
static FILE *open_page(const struct rd_options *o, struct rd_error *e)
{
    if (!o->json)
        return open_report(o, e);
    FILE *const out = strcmp(o->json, "-") != 0 ? fopen(o->json, "wx") : stdout;
    if (!out)
        rd_fail(e, "--json %s: cannot be made: %s; name another file, or - for stdout", o->json,
                strerror(errno));
    return out;
}

/* Closes it. A file that cannot be written is removed, with a message. */
static bool close_page(const struct rd_options *o, FILE *out, struct rd_error *e)
{
    if (!out || out == stdout)
        return true;
    if (o->json)
        return rd_file_close_new(out, o->json, e);
    return fclose(out) == 0 || rd_file_fail_to_write("/dev/null", errno, e);
}

/* Prints the report of a plan, or with --json the document, and why a run would be refused. */
static bool print_check(const struct rd_options *o, struct rd_setup *a, FILE *out,
                        struct rd_error *e)
{
    struct rd_error refused = {0};
    const bool ok = rd_check_report(o, a, out, &refused, e);
    if (!o->json)
        warn_of(o)(NULL, &refused);
    rd_error_free(&refused);
    return ok;
}

static enum status check(const struct rd_options *o, struct rd_error *e)
{
    struct rd_setup a = {0};
    FILE *const out = open_page(o, e);
    bool ok = out && rd_setup_make(&a, o, NULL, e) && print_check(o, &a, out, e);
    if (!ok && out && o->json)
        rd_check_json_error(out, o->file, e);
    ok = close_page(o, out, e) && ok;
    e->wrong = !ok;
    rd_setup_free(&a);
    return ok ? DONE : FAILED;
}

static enum status info(const struct rd_options *o, struct rd_error *e)
{
    FILE *const out = open_page(o, e);
    bool ok =
        out && (o->json ? rd_store_info_json(o->file, out, e) : rd_store_info(o->file, out, e));
    e->wrong = !ok;
    ok = close_page(o, out, e) && ok;
    if (out && out != stdout && !ok)
        unlink(o->json);
    return ok ? DONE : FAILED;
}

static enum status diff(const struct rd_options *o, struct rd_error *e)
{
    bool same = false;
    FILE *const out = open_report(o, e);
    e->wrong = !out || !rd_store_diff(o->file, o->other, false, out, &same, e);
    close_report(out);
    return same ? DONE : FAILED;
}

static enum status compare_results(const struct rd_options *o, struct rd_error *e)
{
    bool same = false;
    FILE *const out = open_page(o, e);
    bool ok = out && rd_store_compare(o->file, o->other, o->json, o->all, out, &same, e);
    e->wrong = !ok;
    ok = close_page(o, out, e) && ok;
    if (out && out != stdout && !ok && o->json)
        unlink(o->json);
    return ok && same ? DONE : FAILED;
}

static enum status sweep(const struct rd_options *o, char *const *argv, struct rd_error *e)
{
    char *const command = rd_text_join(argv);
    const int status = rd_sweep_run_command(o, command ? command : "rdsim sweep", stdout, e);
    free(command);
    return (enum status)status;
}

static enum status keys(const struct rd_options *o, struct rd_error *e)
{
    if (o->file)
        return rd_config_key(stdout, o->file, e) ? DONE : FAILED;
    rd_config_keys(stdout, o->markdown);
    return DONE;
}

static enum status modes(const struct rd_options *o, struct rd_error *e)
{
    bool is_partial = false;
    struct rd_error notes = {0};
    FILE *const out = open_report(o, e);
    const bool ok = out && rd_modes_command(o, out, &is_partial, &notes, e);
    close_report(out);
    warn_of(o)(NULL, &notes);
    rd_error_free(&notes);
    return !ok ? FAILED : is_partial ? PARTIAL : DONE;
}

/* Prints the configuration that corresponds to a model of another program. */
static enum status import(const struct rd_options *o, struct rd_error *e)
{
    struct rd_error notes = {0};
    const bool is_stdin = strcmp(o->file, "-") == 0;
    char *const text = rd_config_converted(is_stdin ? RD_CONFIG_STDIN : o->file, &notes, e);
    if (text) {
        fputs(text, stdout);
        warn_of(o)(NULL, &notes);
    }
    rd_error_free(&notes);
    free(text);
    return text ? DONE : FAILED;
}

/* Writes a configuration as SBML. */
static enum status export_model(const struct rd_options *o, struct rd_error *e)
{
    struct rd_error notes = {0};
    const bool ok = rd_export_command(o, stdout, &notes, e);
    warn_of(o)(NULL, &notes);
    rd_error_free(&notes);
    return ok ? DONE : FAILED;
}

/* Prints the totals of a result. */
static enum status table(const struct rd_options *o, struct rd_error *e)
{
    const struct rd_table_print_options how = {.csv = o->table.csv,
                                               .mean = o->table.mean,
                                               .group = o->table.group,
                                               .region = o->table.region,
                                               .by = o->table.by};
    const bool ok = rd_store_table(o->file, &how, stdout, e);
    e->wrong = !ok;
    return ok ? DONE : FAILED;
}

/* Runs a command of the Python package in place of this process. */
static enum status draw_pictures(char *const *argv, struct rd_error *e)
{
    rd_pictures_run(argv, e);
    return WRONG;
}

static enum status run_command(const struct rd_options *o, char *const *argv, struct rd_error *e)
{
    switch (o->command) {
    case RD_COMMAND_RUN:
        return run_job(o, argv, e);
    case RD_COMMAND_CHECK:
        return check(o, e);
    case RD_COMMAND_KEYS:
        return keys(o, e);
    case RD_COMMAND_INFO:
        return info(o, e);
    case RD_COMMAND_DIFF:
        return diff(o, e);
    case RD_COMMAND_COMPARE:
        return compare_results(o, e);
    case RD_COMMAND_AGAIN:
        return again(o, argv, e);
    case RD_COMMAND_SWEEP:
        return sweep(o, argv, e);
    case RD_COMMAND_MODES:
        return modes(o, e);
    case RD_COMMAND_IMPORT:
        return import(o, e);
    case RD_COMMAND_EXPORT:
        return export_model(o, e);
    case RD_COMMAND_TABLE:
        return table(o, e);
    case RD_COMMAND_PLOT:
    case RD_COMMAND_MOVIE:
        return draw_pictures(argv, e);
    case RD_COMMAND_HELP:
        rd_options_help(stdout, o->about);
        return DONE;
    case RD_COMMAND_USAGE:
        rd_options_usage(stderr);
        return WRONG;
    case RD_COMMAND_VERSION:
        break;
    }
    printf("rdsim %s (%s)\n", RD_VERSION, RD_COMMIT);
    return DONE;
}

/* Prints the path of the program for benchmarks, which is not a command of this one. */
static enum status refuse_bench(void)
{
    char path[4096] = "";
    if (readlink("/proc/self/exe", path, sizeof path - 1) < 0)
        path[0] = 0;
    const char *const slash = strrchr(path, '/');
    fprintf(stderr, "rdsim: bench: benchmarks are a separate program; run %.*s/rdsim-bench\n",
            slash ? (int)(slash - path) : 1, slash ? path : ".");
    return WRONG;
}

int main(int argc, char **argv)
{
    signal(SIGXFSZ, SIG_IGN); /* a file that exceeds the size limit is an error message, not a
                                 kill */
    keep_streams();
    rd_signals_hold();
    if (argc > 1 && strcmp(argv[1], "bench") == 0)
        return (int)refuse_bench();
    struct rd_options o = {0};
    struct rd_error e = {0};
    struct rd_device_share share = {0};
    const bool is_share =
        argc > 2 && strcmp(argv[1], RD_SHARE_OPTION) == 0 && rd_device_share_read(&share, argv[2]);
    if (is_share) {
        argv += 2;
        argc -= 2;
    }
    const bool is_read = rd_options_read(&o, argc, argv, &e);
    if (is_read && is_stepping(o.command))
        wait_asleep(argv);
    if (is_read && !is_share && is_printing(o.command))
        rd_memory_guard_enable();
    rd_signals_begin();
    rd_crash_guard_enable();
    enum status status = !is_read   ? FAILED
                         : is_share ? run_share(&o, &share, &e)
                                    : run_command(&o, argv, &e);
    if (!is_read && o.command == RD_COMMAND_CHECK && o.json)
        rd_check_json_error(stdout, o.file, &e);
    if ((status == DONE || (status == FAILED && e.n == 0)) &&
        (fflush(stdout) != 0 || ferror(stdout))) {
        rd_fail(&e, "standard output: cannot be written: %s; send it elsewhere", strerror(errno));
        status = FAILED;
    }
    print_messages(&e, "");
    if (status == FAILED && e.wrong)
        status = WRONG;
    rd_options_free(&o);
    rd_error_free(&e);
    return (int)status;
}
