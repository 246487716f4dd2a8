/* field_components - values of fields and gradients that expressions use, one number for each
   voxel. It also marks species whose mean position an expression uses. */
#ifndef RD_MODEL_FIELD_COMPONENTS_H
#define RD_MODEL_FIELD_COMPONENTS_H

#include "model/reader.h"

/* Adds a zeroed component for what is called `name`, sets *which to its number and returns its
   values, [site], owned by the model; they move when another component is added. Returns NULL with
   a message if there is too little memory. */
double *rd_field_components_add(struct rd_reader *r, const char *name, int32_t *which);

/* Returns zeroed memory for the initial or constant values of field i, [site], owned by the model.
   Returns NULL with a message if there is too little memory. */
double *rd_field_components_begin(struct rd_reader *r, int i);

/* Returns the initial or constant values of field i; NULL if rd_field_components_begin was not
   called for it. */
const double *rd_field_components_start(const struct rd_model *m, int i);

/* Processes x, just compiled: marks the species whose mean it uses, computes gradients of constant
   fields, and replaces field numbers by the component numbers of the model. */
bool rd_field_components_take(struct rd_reader *r, struct rd_expr *x);

#endif
