/* react_simd - the tuned version of react for the CPU. In most voxels nothing happens in a pass, as
   their first random number shows: these numbers are drawn side by side, and only the other voxels
   are simulated. */
#include "kernels/cpu/react_simd.h"

#include "kernels/cpu/busy_voxels.h"
#include "kernels/passes/reactions/react.h"

/* Holds voxels in which an event is possible, until their first random numbers are drawn. */
struct waiting {
    struct rd_bunch call; /* counters, in the layout of rd_stream_of */
    int64_t voxel[RD_BUNCH];
    double sum[RD_BUNCH]; /* of propensities */
    int n;
};

/* Adds the voxel if the sum of its propensities is not 0. There is no branch, since it could not be
   predicted for few molecules. */
static void add_waiting(const struct rd_world *w, const struct rd_place *p, double sum,
                        struct waiting *q)
{
    const struct rd_stream s =
        rd_stream_of(w->pass.seed, w->lattice.first_run + p->run, w->pass.step_clock->step,
                     RD_FOR_REACT, w->pass.part, p->site);
    for (int i = 0; i < 4; i++)
        q->call.w[i][q->n] = s.counter[i];
    q->voxel[q->n] = p->voxel;
    q->sum[q->n] = sum;
    q->n += sum != 0.0;
}

/* Marks the voxels as having no births, deaths and events; rd_react changes that if there are
   any. */
static void leave_quiet(const struct rd_world *w, int64_t begin, int64_t end)
{
    const size_t n = (size_t)(end - begin);
    if (w->items.n_maintained == 0)
        return;
    for (int64_t i = 0; i < w->lists.n_list; i++) {
        memset(w->lists.births + w->lists.list[i].voxels + begin, 0, n * sizeof *w->lists.births);
        memset(w->lists.named + w->lists.list[i].voxels + begin, 0, n * sizeof *w->lists.named);
    }
    memset(w->lists.touched + begin, 0, n * sizeof *w->lists.touched);
}

static void react_waiting(const struct rd_world *w, struct waiting *q, struct rd_busy *busy)
{
    const struct rd_stream s = rd_stream_of(w->pass.seed, 0, 0, RD_FOR_REACT, w->pass.part, 0);
    rd_bunch_call(&q->call, s.key);
    for (int k = 0; k < q->n; k++) {
        const double u = rd_uniform_of(q->call.w[0][k], q->call.w[1][k]);
        if (rd_is_quiet(q->sum[k], u, w->pass.dt))
            continue;
        if (busy)
            rd_busy_add(busy, w, q->voxel[k]);
        else
            rd_react(w, q->voxel[k]);
    }
    q->n = 0;
}

static void react_portion(const struct rd_world *w, int64_t begin, int64_t end,
                          struct rd_busy *busy)
{
    struct waiting q = {.n = 0};
    leave_quiet(w, begin, end);
    for (int64_t voxel = begin; voxel < end; voxel++) {
        if (w->reactions.has_expressions) {
            if (busy)
                rd_busy_add(busy, w, voxel);
            else
                rd_react(w, voxel);
            continue;
        }
        const struct rd_place p = rd_place_apart(&w->lattice, voxel);
        add_waiting(w, &p, rd_is_frozen(&w->runs, p.run) ? 0.0 : rd_mass_action_sum(w, &p), &q);
        if (q.n == RD_BUNCH)
            react_waiting(w, &q, busy);
    }
    if (q.n > 0)
        react_waiting(w, &q, busy);
}

void rd_react_portion(const struct rd_world *w, int64_t begin, int64_t end)
{
    if (!rd_busy_suits(w)) {
        react_portion(w, begin, end, NULL);
        return;
    }
    struct rd_busy busy;
    rd_busy_begin(&busy, w);
    react_portion(w, begin, end, &busy);
    rd_busy_end(&busy, w);
}
