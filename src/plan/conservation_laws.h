/* conservation_laws - the conservation laws of the reaction network: which sums of species no
   reaction changes, in their most readable form. */
#ifndef RD_PLAN_CONSERVATION_LAWS_H
#define RD_PLAN_CONSERVATION_LAWS_H

#include "plan/weighted_sums.h"

/* Independent of each other: first those without negative weights and of few species, as A + C and
   B + C of A + B -> C; then the others, as A - B of A + B -> 0. A species that nothing changes is
   one of its own. Zero-initialised is empty. */
struct rd_conserved {
    struct rd_balances law; /* species in the file's order */
    bool is_whole;          /* false: there may be more, but the network is too large to say */
};

bool rd_conserve_find(struct rd_conserved *c, const struct rd_model *m, struct rd_error *e);
void rd_conserve_free(struct rd_conserved *c);

/* "A + 2 B - C"; the caller frees; NULL if there is no memory. */
char *rd_conserve_text(const struct rd_model *m, const struct rd_balance *law);

#endif
