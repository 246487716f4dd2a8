/* inputs - the files that a configuration reads beside itself: a result notes them, so that they
   can be seen to be unchanged when it is made again. */
#ifndef RD_APP_INPUTS_H
#define RD_APP_INPUTS_H

#include "model/model.h"

/* A line for each: bytes, hash (FNV-1a, 64 bits), path. The caller frees; NULL with a sentence. */
char *rd_inputs_note(const struct rd_model *m, struct rd_error *e);

/* Whether the model's result leaves these files as they are. */
bool rd_inputs_spared(const struct rd_model *m, struct rd_error *e);

/* Whether the files noted are there and unchanged; a sentence for each that is not. */
bool rd_inputs_check(const char *noted, struct rd_error *e);

#endif
