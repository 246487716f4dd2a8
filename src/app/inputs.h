/* inputs - the files that a configuration reads besides itself.

   A result notes their sizes and hashes, so that `rdsim again` can check that they are
   unchanged. */
#ifndef RD_APP_INPUTS_H
#define RD_APP_INPUTS_H

#include "model/model.h"

/* Returns a line for each file: bytes, hash (FNV-1a, 64 bits), path. The caller frees it. Returns
   NULL with a message on failure. */
char *rd_inputs_note(const struct rd_model *m, struct rd_error *e);

/* Returns whether the model's result replaces none of these files; if it would, adds a message. */
bool rd_inputs_spared(const struct rd_model *m, struct rd_error *e);

/* Returns whether the noted files exist and are unchanged; adds a message for each that is not. */
bool rd_inputs_check(const char *noted, struct rd_error *e);

#endif
