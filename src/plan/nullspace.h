/* nullspace - the weighted sums of species that no reaction changes: all integer solutions y of
   y . change = 0 for every reaction. */
#ifndef RD_PLAN_NULLSPACE_H
#define RD_PLAN_NULLSPACE_H

#include "plan/weighted_sums.h"

/* Holds linearly independent changes modulo a prime, in echelon form. Residues stay small, while
   integers would grow without limit. */
typedef struct rd_echelon rd_echelon;

/* Each prime is above 2^RD_ECHELON_BITS; the first is 2^61 - 1. */
enum { RD_ECHELON_PRIMES = 128, RD_ECHELON_BITS = 60 };

/* Returns an empty form modulo the prime of this number, or NULL with a message if there is no
   memory. */
rd_echelon *rd_echelon_open(int n_species, int prime, struct rd_error *e);
void rd_echelon_close(rd_echelon *c); /* accepts NULL */

/* Adds a change if it is independent of the earlier ones, and sets *is_new to whether it is. */
bool rd_echelon_take(rd_echelon *c, const struct rd_sparse *change, bool *is_new,
                     struct rd_error *e);
/* Returns whether a row begins with the species: the changes determine it by those behind it. */
bool rd_echelon_is_first(const rd_echelon *c, int species);
/* Returns the number of entries processed so far. */
int64_t rd_echelon_work(const rd_echelon *c);

/* Adds a basis of the sums that no change alters, until the work exceeds `most`. Each vector is
   reconstructed from residues to integers and verified with exact arithmetic on every change that
   has its species. *is_whole is false if a vector is missing: a weight exceeds 2^29, or the work
   does. */
bool rd_nullspace(rd_echelon *c, const struct rd_sparse *change, int n_changes, int64_t most,
                  struct rd_weighted_sums *basis, bool *is_whole, struct rd_error *e);

#endif
