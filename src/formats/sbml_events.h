/* sbml_events - the events of an SBML model as entries of a configuration. */
#ifndef RD_FORMATS_SBML_EVENTS_H
#define RD_FORMATS_SBML_EVENTS_H

#include "formats/sbml_counted.h"

/* Writes the section `events`. */
void rd_sbml_write_events(struct rd_sbml *s, const struct rd_sbml_counted *counted, FILE *out);

#endif
