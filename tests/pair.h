/* pair - one A and one B that walk on a lattice and react where they meet: the probability that
   both are still there, exactly, and as each splitting of movement and reaction has it. */
#ifndef RD_PAIR_H
#define RD_PAIR_H

#include "theory.h"

enum pair_scheme { PAIR_REACT_MOVE, PAIR_MOVE_REACT, PAIR_MOVE_HALVED, PAIR_REACT_HALVED };
enum { PAIR_SCHEMES = PAIR_REACT_HALVED + 1 };

struct pair {
    const struct theory_walk *walk[2]; /* of A and of B, on the same sites */
    double rate;                       /* of reacting, in one voxel */
};

/* Brings the probabilities [site of A][site of B] of being there forward by steps of this length.
 */
void pair_go_on(const struct pair *p, enum pair_scheme scheme, double step, int n_steps,
                double *probability);
/* The sum of the probabilities. */
double pair_survival(const struct pair *p, const double *probability);

#endif
