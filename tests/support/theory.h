/* theory - exact results for comparison: mean numbers of walks on a lattice, matrix exponentials,
   and the deviation of a number under its distribution. It shares no code and no method with the
   program. */
#ifndef RD_THEORY_H
#define RD_THEORY_H

#include <stdbool.h>
#include <stdint.h>

/* The faces are xmin xmax ymin ymax zmin zmax. */
enum { THEORY_FACES = 6 };

/* Holds a walk on the voxels (x, y, z), numbered (z * ny + y) * nx + x. */
struct theory_walk {
    int size[3];
    double rate[THEORY_FACES]; /* hops per time towards each face */
    double pass[THEORY_FACES]; /* probability that a hop across the box's face leaves; < 0: the hop
                                  enters again at the opposite face */
    const double *hop_rate;    /* of each voxel: a factor of its rates; NULL: 1 */
    double (*rates)[THEORY_FACES]; /* of each voxel: rates that replace rate; NULL: none */
    /* transmission probability of a hop between voxels; NULL: 1 */
    double (*passes)(int from, int to);
    const bool *is_home;  /* voxels that molecules may occupy; NULL: all */
    double decay;         /* deaths per molecule and time */
    const double *source; /* molecules per voxel and time; NULL: none */
};

/* Returns n zeros; the caller frees them. Aborts if there is no memory. */
double *theory_zeros(int n);

int theory_sites(const struct theory_walk *w);
/* Sets the rates along an axis from diffusivity, drift and the voxel's edge: D / h^2 +- v / 2h. If
   |v| h > 2 D, hops go forward only, at |v| / h. */
void theory_set_rates(struct theory_walk *w, int axis, double diffusion, double drift, double edge);
/* Does the same for the rates of one voxel. */
void theory_set_rates_at(struct theory_walk *w, int site, int axis, double diffusion, double drift,
                         double edge);
/* Adds to source[] the inflow from a reservoir of this mean beyond the face. */
void theory_add_inlet(const struct theory_walk *w, int face, double mean, double *source);
/* Advances the means by time t: dm/dt = Q m + source. m[site] is the mean in a voxel, m[n_sites +
   face] what a face has absorbed. */
void theory_walk_on(const struct theory_walk *w, double t, double *m);

/* Computes p = exp(q t) for n x n matrices, stored row by row. */
void theory_expm(const double *q, int n, double t, double *p);

/* Returns the probability that a standard normal number exceeds z; theory_deviate returns the z >=
   0 with this tail. */
double theory_normal_tail(double z);
double theory_deviate(double tail);

/* Returns the standard normal deviate with the same tail as k; the tails are exact sums of
   probabilities unless the variance is large. */
double theory_poisson_deviate(double k, double mean);
double theory_binomial_deviate(double k, double n, double p);
/* Uses the formula of Wilson and Hilferty (1931). */
double theory_chi_square_deviate(double x, double freedom);

#endif
