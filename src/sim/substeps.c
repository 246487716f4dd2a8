/* substeps - movement in substeps, for species whose hop rates change during a step. */
#include "sim/substeps.h"

#include <stdlib.h>

/* Returns the number of substeps of the movement that contains the next pass. A movement that is
   repeated up to a pause had fewer substeps reserved before it than after it. */
static int reserved_now(const struct rd_sim *s)
{
    const struct rd_reserved_substeps *const g = &s->reserved;
    int n = 1;
    for (int i = 0; i < g->n; i++)
        if (g->from[i] <= s->step_clock.pass + 1)
            n = g->substeps[i];
    return n;
}

/* Reads from the machine whether some run has time of its movement left. */
static bool is_behind(struct rd_sim *s, struct rd_error *e)
{
    const size_t bytes = (size_t)s->world.movement.n_substep * sizeof *s->world.movement.substep;
    struct rd_substep *const substep = malloc(bytes);
    bool behind = false;
    if (substep && s->backend->get(s->machine, substep, s->world.movement.substep, bytes, e))
        for (int64_t run = 0; run < s->world.movement.n_substep; run++)
            behind = behind || substep[run].left > 0.0;
    else
        rd_fail(&s->broken, "%s: the remaining time of the movement cannot be read; run again",
                s->backend->device(s->machine));
    free(substep);
    return behind;
}

/* Returns whether another substep follows after n of them. The host reads the machine after each if
   they share memory. */
static bool has_next_substep(struct rd_sim *s, int n)
{
    struct rd_error ignored = {0}; /* the next check reports a failure */
    if (n >= RD_PART_END)
        return false;
    const bool more = s->backend->shares_host_memory ? is_behind(s, &ignored) : n < reserved_now(s);
    rd_error_free(&ignored);
    return more;
}

void rd_substeps_take(struct rd_sim *s, double from, double dt)
{
    if (s->world.items.n_substepped == 0)
        return;
    int n = 0;
    rd_sim_aim(s, 0, from, dt);
    rd_sim_run(s, RD_SUBSTEP_BEGIN);
    do {
        s->world.pass.part = (uint32_t)n++;
        rd_sim_run(s, RD_UPDATE_RATES);
        rd_sim_run(s, RD_CHOOSE_SUBSTEP);
        rd_sim_run(s, RD_SUBSTEP_HOP);
        rd_sim_run(s, RD_DEPOSIT);
    } while (has_next_substep(s, n));
    if (!s->backend->shares_host_memory)
        rd_sim_run(s, RD_CHECK_SUBSTEPS);
}

bool rd_substeps_lacked(struct rd_sim *s, int64_t *pass, struct rd_error *e)
{
    struct rd_reserved_substeps *const g = &s->reserved;
    if (s->world.movement.n_substep == 0 || s->backend->shares_host_memory)
        return false;
    if (!s->backend->get(s->machine, pass, s->world.runs.first_faulting_pass, sizeof *pass, e) ||
        *pass == INT64_MAX)
        return false;
    const int before = g->n > 0 ? g->substeps[g->n - 1] : 1;
    assert(g->n < RD_RESERVED_MOST);
    g->from[g->n] = *pass;
    g->substeps[g->n++] = 2 * before < RD_PART_END ? 2 * before : RD_PART_END;
    return true;
}

void rd_substeps_mark(struct rd_sim *s)
{
    struct rd_reserved_substeps *const g = &s->reserved;
    if (g->n == 0)
        return;
    g->from[0] = 0;
    g->substeps[0] = g->substeps[g->n - 1];
    g->n = 1;
}
