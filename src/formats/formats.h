/* formats - models of other programs: converts them to the text of a configuration, which the
   ordinary reader then reads. */
#ifndef RD_FORMATS_FORMATS_H
#define RD_FORMATS_FORMATS_H

#include "config/config.h"

#include <stddef.h>

/* Returns the word for the format of these bytes, as "SBML"; NULL if it is none that can be
   converted. */
const char *rd_formats_name(const char *bytes, size_t n);

/* Returns the configuration that corresponds to the model in these bytes, which a zero byte
   follows; the caller frees it. It names the source with its hash. Adds to notes what a user should
   know about the conversion. NULL with messages. path: the file, for messages. */
char *rd_formats_import(const char *path, const char *bytes, size_t n, struct rd_error *notes,
                        struct rd_error *e);

/* Returns the converted text of the file at path (RD_CONFIG_STDIN: of standard input). A file that
   is no model of another program is an error. */
char *rd_formats_import_file(const char *path, struct rd_error *notes, struct rd_error *e);

/* Reads a configuration, or converts and reads a model of another program, as rd_config_read. */
bool rd_formats_read(rd_config **c, const char *path, const struct rd_set *set, int n_set,
                     struct rd_error *notes, struct rd_error *e);

#endif
