/* displacement - the probabilities of the walk along one axis after a step, from its generator by
   uniformisation: P = sum over m of Poisson(m; L) M^m with L = (forward + back) tau and M the
   probabilities of one jump. Knows no lattice of three axes, only one. */
#ifndef RD_PLAN_DISPLACEMENT_H
#define RD_PLAN_DISPLACEMENT_H

#include "base/error.h"
#include "kernels/core/world.h"

/* A walk on the places 0 <= i < n. */
struct rd_walk_of {
    double forward, back; /* mean hops in the step */
    int32_t n;
    bool wraps;
    double take[2]; /* the probability that a hop across the low, high end is taken: 0 reflects */
};

/* Growing tables, as struct rd_world has them; zero-initialised is empty. */
struct rd_displacements {
    struct rd_displacement *displacement;
    struct rd_jump *jump;
    struct rd_when *when;
    uint32_t *when_below;
    int64_t n_displacement, n_jump, n_when, n_when_below;
};

/* More hops than this in a step are not tabulated: plan.c moves several times a step instead. */
#define RD_DISPLACEMENTS_MOST 64.0

/* Adds the rows of the walk to the tables; the track's first and reach say where they are. */
bool rd_displacements_add(struct rd_displacements *displacements, const struct rd_walk_of *walk,
                          struct rd_axis_table *axis_table, struct rd_error *e);
/* Adds a row, and gives its number: how many hops are tried after the first that happens, of a
   Poisson number with that mean, each of which happens with probability `share`, and at least one
   does.
 */
bool rd_displacements_add_tries(struct rd_displacements *displacements, double mean, double share,
                                int32_t *number, struct rd_error *e);
void rd_displacements_free(struct rd_displacements *displacements);

#endif
