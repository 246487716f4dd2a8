/* microscopic - chooses the rate constant k of the voxels so that the lattice reacts as fast as
   molecules that diffuse in space and react at the distance s with the intrinsic rate k_r:

       1 / k_r + 1 / (4 pi D s) = 1 / k + W / (D h),    W = .252731, D = D_A + D_B

   On the left is the rate of F. C. Collins and G. E. Kimball (J. Colloid Sci. 4, 425, 1949), on the
   right the effective rate on cubes (pair_rate.h). The idea is that of R. Erban and S. J. Chapman
   (Phys. Biol. 6, 046001, 2009) and of S. Hellander, A. Hellander and L. Petzold (Phys. Rev. E 85,
   042901, 2012). k is infinite at h* = 4 pi W s / (1 + 4 pi D s / k_r). */
#include "plan/microscopic.h"

#include "plan/pair_rate.h"

static const double pi = 3.14159265358979323846;

/* Adds the diffusivity of a species to *sum; false with a message if it differs between axes, or if
   the species drifts. */
static bool add_diffusion(const struct rd_plan *p, const struct rd_reaction *r,
                          const struct rd_species *s, const double *value, double *sum,
                          struct rd_error *e)
{
    const struct rd_eval_context eval_context = {.volume = p->world.lattice.volume,
                                                 .parameter = value};
    const double diffusion = rd_expr_value(&s->diffusion[0], &eval_context);
    bool is_same = true, drifts = false;
    for (int axis = 0; axis < 3; axis++) {
        is_same = is_same && rd_expr_value(&s->diffusion[axis], &eval_context) == diffusion;
        drifts = drifts || rd_expr_value(&s->drift[axis], &eval_context) != 0.0;
    }
    *sum += diffusion;
    return (is_same && !drifts) ||
           rd_fail(e,
                   "%s: reaction '%s': rate_model is \"microscopic\", but %s %s; change that, or "
                   "leave rate_model out",
                   r->place, r->equation, s->name,
                   drifts ? "drifts" : "diffuses faster along some axes than along others");
}

bool rd_plan_microscopic(const struct rd_plan *p, const struct rd_reaction *r, const double *value,
                         struct rd_microscopic *q, struct rd_error *e)
{
    const struct rd_eval_context eval_context = {.volume = p->world.lattice.volume,
                                                 .parameter = value};
    const double h = p->world.lattice.edge[0];
    double diffusion = 0.0;
    bool ok = true;
    for (int i = 0; i < r->n_reactants && ok; i++)
        for (int k = 0; k < r->reactant[i].number && ok; k++)
            ok = add_diffusion(p, r, &p->model->species[r->reactant[i].species], value, &diffusion,
                               e);
    if (!ok)
        return false;
    q->intrinsic = rd_expr_value(&r->rate, &eval_context);
    q->radius = rd_expr_value(&r->radius, &eval_context);
    if (!(diffusion > 0.0 && q->radius > 0.0 && rd_is_finite(q->radius)))
        return rd_fail(
            e,
            "%s: reaction '%s': rate_model is \"microscopic\", with a radius of %g and a "
            "diffusivity of %g of both together; both must be numbers > 0",
            r->place, r->equation, q->radius, diffusion);
    /* 2 A: a pair reacts at twice the rate constant of the configuration. */
    const double number = r->n_reactants == 1 ? 2.0 : 1.0, pair = number * q->intrinsic;
    const double search = 4.0 * pi * diffusion * q->radius;
    const double inverse = 1.0 + pair * (1.0 / search - RD_PAIR_OF_CUBES / (diffusion * h));
    q->ratio = 1.0 / inverse;
    q->smallest = 4.0 * pi * RD_PAIR_OF_CUBES * q->radius / (1.0 + search / pair);
    q->continuum = q->intrinsic / (1.0 + pair / search);
    return inverse > 0.0 ||
           rd_fail(
               e,
               "%s: reaction '%s': the edge of a voxel is %g, and must be above %g for molecules "
               "that touch at %g; take larger voxels",
               r->place, r->equation, h, q->smallest, q->radius);
}
