/* sparse_snapshot - the counts of a snapshot as sorted rows (voxel, species, count).
   The rows of a run are sorted by counting: first how many species each voxel contains, which gives
   the place of its rows, then the rows themselves, in the file's order of species. */
#include "record/sparse_snapshot.h"

#include "record/rows_snapshot.h"

#include <stdlib.h>
#include <string.h>

struct rd_sparse_snapshot {
    struct rd_sparse_counts counts;
    int64_t capacity;   /* rows */
    int64_t *row_count; /* owned, like all of these: [run] */
    int64_t *voxel;
    int32_t *species, *count;
    int64_t *next;   /* [site]: the number of its rows, then the place of its next one */
    int32_t *column; /* [species, in the file's order]: its column in a copy; -1: it is in rows */
};

/* Holds the copied counts of the machine. */
struct copied {
    const int32_t *column; /* [column][run][site] */
    int64_t n_counted, n_sites;
    int32_t n_columns;
    const struct rd_row *row; /* [run][site]; NULL: there are none */
    const struct rd_row_entry *entry;
    const int32_t *species_of; /* from canonical order to the file's */
};

bool rd_sparse_snapshot_open(rd_sparse_snapshot **to, const struct rd_packing *k,
                             struct rd_error *e)
{
    const struct rd_world *const w = &k->world;
    rd_sparse_snapshot *const s = *to = calloc(1, sizeof *s);
    if (s) {
        s->row_count = calloc((size_t)k->most.n_counted + 1, sizeof *s->row_count);
        s->next = calloc((size_t)w->lattice.n_sites + 1, sizeof *s->next);
        s->column = malloc(((size_t)w->counts.n_species + 1) * sizeof *s->column);
    }
    if (!s || !s->row_count || !s->next || !s->column)
        return rd_fail(e, "out of memory for the counts of %lld voxels",
                       (long long)w->lattice.n_sites);
    for (int32_t i = 0; i < w->counts.n_species; i++)
        s->column[i] = -1;
    for (int32_t i = 0; i < rd_n_columns(w); i++)
        s->column[k->plan->species_of[rd_has_rows(w) ? k->plan->columned[i] : i]] = i;
    return true;
}

void rd_sparse_snapshot_close(rd_sparse_snapshot *s)
{
    if (!s)
        return;
    free(s->row_count);
    free(s->voxel);
    free(s->species);
    free(s->count);
    free(s->next);
    free(s->column);
    free(s);
}

double rd_sparse_snapshot_memory(const struct rd_packing *k)
{
    const struct rd_world *const w = &k->world;
    const double sites = (double)w->lattice.n_sites;
    const double rows = (double)w->rows.n_entry +
                        0.25 * (double)rd_n_columns(w) * (double)k->most.n_counted * sites;
    return 8.0 * sites + 16.0 * rows;
}

static const int32_t *column_of(const struct copied *c, int32_t column, int64_t run)
{
    return c->column + (column * c->n_counted + run) * c->n_sites;
}

/* Counts the species of each voxel of a run, and sets the places of their rows. Returns the number
   of rows with those of earlier runs. */
static int64_t place_rows(struct rd_sparse_snapshot *s, const struct copied *c, int64_t run)
{
    memset(s->next, 0, (size_t)c->n_sites * sizeof *s->next);
    for (int32_t i = 0; i < c->n_columns; i++) {
        const int32_t *const count = column_of(c, i, run);
        for (int64_t site = 0; site < c->n_sites; site++)
            s->next[site] += count[site] != 0;
    }
    int64_t at = s->counts.n;
    for (int64_t site = 0; site < c->n_sites; site++) {
        const struct rd_row row = c->row ? c->row[run * c->n_sites + site] : (struct rd_row){0};
        const int64_t first = at;
        at += s->next[site];
        for (int32_t i = 0; i < row.n; i++)
            at += c->entry[row.begin + i].count != 0;
        s->next[site] = first;
    }
    return at;
}

static bool reserve_sparse(struct rd_sparse_snapshot *s, int64_t n, struct rd_error *e)
{
    if (n <= s->capacity)
        return true;
    const size_t capacity = (size_t)(n + n / 4);
    int64_t *const voxel = realloc(s->voxel, capacity * sizeof *voxel);
    if (voxel)
        s->voxel = voxel;
    int32_t *const species = realloc(s->species, capacity * sizeof *species);
    if (species)
        s->species = species;
    int32_t *const count = realloc(s->count, capacity * sizeof *count);
    if (count)
        s->count = count;
    if (!voxel || !species || !count)
        return rd_fail(e, "out of memory for %lld rows of counts", (long long)n);
    s->capacity = (int64_t)capacity;
    return true;
}

static void put_row(struct rd_sparse_snapshot *s, int64_t site, int32_t species, int32_t count)
{
    const int64_t at = s->next[site]++;
    s->voxel[at] = site;
    s->species[at] = species;
    s->count[at] = count;
}

/* Puts the row of a species before those of the voxel's later species. */
static void insert_row(struct rd_sparse_snapshot *s, int64_t site, int64_t first, int32_t species,
                       int32_t count)
{
    int64_t at = s->next[site]++;
    for (; at > first && s->species[at - 1] > species; at--) {
        s->species[at] = s->species[at - 1];
        s->count[at] = s->count[at - 1];
    }
    s->species[at] = species;
    s->count[at] = count;
}

/* Adds the rows of the machine, which are in canonical order, between those of columns. The rows of
   a voxel begin where those of the voxel before end. */
static void add_entries(struct rd_sparse_snapshot *s, const struct copied *c, int64_t run)
{
    int64_t first = s->counts.n;
    for (int64_t site = 0; site < c->n_sites; site++) {
        const struct rd_row row = c->row[run * c->n_sites + site];
        for (int32_t i = 0; i < row.n; i++) {
            const struct rd_row_entry x = c->entry[row.begin + i];
            if (x.count != 0) {
                s->voxel[s->next[site]] = site;
                insert_row(s, site, first, c->species_of[x.species], x.count);
            }
        }
        first = s->next[site];
    }
}

static bool take_run(struct rd_sparse_snapshot *s, const struct copied *c, int64_t run,
                     int32_t n_species, struct rd_error *e)
{
    const int64_t end = place_rows(s, c, run);
    if (!reserve_sparse(s, end, e))
        return false;
    for (int32_t species = 0; species < n_species; species++) {
        if (s->column[species] < 0)
            continue;
        const int32_t *const count = column_of(c, s->column[species], run);
        for (int64_t site = 0; site < c->n_sites; site++)
            if (count[site] != 0)
                put_row(s, site, species, count[site]);
    }
    if (c->row)
        add_entries(s, c, run);
    s->row_count[run] = end - s->counts.n;
    s->counts.n = end;
    return true;
}

const struct rd_sparse_counts *rd_sparse_snapshot_take(rd_sparse_snapshot *s,
                                                       const struct rd_packing *k,
                                                       int64_t n_counted, const char *byte,
                                                       struct rd_error *e)
{
    const struct rd_world *const w = &k->world;
    const struct copied c = {.column = (const void *)byte,
                             .n_counted = n_counted,
                             .n_sites = w->lattice.n_sites,
                             .n_columns = rd_n_columns(w),
                             .row = rd_has_rows(w) ? (const void *)(byte + k->rows) : NULL,
                             .entry = (const void *)(byte + k->entries),
                             .species_of = k->plan->species_of};
    s->counts = (struct rd_sparse_counts){0};
    for (int64_t run = 0; run < n_counted; run++)
        if (k->out && k->out[run])
            s->row_count[run] = -1;
        else if (!take_run(s, &c, run, w->counts.n_species, e))
            return NULL;
    s->counts.row_count = s->row_count;
    s->counts.voxel = s->voxel;
    s->counts.species = s->species;
    s->counts.count = s->count;
    return &s->counts;
}
