/* modes_file - a file of elementary flux modes: which reactions each uses, and how often. */
#define _POSIX_C_SOURCE 200809L
#include "result/write/modes_file.h"

#include "base/file.h"
#include "base/text.h"
#include "hdf5/hdf5_file.h"
#include "hdf5/temporary_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BLOCK = 1 << 16 };

/* Holds a data set that grows, and what is not yet written of it. */
struct modes_column {
    hid_t set, type;
    size_t width;
    hsize_t n_written;
    int n;
    void *value; /* [BLOCK], owned */
};

struct rd_modes_file {
    char *path;
    struct rd_temporary_file file; /* .file: 0 while none is open */
    int n_reactions;
    int64_t n_entries;
    struct modes_column start, reaction, coefficient;
    struct rd_h5_cause cause;
};

static bool open_column(struct modes_column *c, hid_t file, const char *name, hid_t type,
                        size_t width)
{
    const hsize_t none = 0, most = H5S_UNLIMITED, chunk = BLOCK;
    const hid_t space = H5Screate_simple(1, &none, &most);
    const hid_t plan = H5Pcreate(H5P_DATASET_CREATE);
    *c = (struct modes_column){.set = H5I_INVALID_HID, .type = type, .width = width};
    c->value = rd_h5_memory(malloc(BLOCK * width));
    if (c->value && H5Pset_obj_track_times(plan, false) >= 0 &&
        H5Pset_chunk(plan, 1, &chunk) >= 0 && H5Pset_fletcher32(plan) >= 0)
        c->set = H5Dcreate2(file, name, type, space, H5P_DEFAULT, plan, H5P_DEFAULT);
    rd_h5_drop(plan);
    rd_h5_drop(space);
    return c->set >= 0;
}

/* Writes what is there of a column. */
static bool flush(struct modes_column *c)
{
    const hsize_t n = (hsize_t)c->n, length = c->n_written + n;
    if (c->n == 0)
        return true;
    bool ok = H5Dset_extent(c->set, &length) >= 0;
    const hid_t here = H5Screate_simple(1, &n, NULL), there = H5Dget_space(c->set);
    ok = ok && H5Sselect_hyperslab(there, H5S_SELECT_SET, &c->n_written, NULL, &n, NULL) >= 0 &&
         H5Dwrite(c->set, c->type, here, there, H5P_DEFAULT, c->value) >= 0;
    rd_h5_drop(here);
    rd_h5_drop(there);
    c->n_written = length;
    c->n = 0;
    return ok;
}

static bool write_column(struct modes_column *c, const void *value)
{
    memcpy((char *)c->value + (size_t)c->n * c->width, value, c->width);
    c->n++;
    return c->n < BLOCK || flush(c);
}

static void close_column(struct modes_column *c)
{
    rd_h5_drop(c->set);
    free(c->value);
}

/* Returns whether nothing has this name, not even a link that leads nowhere. */
static bool check_free(const char *path, struct rd_error *e)
{
    struct stat about;
    return lstat(path, &about) != 0 ||
           rd_fail(e, "%s: exists; name another file, or remove it", path);
}

bool rd_modes_file_check(const char *path, struct rd_error *e)
{
    e->wrong = !check_free(path, e) || !rd_file_check_place(path, e);
    return !e->wrong;
}

/* Publishes the file, or removes it if good is false, and frees everything. Returns whether the
   file is published; if not, e has a message. */
static bool finish(struct rd_modes_file *f, bool good, struct rd_error *e)
{
    struct rd_error ignored = {0};
    close_column(&f->start);
    close_column(&f->reaction);
    close_column(&f->coefficient);
    good = good && check_free(f->path, e);
    if (f->file.file > 0)
        good = rd_temporary_file_publish(&f->file, good, e->n > 0 ? &ignored : e) && good;
    rd_error_free(&ignored);
    rd_h5_listen(NULL);
    free(f->path);
    free(f);
    return good;
}

/* Creates the file under another name, which no other file has, with the names of the reactions and
   empty columns. */
static bool begin_file(struct rd_modes_file *f, const char *const *reaction, struct rd_error *e)
{
    const int64_t zero = 0;
    char *const temporary = rd_text_format("%s.%ld.writing", f->path, (long)getpid());
    if (!temporary)
        return rd_fail_memory(e, "out of memory for the modes");
    const bool is_open = rd_temporary_file_open(&f->file, temporary, f->path, e);
    free(temporary);
    if (!is_open)
        return false;
    const hid_t file = f->file.file, text = rd_h5_text_type();
    const hid_t names = rd_h5_put_column(file, "reactions", text, f->n_reactions, reaction);
    const bool ok =
        names >= 0 && open_column(&f->start, file, "start", H5T_STD_I64LE, sizeof(int64_t)) &&
        open_column(&f->reaction, file, "reaction", H5T_STD_I32LE, sizeof(int32_t)) &&
        open_column(&f->coefficient, file, "coefficient", H5T_STD_I64LE, sizeof(int64_t)) &&
        write_column(&f->start, &zero);
    rd_h5_drop(names);
    rd_h5_drop(text);
    return ok;
}

struct rd_modes_file *rd_modes_file_open(const char *path, int n_reactions,
                                         const char *const *reaction, struct rd_error *e)
{
    struct rd_modes_file *const f = calloc(1, sizeof *f);
    if (!f || !(f->path = strdup(path))) {
        free(f);
        rd_fail(e, "%s: out of memory for the modes", path);
        return NULL;
    }
    f->n_reactions = n_reactions;
    f->start.set = f->reaction.set = f->coefficient.set = H5I_INVALID_HID;
    rd_h5_listen(&f->cause);
    if (begin_file(f, reaction, e))
        return f;
    finish(f, false, e);
    return NULL;
}

bool rd_modes_file_add(struct rd_modes_file *f, const int64_t *flux, struct rd_error *e)
{
    bool ok = true;
    for (int32_t i = 0; ok && i < f->n_reactions; i++) {
        if (flux[i] == 0)
            continue;
        f->n_entries++;
        ok = write_column(&f->reaction, &i) && write_column(&f->coefficient, &flux[i]);
    }
    return (ok && write_column(&f->start, &f->n_entries)) ||
           rd_h5_fail(e, f->path, "cannot be written");
}

bool rd_modes_file_close(struct rd_modes_file *f, bool is_kept, const struct rd_modes_state *s,
                         struct rd_error *e)
{
    char text[17];
    const int partial = s->is_partial, more = s->has_more;
    snprintf(text, sizeof text, "%016llx", (unsigned long long)s->hash);
    const bool ok = is_kept && flush(&f->start) && flush(&f->reaction) && flush(&f->coefficient) &&
                    rd_h5_put_text(f->file.file, "source", "rdsim modes") &&
                    rd_h5_put_text(f->file.file, "hash", text) &&
                    rd_h5_put_number(f->file.file, "partial", H5T_NATIVE_INT, &partial) &&
                    rd_h5_put_number(f->file.file, "more", H5T_NATIVE_INT, &more);
    return finish(f, ok, e);
}
