/* substep_hop - molecules whose diffusivity and drift follow what changes: time, counts. Each run
   takes as many strides through the time of a movement as it needs so that the fastest of them hops
   so seldom in one that what it goes by is still nearly true: in each the rates of all cells are
   gauged, its length is measured out, and molecules roam: they walk, exactly for those rates. */
#ifndef RD_PASSES_MOVEMENT_SUBSTEP_HOP_H
#define RD_PASSES_MOVEMENT_SUBSTEP_HOP_H

#include "kernels/passes/movement/hop_rates.h"
#include "kernels/passes/movement/land.h"
#include "kernels/passes/movement/reservoir.h"

/* D dt / h^2 is at most 1/6 in a stride, where paces follow counts: so many hops along an axis. */
#define RD_STRIDE_HOPS (1.0 / 3.0)

/* The whole time lies ahead. */
RD_FN void rd_set_out(const struct rd_world *w, int64_t run)
{
    struct rd_stride *const stride = &w->stride[run];
    stride->left = rd_is_still(w, run) ? 0.0 : w->dt;
    stride->dt = 0.0;
    stride->fastest = 0;
}

/* The rates in the cell of one species, by what is there now. */
RD_FN void rd_gauge_one(const struct rd_world *w, const struct rd_place *p, int32_t s)
{
    const struct rd_mover *const m = &w->mover[s];
    struct rd_pace *const pace = &w->pace_now[m->paces + p->cell];
    struct rd_scene scene = rd_scene_at(w, p);
    const struct rd_sight sight = rd_sight_at(w, m, p->at);
    scene.t = w->beat->time;
    scene.count = w->count + p->cell;
    scene.stride = w->n_cells;
    scene.sight = &sight;
    if (!rd_motion_rates(w, m, m->motion, &scene, pace->rate)) {
        rd_fault_at(w, RD_FAULT_PACE, p->cell, s);
        return;
    }
    double most = 0.0;
    pace->total = 0.0;
    for (int axis = 0; axis < 3; axis++) {
        const double both = pace->rate[2 * axis] + pace->rate[2 * axis + 1];
        pace->total += both;
        most = both > most ? both : most;
    }
    if (m->is_led && scene.count[s * w->n_cells] > 0)
        rd_max_i64(&w->stride[p->run].fastest, (int64_t)rd_bits_of(most));
}

RD_FN void rd_gauge(const struct rd_world *w, int64_t cell)
{
    const struct rd_place p = rd_place_of(w, cell);
    if (!(w->stride[p.run].left > 0.0) || rd_is_troubled(w, p.run))
        return;
    for (int32_t s = 0; s < w->n_species; s++)
        if (w->mover[s].kind == RD_MOVE_ROAM && rd_is_in(w, w->mover[s].region, p.site))
            rd_gauge_one(w, &p, s);
}

/* The rest of the time in equal strides, as few as may be, of which the next comes now. */
RD_FN void rd_measure(const struct rd_world *w, int64_t run)
{
    struct rd_stride *const stride = &w->stride[run];
    const double hops = rd_real_of((uint64_t)stride->fastest) * stride->left;
    const double n = -rd_floor(-(hops / RD_STRIDE_HOPS));
    stride->fastest = 0;
    if (rd_is_troubled(w, run)) {
        stride->dt = stride->left = 0.0;
        return;
    }
    if (!(n <= (double)(RD_PART_END - w->part))) {
        stride->dt = stride->left = 0.0;
        rd_fault_at(w, RD_FAULT_HASTE, run * w->n_sites, 0);
        return;
    }
    stride->dt = n > 1.0 ? stride->left / n : stride->left;
    stride->left = n > 1.0 ? stride->left - stride->dt : 0.0;
}

/* Those who come in through the faces that the cell lies at. */
RD_FN void rd_roam_in(const struct rd_world *w, int32_t s, const struct rd_place *p, double dt,
                      struct rd_stream *stream)
{
    const struct rd_mover *const m = &w->mover[s];
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

RD_FN void rd_roam(const struct rd_world *w, int64_t cell)
{
    const struct rd_place p = rd_place_of(w, cell);
    const double dt = w->stride[p.run].dt;
    if (!(dt > 0.0))
        return;
    struct rd_stream stream =
        rd_stream_of(w->seed, w->first_run + p.run, w->beat->step, RD_FOR_ROAM, w->part, p.site);
    for (int32_t s = 0; s < w->n_species; s++) {
        const struct rd_mover *const m = &w->mover[s];
        if (m->kind != RD_MOVE_ROAM || !rd_is_in(w, m->region, p.site))
            continue;
        const struct rd_pace *const pace = rd_pace_at(w, m, p.run, p.site);
        const double chance = -rd_expm1(-pace->total * dt);
        const int64_t n = rd_binomial(&stream, w->count[s * w->n_cells + cell], chance);
        w->count[s * w->n_cells + cell] -= (int32_t)n;
        for (int64_t k = 0; k < n; k++)
            rd_set_off(w, s, pace, chance, &p, dt, &stream);
        if (w->n_inlets > 0)
            rd_roam_in(w, s, &p, dt, &stream);
    }
}

/* What roamed to the cell is counted: a pass of its own, since a twin may hold LAND back. */
RD_FN void rd_alight(const struct rd_world *w, int64_t cell)
{
    rd_land(w, cell);
}

/* Where more strides are needed than were granted that is a pause. */
RD_FN void rd_await(const struct rd_world *w, int64_t run)
{
    if (w->stride[run].left > 0.0)
        rd_min_i64(w->halt, w->beat->pass);
}

#endif
