/* stored_resume - a result that is left unfinished, with checkpoints, and is resumed: helpers for
   tests of that. */
#ifndef RD_STORED_RESUME_H
#define RD_STORED_RESUME_H

#include "stage.h"
#include "stored_file.h"

/* Writes the snapshots from begin to end - 1. */
static inline void write_some(struct stored *s, rd_store *store, int64_t begin, int64_t end)
{
    struct rd_error e = {0};
    for (int64_t t = begin; t < end; t++) {
        const struct rd_snapshot now = stored_snapshot(s, t);
        if ((s->lives && !rd_store_live(store, s->lives->life, s->lives->n_lives, &e)) ||
            !rd_store_write(store, &now, &e))
            fail_msg("%s", e.text);
    }
}

/* Writes a checkpoint that contains the number n of snapshots. */
static inline void keep(rd_store *store, int64_t n)
{
    struct rd_error e = {0};
    struct rd_checkpoint_file t;
    if (!rd_store_sync(store, true, &e) || !rd_store_checkpoint_file(store, &t, &e) ||
        !rd_store_keep(store, &t, rd_checkpoint_file_record(&t, "n", &n, sizeof n), &e))
        fail_msg("%s", e.text);
}

/* Runs a child that exits after n snapshots, as if killed, with a checkpoint at each number in kept
   (which ends with -1). */
static inline void kill_after(struct stored *s, bool force, const int *kept, int64_t n)
{
    struct rd_error e = {0};
    const pid_t child = fork();
    if (child == 0) {
        rd_store *store;
        int64_t done = 0;
        if (!rd_store_open(&store, "out.h5", force, &s->record, &e))
            _exit(1);
        for (; *kept >= 0; done = *kept++) {
            write_some(s, store, done, *kept);
            keep(store, *kept);
        }
        write_some(s, store, done, n);
        _exit(0);
    }
    int status = 1;
    assert_true(waitpid(child, &status, 0) == child && status == 0);
}

/* Resumes the result and reads the number of snapshots from the checkpoint. The caller owns the
   messages about refused checkpoints. */
static inline rd_store *resume(struct stored *s, int64_t *n, struct rd_error *refused,
                               struct rd_error *e)
{
    rd_store *store = NULL;
    struct rd_checkpoint_file t;
    if (!rd_store_resume(&store, "out.h5", &s->record, &t, refused, e))
        return NULL;
    assert_true(rd_checkpoint_file_close(&t, rd_checkpoint_file_record(&t, "n", n, sizeof *n)));
    return store;
}

static inline rd_store *resume_well(struct stored *s, int64_t wanted)
{
    struct rd_error refused = {0}, e = {0};
    int64_t n = -1;
    rd_store *const store = resume(s, &n, &refused, &e);
    if (!store || refused.n > 0)
        fail_msg("%s%s", store ? "" : e.text, refused.n > 0 ? refused.text : "");
    assert_int_equal(n, wanted);
    if (n > 0)
        assert_all("out.h5", s, n);
    return store;
}

static inline void close_well(rd_store *store, const char *state)
{
    struct rd_error e = {0};
    if (!rd_store_close(store, state, NULL, 0, &e))
        fail_msg("%s", e.text);
}

static inline struct stored *begin(const char *folder, int64_t n_times, bool has_lives)
{
    stored_folder(folder);
    struct stored *const s = stored_make(4, 3, 1, 2, n_times);
    if (has_lives)
        stored_add_individuals(s, 1);
    s->record.segment_bytes = 1;
    return s;
}

static inline void end(struct stored *s)
{
    stored_free(s);
    stored_leave();
}

static inline int n_checkpoints(void)
{
    DIR *const folder = opendir("out.h5.parts");
    int n = 0;
    for (const struct dirent *entry; (entry = readdir(folder)) != NULL;)
        n += strstr(entry->d_name, ".checkpoint") != NULL;
    closedir(folder);
    return n;
}

/* Returns the path of the newest checkpoint, or of the one before it. */
static inline const char *checkpoint(bool is_newest)
{
    static char path[2][300];
    long number[2] = {-1, -1};
    DIR *const folder = opendir("out.h5.parts");
    for (const struct dirent *entry; (entry = readdir(folder)) != NULL;)
        if (strstr(entry->d_name, ".checkpoint")) {
            const int at = strtol(entry->d_name, NULL, 10) > number[0] ? 0 : 1;
            if (at == 0) {
                number[1] = number[0];
                strcpy(path[1], path[0]);
            }
            number[at] = strtol(entry->d_name, NULL, 10);
            snprintf(path[at], sizeof path[at], "out.h5.parts/%s", entry->d_name);
        }
    closedir(folder);
    assert_true(number[1] >= 0);
    return path[is_newest ? 0 : 1];
}

#endif
