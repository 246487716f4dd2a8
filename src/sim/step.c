/* step - ONE TIME STEP, TOP TO BOTTOM.

   Strang (1968): half react, move, half react, an error of second order in the step; the halves
   that meet between two steps of a stretch are one pass. Lie: react, move, of first order. */
#include "step.h"

#include "timeline.h"

static void move(struct rd_sim *s, double from, double dt)
{
    const int32_t n = s->plan->moves;
    for (int32_t part = 0; part < n; part++) {
        const double begin = from + dt * part / n;
        rd_sim_pass(s, RD_HOP, (uint32_t)part, begin, dt / n);
        rd_sim_pass(s, RD_ENTER, (uint32_t)part, begin, dt / n);
        rd_sim_pass(s, RD_LAND, (uint32_t)part, begin, dt / n);
    }
}

static void step_lie(struct rd_sim *s, double from, double dt)
{
    rd_sim_pass(s, RD_REACT, 0, from, dt);
    move(s, from, dt);
}

static void step_strang(struct rd_sim *s, double from, double dt, bool opens, bool closes)
{
    if (opens)
        rd_sim_pass(s, RD_REACT, 0, from, dt / 2.0);
    move(s, from, dt);
    rd_sim_pass(s, RD_REACT, 1, from + dt / 2.0, closes ? dt / 2.0 : dt);
}

void rd_step(struct rd_sim *s, const struct rd_stretch *stretch, int64_t j)
{
    const struct rd_model *const m = s->plan->model;
    const double from = rd_stretch_time(stretch, j);
    /* where nothing moves there is nothing to split */
    if (m->solver == RD_SOLVER_EXACT)
        rd_sim_exact(s, from, stretch->step);
    else if (m->splitting == RD_SPLITTING_LIE || s->world.n_moving == 0)
        step_lie(s, from, stretch->step);
    else
        step_strang(s, from, stretch->step, j == 0, j == stretch->n_steps - 1);
    s->world.step++;
}
