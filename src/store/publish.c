/* publish - a finished file gets the name by which it is seen. */
#define _POSIX_C_SOURCE 200809L
#include "publish.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A file system that cannot sync directories has nothing better to offer: its answer is not asked
   for. */
static void sync_directory(const char *path)
{
    const char *const slash = strrchr(path, '/');
    char *const directory = slash ? strdup(path) : strdup(".");
    if (!directory)
        return;
    if (slash)
        directory[slash - path + (slash == path)] = 0;
    const int fd = open(directory, O_RDONLY | O_DIRECTORY);
    free(directory);
    if (fd < 0)
        return;
    fsync(fd);
    close(fd);
}

bool rd_publish(const char *temporary, const char *path, struct rd_error *e)
{
    if (rename(temporary, path) != 0) {
        rd_fail(e, "%s: cannot be renamed to %s: %s", temporary, path, strerror(errno));
        unlink(temporary);
        return false;
    }
    sync_directory(path);
    return true;
}
