/* sbml_network - the reactions of an SBML model as a network text; separate because it needs
   neither rates nor whole numbers, which the conversion to a configuration does. */
#ifndef RD_FORMATS_SBML_NETWORK_H
#define RD_FORMATS_SBML_NETWORK_H

#include "formats/sbml_library.h"

/* Returns the text, which the caller frees: a reaction stands in its line of the model if that is
   possible, and boundary and constant species are external. Returns NULL with messages. */
char *rd_sbml_write_network(const char *path, Model_t *m, struct rd_error *notes,
                            struct rd_error *e);

#endif
