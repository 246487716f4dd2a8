/* laws - which weighted sums of species no reaction of a network changes. */
#ifndef RD_LAWS_H
#define RD_LAWS_H

#include "cone/elementary.h"
#include "modes/network.h"
#include "plan/weighted_sums.h"

/* Holds laws, each with weights that have no common divisor. A zero-initialised struct is empty. */
struct rd_laws {
    struct rd_weighted_sums law;
    int n_missing;         /* how many more there are: too large weights; -1: that is not known */
    enum rd_feasible *has; /* [species], owned: if some semiflows are missing, whether there is
                              one with the species; else NULL */
};

/* Finds the basis that rdsim check prints. External species are in no law. */
bool rd_laws_find(struct rd_laws *l, const struct rd_network *n, struct rd_error *e);
/* Finds all minimal laws without negative weights: the elementary flux modes of the transposed
   network (Schuster and Hilgetag, J. Biol. Syst. 2, 165, 1994). */
bool rd_laws_semiflows(struct rd_laws *l, const struct rd_network *n,
                       const struct rd_engine_options *o, struct rd_error *e);
/* Prints how many semiflows there are, over how many species, and then each of them whose weights
   fit into 64 bits. *rows_needed: 0 if these are all, or how many rows the table had for which the
   memory was not enough. Returns false with a message. */
bool rd_laws_print_semiflows(const struct rd_network *n, const struct rd_engine_options *o,
                             FILE *out, int64_t *rows_needed, struct rd_error *e);
/* Sets *is to whether some law without negative weights has no species but these n, which rise.
   Returns false with a message if there is no memory. */
bool rd_laws_conserve(enum rd_feasible *is, const struct rd_network *network,
                      const int32_t *species, int n, struct rd_error *e);
/* Prints how many laws of a basis are missing, at least one, and why. */
void rd_laws_print_missing(const struct rd_laws *l, FILE *out);
/* Returns how many species are in some law; -1 with a message. */
int rd_laws_species(const struct rd_laws *l, int n_species, struct rd_error *e);
/* Marks one species of each law of a basis, whose number follows from those of the others.
   follows[species] is false before. Returns false with a message if there is no memory. */
bool rd_laws_followers(const struct rd_laws *l, int n_species, bool *follows, struct rd_error *e);
void rd_laws_free(struct rd_laws *l);

#endif
