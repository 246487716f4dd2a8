/* facets - fields, and slopes of theirs that expressions ask for, as numbers for each cell. */
#ifndef RD_FACETS_H
#define RD_FACETS_H

#include "reader.h"

/* Room for a facet of a field, in the numbering of expressions, zeroed: a number for each site.
   NULL with a sentence where there is too little memory. */
double *rd_facets_add(struct rd_reader *r, int32_t facet);

/* Where the facet's numbers stand; NULL if nobody asked for it. */
const double *rd_facets_find(const struct rd_model *m, int32_t facet);

/* Makes what x, just compiled, looks up, and numbers that as the model does. */
bool rd_facets_take(struct rd_reader *r, struct rd_expr *x);

#endif
