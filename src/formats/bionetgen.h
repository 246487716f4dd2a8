/* bionetgen - converts networks of BioNetGen (.net). docs/bionetgen.md lists what is converted. */
#ifndef RD_FORMATS_BIONETGEN_H
#define RD_FORMATS_BIONETGEN_H

#include "base/error.h"

#include <stdbool.h>

/* Returns whether a text has a block of BioNetGen, as `begin reactions` ... `end reactions`. */
bool rd_bionetgen_is(const char *text);

/* Returns the body of a configuration; the caller frees it. Returns NULL with messages, which name
   lines of the network. Notes say what is left out. */
char *rd_bionetgen_import(const char *path, const char *text, struct rd_error *notes,
                          struct rd_error *e);
/* Returns the reactions as a network text; the caller frees it. Returns NULL with messages. */
char *rd_bionetgen_network(const char *path, const char *text, struct rd_error *notes,
                           struct rd_error *e);

#endif
