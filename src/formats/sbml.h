/* sbml - converts SBML models, levels 2 and 3, by libSBML; separate because a build without libSBML
   has only this part. docs/sbml.md lists what is converted. */
#ifndef RD_FORMATS_SBML_H
#define RD_FORMATS_SBML_H

#include "base/error.h"

/* Returns whether a text is an SBML document, as far as its beginning shows. */
bool rd_sbml_is(const char *text);

/* Returns the body of a configuration; the caller frees it. Returns NULL with messages, which name
   lines of the model. Notes say what a user should know about the conversion. */
char *rd_sbml_import(const char *path, const char *text, struct rd_error *notes,
                     struct rd_error *e);
/* Returns the reactions as a network text, of which neither rates nor whole numbers are needed; the
   caller frees it. Returns NULL with messages. */
char *rd_sbml_network(const char *path, const char *text, struct rd_error *notes,
                      struct rd_error *e);

#endif
