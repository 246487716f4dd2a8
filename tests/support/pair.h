/* pair - one A and one B that walk on a lattice and react when they are in one voxel. The
   probability that both survive is computed exactly, and as each splitting of movement and reaction
   gives it. */
#ifndef RD_PAIR_H
#define RD_PAIR_H

#include "theory.h"

enum pair_scheme { PAIR_REACT_MOVE, PAIR_MOVE_REACT, PAIR_MOVE_HALVED, PAIR_REACT_HALVED };
enum { PAIR_SCHEMES = PAIR_REACT_HALVED + 1 };

struct pair {
    const struct theory_walk *walk[2]; /* of A and of B, on the same sites */
    double rate;                       /* propensity of the reaction in one voxel */
};

/* Advances the joint probabilities [site of A][site of B] by n_steps steps of this length. */
void pair_advance(const struct pair *p, enum pair_scheme scheme, double step, int n_steps,
                  double *probability);
/* Returns the sum of the probabilities. */
double pair_survival(const struct pair *p, const double *probability);

#endif
