/* idle - reactions of a model that can never happen: a reactant is not there at the start, and no
   reaction that can happen makes it. */
#ifndef RD_IDLE_H
#define RD_IDLE_H

#include "model/model.h"

#include <stdio.h>

/* Prints a warning for each species that is the cause, with the first of its reactions and how many
   more there are. Returns false with a message if there is no memory. */
bool rd_idle_print(FILE *out, const struct rd_model *m, struct rd_error *e);

#endif
