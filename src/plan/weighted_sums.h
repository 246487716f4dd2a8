/* weighted_sums - weighted sums of species: net changes of reactions, or conservation laws. */
#ifndef RD_PLAN_WEIGHTED_SUMS_H
#define RD_PLAN_WEIGHTED_SUMS_H

#include "model/model.h"

/* A weighted sum. Species rise, and no weight is 0. */
struct rd_weighted_sum {
    struct rd_term *term; /* owned */
    int n;
};

/* A list of weighted sums. Zero-initialised is empty. */
struct rd_weighted_sums {
    struct rd_weighted_sum *of; /* owned */
    int n;
};

/* Adds a sum with these weights of all species, number[species]. */
bool rd_weighted_sums_add(struct rd_weighted_sums *b, const int32_t *number, int n_species,
                          struct rd_error *e);
void rd_weighted_sums_free(struct rd_weighted_sums *b);

/* Returns the greatest common divisor; it is 0 for 0 and 0. */
int64_t rd_weighted_sum_divisor(int64_t a, int64_t b);

#endif
