/* siphons - sets of species that never return once all of them are gone: each reaction that makes
   one of them also consumes one (Petri nets; Angeli, De Leenheer and Sontag, Math. Biosci. 210,
   598, 2007). */
#ifndef RD_SIPHONS_H
#define RD_SIPHONS_H

#include "modes/network.h"

enum { RD_SIPHONS_MOST = 1000 };

/* Holds the siphons that were found. A zero-initialised struct is empty. */
struct rd_siphons {
    int n;
    int64_t *begin;  /* [n + 1], owned: where the members of a siphon begin */
    int32_t *member; /* owned: species, rising */
    bool is_whole;   /* false: there may be more */
    int least;       /* then: every minimal siphon of fewer species than this is there */
};

/* Finds the minimal siphons of internal species, the smallest first. The search ends after a number
   of steps that takes about a second, so that the result is the same on any machine. */
bool rd_siphons_find(struct rd_siphons *s, const struct rd_network *n, struct rd_error *e);
void rd_siphons_free(struct rd_siphons *s);

#endif
