/* store_parts - the directory OUT.parts beside the result OUT: who may begin, which segments
   stand in it, and what is removed when. Knows directories, not HDF5. */
#ifndef RD_STORE_PARTS_H
#define RD_STORE_PARTS_H

#include "error.h"

#include <stdint.h>

struct rd_path {
    char text[4096];
};

/* One closed segment: the file NUMBER.h5. */
struct rd_part {
    int64_t number;
    int level; /* 0 as written; segments of one level merge into one of the next */
};

struct rd_parts {
    struct rd_path directory;
    int lock;             /* held: who has it has the directory */
    struct rd_part *part; /* owned, in the order of time */
    int n;
    int64_t *length; /* owned: [part][what grows], how long it is there */
    int n_lengths;
    int64_t first, next; /* numbers: below first stand those of an earlier run */
};

/* Whether there are segments of a result at path, and whether a living process writes them; neither
   is to be asked by the one that does. */
bool rd_parts_exist(const char *path);
bool rd_parts_are_held(const char *path);
/* Refuses what must not be replaced, cannot be written or is being written; touches nothing. */
bool rd_parts_check(const char *path, bool force, struct rd_error *e);
/* Likewise; then makes the directory, and holds its lock until it is closed. */
bool rd_parts_open(struct rd_parts *p, const char *path, bool force, int n_lengths,
                   struct rd_error *e);
/* A segment with these lengths was added at the end; its number is taken. */
bool rd_parts_add(struct rd_parts *p, const int64_t *length, struct rd_error *e);
/* The last n segments are one now, whose number is taken. */
void rd_parts_merge(struct rd_parts *p, int n);
/* Removes the segments with numbers from begin to end - 1. */
void rd_parts_remove(const struct rd_parts *p, int64_t begin, int64_t end);
/* Removes the directory if nothing is in it, and frees. */
void rd_parts_close(struct rd_parts *p);

int64_t rd_parts_length(const struct rd_parts *p, int part, int which);
const char *rd_parts_name(const struct rd_parts *p); /* as seen from beside it */
struct rd_path rd_parts_path(const struct rd_parts *p, int64_t number);
/* Where every file is made, one at a time, before it is renamed to what can be seen. */
struct rd_path rd_parts_draft(const struct rd_parts *p);

#endif
