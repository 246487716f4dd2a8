/* result - writes a result: snapshots into segments, segments under a master, and all into one
   file at the end. Only this file changes an open result, besides resume.c. */
#define _POSIX_C_SOURCE 200809L
#include "result/write/result.h"

#include "base/clock.h"
#include "hdf5/crash_guard.h"
#include "result/files/run_state.h"
#include "result/write/append.h"
#include "result/write/join.h"
#include "result/write/result_state.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Gives the number of segments of one level that are merged into one. Readers keep every segment
   open, and the lowest limit of open files of a system is 256. */
enum { FAN = 32 };

void rd_store_discard(rd_store *s)
{
    rd_parts_close(&s->parts);
    rd_ensemble_free(&s->ensemble);
    rd_observed_free(&s->observed);
    rd_segment_free(&s->segment);
    rd_layout_free(&s->layout);
    free(s->length);
    free(s->time);
    free(s->due);
    free(s->chosen);
    rd_sparse_rows_free(&s->sparse);
    free(s->stopped);
    free(s->faulted);
    free(s->path);
    free(s);
    rd_h5_listen(NULL);
}

bool rd_store_check(const char *path, bool force, struct rd_error *e)
{
    return rd_parts_check(path, force, e);
}

/* Allocates the arrays whose sizes depend on the layout. */
static bool make_layout_arrays(struct rd_store *s, struct rd_error *e)
{
    const struct rd_model *const m = s->record.model;
    s->length = calloc((size_t)s->layout.n_tables, sizeof *s->length);
    s->stopped = m->stop.n > 0 ? malloc((size_t)m->n_runs * sizeof *s->stopped) : NULL;
    for (int64_t run = 0; s->stopped && run < m->n_runs; run++)
        s->stopped[run] = (double)NAN;
    if (!s->length || (m->stop.n > 0 && !s->stopped))
        return rd_fail(e, "%s: out of memory for a result", s->path);
    return rd_segment_make(&s->segment, &s->layout, s->record.threads, e);
}

/* Allocates the statistics that the layout has. */
static bool make_statistics(struct rd_store *s, struct rd_error *e)
{
    const struct rd_model *const m = s->record.model;
    const bool has_voxels = rd_layout_has(&s->layout, -1, RD_VOXEL_MEAN);
    const struct rd_ensemble of = {.n_runs = m->n_runs,
                                   .n_species = m->n_species,
                                   .n_sites = m->grid.n_sites,
                                   .n_regions = rd_regions_number(rd_model_totalled(m)),
                                   .surveyed = m->surveyed,
                                   .n_surveyed = has_voxels ? m->n_surveyed : 0,
                                   .paired = m->paired,
                                   .n_paired = m->n_paired,
                                   .quantile = m->quantile,
                                   .n_quantiles = m->n_runs > 1 ? m->n_quantiles : 0};
    return rd_ensemble_make(&s->ensemble, &of, e) &&
           rd_observed_make(&s->observed, m, of.n_quantiles, e);
}

rd_store *rd_store_make(const char *path, const struct rd_record_of *r, struct rd_error *e)
{
    rd_store *const s = calloc(1, sizeof *s);
    if (!s || !(s->path = strdup(path))) {
        free(s);
        rd_fail(e, "%s: out of memory for a result", path);
        return NULL;
    }
    s->record = *r;
    s->record.segment_seconds = r->segment_seconds > 0 ? r->segment_seconds : 10;
    s->record.segment_bytes = r->segment_bytes > 0 ? r->segment_bytes : INT64_C(64) << 20;
    s->start = rd_date_now();
    s->began = s->closed = rd_clock();
    rd_h5_listen(&s->cause);
    if (rd_layout_make(&s->layout, r, e) && make_layout_arrays(s, e) && make_statistics(s, e))
        return s;
    rd_store_discard(s);
    return NULL;
}

bool rd_store_open(rd_store **to, const char *path, bool force, const struct rd_record_of *r,
                   struct rd_error *e)
{
    rd_store *const s = rd_store_make(path, r, e);
    *to = NULL;
    if (!s)
        return false;
    if (!rd_parts_open(&s->parts, path, force, s->layout.n_tables, e)) {
        rd_store_discard(s);
        return false;
    }
    s->shown_end = s->parts.first;
    *to = s;
    return true;
}

static struct rd_result_info result_info_of(const struct rd_store *s, const char *state)
{
    return (struct rd_result_info){.record = &s->record,
                                   .layout = &s->layout,
                                   .time = s->time,
                                   .due = s->due,
                                   .length = s->length,
                                   .stopped = s->stopped,
                                   .faulted = s->faulted,
                                   .n_faulted = s->n_faulted,
                                   .state = state,
                                   .start = s->start.text,
                                   .wall_seconds = rd_clock() - s->began};
}

static bool begin_segment(struct rd_store *s, struct rd_error *e)
{
    const struct rd_path path = rd_parts_path(&s->parts, s->parts.next);
    return rd_segment_open(&s->segment, rd_parts_temporary_file(&s->parts).text, path.text, e);
}

/* Closes the segment, whole or not. */
static bool end_segment(struct rd_store *s, bool good, struct rd_error *e)
{
    return rd_segment_publish(&s->segment, good, e) &&
           rd_parts_add(&s->parts, s->segment.length, e);
}

/* Writes a master, so that the result's name stands for this run. */
static bool show(struct rd_store *s, const struct rd_result_info *result_info, struct rd_error *e)
{
    if (!rd_join_master(s->path, &s->parts, result_info, e))
        return false;
    s->n_safe = s->length[0];
    s->shown_end = s->parts.next;
    rd_parts_clean(&s->parts);
    return true;
}

/* Writes a master with the state "failed" over the closed segments, if the disk has room for it. */
static void show_failed(struct rd_store *s)
{
    struct rd_error ignored = {0};
    for (int k = 0; k < s->layout.n_tables; k++) {
        s->length[k] = 0;
        for (int i = 0; i < s->parts.n; i++)
            s->length[k] += rd_parts_length(&s->parts, i, k);
    }
    const struct rd_result_info result_info = result_info_of(s, "failed");
    if (s->length[0] > 0)
        show(s, &result_info, &ignored);
    rd_error_free(&ignored);
}

/* Ends writing after a failure; the message states what is saved, and in which file. */
static bool give_up(struct rd_store *s, struct rd_error *e)
{
    s->failed = true;
    if (s->segment.temporary_file.file)
        end_segment(s, false, e);
    if (!s->ended)
        show_failed(s);
    rd_parts_remove(&s->parts, s->shown_end, INT64_MAX);
    if (s->n_safe == 0)
        return rd_fail(e, "%s: no snapshot of this run is saved", s->path);
    if (!rd_parts_exist(s->path))
        return rd_fail(e, "%s: %s is missing, and with it %lld snapshots; keep both where they are",
                       s->path, s->parts.directory.text, (long long)s->n_safe);
    return rd_fail(e, "%s: the first %lld snapshots (to time %g) are safe in it and %s", s->path,
                   (long long)s->n_safe, s->time[s->n_safe - 1], s->parts.directory.text);
}

bool rd_store_show(rd_store *s, struct rd_error *e)
{
    const struct rd_result_info result_info = result_info_of(s, "running");
    return show(s, &result_info, e);
}

/* Returns how many of the last segments are of one level, if these are enough to be merged; or
   0. */
static int n_to_merge(const struct rd_parts *p)
{
    int n = 0;
    while (n < p->n && p->part[p->n - 1 - n].level == p->part[p->n - 1].level)
        n++;
    return n < FAN ? 0 : n;
}

static bool merge_result(struct rd_store *s, struct rd_error *e)
{
    for (int n; (n = n_to_merge(&s->parts)) > 0;) {
        if (!rd_join_segments(&s->parts, n, &s->layout, e))
            return false;
        rd_parts_merge(&s->parts, n);
        if (!rd_store_show(s, e))
            return false;
    }
    return true;
}

/* Returns whether an open segment can be shown: before the first snapshot there is no result. */
static bool is_segment_open(const struct rd_store *s)
{
    return s->segment.temporary_file.file && s->length[0] > 0 && !s->failed;
}

struct rd_path rd_store_batches(rd_store *s, int share)
{
    return rd_parts_batches(&s->parts, s->parts.has_batches ? s->parts.batches : s->parts.first,
                            share);
}

double rd_store_due(const rd_store *s)
{
    const double left = s->closed + s->record.segment_seconds - rd_clock();
    return !is_segment_open(s) ? (double)INFINITY : left > 0.0 ? left : 0.0;
}

static bool is_time_up(const struct rd_store *s)
{
    return is_segment_open(s) &&
           (rd_store_due(s) <= 0.0 ||
            rd_temporary_file_size(&s->segment.temporary_file) >= s->record.segment_bytes);
}

static bool may_write(struct rd_store *s, struct rd_error *e)
{
    rd_h5_listen(&s->cause);
    return !s->failed || rd_fail(e, "%s: is not written any more after a failure", s->path);
}

/* Checks that memory is left, since HDF5 fails badly without it. */
static bool has_spare_memory(const struct rd_store *s, struct rd_error *e)
{
    enum { NEEDED = 12 << 20 };
    void *const probe = malloc(NEEDED);
    free(probe);
    return probe ||
           rd_fail(e, "%s: out of memory for writing; provide %d MB more", s->path, NEEDED >> 20);
}

static bool note_result_time(struct rd_store *s, double time, uint64_t due, struct rd_error *e)
{
    if (s->length[0] == s->capacity) {
        const int64_t capacity =
            s->capacity > 0 ? 2 * s->capacity : s->layout.table[0].length[RD_AXIS_TIME];
        double *const more = realloc(s->time, (size_t)capacity * sizeof *more);
        if (more)
            s->time = more;
        uint64_t *const bits = realloc(s->due, (size_t)capacity * sizeof *bits);
        if (bits)
            s->due = bits;
        if (!more || !bits)
            return rd_fail(e, "%s: out of memory for another snapshot", s->path);
        s->capacity = capacity;
    }
    s->time[s->length[0]] = time;
    s->due[s->length[0]] = due;
    return true;
}

/* Closes the segment. If it is good and there is a snapshot, writes a master and merges
   segments. */
static bool publish_segment(struct rd_store *s, bool good, struct rd_error *e)
{
    if (!end_segment(s, good, e) ||
        (s->length[0] > 0 && !(rd_store_show(s, e) && merge_result(s, e))))
        return false;
    s->closed = rd_clock();
    return true;
}

bool rd_store_faulted(rd_store *s, const struct rd_faulted *faulted, int64_t n, struct rd_error *e)
{
    const size_t bytes = (size_t)n * sizeof *faulted;
    if (n > s->n_faulted) {
        struct rd_faulted *const more = realloc(s->faulted, bytes);
        if (!more)
            return rd_fail(e, "%s: out of memory for the faults of its runs", s->path);
        s->faulted = more;
        memcpy(s->faulted, faulted, bytes);
    }
    s->n_faulted = n;
    return true;
}

static bool write_snapshot(struct rd_store *s, const struct rd_snapshot *now, struct rd_error *e)
{
    if (!note_result_time(s, now->time, now->due, e) ||
        (!s->segment.temporary_file.file && !begin_segment(s, e)))
        return false;
    if (now->stopped)
        memcpy(s->stopped, now->stopped, (size_t)s->record.model->n_runs * sizeof *s->stopped);
    void *const buffer = malloc(rd_rows_bytes(s->record.model, now));
    if (!rd_store_faulted(s, now->faulted, now->n_faulted, e)) {
        free(buffer);
        return false;
    }
    if (!buffer)
        return rd_fail(e, "%s: out of memory for another snapshot", s->path);
    const bool taken = rd_ensemble_take(&s->ensemble, now->totals, now->region_totals, now->counts,
                                        now->sums, now->out, e) &&
                       rd_observed_take(&s->observed, s->record.model, now->totals, now->values,
                                        now->by, now->out, e);
    const bool good = taken && rd_append_snapshot(s, now, buffer);
    free(buffer);
    return taken && ((good && !is_time_up(s)) || publish_segment(s, good, e));
}

bool rd_store_write(rd_store *s, const struct rd_snapshot *snapshot, struct rd_error *e)
{
    rd_crash_guard_raise_writing(s->path);
    const bool good = may_write(s, e) &&
                      ((has_spare_memory(s, e) && write_snapshot(s, snapshot, e)) || give_up(s, e));
    rd_crash_guard_drop();
    return good;
}

static bool append_lives(struct rd_store *s, int table, const struct rd_life *life, int64_t n,
                         void *buffer)
{
    const struct rd_layout *const l = &s->layout;
    const int64_t n_rows = rd_rows_count(life, n, &l->table[table]);
    bool good = true;
    for (int i = 0; good && n_rows > 0 && i < l->n_series; i++)
        if (l->series[i].table == table) {
            rd_rows_lives(s->record.model, life, n, &l->table[table], l->series[i].name, buffer);
            good = rd_segment_append(&s->segment, i, n_rows, buffer);
        }
    if (good)
        rd_append_rows(s, table, n_rows);
    return good;
}

static bool write_lives(struct rd_store *s, const struct rd_life *life, int64_t n,
                        struct rd_error *e)
{
    if (!s->segment.temporary_file.file && !begin_segment(s, e))
        return false;
    int64_t *const buffer = malloc(((size_t)n + 1) * sizeof *buffer);
    if (!buffer)
        return rd_fail(e, "%s: out of memory for births and deaths", s->path);
    bool good = true;
    for (int table = 0; good && table < s->layout.n_tables; table++)
        if (s->layout.table[table].kind & (RD_BIRTHS | RD_DEATHS | RD_FIRINGS))
            good = append_lives(s, table, life, n, buffer);
    free(buffer);
    return (good && !is_time_up(s)) || publish_segment(s, good, e);
}

bool rd_store_live(rd_store *s, const struct rd_life *life, int64_t n, struct rd_error *e)
{
    rd_crash_guard_raise_writing(s->path);
    const bool good =
        may_write(s, e) &&
        (n == 0 || (has_spare_memory(s, e) && write_lives(s, life, n, e)) || give_up(s, e));
    rd_crash_guard_drop();
    return good;
}

bool rd_store_sync(rd_store *s, bool now, struct rd_error *e)
{
    if (!s->segment.temporary_file.file || (!now && !is_time_up(s)))
        return true;
    rd_crash_guard_raise_writing(s->path);
    const bool good = may_write(s, e) &&
                      ((has_spare_memory(s, e) && publish_segment(s, true, e)) || give_up(s, e));
    rd_crash_guard_drop();
    return good;
}

/* Writes the result as one file; checkpoints are removed, since the run is over. */
static bool join_result(struct rd_store *s, const struct rd_result_info *result_info,
                        struct rd_error *e)
{
    if (!rd_join_result(s->path, &s->parts, result_info, e))
        return false;
    rd_parts_release(&s->parts);
    return true;
}

/* Writes the result. If a checkpoint is kept for a later run, or the disk has no room for the
   result, writes a master with the final state instead. */
static bool finish_result(struct rd_store *s, const char *state, const struct rd_fact *fact,
                          int n_facts, struct rd_error *e)
{
    const bool goes_on = s->parts.hold[0].part && !rd_state_is_whole(state);
    if (s->segment.temporary_file.file && !end_segment(s, true, e))
        return false;
    s->ended = true;
    struct rd_result_info result_info = result_info_of(s, state);
    result_info.fact = fact;
    result_info.n_facts = n_facts;
    if (!goes_on && join_result(s, &result_info, e))
        return true;
    return show(s, &result_info, e) && goes_on;
}

/* Drops births and deaths without a snapshot: they are no result, and no fault. */
static void drop_lives(struct rd_store *s)
{
    struct rd_error ignored = {0};
    if (s->segment.temporary_file.file)
        rd_segment_publish(&s->segment, false, &ignored);
    rd_parts_remove(&s->parts, s->parts.first, INT64_MAX);
    rd_error_free(&ignored);
}

bool rd_store_close(rd_store *s, const char *state, const struct rd_fact *fact, int n_facts,
                    struct rd_error *e)
{
    bool good = true;
    rd_h5_listen(&s->cause);
    rd_crash_guard_raise_writing(s->path);
    if (!s->failed && s->length[0] > 0)
        good = finish_result(s, state, fact, n_facts, e) || give_up(s, e);
    else if (!s->failed)
        drop_lives(s);
    rd_store_discard(s);
    rd_crash_guard_drop();
    return good;
}
