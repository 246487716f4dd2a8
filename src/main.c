/* main - the commands, each one chain; alone prints errors and ends the program. */
#define _POSIX_C_SOURCE 200809L
#include "again.h"
#include "bench.h"
#include "check.h"
#include "check_batches.h"
#include "clock.h"
#include "job.h"
#include "rd_version.h"
#include "sweep_command.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum status { DONE = 0, FAILED = 1, WRONG = 2, GOES_ON = 75 };

/* A standard stream that is closed must not become the number of a file that is written. Stdout
   stays closed to writing, so that its failure is told. */
static void keep_streams(void)
{
    for (int stream = 0; stream <= 2; stream++)
        if (fcntl(stream, F_GETFD) < 0)
            (void)!open("/dev/null", stream == 2 ? O_WRONLY : O_RDONLY);
}

/* Threads that wait for others must sleep. The OpenMP runtime asks for this once, before main, and
   else lets them spin, which on a busy machine takes the time from those that work. */
static void wait_asleep(char **argv)
{
    if (getenv("OMP_WAIT_POLICY"))
        return;
    setenv("OMP_WAIT_POLICY", "passive", 1);
    execv("/proc/self/exe", argv); /* where that is not possible, all goes on as it is */
}

static void print_timing(const struct rd_job *j)
{
    for (int i = 0; i < j->timing.n; i++)
        if (!j->timing.fact[i].text)
            fprintf(stderr, "%-18s %12.6g\n", j->timing.fact[i].name, j->timing.fact[i].number);
}

/* How a run that was stopped goes on. */
static const char *way_on(const struct rd_keeper *k)
{
    return k->is_saved     ? ", and the same command with --resume goes on"
           : k->can_resume ? ", and with --resume it goes on from an older checkpoint"
                           : "";
}

/* One sentence about what there is now; and for scripts, on stdout, where it is. */
static void print_end(const struct rd_job *j)
{
    const struct rd_model *const m = &j->asked.model;
    const struct rd_options *const o = j->options;
    const struct rd_backend *const b = j->sim.backend;
    printf("%s\n", m->file);
    if (o->timing)
        print_timing(j);
    const int64_t n_batches = rd_batch_count(&j->batch);
    if (j->is_stopped && !rd_batch_is_last(&j->batch))
        fprintf(stderr,
                "rdsim: stopped by a signal at t = %.9g of batch %lld of %lld; snapshots come with "
                "the last one%s\n",
                j->stopped, (long long)j->batch.at + 1, (long long)n_batches, way_on(&j->keeper));
    else if (j->is_stopped)
        fprintf(stderr,
                "rdsim: stopped by a signal at t = %.9g; the %lld snapshots before are in %s%s\n",
                j->stopped, (long long)j->recorder.n_written, m->file, way_on(&j->keeper));
    else if (o->progress == RD_PROGRESS_NONE)
        return;
    else if (j->past == RD_PAST_WHOLE)
        fprintf(stderr, "rdsim: %s is complete; there is nothing to do\n", m->file);
    else
        fprintf(
            stderr, "rdsim: %lld steps to t = %g%s in %.3g s on %s%s%s; snapshots in %s: %lld\n",
            (long long)j->sim.beat.step, m->end, n_batches > 1 ? ", batch after batch," : "",
            rd_clock() - j->progress.begun, b->name, b->is_near ? "" : ", ",
            b->is_near ? "" : b->device(j->sim.machine), m->file, (long long)j->recorder.n_written);
}

/* Every sentence on a line of its own. */
static void print_sentences(const struct rd_error *e, const char *before)
{
    int length;
    for (const char *at = NULL; (at = rd_error_next(e, at, &length));)
        fprintf(stderr, "rdsim: %s%.*s\n", before, length, at);
    if (e->n > RD_ERROR_MOST)
        fprintf(stderr, "rdsim: %sand %d more\n", before, e->n - RD_ERROR_MOST);
}

static void warn(const struct rd_error *sentences)
{
    print_sentences(sentences, "warning: ");
}

/* The words of the command line with blanks between, as they were given; the caller frees. */
static char *command_line(char *const *argv)
{
    char *text = NULL;
    size_t length = 0;
    FILE *const out = open_memstream(&text, &length);
    if (!out)
        return NULL;
    for (int i = 0; argv[i]; i++)
        fprintf(out, "%s%s", i ? " " : "", argv[i]);
    fclose(out);
    return text;
}

static enum status run(const struct rd_options *o, char *const *argv, struct rd_error *e)
{
    struct rd_job j = {.options = o, .warn = warn, .command = command_line(argv)};
    const bool ok = rd_job_run(&j, e);
    if (ok)
        print_end(&j);
    const bool is_stopped = j.is_stopped, can_resume = j.keeper.can_resume;
    const bool is_lacking = ok && !is_stopped && rd_job_has_faults(&j);
    rd_job_close(&j);
    return !ok || is_lacking || (is_stopped && !can_resume) ? FAILED : is_stopped ? GOES_ON : DONE;
}

/* The same run from the result alone, as far as that goes. */
static bool run_again(const struct rd_again *a, const struct rd_options *o, char *const *argv,
                      struct rd_error *e)
{
    struct rd_options second = *o;
    struct rd_set output = a->output;
    second.set = &output;
    second.n_set = 1;
    struct rd_job j = {.options = &second,
                       .warn = warn,
                       .command = command_line(argv),
                       .text = a->origin.effective,
                       .n_wanted = rd_again_n_times(a),
                       .is_trial = true};
    bool ok = rd_job_run(&j, e);
    if (ok && o->timing)
        print_timing(&j);
    if (ok && j.is_stopped && (j.n_wanted == 0 || j.recorder.n_written < j.n_wanted))
        ok = rd_fail(e, "%s: stopped by a signal before it could be compared", o->file);
    rd_job_close(&j);
    return ok;
}

static enum status again(const struct rd_options *o, char *const *argv, struct rd_error *e)
{
    struct rd_again a;
    bool same = false;
    bool ok = rd_again_open(&a, o->file, o->keep, e);
    e->wrong = !ok;
    warn(&a.warnings);
    ok = ok && run_again(&a, o, argv, e) && rd_again_compare(&a, stdout, &same, e);
    rd_again_close(&a);
    return ok && same ? DONE : FAILED;
}

static enum status check(const struct rd_options *o, struct rd_error *e)
{
    struct rd_asked a = {0};
    struct rd_error refused = {0};
    const struct rd_machine_of machine = {
        .backend = o->backend, .threads = o->threads, .device = o->device};
    char batches[400];
    bool ok = rd_asked_make(&a, o, NULL, e);
    if (ok)
        rd_check_batches(batches, sizeof batches, &a.plan, &machine, o->at_once);
    ok = ok && rd_check_print(stdout, &a.plan, &a.outlook, batches, e);
    if (ok && !rd_store_check(a.model.file, o->force, &refused))
        warn(&refused);
    rd_error_free(&refused);
    e->wrong = !ok;
    rd_asked_free(&a);
    return ok ? DONE : FAILED;
}

/* The page, or all of it as JSON, which replaces no file. */
static enum status info(const struct rd_options *o, struct rd_error *e)
{
    const bool has_file = o->json && strcmp(o->json, "-") != 0;
    FILE *const out = has_file ? fopen(o->json, "wx") : stdout;
    bool ok = out || rd_fail(e, "--json %s: cannot be made: %s; name another file, or - for stdout",
                             o->json, strerror(errno));
    if (ok)
        ok = o->json ? rd_store_info_json(o->file, out, e) : rd_store_info(o->file, out, e);
    e->wrong = !ok;
    if (has_file && out && fclose(out) != 0)
        ok = rd_fail(e, "%s: cannot be written: %s", o->json, strerror(errno));
    if (has_file && out && !ok)
        unlink(o->json);
    return ok ? DONE : FAILED;
}

static enum status diff(const struct rd_options *o, struct rd_error *e)
{
    bool same;
    e->wrong = !rd_store_diff(o->file, o->other, false, stdout, &same, e);
    return same ? DONE : FAILED;
}

static enum status bench(const struct rd_options *o, struct rd_error *e)
{
    const struct rd_bench_options *const b = &o->bench;
    const struct rd_bench_of of = {
        .machine = {.backend = o->backend, .threads = o->threads, .device = o->device},
        .name = b->name,
        .n_names = b->n_names,
        .cells = b->cells,
        .load = b->load,
        .steps = b->steps,
        .repeats = b->repeats,
        .set = o->set,
        .n_set = o->n_set,
        .json = o->json,
        .is_quick = b->quick,
        .is_markdown = o->markdown,
        .force = o->force};
    if (o->list)
        rd_bench_list(stdout);
    return o->list || rd_bench(&of, stdout, e) ? DONE : FAILED;
}

static enum status sweep(const struct rd_options *o, char *const *argv, struct rd_error *e)
{
    char *const command = command_line(argv);
    const int status = rd_sweep_obey(o, command ? command : "rdsim sweep", stdout, e);
    free(command);
    return (enum status)status;
}

static enum status obey(const struct rd_options *o, char *const *argv, struct rd_error *e)
{
    switch (o->command) {
    case RD_COMMAND_RUN:
        return run(o, argv, e);
    case RD_COMMAND_CHECK:
        return check(o, e);
    case RD_COMMAND_KEYS:
        rd_config_keys(stdout, o->markdown);
        return DONE;
    case RD_COMMAND_INFO:
        return info(o, e);
    case RD_COMMAND_DIFF:
        return diff(o, e);
    case RD_COMMAND_BENCH:
        return bench(o, e);
    case RD_COMMAND_AGAIN:
        return again(o, argv, e);
    case RD_COMMAND_SWEEP:
        return sweep(o, argv, e);
    case RD_COMMAND_HELP:
        rd_options_help(stdout, o->about);
        return DONE;
    case RD_COMMAND_VERSION:
        break;
    }
    printf("rdsim %s (%s)\n", RD_VERSION, RD_COMMIT);
    return DONE;
}

int main(int argc, char **argv)
{
    signal(SIGXFSZ, SIG_IGN); /* a file that grows too large is a sentence, not the end */
    keep_streams();
    wait_asleep(argv);
    struct rd_options o = {0};
    struct rd_error e = {0};
    enum status status = rd_options_read(&o, argc, argv, &e) ? obey(&o, argv, &e) : FAILED;
    if (status == DONE && (fflush(stdout) != 0 || ferror(stdout))) {
        rd_fail(&e, "standard output: %s", strerror(errno));
        status = FAILED;
    }
    print_sentences(&e, "");
    if (status == FAILED && e.wrong)
        status = WRONG;
    rd_options_free(&o);
    rd_error_free(&e);
    return (int)status;
}
