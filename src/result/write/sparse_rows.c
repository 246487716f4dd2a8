/* sparse_rows - chooses the rows of counts that a group of the output records, or makes an array of
   them for a group that records one. */
#include "result/write/sparse_rows.h"

#include <stdlib.h>
#include <string.h>

static int64_t rows_of(const struct rd_sparse_counts *of, int64_t run)
{
    return of->row_count[run] > 0 ? of->row_count[run] : 0;
}

static bool reserve_rows(struct rd_sparse_rows *r, int64_t n_runs, int64_t n)
{
    const bool is_wider = n_runs > r->n_runs, is_longer = n > r->capacity;
    if (is_wider) {
        free(r->row_count);
        free(r->row_start);
        r->row_count = malloc((size_t)n_runs * sizeof *r->row_count);
        r->row_start = malloc((size_t)n_runs * sizeof *r->row_start);
    }
    if (is_longer) {
        free(r->voxel);
        free(r->species);
        free(r->count);
        r->voxel = malloc((size_t)n * sizeof *r->voxel);
        r->species = malloc((size_t)n * sizeof *r->species);
        r->count = malloc((size_t)n * sizeof *r->count);
    }
    r->n_runs = is_wider ? n_runs : r->n_runs;
    r->capacity = is_longer ? n : r->capacity;
    return (r->n_runs == 0 || (r->row_count && r->row_start)) &&
           (r->capacity == 0 || (r->voxel && r->species && r->count));
}

/* Returns the number along the table's axis of a species of the file, or -1. Numbers rise along the
   axis. */
static int32_t number_of(const struct rd_table *t, int32_t species)
{
    const int32_t *const chosen = t->chosen[RD_AXIS_SPECIES];
    int64_t begin = 0, end = t->length[RD_AXIS_SPECIES];
    if (!chosen)
        return species;
    while (begin < end) {
        const int64_t middle = begin + (end - begin) / 2;
        if (chosen[middle] < species)
            begin = middle + 1;
        else
            end = middle;
    }
    return begin < t->length[RD_AXIS_SPECIES] && chosen[begin] == species ? (int32_t)begin : -1;
}

bool rd_sparse_rows_choose(struct rd_sparse_rows *to, const struct rd_sparse_counts *of,
                           const struct rd_table *t, int64_t first_row)
{
    const int64_t n_runs = t->length[RD_AXIS_RUN];
    int64_t from = 0, n = 0;
    if (!reserve_rows(to, n_runs, of->n))
        return false;
    for (int64_t run = 0; run < n_runs; run++) {
        const int64_t end = from + rows_of(of, run);
        to->row_start[run] = first_row + n;
        for (; from < end; from++) {
            const int32_t species = number_of(t, of->species[from]);
            if (species < 0)
                continue;
            to->voxel[n] = of->voxel[from];
            to->species[n] = species;
            to->count[n++] = of->count[from];
        }
        to->row_count[run] = of->row_count[run] < 0 ? -1 : first_row + n - to->row_start[run];
    }
    to->counts = (struct rd_sparse_counts){n, to->row_count, to->voxel, to->species, to->count};
    return true;
}

void rd_sparse_rows_free(struct rd_sparse_rows *r)
{
    free(r->row_count);
    free(r->row_start);
    free(r->voxel);
    free(r->species);
    free(r->count);
    *r = (struct rd_sparse_rows){0};
}

const void *rd_sparse_rows_column(const struct rd_sparse_rows *r, enum rd_variable_name name)
{
    switch (name) {
    case RD_ROW_START:
        return r->row_start;
    case RD_ROW_COUNT:
        return r->counts.row_count;
    case RD_VOXEL:
        return r->counts.voxel;
    case RD_SPECIES_NUMBER:
        return r->counts.species;
    default:
        return r->counts.count;
    }
}

void rd_sparse_rows_spread(const struct rd_sparse_counts *of, const struct rd_table *t,
                           int32_t *counts)
{
    const int64_t sites = t->length[RD_AXIS_Z] * t->length[RD_AXIS_Y] * t->length[RD_AXIS_X];
    const int64_t of_run = t->length[RD_AXIS_SPECIES] * sites;
    int64_t from = 0;
    for (int64_t run = 0; run < t->length[RD_AXIS_RUN]; run++) {
        int32_t *const to = counts + run * of_run;
        const int64_t end = from + rows_of(of, run);
        memset(to, of->row_count[run] < 0 ? -1 : 0, (size_t)of_run * sizeof *to);
        for (; from < end; from++) {
            const int32_t species = number_of(t, of->species[from]);
            if (species >= 0)
                to[species * sites + of->voxel[from]] = of->count[from];
        }
    }
}
