/* part_names - the names of the directory OUT.parts and of the files in it. */
#ifndef RD_RESULT_FILES_PART_NAMES_H
#define RD_RESULT_FILES_PART_NAMES_H

#include <stdbool.h>
#include <stdint.h>

struct rd_path {
    char text[4096];
};

/* Limits the characters behind the name of the result: those of ".parts/" and of a file. */
enum { RD_PART_TAIL = 47 };

/* Lists the kinds of files with numbers in their names. */
enum rd_part_kind { RD_PART_SEGMENT, RD_PART_CHECKPOINT, RD_PART_BATCHES };

#define RD_PART_LOCK                 "lock"
#define RD_PART_TEMPORARY_FILE       "temporary.h5"
#define RD_PART_TEMPORARY_CHECKPOINT "temporary.checkpoint"

/* Holds the name of a numbered file. */
struct rd_part_name {
    char text[40];
};

/* Returns the directory beside the result at path. */
struct rd_path rd_part_names_directory(const char *path);
/* Returns the path of a file in the directory. */
struct rd_path rd_part_names_inside(const struct rd_path *directory, const char *name);
/* Returns a file's name. share: 0, or the index of a process that simulates some of the batches. */
struct rd_part_name rd_part_names_numbered(int64_t number, enum rd_part_kind kind, int share);

/* Returns the number in a name of that kind; -1 for any other name. */
int64_t rd_part_names_number(const char *name, enum rd_part_kind kind);
/* Returns the number in a name of any kind; -1 for any other name. */
int64_t rd_part_names_any_number(const char *name);
/* Returns whether a run makes files of that name; also for "." and "..". */
bool rd_part_names_is_ours(const char *name);

#endif
