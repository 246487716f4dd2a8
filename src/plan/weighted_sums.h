/* weighted_sums - lists of weighted sums of species: net changes of reactions, or conservation
   laws. Stands apart because the elimination, the semiflows and the choice of laws share it. */
#ifndef RD_PLAN_WEIGHTED_SUMS_H
#define RD_PLAN_WEIGHTED_SUMS_H

#include "base/error.h"
#include "cone/sparse.h"

#include <stdio.h>

/* Holds a list of weighted sums; entries are species and weights. A zero-initialised struct is
   empty. */
struct rd_weighted_sums {
    struct rd_sparse *of; /* owned */
    int n, capacity;
};

/* Adds a sum with these n entries, which rise by species and are not 0. */
bool rd_weighted_sums_add_entries(struct rd_weighted_sums *b, const struct rd_entry *entry, int n,
                                  struct rd_error *e);
/* Adds a sum with these weights of all species, weight[species]. */
bool rd_weighted_sums_add(struct rd_weighted_sums *b, const int64_t *weight, int n_species,
                          struct rd_error *e);
/* Prints a sum as "A + 2 B - C"; name[species]. */
void rd_weighted_sums_print(const struct rd_sparse *sum, char *const *name, FILE *out);
void rd_weighted_sums_free(struct rd_weighted_sums *b);

#endif
