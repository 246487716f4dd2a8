/* measure - times the stretches between a run's outputs, by the clock and by the run's own
   timers. */
#define _POSIX_C_SOURCE 200809L
#include "bench/measure.h"

#include "base/clock.h"
#include "record/record.h"
#include "run/checkpoint.h"
#include "run/run.h"
#include "sim/rows.h"

#ifdef __linux__
#include <malloc.h>
#endif
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* Holds the state of a run while it is measured. */
struct measured_run {
    const struct rd_measure_of *of;
    struct rd_measure *m;
    struct rd_recorder recorder;
    struct rd_host_counts start; /* initial counts */
    double taken;                /* memory taken before the run */
    int n_outputs;
    uint32_t step; /* at the last output */
    double time;   /* of the last output */
    double began;  /* clock when the run continued after it */
    double measured;
    double fired, pass[RD_N_TIMES]; /* totals up to the start of the present part */
    bool by_parts, is_over;
};

/* Returns the bytes of memory taken: on the GPU by all programs (as minus the free bytes), on the
   host by this process. */
static double memory_taken(const struct rd_measure_of *of)
{
    if (of->backend != &rd_backend_cpu)
        return -(double)of->backend->memory(of->machine);
#ifdef __GLIBC__
    malloc_trim(0); /* returns freed memory to the system */
#endif
    FILE *const file = fopen("/proc/self/statm", "r");
    long long all = 0, resident = 0;
    const bool ok = file && fscanf(file, "%lld %lld", &all, &resident) == 2;
    if (file)
        fclose(file);
    return ok ? (double)resident * (double)sysconf(_SC_PAGESIZE) : 0.0;
}

/* Stores the initial counts at the first call, restores them later. */
static bool start_over(struct measured_run *c, struct rd_sim *s, struct rd_error *e)
{
    if (!c->of->starts_over)
        return true;
    if (c->start.plan)
        return rd_host_counts_put(&c->start, s, e);
    return rd_host_counts_open(&c->start, s->plan, NULL, e) && rd_host_counts_get(&c->start, s, e);
}

/* Sums up the molecules in arrays on the machine. */
static bool sum_arrays(struct rd_sim *s, int64_t *sum, struct rd_error *e)
{
    int64_t *const there = s->backend->alloc(s->machine, sizeof *sum, e);
    if (!there)
        return false;
    s->backend->sum(s->machine, there, s->world.counts.count, 1, s->world.counts.n_count);
    const bool ok = s->backend->get(s->machine, sum, there, sizeof *sum, e);
    s->backend->free(s->machine, there);
    return ok;
}

/* Sums up the molecules of all species, of which some are in rows. */
static bool sum_species(struct rd_sim *s, int64_t *sum, struct rd_error *e)
{
    const int64_t n = s->world.counts.n_species * s->world.lattice.n_runs;
    uint64_t *const total = malloc((size_t)n * sizeof *total);
    const bool ok = total ? rd_host_counts_totals(s, total, e)
                          : rd_fail(e, "out of memory for the numbers of molecules");
    for (int64_t i = 0; ok && i < n; i++)
        *sum += (int64_t)total[i];
    free(total);
    return ok;
}

static bool sum_molecules(struct measured_run *c, struct rd_sim *s, struct rd_error *e)
{
    int64_t sum = 0;
    const bool ok = rd_rows_exist(s) ? sum_species(s, &sum, e) : sum_arrays(s, &sum, e);
    c->m->molecules = (double)sum;
    return ok;
}

/* Sums up the reactions since the start. */
static bool sum_fired(const struct rd_sim *s, double *sum, struct rd_error *e)
{
    const size_t n = (size_t)s->world.counts.n_fired;
    int64_t *const fired = malloc(n * sizeof *fired + 1);
    if (!fired)
        return rd_fail(e, "out of memory for the numbers of reactions");
    const bool ok = s->backend->get(s->machine, fired, s->world.counts.fired, n * sizeof *fired, e);
    *sum = 0.0;
    for (size_t i = 0; ok && i < n; i++)
        *sum += (double)fired[i];
    free(fired);
    return ok;
}

/* Reads memory, molecules and reactions at the end of the warm-up. */
static bool read_warm_up(struct measured_run *c, struct rd_sim *s, struct rd_error *e)
{
    c->m->bytes = memory_taken(c->of) - c->taken;
    return sum_molecules(c, s, e) && sum_fired(s, &c->fired, e);
}

static void end_parts(struct measured_run *c, const struct rd_sim *s)
{
    for (int i = 0; i < RD_N_TIMES; i++)
        c->m->pass[i] = (s->seconds[i] - c->pass[i]) / (double)c->m->steps;
    c->is_over = true;
}

/* Ends the repeats; if by_parts is set, one more repeat times the parts of a step. */
static bool end_repeats(struct measured_run *c, struct rd_sim *s, struct rd_error *e)
{
    const double before = c->fired;
    if (!sum_fired(s, &c->fired, e))
        return false;
    c->m->fired = (c->fired - before) / (double)(c->m->steps * c->m->seconds.n);
    c->is_over = !c->of->by_parts;
    c->by_parts = c->of->by_parts;
    s->is_timed = s->is_timed || c->by_parts;
    memcpy(c->pass, s->seconds, sizeof c->pass);
    return true;
}

static bool end_stretch(struct measured_run *c, struct rd_sim *s, double time, double seconds,
                        struct rd_error *e)
{
    struct rd_measure *const m = c->m;
    m->steps = (int64_t)s->step_clock.step - c->step;
    m->time = time - c->time;
    if (c->n_outputs == 1)
        return read_warm_up(c, s, e);
    if (c->by_parts) {
        end_parts(c, s);
        return true;
    }
    rd_sample_add(&m->seconds, seconds / (double)m->steps);
    c->measured += seconds;
    if (m->seconds.n < c->of->least || (m->seconds.n < c->of->most && c->measured < c->of->seconds))
        return true;
    return end_repeats(c, s, e);
}

/* Implements rd_record: ends a stretch, and begins the next one as its last action. */
static bool record_stretch(void *to, struct rd_sim *s, double time, struct rd_error *e)
{
    struct measured_run *const c = to;
    if (c->is_over)
        return true;
    if (!s->backend->sync(s->machine, e))
        return false;
    const double now = rd_clock();
    if (c->of->file && !rd_recorder_take(&c->recorder, s, time, e))
        return false;
    if (c->of->file && c->n_outputs > 1)
        rd_sample_add(&c->m->recording, rd_clock() - now);
    if (c->n_outputs > 0 && !end_stretch(c, s, time, now - c->began, e))
        return false;
    c->n_outputs++;
    c->step = s->step_clock.step;
    c->time = time;
    if (!start_over(c, s, e))
        return false;
    c->began = rd_clock();
    return true;
}

static enum rd_run_request request_next_step(void *to, double time, int64_t n_steps)
{
    const struct measured_run *const c = to;
    (void)time;
    (void)n_steps;
    return c->is_over ? RD_STOP : c->of->checkpoint_file ? RD_SAVE : RD_GO_ON;
}

static bool save_nothing(void *to, struct rd_sim *s, struct rd_run_position *now,
                         struct rd_error *e)
{
    struct measured_run *const c = to;
    char temporary[1024];
    struct rd_checkpoint_file t;
    snprintf(temporary, sizeof temporary, "%s.temporary", c->of->checkpoint_file);
    if (!s->backend->sync(s->machine, e))
        return false;
    const double begin = rd_clock();
    const bool ok = rd_checkpoint_file_create(&t, temporary, c->of->checkpoint_file, e) &&
                    rd_checkpoint_file_close(&t, rd_checkpoint_pass(&t, s, now, e));
    rd_sample_add(&c->m->saving, rd_clock() - begin);
    return ok;
}

static bool open_file(struct measured_run *c, const struct rd_sim *s, const struct rd_model *m,
                      const rd_config *config, struct rd_error *e)
{
    if (!c->of->file)
        return true;
    const struct rd_record_of record_of = {.model = m,
                                           .config_name = rd_config_name(config),
                                           .config_text = rd_config_text(config),
                                           .effective = "",
                                           .has_entered = s->plan->has_entered,
                                           .has_counts =
                                               rd_model_recorded(m, RD_ALL_DUE, false).has_voxels};
    return rd_recorder_open(&c->recorder, s, RD_AS_DUE, e) &&
           rd_store_open(&c->recorder.store, c->of->file, true, &record_of, e);
}

/* Waits for unwritten data, which is a part of recording, and closes the file. */
static bool close_file(struct measured_run *c, const struct rd_sim *s, bool is_well,
                       struct rd_error *e)
{
    bool ok = true;
    if (c->recorder.store) {
        const double begin = rd_clock();
        ok = rd_recorder_end(&c->recorder, e);
        c->m->last_recording = rd_clock() - begin;
        ok = rd_store_close(c->recorder.store, is_well && ok ? "complete" : "failed", NULL, 0, e) &&
             ok;
        c->recorder.store = NULL;
    }
    rd_recorder_close(&c->recorder, s);
    return ok;
}

/* Opens and runs the simulation. If it does not fit on the machine, m->why has the reason. */
static bool run_measured(struct measured_run *c, struct rd_plan *plan, const rd_config *config,
                         struct rd_error *e)
{
    struct rd_sim sim = {0};
    double stopped;
    const struct rd_watch watch = {.record = record_stretch,
                                   .record_to = c,
                                   .go_on = request_next_step,
                                   .go_on_to = c,
                                   .save = c->of->checkpoint_file ? save_nothing : NULL,
                                   .save_to = c};
    c->taken = memory_taken(c->of);
    c->m->has_run = rd_sim_open(&sim, plan, &c->of->on, &c->m->why);
    bool ok = !c->m->has_run || (open_file(c, &sim, plan->model, config, e) &&
                                 rd_run(plan, &sim, &watch, &stopped, e));
    ok = close_file(c, &sim, ok, e) && ok;
    rd_sim_close(&sim);
    return ok;
}

bool rd_measure(struct rd_measure *m, const struct rd_measure_of *of, struct rd_error *e)
{
    *m = (struct rd_measure){0};
    struct measured_run c = {.of = of, .m = m};
    rd_config *config = NULL;
    struct rd_model model = {0};
    struct rd_plan plan = {0};
    bool ok = (of->text ? rd_config_parse(&config, of->name, of->text, of->set, of->n_set, e)
                        : rd_config_read(&config, of->name, of->set, of->n_set, e)) &&
              rd_model_make(&model, config, e) && rd_plan_open(&plan, &model, e) &&
              rd_plan_rates(&plan, model.value, e);
    e->wrong = !ok; /* the command line can cause these errors */
    ok = ok && run_measured(&c, &plan, config, e);
    if (c.start.plan)
        rd_host_counts_close(&c.start);
    rd_plan_free(&plan);
    rd_model_free(&model);
    rd_config_free(config);
    return ok;
}
