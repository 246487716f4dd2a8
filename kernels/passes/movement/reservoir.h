/* reservoir - molecules that enter; its own file because the exact solver and substeps use it, too.

   At one voxel of a face that is a reservoir, a Poisson number of molecules enter during the step,
   each at a uniform time, and walk hop by hop through the rest of it. The method is exact. */
#ifndef RD_PASSES_MOVEMENT_RESERVOIR_H
#define RD_PASSES_MOVEMENT_RESERVOIR_H

#include "kernels/passes/movement/walk.h"

/* Finds the k-th voxel of the reservoir faces of one run; returns its face. */
RD_FN int rd_inlet_at(const struct rd_world *w, int64_t k, int32_t at[3])
{
    int face = 0;
    while (k >= w->movement.inlet[face])
        k -= w->movement.inlet[face++];
    const int axis = face / 2, u = axis == 0 ? 1 : 0, v = axis == 2 ? 1 : 2;
    at[axis] = face % 2 ? w->lattice.size[axis] - 1 : 0;
    at[u] = (int32_t)(k % w->lattice.size[u]);
    at[v] = (int32_t)(k / w->lattice.size[u]);
    return face;
}

/* Returns the number of molecules of the species that enter the place at the face, per time. */
RD_FN double rd_entering(const struct rd_world *w, const struct rd_transport *m, int face,
                         const struct rd_place *p)
{
    const struct rd_hop_rate *const hop_rate = rd_hop_rate_at(w, m, p->run, p->site);
    return m->mean[face] * hop_rate->rate[face ^ 1]; /* inwards: away from the face */
}

/* Sends the molecules of all species that enter at voxel number `inlet` of the reservoir faces. */
RD_FN void rd_enter(const struct rd_world *w, int64_t inlet)
{
    const int64_t per_run = w->items.n_inlets / w->lattice.n_runs;
    struct rd_place p;
    p.run = inlet / per_run;
    if (rd_is_frozen(&w->runs, p.run))
        return;
    const int64_t item = inlet - p.run * per_run;
    const int face = rd_inlet_at(w, item, p.at);
    p.site = rd_site_number(&w->lattice, p.at);
    p.voxel = p.run * w->lattice.n_sites + p.site;
    struct rd_stream stream =
        rd_stream_of(w->pass.seed, w->lattice.first_run + p.run, w->pass.step_clock->step,
                     RD_FOR_ENTER, w->pass.part, item);
    for (int32_t s = 0; s < w->counts.n_species; s++) {
        const struct rd_transport *const m = &w->movement.transport[s];
        const double often = m->kind == RD_MOVE_SUBSTEPS ? 0.0 : rd_entering(w, m, face, &p);
        if (often <= 0.0 || !rd_is_in(&w->lattice, m->region, p.site))
            continue;
        const int64_t n = rd_poisson(&stream, often * w->pass.dt);
        for (int64_t k = 0; k < n; k++)
            rd_walk(w, s, &p, w->pass.dt * rd_uniform(&stream), &stream);
        const int64_t sums = rd_sums_of(&w->lattice, p.run, p.site);
        rd_add_i64(&w->counts.entered[(sums * w->counts.n_species + s) * RD_N_FACES + face], n);
    }
}

#endif
