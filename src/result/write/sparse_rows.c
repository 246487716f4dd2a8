/* sparse_rows - chooses the rows of counts that a group of the output records, or makes an array of
   them for a group that records one. */
#include "result/write/sparse_rows.h"

#include <stdlib.h>
#include <string.h>

/* Sets the rows that are chosen at a time. */
enum { PORTION = 1 << 14 };

static int64_t rows_of_run(const struct rd_sparse_counts *of, int64_t run)
{
    return of->row_count[run] > 0 ? of->row_count[run] : 0;
}

static bool reserve_rows(struct rd_sparse_rows *r, int64_t n_runs)
{
    if (n_runs > r->n_runs) {
        free(r->row_count);
        free(r->row_start);
        r->row_count = malloc((size_t)n_runs * sizeof *r->row_count);
        r->row_start = malloc((size_t)n_runs * sizeof *r->row_start);
        r->n_runs = r->row_count && r->row_start ? n_runs : 0;
    }
    r->voxel = r->voxel ? r->voxel : malloc(PORTION * sizeof *r->voxel);
    r->species = r->species ? r->species : malloc(PORTION * sizeof *r->species);
    r->count = r->count ? r->count : malloc(PORTION * sizeof *r->count);
    return r->n_runs >= n_runs && r->voxel && r->species && r->count;
}

/* Returns the number along the table's axis of a species of the file, or -1. Numbers rise along the
   axis. */
static int32_t number_along_axis(const struct rd_table *t, int32_t species)
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

/* Returns how many of the rows from begin to end - 1 the table has. */
static int64_t count_chosen(const struct rd_sparse_counts *of, const struct rd_table *t,
                            int64_t begin, int64_t end)
{
    int64_t n = 0;
    if (!t->chosen[RD_AXIS_SPECIES])
        return end - begin;
    for (int64_t i = begin; i < end; i++)
        n += number_along_axis(t, rd_sparse_row_at(of, i).species) >= 0;
    return n;
}

bool rd_sparse_rows_choose(struct rd_sparse_rows *to, const struct rd_sparse_counts *of,
                           const struct rd_table *t, int64_t first_row)
{
    const int64_t n_runs = t->length[RD_AXIS_RUN];
    if (!reserve_rows(to, n_runs))
        return false;
    to->of = of;
    to->table = t;
    to->at = to->end = 0;
    for (int64_t run = 0; run < n_runs; run++) {
        const int64_t begin = to->end;
        to->end += rows_of_run(of, run);
        const int64_t n = count_chosen(of, t, begin, to->end);
        to->row_start[run] = first_row;
        to->row_count[run] = of->row_count[run] < 0 ? -1 : n;
        first_row += n;
    }
    return true;
}

int64_t rd_sparse_rows_next(struct rd_sparse_rows *r)
{
    int64_t n = 0;
    for (; n < PORTION && r->at < r->end; r->at++) {
        const struct rd_sparse_row row = rd_sparse_row_at(r->of, r->at);
        const int32_t species = number_along_axis(r->table, row.species);
        if (species < 0)
            continue;
        r->voxel[n] = row.voxel;
        r->species[n] = species;
        r->count[n++] = row.count;
    }
    return n;
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
        return r->row_count;
    case RD_VOXEL:
        return r->voxel;
    case RD_SPECIES_NUMBER:
        return r->species;
    default:
        return r->count;
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
        const int64_t end = from + rows_of_run(of, run);
        memset(to, of->row_count[run] < 0 ? -1 : 0, (size_t)of_run * sizeof *to);
        for (; from < end; from++) {
            const struct rd_sparse_row row = rd_sparse_row_at(of, from);
            const int32_t species = number_along_axis(t, row.species);
            if (species >= 0)
                to[species * sites + row.voxel] = row.count;
        }
    }
}
