/* run - a whole simulation: events and outputs at their times, and the steps between them. */
#include "run/running.h"

#include "base/clock.h"
#include "kernels/core/rng.h"
#include "plan/step_limit.h"
#include "plan/timeline.h"
#include "sim/faults.h"
#include "sim/rows.h"
#include "sim/step.h"
#include "sim/verify.h"

#include <math.h>
#include <stdlib.h>

/* Sets the most steps between two checks for faults; there is also a check at the end of each
   stretch. The larger number holds if no capacity is reserved for the steps and they take less than
   `quick` seconds. */
enum { STEPS_UNCHECKED = 64, QUICK_STEPS_UNCHECKED = 512 };
static const double quick = 0.01;

/* Sets the most seconds between two checks, unless one step takes longer: a run stops only at a
   check. */
static const double slow = 0.5;

/* Makes the tables for the stretch's length of the step, unless they are present. */
static bool prepare_tables(struct rd_running *r)
{
    const struct rd_stretch *const stretch = &r->now.stretch;
    if (stretch->n_steps - r->now.n_done > RD_STEP_END - (int64_t)r->s->step_clock.step)
        return rd_fail(r->e,
                       "the run has more than %lld steps of at most %g; set a longer time.step",
                       (long long)RD_STEP_END, r->longest);
    if (r->p->step == stretch->step)
        return true;
    return rd_plan_step(r->p, stretch->step, r->e) && rd_sim_take(r->s, r->e);
}

double rd_run_time(const struct rd_running *r)
{
    return r->is_within ? rd_stretch_time(&r->now.stretch, r->now.n_done) : r->now.t.now;
}

static enum rd_run_request request_of(const struct rd_running *r)
{
    const struct rd_watch *const watch = &r->watch;
    return watch->go_on ? watch->go_on(watch->go_on_to, rd_run_time(r), r->s->step_clock.step)
                        : RD_GO_ON;
}

/* Stores the lineage before the next snapshot if there is much of it. */
static bool store_lives(struct rd_running *r)
{
    return r->s->n_lives < RD_LIVES_WAITING || !r->watch.live ||
           r->watch.live(r->watch.record_to, r->s, r->e);
}

/* Returns whether no step is done again after a pause: at most passes are counted again. */
static bool repeats_nothing(const struct rd_sim *s)
{
    return s->world.lists.n_list == 0 && s->world.movement.n_substep == 0;
}

/* Returns whether no step between two checks can pause for lack of memory. */
static bool is_plain(const struct rd_sim *s)
{
    return repeats_nothing(s) && !rd_rows_exist(s);
}

/* Notes the wall time of a step; `steps` of them are complete. */
static void note_wall_time(struct rd_running *r, int64_t steps)
{
    const double now = rd_clock();
    r->check_seconds = now - r->last_check;
    r->s->step_seconds = r->check_seconds / (double)steps;
    r->last_check = now;
}

/* Returns the number of steps until the next check. */
static int64_t next_check_interval(const struct rd_running *r, int64_t steps, bool was_rolled_back)
{
    const int64_t n = r->check_interval;
    if (r->check_seconds > slow)
        return n / 2 > 0 ? n / 2 : 1;
    if (was_rolled_back || (n > STEPS_UNCHECKED && r->check_seconds > quick))
        return n / 2 + 1;
    if (n < STEPS_UNCHECKED)
        return r->check_seconds < quick / 2.0 && 2 * n <= STEPS_UNCHECKED ? 2 * n : n + 1;
    return repeats_nothing(r->s) && steps >= n && r->check_seconds < quick / 2.0 &&
                   n < QUICK_STEPS_UNCHECKED
               ? 2 * n
               : n;
}

/* Checks the steps since the last check for faults. After a rollback, sets the position back to the
   step that is repeated. The repeated work grows with the time between checks, which is therefore
   halved. */
static bool check_faults(struct rd_running *r)
{
    const uint32_t step = r->s->step_clock.step;
    const int64_t steps = r->n_unchecked;
    r->n_unchecked = 0;
    if (!rd_sim_check(r->s, r->e))
        return false;
    const uint32_t back = step - r->s->step_clock.step;
    r->now.n_done -= back;
    if (!r->s->backend->shares_host_memory)
        note_wall_time(r, steps);
    r->check_interval = next_check_interval(r, steps, back > 0);
    return back > 0 || !r->s->is_verified || rd_verify(r->s, r->e);
}

bool rd_run_finish_steps(struct rd_running *r, struct rd_error *e)
{
    if (r->n_unchecked == 0 || r->is_broken)
        return true;
    r->e = e;
    r->last_check = rd_clock() - r->unchecked_seconds;
    r->is_broken = !check_faults(r);
    return !r->is_broken;
}

/* Saves the present state. Between two stretches, the position has the time alone. */
static bool save_state(struct rd_running *r)
{
    struct rd_run_position here = r->now;
    if (!rd_run_finish_steps(r, r->e))
        return false;
    if (!r->is_within) {
        here.stretch = (struct rd_stretch){.from = here.t.now, .to = here.t.now};
        here.n_done = 0;
    }
    return !r->watch.save || r->watch.save(r->watch.save_to, r->s, &here, r->e);
}

/* Fulfils a request. Returns false if the run does not go on. */
static bool fulfil(struct rd_running *r, enum rd_run_request request)
{
    if (request == RD_GO_ON)
        return true;
    r->is_paused = request == RD_PAUSE;
    if (r->is_paused)
        return true;
    if (!save_state(r))
        return false;
    if (request == RD_STOP)
        r->stopped = rd_run_time(r);
    return request != RD_STOP;
}

/* Counts the steps of the stretch without doing them, if all runs are frozen. */
static bool skip_stretch(struct rd_running *r)
{
    r->s->step_clock.step += (uint32_t)(r->now.stretch.n_steps - r->now.n_done);
    r->now.n_done = r->now.stretch.n_steps;
    return fulfil(r, request_of(r));
}

static bool are_all_frozen(struct rd_running *r)
{
    const int64_t n_runs = r->s->world.lattice.n_runs;
    int64_t n = 0;
    uint8_t *frozen = NULL;
    if (rd_sim_frozen(r->s, &frozen, r->e))
        while (frozen && n < n_runs && frozen[n])
            n++;
    free(frozen);
    return n == n_runs;
}

/* Sets the least steps since the last check after which a pause need not wait for a device. */
enum { STEPS_LATER = 16 };

/* Returns whether the run can pause before its steps are complete. */
static bool can_pause_early(const struct rd_running *r)
{
    return is_plain(r->s) && !r->s->exact && r->n_unchecked >= STEPS_LATER;
}

/* Pauses before the steps are complete, which the next call that needs them checks. */
static void pause_early(struct rd_running *r)
{
    r->is_paused = true;
    r->unchecked_seconds = rd_clock() - r->last_check;
}

/* Runs to the end of the stretch, or until the run pauses. */
static bool run_stretch(struct rd_running *r)
{
    const struct rd_stretch *const stretch = &r->now.stretch;
    if (!prepare_tables(r))
        return false;
    if (r->p->model->stops_at_steps)
        rd_step_stop(r->s, rd_run_time(r));
    if (are_all_frozen(r))
        return skip_stretch(r);
    rd_sim_mark(r->s);
    const bool shares_host_memory = r->s->backend->shares_host_memory,
               each = r->s->is_verified || shares_host_memory || r->p->model->n_conditions > 0;
    r->last_check = rd_clock() - (r->n_unchecked > 0 ? r->unchecked_seconds : 0.0);
    while (r->now.n_done < stretch->n_steps && !r->is_paused) {
        rd_step(r->s, stretch, r->now.n_done++);
        r->n_unchecked++;
        if (shares_host_memory) /* else a step is complete only after a check */
            note_wall_time(r, 1);
        const int64_t n_done = r->now.n_done;
        const enum rd_run_request request = request_of(r);
        const bool is_due = each || r->n_unchecked >= r->check_interval ||
                            n_done == stretch->n_steps ||
                            (request != RD_GO_ON && !(request == RD_PAUSE && can_pause_early(r)));
        if (!is_due && request == RD_PAUSE)
            pause_early(r);
        if (!is_due || rd_sim_is_done(r->s))
            continue;
        if (!check_faults(r) || !store_lives(r))
            return false;
        const bool is_back = r->now.n_done < n_done; /* what was requested is requested again */
        if (!is_back && (!rd_running_conditions(r, n_done - 1) || !fulfil(r, request)))
            return false;
        r->last_check = rd_clock();
    }
    return true;
}

/* Does the events and outputs that are due now. */
static bool do_due(struct rd_running *r)
{
    if (!rd_running_events(r))
        return false;
    while (rd_timeline_output(&r->now.t)) {
        rd_step_stop(r->s, r->now.t.now);
        if (!r->watch.record(r->watch.record_to, r->s, r->now.t.now, r->e))
            return false;
    }
    r->is_over = rd_timeline_is_over(&r->now.t);
    r->is_paused = r->is_paused || rd_timeline_control(&r->now.t);
    return true;
}

/* Begins the next stretch if none has begun, and runs it. */
static bool run_on(struct rd_running *r)
{
    if (!r->is_within) {
        rd_timeline_next(&r->now.t, r->longest, &r->now.stretch);
        r->now.n_done = 0;
        r->is_within = true;
    }
    if (!run_stretch(r))
        return false;
    r->is_within = r->now.n_done < r->now.stretch.n_steps;
    return r->is_within || do_due(r);
}

/* Saves the state before a paused run goes on, if that is due: at a pause it is not saved, since
   the caller may edit it. */
static bool leave_pause(struct rd_running *r)
{
    const bool is_due = r->is_paused && !r->is_over && r->s->step_clock.step > 0;
    const enum rd_run_request request = is_due ? request_of(r) : RD_GO_ON;
    const bool ok = request == RD_PAUSE || fulfil(r, request);
    r->is_paused = false;
    return ok;
}

bool rd_run_save(struct rd_running *r, struct rd_error *e)
{
    r->e = e;
    return save_state(r);
}

bool rd_run_advance(struct rd_running *r, struct rd_error *e)
{
    bool ok = !r->is_broken || rd_fail(e, "the run ended with a failure; begin it anew");
    r->e = e;
    ok = ok && leave_pause(r);
    while (ok && !r->is_paused && !r->is_over)
        ok = run_on(r);
    r->is_broken = !ok && isnan(r->stopped);
    return !r->is_broken;
}

/* Begins at the start, or at a saved state. */
static bool begin_run(struct rd_running *r)
{
    const struct rd_watch *const watch = &r->watch;
    if (!watch->load)
        return rd_running_rates(r) && rd_running_start(r) && do_due(r);
    r->s->is_begun = true;
    if (!watch->load(watch->save_to, r->s, &r->now, r->e))
        return false;
    r->is_within = r->now.n_done > 0;
    r->is_over = !r->is_within && rd_timeline_is_over(&r->now.t);
    return rd_running_rates(r);
}

bool rd_run_open(struct rd_running *r, struct rd_plan *p, struct rd_sim *s,
                 const struct rd_watch *watch, struct rd_error *e)
{
    const struct rd_model *const m = p->model;
    *r = (struct rd_running){
        .p = p, .s = s, .watch = *watch, .stopped = NAN, .check_interval = 1, .e = e};
    r->now.value = rd_parameters_copy(m, m->value, e);
    return r->now.value && rd_timeline_open(&r->now.t, m, e) && begin_run(r);
}

void rd_run_close(struct rd_running *r)
{
    rd_timeline_close(&r->now.t);
    free(r->now.value);
    free(r->mirror);
    *r = (struct rd_running){0};
}

bool rd_run(struct rd_plan *p, struct rd_sim *s, const struct rd_watch *watch, double *stopped,
            struct rd_error *e)
{
    struct rd_running r;
    bool ok = rd_run_open(&r, p, s, watch, e);
    while (ok && !r.is_over && isnan(r.stopped))
        ok = rd_run_advance(&r, e);
    *stopped = r.stopped;
    rd_run_close(&r);
    return ok;
}
