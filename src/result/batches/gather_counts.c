/* gather_counts - the rows of counts of all batches of runs at one time, as one array for each
   column. */
#include "result/batches/gather_counts.h"

#include <stdlib.h>
#include <string.h>

void rd_gathered_counts_free(struct rd_gathered_counts *g)
{
    free(g->row_count);
    free(g->voxel);
    free(g->species);
    free(g->count);
    *g = (struct rd_gathered_counts){0};
}

static int64_t sum_rows(const int64_t *row_count, int64_t n_runs)
{
    int64_t n = 0;
    for (int64_t run = 0; run < n_runs; run++)
        n += row_count[run] > 0 ? row_count[run] : 0;
    return n;
}

int64_t rd_gathered_counts_bytes(const struct rd_snapshot *now, int64_t n_runs)
{
    if (n_runs == 0 || !now->sparse)
        return 0;
    const int64_t row = (int64_t)(sizeof(int64_t) + 2 * sizeof(int32_t));
    return n_runs * (int64_t)sizeof(int64_t) + sum_rows(now->sparse->row_count, n_runs) * row;
}

/* Copies the columns of rows from, ..., from + n - 1. */
static void copy_rows(const struct rd_sparse_counts *of, int64_t from, int64_t n, int64_t *voxel,
                      int32_t *species, int32_t *count)
{
    for (int64_t i = 0; i < n; i++) {
        const struct rd_sparse_row row = rd_sparse_row_at(of, from + i);
        voxel[i] = row.voxel;
        species[i] = row.species;
        count[i] = row.count;
    }
}

bool rd_gathered_counts_put(struct rd_block_file *l, const struct rd_snapshot *now, int64_t n_runs,
                            struct rd_error *e)
{
    enum { PORTION = 1024 };
    const struct rd_sparse_counts *const of = now->sparse;
    if (n_runs == 0 || !of)
        return true;
    int64_t voxel[PORTION];
    int32_t number[2][PORTION];
    const int64_t n = sum_rows(of->row_count, n_runs);
    const struct {
        const void *from;
        int64_t width;
    } column[] = {
        {voxel, sizeof *voxel}, {number[0], sizeof **number}, {number[1], sizeof **number}};
    bool ok = rd_block_file_add(l, of->row_count, n_runs * (int64_t)sizeof *of->row_count, e);
    for (int k = 0; k < 3; k++)
        for (int64_t at = 0; ok && at < n; at += PORTION) {
            const int64_t some = at + PORTION < n ? PORTION : n - at;
            copy_rows(of, at, some, voxel, number[0], number[1]);
            ok = rd_block_file_add(l, column[k].from, some * column[k].width, e);
        }
    return ok;
}

void rd_gathered_counts_begin(struct rd_gathered_counts *g)
{
    g->n_runs = g->counts.n = 0;
}

/* Makes room for more runs. Returns the row counts of the first of them, or NULL with a message. */
static int64_t *extend_runs(struct rd_gathered_counts *g, int64_t n_runs, struct rd_error *e)
{
    const int64_t n = g->n_runs + n_runs;
    if (n > g->runs_capacity) {
        int64_t *const more = realloc(g->row_count, (size_t)(n + n / 2) * sizeof *more);
        if (!more) {
            rd_fail(e, "out of memory for the counts of %lld runs", (long long)n);
            return NULL;
        }
        g->row_count = more;
        g->runs_capacity = n + n / 2;
    }
    g->n_runs = n;
    return g->row_count + n - n_runs;
}

/* Makes room for n more rows, and returns the number of rows before them; -1 with a message. */
static int64_t add_rows(struct rd_gathered_counts *g, int64_t n, struct rd_error *e)
{
    const int64_t before = g->counts.n, all = before + n;
    if (all > g->capacity) {
        const size_t capacity = (size_t)(all + all / 2);
        int64_t *const voxel = realloc(g->voxel, capacity * sizeof *voxel);
        if (voxel)
            g->voxel = voxel;
        int32_t *const species = realloc(g->species, capacity * sizeof *species);
        if (species)
            g->species = species;
        int32_t *const count = realloc(g->count, capacity * sizeof *count);
        if (count)
            g->count = count;
        if (!voxel || !species || !count) {
            rd_fail(e, "out of memory for %lld rows of counts of batches of runs", (long long)all);
            return -1;
        }
        g->capacity = (int64_t)capacity;
    }
    g->counts.n = all;
    return before;
}

bool rd_gathered_counts_get(struct rd_gathered_counts *g, const struct rd_block_file *l,
                            int64_t n_runs, int64_t *at, struct rd_error *e)
{
    int64_t *const rows = n_runs > 0 ? extend_runs(g, n_runs, e) : NULL;
    if (!rows)
        return n_runs == 0;
    if (!rd_block_file_read(l, rows, n_runs * (int64_t)sizeof *rows, at, e))
        return false;
    const int64_t n = sum_rows(rows, n_runs), to = add_rows(g, n, e);
    return to >= 0 && rd_block_file_read(l, g->voxel + to, n * (int64_t)sizeof *g->voxel, at, e) &&
           rd_block_file_read(l, g->species + to, n * (int64_t)sizeof *g->species, at, e) &&
           rd_block_file_read(l, g->count + to, n * (int64_t)sizeof *g->count, at, e);
}

bool rd_gathered_counts_add(struct rd_gathered_counts *g, const struct rd_snapshot *now,
                            int64_t n_runs, struct rd_error *e)
{
    const struct rd_sparse_counts *const of = now->sparse;
    int64_t *const rows = n_runs > 0 && of ? extend_runs(g, n_runs, e) : NULL;
    if (!rows)
        return n_runs == 0 || !of;
    const int64_t n = sum_rows(of->row_count, n_runs), to = add_rows(g, n, e);
    if (to < 0)
        return false;
    memcpy(rows, of->row_count, (size_t)n_runs * sizeof *rows);
    if (n > 0)
        copy_rows(of, 0, n, g->voxel + to, g->species + to, g->count + to);
    return true;
}

const struct rd_sparse_counts *rd_gathered_counts_all(struct rd_gathered_counts *g)
{
    g->counts.row_count = g->row_count;
    g->counts.voxel = g->voxel;
    g->counts.species = g->species;
    g->counts.count = g->count;
    return &g->counts;
}
