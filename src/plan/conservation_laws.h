/* conservation_laws - the conservation laws of the reaction network (P-semiflows and others): sums
   of species that no reaction changes, in their most readable form. */
#ifndef RD_PLAN_CONSERVATION_LAWS_H
#define RD_PLAN_CONSERVATION_LAWS_H

#include "cone/elementary.h"
#include "model/model.h"
#include "plan/weighted_sums.h"

/* Says why laws may be missing. */
#define RD_CONSERVATION_LIMITS "a weight is 2^29 or more, or the search took too long"

/* Holds a set of linearly independent laws. Laws without negative weights and of few species come
   first, like A + C and B + C for A + B -> C. The others follow, like A - B for A + B -> 0. A
   species that no reaction changes is a law by itself. A zero-initialised struct is empty. */
struct rd_conserved {
    struct rd_weighted_sums law; /* species numbers have the order of the file */
    bool is_whole;               /* false: there may be more laws: RD_CONSERVATION_LIMITS */
};

/* Finds the laws of a model. Returns false with a message if there is no memory. */
bool rd_conservation_find(struct rd_conserved *c, const struct rd_model *m, struct rd_error *e);
/* Does the same for the net changes of reactions. */
bool rd_conservation_of_changes(struct rd_conserved *c, const struct rd_sparse *change,
                                int n_changes, int n_species, struct rd_error *e);
/* Sets *rank to the number of linearly independent changes, which is not above `most`; -1: it is
   not known, since the proof would take more than about a second. The rank modulo a prime is not
   above the rank. If it is below, the prime divides all minors of more changes: they are 0 if
   several primes with a larger product agree. Returns false with a message if there is no memory.
 */
bool rd_conservation_rank(int *rank, const struct rd_sparse *change, int n_changes, int n_species,
                          int most, struct rd_error *e);
/* Finds the minimal laws without negative weights, from which all others of this kind are sums;
   value[species] of each is its weight. They are the elementary vectors of the transposed
   stoichiometry (Schuster and Hilgetag, J. Biol. Syst. 2, 165, 1994). Species with may[s] false
   have weight 0. Returns false with a message. */
bool rd_conservation_semiflows(struct rd_elementary *v, const struct rd_sparse *change,
                               int n_changes, const bool *may, int n_species,
                               const struct rd_engine_options *o, struct rd_error *e);
void rd_conservation_free(struct rd_conserved *c);

/* Returns the law as text, "A + 2 B - C", or NULL if there is no memory; the caller frees it. */
char *rd_conservation_text(const struct rd_model *m, const struct rd_sparse *law);

#endif
