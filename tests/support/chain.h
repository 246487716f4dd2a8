/* chain - the master equation of a few species in one well-mixed volume. It is solved on all states
   up to given bounds and compared with what many runs show. It shares no code and no method with
   the program. */
#ifndef RD_CHAIN_H
#define RD_CHAIN_H

#include "trial.h"

enum { CHAIN_SPECIES = 3, CHAIN_REACTIONS = 6 };

/* Stands in place of a species' number: individuals whose first attribute is k, of the first
   species that has individuals. */
enum { CHAIN_KIND = 1000 }; /* + k */

/* Holds one reaction; its propensity is the rate times the falling factorials of its reactants. */
struct chain_reaction {
    double rate;
    int takes[CHAIN_SPECIES], change[CHAIN_SPECIES];
};

struct chain {
    int size[CHAIN_SPECIES];    /* counts run from 0 to size - 1; 0: the species is absent */
    int species[CHAIN_SPECIES]; /* numbers in the file, or CHAIN_KIND + k */
    int n_reactions;            /* 0: the probabilities are constant in time */
    struct chain_reaction reaction[CHAIN_REACTIONS];
    bool each_voxel; /* the chain describes every voxel of a run, not its totals */
};

/* Returns the AB reaction of configs/ab_individuals.cfg, for each voxel, of species `first` and
   `first` + 1: 2 A -> 0, A + B -> 0, 0 -> A, 0 -> B. */
struct chain chain_ab(int first);
/* Returns the chain of the totals in tests/models/physics/linear_network.cfg: A -> 2 A, A -> B, B
   -> A, B -> 0. */
struct chain chain_linear(void);

/* Returns an array of zeros for the probabilities of the states; the caller frees it. */
double *chain_zeros(const struct chain *c);
int chain_state(const struct chain *c, const int count[CHAIN_SPECIES]);

/* Advances the probabilities by time t; probability that leaves the bounds is lost. */
void chain_advance(const struct chain *c, double t, double *p);

/* Compares the runs with the master equation at each output time: Pearson's sum over the states,
   means, variances and covariances. The standard errors follow from the probabilities. p: the
   probabilities at time 0. */
void chain_compare(const struct chain *c, const double *p, const struct trial *t,
                   struct verdict *v);
/* Does the same from a single initial state. */
void chain_compare_from(const struct chain *c, const int count[CHAIN_SPECIES],
                        const struct trial *t, struct verdict *v);

/* Compares the number of C in tests/models/physics/binding.cfg, A + B <-> C with 30 A and 20 B,
   with its stationary probabilities. Detailed balance gives (k+ / (k- V))^c / ((30 - c)! (20 - c)!
   c!) with the total volume V = 3, for any diffusivities. */
void chain_compare_binding(const struct trial *t, struct verdict *v);

#endif
