/* conservation_laws - the conservation laws of the reaction network (P-semiflows and others): sums
   of species that no reaction changes, in their most readable form. */
#ifndef RD_PLAN_CONSERVATION_LAWS_H
#define RD_PLAN_CONSERVATION_LAWS_H

#include "plan/weighted_sums.h"

/* A set of linearly independent laws. Laws without negative weights and of few species come first,
   like A + C and B + C for A + B -> C. The others follow, like A - B for A + B -> 0. A species that
   no reaction changes is a law by itself. Zero-initialised is empty. */
struct rd_conserved {
    struct rd_weighted_sums law; /* species numbers have the order of the file */
    bool is_whole; /* false: there may be more laws, but the network is too large to find
                      them */
};

bool rd_conservation_find(struct rd_conserved *c, const struct rd_model *m, struct rd_error *e);
void rd_conservation_free(struct rd_conserved *c);

/* Returns the law as text, "A + 2 B - C", or NULL if there is no memory; the caller frees it. */
char *rd_conservation_text(const struct rd_model *m, const struct rd_weighted_sum *law);

#endif
