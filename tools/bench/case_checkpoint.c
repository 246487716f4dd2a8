/* case_checkpoint - the time that a run waits for a checkpoint, against writing the same bytes. */
#define _POSIX_C_SOURCE 200809L
#include "base/clock.h"
#include "bench/case_texts.h"
#include "bench/cases.h"
#include "bench/folder.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PIECE = 1 << 20 };

/* Writes n bytes to a new file, piece by piece from `byte`, and waits until the disk has them. */
static bool write_plainly(const char *path, const char *byte, int64_t n)
{
    const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    bool ok = fd >= 0;
    for (int64_t at = 0; ok && at < n; at += PIECE) {
        const size_t bytes = n - at < PIECE ? (size_t)(n - at) : PIECE;
        ok = write(fd, byte, bytes) == (ssize_t)bytes;
    }
    ok = ok && fsync(fd) == 0;
    if (fd >= 0)
        close(fd);
    return ok;
}

/* Times plain writing as often as the checkpoint was written. */
static bool time_plain(struct rd_sample *seconds, const struct rd_folder *folder, int64_t n,
                       int times, struct rd_error *e)
{
    char path[RD_FOLDER_PATH];
    char *const byte = malloc(PIECE);
    bool ok = byte != NULL;
    for (int i = 0; ok && i < PIECE; i++)
        byte[i] = (char)((uint32_t)i * 2654435761u >> 13);
    rd_folder_path(folder, "plain", path);
    for (int i = 0; ok && i < times; i++) {
        const double begin = rd_clock();
        ok = write_plainly(path, byte, n);
        rd_sample_add(seconds, rd_clock() - begin);
    }
    free(byte);
    return ok || rd_fail(e, "%s: cannot be written: %s", path, strerror(errno));
}

/* Adds the time of a checkpoint, with that of plain writing as its floor. */
static bool add(struct rd_bench *b, const struct rd_trial *t, const struct rd_folder *folder,
                struct rd_error *e)
{
    struct rd_sample plain = {0};
    struct stat is = {0};
    if (t->m.has_run && stat(t->more.checkpoint_file, &is) != 0)
        return rd_fail(e, "%s: cannot be read: %s", t->more.checkpoint_file, strerror(errno));
    if (t->m.has_run && !time_plain(&plain, folder, is.st_size, t->m.saving.n, e))
        return false;
    char what[64];
    snprintf(what, sizeof what, "%d^3, load %g", t->size.voxels, t->size.load);
    struct rd_figure f = rd_figure_beside(t, what, 0.0, "B/s");
    if (t->m.has_run) {
        const double median = rd_sample_median(&t->m.saving);
        f.seconds = t->m.saving;
        f.floor = rd_sample_median(&plain);
        f.value = (double)is.st_size / median;
        snprintf(f.note, sizeof f.note,
                 "%.3g MB; the floor is to write as many bytes in pieces, with fsync",
                 1e-6 * (double)is.st_size);
    }
    return rd_report_add(&b->report, &f, e);
}

bool rd_case_checkpoint(struct rd_bench *b, struct rd_error *e)
{
    static const struct rd_size sizes[] = {{256, 1.0}}, quick[] = {{64, 1.0}};
    struct rd_trial t = {.of = "checkpoint", .text = rd_text_peer, .steps = 1};
    struct rd_folder folder;
    char checkpoint_file[RD_FOLDER_PATH];
    if (!rd_folder_open(&folder, e))
        return false;
    rd_sizes(b->of, b->of->is_quick ? quick : sizes, 1, 1, &t.size);
    t.more.checkpoint_file = rd_folder_path(&folder, "checkpoint", checkpoint_file);
    const bool ok = rd_trial(b, &t, e) && add(b, &t, &folder, e);
    rd_error_free(&t.m.why);
    rd_folder_close(&folder);
    return ok;
}
