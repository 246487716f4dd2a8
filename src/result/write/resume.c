/* resume - writes checkpoints of an unfinished result, and continues from them: a checkpoint
   file has the state of the result, and its segments are kept until no checkpoint needs them. */
#define _POSIX_C_SOURCE 200809L
#include "base/clock.h"
#include "base/hash.h"
#include "hdf5/crash_guard.h"
#include "kernels/core/world.h"
#include "result/write/result_state.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* Describes a line of one text, and of another. */
struct name_lines {
    const char *a, *b;
    int length_a, length_b;
};

static int length_of_first_line(const char *text)
{
    return (int)strcspn(text, "\n");
}

/* Returns a line without its leading blanks. */
static const char *word_of(const char *line, int *length)
{
    const int blanks = (int)strspn(line, " ");
    *length = length_of_first_line(line) - blanks;
    return line + blanks;
}

/* Finds the first line in which two texts differ; returns false if there is none. */
static bool differ(const char *a, const char *b, struct name_lines *l)
{
    while (*a || *b) {
        const int na = length_of_first_line(a), nb = length_of_first_line(b);
        if (na != nb || memcmp(a, b, (size_t)na) != 0) {
            l->a = word_of(a, &l->length_a);
            l->b = word_of(b, &l->length_b);
            return true;
        }
        a += na + (a[na] != 0);
        b += nb + (b[nb] != 0);
    }
    return false;
}

/* Writes or reads a text, and refuses the file with `fact` if it differs from `here`. */
static bool pass_text(struct rd_checkpoint_file *t, const char *name, const char *here,
                      const char *fact)
{
    struct name_lines l;
    int64_t bytes = (int64_t)strlen(here);
    if (!rd_checkpoint_file_begin(t, name, &bytes))
        return false;
    char *const there = malloc((size_t)bytes + 1);
    if (!there)
        return rd_checkpoint_file_refuse(t, "cannot be read: out of memory");
    if (!t->is_read)
        memcpy(there, here, (size_t)bytes);
    there[bytes] = 0;
    bool good = rd_checkpoint_file_bytes(t, there, (size_t)bytes);
    if (good && differ(there, here, &l)) {
        rd_checkpoint_file_refuse(t, fact);
        good = rd_fail(t->e, "it has '%.*s', and the run has '%.*s'", l.length_a, l.a, l.length_b,
                       l.b);
    }
    free(there);
    return good;
}

/* Writes or reads the number and the hash of the parameter vectors, which need not be in a file of
   their own any more. */
static bool pass_rows(struct rd_checkpoint_file *t, const struct rd_number_table *rows)
{
    char text[128];
    uint64_t hash = RD_HASH_OF_NOTHING;
    for (int i = 0; i < rows->n_columns; i++)
        hash = rd_hash_on(hash, rows->name[i], strlen(rows->name[i]) + 1);
    hash = rd_hash_on(hash, rows->value,
                      (size_t)(rows->n_rows * rows->n_columns) * sizeof *rows->value);
    snprintf(text, sizeof text, "%lld rows of %d parameters with hash %016llx",
             (long long)rows->n_rows, rows->n_columns, (unsigned long long)hash);
    return pass_text(t, "rows", text, "belongs to other rows");
}

/* Writes or reads what a run must have in common with the one that wrote the checkpoint. */
static bool pass_identity(const rd_store *s, struct rd_checkpoint_file *t)
{
    const struct rd_record_of *const r = &s->record;
    int64_t stream_version = RD_STREAM_VERSION;
    if (!rd_checkpoint_file_record(t, "stream_version", &stream_version, sizeof stream_version))
        return false;
    if (stream_version != RD_STREAM_VERSION) {
        rd_checkpoint_file_refuse(t, "has another stream version");
        return rd_fail(t->e, "it has stream version %lld, and this program has %d",
                       (long long)stream_version, (int)RD_STREAM_VERSION);
    }
    return pass_text(t, "configuration", r->identity ? r->identity : r->effective,
                     "belongs to another configuration") &&
           pass_text(t, "inputs", r->inputs ? r->inputs : "", "belongs to other input files") &&
           pass_rows(t, &r->model->theta.table);
}

/* Makes room for n times. */
static bool make_times(rd_store *s, struct rd_checkpoint_file *t, int64_t n)
{
    double *const time = realloc(s->time, ((size_t)n + 1) * sizeof *time);
    if (time)
        s->time = time;
    uint64_t *const due = realloc(s->due, ((size_t)n + 1) * sizeof *due);
    if (due)
        s->due = due;
    s->capacity = time && due ? n : 0;
    return (time && due) ||
           rd_checkpoint_file_refuse(t, "cannot be read: out of memory for its times");
}

/* Writes or reads the times of all snapshots, and the groups that have them. */
static bool pass_times(rd_store *s, struct rd_checkpoint_file *t)
{
    const int64_t n = s->length[0];
    int64_t bytes = n * (int64_t)sizeof *s->time;
    if (!rd_checkpoint_file_begin(t, "times", &bytes))
        return false;
    if (n < 0 || bytes / (int64_t)sizeof *s->time != n)
        return rd_checkpoint_file_refuse(t, "has another number of times than of snapshots");
    if (t->is_read && !make_times(s, t, n))
        return false;
    return n == 0 || (rd_checkpoint_file_bytes(t, s->time, (size_t)bytes) &&
                      rd_checkpoint_file_record(t, "due", s->due, (size_t)n * sizeof *s->due));
}

static bool make_parts(struct rd_parts *p, struct rd_checkpoint_file *t, int64_t n)
{
    if (n < 0 || n > INT32_MAX || n > t->length) /* each takes more than a byte */
        return rd_checkpoint_file_refuse(t, "has no valid number of segments");
    free(p->part);
    free(p->length);
    p->part = calloc((size_t)n + 1, sizeof *p->part);
    p->length = calloc(((size_t)n + 1) * (size_t)p->n_lengths, sizeof *p->length);
    p->n = p->part && p->length ? (int)n : 0;
    return (p->part && p->length) ||
           rd_checkpoint_file_refuse(t, "cannot be read: out of memory for its segments");
}

static bool pass_parts(rd_store *s, struct rd_checkpoint_file *t)
{
    struct rd_parts *const p = &s->parts;
    int64_t n = p->n, batches = p->has_batches ? p->batches : -1;
    if (!rd_checkpoint_file_record(t, "batches", &batches, sizeof batches))
        return false;
    p->has_batches = batches >= 0;
    p->batches = batches;
    if (!rd_checkpoint_file_record(t, "segments", &n, sizeof n) ||
        (t->is_read && !make_parts(p, t, n)))
        return false;
    for (int i = 0; i < p->n; i++) {
        int64_t part[2] = {p->part[i].number, p->part[i].level};
        if (!rd_checkpoint_file_record(t, "segment", part, sizeof part) ||
            !rd_checkpoint_file_record(t, "rows", p->length + i * p->n_lengths,
                                       (size_t)p->n_lengths * sizeof *p->length))
            return false;
        if (part[0] < 0 || part[0] >= p->next || part[1] < 0 || part[1] > 64)
            return rd_checkpoint_file_refuse(t, "needs a segment that is missing");
        p->part[i] = (struct rd_part){.number = part[0], .level = (int)part[1]};
    }
    return true;
}

/* Writes or reads the state of the result: its times, segments and stopped runs. */
static bool pass_result(rd_store *s, struct rd_checkpoint_file *t)
{
    const double now = rd_clock();
    double spent = now - s->began;
    if (!rd_checkpoint_file_record(t, "start", s->start.text, sizeof s->start.text) ||
        !rd_checkpoint_file_record(t, "seconds", &spent, sizeof spent) ||
        !rd_checkpoint_file_record(t, "lengths", s->length,
                                   (size_t)s->layout.n_tables * sizeof *s->length) ||
        !pass_times(s, t) || !pass_parts(s, t) ||
        (s->stopped &&
         !rd_checkpoint_file_record(t, "stopped_runs", s->stopped,
                                    (size_t)s->record.model->n_runs * sizeof *s->stopped)))
        return false;
    s->start.text[sizeof s->start.text - 1] = 0;
    s->began = now - spent;
    return true;
}

bool rd_store_checkpoint_file(rd_store *s, struct rd_checkpoint_file *t, struct rd_error *e)
{
    const struct rd_path path = rd_parts_checkpoint(&s->parts, s->parts.next);
    assert(!s->segment.temporary_file.file);
    return rd_checkpoint_file_create(t, rd_parts_checkpoint_temporary_file(&s->parts).text,
                                     path.text, e) &&
           ((pass_identity(s, t) && pass_result(s, t)) || rd_checkpoint_file_close(t, false));
}

bool rd_store_keep(rd_store *s, struct rd_checkpoint_file *t, bool good, struct rd_error *e)
{
    if (!rd_checkpoint_file_close(t, good) || !rd_parts_hold(&s->parts, s->parts.next, e))
        return false;
    if (s->n_safe > 0) /* until then the result at path may be an earlier one */
        rd_parts_clean(&s->parts);
    return true;
}

/* Returns whether a segment exists, with all its rows. */
static bool is_segment_there(const rd_store *s, int part)
{
    const struct rd_layout *const l = &s->layout;
    const hid_t file = rd_h5_read_only(rd_parts_path(&s->parts, s->parts.part[part].number).text);
    bool good = file >= 0;
    for (int i = 0; good && i < l->n_series; i++) {
        const struct rd_variable *const v = &rd_variables[l->series[i].name];
        hsize_t extent[RD_RANK_MOST] = {0};
        const hid_t set = H5Dopen2(file, l->series[i].path, H5P_DEFAULT);
        const hid_t space = H5Dget_space(set);
        good = H5Sget_simple_extent_ndims(space) == v->rank &&
               H5Sget_simple_extent_dims(space, extent, NULL) == v->rank &&
               extent[rd_growth_place(v)] ==
                   (hsize_t)rd_parts_length(&s->parts, part, l->series[i].growth);
        rd_h5_drop(space);
        rd_h5_drop(set);
    }
    rd_h5_drop(file);
    return good;
}

static bool is_undamaged(const rd_store *s, int part, struct rd_error *e)
{
    const struct rd_path path = rd_parts_path(&s->parts, s->parts.part[part].number);
    rd_crash_guard_raise(path.text);
    const hid_t file = rd_h5_read_only(path.text);
    const bool good = file >= 0 && rd_h5_verify(file, path.text, e);
    rd_h5_drop(file);
    rd_crash_guard_drop();
    return good;
}

static bool check_parts(const rd_store *s, struct rd_checkpoint_file *t)
{
    const struct rd_parts *const p = &s->parts;
    for (int i = 0; i < p->n; i++)
        if (!is_segment_there(s, i))
            return rd_checkpoint_file_refuse(t,
                                             "needs a segment that is missing, or is another one");
    for (int i = 0; !s->record.is_quick && i < p->n; i++)
        if (!is_undamaged(s, i, t->e))
            return rd_checkpoint_file_refuse(t, "needs a segment that is damaged");
    for (int k = 0; k < p->n_lengths; k++) {
        int64_t rows = 0;
        for (int i = 0; i < p->n; i++)
            rows += rd_parts_length(p, i, k);
        if (rows != s->length[k])
            return rd_checkpoint_file_refuse(t, "needs segments of other lengths");
    }
    return true;
}

/* Restores the result to its state when the checkpoint was written. */
static bool restore_result(rd_store *s, struct rd_checkpoint_file *t, int64_t number,
                           struct rd_error *e)
{
    const struct rd_path path = rd_parts_checkpoint(&s->parts, number);
    return rd_checkpoint_file_open(t, path.text, e) &&
           ((pass_identity(s, t) && pass_result(s, t) && check_parts(s, t)) ||
            rd_checkpoint_file_close(t, false));
}

/* Restores the result from the newest checkpoint that can be used. */
static bool find_checkpoint(rd_store *s, struct rd_checkpoint_file *t, struct rd_error *refused,
                            struct rd_error *e)
{
    int64_t number = INT64_MAX;
    do
        if ((number = rd_parts_newest(&s->parts, number)) < 0)
            return rd_fail(
                e, "%s: has no checkpoint of this run to continue from; begin again with --force",
                s->path);
    while (!restore_result(s, t, number, refused));
    t->e = e;
    const int64_t before = rd_parts_newest(&s->parts, number);
    return ((before < 0 || rd_parts_hold(&s->parts, before, e)) &&
            rd_parts_hold(&s->parts, number, e)) ||
           rd_checkpoint_file_close(t, false);
}

bool rd_store_resume(rd_store **to, const char *path, const struct rd_record_of *r,
                     struct rd_checkpoint_file *t, struct rd_error *refused, struct rd_error *e)
{
    rd_store *const s = rd_store_make(path, r, e);
    *to = NULL;
    if (!s)
        return false;
    if (!rd_parts_resume(&s->parts, path, s->layout.n_tables, e) ||
        !find_checkpoint(s, t, refused, e)) {
        rd_store_discard(s);
        return false;
    }
    s->shown_end = s->parts.next;
    if (s->length[0] > 0 && !rd_store_show(s, e)) {
        rd_store_discard(s);
        return rd_checkpoint_file_close(t, false);
    }
    *to = s;
    return true;
}
