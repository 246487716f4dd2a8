/* parts - the directory OUT.parts beside the result OUT: who may begin, which segments
   stand in it, and what is removed when. Knows directories, not HDF5. */
#ifndef RD_RESULT_FILES_PARTS_H
#define RD_RESULT_FILES_PARTS_H

#include "base/error.h"

#include <stdint.h>

struct rd_path {
    char text[4096];
};

/* One closed segment: the file NUMBER.h5. */
struct rd_part {
    int64_t number;
    int level; /* 0 as written; segments of one level merge into one of the next */
};

/* A checkpoint, the file NUMBER.checkpoint, and the segments that it needs: they stay as long as it
   does. */
struct rd_defer {
    int64_t number;
    int64_t *part; /* owned: numbers; NULL: there is no checkpoint */
    int n;
};

/* So many checkpoints are kept. */
enum { RD_HOLDS = 2 };

struct rd_parts {
    struct rd_path directory;
    int lock;             /* held: who has it has the directory */
    struct rd_part *part; /* owned, in the order of time */
    int n;
    int64_t *length; /* owned: [part][what grows], how long it is there */
    int n_lengths;
    bool has_batches; /* the file BATCHES.batches is there, for as long as checkpoints need it */
    int64_t batches;
    int64_t first, next;            /* numbers: below first stand those of an earlier run */
    struct rd_defer hold[RD_HOLDS]; /* the newest first */
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
/* Removes the segments with numbers from begin to end - 1 that no checkpoint needs. */
void rd_parts_remove(const struct rd_parts *p, int64_t begin, int64_t end);
/* Removes all segments that neither stand in the list nor are needed by a checkpoint, and all
   checkpoints that are not kept. */
void rd_parts_clean(const struct rd_parts *p);
/* Removes the directory if nothing is in it, and frees. */
void rd_parts_close(struct rd_parts *p);

/* Beside path, with nothing taken: for looking only. */
struct rd_parts rd_parts_at(const char *path);
/* Takes the directory of a run that ended before its time; no segment is in the list yet. */
bool rd_parts_resume(struct rd_parts *p, const char *path, int n_lengths, struct rd_error *e);
/* The highest number below that of a checkpoint, or -1. */
int64_t rd_parts_newest(const struct rd_parts *p, int64_t below);
/* Removes the checkpoints below that. */
void rd_parts_forget(const struct rd_parts *p, int64_t below);
/* The checkpoint of this number is there, and needs the segments in the list; of those before it
   the last ones are kept. */
bool rd_parts_hold(struct rd_parts *p, int64_t number, struct rd_error *e);
/* What waits of batches is from now on this file. */
struct rd_path rd_parts_batches(struct rd_parts *p, int64_t number);
/* All is in one file: removes all checkpoints, segments and what waits of batches. */
void rd_parts_release(struct rd_parts *p);

/* Removes all that a run leaves beside path, and the directory. The caller holds its lock, or ends
   the process that does. */
void rd_parts_discard(const char *path);

int64_t rd_parts_length(const struct rd_parts *p, int part, int which);
const char *rd_parts_name(const struct rd_parts *p); /* as seen from beside it */
/* Returns the name of a segment as a master has it, by which HDF5 finds it. */
struct rd_path rd_parts_name_in_master(const struct rd_parts *p, int64_t number);
struct rd_path rd_parts_path(const struct rd_parts *p, int64_t number);
/* Where every file is made, one at a time, before it is renamed to what can be seen. */
struct rd_path rd_parts_temporary_file(const struct rd_parts *p);
/* Likewise of checkpoints. */
struct rd_path rd_parts_checkpoint(const struct rd_parts *p, int64_t number);
struct rd_path rd_parts_checkpoint_temporary_file(const struct rd_parts *p);

#endif
