/* publish - a finished file gets the name by which it is seen. */
#ifndef RD_PUBLISH_H
#define RD_PUBLISH_H

#include "error.h"

/* Renames it, so that the new name survives a power cut; on failure the temporary file is gone. */
bool rd_publish(const char *temporary, const char *path, struct rd_error *e);

#endif
