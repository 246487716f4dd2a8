/* weighted_sums - weighted sums of species: what reactions change, or what they leave as it is. */
#ifndef RD_PLAN_WEIGHTED_SUMS_H
#define RD_PLAN_WEIGHTED_SUMS_H

#include "model/model.h"

/* Species rise, and no number is 0. */
struct rd_balance {
    struct rd_term *term; /* owned */
    int n;
};

/* Zero-initialised is empty. */
struct rd_balances {
    struct rd_balance *of; /* owned */
    int n;
};

/* One more, of these numbers of all species. */
bool rd_balances_add(struct rd_balances *b, const int32_t *number, int n_species,
                     struct rd_error *e);
void rd_balances_free(struct rd_balances *b);

/* Greatest common divisor; of 0 and 0 it is 0. */
int64_t rd_balance_divisor(int64_t a, int64_t b);

#endif
