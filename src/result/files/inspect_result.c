/* inspect_result - checks a whole result file before its values are read: links, data sets, and
   the segments that its virtual data sets name. */
#define _XOPEN_SOURCE 700
#include "result/files/inspect_result.h"

#include "base/plain_file.h"
#include "hdf5/hdf5_file.h"
#include "hdf5/inspect.h"
#include "result/files/parts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Limit of segments of a result. Runs merge segments, so a result has few at a time. */
enum { SEGMENTS_MOST = 1024 };

/* A result that is being checked, or one of its segments. */
struct survey {
    const char *path, *prefix;
    const char *real; /* path without links; the segments have its name */
    bool is_segment;
    bool is_refused; /* and the message is set */
    int64_t *number; /* owned: numbers of the segments that it needs */
    int n;
    struct rd_error *e;
};

static herr_t refuse(struct survey *s, const char *name, const char *why)
{
    rd_fail(s->e, "%s%s: %s%s%s", s->prefix, s->path, name, name[0] ? " " : "", why);
    s->is_refused = true;
    return 1;
}

static herr_t check_link(hid_t group, const char *name, const H5L_info_t *about, void *to)
{
    struct rd_why why = {""};
    if (about->type != H5L_TYPE_EXTERNAL)
        return 0;
    rd_inspect_has_link(group, name, &why);
    return refuse(to, "", why.text);
}

static bool note_segment(struct survey *s, int64_t number)
{
    for (int i = 0; i < s->n; i++)
        if (s->number[i] == number)
            return true;
    if (s->n == SEGMENTS_MOST)
        return false;
    s->number[s->n++] = number;
    return true;
}

/* Returns whether the source of a virtual data set is a segment in the directory of parts, and
   records its number. */
static bool is_own_segment(struct survey *s, const char *source, const struct rd_parts *parts)
{
    const char *const slash = strrchr(source, '/');
    const int64_t number = slash ? strtoll(slash + 1, NULL, 10) : -1;
    return number >= 0 && strcmp(rd_parts_name_in_master(parts, number).text, source) == 0 &&
           note_segment(s, number);
}

static herr_t check_sources(struct survey *s, hid_t plan, const char *name)
{
    const struct rd_parts parts = rd_parts_at(s->real);
    size_t n = 0;
    if (H5Pget_virtual_count(plan, &n) < 0)
        return -1;
    for (size_t i = 0; i < n; i++) {
        char source[sizeof(struct rd_path)] = "";
        if (H5Pget_virtual_filename(plan, i, source, sizeof source) < 0)
            return -1;
        if (!is_own_segment(s, source, &parts)) {
            struct rd_why why;
            snprintf(why.text, sizeof why.text,
                     "has its values in '%.300s', and only segments in the result's own '%.300s' "
                     "are read; give the result the name with which it was written",
                     source, rd_parts_name(&parts));
            return refuse(s, name, why.text);
        }
    }
    return 0;
}

static herr_t check_object(hid_t file, const char *name, const H5O_info_t *about, void *to)
{
    struct survey *const s = to;
    struct rd_why why = {""};
    if (about->type != H5O_TYPE_DATASET)
        return 0;
    const hid_t set = H5Dopen2(file, name, H5P_DEFAULT), plan = H5Dget_create_plist(set);
    herr_t status = -1;
    if (plan >= 0 && H5Pget_layout(plan) == H5D_VIRTUAL && !s->is_segment)
        status = check_sources(s, plan, name);
    else if (plan >= 0)
        status = rd_inspect_check_set(set, RD_CHUNK_MOST, &why) ? 0 : refuse(s, name, why.text);
    rd_h5_drop(plan);
    rd_h5_drop(set);
    return status;
}

static bool look_through(struct survey *s, hid_t file)
{
    const bool is_read =
        H5Lvisit(file, H5_INDEX_NAME, H5_ITER_INC, check_link, s) >= 0 &&
        (s->is_refused || H5Ovisit(file, H5_INDEX_NAME, H5_ITER_INC, check_object, s) >= 0);
    if (!is_read && !s->is_refused) {
        rd_fail(s->e, "%s%s: is damaged: not all of it can be read", s->prefix, s->path);
        return rd_h5_fail(s->e, s->path, "cannot be looked through");
    }
    return !s->is_refused;
}

/* Checks a segment at a path where HDF5 looks for it. A missing segment reads as missing values. */
static bool check_segment(const struct survey *of, const char *path)
{
    const char *why;
    struct stat about;
    struct survey s = {.path = path, .prefix = of->prefix, .is_segment = true, .e = of->e};
    if (lstat(path, &about) != 0 && errno == ENOENT)
        return true;
    const int fd = rd_plain_open(path, &why);
    if (fd < 0)
        return rd_fail(of->e, "%s%s: cannot be read: %s", of->prefix, path, why);
    close(fd);
    const hid_t file = rd_h5_read_only(path);
    const bool good = file < 0 || look_through(&s, file); /* damaged: its values are missing */
    rd_h5_drop(file);
    return good;
}

/* Checks each segment at the three places where HDF5 searches for it: beside the name of the
   result, beside its file if that name is a link, and in the working directory. */
static bool check_segments(const struct survey *s)
{
    const char *const slash = strrchr(s->path, '/'), *const name = strrchr(s->real, '/') + 1;
    struct rd_path beside;
    snprintf(beside.text, sizeof beside.text, "%.*s%s", slash ? (int)(slash - s->path) + 1 : 0,
             s->path, name);
    const char *const place[] = {beside.text, s->real, name};
    bool good = true;
    for (int i = 0; good && i < s->n; i++)
        for (size_t k = 0; good && k < sizeof place / sizeof *place; k++) {
            const struct rd_parts parts = rd_parts_at(place[k]);
            good = check_segment(s, rd_parts_path(&parts, s->number[i]).text);
        }
    return good;
}

bool rd_inspect_result(hid_t file, const char *path, const char *prefix, struct rd_error *e)
{
    char *const real = realpath(path, NULL);
    struct survey s = {.path = path, .prefix = prefix, .real = real, .e = e};
    s.number = malloc(SEGMENTS_MOST * sizeof *s.number);
    const bool good = s.number && real
                          ? look_through(&s, file) && check_segments(&s)
                          : rd_fail(e, "%s%s: not enough memory to read it", prefix, path);
    free(s.number);
    free(real);
    return good;
}
