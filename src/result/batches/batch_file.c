/* batch_file - the file in which batches of runs wait for the last batch. A snapshot of an
   earlier batch is one block of the file. */
#define _POSIX_C_SOURCE 200809L
#include "result/batches/batch_file.h"

#include "base/file.h"
#include "result/batches/batch_faults.h"
#include "result/batches/block_file.h"
#include "result/batches/gather_counts.h"
#include "result/batches/gather_individuals.h"
#include "result/batches/merge_lineage.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Lists the kinds of blocks. END, behind the others of its batch, has the faulted runs of a batch
   of another process. */
enum { STATE, LIVES, END };

struct rd_batch_file {
    struct rd_block_file
        *files; /* owned: the files of all processes; batch b stands in files[b % n_files] */
    int n_files;
    struct rd_block_file *seen;    /* the one that is read in whole */
    bool joins;                    /* all batches are complete */
    int64_t n_ended;               /* batches that other processes have completed */
    struct rd_batch_faults faults; /* of these batches */
    double time;                   /* of the last snapshot that was read */
    struct rd_batch_file_of of;
    struct rd_batch_columns columns; /* of the current snapshot */
    int64_t n_sums;
    struct rd_sum *sums, *one;        /* owned: [surveyed species][site], of all runs and a batch */
    struct rd_gathered_counts counts; /* rows of counts, if there are any */
    rd_gather *gather;                /* individuals, */
    rd_merge *merge;                  /* and their births and deaths */
    int64_t *state_at;      /* owned: [batch][time]: a snapshot's place in the file, or -1 */
    int64_t batch, n_times; /* current batch, and its next snapshot */
};

static int64_t n_batches(const rd_batch_file *s)
{
    return (s->of.model->n_runs + s->of.size - 1) / s->of.size;
}

/* Returns whether the snapshots of the current batch complete those of all runs. */
static bool is_last(const rd_batch_file *s)
{
    return s->n_files == 1 && s->batch == n_batches(s) - 1;
}

static struct rd_block_file *own_file(const rd_batch_file *s)
{
    return &s->files[s->of.share];
}

static struct rd_block_file *file_of_batch(const rd_batch_file *s, int64_t batch)
{
    return &s->files[batch % s->n_files];
}

/* Returns the bytes of a snapshot's time: process 0 has the time of its own batch otherwise. */
static int64_t bytes_of_time(const rd_batch_file *s)
{
    return s->n_files > 1 ? (int64_t)sizeof s->time : 0;
}

static int64_t bytes_of_sums(const rd_batch_file *s)
{
    return s->n_sums * (int64_t)sizeof *s->sums;
}

/* Returns the bytes of a snapshot of the batch, without individuals. */
static int64_t bytes_of_batch(const rd_batch_file *s, int64_t batch)
{
    int64_t bytes = bytes_of_time(s) + bytes_of_sums(s);
    for (int i = 0; i < s->columns.n; i++)
        bytes += rd_batch_columns_part(&s->columns, i, batch).bytes;
    return bytes;
}

/* Returns the number of runs in the batch whose state is kept. */
static int64_t n_kept(const rd_batch_file *s, int64_t batch)
{
    return rd_batch_columns_runs(&s->of, s->columns.has.n_kept, batch);
}

static int64_t *place_of_time(const rd_batch_file *s, int64_t batch, int64_t time)
{
    return &s->state_at[batch * s->of.model->n_moments + time];
}

/* Returns the number of sums over runs that the groups which are due need. */
static int64_t n_sums_of(const struct rd_model *m, uint64_t due)
{
    return rd_model_recorded(m, due, true).has_sums ? m->n_surveyed * m->grid.n_sites : 0;
}

/* Sets the parts of a snapshot for the groups that are due. */
static void shape(rd_batch_file *s, uint64_t due)
{
    rd_batch_columns_shape(&s->columns, due);
    s->n_sums = n_sums_of(s->of.model, due);
}

double rd_batch_file_memory(const struct rd_batch_file_of *of)
{
    return rd_batch_columns_memory(of) +
           2.0 * (double)n_sums_of(of->model, RD_ALL_DUE) * sizeof(struct rd_sum);
}

static bool make_arrays(rd_batch_file *s)
{
    const size_t sums = (size_t)s->n_sums + 1;
    const size_t states = (size_t)(n_batches(s) * s->of.model->n_moments);
    bool ok = (s->state_at = malloc(states * sizeof *s->state_at + 1)) != NULL;
    for (size_t i = 0; ok && i < states; i++)
        s->state_at[i] = -1;
    ok = (s->sums = calloc(sums, sizeof *s->sums)) != NULL && ok;
    return (s->one = calloc(sums, sizeof *s->one)) != NULL && ok;
}

/* Makes everything but the file. */
static bool make_batch_file(rd_batch_file **to, const struct rd_batch_file_of *of,
                            struct rd_error *e)
{
    rd_batch_file *const s = *to = calloc(1, sizeof *s);
    if (!s)
        return rd_fail(e, "out of memory for batches of runs");
    *s = (rd_batch_file){.of = *of, .n_files = of->n_shares > 1 ? of->n_shares : 1};
    s->files = calloc((size_t)s->n_files, sizeof *s->files);
    for (int i = 0; s->files && i < s->n_files; i++)
        s->files[i].file = -1;
    s->n_sums = n_sums_of(of->model, RD_ALL_DUE);
    if (!rd_batch_columns_make(&s->columns, &s->of) || !s->files || !make_arrays(s))
        return rd_fail(e, "out of memory for batches of %lld runs", (long long)of->model->n_runs);
    return rd_gather_open(&s->gather, of->model, e) && rd_merge_open(&s->merge, n_batches(s), e);
}

bool rd_batch_file_open(rd_batch_file **to, const char *path, const struct rd_batch_file_of *of,
                        bool is_resuming, struct rd_error *e)
{
    return make_batch_file(to, of, e) && rd_block_file_open(own_file(*to), path, is_resuming, e);
}

bool rd_batch_file_take_over(rd_batch_file **to, const char *path, int file,
                             const struct rd_batch_file_of *of, struct rd_error *e)
{
    return make_batch_file(to, of, e) && rd_block_file_take(own_file(*to), path, file, e);
}

void rd_batch_file_close(rd_batch_file *s)
{
    if (!s)
        return;
    for (int i = 0; s->files && i < s->n_files; i++)
        rd_block_file_close(&s->files[i]);
    free(s->files);
    rd_batch_faults_free(&s->faults);
    rd_gathered_counts_free(&s->counts);
    rd_gather_close(s->gather);
    rd_merge_close(s->merge);
    free(s->state_at);
    free(s->sums);
    free(s->one);
    rd_batch_columns_free(&s->columns);
    free(s);
}

/* Records a block of the file s->seen, which an earlier process or another one left. */
static bool see(void *to, const struct rd_block *b, int64_t at, struct rd_error *e)
{
    rd_batch_file *const s = to;
    const int64_t most = b->kind == LIVES ? b->bytes / (int64_t)sizeof(struct rd_life)
                         : b->kind == END ? b->bytes
                                          : s->of.model->n_moments - 1;
    if (b->kind < STATE || b->kind > END || b->batch < 0 || b->batch >= n_batches(s) ||
        file_of_batch(s, b->batch) != s->seen || b->number < 0 || b->number > most)
        return rd_block_file_refuse(s->seen, e);
    if (b->kind == LIVES)
        return rd_merge_note(s->merge, b->batch, at, b->number, e);
    s->n_ended += b->kind == END;
    if (b->kind == END)
        return rd_batch_faults_get(&s->faults, s->seen, b, at, e);
    *place_of_time(s, b->batch, b->number) = at;
    return true;
}

bool rd_batch_file_resume(rd_batch_file *s, int64_t end, struct rd_error *e)
{
    s->seen = own_file(s);
    return rd_block_file_cut(s->seen, end, see, s, e);
}

int64_t rd_batch_file_end(const rd_batch_file *s)
{
    return own_file(s)->end;
}

void rd_batch_file_go_to(rd_batch_file *s, int64_t batch, int64_t n_times)
{
    s->batch = batch;
    s->n_times = n_times;
}

static bool put_batch(rd_batch_file *s, const struct rd_snapshot *now, struct rd_error *e)
{
    const int64_t n_runs = n_kept(s, s->batch);
    const struct rd_block block = {.kind = STATE,
                                   .batch = s->batch,
                                   .number = s->n_times,
                                   .bytes = bytes_of_batch(s, s->batch) +
                                            rd_gathered_counts_bytes(now, n_runs) +
                                            rd_gather_bytes(now, s->of.model, n_runs)};
    struct rd_block_file *const l = own_file(s);
    rd_block_file_begin(l, &block, place_of_time(s, s->batch, s->n_times));
    bool ok = rd_block_file_add(l, &now->time, bytes_of_time(s), e) &&
              rd_block_file_add(l, now->sums, bytes_of_sums(s), e);
    rd_batch_columns_put(&s->columns, now, s->batch);
    for (int i = 0; ok && i < s->columns.n; i++) {
        const struct rd_batch_part part = rd_batch_columns_part(&s->columns, i, s->batch);
        ok = rd_block_file_add(l, part.values, part.bytes, e);
    }
    return ok && rd_gathered_counts_put(l, now, n_runs, e) &&
           rd_gather_put(l, now, s->of.model, n_runs, e) && rd_block_file_end(l, e);
}

static bool get_batch(rd_batch_file *s, int64_t batch, struct rd_error *e)
{
    int64_t at = *place_of_time(s, batch, s->n_times);
    const struct rd_block_file *const l = file_of_batch(s, batch);
    if (at < 0)
        return rd_block_file_refuse(l, e);
    bool ok = rd_block_file_read(l, &s->time, bytes_of_time(s), &at, e) &&
              rd_block_file_read(l, s->one, bytes_of_sums(s), &at, e);
    if (ok)
        rd_sums_add(s->sums, s->one, s->n_sums);
    for (int i = 0; ok && i < s->columns.n; i++) {
        const struct rd_batch_part part = rd_batch_columns_part(&s->columns, i, batch);
        ok = part.bytes == 0 || rd_block_file_read(l, part.values, part.bytes, &at, e);
    }
    return ok &&
           (!s->columns.has.is_sparse ||
            rd_gathered_counts_get(&s->counts, l, n_kept(s, batch), &at, e)) &&
           rd_gather_get(s->gather, l, n_kept(s, batch), &at, e);
}

/* Replaces the contents of the snapshot by those of all runs. */
static void widen(rd_batch_file *s, struct rd_snapshot *now)
{
    rd_batch_columns_give(&s->columns, now);
    now->sparse = s->columns.has.is_sparse ? rd_gathered_counts_all(&s->counts) : NULL;
    now->sums = s->n_sums > 0 ? s->sums : NULL;
    rd_gather_give(s->gather, now);
}

/* Clears the snapshot of all runs. */
static void begin_join(rd_batch_file *s)
{
    for (int64_t i = 0; i < s->n_sums; i++)
        s->sums[i] = (struct rd_sum){.min = INT64_MAX, .max = INT64_MIN};
    rd_gather_begin(s->gather);
    rd_gathered_counts_begin(&s->counts);
}

static bool end_join(rd_batch_file *s, struct rd_snapshot *now, struct rd_error *e)
{
    widen(s, now);
    return rd_batch_columns_any_in(&s->columns) ||
           rd_faulted_report_all(now->faulted, now->n_faulted, e);
}

static bool join_batch(rd_batch_file *s, struct rd_snapshot *now, struct rd_error *e)
{
    bool ok = true;
    begin_join(s);
    rd_sums_add(s->sums, now->sums, s->n_sums);
    rd_batch_columns_put(&s->columns, now, s->batch);
    for (int64_t batch = 0; ok && batch < s->batch; batch++)
        ok = get_batch(s, batch, e);
    return ok && rd_gathered_counts_add(&s->counts, now, n_kept(s, s->batch), e) &&
           rd_gather_add(s->gather, now, n_kept(s, s->batch), e) && end_join(s, now, e);
}

bool rd_batch_file_take(rd_batch_file *s, struct rd_snapshot *now, bool *is_whole,
                        struct rd_error *e)
{
    shape(s, now->due);
    *is_whole = is_last(s);
    const bool ok = *is_whole ? join_batch(s, now, e) : put_batch(s, now, e);
    s->n_times++;
    return ok;
}

bool rd_batch_file_live(rd_batch_file *s, struct rd_life *life, int64_t n, struct rd_error *e)
{
    const struct rd_block block = {
        .kind = LIVES, .batch = s->batch, .number = n, .bytes = n * (int64_t)sizeof *life};
    int64_t at;
    for (int64_t i = 0; i < n; i++)
        life[i].run += s->batch * s->of.size;
    if (is_last(s))
        rd_merge_add(s->merge, life, n);
    if (is_last(s) || n == 0)
        return true;
    rd_block_file_begin(own_file(s), &block, &at);
    return rd_block_file_add(own_file(s), life, block.bytes, e) &&
           rd_block_file_end(own_file(s), e) && rd_merge_note(s->merge, s->batch, at, n, e);
}

int64_t rd_batch_file_lives(rd_batch_file *s, int64_t order_key, struct rd_life *to, int64_t most,
                            struct rd_error *e)
{
    return is_last(s) || s->joins
               ? rd_merge_next(s->merge, s->files, s->n_files, order_key, to, most, e)
               : 0;
}

bool rd_batch_file_sync(const rd_batch_file *s, struct rd_error *e)
{
    return rd_block_file_sync(own_file(s), e);
}

int rd_batch_file_share(rd_batch_file *s, int share, const char *path, bool is_resuming, int64_t *n,
                        struct rd_error *e)
{
    struct rd_block_file *const l = &s->files[share];
    struct stat about;
    const bool is_there = is_resuming && lstat(path, &about) == 0;
    if (!rd_block_file_open(l, path, is_there, e))
        return -1;
    if (!rd_file_hold(l->file)) {
        rd_fail(e, "%s: a process of an earlier run writes it; end that process", path);
        return -1;
    }
    return rd_block_file_cut_behind(l, END, n, e) ? l->file : -1;
}

bool rd_batch_file_finish(rd_batch_file *s, const struct rd_faulted *faulted, int64_t n,
                          struct rd_error *e)
{
    const struct rd_block block = {.kind = END, .batch = s->batch};
    return rd_batch_faults_put(own_file(s), &block, faulted, n, e) &&
           rd_block_file_sync(own_file(s), e);
}

bool rd_batch_file_collect(rd_batch_file *s, const struct rd_faulted **faulted, int64_t *n,
                           struct rd_error *e)
{
    const int64_t others = n_batches(s) - (n_batches(s) + s->n_files - 1) / s->n_files;
    bool ok = true;
    for (int i = 1; ok && i < s->n_files; i++) {
        s->seen = &s->files[i];
        const int64_t length = s->seen->file < 0 ? 0 : rd_block_file_length(s->seen, e);
        ok = length == 0 || (length > 0 && rd_block_file_cut(s->seen, length, see, s, e));
    }
    s->joins = ok;
    *faulted = s->faults.faulted;
    *n = s->faults.n;
    return ok && (s->n_ended == others || rd_block_file_refuse(s->seen, e));
}

bool rd_batch_file_join(rd_batch_file *s, int64_t time, struct rd_snapshot *now, struct rd_error *e)
{
    bool ok = true;
    s->n_times = time;
    now->due = s->of.model->due[time];
    shape(s, now->due);
    begin_join(s);
    for (int64_t batch = 0; ok && batch < n_batches(s); batch++)
        ok = get_batch(s, batch, e);
    now->time = s->time;
    return ok && end_join(s, now, e);
}
