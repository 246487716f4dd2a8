/* pathways - all elementary flux modes of a network: the elementary vectors of its stoichiometry.
 */
#ifndef RD_PATHWAYS_H
#define RD_PATHWAYS_H

#include "cone/elementary.h"
#include "modes/network.h"

/* Holds the modes of a network. A zero-initialised struct is empty. */
struct rd_pathways {
    const struct rd_network *network; /* borrowed */
    struct rd_elementary modes;       /* a row for each species, a column for each reaction */
};

/* Finds the modes. Returns false with a message. */
bool rd_pathways_find(struct rd_pathways *p, const struct rd_network *n,
                      const struct rd_engine_options *o, struct rd_error *e);
/* Does the same by the reference algorithm. steps: where a line for each step goes, or NULL. */
bool rd_pathways_find_plain(struct rd_pathways *p, const struct rd_network *n, FILE *steps,
                            struct rd_error *e);
void rd_pathways_free(struct rd_pathways *p);

#endif
