/* sparse_snapshot - the counts of a snapshot as sorted rows (voxel, species, count).
   Entries of rows come sorted by voxel; without columns they are sorted by the file's order of
   species where they are. With columns, the rows of a block of voxels are sorted by counting: first
   how many species each voxel contains, which gives the place of its rows, then the rows
   themselves. */
#include "record/sparse_snapshot.h"

#include "record/rows_snapshot.h"

#include <stdlib.h>
#include <string.h>

/* Sets the voxels of a block. */
enum { BLOCK = 4096 };

struct rd_sparse_snapshot {
    struct rd_sparse_counts counts;
    int64_t capacity;   /* rows */
    int64_t *row_count; /* owned, like all of these: [run] */
    int64_t *voxel;
    int32_t *species, *count;
    int32_t *column; /* [species, in the file's order]: its column in a copy; -1: it is in rows */
    int64_t next[BLOCK]; /* [voxel of the block]: the number of its rows, then the place of its next
                            one */
};

/* Holds the copied counts of the machine. */
struct copied {
    const int32_t *column; /* [column][run][site] */
    int64_t n_counted, n_sites;
    int32_t n_columns;
    struct rd_outbox_entry *entry; /* of rows, by voxel over all runs, then in canonical order */
    int64_t n_entries, at;         /* at: the first entry that is not yet taken */
    const int32_t *species_of;     /* from canonical order to the file's */
};

/* Describes voxels of one run. */
struct voxel_block {
    int64_t run, begin, end; /* sites */
};

bool rd_sparse_snapshot_open(rd_sparse_snapshot **to, const struct rd_packing *k,
                             struct rd_error *e)
{
    const struct rd_world *const w = &k->world;
    rd_sparse_snapshot *const s = *to = calloc(1, sizeof *s);
    if (s) {
        s->row_count = calloc((size_t)k->most.n_counted + 1, sizeof *s->row_count);
        s->column = malloc(((size_t)w->counts.n_species + 1) * sizeof *s->column);
    }
    if (!s || !s->row_count || !s->column)
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
    free(s->column);
    free(s);
}

double rd_sparse_snapshot_memory(const struct rd_packing *k)
{
    const struct rd_world *const w = &k->world;
    const double columns = rd_n_columns(w);
    return columns == 0.0
               ? 0.0
               : 16.0 * ((double)w->rows.n_entry +
                         0.25 * columns * (double)k->most.n_counted * (double)w->lattice.n_sites);
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

/* Puts the row of a species behind those of the voxel's earlier species. */
static void put_row(struct rd_sparse_snapshot *s, const struct voxel_block *b, int64_t site,
                    int32_t species, int32_t count)
{
    const int64_t at = s->next[site - b->begin]++;
    s->voxel[at] = site;
    s->species[at] = species;
    s->count[at] = count;
}

/* Puts the row of a species before those of the voxel's later species; the first one is `first`. */
static void insert_row(struct rd_sparse_snapshot *s, const struct voxel_block *b, int64_t first,
                       int64_t site, int32_t species, int32_t count)
{
    int64_t at = s->next[site - b->begin]++;
    s->voxel[at] = site;
    for (; at > first && s->species[at - 1] > species; at--) {
        s->species[at] = s->species[at - 1];
        s->count[at] = s->count[at - 1];
    }
    s->species[at] = species;
    s->count[at] = count;
}

static const int32_t *copied_column(const struct copied *c, int32_t column, int64_t run)
{
    return c->column + (column * c->n_counted + run) * c->n_sites;
}

/* Returns the end of the entries of the voxels below this one, from c->at on. */
static int64_t end_of_entries(const struct copied *c, int64_t voxel)
{
    int64_t at = c->at;
    while (at < c->n_entries && c->entry[at].voxel < voxel)
        at++;
    return at;
}

/* Sets the places of the rows of the block. Returns the number of rows with all earlier ones. */
static int64_t place_rows(struct rd_sparse_snapshot *s, const struct copied *c,
                          const struct voxel_block *b)
{
    int64_t at = s->counts.n;
    memset(s->next, 0, sizeof s->next);
    for (int32_t i = 0; i < c->n_columns; i++) {
        const int32_t *const count = copied_column(c, i, b->run);
        for (int64_t site = b->begin; site < b->end; site++)
            s->next[site - b->begin] += count[site] != 0;
    }
    for (int64_t i = c->at, end = end_of_entries(c, b->run * c->n_sites + b->end); i < end; i++)
        s->next[c->entry[i].voxel - b->run * c->n_sites - b->begin]++;
    for (int64_t i = 0; i < b->end - b->begin; i++) {
        const int64_t first = at;
        at += s->next[i];
        s->next[i] = first;
    }
    return at;
}

/* Adds the entries of rows between the rows of columns. The rows of a voxel begin where those of
   the voxel before end. */
static void add_entries(struct rd_sparse_snapshot *s, struct copied *c, const struct voxel_block *b)
{
    const int64_t base = b->run * c->n_sites, end = end_of_entries(c, base + b->end);
    int64_t first = s->counts.n, before = b->begin;
    for (; c->at < end; c->at++) {
        const struct rd_outbox_entry x = c->entry[c->at];
        const int64_t site = x.voxel - base;
        for (; before < site; before++)
            first = s->next[before - b->begin];
        insert_row(s, b, first, site, c->species_of[x.species], x.count);
    }
}

static bool take_block(struct rd_sparse_snapshot *s, struct copied *c, const struct voxel_block *b,
                       int32_t n_species, struct rd_error *e)
{
    const int64_t end = place_rows(s, c, b);
    if (!reserve_sparse(s, end, e))
        return false;
    for (int32_t species = 0; species < n_species; species++) {
        if (s->column[species] < 0)
            continue;
        const int32_t *const count = copied_column(c, s->column[species], b->run);
        for (int64_t site = b->begin; site < b->end; site++)
            if (count[site] != 0)
                put_row(s, b, site, species, count[site]);
    }
    add_entries(s, c, b);
    s->counts.n = end;
    return true;
}

/* Makes the rows of a run from columns and entries. */
static bool merge_run(struct rd_sparse_snapshot *s, struct copied *c, int64_t run,
                      int32_t n_species, struct rd_error *e)
{
    bool ok = true;
    for (int64_t site = 0; ok && site < c->n_sites; site += BLOCK) {
        const struct voxel_block b = {run, site,
                                      site + BLOCK < c->n_sites ? site + BLOCK : c->n_sites};
        ok = take_block(s, c, &b, n_species, e);
    }
    return ok;
}

static int compare_species(const void *a, const void *b)
{
    const struct rd_outbox_entry *const x = a, *const y = b;
    return (x->species > y->species) - (x->species < y->species);
}

/* Makes the rows of a run from its entries, in their memory. */
static void sort_run(struct rd_sparse_snapshot *s, struct copied *c, int64_t run)
{
    const int64_t base = run * c->n_sites, end = end_of_entries(c, base + c->n_sites);
    while (c->at < end) {
        struct rd_outbox_entry *const to = c->entry + s->counts.n;
        const uint32_t voxel = c->entry[c->at].voxel;
        size_t n = 0;
        for (; c->at < end && c->entry[c->at].voxel == voxel; c->at++) {
            const struct rd_outbox_entry x = c->entry[c->at];
            to[n++] = (struct rd_outbox_entry){(uint32_t)(voxel - base), c->species_of[x.species],
                                               x.count};
        }
        if (n > 1)
            qsort(to, n, sizeof *to, compare_species);
        s->counts.n += (int64_t)n;
    }
}

const struct rd_sparse_counts *rd_sparse_snapshot_take(rd_sparse_snapshot *s,
                                                       const struct rd_packing *k,
                                                       int64_t n_counted, const char *byte,
                                                       int64_t n_entries, struct rd_error *e)
{
    const struct rd_world *const w = &k->world;
    struct copied c = {.column = (const void *)byte,
                       .n_counted = n_counted,
                       .n_sites = w->lattice.n_sites,
                       .n_columns = rd_n_columns(w),
                       .entry = (void *)(uintptr_t)(byte + k->entries),
                       .n_entries = n_entries,
                       .species_of = k->plan->species_of};
    s->counts = (struct rd_sparse_counts){.row_count = s->row_count};
    for (int64_t run = 0; run < n_counted; run++) {
        const int64_t before = s->counts.n;
        if (k->out && k->out[run])
            c.at = end_of_entries(&c, (run + 1) * c.n_sites);
        else if (c.n_columns == 0)
            sort_run(s, &c, run);
        else if (!merge_run(s, &c, run, w->counts.n_species, e))
            return NULL;
        s->row_count[run] = k->out && k->out[run] ? -1 : s->counts.n - before;
    }
    if (c.n_columns == 0)
        s->counts.packed = c.entry;
    s->counts.voxel = s->voxel;
    s->counts.species = s->species;
    s->counts.count = s->count;
    return &s->counts;
}
