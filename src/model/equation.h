/* equation - reads "A + 2 B -> C"; alone knows how reactions are written. */
#ifndef RD_MODEL_EQUATION_H
#define RD_MODEL_EQUATION_H

#include "model/model.h"

/* Fills x's equation, reactant and product from text with the model's species. Sentences open
   with place, and point at the column. */
bool rd_equation_read(struct rd_reaction *x, const char *text, const struct rd_model *m,
                      const char *place, struct rd_error *e);

/* How many of the species a side of n terms has. */
int32_t rd_equation_number(const struct rd_term *side, int n, int32_t species);

#endif
