/* pictures - starts the Python package that draws: `rdsim plot` and `rdsim movie`. Separate because
   nothing else starts another program. */
#ifndef RD_APP_PICTURES_H
#define RD_APP_PICTURES_H

#include "base/error.h"

/* Replaces this process by Python, which runs the command and its words: argv is {"rdsim", "plot",
   ...}. Returns only on failure, with a message. */
void rd_pictures_run(char *const *argv, struct rd_error *e);

#endif
