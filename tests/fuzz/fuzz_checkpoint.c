/* fuzz_checkpoint - reads any bytes as the content of a checkpoint with a correct checksum. It must
   be refused with a message, or the run must continue from it. */
#define _POSIX_C_SOURCE 200809L
#include "fuzz.h"
#include "group.h"

#include <stdio.h>
#include <unistd.h>

int LLVMFuzzerInitialize(int *argc, char ***argv);

static struct group group;
static char path[64], temporary[80];

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
    struct rd_error e = {0};
    snprintf(path, sizeof path, "/dev/shm/fuzz-%ld.checkpoint", (long)getpid());
    snprintf(temporary, sizeof temporary, "%s.temporary", path);
    if (!group_open(&group, &e))
        abort();
    return 0;
}

/* Writes all bytes as one record without a label, with a matching checksum. */
static void write_checkpoint_file(const uint8_t *data, size_t size)
{
    struct rd_checkpoint_file t;
    struct rd_error e = {0};
    if (!rd_checkpoint_file_create(&t, temporary, path, &e))
        abort();
    t.left = (int64_t)size;
    if (!rd_checkpoint_file_close(&t, rd_checkpoint_file_bytes(&t, (void *)(uintptr_t)data, size)))
        abort();
}

/* Returns whether the run is short; larger runs cost time and find no more. */
static bool is_quick(const struct rd_sim *s, const struct rd_run_position *now)
{
    enum { MOST = 1000 };
    for (int64_t i = 0; i < s->world.counts.n_count; i++)
        if (s->world.counts.count[i] > MOST)
            return false;
    return now->value[0] < MOST;
}

static bool load(void *from, struct rd_sim *s, struct rd_run_position *now, struct rd_error *e)
{
    (void)from;
    struct rd_checkpoint_file t;
    return rd_checkpoint_file_open(&t, path, e) &&
           rd_checkpoint_file_close(&t, rd_checkpoint_pass(&t, s, now, e)) &&
           (is_quick(s, now) || rd_fail(e, "takes too long"));
}

static enum rd_run_request go_on(void *to, double time, int64_t n_steps)
{
    (void)time;
    (void)n_steps;
    int *const steps = to;
    return ++*steps < 4 ? RD_GO_ON : RD_STOP;
}

static bool save(void *to, struct rd_sim *s, struct rd_run_position *now, struct rd_error *e)
{
    (void)now;
    return group_record(to, s, 0.0, e);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    int steps = 0;
    struct rd_error e = {0};
    const struct rd_watch watch = {.record = group_record,
                                   .live = group_live,
                                   .go_on = go_on,
                                   .go_on_to = &steps,
                                   .load = load,
                                   .save = save};
    write_checkpoint_file(data, size);
    fuzz_judge(group_run(&group, &watch, &e), &e);
    unlink(path);
    return 0;
}
