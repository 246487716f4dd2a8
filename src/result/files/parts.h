/* parts - the directory OUT.parts beside the result OUT: its lock, the list of its segments, and
   the removal of files. This module handles directories, not HDF5. */
#ifndef RD_RESULT_FILES_PARTS_H
#define RD_RESULT_FILES_PARTS_H

#include "base/error.h"
#include "result/files/part_names.h"

/* Describes one closed segment: the file NUMBER.h5. */
struct rd_part {
    int64_t number;
    int level; /* 0 as written; segments of one level merge into one of the next */
};

/* Describes a checkpoint, the file NUMBER.checkpoint, and the segments that it needs. These are
   kept as long as the checkpoint is. */
struct rd_held {
    int64_t number;
    int64_t *part; /* owned: numbers; NULL: there is no checkpoint */
    int n;
};

/* Gives the number of checkpoints that are kept. */
enum { RD_HOLDS = 2 };

struct rd_parts {
    struct rd_path directory;
    int lock;             /* descriptor of the lock; its holder owns the directory */
    struct rd_part *part; /* owned, in the order of time */
    int n;
    int64_t *length; /* owned: [part][table], the number of rows */
    int n_lengths;
    bool has_batches; /* the files NUMBER.batches exist, as long as checkpoints need them */
    int64_t batches;
    int64_t first, next;           /* numbers; those below first belong to an earlier run */
    struct rd_held hold[RD_HOLDS]; /* the newest first */
};

/* Return whether there are segments of a result at path, and whether a run is writing them. */
bool rd_parts_exist(const char *path);
bool rd_parts_are_held(const char *path);
/* Checks that a result at path may be replaced, can be written, and is not being written.
   Changes nothing. Returns false with a message. */
bool rd_parts_check(const char *path, bool force, struct rd_error *e);
/* Does the same check; then makes the directory, and holds its lock until rd_parts_close. */
bool rd_parts_open(struct rd_parts *p, const char *path, bool force, int n_lengths,
                   struct rd_error *e);
/* Adds a segment with these lengths at the end of the list, under the number `next`. */
bool rd_parts_add(struct rd_parts *p, const int64_t *length, struct rd_error *e);
/* Replaces the last n segments of the list by one, under the number `next`. */
void rd_parts_merge(struct rd_parts *p, int n);
/* Removes the segments with numbers from begin to end - 1 that no checkpoint needs. */
void rd_parts_remove(const struct rd_parts *p, int64_t begin, int64_t end);
/* Removes all segments that are neither in the list nor needed by a checkpoint, and all
   checkpoints that are not kept. */
void rd_parts_clean(const struct rd_parts *p);
/* Removes the directory if it is empty, and frees p. */
void rd_parts_close(struct rd_parts *p);

/* Returns the directory beside path, for reading only: without the lock and without a list. */
struct rd_parts rd_parts_at(const char *path);
/* Takes the directory of a run that ended before its time; the list of segments is empty. */
bool rd_parts_resume(struct rd_parts *p, const char *path, int n_lengths, struct rd_error *e);
/* Returns the highest number of a checkpoint that is below this one, or -1. */
int64_t rd_parts_newest(const struct rd_parts *p, int64_t below);
/* Records that the checkpoint of this number exists, and needs the segments in the list. The
   last RD_HOLDS checkpoints are kept; an older one is removed. */
bool rd_parts_hold(struct rd_parts *p, int64_t number, struct rd_error *e);
/* Returns the path of the file for batches of runs of a process, and records its number. share: 0,
   or the index of a process that simulates some of the batches. */
struct rd_path rd_parts_batches(struct rd_parts *p, int64_t number, int share);
/* Removes all checkpoints, segments and files of batches, when one file holds the whole result. */
void rd_parts_release(struct rd_parts *p);

/* Removes all that a run leaves beside path, and the directory. The caller holds its lock, or
   ends the process that does. */
void rd_parts_discard(const char *path);

int64_t rd_parts_length(const struct rd_parts *p, int part, int which);
const char *rd_parts_name(const struct rd_parts *p); /* the last part of its path */
/* Returns the name of a segment as a master has it, by which HDF5 finds it. */
struct rd_path rd_parts_name_in_master(const struct rd_parts *p, int64_t number);
struct rd_path rd_parts_path(const struct rd_parts *p, int64_t number);
/* Returns the path under which each file is written, one at a time, before it is renamed. */
struct rd_path rd_parts_temporary_file(const struct rd_parts *p);
/* Return the paths of a checkpoint, and of the temporary file for checkpoints. */
struct rd_path rd_parts_checkpoint(const struct rd_parts *p, int64_t number);
struct rd_path rd_parts_checkpoint_temporary_file(const struct rd_parts *p);

#endif
