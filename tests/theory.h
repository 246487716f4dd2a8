/* theory - what must come out: mean numbers of walks on a lattice, matrix exponentials, and how
   far a number lies out under its law. Shares no code and no method with the program. */
#ifndef RD_THEORY_H
#define RD_THEORY_H

#include <stdbool.h>
#include <stdint.h>

/* Faces: xmin xmax ymin ymax zmin zmax. */
enum { THEORY_FACES = 6 };

/* A walk on the voxels (x, y, z), numbered (z * ny + y) * nx + x. */
struct theory_walk {
    int size[3];
    double rate[THEORY_FACES]; /* hops per time towards each face's side */
    double pass[THEORY_FACES]; /* the probability that a hop across the box's face is let out; < 0:
                                  it comes in again at the opposite face */
    const double *hop_rate;    /* of each voxel: a factor of its rates; NULL: 1 */
    double (*rates)[THEORY_FACES];      /* of each voxel: instead of rate; NULL: there are none */
    double (*passes)(int from, int to); /* the probability of a hop between voxels; NULL: 1 */
    const bool *is_home;                /* the voxels that molecules may be in; NULL: all */
    double decay;                       /* deaths per molecule and time */
    const double *source;               /* molecules per voxel and time; NULL: none */
};

int theory_sites(const struct theory_walk *w);
/* Rates along an axis from diffusivity, drift and a voxel's edge: D / h^2 +- v / 2h; where
   |v| h > 2 D only forward, at |v| / h. */
void theory_set_rates(struct theory_walk *w, int axis, double diffusion, double drift, double edge);
/* The same for the rates of one voxel. */
void theory_set_rates_at(struct theory_walk *w, int site, int axis, double diffusion, double drift,
                         double edge);
/* Adds to source[] what a reservoir of this mean beyond the face lets in. */
void theory_add_inlet(const struct theory_walk *w, int face, double mean, double *source);
/* Brings the means forward by the time t: dm/dt = Q m + source, with m[site] in the voxels and
   m[n_sites + face] what the faces have taken. */
void theory_walk_on(const struct theory_walk *w, double t, double *m);

/* p = exp(q t) for n x n matrices, row by row. */
void theory_expm(const double *q, int n, double t, double *p);

/* The probability that a standard normal number exceeds z; and the z >= 0 whose tail that is. */
double theory_normal_tail(double z);
double theory_deviate(double tail);

/* How far out k lies, as the standard normal deviate with the same tail; exact sums of
   probabilities unless the variance is large. */
double theory_poisson_deviate(double k, double mean);
double theory_binomial_deviate(double k, double n, double p);
/* Wilson and Hilferty (1931). */
double theory_chi_square_deviate(double x, double freedom);

#endif
