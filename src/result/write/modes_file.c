/* modes_file - a file of elementary flux modes: which reactions each uses, and how often. */
#define _POSIX_C_SOURCE 200809L
#include "result/write/modes_file.h"

#include "hdf5/hdf5_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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
    hid_t file;
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

/* Removes the file and frees everything. */
static void abandon(struct rd_modes_file *f)
{
    close_column(&f->start);
    close_column(&f->reaction);
    close_column(&f->coefficient);
    if (f->file >= 0) {
        H5Fclose(f->file);
        unlink(f->path);
    }
    rd_h5_listen(NULL);
    free(f->path);
    free(f);
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
    const int64_t zero = 0;
    f->n_reactions = n_reactions;
    f->start.set = f->reaction.set = f->coefficient.set = H5I_INVALID_HID;
    rd_h5_listen(&f->cause);
    if (access(path, F_OK) == 0) {
        e->wrong = true;
        rd_fail(e, "%s: exists; name another file, or remove it", path);
        f->file = H5I_INVALID_HID;
        abandon(f);
        return NULL;
    }
    f->file = H5Fcreate(path, H5F_ACC_EXCL, H5P_DEFAULT, H5P_DEFAULT);
    const hid_t text = rd_h5_text_type();
    const hid_t names =
        f->file < 0 ? f->file : rd_h5_put_column(f->file, "reactions", text, n_reactions, reaction);
    const bool ok =
        names >= 0 && open_column(&f->start, f->file, "start", H5T_STD_I64LE, sizeof(int64_t)) &&
        open_column(&f->reaction, f->file, "reaction", H5T_STD_I32LE, sizeof(int32_t)) &&
        open_column(&f->coefficient, f->file, "coefficient", H5T_STD_I64LE, sizeof(int64_t)) &&
        write_column(&f->start, &zero);
    rd_h5_drop(names);
    rd_h5_drop(text);
    if (ok)
        return f;
    rd_h5_fail(e, path, "cannot be written");
    abandon(f);
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
    bool ok = flush(&f->start) && flush(&f->reaction) && flush(&f->coefficient) &&
              rd_h5_put_text(f->file, "source", "rdsim modes") &&
              rd_h5_put_text(f->file, "hash", text) &&
              rd_h5_put_number(f->file, "partial", H5T_NATIVE_INT, &partial) &&
              rd_h5_put_number(f->file, "more", H5T_NATIVE_INT, &more);
    close_column(&f->start);
    close_column(&f->reaction);
    close_column(&f->coefficient);
    f->start = f->reaction = f->coefficient = (struct modes_column){.set = H5I_INVALID_HID};
    ok = H5Fclose(f->file) >= 0 && ok;
    f->file = H5I_INVALID_HID;
    if (!ok)
        rd_h5_fail(e, f->path, "cannot be written");
    if (!ok || !is_kept)
        unlink(f->path);
    abandon(f);
    return ok;
}
