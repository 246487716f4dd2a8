/* complexes - the graph of a network whose nodes are the two sides of its reactions: deficiency and
   weak reversibility (Feinberg, Chem. Eng. Sci. 42, 2229, 1987). */
#ifndef RD_COMPLEXES_H
#define RD_COMPLEXES_H

#include "modes/network.h"

struct rd_complexes {
    int n;                     /* different sides */
    int n_linkage;             /* connected components */
    bool is_weakly_reversible; /* from each complex that another one leads to, a way leads back */
};

/* Counts complexes and their linkage. External species are part of no complex, since their
   numbers do not change. Returns false with a message if there is no memory. */
bool rd_complexes_count(struct rd_complexes *c, const struct rd_network *n, struct rd_error *e);

#endif
