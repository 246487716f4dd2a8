/* batch_file - the file in which batches of runs wait for the last batch. A snapshot of an
   earlier batch is one block of the file; arrays in memory hold the values of all runs at one
   time. */
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

/* Lists the columns of a snapshot: values of each run, for the first runs. */
enum { TOTALS, REGION_TOTALS, VALUES, FIRED, LOST, ENTERED, STOPPED, OUT, BY, COUNTS, FIELDS };
struct batch_column {
    size_t width; /* bytes of a run */
    int64_t runs; /* runs that have it, the first ones */
    char *all;    /* owned: values of all runs */
};

struct rd_batch_file {
    struct rd_log *log; /* owned: the files of all processes; batch b stands in log[b % n_logs] */
    int n_logs;
    struct rd_log *seen;           /* the one that is read in whole */
    bool joins;                    /* all batches are complete */
    int64_t n_ended;               /* batches that other processes have completed */
    struct rd_batch_faults faults; /* of these batches */
    double time;                   /* of the last snapshot that was read */
    struct rd_batch_file_of of;
    struct rd_recorded has;      /* data of voxels in the current snapshot */
    struct batch_column *column; /* owned */
    int n_columns;
    int64_t n_sums;
    struct rd_sum *sums, *one; /* owned: [surveyed species][site], of all runs and a batch */
    const double **field;      /* owned: of each field that changes; points into the columns */
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
    return s->n_logs == 1 && s->batch == n_batches(s) - 1;
}

static struct rd_log *own_log(const rd_batch_file *s)
{
    return &s->log[s->of.share];
}

static struct rd_log *log_of(const rd_batch_file *s, int64_t batch)
{
    return &s->log[batch % s->n_logs];
}

/* Returns the bytes of a snapshot's time: process 0 has the time of its own batch otherwise. */
static int64_t bytes_of_time(const rd_batch_file *s)
{
    return s->n_logs > 1 ? (int64_t)sizeof s->time : 0;
}

/* Returns the number of runs in the batch that have the column. */
static int64_t rows_with_column(const rd_batch_file *s, const struct batch_column *c, int64_t batch)
{
    const int64_t left = c->runs - batch * s->of.size;
    return left < 0 ? 0 : left < s->of.size ? left : s->of.size;
}

static int64_t bytes_of_sums(const rd_batch_file *s)
{
    return s->n_sums * (int64_t)sizeof *s->sums;
}

/* Returns the bytes of a snapshot of the batch, without individuals. */
static int64_t bytes_of_batch(const rd_batch_file *s, int64_t batch)
{
    int64_t bytes = bytes_of_time(s) + bytes_of_sums(s);
    for (int i = 0; i < s->n_columns; i++)
        bytes += rows_with_column(s, &s->column[i], batch) * (int64_t)s->column[i].width;
    return bytes;
}

/* Returns the number of runs in the batch whose state is kept. */
static int64_t n_kept(const rd_batch_file *s, int64_t batch)
{
    const struct batch_column all = {.runs = s->has.n_kept};
    return rows_with_column(s, &all, batch);
}

static int64_t *place_of_time(const rd_batch_file *s, int64_t batch, int64_t time)
{
    return &s->state_at[batch * s->of.model->n_moments + time];
}

static int n_varying(const struct rd_model *m)
{
    int n = 0;
    for (int i = 0; i < m->n_fields; i++)
        n += m->field_varies[i];
    return n;
}

/* Returns whether any group keeps more than statistics. */
static bool is_reported(const struct rd_model *m)
{
    bool is = false;
    for (int i = 0; i < m->n_outputs; i++)
        is = is || m->output[i].keep != RD_KEEP_STATISTICS;
    return is;
}

/* Sets the columns of a snapshot for the groups that are due. */
static void shape(rd_batch_file *s, uint64_t due)
{
    const struct rd_batch_file_of *const of = &s->of;
    const struct rd_model *const m = of->model;
    const size_t species = (size_t)m->n_species, sites = (size_t)m->grid.n_sites;
    const size_t faces = species * RD_FACES * sizeof(int64_t);
    /* keep = statistics needs only totals */
    const int64_t n = m->n_runs, reported = is_reported(m) ? n : 0;
    const uint64_t regions = rd_model_totalled(m);
    s->has = rd_model_recorded(m, due, true);
    const struct {
        size_t width;
        int64_t runs;
    } of_column[FIELDS] = {
        [TOTALS] = {species * sizeof(int64_t), n},
        [REGION_TOTALS] = {(size_t)rd_regions_number(regions) * species * sizeof(int64_t),
                           regions ? n : 0},
        [VALUES] = {(size_t)m->n_named_values * sizeof(double), n},
        [FIRED] = {(size_t)m->n_reactions * sizeof(int64_t), reported},
        [LOST] = {faces, of->has_lost ? reported : 0},
        [ENTERED] = {faces, of->has_entered ? reported : 0},
        [STOPPED] = {sizeof(double), m->stop.n > 0 ? n : 0},
        [OUT] = {sizeof(uint8_t), n},
        [BY] = {(size_t)m->n_bins * sizeof(int64_t), rd_model_counts_by(m, due) ? n : 0},
        [COUNTS] = {species * sites * sizeof(int32_t), s->has.is_sparse ? 0 : s->has.n_counted}};
    for (int i = 0; i < s->n_columns; i++) {
        s->column[i].width = i < FIELDS ? of_column[i].width : sites * sizeof(double);
        s->column[i].runs = i < FIELDS ? of_column[i].runs : s->has.n_kept;
    }
    s->n_sums = s->has.has_sums ? m->n_surveyed * m->grid.n_sites : 0;
}

double rd_batch_file_memory(const struct rd_batch_file_of *of)
{
    struct batch_column column[FIELDS] = {{0}};
    rd_batch_file s = {.of = *of, .column = column, .n_columns = FIELDS};
    shape(&s, RD_ALL_DUE);
    double bytes = 2.0 * (double)bytes_of_sums(&s);
    for (int i = 0; i < FIELDS; i++)
        bytes += (double)column[i].width * (double)column[i].runs;
    return bytes +
           (double)s.has.n_kept * n_varying(of->model) * (double)of->model->grid.n_sites * 8.0;
}

static bool make_arrays(rd_batch_file *s)
{
    const size_t sums = (size_t)s->n_sums + 1;
    const size_t states = (size_t)(n_batches(s) * s->of.model->n_moments);
    bool ok = (s->state_at = malloc(states * sizeof *s->state_at + 1)) != NULL;
    for (size_t i = 0; ok && i < states; i++)
        s->state_at[i] = -1;
    ok = (s->sums = calloc(sums, sizeof *s->sums)) != NULL && ok;
    ok = (s->one = calloc(sums, sizeof *s->one)) != NULL && ok;
    ok = (s->field = calloc((size_t)s->of.model->n_fields + 1, sizeof *s->field)) != NULL && ok;
    for (int i = 0; i < s->n_columns; i++) {
        struct batch_column *const c = &s->column[i];
        c->all = calloc((size_t)c->runs + 1, c->width + 1);
        ok = c->all && ok;
    }
    for (int i = 0, k = FIELDS; ok && i < s->of.model->n_fields; i++)
        if (s->of.model->field_varies[i])
            s->field[i] = (const void *)s->column[k++].all;
    return ok;
}

/* Makes everything but the file. */
static bool make_batch_file(rd_batch_file **to, const struct rd_batch_file_of *of,
                            struct rd_error *e)
{
    rd_batch_file *const s = *to = calloc(1, sizeof *s);
    if (!s)
        return rd_fail(e, "out of memory for batches of runs");
    *s = (rd_batch_file){.of = *of,
                         .n_logs = of->n_shares > 1 ? of->n_shares : 1,
                         .n_columns = FIELDS + n_varying(of->model)};
    s->log = calloc((size_t)s->n_logs, sizeof *s->log);
    for (int i = 0; s->log && i < s->n_logs; i++)
        s->log[i].file = -1;
    s->column = calloc((size_t)s->n_columns, sizeof *s->column);
    if (s->column)
        shape(s, RD_ALL_DUE);
    if (!s->log || !s->column || !make_arrays(s))
        return rd_fail(e, "out of memory for batches of %lld runs", (long long)of->model->n_runs);
    return rd_gather_open(&s->gather, of->model, e) && rd_merge_open(&s->merge, n_batches(s), e);
}

bool rd_batch_file_open(rd_batch_file **to, const char *path, const struct rd_batch_file_of *of,
                        bool is_resuming, struct rd_error *e)
{
    return make_batch_file(to, of, e) && rd_log_open(own_log(*to), path, is_resuming, e);
}

bool rd_batch_file_take_over(rd_batch_file **to, const char *path, int file,
                             const struct rd_batch_file_of *of, struct rd_error *e)
{
    return make_batch_file(to, of, e) && rd_log_take(own_log(*to), path, file, e);
}

void rd_batch_file_close(rd_batch_file *s)
{
    if (!s)
        return;
    for (int i = 0; s->column && i < s->n_columns; i++)
        free(s->column[i].all);
    for (int i = 0; s->log && i < s->n_logs; i++)
        rd_log_close(&s->log[i]);
    free(s->log);
    rd_batch_faults_free(&s->faults);
    rd_gathered_counts_free(&s->counts);
    rd_gather_close(s->gather);
    rd_merge_close(s->merge);
    free(s->state_at);
    free(s->column);
    free(s->sums);
    free(s->one);
    free(s->field);
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
        log_of(s, b->batch) != s->seen || b->number < 0 || b->number > most)
        return rd_log_refuse(s->seen, e);
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
    s->seen = own_log(s);
    return rd_log_cut(s->seen, end, see, s, e);
}

int64_t rd_batch_file_end(const rd_batch_file *s)
{
    return own_log(s)->end;
}

void rd_batch_file_go_to(rd_batch_file *s, int64_t batch, int64_t n_times)
{
    s->batch = batch;
    s->n_times = n_times;
}

/* Returns the values of a snapshot for a column; NULL for OUT: no run has faulted. */
static const void *values_of_column(const rd_batch_file *s, const struct rd_snapshot *now, int i)
{
    const void *const values[FIELDS] = {now->totals, now->region_totals, now->values,  now->fired,
                                        now->lost,   now->entered,       now->stopped, now->out,
                                        now->by,     now->counts};
    if (i < FIELDS)
        return values[i];
    int k = 0;
    for (int left = i - FIELDS; left > 0 || !s->of.model->field_varies[k]; k++)
        left -= s->of.model->field_varies[k];
    return now->field[k];
}

/* Copies the values of the batch to their place among those of all runs. */
static void place_batch(rd_batch_file *s, const struct rd_snapshot *now)
{
    for (int i = 0; i < s->n_columns; i++) {
        struct batch_column *const c = &s->column[i];
        const size_t bytes = (size_t)rows_with_column(s, c, s->batch) * c->width;
        char *const to = c->all + (size_t)(s->batch * s->of.size) * c->width;
        const void *const from = bytes > 0 ? values_of_column(s, now, i) : NULL;
        if (from)
            memcpy(to, from, bytes);
        else if (bytes > 0)
            memset(to, 0, bytes);
    }
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
    struct rd_log *const l = own_log(s);
    rd_log_begin(l, &block, place_of_time(s, s->batch, s->n_times));
    bool ok = rd_log_add(l, &now->time, bytes_of_time(s), e) &&
              rd_log_add(l, now->sums, bytes_of_sums(s), e);
    place_batch(s, now);
    for (int i = 0; ok && i < s->n_columns; i++) {
        const struct batch_column *const c = &s->column[i];
        ok = rd_log_add(l, c->all + (size_t)(s->batch * s->of.size) * c->width,
                        rows_with_column(s, c, s->batch) * (int64_t)c->width, e);
    }
    return ok && rd_gathered_counts_put(l, now, n_runs, e) &&
           rd_gather_put(l, now, s->of.model, n_runs, e) && rd_log_end(l, e);
}

static bool get_batch(rd_batch_file *s, int64_t batch, struct rd_error *e)
{
    int64_t at = *place_of_time(s, batch, s->n_times);
    const struct rd_log *const l = log_of(s, batch);
    if (at < 0)
        return rd_log_refuse(l, e);
    bool ok = rd_log_read(l, &s->time, bytes_of_time(s), &at, e) &&
              rd_log_read(l, s->one, bytes_of_sums(s), &at, e);
    if (ok)
        rd_sums_add(s->sums, s->one, s->n_sums);
    for (int i = 0; ok && i < s->n_columns; i++) {
        const struct batch_column *const c = &s->column[i];
        const int64_t rows = rows_with_column(s, c, batch);
        ok = rows == 0 || rd_log_read(l, c->all + (size_t)(batch * s->of.size) * c->width,
                                      rows * (int64_t)c->width, &at, e);
    }
    return ok &&
           (!s->has.is_sparse || rd_gathered_counts_get(&s->counts, l, n_kept(s, batch), &at, e)) &&
           rd_gather_get(s->gather, l, n_kept(s, batch), &at, e);
}

/* Replaces the contents of the snapshot by those of all runs, out of the columns. */
static void widen(rd_batch_file *s, struct rd_snapshot *now)
{
    const struct batch_column *const c = s->column;
    now->totals = (const void *)c[TOTALS].all;
    now->region_totals = c[REGION_TOTALS].runs > 0 ? (const void *)c[REGION_TOTALS].all : NULL;
    now->values = (const void *)c[VALUES].all;
    now->fired = c[FIRED].runs > 0 ? (const void *)c[FIRED].all : NULL;
    now->lost = c[LOST].runs > 0 ? (const void *)c[LOST].all : NULL;
    now->entered = c[ENTERED].runs > 0 ? (const void *)c[ENTERED].all : NULL;
    now->stopped = c[STOPPED].runs > 0 ? (const void *)c[STOPPED].all : NULL;
    now->out = now->n_faulted > 0 ? (const void *)c[OUT].all : NULL;
    now->by = c[BY].runs > 0 ? (const void *)c[BY].all : NULL;
    now->counts = c[COUNTS].runs > 0 ? (const void *)c[COUNTS].all : NULL;
    now->sparse = s->has.is_sparse ? rd_gathered_counts_all(&s->counts) : NULL;
    now->sums = s->n_sums > 0 ? s->sums : NULL;
    now->field = s->has.keeps_voxels ? s->field : NULL;
    rd_gather_give(s->gather, now);
}

static bool is_any_in(const rd_batch_file *s)
{
    const char *const out = s->column[OUT].all;
    return memchr(out, 0, (size_t)s->column[OUT].runs) != NULL;
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
    return is_any_in(s) || rd_faulted_report_all(now->faulted, now->n_faulted, e);
}

static bool join_batch(rd_batch_file *s, struct rd_snapshot *now, struct rd_error *e)
{
    bool ok = true;
    begin_join(s);
    rd_sums_add(s->sums, now->sums, s->n_sums);
    place_batch(s, now);
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
    rd_log_begin(own_log(s), &block, &at);
    return rd_log_add(own_log(s), life, block.bytes, e) && rd_log_end(own_log(s), e) &&
           rd_merge_note(s->merge, s->batch, at, n, e);
}

int64_t rd_batch_file_lives(rd_batch_file *s, int64_t order_key, struct rd_life *to, int64_t most,
                            struct rd_error *e)
{
    return is_last(s) || s->joins
               ? rd_merge_next(s->merge, s->log, s->n_logs, order_key, to, most, e)
               : 0;
}

bool rd_batch_file_sync(const rd_batch_file *s, struct rd_error *e)
{
    return rd_log_sync(own_log(s), e);
}

int rd_batch_file_share(rd_batch_file *s, int share, const char *path, bool is_resuming, int64_t *n,
                        struct rd_error *e)
{
    struct rd_log *const l = &s->log[share];
    struct stat about;
    const bool is_there = is_resuming && lstat(path, &about) == 0;
    if (!rd_log_open(l, path, is_there, e))
        return -1;
    if (!rd_file_hold(l->file)) {
        rd_fail(e, "%s: a process of an earlier run writes it; end that process", path);
        return -1;
    }
    return rd_log_cut_behind(l, END, n, e) ? l->file : -1;
}

bool rd_batch_file_finish(rd_batch_file *s, const struct rd_faulted *faulted, int64_t n,
                          struct rd_error *e)
{
    const struct rd_block block = {.kind = END, .batch = s->batch};
    return rd_batch_faults_put(own_log(s), &block, faulted, n, e) && rd_log_sync(own_log(s), e);
}

bool rd_batch_file_collect(rd_batch_file *s, const struct rd_faulted **faulted, int64_t *n,
                           struct rd_error *e)
{
    const int64_t others = n_batches(s) - (n_batches(s) + s->n_logs - 1) / s->n_logs;
    bool ok = true;
    for (int i = 1; ok && i < s->n_logs; i++) {
        s->seen = &s->log[i];
        const int64_t length = s->seen->file < 0 ? 0 : rd_log_length(s->seen, e);
        ok = length == 0 || (length > 0 && rd_log_cut(s->seen, length, see, s, e));
    }
    s->joins = ok;
    *faulted = s->faults.faulted;
    *n = s->faults.n;
    return ok && (s->n_ended == others || rd_log_refuse(s->seen, e));
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
