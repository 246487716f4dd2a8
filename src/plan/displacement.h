/* displacement - the displacement distribution of a random walk along one axis in one step. It
   follows from the generator by uniformisation: P = sum over m of Poisson(m; L) M^m, with L =
   (forward + back) tau and M the transition matrix of one hop. */
#ifndef RD_PLAN_DISPLACEMENT_H
#define RD_PLAN_DISPLACEMENT_H

#include "base/error.h"
#include "kernels/core/world.h"

/* Describes a random walk on the places 0 <= i < n. */
struct rd_walk_of {
    double forward, back; /* mean number of hops in the step */
    int32_t n;
    bool wraps;
    double take[2]; /* probability that a hop across the low, high end is absorbed: 0 reflects */
};

/* Describes growing tables in the form of struct rd_world; a zero-initialised struct is empty. */
struct rd_displacements {
    struct rd_displacement *displacement;
    struct rd_jump *jump;
    struct rd_when *when;
    uint32_t *when_below;
    int64_t n_displacement, n_jump, n_when, n_when_below;
};

/* Sets the most hops in a step for which tables are made; plan_transport.c divides longer steps
   into several movements. */
#define RD_DISPLACEMENTS_MOST 64.0

/* Adds the displacement distributions of the walk to the tables; sets first, reach and wraps of the
   axis table. */
bool rd_displacements_add(struct rd_displacements *displacements, const struct rd_walk_of *walk,
                          struct rd_axis_table *axis_table, struct rd_error *e);
/* Adds a displacement distribution and sets *number to its index. It is the distribution of the
   number of attempts that follow the first successful hop. The number of attempts is Poisson with
   that mean; each succeeds with probability `share`, and at least one does. */
bool rd_displacements_add_tries(struct rd_displacements *displacements, double mean, double share,
                                int32_t *number, struct rd_error *e);
void rd_displacements_free(struct rd_displacements *displacements);

#endif
