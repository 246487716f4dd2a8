/* field_rate - integrates changing fields in one voxel over the time of the pass: df/dt = g(f, t),
   by the exponential form of Heun's method (ETD2RK: Cox and Matthews, J. Comput. Phys. 176, 430,
   2002). With L <= 0, the derivative of g with respect to f,

       a  = f + dt phi1(L dt) g(f, t),          phi1(z) = (exp(z) - 1) / z
       f' = a + dt phi2(L dt) (g(a, t + dt) - g(f, t) - L (a - f)),  phi2(z) = (phi1(z) - 1) / z.

   The method is of second order for every L, exact for g = p - q f, and stable however fast a field
   decays. */
#ifndef RD_PASSES_REACTIONS_FIELD_RATE_H
#define RD_PASSES_REACTIONS_FIELD_RATE_H

#include "kernels/passes/reactions/ssa.h"

RD_FN double rd_phi1(double z)
{
    return z == 0.0 ? 1.0 : rd_expm1(z) / z;
}

RD_FN double rd_phi2(double z)
{
    const double size = z > 0.0 ? z : -z; /* a series, where the difference cancels */
    return size < 0x1p-10 ? 0.5 + z * (1.0 / 6.0 + z * (1.0 / 24.0)) : (rd_phi1(z) - 1.0) / z;
}

/* Holds the data of all changing fields of a voxel. */
struct rd_flowing {
    const struct rd_world *w;
    struct rd_eval_context eval_context;
    double *field;    /* of the voxel: field k is field[k * n_voxels] */
    int64_t n_voxels; /* of all runs */
};

/* Returns the rate g of field k, per time. */
RD_FN double rd_field_rate_value(const struct rd_flowing *x, int64_t k)
{
    const struct rd_rule *const rate = &x->w->fields.field_rate[k].rate;
    return rd_eval_rule(&x->w->expressions, rate, &x->eval_context);
}

/* Returns the derivative L of the rate g of field k with respect to the field, or 0 if it is
   positive. The difference quotient has a step of 2^-20 of the field and of its change in the
   pass. */
RD_FN double rd_field_rate_fall(struct rd_flowing *x, int64_t k, double g)
{
    double *const f = &x->field[k * x->n_voxels];
    const double before = *f, by = g * x->w->pass.dt;
    const double step = ((before > 0.0 ? before : -before) + (by > 0.0 ? by : -by)) * 0x1p-20;
    *f = before + step;
    const double fall = (rd_field_rate_value(x, k) - g) / (*f - before);
    *f = before;
    return fall < 0.0 && rd_is_finite(fall) ? fall : 0.0;
}

/* Advances all changing fields of the voxel by the time of the pass. */
RD_FN void rd_change_field(const struct rd_world *w, int64_t voxel)
{
    const struct rd_place p = rd_place_of(&w->lattice, voxel);
    if (rd_is_frozen(&w->runs, p.run))
        return;
    struct rd_flowing x = {w, rd_eval_context_of(w, &p), w->fields.varying + voxel,
                           w->lattice.n_voxels};
    double before[RD_FIELD_RATES_MOST], rate[RD_FIELD_RATES_MOST], fall[RD_FIELD_RATES_MOST],
        after[RD_FIELD_RATES_MOST];
    const int64_t n = w->fields.n_field_rate;
    x.eval_context.t = w->pass.step_clock->time - w->pass.dt / 2.0;
    for (int64_t k = 0; k < n; k++) {
        if (!rd_is_in(&w->lattice, w->fields.field_rate[k].region, p.site))
            continue;
        before[k] = x.field[k * x.n_voxels];
        rate[k] = rd_field_rate_value(&x, k);
        fall[k] = rd_field_rate_fall(&x, k, rate[k]);
    }
    for (int64_t k = 0; k < n; k++)
        if (rd_is_in(&w->lattice, w->fields.field_rate[k].region, p.site))
            x.field[k * x.n_voxels] =
                before[k] + w->pass.dt * (rd_phi1(fall[k] * w->pass.dt) * rate[k]);
    x.eval_context.t = w->pass.step_clock->time + w->pass.dt / 2.0;
    for (int64_t k = 0; k < n; k++) {
        if (!rd_is_in(&w->lattice, w->fields.field_rate[k].region, p.site))
            continue;
        const double a = x.field[k * x.n_voxels];
        const double rest = rd_field_rate_value(&x, k) - rate[k] - fall[k] * (a - before[k]);
        after[k] = a + w->pass.dt * (rd_phi2(fall[k] * w->pass.dt) * rest);
    }
    for (int64_t k = 0; k < n; k++) {
        if (!rd_is_in(&w->lattice, w->fields.field_rate[k].region, p.site))
            continue;
        x.field[k * x.n_voxels] = after[k];
        if (!rd_is_finite(after[k]))
            rd_fault_at(w, RD_FAULT_FIELD, voxel, k);
    }
}

/* Returns the offset `on` to a neighbouring voxel if the field exists there too; else 0. */
RD_FN int64_t rd_field_rate_neighbour(const struct rd_lattice *lattice,
                                      const struct rd_field_rate *f, int64_t site, int64_t on)
{
    return rd_is_in(lattice, f->region, site + on) ? on : 0;
}

/* Computes one gradient in one voxel, as src/model/field_components.c does for constant fields. */
RD_FN void rd_field_gradient(const struct rd_world *w, int64_t item)
{
    const int64_t k = item / w->lattice.n_voxels, voxel = item % w->lattice.n_voxels;
    const struct rd_field_gradient *const slope = &w->fields.field_gradient[k];
    const struct rd_field_rate *const f = &w->fields.field_rate[slope->field_rate];
    const struct rd_place p = rd_place_of(&w->lattice, voxel);
    const int axis = slope->axis;
    const bool wraps = (f->wraps >> axis & 1) != 0;
    int64_t stride = 1;
    for (int a = 0; a < axis; a++)
        stride *= w->lattice.size[a];
    if (!rd_is_in(&w->lattice, f->region, p.site))
        return;
    const int64_t ahead = rd_field_rate_neighbour(
        &w->lattice, f, p.site,
        rd_neighbour_offset(true, stride, w->lattice.size[axis], p.at[axis], wraps));
    const int64_t behind = rd_field_rate_neighbour(
        &w->lattice, f, p.site,
        rd_neighbour_offset(false, stride, w->lattice.size[axis], p.at[axis], wraps));
    const double *const value = w->fields.varying + slope->field_rate * w->lattice.n_voxels + voxel;
    w->fields.varying[(w->fields.n_field_rate + k) * w->lattice.n_voxels + voxel] =
        (value[ahead] - value[behind]) * rd_per_length(ahead, behind, w->lattice.edge[axis]);
}

#endif
