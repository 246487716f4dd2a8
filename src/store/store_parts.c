/* store_parts - the directory OUT.parts beside the result OUT: who may begin, which segments
   stand in it, and what is removed when. */
#define _POSIX_C_SOURCE 200809L
#include "store_parts.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Room for "/" and a file's name after the directory's. */
enum { TAIL = 40 };

static const char ENDING[] = ".parts", DRAFT[] = "draft.h5";

static bool may_replace(const char *path, bool force, struct rd_error *e)
{
    struct stat about;
    const size_t length = strlen(path);
    if (length == 0)
        return rd_fail(e, "the result's file has no name; output.file or --output FILE gives one");
    if (length + sizeof ENDING + TAIL > sizeof(struct rd_path))
        return rd_fail(e, "the result's file has a name of %zu characters; up to %zu would do",
                       length, sizeof(struct rd_path) - sizeof ENDING - TAIL);
    if (path[length - 1] == '/' || (stat(path, &about) == 0 && S_ISDIR(about.st_mode)))
        return rd_fail(e, "%s: is a directory; the result needs the name of a file", path);
    if (stat(path, &about) != 0)
        return true; /* whatever is wrong with the path, mkdir will say */
    if (!force)
        return rd_fail(e, "%s: exists; --force replaces it, --output FILE writes another", path);
    if (!S_ISREG(about.st_mode))
        return rd_fail(e, "%s: is not a regular file, and is not replaced", path);
    return true;
}

/* The number of a segment's name, -1 for any other. */
static int64_t number_of(const char *name)
{
    char *end = NULL;
    if (name[0] < '0' || name[0] > '9')
        return -1;
    const long long number = strtoll(name, &end, 10);
    return strcmp(end, ".h5") == 0 && number < LLONG_MAX ? number : -1;
}

/* Behind the segments that an earlier run left. */
static bool find_first(struct rd_parts *p, struct rd_error *e)
{
    DIR *const directory = opendir(p->directory.text);
    if (!directory || access(p->directory.text, W_OK) != 0) {
        rd_fail(e, "%s: cannot be used for the segments of the result: %s", p->directory.text,
                strerror(errno));
        if (directory)
            closedir(directory);
        return false;
    }
    for (const struct dirent *entry; (entry = readdir(directory)) != NULL;)
        if (number_of(entry->d_name) >= p->first)
            p->first = number_of(entry->d_name) + 1;
    closedir(directory);
    return true;
}

static bool make_directory(struct rd_parts *p, const char *path, bool force, struct rd_error *e)
{
    if (mkdir(p->directory.text, 0777) == 0)
        return true;
    const char *const slash = strrchr(path, '/');
    const char *const where = slash ? path : ".";
    const int length = slash && slash > path ? (int)(slash - path) : 1;
    switch (errno) {
    case EEXIST:
        return force ? find_first(p, e)
                     : rd_fail(e,
                               "%s: holds the segments of a run that was killed or still goes on; "
                               "--force replaces them, --output FILE writes elsewhere",
                               p->directory.text);
    case ENOENT:
        return rd_fail(e, "%s: there is no directory '%.*s'; make it first", path, length, where);
    default:
        return rd_fail(e, "%s: cannot write in '%.*s': %s", path, length, where, strerror(errno));
    }
}

bool rd_parts_open(struct rd_parts *p, const char *path, bool force, struct rd_error *e)
{
    *p = (struct rd_parts){0};
    if (!may_replace(path, force, e))
        return false;
    snprintf(p->directory.text, sizeof p->directory.text, "%s%s", path, ENDING);
    if (!make_directory(p, path, force, e)) {
        *p = (struct rd_parts){0}; /* the directory may be another run's: it is not ours to close */
        return false;
    }
    p->next = p->first;
    return true;
}

bool rd_parts_add(struct rd_parts *p, int64_t n_times, struct rd_error *e)
{
    struct rd_part *const more = realloc(p->part, (size_t)(p->n + 1) * sizeof *more);
    if (!more)
        return rd_fail(e, "%s: not enough memory to go on", p->directory.text);
    p->part = more;
    p->part[p->n++] = (struct rd_part){.number = p->next++, .n_times = n_times};
    return true;
}

void rd_parts_merge(struct rd_parts *p, int n)
{
    struct rd_part *const one = &p->part[p->n - n];
    for (int i = 1; i < n; i++)
        one->n_times += one[i].n_times;
    one->number = p->next++;
    one->level++;
    p->n -= n - 1;
}

void rd_parts_remove(const struct rd_parts *p, int64_t begin, int64_t end)
{
    DIR *const directory = begin < end ? opendir(p->directory.text) : NULL;
    if (!directory)
        return;
    for (const struct dirent *entry; (entry = readdir(directory)) != NULL;) {
        const int64_t number = number_of(entry->d_name);
        if (begin <= number && number < end)
            unlinkat(dirfd(directory), entry->d_name, 0);
    }
    closedir(directory);
}

void rd_parts_close(struct rd_parts *p)
{
    if (p->directory.text[0])
        rmdir(p->directory.text);
    free(p->part);
    *p = (struct rd_parts){0};
}

static struct rd_path inside(const struct rd_parts *p, const char *name)
{
    struct rd_path path = p->directory;
    const size_t length = strlen(path.text);
    snprintf(path.text + length, sizeof path.text - length, "/%s", name);
    return path;
}

const char *rd_parts_name(const struct rd_parts *p)
{
    const char *const slash = strrchr(p->directory.text, '/');
    return slash ? slash + 1 : p->directory.text;
}

struct rd_path rd_parts_path(const struct rd_parts *p, int64_t number)
{
    char name[TAIL];
    snprintf(name, sizeof name, "%06lld.h5", (long long)number);
    return inside(p, name);
}

struct rd_path rd_parts_draft(const struct rd_parts *p)
{
    return inside(p, DRAFT);
}
