/* react_simd - see the header. In most voxels nothing happens in a pass, and the first random
   number says so: those are drawn side by side, and react itself sees the other voxels. */
#include "kernels/cpu/react_simd.h"

#include "kernels/cpu/busy_voxels.h"
#include "kernels/passes/reactions/react.h"

/* Voxels in which something could happen, on their way to their first random numbers. */
struct waiting {
    struct rd_bunch call; /* counters, as rd_stream_of lays them out */
    int64_t voxel[RD_BUNCH];
    double sum[RD_BUNCH]; /* of propensities */
    int n;
};

/* Waits if the sum of its propensities is not 0: of few molecules nobody could foresee that. */
static void add_waiting(const struct rd_world *w, const struct rd_place *p, double sum,
                        struct waiting *q)
{
    const struct rd_stream s = rd_stream_of(w->seed, w->first_run + p->run, w->step_clock->step,
                                            RD_FOR_REACT, w->part, p->site);
    for (int i = 0; i < 4; i++)
        q->call.w[i][q->n] = s.counter[i];
    q->voxel[q->n] = p->voxel;
    q->sum[q->n] = sum;
    q->n += sum != 0.0;
}

/* Nobody is born or dies in these voxels, unless rd_react says something else. */
static void leave_quiet(const struct rd_world *w, int64_t begin, int64_t end)
{
    const size_t n = (size_t)(end - begin);
    if (w->n_maintained == 0)
        return;
    for (int64_t i = 0; i < w->n_list; i++) {
        memset(w->births + w->list[i].voxels + begin, 0, n * sizeof *w->births);
        memset(w->named + w->list[i].voxels + begin, 0, n * sizeof *w->named);
    }
    memset(w->touched + begin, 0, n * sizeof *w->touched);
}

static void react_waiting(const struct rd_world *w, struct waiting *q, struct rd_busy *busy)
{
    const struct rd_stream s = rd_stream_of(w->seed, 0, 0, RD_FOR_REACT, w->part, 0);
    rd_bunch_call(&q->call, s.key);
    for (int k = 0; k < q->n; k++) {
        const double u = rd_uniform_of(q->call.w[0][k], q->call.w[1][k]);
        if (rd_is_quiet(q->sum[k], u, w->dt))
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
        if (w->has_expressions) {
            if (busy)
                rd_busy_add(busy, w, voxel);
            else
                rd_react(w, voxel);
            continue;
        }
        const struct rd_place p = rd_place_apart(w, voxel);
        add_waiting(w, &p, rd_is_frozen(w, p.run) ? 0.0 : rd_mass_action_sum(w, &p), &q);
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
