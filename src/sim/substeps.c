/* substeps - see the header. */
#include "sim/substeps.h"

#include <stdlib.h>

/* How many are granted to the movement whose next pass is the one to come. A movement that was gone
   through before the last look, up to a pause, was granted fewer before it than behind it. */
static int granted(const struct rd_sim *s)
{
    const struct rd_grants *const g = &s->grants;
    int n = 1;
    for (int i = 0; i < g->n; i++)
        if (g->from[i] <= s->beat.pass + 1)
            n = g->strides[i];
    return n;
}

/* Whether some run has time left, as the machine has it. */
static bool is_behind(struct rd_sim *s, struct rd_error *e)
{
    const size_t bytes = (size_t)s->world.n_stride * sizeof *s->world.stride;
    struct rd_stride *const stride = malloc(bytes);
    bool behind = false;
    if (stride && s->backend->get(s->machine, stride, s->world.stride, bytes, e))
        for (int64_t run = 0; run < s->world.n_stride; run++)
            behind = behind || stride[run].left > 0.0;
    else
        rd_fail(&s->broken, "the machine could not say how far its runs are");
    free(stride);
    return behind;
}

/* After n strides. Where looking costs nothing the host looks at each. */
static bool go_on(struct rd_sim *s, int n)
{
    struct rd_error unsaid = {0}; /* a failure is told by the next check */
    if (n >= RD_PART_END)
        return false;
    const bool more = s->backend->is_near ? is_behind(s, &unsaid) : n < granted(s);
    rd_error_free(&unsaid);
    return more;
}

void rd_strides_take(struct rd_sim *s, double from, double dt)
{
    if (s->world.n_roaming == 0)
        return;
    int n = 0;
    rd_sim_aim(s, 0, from, dt);
    rd_sim_run(s, RD_SET_OUT);
    do {
        s->world.part = (uint32_t)n++;
        rd_sim_run(s, RD_GAUGE);
        rd_sim_run(s, RD_MEASURE);
        rd_sim_run(s, RD_ROAM);
        rd_sim_run(s, RD_ALIGHT);
    } while (go_on(s, n));
    if (!s->backend->is_near)
        rd_sim_run(s, RD_AWAIT);
}

bool rd_strides_lacked(struct rd_sim *s, int64_t *pass, struct rd_error *e)
{
    struct rd_grants *const g = &s->grants;
    if (s->world.n_stride == 0 || s->backend->is_near)
        return false;
    if (!s->backend->get(s->machine, pass, s->world.halt, sizeof *pass, e) || *pass == INT64_MAX)
        return false;
    const int before = g->n > 0 ? g->strides[g->n - 1] : 1;
    assert(g->n < RD_GRANTS_MOST);
    g->from[g->n] = *pass;
    g->strides[g->n++] = 2 * before < RD_PART_END ? 2 * before : RD_PART_END;
    return true;
}

void rd_strides_mark(struct rd_sim *s)
{
    struct rd_grants *const g = &s->grants;
    if (g->n == 0)
        return;
    g->from[0] = 0;
    g->strides[0] = g->strides[g->n - 1];
    g->n = 1;
}
