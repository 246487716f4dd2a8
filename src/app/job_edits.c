/* job_edits - edits that a program makes while a simulation goes on: the journal, and its
   repetition by `rdsim again`. */
#include "app/job_edits.h"

#include "base/text.h"
#include "kernels/core/lattice.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

static bool read_edits(struct rd_job *j, const char *name, const char *text,
                       const struct rd_voxel_list *here, struct rd_edits *x, struct rd_error *e)
{
    rd_config *journal = NULL;
    const bool ok = rd_config_parse_journal(&journal, name, text, e) &&
                    rd_edits_read(x, &j->setup.model, journal, here, e);
    rd_config_free(journal);
    return ok;
}

bool rd_job_edits_read(struct rd_job *j, struct rd_error *e)
{
    return !j->edits_text || !*j->edits_text ||
           read_edits(j, "journal", j->edits_text, NULL, &j->edits, e);
}

/* Adds the entry of an edit, which begins with its place in the run, to the journal. */
static bool note_edit(struct rd_job *j, const char *place, const char *text,
                      const struct rd_voxel_list *here, struct rd_error *e)
{
    if (!j->journal)
        return true;
    const int64_t n = here ? here->n : 0;
    const char *const comma = rd_shared_text_is_empty(j->journal) ? "" : ",";
    char *const before = rd_text_format("%s\n  { %s%s", comma, place, n > 0 ? "voxels = (" : "");
    char *const after = rd_text_format("%s%s }", n > 0 ? "); " : "", text);
    const bool ok = before && after &&
                    rd_shared_text_add(j->journal, before, n > 0 ? here->number : NULL, n, after);
    free(before);
    free(after);
    return ok || rd_fail(e, "out of memory for the journal");
}

/* Reads and applies the edit, whose place in the run is that of now. */
static bool read_and_apply(struct rd_job *j, const char *place, const char *text,
                           const struct rd_voxel_list *here, struct rd_error *e)
{
    struct rd_edits x = {0};
    char *const whole = rd_text_format("edits = ( { %s%s } );", place, text);
    bool ok =
        whole ? read_edits(j, "edit", whole, here, &x, e) : rd_fail(e, "out of memory for an edit");
    if (ok && x.n != 1)
        ok = rd_fail(e, "edit: has %d entries; make one edit in a call", x.n);
    ok = ok && apply_edit(j, &x.edit[0], e);
    rd_edits_free(&x, &j->setup.model);
    free(whole);
    return ok;
}

bool rd_job_edit(struct rd_job *j, const char *text, const struct rd_voxel_list *here,
                 struct rd_error *e)
{
    char time[RD_NUMBER_BYTES], place[RD_NUMBER_BYTES + 64];
    if (j->is_failed || j->is_over || !j->is_open)
        return rd_fail(e, "edit: the run is over; edit it before its end");
    if (!rd_job_finish_steps(j, e))
        return false;
    rd_number_write(rd_run_time(&j->running), time);
    snprintf(place, sizeof place, "step = %" PRIu32 "L; time = %s; ", j->sim.step_clock.step, time);
    const bool ok = read_and_apply(j, place, text, here, e) && note_edit(j, place, text, here, e);
    j->is_failed = j->running.is_broken;
    return ok;
}
