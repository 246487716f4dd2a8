/* check_json - `rdsim check --json`: everything that check reports, as one JSON document. */
#ifndef RD_APP_CHECK_JSON_H
#define RD_APP_CHECK_JSON_H

#include "app/job.h"

/* Prints numbers, warnings and the text that rd_check_print wrote into `report`, which is cut in
   place. `more` has warnings that are not in the report. */
void rd_check_json(FILE *out, const struct rd_asked *a, const char *file, char *report,
                   const struct rd_error *more);
/* Prints the errors of the file, or of the command line (file = NULL), as {"error": ...}. */
void rd_check_json_error(FILE *out, const char *file, const struct rd_error *e);

#endif
