/* model_file - reads models of tests/models/, and applies settings as --set does, for tests. */
#ifndef RD_MODEL_FILE_H
#define RD_MODEL_FILE_H

#include "config/config.h"

/* Makes a list of settings, "path=value". A value that is a text needs no quotes. */
#define SETS(...) ((const char *const[]){__VA_ARGS__, NULL})

/* Returns the text of tests/models/NAME; the caller frees it. Aborts if there is no such file. */
char *model_text(const char *name);
/* Makes a configuration of tests/models/NAME with these settings (NULL: none), as
   rd_config_parse. Messages call the file NAME. */
bool model_read(rd_config **c, const char *name, const char *const *sets, struct rd_error *e);
/* Does the same with a file that may include others; messages call each by its path. */
bool model_read_merged(rd_config **c, const char *name, const char *const *sets,
                       struct rd_error *e);
/* Does the same with a text; messages call it NAME. */
bool model_parse(rd_config **c, const char *name, const char *text, const char *const *sets,
                 struct rd_error *e);

#endif
