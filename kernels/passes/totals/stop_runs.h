/* stop_runs - one run: whether its condition is met by the totals of its cells. Then it stands
   still: no pass changes anything in it any more. */
#ifndef RD_PASSES_TOTALS_STOP_RUNS_H
#define RD_PASSES_TOTALS_STOP_RUNS_H

#include "kernels/core/lattice.h"

/* Whether the run stops now, with totals that are up to date. A condition that is not a number is
   not met. */
RD_FN bool rd_is_met(const struct rd_world *w, int64_t run, double now)
{
    struct rd_scene scene;
    memset(&scene, 0, sizeof scene);
    scene.t = now;
    scene.volume = w->volume;
    scene.total = w->total + run;
    scene.stride = w->n_runs;
    const double value = rd_law(w->law + w->stop.law, w->stop.n_law, &scene);
    return value < 0.0 || value > 0.0;
}

RD_FN void rd_cease(const struct rd_world *w, int64_t run)
{
    const double now = w->beat->time;
    if (rd_is_still(w, run) || !rd_is_met(w, run, now))
        return;
    w->still[run] = RD_STILL_STOPPED;
    w->stopped[run] = now;
}

#endif
