/* publish - a finished file gets the name by which it is seen. */
#ifndef RD_BASE_PUBLISH_H
#define RD_BASE_PUBLISH_H

#include "base/error.h"

/* Whether a file may get that name, or else a sentence: what is there is replaced only by force,
   and only if it is a file. or_else ends the sentence about force. */
bool rd_publish_may(const char *path, bool force, const char *or_else, struct rd_error *e);

/* Renames it, so that the new name survives a power cut; on failure the temporary file is gone. */
bool rd_publish(const char *temporary, const char *path, struct rd_error *e);

#endif
