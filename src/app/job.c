/* job - one simulation, from the options of the command line to the closed file. */
#define _POSIX_C_SOURCE 200809L
#include "app/job.h"

#include "app/earlier_result.h"
#include "app/inputs.h"
#include "app/job_edits.h"
#include "app/job_shares.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/signals.h"
#include "base/threads.h"
#include "result/files/run_state.h"
#include "sim/faults.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Returns whether control is to return to the caller at this step. */
static bool is_pause_due(const struct rd_job *j, double time, int64_t n_steps)
{
    const struct rd_job_pause *const p = &j->pause;
    const double tolerance = 1e-12 * j->setup.model.end;
    return n_steps >= p->step || (p->has_time && time >= p->time - tolerance) ||
           (p->clock > 0.0 && rd_clock() >= p->clock);
}

static enum rd_run_request request_of_job(void *to, double time, int64_t n_steps)
{
    struct rd_job *const j = to;
    j->is_enough = j->n_wanted > 0 && j->recorder.n_written >= j->n_wanted;
    j->progress.n_before = j->first_batch * j->setup.forecast.n_steps + j->checkpoints.n_steps;
    j->progress.batch = rd_batch_own_index(&j->batch) + 1;
    j->progress.n_batches = rd_batch_own_count(&j->batch);
    rd_progress_report(&j->progress, time,
                       rd_batch_own_index(&j->batch) * j->setup.forecast.n_steps + n_steps);
    if (j->is_enough || !rd_recorder_is_well(&j->recorder) || !rd_job_shares_are_well(j))
        return RD_STOP;
    return is_pause_due(j, time, n_steps)
               ? RD_PAUSE
               : rd_checkpoints_request(&j->checkpoints, time, n_steps, j->sim.step_seconds);
}

/* Checks that the result has a name; a configuration from standard input may give none. */
static bool has_name(const struct rd_job *j, struct rd_error *e)
{
    return strcmp(j->setup.model.file, RD_CONFIG_STDIN ".h5") != 0 ||
           rd_fail(e, "%s: the result has no name; name it with --output FILE", RD_CONFIG_STDIN);
}

/* Checks that the result does not replace a file that it is made from. */
static bool spares_files(const struct rd_job *j, struct rd_error *e)
{
    const struct rd_model *const m = &j->setup.model;
    const struct rd_config_file *file;
    const int n = rd_config_files(j->setup.config, &file);
    for (int i = 0; i < n && !j->text; i++)
        if (rd_file_is_same(m->file, file[i].name))
            return rd_fail(e,
                           "%s: the result would replace the configuration; name another with "
                           "--output FILE",
                           file[i].name);
    return rd_inputs_spared(m, e);
}

/* Opens the simulator of the current batch. */
static bool open_sim(struct rd_job *j, struct rd_error *e)
{
    const struct rd_options *const o = j->options;
    struct rd_machine_of machine = {.backend = o->backend,
                                    .threads = o->threads,
                                    .device = o->device,
                                    .timing = o->timing,
                                    .verify = o->verify,
                                    .strict = o->strict,
                                    .n_steps = (double)j->setup.forecast.n_steps};
    rd_device_shares_set_machine(o, j->batch.n_shares, j->batch.share, &machine);
    if (!(j->plan = rd_batch_open(&j->batch, e)))
        return false;
    rd_batch_set_memory(&j->batch, j->plan, &machine);
    return rd_sim_open(&j->sim, j->plan, &machine, e);
}

static void close_sim(struct rd_job *j)
{
    rd_sim_close(&j->sim);
    rd_batch_close(&j->batch);
}

/* Opens the simulator for all runs together, or for the requested number of runs. If no number was
   requested, takes as many runs as fit. */
static bool open_first(struct rd_job *j, struct rd_error *e)
{
    const struct rd_model *const m = &j->setup.model;
    const int64_t wanted = j->options->at_once;
    struct rd_error why = {0};
    j->batch = rd_batch_of(m, &j->setup.plan, j->setup.config, wanted);
    bool ok = rd_job_shares_divide(j, &why) && open_sim(j, &why);
    if (ok && m->theta.is_flat && !j->sim.backend->shares_host_memory) {
        close_sim(j); /* a device takes the rows one after another */
        rd_batch_take_rows(&j->batch);
        ok = open_sim(j, &why);
    }
    while (!ok && wanted == 0 && !j->share && !j->batch.is_by_row &&
           rd_batch_shrink(&j->batch, j->sim.n_fit)) {
        close_sim(j);
        rd_error_free(&why);
        ok = open_sim(j, &why);
    }
    if (!ok)
        rd_error_add(e, &why);
    rd_error_free(&why);
    return ok;
}

static bool open_store(struct rd_job *j, struct rd_error *e)
{
    const struct rd_model *const m = &j->setup.model;
    const struct rd_options *const o = j->options;
    rd_facts_derived(&j->derived, &j->setup.plan, &j->setup.forecast);
    rd_facts_provenance(&j->provenance, &j->sim);
    if (rd_batch_is_shared(&j->batch))
        rd_facts_add_text(&j->provenance, "devices", o->devices);
    j->effective = rd_config_effective(j->setup.config);
    if (!(j->inputs = rd_inputs_note(m, e)))
        return false;
    const struct rd_config_file *file;
    const int n_files = rd_config_files(j->setup.config, &file);
    struct rd_record_of of = {.model = m,
                              .command = j->command,
                              .config_name = rd_config_name(j->setup.config),
                              .config_text = rd_config_text(j->setup.config),
                              .effective = j->effective ? j->effective : "",
                              .file = file,
                              .n_files = n_files,
                              .inputs = j->inputs,
                              .journal = j->journal,
                              .derived = j->derived.fact,
                              .n_derived = j->derived.n,
                              .provenance = j->provenance.fact,
                              .n_provenance = j->provenance.n,
                              .threads = rd_threads_number(o->threads),
                              .has_entered = j->setup.plan.has_entered,
                              .has_counts = rd_model_recorded(m, RD_ALL_DUE, false).has_voxels,
                              .has_individuals =
                                  rd_model_recorded(m, RD_ALL_DUE, false).keeps_voxels,
                              .is_quick = o->quick};
    return spares_files(j, e) &&
           rd_checkpoints_open(&j->checkpoints, j->setup.config, &of, j->past == RD_PAST_PARTS,
                               o->force || j->past == RD_PAST_BEGUN, e);
}

/* Opens the file in which snapshots of batches wait. */
static bool open_batch_file(struct rd_job *j, struct rd_error *e)
{
    if (rd_batch_count(&j->batch) == 1)
        return true;
    if (j->share)
        return rd_job_shares_open(j, e);
    const struct rd_batch_file_of of = rd_batch_file_of_all(&j->batch);
    const struct rd_path path = rd_store_batches(j->recorder.store, 0);
    if (!rd_batch_file_open(&j->recorder.batch_file, path.text, &of, j->checkpoints.loads, e))
        return false;
    rd_batch_file_go_to(j->recorder.batch_file, j->batch.at, 0);
    return !j->checkpoints.loads || rd_batch_file_resume(j->recorder.batch_file, j->batch.waits, e);
}

static bool open_recorder(struct rd_job *j, struct rd_error *e)
{
    return rd_recorder_open(&j->recorder, &j->sim, RD_AS_DUE, e);
}

/* Does everything that can be refused before the first step. On resuming, the checkpoint gives the
   batch. */
static bool prepare_job(struct rd_job *j, struct rd_error *e)
{
    j->checkpoints = (struct rd_checkpoints){.every = j->options->checkpoint_every,
                                             .grace = j->options->grace,
                                             .batch_steps = j->setup.forecast.n_steps,
                                             .warn = j->warn,
                                             .warn_to = j->warn_to,
                                             .journal = j->journal,
                                             .target = NAN,
                                             .recorder = &j->recorder,
                                             .batch = &j->batch};
    const bool is_open = open_first(j, e);
    j->warn(j->warn_to, &j->sim.remark);
    const int64_t size = j->batch.size, at = j->batch.at;
    if (!is_open || !(j->share || open_store(j, e)))
        return false;
    if (j->batch.size != size || j->batch.at != at) {
        close_sim(j);
        if (!open_sim(j, e))
            return false;
    }
    return open_batch_file(j, e) && open_recorder(j, e) && rd_job_shares_start(j, e);
}

/* Opens the next batch, which takes over the faults and wall times of the one before. */
static bool open_again(struct rd_job *j, struct rd_error *e)
{
    struct rd_sim before = {0};
    rd_faults_hand_on(&before, &j->sim);
    memcpy(before.seconds, j->sim.seconds, sizeof before.seconds);
    rd_recorder_leave(&j->recorder, &j->sim);
    close_sim(j);
    rd_batch_file_go_to(j->recorder.batch_file, j->batch.at, 0);
    const bool ok = open_sim(j, e) && open_recorder(j, e);
    memcpy(j->sim.seconds, before.seconds, sizeof before.seconds);
    rd_faults_hand_on(&j->sim, &before);
    return ok;
}

static bool begin_next(struct rd_job *j, struct rd_error *e)
{
    rd_faults_date(&j->sim, j->recorder.n_written);
    rd_batch_go_on(&j->batch);
    return open_again(j, e);
}

/* Leaves out the runs of rows that cannot run. */
static bool leave_out_rows(struct rd_job *j, struct rd_error *e)
{
    const struct rd_theta *const t = &j->setup.model.theta;
    const struct rd_reactions *const all = &j->plan->world.reactions;
    const int64_t n_runs = j->sim.world.lattice.n_runs;
    if (j->batch.out.n > 0)
        return rd_faults_leave_out(&j->sim, 0, n_runs, j->batch.out.text, e);
    bool ok = true;
    for (int64_t run = 0; ok && all->n_vector_rate > 0 && run < n_runs;) {
        const int64_t at = run + all->runs_before, i = at / t->n_runs;
        const int64_t left = t->n_runs - at % t->n_runs,
                      n = left < n_runs - run ? left : n_runs - run;
        struct rd_error why = {0};
        if (j->plan->vector_is_out[i]) {
            rd_batch_refuse_row(&j->batch, j->plan, i, &why);
            ok = rd_faults_leave_out(&j->sim, run, n, why.text ? why.text : "", e);
        }
        rd_error_free(&why);
        run += n;
    }
    return ok;
}

/* Begins the run of the current batch. */
static bool open_run_once(struct rd_job *j, struct rd_error *e)
{
    struct rd_watch watch = {.record = rd_recorder_take,
                             .live = rd_recorder_live,
                             .record_to = &j->recorder,
                             .go_on = request_of_job,
                             .go_on_to = j};
    if (!j->is_trial)
        rd_checkpoints_join(&j->checkpoints, &watch);
    j->n_replayed = 0;
    return (watch.load || leave_out_rows(j, e)) &&
           rd_run_open(&j->running, j->plan, &j->sim, &watch, e);
}

/* Begins the run of the current batch; without the runs of its row if that row cannot begin. */
static bool open_run(struct rd_job *j, struct rd_error *e)
{
    struct rd_error why = {0};
    if (!j->batch.is_by_row || j->batch.out.n > 0)
        return open_run_once(j, e);
    if (open_run_once(j, &why))
        return true;
    rd_run_close(&j->running);
    rd_batch_refuse(&j->batch, &why);
    rd_error_free(&why);
    return open_again(j, e) && open_run_once(j, e);
}

/* Ends the run of the batch, and begins that of the next one. */
static bool end_batch(struct rd_job *j, struct rd_error *e)
{
    j->stopped = j->running.stopped;
    bool ok = rd_recorder_end(&j->recorder, e);
    j->is_over = rd_batch_is_last(&j->batch) || (!isnan(j->stopped) && !j->is_enough);
    if (ok && j->share)
        ok = rd_job_shares_end_batch(j, e);
    else if (ok && j->is_over && rd_batch_is_shared(&j->batch))
        ok = rd_job_shares_join(j, e);
    if (!ok || j->is_over)
        return ok;
    rd_run_close(&j->running);
    return begin_next(j, e) && open_run(j, e);
}

/* Divides the time since the job began. */
static void take_times(struct rd_job *j)
{
    struct rd_job_times *const t = &j->times;
    const double placed = j->sim.seconds[RD_TIME_PLACE];
    t->setup = j->progress.begun - j->began + placed;
    t->waited = j->recorder.times.waited;
    t->rest = j->recorder.seconds - t->waited + j->checkpoints.seconds;
    t->rest = t->rest > 0.0 ? t->rest : 0.0;
    t->steps = rd_clock() - j->progress.begun - placed - t->waited - t->rest;
    rd_facts_add(&j->timing, "seconds_SETUP", t->setup);
    rd_facts_add(&j->timing, "seconds_STEPS", t->steps);
}

/* Completes the lineage up to a fault that ended all runs. Any other failure has been reported. */
static void complete_lineage(struct rd_job *j)
{
    struct rd_error ignored = {0};
    if (j->running.s && rd_batch_is_last(&j->batch))
        rd_recorder_last_lives(&j->recorder, &j->sim, &ignored);
    rd_error_free(&ignored);
}

/* Closes the result, whether the run was good or not. */
static bool close_result(struct rd_job *j, bool ok, struct rd_error *e)
{
    if (!ok)
        complete_lineage(j);
    ok = rd_recorder_end(&j->recorder, e) && ok;
    if (j->share)
        return ok;
    rd_signals_suspend(); /* only the result is left to be closed */
    rd_progress_end(&j->progress);
    j->is_stopped = !isnan(j->stopped);
    rd_facts_timing(&j->timing, &j->sim, &j->recorder);
    take_times(j);
    rd_facts_add(&j->timing, "seconds_CHECKPOINT", j->checkpoints.seconds);
    if (j->is_stopped)
        rd_facts_add(&j->timing, "stopped_at", j->stopped);
    rd_faults_date(&j->sim, j->recorder.n_written);
    ok = rd_store_faulted(j->recorder.store, j->sim.faulted, j->sim.n_faulted, e) && ok;
    const char *const state = !ok                    ? "failed"
                              : j->is_stopped        ? "interrupted"
                              : j->sim.n_faulted > 0 ? "faulted"
                                                     : "complete";
    ok = rd_store_close(j->recorder.store, state, j->timing.fact, j->timing.n, e) && ok;
    return ok || (j->checkpoints.can_resume && rd_store_state(j->setup.model.file).can_resume &&
                  rd_fail(e,
                          "%s: has a checkpoint; correct the error, and continue with the same "
                          "command and --resume",
                          j->setup.model.file));
}

/* Warns about the first three faulted runs. */
static void warn_of_faults(const struct rd_job *j)
{
    enum { REPORTED = 3 };
    const struct rd_sim *const s = &j->sim;
    const struct rd_model *const m = &j->setup.model;
    struct rd_error reported = {0};
    for (int64_t i = 0; i < s->n_faulted && i < REPORTED; i++)
        rd_fail(&reported, "%s", s->faulted[i].text);
    if (s->n_faulted > 0)
        rd_fail(
            &reported,
            "%lld of %lld runs faulted and are missing in later snapshots%s%s%s; repeat the first "
            "with --seed %llu --runs 1 --set run.first=%lld",
            (long long)s->n_faulted, (long long)m->n_runs, j->is_trial ? "" : " (",
            j->is_trial ? "" : m->file, j->is_trial ? "" : " has each message)",
            (unsigned long long)m->seed, (long long)s->faulted[0].run);
    j->warn(j->warn_to, &reported);
    rd_error_free(&reported);
}

/* Installs the signal handlers before files are made, so that a signal leaves none behind. */
static void install_job_handlers(const struct rd_job *j)
{
    const struct rd_signals_options options = {.grace = j->options->grace,
                                               .path = j->setup.model.file,
                                               .is_trial = j->is_trial,
                                               .clean = j->is_trial ? rd_store_remove : NULL};
    rd_signals_listen(&options);
}

/* Does everything before the first step. Returns false with a message if it is refused. */
static bool begin_job(struct rd_job *j, struct rd_error *e)
{
    const struct rd_options *const o = j->options;
    const int before = e->n;
    bool ok = (j->setup.config || rd_setup_make(&j->setup, o, j->text, e)) && has_name(j, e) &&
              rd_job_edits_read(j, e);
    if (ok && o->resume && !j->share)
        rd_earlier_result_look(j, e);
    ok = ok && e->n == before;
    if (ok && j->past == RD_PAST_WHOLE) {
        j->is_over = true;
        return rd_earlier_result_check(j, e);
    }
    if (ok) {
        rd_setup_warn_of_step(&j->setup);
        j->warn(j->warn_to, &j->setup.model.warnings);
    }
    if (ok && !j->is_embedded && !j->share)
        install_job_handlers(j);
    ok = ok && prepare_job(j, e);
    e->wrong = !ok; /* nothing has run yet */
    j->is_open = ok;
    return ok;
}

bool rd_job_begin(struct rd_job *j, struct rd_error *e)
{
    j->began = rd_clock();
    j->stopped = NAN;
    j->pause.step = INT64_MAX;
    if (!begin_job(j, e) || j->is_over)
        return j->is_over && e->n == 0;
    j->progress = rd_progress_begin(j->options->progress, j->setup.model.end,
                                    j->setup.forecast.n_steps * rd_batch_own_count(&j->batch));
    j->first_batch = rd_batch_own_index(&j->batch);
    j->is_failed = !open_run(j, e) || (j->running.is_over && !end_batch(j, e));
    return !j->is_failed;
}

bool rd_job_advance(struct rd_job *j, struct rd_error *e)
{
    if (j->is_failed || j->is_over)
        return rd_fail(e, "%s: the run is over; begin it anew", j->setup.model.file);
    const struct rd_running *const r = &j->running;
    j->is_failed = !rd_job_edits_replay(j, e) || !rd_run_advance(&j->running, e) ||
                   ((r->is_over || !isnan(r->stopped)) && !end_batch(j, e));
    return !j->is_failed;
}

bool rd_job_finish_steps(struct rd_job *j, struct rd_error *e)
{
    const bool ok = rd_run_finish_steps(&j->running, e);
    j->is_failed = j->is_failed || !ok;
    return ok;
}

bool rd_job_save(struct rd_job *j, struct rd_error *e)
{
    const char *const file = j->setup.model.file;
    if (!j->is_open || j->is_failed || j->is_over)
        return rd_fail(e, "%s: the run is over; a checkpoint is of a run that goes on", file);
    j->is_failed = !rd_run_save(&j->running, e);
    return !j->is_failed &&
           (j->checkpoints.is_saved ||
            rd_fail(e, "%s: no checkpoint can be written; see the warning about it", file));
}

bool rd_job_end(struct rd_job *j, struct rd_error *e)
{
    if (!j->is_open)
        return true;
    const bool is_right = j->is_over || rd_job_finish_steps(j, e);
    if (j->is_midway && !j->is_over && !j->is_failed && !j->is_trial)
        j->is_failed = !rd_run_save(&j->running, e);
    j->is_open = false;
    if (!j->is_over && !j->is_failed) /* the caller ends it early */
        j->stopped = rd_run_time(&j->running);
    const bool good = close_result(j, !j->is_failed, e);
    if (good && !j->is_failed)
        warn_of_faults(j);
    return good && is_right;
}

bool rd_job_run(struct rd_job *j, struct rd_error *e)
{
    bool ok = rd_job_begin(j, e);
    while (ok && !j->is_over)
        ok = rd_job_advance(j, e);
    return rd_job_end(j, e) && ok;
}

void rd_job_close(struct rd_job *j)
{
    rd_batch_file *const batch_file = j->recorder.batch_file;
    rd_device_shares_end(&j->shares);
    rd_recorder_close(&j->recorder, &j->sim); /* the writer may still use the batch file */
    rd_batch_file_close(batch_file);
    rd_checkpoints_close(&j->checkpoints);
    rd_run_close(&j->running);
    close_sim(j);
    rd_error_free(&j->batch.out);
    rd_edits_free(&j->edits, &j->setup.model);
    rd_setup_free(&j->setup);
    rd_shared_text_close(j->journal);
    free(j->effective);
    free(j->inputs);
    free(j->command);
}
