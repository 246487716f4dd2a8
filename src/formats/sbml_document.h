/* sbml_document - checks of a whole SBML document. */
#ifndef RD_FORMATS_SBML_DOCUMENT_H
#define RD_FORMATS_SBML_DOCUMENT_H

#include "formats/sbml_library.h"

/* Reads a document, checks it, removes data of packages, and converts level 1 to level 2. Returns
   the document, which the caller frees; NULL with messages, such as those of libSBML, if it cannot
   be simulated as a whole. */
SBMLDocument_t *rd_sbml_read(const char *path, const char *text, struct rd_error *notes,
                             struct rd_error *e);

/* Returns false with a message if elements are nested so deeply, or operations have so many parts,
   that libSBML cannot read them, or if libSBML would read only the first part of a number. */
bool rd_sbml_check_text(const char *path, const char *text, struct rd_error *e);

/* Returns whether libSBML's general checks of the model would take more than some seconds. */
bool rd_sbml_is_large(const char *text, Model_t *m);

#endif
