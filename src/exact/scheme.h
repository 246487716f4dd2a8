/* scheme - values that the exact solver derives from the tables of the world: hop rates, and which
   propensities depend on what. */
#ifndef RD_EXACT_SCHEME_H
#define RD_EXACT_SCHEME_H

#include "kernels/core/world.h"

#include <stddef.h>

/* Holds values derived from the tables of the world, shared by all replicas. */
struct rd_scheme {
    double *leave;   /* [zone or site][species]: hops per molecule and time */
    uint64_t *reads; /* [species][word]: bit r: the propensity of reaction r depends on the count */
    int32_t *exchange_of;   /* [reaction]: number of its exchange, or -1 */
    uint64_t *varies;       /* [word]: bit r: the propensity of reaction r depends on t or an ODE */
    uint64_t *reads_totals; /* [word]: bit r: the propensity of reaction r depends on totals */
    uint8_t *is_read;       /* [total]: some propensity depends on it */
    uint64_t *keyed; /* [species], and one more for reactions without reactants: bit r: the reaction
                        is visited if the species is present; NULL: there are more than 64 */
    bool uses_time;  /* a condition of an event depends on the time */
    bool has_sources; /* some reaction has no reactants */
    int32_t n_words;
    bool integrates; /* one voxel, and propensities vary, or there are ODEs */
};

/* Allocates memory for the tables of w; rd_scheme_note copies their present values. */
bool rd_scheme_open(struct rd_scheme *x, const struct rd_world *w);
void rd_scheme_note(struct rd_scheme *x, const struct rd_world *w);
void rd_scheme_close(struct rd_scheme *x);
size_t rd_scheme_memory(const struct rd_world *w);

#endif
