/* publish - gives a finished file its final name. */
#ifndef RD_BASE_PUBLISH_H
#define RD_BASE_PUBLISH_H

#include "base/error.h"

/* Returns whether a file may get the name `path`, or false with a message. An existing file is
   replaced only if force is set, and only if it is a regular file. or_else ends the message about
   force. */
bool rd_publish_may(const char *path, bool force, const char *or_else, struct rd_error *e);

/* Renames the file so that the new name survives a power cut; removes the temporary file on
   failure. */
bool rd_publish(const char *temporary, const char *path, struct rd_error *e);

#endif
