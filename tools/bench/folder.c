/* folder - creates and deletes a temporary folder. */
#define _POSIX_C_SOURCE 200809L
#include "bench/folder.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

bool rd_folder_open(struct rd_folder *f, struct rd_error *e)
{
    const char *const temporary = getenv("TMPDIR");
    snprintf(f->path, sizeof f->path, "%s/rdsim-bench-XXXXXX", temporary ? temporary : "/tmp");
    return mkdtemp(f->path) ||
           rd_fail(e, "%s: cannot be made; set TMPDIR to a folder that can be written", f->path);
}

const char *rd_folder_path(const struct rd_folder *f, const char *name, char path[RD_FOLDER_PATH])
{
    snprintf(path, RD_FOLDER_PATH, "%s/%.100s", f->path, name);
    return path;
}

void rd_folder_close(const struct rd_folder *f)
{
    DIR *const folder = opendir(f->path);
    char path[RD_FOLDER_PATH];
    for (const struct dirent *d; folder && (d = readdir(folder));)
        if (d->d_name[0] != '.')
            unlink(rd_folder_path(f, d->d_name, path));
    if (folder)
        closedir(folder);
    rmdir(f->path);
}
