/* laws - which weighted sums of species no reaction of a network changes. */
#ifndef RD_LAWS_H
#define RD_LAWS_H

#include "cone/elementary.h"
#include "modes/network.h"

/* Describes n laws, each with weights of all species that have no common divisor. A
   zero-initialised struct is empty. */
struct rd_laws {
    int n_species;
    int64_t n;
    int64_t *weight;       /* [n][n_species], owned */
    bool is_whole;         /* false: there may be more, which were not found */
    enum rd_feasible *has; /* [species], owned: of semiflows that are not whole, whether there is
                              one with the species; else NULL */
};

/* Finds the basis that rdsim check prints. External species are in no law. */
bool rd_laws_find(struct rd_laws *l, const struct rd_network *n, struct rd_error *e);
/* Finds all minimal laws without negative weights: the elementary flux modes of the transposed
   network (Schuster and Hilgetag, J. Biol. Syst. 2, 165, 1994). */
bool rd_laws_semiflows(struct rd_laws *l, const struct rd_network *n,
                       const struct rd_engine_options *o, struct rd_error *e);
/* Prints how many semiflows there are, over how many species, and then each of them. *rows_needed:
   0 if these are all, or how many rows the table had for which the memory was not enough. Returns
   false with a message. */
bool rd_laws_print_semiflows(const struct rd_network *n, const struct rd_engine_options *o,
                             FILE *out, int64_t *rows_needed, struct rd_error *e);
/* Prints "A + 2 B - C". */
void rd_laws_print(const struct rd_laws *l, int64_t law, const struct rd_network *n, FILE *out);
/* Returns how many species are in some law. */
int rd_laws_species(const struct rd_laws *l);
/* Marks one species of each law, whose number follows from the others: elimination in whole
   numbers. follows[species] is false before. Returns false with a message if a number does not fit.
 */
bool rd_laws_followers(const struct rd_laws *l, bool *follows, struct rd_error *e);
void rd_laws_free(struct rd_laws *l);

#endif
