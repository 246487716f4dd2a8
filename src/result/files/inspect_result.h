/* inspect_result - checks a whole result file before its values are read. */
#ifndef RD_RESULT_FILES_INSPECT_RESULT_H
#define RD_RESULT_FILES_INSPECT_RESULT_H

#include "base/error.h"

#include <hdf5.h>

/* Checks a whole result. It must have no external links. Its data sets must be as
   rd_inspect_check_set requires, or virtual ones of segments in the result's own OUT.parts,
   which are checked too. The message begins with prefix. */
bool rd_inspect_result(hid_t file, const char *path, const char *prefix, struct rd_error *e);

#endif
