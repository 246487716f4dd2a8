/* sbml_reactions - the reactions of an SBML model as lines of a configuration. */
#ifndef RD_FORMATS_SBML_REACTIONS_H
#define RD_FORMATS_SBML_REACTIONS_H

#include "formats/sbml_counted.h"

/* Writes the section `reactions`. */
void rd_sbml_write_reactions(struct rd_sbml *s, const struct rd_sbml_counted *counted, FILE *out);

#endif
