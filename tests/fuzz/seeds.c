/* seeds - writes initial inputs of the fuzzer into a folder: the content of a checkpoint after each
   step of a small run. */
#define _POSIX_C_SOURCE 200809L
#include "group.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Holds the folder of the checkpoints and their number. */
struct shelf {
    const char *folder;
    int n;
};

/* Copies the content of a checkpoint file between its head and its tail, of 16 bytes each. */
static bool copy_inside(const char *from, const char *to)
{
    enum { END = 16, MOST = 1 << 16 };
    static char bytes[MOST];
    FILE *const in = fopen(from, "rb"), *const out = fopen(to, "wb");
    const size_t n = in ? fread(bytes, 1, MOST, in) : 0;
    bool good =
        out && n > 2 * END && n < MOST && fwrite(bytes + END, 1, n - 2 * END, out) == n - 2 * END;
    good = out && fclose(out) == 0 && good;
    if (in)
        fclose(in);
    return good;
}

static bool save(void *to, struct rd_sim *s, struct rd_run_position *now, struct rd_error *e)
{
    struct shelf *const shelf = to;
    char path[4096], temporary[4096 + 8];
    struct rd_checkpoint_file t;
    s->n_lives = 0;
    snprintf(path, sizeof path, "%s/checkpoint", shelf->folder);
    snprintf(temporary, sizeof temporary, "%s.temporary", path);
    bool good = rd_checkpoint_file_create(&t, temporary, path, e);
    good = good && rd_checkpoint_file_close(&t, rd_checkpoint_pass(&t, s, now, e));
    snprintf(temporary, sizeof temporary, "%s/%d", shelf->folder, shelf->n++);
    return good && copy_inside(path, temporary) && unlink(path) == 0;
}

static enum rd_run_request go_on(void *to, double time, int64_t n_steps)
{
    (void)to;
    (void)time;
    (void)n_steps;
    return RD_SAVE;
}

static bool write_checkpoints(const char *folder)
{
    struct group h = {0};
    struct shelf shelf = {.folder = folder};
    struct rd_error e = {0};
    const struct rd_watch watch = {.record = group_record,
                                   .live = group_live,
                                   .go_on = go_on,
                                   .save = save,
                                   .save_to = &shelf};
    const bool good = group_open(&h, &e) && group_run(&h, &watch, &e) && shelf.n > 0;
    if (e.n > 0)
        fprintf(stderr, "%s\n", e.text);
    rd_plan_free(&h.plan);
    rd_model_free(&h.model);
    rd_config_free(h.config);
    rd_error_free(&e);
    return good;
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: seeds FOLDER\n");
        return 2;
    }
    if (write_checkpoints(argv[1]))
        return 0;
    perror("seeds");
    return 1;
}
