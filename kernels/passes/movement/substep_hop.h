/* substep_hop - molecules whose diffusion rate and drift depend on time or counts. Each run divides
   the time of a movement into substeps. They are so short that the fastest molecules hop rarely in
   one of them and the rates stay nearly valid. In each substep the rates of all voxels are
   computed, its length is chosen, and the molecules walk, exactly for those rates. */
#ifndef RD_PASSES_MOVEMENT_SUBSTEP_HOP_H
#define RD_PASSES_MOVEMENT_SUBSTEP_HOP_H

#include "kernels/passes/movement/hop_rates.h"
#include "kernels/passes/movement/reservoir.h"
#include "kernels/passes/movement/walk.h"

/* Sets the most hops along an axis in a substep, if rates depend on counts: D dt / h^2 is at most
   1/6. */
#define RD_SUBSTEP_HOPS (1.0 / 3.0)

/* Begins the movement of a run: all of its time remains. */
RD_FN void rd_substep_begin(const struct rd_world *w, int64_t run)
{
    struct rd_substep *const substep = &w->movement.substep[run];
    substep->left = rd_is_frozen(&w->runs, run) ? 0.0 : w->pass.dt;
    substep->dt = 0.0;
    substep->fastest = 0;
}

/* Computes the hop rates of one species in the voxel from the present counts. */
RD_FN void rd_update_rates_of(const struct rd_world *w, const struct rd_place *p, int32_t s)
{
    const struct rd_transport *const m = &w->movement.transport[s];
    struct rd_hop_rate *const hop_rate = &w->movement.hop_rate_now[m->hop_rates + p->voxel];
    struct rd_eval_context eval_context = rd_eval_context_at(w, p);
    const struct rd_sight sight = rd_sight_at(&w->lattice, m, p->at);
    eval_context.t = w->pass.step_clock->time;
    rd_aim_counts(w, p->voxel, &eval_context);
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
    if (m->is_by_counts && rd_count_here(&eval_context, s) > 0)
        rd_max_i64(&w->movement.substep[p->run].fastest, (int64_t)rd_bits_of(most));
}

/* Computes the hop rates of all species with substeps in the voxel, if its run has time left. */
RD_FN void rd_update_rates(const struct rd_world *w, int64_t voxel)
{
    const struct rd_place p = rd_place_of(&w->lattice, voxel);
    if (!(w->movement.substep[p.run].left > 0.0) || rd_has_run_fault(w, p.run))
        return;
    for (int32_t k = 0; k < rd_n_columns(w); k++) {
        const struct rd_transport *const m = &w->movement.transport[rd_columned(w, k)];
        if (m->kind == RD_MOVE_SUBSTEPS && rd_is_in(&w->lattice, m->region, p.site))
            rd_update_rates_of(w, &p, rd_columned(w, k));
    }
}

/* Chooses the length of the next substep: the rest of the time divided into as few equal substeps
   as possible. */
RD_FN void rd_choose_substep(const struct rd_world *w, int64_t run)
{
    struct rd_substep *const substep = &w->movement.substep[run];
    const double hops = rd_real_of((uint64_t)substep->fastest) * substep->left;
    const double n = -rd_floor(-(hops / RD_SUBSTEP_HOPS));
    substep->fastest = 0;
    if (rd_has_run_fault(w, run)) {
        substep->dt = substep->left = 0.0;
        return;
    }
    if (!(n <= (double)(RD_PART_END - w->pass.part))) {
        substep->dt = substep->left = 0.0;
        rd_fault_at(w, RD_FAULT_SUBSTEPS, run * w->lattice.n_sites, 0);
        return;
    }
    substep->dt = n > 1.0 ? substep->left / n : substep->left;
    substep->left = n > 1.0 ? substep->left - substep->dt : 0.0;
}

/* Sends the molecules that enter through the reservoir faces of the voxel. */
RD_FN void rd_substep_hop_in(const struct rd_world *w, int32_t s, const struct rd_place *p,
                             double dt, struct rd_stream *stream)
{
    const struct rd_transport *const m = &w->movement.transport[s];
    for (int face = 0; face < RD_N_FACES; face++) {
        const int32_t end = face % 2 ? w->lattice.size[face / 2] - 1 : 0;
        if (m->mean[face] <= 0.0 || p->at[face / 2] != end)
            continue;
        const int64_t n = rd_poisson(stream, rd_entering(w, m, face, p) * dt);
        for (int64_t k = 0; k < n; k++)
            rd_walk(w, s, p, dt * rd_uniform(stream), stream);
        const int64_t sums = rd_sums_of(&w->lattice, p->run, p->site);
        rd_add_i64(&w->counts.entered[(sums * w->counts.n_species + s) * RD_N_FACES + face], n);
    }
}

/* Moves the molecules of all species with substeps in the voxel, over one substep of its run. */
RD_FN void rd_substep_hop(const struct rd_world *w, int64_t voxel)
{
    const struct rd_place p = rd_place_of(&w->lattice, voxel);
    const double dt = w->movement.substep[p.run].dt;
    if (!(dt > 0.0))
        return;
    struct rd_stream stream =
        rd_stream_of(w->pass.seed, w->lattice.first_run + p.run, w->pass.step_clock->step,
                     RD_FOR_SUBSTEP_HOP, w->pass.part, p.site);
    for (int32_t k = 0; k < rd_n_columns(w); k++) {
        const int32_t s = rd_columned(w, k);
        int32_t *const count = &w->counts.count[k * w->lattice.n_voxels + voxel];
        const struct rd_transport *const m = &w->movement.transport[s];
        if (m->kind != RD_MOVE_SUBSTEPS || !rd_is_in(&w->lattice, m->region, p.site))
            continue;
        const struct rd_hop_rate *const hop_rate = rd_hop_rate_at(w, m, p.run, p.site);
        const double probability = -rd_expm1(-hop_rate->total * dt);
        const int64_t n = rd_binomial(&stream, *count, probability);
        *count -= (int32_t)n;
        for (int64_t i = 0; i < n; i++)
            rd_set_off(w, s, hop_rate, probability, &p, dt, &stream);
        if (w->items.n_inlets > 0)
            rd_substep_hop_in(w, s, &p, dt, &stream);
    }
}

/* Adds the arrivals of a substep to the counts. It is a pass of its own, since a tuned version may
   defer LAND. */
RD_FN void rd_deposit(const struct rd_world *w, int64_t voxel)
{
    rd_land(w, voxel);
}

/* Begins a pause if a run needs more substeps than are reserved. */
RD_FN void rd_check_substeps(const struct rd_world *w, int64_t run)
{
    if (w->movement.substep[run].left > 0.0)
        rd_min_i64(w->runs.first_faulting_pass, w->pass.step_clock->pass);
}

#endif
