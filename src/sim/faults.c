/* faults - consequences of faults in passes: the end of the simulation, or of one run. */
#define _POSIX_C_SOURCE 200809L
#include "sim/faults.h"

#include "sim/rows.h"

#include "kernels/core/lattice.h"
#include "sim/fault_messages.h"

#include <stdlib.h>
#include <string.h>

static bool reset(struct rd_sim *s, struct rd_error *e)
{
    struct rd_fault fault[RD_N_FAULTS];
    for (int kind = 0; kind < RD_N_FAULTS; kind++)
        fault[kind] = (struct rd_fault){0, INT64_MAX};
    return s->backend->put(s->machine, s->world.runs.fault, fault, sizeof fault, e);
}

bool rd_faults_open(struct rd_sim *s, struct rd_error *e)
{
    const int64_t never = INT64_MAX;
    const struct rd_run_fault none = {never, never, never};
    const size_t n = (size_t)s->world.runs.n_run_fault;
    struct rd_run_fault *const run_fault = malloc(n * sizeof *run_fault + 1);
    for (size_t run = 0; run_fault && run < n; run++)
        run_fault[run] = none;
    const bool ok =
        (run_fault || rd_fail(e, "out of memory for %zu runs", n)) && reset(s, e) &&
        s->backend->put(s->machine, s->world.runs.first_faulting_pass, &never, sizeof never, e) &&
        s->backend->put(s->machine, s->world.runs.run_fault, run_fault, n * sizeof *run_fault, e);
    free(run_fault);
    return ok;
}

void rd_faults_close(struct rd_sim *s)
{
    for (int64_t i = 0; i < s->n_faulted; i++)
        free(s->faulted[i].text);
    free(s->faulted);
    s->faulted = NULL;
    s->n_faulted = 0;
}

static bool remember_fault(struct rd_sim *s, const struct rd_faulted *f, struct rd_error *e)
{
    struct rd_faulted *const more = realloc(s->faulted, ((size_t)s->n_faulted + 1) * sizeof *more);
    if (!more || !f->text) {
        s->faulted = more ? more : s->faulted;
        free(f->text);
        return rd_fail(e, "out of memory for the faults of %lld runs", (long long)s->n_faulted + 1);
    }
    s->faulted = more;
    s->faulted[s->n_faulted++] = *f;
    return true;
}

/* Records the fault of a run that the machine kept. */
static bool take_fault(struct rd_sim *s, int64_t run, const struct rd_run_fault *t,
                       struct rd_error *e)
{
    const struct rd_fault first = rd_run_fault_of(&s->world.lattice, run, t);
    const double until = rd_real_of((uint64_t)t->until);
    struct rd_error why = {0};
    rd_fault_message(s, rd_run_fault_kind(t), &first, until, &why);
    return remember_fault(
        s, &(struct rd_faulted){rd_run_number(&s->world.lattice, run), -1, until, why.text}, e);
}

/* Clears the counts and fields of a run, so that no pass finds an impossible state there. Leaves
   its individuals, since its lists are consistent. */
static bool clear_run(struct rd_sim *s, int64_t run, struct rd_error *e)
{
    const struct rd_world *const w = &s->world;
    const size_t sites = (size_t)w->lattice.n_sites;
    double *const nothing = calloc(sites, sizeof *nothing);
    bool ok = nothing || rd_fail(e, "out of memory for %zu voxels", sites);
    if (rd_rows_exist(s))
        ok = ok && rd_rows_clear(s, run, e);
    for (int64_t i = 0; ok && !rd_rows_exist(s) && i < w->counts.n_species; i++)
        ok = s->plan->list_of[i] >= 0 ||
             s->backend->put(s->machine,
                             w->counts.count + i * w->lattice.n_voxels + run * w->lattice.n_sites,
                             nothing, sites * sizeof *w->counts.count, e);
    for (int64_t i = 0; ok && i < w->fields.n_varying / w->lattice.n_voxels; i++)
        ok = s->backend->put(s->machine,
                             w->fields.varying + i * w->lattice.n_voxels + run * w->lattice.n_sites,
                             nothing, sites * sizeof *w->fields.varying, e);
    free(nothing);
    return ok;
}

/* Freezes the runs that faulted; allocates frozen[] first if no run could be frozen before. */
static bool mark_frozen(struct rd_sim *s, struct rd_error *e)
{
    struct rd_world *const w = &s->world;
    uint8_t *frozen;
    if (w->runs.n_frozen == 0) {
        s->backend->free(s->machine, w->runs.frozen);
        w->runs.frozen = s->backend->alloc(s->machine, (size_t)w->lattice.n_runs, e);
        w->runs.n_frozen = w->runs.frozen ? w->lattice.n_runs : 0;
    }
    if (w->runs.n_frozen == 0 || !rd_sim_frozen(s, &frozen, e))
        return false;
    bool ok = true;
    for (int64_t i = 0; ok && i < s->n_faulted; i++) {
        if (!rd_faults_is_here(w, &s->faulted[i]))
            continue;
        const int64_t run = s->faulted[i].run - rd_run_number(&w->lattice, 0);
        ok = frozen[run] == RD_FROZEN_FAULTED || clear_run(s, run, e);
        frozen[run] = RD_FROZEN_FAULTED;
    }
    ok = ok && s->backend->put(s->machine, w->runs.frozen, frozen, (size_t)w->runs.n_frozen, e);
    free(frozen);
    return ok;
}

/* Reads the first fault of each run. The caller frees it; NULL with a message on failure. */
static struct rd_run_fault *get_run_fault(const struct rd_sim *s, struct rd_error *e)
{
    const struct rd_world *const w = &s->world;
    const size_t bytes = (size_t)w->runs.n_run_fault * sizeof *w->runs.run_fault;
    struct rd_run_fault *const run_fault = malloc(bytes + 1);
    if (!run_fault)
        rd_fail(e, "out of memory for %lld runs", (long long)w->lattice.n_runs);
    if (run_fault && s->backend->get(s->machine, run_fault, w->runs.run_fault, bytes, e))
        return run_fault;
    free(run_fault);
    return NULL;
}

/* Records the runs with a fault that is not recorded yet, in the order of their numbers, and leaves
   those with a fault from pass `again` on to the next check. */
static bool record_faulted_runs(struct rd_sim *s, int64_t again, struct rd_error *e)
{
    struct rd_run_fault *const run_fault = get_run_fault(s, e);
    uint8_t *frozen = NULL;
    bool ok = run_fault && rd_sim_frozen(s, &frozen, e), are_all = true;
    for (int64_t run = 0; ok && run < s->world.runs.n_run_fault; run++) {
        const bool is_again = run_fault[run].since >= again && run_fault[run].since < INT64_MAX;
        are_all = are_all && !is_again;
        if (run_fault[run].since < again && !(frozen && frozen[run] == RD_FROZEN_FAULTED))
            ok = take_fault(s, run, &run_fault[run], e);
    }
    free(frozen);
    free(run_fault);
    return ok && mark_frozen(s, e) && (!are_all || reset(s, e));
}

bool rd_faults_is_here(const struct rd_world *w, const struct rd_faulted *f)
{
    const int64_t run = f->run - rd_run_number(&w->lattice, 0);
    return run >= 0 && run < w->lattice.n_runs;
}

void rd_faults_hand_on(struct rd_sim *next, struct rd_sim *before)
{
    next->faulted = before->faulted;
    next->n_faulted = before->n_faulted;
    before->faulted = NULL;
    before->n_faulted = 0;
}

/* Returns whether a run is left; if not, adds a message. A batch without runs left does not end the
   simulation. */
static bool is_any_left(const struct rd_sim *s, struct rd_error *e)
{
    return s->world.lattice.n_runs < s->plan->model->n_all ||
           s->n_faulted < s->world.lattice.n_runs ||
           rd_faulted_report_all(s->faulted, s->n_faulted, e);
}

bool rd_faults_refused(struct rd_sim *s, struct rd_placements *placements,
                       const struct rd_occasion *o, struct rd_error *e)
{
    bool ok = true;
    for (int64_t i = 0; ok && i < placements->n_refused; i++) {
        struct rd_refusal *const r = &placements->refused[i];
        const struct rd_faulted f = {rd_run_number(&s->world.lattice, r->run), -1,
                                     rd_occasion_time(o, r->run), r->text};
        r->text = NULL;
        ok = remember_fault(s, &f, e);
    }
    return ok && (placements->n_refused == 0 || (mark_frozen(s, e) && is_any_left(s, e)));
}

bool rd_faults_leave_out(struct rd_sim *s, int64_t first, int64_t n, const char *text,
                         struct rd_error *e)
{
    bool ok = true;
    for (int64_t run = first; ok && run < first + n; run++)
        ok = remember_fault(
            s, &(struct rd_faulted){rd_run_number(&s->world.lattice, run), -1, 0.0, strdup(text)},
            e);
    return ok && mark_frozen(s, e) && is_any_left(s, e);
}

bool rd_faults_end_run(struct rd_sim *s, int64_t run, double time, const char *text,
                       struct rd_error *e)
{
    if (!s->world.runs.faults_are_separate)
        return rd_fail(e, "%s", text);
    const int64_t number = rd_run_number(&s->world.lattice, run);
    return remember_fault(s, &(struct rd_faulted){number, -1, time, strdup(text)}, e) &&
           mark_frozen(s, e) && is_any_left(s, e);
}

/* Adds a message for each kind of fault in the first pass with a fault. Always returns false. */
static bool add_fault_messages(const struct rd_sim *s, const struct rd_fault *fault,
                               struct rd_error *e)
{
    const struct rd_world *const w = &s->world;
    struct rd_run_fault *const run_fault = get_run_fault(s, e);
    int64_t until = INT64_MAX;
    for (int64_t run = 0; run_fault && run < w->runs.n_run_fault; run++)
        until = run_fault[run].until < until ? run_fault[run].until : until;
    free(run_fault);
    const double before =
        until < INT64_MAX ? rd_real_of((uint64_t)until) : s->step_clock.time + w->pass.dt / 2.0;
    for (int kind = 0; kind < RD_N_FAULTS; kind++)
        if (fault[kind].number > 0)
            rd_fault_message(s, kind, &fault[kind], before, e);
    return false;
}

/* Reads the faults of each kind, and sets *exist to whether there are any. */
static bool get_faults(struct rd_sim *s, struct rd_fault *fault, bool *exist, struct rd_error *e)
{
    *exist = false;
    if (!s->backend->get(s->machine, fault, s->world.runs.fault, RD_N_FAULTS * sizeof *fault, e))
        return false;
    for (int kind = 0; kind < RD_N_FAULTS; kind++)
        *exist = *exist || fault[kind].number > 0;
    return true;
}

bool rd_faults_exist(struct rd_sim *s, bool *exist, struct rd_error *e)
{
    struct rd_fault fault[RD_N_FAULTS];
    return get_faults(s, fault, exist, e);
}

bool rd_faults_check(struct rd_sim *s, int64_t again, struct rd_error *e)
{
    struct rd_fault fault[RD_N_FAULTS];
    bool any;
    if (!get_faults(s, fault, &any, e))
        return false;
    if (!any)
        return true;
    if (s->world.runs.faults_are_separate)
        return record_faulted_runs(s, again, e) && is_any_left(s, e);
    return again < INT64_MAX ||
           add_fault_messages(s, fault, e); /* the repeated pass finds them again */
}

static int by_run(const void *a, const void *b)
{
    const struct rd_faulted *const x = a, *const y = b;
    return (x->run > y->run) - (x->run < y->run);
}

void rd_faults_date(struct rd_sim *s, int64_t n_times)
{
    bool any = false;
    for (int64_t i = 0; i < s->n_faulted; i++) {
        any = any || s->faulted[i].n_times < 0;
        if (s->faulted[i].n_times < 0)
            s->faulted[i].n_times = n_times;
    }
    if (any)
        qsort(s->faulted, (size_t)s->n_faulted, sizeof *s->faulted, by_run);
}

bool rd_faults_add(struct rd_sim *s, const struct rd_faulted *faulted, int64_t n,
                   struct rd_error *e)
{
    bool ok = true;
    for (int64_t i = 0; ok && i < n; i++) {
        struct rd_faulted f = faulted[i];
        f.text = strdup(f.text);
        ok = remember_fault(s, &f, e);
    }
    if (s->n_faulted > 0)
        qsort(s->faulted, (size_t)s->n_faulted, sizeof *s->faulted, by_run);
    return ok;
}

/* Writes one faulted run with its message to a checkpoint, or reads it. */
static bool pass_one(struct rd_sim *s, struct rd_checkpoint_file *t, int64_t i, struct rd_error *e)
{
    struct rd_faulted f = {0};
    if (!t->is_read)
        f = s->faulted[i];
    int64_t bytes = f.text ? (int64_t)strlen(f.text) : 0;
    if (!rd_checkpoint_file_record(t, "run", &f.run, sizeof f.run) ||
        !rd_checkpoint_file_record(t, "times", &f.n_times, sizeof f.n_times) ||
        !rd_checkpoint_file_record(t, "time", &f.time, sizeof f.time) ||
        !rd_checkpoint_file_begin(t, "message", &bytes))
        return false;
    if (!t->is_read)
        return rd_checkpoint_file_bytes(t, f.text, (size_t)bytes);
    const int64_t run = f.run - s->plan->model->first_of_all;
    if (run < 0 || run >= s->plan->model->n_all || bytes < 0 || bytes > t->length)
        return rd_checkpoint_file_refuse(t, "has a fault of a run that does not exist");
    f.text = calloc((size_t)bytes + 1, 1);
    return remember_fault(s, &f, e) && rd_checkpoint_file_bytes(t, f.text, (size_t)bytes);
}

bool rd_faults_pass(struct rd_sim *s, struct rd_checkpoint_file *t, struct rd_error *e)
{
    int64_t n = s->n_faulted;
    if (!rd_checkpoint_file_record(t, "faulted", &n, sizeof n))
        return false;
    if (n < 0 || n > s->plan->model->n_all)
        return rd_checkpoint_file_refuse(t, "has more faults than runs");
    for (int64_t i = 0; i < n; i++)
        if (!pass_one(s, t, i, e))
            return false;
    if (!t->is_read || n == 0)
        return true;
    return s->world.runs.faults_are_separate
               ? mark_frozen(s, e)
               : rd_fail(e, "%s; leave out --strict to continue the other runs",
                         s->faulted[0].text);
}
