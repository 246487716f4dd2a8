/* nullspace - which sums of species no reaction changes: all solutions y of y . change = 0 for
   every reaction, as integers. */
#ifndef RD_PLAN_NULLSPACE_H
#define RD_PLAN_NULLSPACE_H

#include "plan/weighted_sums.h"

/* Changes that are independent of those taken before, modulo the prime 2^61 - 1: small whatever
   the numbers are, where integers would grow without limit. */
typedef struct rd_echelon rd_echelon;

/* NULL with a sentence if there is no memory. */
rd_echelon *rd_echelon_open(int n_species, struct rd_error *e);
void rd_echelon_close(rd_echelon *c); /* NULL is possible */

/* Takes a change; *is_new: whether it is independent of the others. */
bool rd_echelon_take(rd_echelon *c, const struct rd_balance *change, bool *is_new,
                     struct rd_error *e);
/* How many independent ones it has, and the work so far: numbers that were touched. */
int rd_echelon_rank(const rd_echelon *c);
int64_t rd_echelon_work(const rd_echelon *c);

/* A basis of what leaves all the changes at 0: each taken back from the prime to the integers, and
   tried on every change with exact arithmetic. *is_whole: none was lost on the way, which only
   weights above 2^29 can cause. */
bool rd_nullspace(const rd_echelon *c, const struct rd_balances *change, struct rd_balances *basis,
                  bool *is_whole, struct rd_error *e);

#endif
