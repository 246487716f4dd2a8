/* equation - reads an equation like "A + 2 B -> C". No other file parses equations. */
#ifndef RD_MODEL_EQUATION_H
#define RD_MODEL_EQUATION_H

#include "model/model.h"

/* Fills x's equation, reactant and product from text with the species of the model. Sets
 *is_reversible if the arrow leads both ways. Messages begin with place and give the column. */
bool rd_equation_read(struct rd_reaction *x, const char *text, const struct rd_model *m,
                      const char *place, bool *is_reversible, struct rd_error *e);
/* Reads a sum like "A + 2 B" alone. Sets *term, which the caller frees in any case, and *n. */
bool rd_equation_sum(struct rd_term **term, int *n, const char *text, const struct rd_model *m,
                     const char *place, struct rd_error *e);
/* Fills the equation, reactant and product of the reverse of x. Returns false without memory. */
bool rd_equation_turn(struct rd_reaction *back, const struct rd_reaction *x);

/* Returns the length of the arrow at this place, and whether it leads both ways; 0 if there is
   none. */
size_t rd_equation_arrow(const char *at, bool *is_reversible);
/* Returns the length of a sign for an empty side at this place; 0 if there is none. */
size_t rd_equation_nothing(const char *at);

/* Returns the number of the species on a side of n terms. */
int32_t rd_equation_number(const struct rd_term *side, int n, int32_t species);

#endif
