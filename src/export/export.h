/* export - writes a model as SBML level 3 version 1, as far as SBML can say it. docs/sbml.md lists
   what becomes what. No library is needed. */
#ifndef RD_EXPORT_EXPORT_H
#define RD_EXPORT_EXPORT_H

#include "config/config.h"
#include "model/model.h"

/* Returns the SBML document of the model, which was read from the configuration c; the caller frees
   it. Adds notes on what has no effect and is left out. Returns NULL with a message for each part
   that SBML cannot say. */
char *rd_export_sbml(const struct rd_model *m, const rd_config *c, struct rd_error *notes,
                     struct rd_error *e);

#endif
