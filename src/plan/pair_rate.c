/* pair_rate - computes the effective rate constant of a reaction of two molecules.

   A pair in one voxel of volume V reacts at rate k / V. Of one pair in a large lattice, the mean
   time until it reacts is the total volume divided by k_eff, and

       1 / k_eff = 1 / k + G / V

   G is the Green's function of the relative walk at the origin (three dimensions: E. W. Montroll
   and G. H. Weiss, J. Math. Phys. 6, 167, 1965; finite squares and lines: E. W. Montroll, J. Math.
   Phys. 10, 753, 1969; its use for the reaction-diffusion master equation: S. Hellander,
   A. Hellander and L. Petzold, Phys. Rev. E 85, 042901, 2012). */
#include "plan/pair_rate.h"

#include <math.h>
#include <stdio.h>

static const double pi = 3.14159265358979323846;

/* Returns exp(-x) I0(x), I0 being the modified Bessel function, for x >= 0. It sums the power
   series, or the asymptotic series (Abramowitz and Stegun 9.6.12 and 9.7.1). */
static double scaled_bessel(double x)
{
    const bool is_large = x > 30.0;
    double sum = 1.0, term = 1.0;
    for (int k = 1; k < 200 && term > 1e-17 * sum; k++) {
        const double odd = 2.0 * k - 1.0;
        term *= is_large ? odd * odd / (8.0 * k * x) : x / 2.0 / k * (x / 2.0 / k);
        sum += term;
    }
    return is_large ? sum / sqrt(2.0 * pi * x) : sum * rd_exp(-x);
}

/* Integrates over the logarithm of t by the trapezoidal rule, whose error falls exponentially with
   the step, since the integrand is analytic in a strip around the real axis. */
double rd_pair_time(const double w[3])
{
    const double step = 0.25, fastest = fmax(w[0], fmax(w[1], w[2]));
    const double slowest = fmin(w[0], fmin(w[1], w[2]));
    const double last = rd_log(1e32 / slowest);
    double sum = 0.0;
    for (double u = rd_log(1e-17 / fastest); u < last; u += step) {
        double value = rd_exp(u);
        for (int axis = 0; axis < 3; axis++)
            value *= scaled_bessel(2.0 * w[axis] * rd_exp(u));
        sum += value;
    }
    return sum * step;
}

/* Describes two molecules that react. */
struct species_pair {
    const struct rd_species *species[2];
    const struct rd_transport *transport[2];
    enum rd_motion motion[2];
};

/* Takes the reactants; returns false unless these are two molecules, of which one moves. */
static bool take_pair(const struct rd_plan *p, const struct rd_reaction *r,
                      struct species_pair *pair)
{
    int n = 0;
    bool moves = false;
    for (int i = 0; i < r->n_reactants; i++)
        for (int k = 0; k < r->reactant[i].number; k++, n++) {
            const int32_t s = r->reactant[i].species;
            if (n == 2 || p->model->species[s].compartment >= 0)
                return false;
            pair->species[n] = &p->model->species[s];
            pair->transport[n] = &p->transport[p->species_at[s]];
            pair->motion[n] = p->motion_of[s];
            moves = moves || pair->transport[n]->kind != RD_MOVE_NOT;
        }
    return n == 2 && moves;
}

/* Writes why the motion of one of the pair excludes the formula; "" if it does not. */
static void judge_motion(const struct rd_species *s, const struct rd_transport *m,
                         enum rd_motion motion, char *why, size_t bytes)
{
    if (s->region >= 0)
        snprintf(why, bytes, "'%.60s' lives in a region", s->name);
    else if (m->borders >= 0)
        snprintf(why, bytes, "'%.60s' meets borders", s->name);
    else if (motion != RD_MOTION_EQUAL)
        snprintf(why, bytes, "the movement of '%.60s' is not the same everywhere and always",
                 s->name);
}

/* Computes the hops per time of the relative walk along each axis, the mean of both directions.
   Writes why if these differ. */
static void judge_drift(const struct species_pair *pair, double w[3], char *why, size_t bytes)
{
    const double *const a = pair->transport[0]->hop_rate.rate;
    const double *const b = pair->transport[1]->hop_rate.rate;
    for (int axis = 0; axis < 3; axis++) {
        const double ahead = a[2 * axis + 1] + b[2 * axis], back = a[2 * axis] + b[2 * axis + 1];
        w[axis] = (ahead + back) / 2.0;
        if (fabs(ahead - back) > 1e-9 * (ahead + back))
            snprintf(why, bytes, "drift separates the two along %c", "xyz"[axis]);
    }
}

/* Counts the axes, and writes why they exclude the formula. w: hops of both molecules. */
static int judge_axes(const struct rd_plan *p, const double w[3], char *why, size_t bytes)
{
    const int32_t *const size = p->world.lattice.size;
    int dim = 0, first = -1;
    for (int axis = 0; axis < 3; axis++) {
        if (size[axis] == 1)
            continue;
        dim++;
        first = first < 0 ? axis : first;
        if (size[axis] < RD_PAIR_VOXELS)
            snprintf(why, bytes, "there are only %d voxels along %c, and %d are needed",
                     (int)size[axis], "xyz"[axis], RD_PAIR_VOXELS);
        else if (!(w[axis] > 0.0))
            snprintf(why, bytes, "neither moves along %c", "xyz"[axis]);
    }
    if (dim == 0)
        snprintf(why, bytes, "there is one voxel only");
    for (int axis = first + 1; axis < 3 && dim == 2 && !*why; axis++)
        if (size[axis] > 1 &&
            (size[axis] != size[first] || fabs(w[axis] - w[first]) > 1e-9 * w[first]))
            snprintf(why, bytes, "the formula holds for a square with equal hop rates");
    return dim;
}

/* Returns the mean time of the later meetings, beyond what the mean over the box gives. */
static double meeting_time(const struct rd_plan *p, int dim, const double w[3])
{
    if (dim == 3)
        return rd_pair_time(w);
    const int axis = p->world.lattice.size[0] > 1 ? 0 : p->world.lattice.size[1] > 1 ? 1 : 2;
    const double n = p->world.lattice.size[axis];
    return dim == 2 ? (rd_log(n) / (2.0 * pi) + 0.04877) / w[axis] : n / (12.0 * w[axis]);
}

struct rd_pair_rate rd_pair_rate_of(const struct rd_plan *p, int32_t reaction)
{
    const struct rd_channel *const c = &p->channel[reaction];
    const struct rd_reaction *const r = &p->model->reaction[p->reaction_of[reaction]];
    struct rd_pair_rate q = {0};
    struct species_pair pair;
    double w[3];
    q.is_pair = take_pair(p, r, &pair);
    if (!q.is_pair)
        return q;
    judge_drift(&pair, w, q.why, sizeof q.why);
    q.dim = judge_axes(p, w, q.why, sizeof q.why);
    for (int i = 1; i >= 0; i--)
        judge_motion(pair.species[i], pair.transport[i], pair.motion[i], q.why, sizeof q.why);
    if (r->region >= 0)
        snprintf(q.why, sizeof q.why, "it happens in a region");
    if (c->expression_kind != RD_EXPRESSION_NONE)
        snprintf(q.why, sizeof q.why, "its %s is an expression",
                 r->has_propensity ? "propensity" : "rate");
    if (r->surface >= 0)
        snprintf(q.why, sizeof q.why, "it happens on a surface");
    q.rate = c->rate * p->world.lattice.volume;
    if (*q.why)
        return q;
    /* 2 A at k: each pair of them reacts at 2 k / V. */
    const double number = pair.species[0] == pair.species[1] ? 2.0 : 1.0;
    const double slowing = meeting_time(p, q.dim, w) * number * q.rate / p->world.lattice.volume;
    q.effective = q.rate / (1.0 + slowing);
    return q;
}
