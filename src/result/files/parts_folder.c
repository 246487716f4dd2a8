/* parts_folder - checks of the directory OUT.parts, and removal of files in it. */
#define _POSIX_C_SOURCE 200809L
#include "result/files/parts_folder.h"

#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool rd_store_folder_check(const char *path, struct rd_error *e)
{
    struct stat about;
    if (lstat(path, &about) != 0)
        return errno == ENOENT || rd_fail(e,
                                          "%s: cannot be used for the segments of the result: "
                                          "%s; write elsewhere with --output FILE",
                                          path, strerror(errno));
    if (S_ISLNK(about.st_mode))
        return rd_fail(e,
                       "%s: is a symbolic link, but the segments of a result need a folder of "
                       "their own; remove the link, or write elsewhere with --output FILE",
                       path);
    if (!S_ISDIR(about.st_mode))
        return rd_fail(
            e, "%s: is not a folder, but the segments of a result need one; move it elsewhere",
            path);
    return about.st_uid == geteuid() ||
           rd_fail(e,
                   "%s: belongs to another user (number %lu); write elsewhere with --output FILE",
                   path, (unsigned long)about.st_uid);
}

DIR *rd_store_folder_open(const char *path)
{
    const int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    DIR *const directory = fd >= 0 ? fdopendir(fd) : NULL;
    if (fd >= 0 && !directory)
        close(fd);
    return directory;
}

bool rd_store_folder_check_entry(DIR *directory, const char *path, const char *name,
                                 struct rd_error *e)
{
    struct stat own, about;
    if (fstat(dirfd(directory), &own) != 0 ||
        fstatat(dirfd(directory), name, &about, AT_SYMLINK_NOFOLLOW) != 0)
        return errno == ENOENT ||
               rd_fail(e, "%s: '%s' cannot be inspected: %s", path, name, strerror(errno));
    const char *const wrong = rd_file_clause(about.st_mode);
    if (wrong)
        return rd_fail(e, "%s: contains '%s', and %s; move it elsewhere", path, name, wrong);
    if (about.st_nlink > 1)
        return rd_fail(e,
                       "%s: contains '%s', which has %lu names (hard links) that writing would "
                       "change; replace it by a copy",
                       path, name, (unsigned long)about.st_nlink);
    return about.st_uid == own.st_uid ||
           rd_fail(
               e,
               "%s: contains '%s', which belongs to another user (number %lu); move it elsewhere",
               path, name, (unsigned long)about.st_uid);
}

bool rd_store_folder_remove(const char *path, const char *name)
{
    DIR *const directory = rd_store_folder_open(path);
    const bool is_removed = directory && unlinkat(dirfd(directory), name, 0) == 0;
    if (directory)
        closedir(directory);
    return is_removed;
}
