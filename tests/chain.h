/* chain - the master equation of a few species in one well-mixed volume, on all states up to
   bounds, and how far what was found in many runs lies from it. Shares no code and no method with
   the program. */
#ifndef RD_CHAIN_H
#define RD_CHAIN_H

#include "trial.h"

enum { CHAIN_SPECIES = 3, CHAIN_REACTIONS = 6 };

/* In the place of a species' number: individuals of the first species that has any whose first
   attribute is k. */
enum { CHAIN_KIND = 1000 }; /* + k */

/* Propensity = rate times the falling factorials of what it takes. */
struct chain_reaction {
    double rate;
    int takes[CHAIN_SPECIES], change[CHAIN_SPECIES];
};

struct chain {
    int size[CHAIN_SPECIES];    /* counts 0 ... size - 1; 0: there is no such species */
    int species[CHAIN_SPECIES]; /* their numbers in the file, or kinds */
    int n_reactions;            /* 0: the probabilities are what they are at all times */
    struct chain_reaction reaction[CHAIN_REACTIONS];
    bool each_voxel; /* it describes every voxel of a run, not its totals */
};

/* The AB reaction of configs/ab_individuals.cfg in every voxel, of species number `first` and the
   next: 2 A -> 0, A + B -> 0, 0 -> A, 0 -> B. */
struct chain chain_ab(int first);

/* Probabilities of the states, zero at first, for the caller to free. */
double *chain_capacity(const struct chain *c);
int chain_state(const struct chain *c, const int count[CHAIN_SPECIES]);

/* Brings the probabilities forward by t; what leaves the bounds is lost. */
void chain_go_on(const struct chain *c, double t, double *p);

/* Hears, at each output time, Pearson's sum over the states, and means, variances and covariances
   with the standard errors that the probabilities themselves give. p: the probabilities at time 0.
 */
void chain_judge(const struct chain *c, const double *p, const struct trial *t, struct verdict *v);
/* The same from a single state. */
void chain_judge_from(const struct chain *c, const int count[CHAIN_SPECIES], const struct trial *t,
                      struct verdict *v);

#endif
