/* plain - the reference algorithm for elementary flux modes: one species after the other is
   eliminated (Schuster and Hilgetag, J. Biol. Syst. 2, 165, 1994), exact, on one thread. */
#ifndef RD_PLAIN_H
#define RD_PLAIN_H

#include "cone/supports.h"
#include "modes/network.h"

#include <stdio.h>

/* Finds all modes, unsorted. steps: where a line for each step goes, or NULL. */
bool rd_plain_find(struct rd_supports *m, const struct rd_network *n, FILE *steps,
                   struct rd_error *e);

#endif
