/* part_names - the names of the directory OUT.parts and of the files in it: NUMBER.h5,
   NUMBER.checkpoint, NUMBER.batches and NUMBER.SHARE.batches. */
#include "result/files/part_names.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const part_ending[] = {[RD_PART_SEGMENT] = ".h5",
                                          [RD_PART_CHECKPOINT] = ".checkpoint",
                                          [RD_PART_BATCHES] = ".batches"};

struct rd_path rd_part_names_directory(const char *path)
{
    struct rd_path directory;
    snprintf(directory.text, sizeof directory.text, "%s.parts", path);
    return directory;
}

struct rd_path rd_part_names_inside(const struct rd_path *directory, const char *name)
{
    struct rd_path path = *directory;
    const size_t length = strlen(path.text);
    snprintf(path.text + length, sizeof path.text - length, "/%s", name);
    return path;
}

struct rd_part_name rd_part_names_numbered(int64_t number, enum rd_part_kind kind, int share)
{
    struct rd_part_name name;
    if (share > 0)
        snprintf(name.text, sizeof name.text, "%06lld.%d%s", (long long)number, share,
                 part_ending[kind]);
    else
        snprintf(name.text, sizeof name.text, "%06lld%s", (long long)number, part_ending[kind]);
    return name;
}

/* Returns the number in a name with that ending; -1 for any other name. */
static int64_t number_before(const char *name, const char *ending)
{
    char *end = NULL;
    if (name[0] < '0' || name[0] > '9')
        return -1;
    const long long number = strtoll(name, &end, 10);
    return strcmp(end, ending) == 0 && number < LLONG_MAX ? number : -1;
}

int64_t rd_part_names_number(const char *name, enum rd_part_kind kind)
{
    const char *const ending = part_ending[kind];
    const char *const tail = kind == RD_PART_BATCHES ? strchr(name, '.') : NULL;
    return number_before(name, tail && number_before(tail + 1, ending) >= 0 ? tail : ending);
}

int64_t rd_part_names_any_number(const char *name)
{
    int64_t number = -1;
    for (int kind = 0; kind <= RD_PART_BATCHES && number < 0; kind++)
        number = rd_part_names_number(name, (enum rd_part_kind)kind);
    return number;
}

bool rd_part_names_is_ours(const char *name)
{
    static const char *const other[] = {RD_PART_TEMPORARY_FILE, RD_PART_TEMPORARY_CHECKPOINT,
                                        RD_PART_LOCK, ".", ".."};
    for (size_t i = 0; i < sizeof other / sizeof *other; i++)
        if (strcmp(name, other[i]) == 0)
            return true;
    return rd_part_names_any_number(name) >= 0;
}
