/* job_edits - edits that a program makes while a simulation goes on: the journal, and its
   repetition by `rdsim again`. */
#include "app/job_edits.h"

#include "base/text.h"
#include "kernels/core/lattice.h"

#include <inttypes.h>
#include <stdlib.h>

/* Marks the runs of the batch that the edit leaves as they are; NULL if there are none. The caller
   frees it. */
static uint8_t *runs_left_out(const struct rd_job *j, const struct rd_edit *x)
{
    const struct rd_lattice *const l = &j->sim.world.lattice;
    uint8_t *const is_out = x->run < 0 ? NULL : malloc((size_t)l->n_runs);
    for (int64_t run = 0; is_out && run < l->n_runs; run++)
        is_out[run] = rd_run_number(l, run) != x->run;
    return is_out;
}

static bool apply_edit(struct rd_job *j, const struct rd_edit *x, struct rd_error *e)
{
    uint8_t *const is_out = runs_left_out(j, x);
    const bool ok = x->run < 0 || is_out ? rd_run_edit(&j->running, &x->event, is_out, e)
                                         : rd_fail(e, "out of memory for an edit");
    free(is_out);
    return ok;
}

bool rd_job_edits_replay(struct rd_job *j, struct rd_error *e)
{
    const struct rd_edits *const all = &j->edits;
    const uint32_t now = j->sim.step_clock.step;
    while (j->n_replayed < all->n && all->edit[j->n_replayed].step <= now)
        if (!apply_edit(j, &all->edit[j->n_replayed++], e))
            return false;
    j->pause.step = j->n_replayed < all->n ? all->edit[j->n_replayed].step : INT64_MAX;
    return true;
}

static bool read_edits(struct rd_job *j, const char *name, const char *text, struct rd_edits *x,
                       struct rd_error *e)
{
    rd_config *journal = NULL;
    const bool ok = rd_config_parse_journal(&journal, name, text, e) &&
                    rd_edits_read(x, &j->setup.model, journal, e);
    rd_config_free(journal);
    return ok;
}

bool rd_job_edits_read(struct rd_job *j, struct rd_error *e)
{
    return !j->edits_text || !*j->edits_text ||
           read_edits(j, "journal", j->edits_text, &j->edits, e);
}

/* Adds the entry of an edit, with its place in the run, to the journal. */
static bool note_edit(struct rd_job *j, const char *text, struct rd_error *e)
{
    char time[RD_NUMBER_BYTES];
    rd_number_write(rd_run_time(&j->running), time);
    if (!j->journal)
        return true;
    char *const entry = rd_text_format("%s\n  { step = %" PRIu32 "L; time = %s; %s }",
                                       rd_shared_text_is_empty(j->journal) ? "" : ",",
                                       j->sim.step_clock.step, time, text);
    const bool ok = entry && rd_shared_text_add(j->journal, entry);
    free(entry);
    return ok || rd_fail(e, "out of memory for the journal");
}

bool rd_job_edit(struct rd_job *j, const char *text, struct rd_error *e)
{
    struct rd_edits x = {0};
    if (j->is_failed || j->is_over || !j->is_open)
        return rd_fail(e, "edit: the run is over; edit it before its end");
    char *const whole = rd_text_format("edits = ( { %s } );", text);
    bool ok = whole ? read_edits(j, "edit", whole, &x, e) : rd_fail(e, "out of memory for an edit");
    ok = ok && apply_edit(j, &x.edit[0], e) && note_edit(j, text, e);
    j->is_failed = j->running.is_broken;
    rd_edits_free(&x, &j->setup.model);
    free(whole);
    return ok;
}
