/* substep_hop - molecules whose diffusivity and drift follow what changes: time, counts. Each run
   takes as many strides through the time of a movement as it needs so that the fastest of them hops
   so seldom in one that what it goes by is still nearly true: in each the rates of all voxels are
   gauged, its length is measured out, and molecules roam: they walk, exactly for those rates. */
#ifndef RD_PASSES_MOVEMENT_SUBSTEP_HOP_H
#define RD_PASSES_MOVEMENT_SUBSTEP_HOP_H

#include "kernels/passes/movement/hop_rates.h"
#include "kernels/passes/movement/land.h"
#include "kernels/passes/movement/reservoir.h"

/* D dt / h^2 is at most 1/6 in a stride, where paces follow counts: so many hops along an axis. */
#define RD_SUBSTEP_HOPS (1.0 / 3.0)

/* The whole time lies ahead. */
RD_FN void rd_substep_begin(const struct rd_world *w, int64_t run)
{
    struct rd_substep *const substep = &w->substep[run];
    substep->left = rd_is_frozen(w, run) ? 0.0 : w->dt;
    substep->dt = 0.0;
    substep->fastest = 0;
}

/* The rates in the voxel of one species, by what is there now. */
RD_FN void rd_update_rates_of(const struct rd_world *w, const struct rd_place *p, int32_t s)
{
    const struct rd_transport *const m = &w->transport[s];
    struct rd_hop_rate *const hop_rate = &w->hop_rate_now[m->hop_rates + p->voxel];
    struct rd_eval_context eval_context = rd_eval_context_at(w, p);
    const struct rd_sight sight = rd_sight_at(w, m, p->at);
    eval_context.t = w->step_clock->time;
    eval_context.count = w->count + p->voxel;
    eval_context.stride = w->n_voxels;
    eval_context.sight = &sight;
    if (!rd_motion_rates(w, m, m->motion, &eval_context, hop_rate->rate)) {
        rd_fault_at(w, RD_FAULT_HOP_RATE, p->voxel, s);
        return;
    }
    double most = 0.0;
    hop_rate->total = 0.0;
    for (int axis = 0; axis < 3; axis++) {
        const double both = hop_rate->rate[2 * axis] + hop_rate->rate[2 * axis + 1];
        hop_rate->total += both;
        most = both > most ? both : most;
    }
    if (m->is_by_counts && eval_context.count[s * w->n_voxels] > 0)
        rd_max_i64(&w->substep[p->run].fastest, (int64_t)rd_bits_of(most));
}

RD_FN void rd_update_rates(const struct rd_world *w, int64_t voxel)
{
    const struct rd_place p = rd_place_of(w, voxel);
    if (!(w->substep[p.run].left > 0.0) || rd_is_troubled(w, p.run))
        return;
    for (int32_t s = 0; s < w->n_species; s++)
        if (w->transport[s].kind == RD_MOVE_SUBSTEPS && rd_is_in(w, w->transport[s].region, p.site))
            rd_update_rates_of(w, &p, s);
}

/* The rest of the time in equal strides, as few as may be, of which the next comes now. */
RD_FN void rd_measure(const struct rd_world *w, int64_t run)
{
    struct rd_substep *const substep = &w->substep[run];
    const double hops = rd_real_of((uint64_t)substep->fastest) * substep->left;
    const double n = -rd_floor(-(hops / RD_SUBSTEP_HOPS));
    substep->fastest = 0;
    if (rd_is_troubled(w, run)) {
        substep->dt = substep->left = 0.0;
        return;
    }
    if (!(n <= (double)(RD_PART_END - w->part))) {
        substep->dt = substep->left = 0.0;
        rd_fault_at(w, RD_FAULT_HASTE, run * w->n_sites, 0);
        return;
    }
    substep->dt = n > 1.0 ? substep->left / n : substep->left;
    substep->left = n > 1.0 ? substep->left - substep->dt : 0.0;
}

/* Those who come in through the faces that the voxel lies at. */
RD_FN void rd_substep_hop_in(const struct rd_world *w, int32_t s, const struct rd_place *p,
                             double dt, struct rd_stream *stream)
{
    const struct rd_transport *const m = &w->transport[s];
    for (int face = 0; face < RD_N_FACES; face++) {
        const int32_t end = face % 2 ? w->size[face / 2] - 1 : 0;
        if (m->mean[face] <= 0.0 || p->at[face / 2] != end)
            continue;
        const int64_t n = rd_poisson(stream, rd_entering(w, m, face, p) * dt);
        for (int64_t k = 0; k < n; k++)
            rd_walk(w, s, p, dt * rd_uniform(stream), stream);
        const int64_t sums = rd_sums_of(w, p->run, p->site);
        rd_add_i64(&w->entered[(sums * w->n_species + s) * RD_N_FACES + face], n);
    }
}

RD_FN void rd_substep_hop(const struct rd_world *w, int64_t voxel)
{
    const struct rd_place p = rd_place_of(w, voxel);
    const double dt = w->substep[p.run].dt;
    if (!(dt > 0.0))
        return;
    struct rd_stream stream = rd_stream_of(w->seed, w->first_run + p.run, w->step_clock->step,
                                           RD_FOR_SUBSTEP_HOP, w->part, p.site);
    for (int32_t s = 0; s < w->n_species; s++) {
        const struct rd_transport *const m = &w->transport[s];
        if (m->kind != RD_MOVE_SUBSTEPS || !rd_is_in(w, m->region, p.site))
            continue;
        const struct rd_hop_rate *const hop_rate = rd_hop_rate_at(w, m, p.run, p.site);
        const double probability = -rd_expm1(-hop_rate->total * dt);
        const int64_t n = rd_binomial(&stream, w->count[s * w->n_voxels + voxel], probability);
        w->count[s * w->n_voxels + voxel] -= (int32_t)n;
        for (int64_t k = 0; k < n; k++)
            rd_set_off(w, s, hop_rate, probability, &p, dt, &stream);
        if (w->n_inlets > 0)
            rd_substep_hop_in(w, s, &p, dt, &stream);
    }
}

/* What roamed to the voxel is counted: a pass of its own, since a twin may hold LAND back. */
RD_FN void rd_deposit(const struct rd_world *w, int64_t voxel)
{
    rd_land(w, voxel);
}

/* Where more strides are needed than were granted that is a pause. */
RD_FN void rd_check_substeps(const struct rd_world *w, int64_t run)
{
    if (w->substep[run].left > 0.0)
        rd_min_i64(w->first_faulting_pass, w->step_clock->pass);
}

#endif
