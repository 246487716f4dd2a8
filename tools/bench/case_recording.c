/* case_recording - the part of a run that is spent on recording a snapshot every hundred steps, and
   the time that a run waits for a checkpoint, against writing the same bytes. */
#define _POSIX_C_SOURCE 200809L
#include "base/clock.h"
#include "bench/cases.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Gives a temporary folder for files of the benchmark. */
enum { PATH_BYTES = 640 };
struct folder {
    char path[512];
};

static bool open_folder(struct folder *f, struct rd_error *e)
{
    const char *const temporary = getenv("TMPDIR");
    snprintf(f->path, sizeof f->path, "%s/rdsim-bench-XXXXXX", temporary ? temporary : "/tmp");
    return mkdtemp(f->path) ||
           rd_fail(e, "%s: cannot be made; set TMPDIR to a folder that can be written", f->path);
}

/* Writes the path of a file in the folder to path. Returns path. */
static const char *path_in(const struct folder *f, const char *name, char path[PATH_BYTES])
{
    snprintf(path, PATH_BYTES, "%s/%.100s", f->path, name);
    return path;
}

/* Deletes the folder and all files in it. */
static void close_folder(const struct folder *f)
{
    DIR *const folder = opendir(f->path);
    char path[PATH_BYTES];
    for (const struct dirent *d; folder && (d = readdir(folder));)
        if (d->d_name[0] != '.')
            unlink(path_in(f, d->d_name, path));
    if (folder)
        closedir(folder);
    rmdir(f->path);
}

/* Returns the sum of all repeats, in seconds. */
static double seconds_of_repeats(const struct rd_sample *s)
{
    double sum = 0.0;
    for (int i = 0; i < s->n; i++)
        sum += s->value[i];
    return sum;
}

static bool add_keep(struct rd_bench *b, struct rd_trial t, const char *keep, struct rd_error *e)
{
    struct folder folder;
    if (!open_folder(&folder, e))
        return false;
    rd_settings_add(&t.set, "output.keep", "%s", keep);
    char file[PATH_BYTES];
    t.more.file = path_in(&folder, "recorded.h5", file);
    bool ok = rd_trial(b, &t, e);
    close_folder(&folder);
    const double recorded = seconds_of_repeats(&t.m.recording) + t.m.last_recording;
    const double ran = seconds_of_repeats(&t.m.seconds) * (double)t.m.steps;
    char what[64];
    snprintf(what, sizeof what, "%d^3, load %g: %s", t.size.voxels, t.size.load,
             strcmp(keep, "all") == 0 ? "counts" : keep);
    struct rd_figure f = rd_trial_value(
        &t, what, recorded > 0.0 ? 100.0 * recorded / (recorded + ran) : 0.0, "% of the run");
    if (strcmp(keep, "all") == 0 && t.m.has_run)
        snprintf(f.note, sizeof f.note, "%.3g MB a snapshot", 12e-6 * rd_size_voxels(&t.size));
    rd_error_free(&t.m.why);
    return ok && rd_report_add(&b->report, &f, e);
}

bool rd_case_recording(struct rd_bench *b, struct rd_error *e)
{
    static const struct rd_size gpu[] = {{128, 1.0}}, cpu[] = {{32, 1.0}};
    struct rd_trial t = {.of = "recording", .text = rd_text_peer, .steps = 100};
    rd_sizes(b->of, b->is_gpu ? gpu : cpu, 1, 1, &t.size);
    return add_keep(b, t, "totals", e) && add_keep(b, t, "statistics", e) &&
           add_keep(b, t, "all", e);
}

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
static bool time_plain(struct rd_sample *seconds, const struct folder *folder, int64_t n, int times,
                       struct rd_error *e)
{
    char path[PATH_BYTES];
    char *const byte = malloc(PIECE);
    bool ok = byte != NULL;
    for (int i = 0; ok && i < PIECE; i++)
        byte[i] = (char)((uint32_t)i * 2654435761u >> 13);
    path_in(folder, "plain", path);
    for (int i = 0; ok && i < times; i++) {
        const double begin = rd_clock();
        ok = write_plainly(path, byte, n);
        rd_sample_add(seconds, rd_clock() - begin);
    }
    free(byte);
    return ok || rd_fail(e, "%s: cannot be written: %s", path, strerror(errno));
}

/* Adds the time of a checkpoint, with that of plain writing as its floor. */
static bool add_checkpoint(struct rd_bench *b, const struct rd_trial *t,
                           const struct folder *folder, struct rd_error *e)
{
    struct rd_sample plain = {0};
    struct stat is = {0};
    if (t->m.has_run && stat(t->more.checkpoint_file, &is) != 0)
        return rd_fail(e, "%s: cannot be read: %s", t->more.checkpoint_file, strerror(errno));
    if (t->m.has_run && !time_plain(&plain, folder, is.st_size, t->m.saving.n, e))
        return false;
    char what[64];
    snprintf(what, sizeof what, "%d^3, load %g", t->size.voxels, t->size.load);
    struct rd_figure f = rd_trial_value(t, what, 0.0, "B/s");
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
    struct folder folder;
    char checkpoint_file[PATH_BYTES];
    if (!open_folder(&folder, e))
        return false;
    rd_sizes(b->of, b->of->is_quick ? quick : sizes, 1, 1, &t.size);
    t.more.checkpoint_file = path_in(&folder, "checkpoint", checkpoint_file);
    const bool ok = rd_trial(b, &t, e) && add_checkpoint(b, &t, &folder, e);
    rd_error_free(&t.m.why);
    close_folder(&folder);
    return ok;
}
