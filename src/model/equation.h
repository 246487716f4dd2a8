/* equation - reads an equation like "A + 2 B -> C". No other file parses equations. */
#ifndef RD_MODEL_EQUATION_H
#define RD_MODEL_EQUATION_H

#include "model/model.h"

/* Fills x's equation, reactant and product from text with the species of the model. Messages begin
   with place and give the column. */
bool rd_equation_read(struct rd_reaction *x, const char *text, const struct rd_model *m,
                      const char *place, struct rd_error *e);

/* Returns the number of the species on a side of n terms. */
int32_t rd_equation_number(const struct rd_term *side, int n, int32_t species);

#endif
