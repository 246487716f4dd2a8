/* stop_runs - the stop condition of one run, by the totals of its voxels. A run that meets it is
   frozen: no pass changes anything in it any more. */
#ifndef RD_PASSES_TOTALS_STOP_RUNS_H
#define RD_PASSES_TOTALS_STOP_RUNS_H

#include "kernels/core/lattice.h"

/* Returns whether the run stops now; the totals must be up to date. A condition that is NaN is not
   met. */
RD_FN bool rd_is_met(const struct rd_world *w, int64_t run, double now)
{
    struct rd_eval_context eval_context;
    memset(&eval_context, 0, sizeof eval_context);
    eval_context.t = now;
    eval_context.volume = w->volume;
    eval_context.total = w->total + run;
    eval_context.stride = w->n_runs;
    const double value = rd_eval(w->program + w->stop.program, w->stop.n_program, &eval_context);
    return value < 0.0 || value > 0.0;
}

/* Freezes the run if it meets its stop condition. */
RD_FN void rd_stop_run(const struct rd_world *w, int64_t run)
{
    const double now = w->step_clock->time;
    if (rd_is_frozen(w, run) || !rd_is_met(w, run, now))
        return;
    w->frozen[run] = RD_FROZEN_STOPPED;
    w->stopped[run] = now;
}

#endif
