/* field_components - fields, and slopes of theirs that expressions ask for, as numbers for each
   voxel; and what else an expression asks for that somebody must provide. */
#ifndef RD_MODEL_FIELD_COMPONENTS_H
#define RD_MODEL_FIELD_COMPONENTS_H

#include "model/reader.h"

/* Room for the numbers that field i begins as, or stays, zeroed: one for each site. NULL with a
   sentence where there is too little memory. */
double *rd_field_components_begin(struct rd_reader *r, int i);

/* What field i begins as, or stays; NULL: it was not begun. */
const double *rd_field_components_start(const struct rd_model *m, int i);

/* Notes what x, just compiled, looks up, makes slopes of fields that stay, and numbers all that as
   the model does. */
bool rd_field_components_take(struct rd_reader *r, struct rd_expr *x);

#endif
