/* main - the commands, each one chain; alone prints errors and ends the program. */
#define _POSIX_C_SOURCE 200809L
#include "again.h"
#include "bench.h"
#include "check.h"
#include "clock.h"
#include "facts.h"
#include "inputs.h"
#include "options.h"
#include "progress.h"
#include "rd_version.h"
#include "run.h"
#include "sweep_command.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum status { DONE = 0, FAILED = 1, WRONG = 2, GOES_ON = 75 };

/* Set by a signal: the run stops after the step it is in. */
static volatile sig_atomic_t asked_to_stop;

static void ask_to_stop(int signal_number)
{
    static const char text[] = "\nrdsim: stopping after this step; a second signal ends at once\n";
    asked_to_stop = 1;
    signal(signal_number, SIG_DFL);
    (void)!write(2, text, sizeof text - 1);
}

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

/* Everything between the configuration's text and the plan. */
struct asked {
    rd_config *config;
    struct rd_model model;
    struct rd_plan plan;
    struct rd_outlook outlook;
};

/* The configuration is text, named as o->file, or if that is NULL the file itself. */
static bool ask(struct asked *a, const struct rd_options *o, const char *text, struct rd_error *e)
{
    return (text ? rd_config_parse(&a->config, o->file, text, o->set, o->n_set, e)
                 : rd_config_read(&a->config, o->file, o->set, o->n_set, e)) &&
           rd_model_make(&a->model, a->config, e) && rd_plan_open(&a->plan, &a->model, e) &&
           rd_outlook_take(&a->outlook, &a->plan, e);
}

static void ask_free(struct asked *a)
{
    rd_plan_free(&a->plan);
    rd_model_free(&a->model);
    rd_config_free(a->config);
}

/* A run from the machine to the closed file. */
struct job {
    struct asked asked;
    struct rd_sim sim;
    struct rd_recorder recorder;
    struct rd_progress progress;
    struct rd_facts derived, provenance, timing;
    char *effective, *command, *inputs;
    const char *text; /* of the configuration; NULL: it is in the file */
    int64_t n_wanted; /* snapshots; 0: all */
    double stopped;
};

static bool go_on(void *to, double time, int64_t n_steps)
{
    struct job *const j = to;
    rd_progress_tell(&j->progress, time, n_steps);
    const bool is_enough = j->n_wanted > 0 && j->recorder.n_written >= j->n_wanted;
    return !asked_to_stop && !is_enough && rd_recorder_is_well(&j->recorder);
}

/* A result must not take the place of what it is made from. */
static bool spares_file(const char *result, const char *file, struct rd_error *e)
{
    struct stat a, b;
    if (stat(result, &a) != 0 || stat(file, &b) != 0 || a.st_dev != b.st_dev ||
        a.st_ino != b.st_ino)
        return true;
    return rd_fail(e, "%s: the result would replace the configuration; name another with --output",
                   file);
}

static bool open_file(struct job *j, const struct rd_options *o, struct rd_error *e)
{
    const struct rd_model *const m = &j->asked.model;
    const bool has_counts = rd_parcel_has_counts(m);
    rd_facts_derived(&j->derived, &j->asked.plan, &j->asked.outlook);
    rd_facts_provenance(&j->provenance, &j->sim);
    j->effective = rd_config_effective(j->asked.config);
    if (!(j->inputs = rd_inputs_note(m, e)))
        return false;
    const struct rd_record_of of = {.model = m,
                                    .command = j->command,
                                    .config_name = rd_config_name(j->asked.config),
                                    .config_text = rd_config_text(j->asked.config),
                                    .effective = j->effective ? j->effective : "",
                                    .inputs = j->inputs,
                                    .derived = j->derived.fact,
                                    .n_derived = j->derived.n,
                                    .provenance = j->provenance.fact,
                                    .n_provenance = j->provenance.n,
                                    .has_entered = j->asked.plan.has_entered,
                                    .has_counts = rd_parcel_has_cells(m),
                                    .has_individuals = m->keep == RD_KEEP_ALL};
    return (j->text || spares_file(m->file, o->file, e)) &&
           rd_recorder_open(&j->recorder, &j->sim, has_counts, e) &&
           rd_store_open(&j->recorder.store, m->file, o->force, &of, e);
}

static bool simulate(struct job *j, struct rd_error *e)
{
    const struct rd_watch watch = {.record = rd_recorder_take,
                                   .live = rd_recorder_live,
                                   .record_to = &j->recorder,
                                   .go_on = go_on,
                                   .go_on_to = j};
    bool ok = rd_run(&j->asked.plan, &j->sim, &watch, &j->stopped, e);
    ok = rd_recorder_end(&j->recorder, e) && ok;
    rd_progress_end(&j->progress);
    rd_facts_timing(&j->timing, &j->sim, &j->recorder);
    const char *const state = !ok ? "failed" : isnan(j->stopped) ? "complete" : "interrupted";
    return rd_store_close(j->recorder.store, state, j->timing.fact, j->timing.n, e) && ok;
}

static void print_timing(const struct job *j)
{
    for (int i = 0; i < j->timing.n; i++)
        if (!j->timing.fact[i].text)
            fprintf(stderr, "%-16s %12.6g\n", j->timing.fact[i].name, j->timing.fact[i].number);
}

/* One sentence about what there is now; and for scripts, on stdout, where it is. */
static void print_end(const struct job *j, const struct rd_options *o)
{
    const struct rd_model *const m = &j->asked.model;
    printf("%s\n", m->file);
    if (o->timing)
        print_timing(j);
    if (!isnan(j->stopped))
        fprintf(stderr,
                "rdsim: stopped by a signal at t = %.9g; the %lld snapshots before are in %s\n",
                j->stopped, (long long)j->recorder.n_written, m->file);
    else if (o->progress != RD_PROGRESS_NONE)
        fprintf(stderr, "rdsim: %lld steps to t = %g in %.3g s on %s; snapshots in %s: %lld\n",
                (long long)j->sim.beat.step, m->end, rd_clock() - j->progress.begun,
                j->sim.backend->name, m->file, (long long)j->recorder.n_written);
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

/* From the question to the closed file. */
static bool carry_out(struct job *j, const struct rd_options *o, struct rd_error *e)
{
    struct rd_machine_of machine = {.backend = o->backend,
                                    .threads = o->threads,
                                    .device = o->device,
                                    .timing = o->timing,
                                    .verify = o->verify};
    bool ok = ask(&j->asked, o, j->text, e);
    if (ok) {
        print_sentences(&j->asked.model.warnings, "warning: ");
        machine.beside = rd_record_memory(&j->asked.plan);
    }
    ok = ok && rd_sim_open(&j->sim, &j->asked.plan, &machine, e) && open_file(j, o, e);
    e->wrong = !ok; /* nothing has run yet */
    if (!ok)
        return false;
    signal(SIGXFSZ, SIG_IGN); /* a file that grows too large is a sentence, not the end */
    signal(SIGINT, ask_to_stop);
    signal(SIGTERM, ask_to_stop);
    j->progress = rd_progress_begin(o->progress, j->asked.model.end, j->asked.outlook.n_steps);
    return simulate(j, e);
}

static void close_job(struct job *j)
{
    rd_recorder_close(&j->recorder, &j->sim);
    rd_sim_close(&j->sim);
    ask_free(&j->asked);
    free(j->effective);
    free(j->inputs);
    free(j->command);
}

static enum status run(const struct rd_options *o, char *const *argv, struct rd_error *e)
{
    struct job j = {.stopped = NAN, .command = command_line(argv)};
    const bool ok = carry_out(&j, o, e);
    if (ok)
        print_end(&j, o);
    const bool is_whole = ok && isnan(j.stopped);
    close_job(&j);
    return is_whole ? DONE : FAILED;
}

/* The same run from the result alone, as far as that goes. */
static bool run_again(const struct rd_again *a, const struct rd_options *o, char *const *argv,
                      struct rd_error *e)
{
    struct rd_options second = *o;
    struct rd_set output = a->output;
    second.set = &output;
    second.n_set = 1;
    struct job j = {.stopped = NAN,
                    .command = command_line(argv),
                    .text = a->origin.effective,
                    .n_wanted = rd_again_n_times(a)};
    bool ok = carry_out(&j, &second, e);
    if (ok && o->timing)
        print_timing(&j);
    close_job(&j);
    if (ok && asked_to_stop)
        ok = rd_fail(e, "%s: stopped by a signal before it could be compared", o->file);
    return ok;
}

static enum status again(const struct rd_options *o, char *const *argv, struct rd_error *e)
{
    struct rd_again a;
    bool same = false;
    bool ok = rd_again_open(&a, o->file, o->keep, e);
    e->wrong = !ok;
    print_sentences(&a.warnings, "warning: ");
    ok = ok && run_again(&a, o, argv, e) && rd_again_compare(&a, stdout, &same, e);
    rd_again_close(&a);
    return ok && same ? DONE : FAILED;
}

static enum status check(const struct rd_options *o, struct rd_error *e)
{
    struct asked a = {0};
    struct rd_error refused = {0};
    const bool ok = ask(&a, o, NULL, e) && rd_check_print(stdout, &a.plan, &a.outlook, e);
    if (ok && !rd_store_check(a.model.file, o->force, &refused))
        print_sentences(&refused, "warning: ");
    rd_error_free(&refused);
    e->wrong = !ok;
    ask_free(&a);
    return ok ? DONE : FAILED;
}

/* The page, or all of it as JSON, which replaces no file. */
static enum status info(const struct rd_options *o, struct rd_error *e)
{
    const bool has_file = o->json && strcmp(o->json, "-") != 0;
    FILE *const out = has_file ? fopen(o->json, "wx") : stdout;
    bool ok = out || rd_fail(e, "%s: cannot be made: %s", o->json, strerror(errno));
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
