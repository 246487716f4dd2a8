/* pair_rate - the effective rate constant of a reaction of two molecules. On a lattice, two
   molecules react only in the same voxel. Finding it takes time, so that the reaction is slower
   than its rate constant says; the smaller the voxels, the slower. */
#ifndef RD_PLAN_PAIR_RATE_H
#define RD_PLAN_PAIR_RATE_H

#include "plan/plan.h"

/* Gives the edge of a cube, divided by the volume, times the time that a pair which has just
   separated from one voxel of an infinite cubic lattice spends together later, at a relative
   diffusivity of 1: one sixth of Watson's integral 1.516386 (G. N. Watson, Q. J. Math. 10, 266,
   1939). */
#define RD_PAIR_OF_CUBES 0.25273100985866300

/* Sets the smallest number of voxels along an axis for which the formulas hold. */
enum { RD_PAIR_VOXELS = 8 };

/* Returns the mean time that two molecules of an infinite lattice, which begin in one voxel, spend
   in a common voxel: the integral over t of the product of exp(-2 w t) I0(2 w t), w being their
   hops per time along an axis and direction, both together. */
double rd_pair_time(const double w[3]);

struct rd_pair_rate {
    bool is_pair;           /* two molecules react, and one of them moves */
    int dim;                /* axes of more than one voxel */
    double rate, effective; /* rate constants, if `why` is empty */
    char why[160];          /* why the effective one is not known; or "" */
};

/* Returns the effective rate of a reaction (canonical number) at the present rates of the plan:
   1 / (1 / k + G / V), for one pair in a large lattice of three dimensions, or in a periodic square
   or line of this size. */
struct rd_pair_rate rd_pair_rate_of(const struct rd_plan *p, int32_t reaction);

#endif
