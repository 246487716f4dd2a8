/* check_json - `rdsim check --json`: all that check reports as one JSON document. */
#ifndef RD_APP_CHECK_JSON_H
#define RD_APP_CHECK_JSON_H

#include "app/job.h"

/* Prints what rd_check_print wrote into report, beside numbers and warnings; more: warnings that
   are not in it. */
void rd_check_json(FILE *out, const struct rd_asked *a, const char *file, char *report,
                   const struct rd_error *more);
/* Prints what is wrong with the file, or with the command line (NULL), as {"error": ...}. */
void rd_check_json_error(FILE *out, const char *file, const struct rd_error *e);

#endif
