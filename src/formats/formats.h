/* formats - models of other programs: converts them to the text of a configuration, which the
   ordinary reader then reads. */
#ifndef RD_FORMATS_FORMATS_H
#define RD_FORMATS_FORMATS_H

#include "base/error.h"

#include <stddef.h>

/* Gives the beginning of every converted text. */
#define RD_FORMATS_OPENING "# Converted by rdsim from "

/* Returns whether the bytes, which a zero byte follows, are a model that can be converted. */
bool rd_formats_is(const char *bytes, size_t n);

/* Returns the configuration that corresponds to the model in these bytes; the caller frees it. Its
   first line names the source with its hash. Adds to notes what a user should know about the
   conversion. Returns NULL with messages. path: the file, for messages. */
char *rd_formats_import(const char *path, const char *bytes, size_t n, struct rd_error *notes,
                        struct rd_error *e);

/* Returns the reactions of the model in these bytes as a text that rdsim modes reads, in which
   species that no reaction changes are external; the caller frees it. Returns NULL with
   messages. */
char *rd_formats_network(const char *path, const char *bytes, size_t n, struct rd_error *notes,
                         struct rd_error *e);

#endif
