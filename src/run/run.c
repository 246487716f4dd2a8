/* run - a whole simulation: events and outputs at their times, and the steps between them. */
#include "run/run.h"

#include "base/clock.h"
#include "kernels/core/rng.h"
#include "plan/step_limit.h"
#include "plan/timeline.h"
#include "sim/faults.h"
#include "sim/place.h"
#include "sim/place_individuals.h"
#include "sim/step.h"
#include "sim/verify.h"

#include <math.h>
#include <stdlib.h>

/* Most steps between two checks for faults; there is also a check at the end of each stretch. The
   larger number holds if no capacity is granted for the steps and they take less than `quick`
   seconds. */
enum { STEPS_UNCHECKED = 64, QUICK_STEPS_UNCHECKED = 512 };
static const double quick = 0.01;

/* Most seconds between two checks, unless one step takes longer: a run stops only at a check. */
static const double slow = 0.5;

struct running {
    struct rd_plan *p;
    struct rd_sim *s;
    const struct rd_watch *watch;
    struct rd_run_position now;
    double longest;         /* longest allowed step */
    double stopped;         /* time at which go_on stopped the run; NAN: not yet */
    int64_t check_interval; /* steps until the next check, if a check takes time */
    double last_check;      /* clock at the last check, or when steps began after it */
    double check_seconds;   /* seconds from then to the check */
    struct rd_error *e;
};

/* Computes the rates for new parameters. The next stretch makes new tables. */
static bool take_rates(struct running *r)
{
    if (!rd_plan_rates(r->p, r->now.value, r->e))
        return false;
    r->longest = rd_step_limit_of(r->p).step;
    r->p->step = 0.0;
    return true;
}

/* Restores the counts of runs in which the event was refused, and removes their placements. */
static bool take_back(struct running *r, struct rd_placements *placements, int32_t *count)
{
    const struct rd_world *const w = &r->s->world;
    const size_t bytes = (size_t)w->lattice.n_sites * sizeof *count;
    bool ok = true;
    for (int64_t i = 0; i < placements->n_refused; i++)
        for (int32_t k = 0; ok && k < w->counts.n_species; k++) {
            const int64_t at =
                k * w->lattice.n_voxels + placements->refused[i].run * w->lattice.n_sites;
            ok = r->s->backend->get(r->s->machine, count + at, w->counts.count + at, bytes, r->e);
        }
    rd_placements_clear_refused(placements, w->lattice.n_sites);
    return ok;
}

/* Applies the start or an event to the counts. */
static bool place(struct running *r, const struct rd_occasion *o, int32_t *count,
                  struct rd_placements *placements)
{
    const bool ok = o->event < 0 ? rd_place_start(r->p, o->value, count, placements, r->e)
                                 : rd_place_event(r->p, o, count, placements, r->e);
    return ok && rd_place_individuals_rehearse(r->s, placements, o, count, r->e) &&
           take_back(r, placements, count);
}

/* Reads the frozen runs, which take no part. In an ensemble, a run in which the event is impossible
   faults separately. */
static bool open_placements(struct running *r, struct rd_placements *placements)
{
    const size_t n = (size_t)r->s->world.lattice.n_runs;
    *placements = (struct rd_placements){.refuses = r->s->world.runs.faults_alone};
    if (!rd_sim_frozen(r->s, &placements->frozen, r->e))
        return false;
    if (!placements->frozen && placements->refuses)
        placements->frozen = calloc(n, sizeof *placements->frozen);
    return placements->frozen || !placements->refuses ||
           rd_fail(r->e, "out of memory for %zu runs", n);
}

/* Copies the counts from the machine, changes them, and copies them back. */
static bool change_counts(struct running *r, const struct rd_occasion *o)
{
    struct rd_sim *const s = r->s;
    struct rd_placements placements;
    int32_t *const count = calloc((size_t)s->world.counts.n_count, sizeof *count);
    if (!count)
        return rd_fail(r->e, "out of memory for the counts of %d species",
                       r->p->world.counts.n_species);
    bool ok =
        open_placements(r, &placements) && (o->event < 0 || rd_sim_get_counts(s, count, r->e));
    rd_sim_placed(s, count, -1);
    ok = ok && place(r, o, count, &placements);
    rd_sim_placed(s, count, 1);
    ok = ok && rd_place_individuals(s, &placements, o, count, r->e) &&
         rd_sim_put_counts(s, count, r->e) &&
         rd_faults_refused(s, &placements, r->now.t.now, r->e) &&
         (!s->is_verified || rd_verify(s, r->e));
    rd_placements_free(&placements);
    free(count);
    return ok;
}

/* Reads the present totals, [run][total]; the caller frees them. *total is NULL if there are none.
 */
static bool read_totals(struct running *r, int64_t **total)
{
    const struct rd_run_status *const runs = &r->s->world.runs;
    const size_t bytes = (size_t)runs->n_total * sizeof **total;
    *total = NULL;
    if (bytes == 0)
        return true;
    rd_step_totals(r->s);
    *total = malloc(bytes);
    return *total ? r->s->backend->get(r->s->machine, *total, runs->total, bytes, r->e)
                  : rd_fail(r->e, "out of memory for the totals of %lld runs",
                            (long long)r->s->world.lattice.n_runs);
}

static bool apply_event(struct running *r, int i)
{
    const struct rd_event *const event = &r->p->model->event[i];
    if (event->n_set > 0 &&
        !(rd_event_set(r->p->model, i, r->now.t.now, r->now.value, r->e) && take_rates(r)))
        return false;
    if (event->n_add + event->n_take == 0)
        return true;
    int64_t *total;
    bool ok = read_totals(r, &total);
    const struct rd_occasion o = {.event = i,
                                  .time = r->now.t.now,
                                  .step = r->s->step_clock.step,
                                  .value = r->now.value,
                                  .total = total,
                                  .n_totals = r->s->world.runs.n_total_of};
    ok = ok && change_counts(r, &o);
    free(total);
    return ok;
}

/* Places the initial molecules. If that is impossible in any run, the configuration is at fault,
   and e->wrong is set. */
static bool start(struct running *r)
{
    const struct rd_occasion o = {.event = -1, .time = r->now.t.now, .value = r->now.value};
    const bool ok =
        rd_sim_take(r->s, r->e) && rd_sim_begin_fields(r->s, r->e) && change_counts(r, &o);
    r->s->is_begun = true;
    r->e->wrong = !ok;
    return ok;
}

static bool apply_events(struct running *r)
{
    for (int i = 0; i < r->p->model->n_events; i++)
        while (rd_timeline_event(&r->now.t, i))
            if (!apply_event(r, i))
                return false;
    return true;
}

/* Makes the tables for the stretch's length of the step, unless they are present. */
static bool prepare(struct running *r)
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

static double time_of(const struct running *r)
{
    return rd_stretch_time(&r->now.stretch, r->now.n_done);
}

static enum rd_run_request request_of(const struct running *r)
{
    const struct rd_watch *const watch = r->watch;
    return watch->go_on ? watch->go_on(watch->go_on_to, time_of(r), r->s->step_clock.step)
                        : RD_GO_ON;
}

/* Fulfils a request. Returns false if the run does not go on. */
static bool fulfil(struct running *r, enum rd_run_request request)
{
    const struct rd_watch *const watch = r->watch;
    if (request == RD_GO_ON)
        return true;
    if (watch->save && !watch->save(watch->save_to, r->s, &r->now, r->e))
        return false;
    if (request == RD_STOP)
        r->stopped = time_of(r);
    return request != RD_STOP;
}

/* Stores the lineage before the next snapshot if there is much of it. */
static bool store_lives(struct running *r)
{
    return r->s->n_lives < RD_LIVES_WAITING || !r->watch->live ||
           r->watch->live(r->watch->record_to, r->s, r->e);
}

/* Returns whether nothing is granted for the steps between two checks. */
static bool is_plain(const struct rd_sim *s)
{
    return s->world.lists.n_list == 0 && s->world.movement.n_substep == 0;
}

/* Notes the wall time of a step; `steps` of them are complete. */
static void note_time(struct running *r, int64_t steps)
{
    const double now = rd_clock();
    r->check_seconds = now - r->last_check;
    r->s->step_seconds = r->check_seconds / (double)steps;
    r->last_check = now;
}

/* Returns the number of steps until the next check. */
static int64_t next_check_interval(const struct running *r, int64_t steps, bool was_rolled_back)
{
    const int64_t n = r->check_interval;
    if (r->check_seconds > slow)
        return n / 2 > 0 ? n / 2 : 1;
    if (was_rolled_back || (n > STEPS_UNCHECKED && r->check_seconds > quick))
        return n / 2 + 1;
    if (n < STEPS_UNCHECKED)
        return r->check_seconds < quick / 2.0 && 2 * n <= STEPS_UNCHECKED ? 2 * n : n + 1;
    return is_plain(r->s) && steps >= n && r->check_seconds < quick / 2.0 &&
                   n < QUICK_STEPS_UNCHECKED
               ? 2 * n
               : n;
}

/* Checks for faults after so many steps. After a rollback, sets the position back to the step that
   is repeated. The repeated work grows with the time between checks, which is therefore halved. */
static bool check_faults(struct running *r, int64_t steps)
{
    const uint32_t step = r->s->step_clock.step;
    if (!rd_sim_check(r->s, r->e))
        return false;
    const uint32_t back = step - r->s->step_clock.step;
    r->now.n_done -= back;
    if (!r->s->backend->shares_host_memory)
        note_time(r, steps);
    r->check_interval = next_check_interval(r, steps, back > 0);
    return back > 0 || !r->s->is_verified || rd_verify(r->s, r->e);
}

/* Counts the steps of the stretch without doing them, if all runs are frozen. */
static bool skip_stretch(struct running *r)
{
    r->s->step_clock.step += (uint32_t)(r->now.stretch.n_steps - r->now.n_done);
    r->now.n_done = r->now.stretch.n_steps;
    return fulfil(r, request_of(r));
}

static bool is_over(struct running *r)
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

static bool run_stretch(struct running *r)
{
    const struct rd_stretch *const stretch = &r->now.stretch;
    if (!prepare(r))
        return false;
    if (r->p->model->stops_at_steps)
        rd_step_stop(r->s, time_of(r));
    if (is_over(r))
        return skip_stretch(r);
    rd_sim_mark(r->s);
    const bool shares_host_memory = r->s->backend->shares_host_memory,
               each = r->s->is_verified || shares_host_memory;
    r->last_check = rd_clock();
    for (int64_t checked = r->now.n_done; r->now.n_done < stretch->n_steps;) {
        rd_step(r->s, stretch, r->now.n_done++);
        if (shares_host_memory) /* else a step is complete only after a check */
            note_time(r, 1);
        const int64_t n_done = r->now.n_done;
        const enum rd_run_request request = request_of(r);
        const bool is_due = each || request != RD_GO_ON || n_done - checked >= r->check_interval ||
                            n_done == stretch->n_steps;
        if (!is_due || rd_sim_is_done(r->s))
            continue;
        if (!check_faults(r, n_done - checked) || !store_lives(r))
            return false;
        checked = r->now.n_done;
        if (checked == n_done && !fulfil(r, request)) /* after a rollback it is requested again */
            return false;
        r->last_check = rd_clock();
    }
    return true;
}

static bool run_on(struct running *r)
{
    do {
        if (!apply_events(r))
            return false;
        while (rd_timeline_output(&r->now.t)) {
            rd_step_stop(r->s, r->now.t.now);
            if (!r->watch->record(r->watch->record_to, r->s, r->now.t.now, r->e))
                return false;
        }
        if (!rd_timeline_next(&r->now.t, r->longest, &r->now.stretch))
            return true;
        r->now.n_done = 0;
    } while (run_stretch(r));
    return false;
}

/* Begins at the start, or at a saved state. */
static bool begin(struct running *r)
{
    const struct rd_watch *const watch = r->watch;
    if (!watch->load)
        return take_rates(r) && start(r);
    r->s->is_begun = true;
    return watch->load(watch->save_to, r->s, &r->now, r->e) && take_rates(r) && run_stretch(r);
}

bool rd_run(struct rd_plan *p, struct rd_sim *s, const struct rd_watch *watch, double *stopped,
            struct rd_error *e)
{
    const struct rd_model *const m = p->model;
    struct running r = {
        .p = p, .s = s, .watch = watch, .stopped = NAN, .check_interval = 1, .e = e};
    r.now.value = rd_parameters_copy(m, m->value, e);
    const bool ok = r.now.value && rd_timeline_open(&r.now.t, m, e) &&
                    ((begin(&r) && run_on(&r)) || !isnan(r.stopped));
    *stopped = r.stopped;
    rd_timeline_close(&r.now.t);
    free(r.now.value);
    return ok;
}
