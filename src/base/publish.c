/* publish - gives a finished file its final name. */
#define _POSIX_C_SOURCE 200809L
#include "base/publish.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Synchronises the directory of path. It ignores errors: some file systems cannot do this, and
   there is no alternative. */
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

/* Refuses symbolic links: a rename replaces the link itself, not the file that it leads to. */
bool rd_publish_may(const char *path, bool force, const char *or_else, struct rd_error *e)
{
    struct stat about;
    char to[PATH_MAX] = "";
    if (readlink(path, to, sizeof to - 1) > 0)
        return rd_fail(e,
                       "%s: is a symbolic link to '%s', and is not replaced; name the file itself",
                       path, to);
    if (stat(path, &about) != 0)
        return true; /* an error in the path is reported when the file is created */
    if (!force)
        return rd_fail(e, "%s: exists; --force replaces it%s", path, or_else);
    return S_ISREG(about.st_mode) ||
           rd_fail(e, "%s: is not a regular file, and is not replaced", path);
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
