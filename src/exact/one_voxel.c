/* one_voxel - runs of one voxel in which only reactions happen. */
#include "exact/one_voxel.h"

static bool has_hops(const struct rd_scheme *scheme, const struct rd_world *w)
{
    for (int32_t s = 0; s < w->counts.n_species; s++)
        if (scheme->leave[s] != 0.0)
            return true;
    return false;
}

bool rd_one_voxel_suits(const struct rd_scheme *scheme, const struct rd_world *w)
{
    return w->lattice.n_sites == 1 && !scheme->integrates && w->items.n_inlets == 0 &&
           w->exchanges.n_exchange == 0 && w->runs.n_total == 0 && w->runs.n_condition == 0 &&
           !w->runs.stops_at_steps && !has_hops(scheme, w);
}

/* Simulates one event by the plain body; returns false if none follows. */
static bool take_event(struct rd_ssa *ssa)
{
    int32_t which;
    return rd_ssa_next(ssa, &which) && rd_fire(ssa, which);
}

void rd_one_voxel_run(struct rd_one_voxel *x, const struct rd_world *w, int64_t run,
                      uint32_t events_of_item)
{
    x->world = *w;
    x->world.reactions.max_events = events_of_item;
    if (!x->direct && rd_direct_suits(w))
        x->direct = rd_direct_open(&x->world); /* without memory, the plain body does it all */
    struct rd_ssa ssa;
    rd_ssa_open(&ssa, &x->world, run);
    while (ssa.left > 0.0) {
        if (ssa.event.counter[0] >= events_of_item) {
            ssa.event.counter[0] = 0;
            ssa.event.counter[1]++;
        }
        if (x->direct && rd_direct_advance(x->direct, &ssa))
            return;
        if (ssa.event.counter[0] < events_of_item && !take_event(&ssa))
            return;
    }
}

void rd_one_voxel_close(struct rd_one_voxel *x)
{
    rd_direct_close(x->direct);
    *x = (struct rd_one_voxel){0};
}
