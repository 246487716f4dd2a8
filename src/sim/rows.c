/* rows - the memory of rows, and their passes. A pass leaves out voxels for which there is too
   little memory; then the memory grows and the pass is repeated for these. The host reads how much
   is missing after each pass. */
#include "sim/rows.h"

#include "sim/capacity.h"

#include <stdlib.h>

/* Sets the least numbers of entries and of arrivals for which there is memory at the start. */
enum { ENTRIES_LEAST = 1024 };

/* Returns the number of entries that are expected at the start. */
static double expected_entries(const struct rd_plan *p)
{
    double n = 0.0;
    for (int32_t s = 0; s < p->world.counts.n_species; s++)
        if (p->column[s] < 0)
            n += (p->mean[s] < 1.0 ? p->mean[s] : 1.0) * (double)p->world.lattice.n_voxels;
    return n;
}

void rd_rows_size(const struct rd_plan *p, struct rd_world *w)
{
    if (w->rows.n_column == 0)
        return;
    const int64_t n = (int64_t)expected_entries(p), ample = n + n / 4 + ENTRIES_LEAST;
    w->rows.n_row = w->rows.n_n_arrived = w->rows.n_marked = w->lattice.n_voxels;
    w->rows.n_offset = w->lattice.n_voxels + 1;
    w->rows.n_entry = w->rows.n_entry_next = ample;
    w->rows.n_outbox = ample / 2;
    w->rows.n_capacity = 1;
    w->counts.n_count = w->rows.n_columned * w->lattice.n_voxels;
    w->counts.n_arrive = w->counts.n_count;
}

bool rd_rows_exist(const struct rd_sim *s)
{
    return s->world.rows.n_row > 0;
}

/* ---- memory ---- */

static bool read_capacity(struct rd_sim *s, struct rd_rows_capacity *capacity, struct rd_error *e)
{
    return s->backend->get(s->machine, capacity, s->world.rows.capacity, sizeof *capacity, e);
}

static bool write_capacity(struct rd_sim *s, const struct rd_rows_capacity *capacity,
                           struct rd_error *e)
{
    return s->backend->put(s->machine, s->world.rows.capacity, capacity, sizeof *capacity, e);
}

/* Ensures that a pool has n entries; its content is lost if it grows. */
static bool renew_pool(struct rd_sim *s, struct rd_row_entry **pool, int64_t *n_pool, int64_t n,
                       struct rd_error *e)
{
    if (n <= *n_pool)
        return true;
    if (n > INT32_MAX)
        return rd_fail(e,
                       "%lld species in voxels are too many for lists; set store = \"grid\" for "
                       "species that are everywhere",
                       (long long)n);
    s->backend->free(s->machine, *pool);
    *pool = s->backend->alloc(s->machine, (size_t)n * sizeof **pool, e);
    *n_pool = *pool ? n : 0;
    return *pool != NULL;
}

/* Ensures that there is memory for n arrivals, of which the first n_kept are kept. */
static bool grow_arrivals(struct rd_sim *s, int64_t n, int64_t n_kept, struct rd_error *e)
{
    struct rd_rows *const rows = &s->world.rows;
    if (n <= rows->n_outbox)
        return true;
    struct rd_outbox_entry *const grown =
        s->backend->alloc(s->machine, (size_t)n * sizeof *grown, e);
    if (!grown)
        return rd_fail(e,
                       "up to %lld molecules hop from voxel to voxel in a movement, which is too "
                       "much for lists; set store = \"grid\" for species that are not rare",
                       (long long)n);
    s->backend->copy(s->machine, grown, rows->outbox, (size_t)n_kept * sizeof *grown);
    s->backend->free(s->machine, rows->outbox);
    rows->outbox = grown;
    rows->n_outbox = n;
    return true;
}

/* Makes the next rows the present ones, and sets what they take. */
static bool take_next_rows(struct rd_sim *s, struct rd_error *e)
{
    struct rd_rows *const rows = &s->world.rows;
    struct rd_rows_capacity capacity = {0};
    int32_t n;
    struct rd_row_entry *const entry = rows->entry_next;
    const int64_t n_entry = rows->n_entry_next;
    if (!s->backend->get(s->machine, &n, rows->offset + rows->n_row, sizeof n, e))
        return false;
    rows->entry_next = rows->entry;
    rows->n_entry_next = rows->n_entry;
    rows->entry = entry;
    rows->n_entry = n_entry;
    capacity.top = n;
    return write_capacity(s, &capacity, e);
}

/* Runs a pass as a part of the one before, with its number, so that it runs even after a fault in
   that: rows are always complete. */
static void run_within(struct rd_sim *s, enum rd_pass pass)
{
    s->step_clock.pass--;
    rd_sim_run(s, pass);
}

/* Makes the next rows from the present ones and the arrivals, with memory for `more` entries after
   them. */
static bool make_next_rows(struct rd_sim *s, int64_t more, struct rd_error *e)
{
    struct rd_rows *const rows = &s->world.rows;
    int32_t n;
    run_within(s, RD_SIZE_ROWS);
    run_within(s, RD_SCAN_ROWS);
    if (!s->backend->get(s->machine, &n, rows->offset + rows->n_row, sizeof n, e))
        return false;
    const int64_t need = n + more;
    if (need > rows->n_entry_next &&
        !renew_pool(s, &rows->entry_next, &rows->n_entry_next, need + need / 4 + 1, e))
        return false;
    run_within(s, RD_SCATTER_OUTBOX);
    run_within(s, RD_LAND_ROWS);
    return take_next_rows(s, e);
}

/* Makes the memory that marked voxels lack, and half more. */
static bool make_room(struct rd_sim *s, struct rd_rows_capacity *capacity, struct rd_error *e)
{
    const int64_t arrivals = capacity->claimed + capacity->lacks_arrivals;
    if (capacity->lacks_arrivals == 0)
        return make_next_rows(s, capacity->lacks + capacity->lacks / 2, e);
    capacity->lacks_arrivals = 0;
    return grow_arrivals(s, arrivals + arrivals / 2, capacity->arrivals, e) &&
           write_capacity(s, capacity, e);
}

/* Runs the pass, and again for the marked voxels while memory is missing. */
static bool run_with_capacity(struct rd_sim *s, enum rd_pass pass, struct rd_error *e)
{
    struct rd_rows_capacity capacity;
    rd_sim_run(s, pass);
    bool ok = read_capacity(s, &capacity, e);
    while (ok && capacity.lacks + capacity.lacks_arrivals > 0) {
        ok = make_room(s, &capacity, e);
        s->world.rows.repeats = 1;
        if (ok)
            run_within(s, pass);
        s->world.rows.repeats = 0;
        ok = ok && read_capacity(s, &capacity, e);
    }
    return ok;
}

void rd_rows_react(struct rd_sim *s)
{
    struct rd_error why = {0};
    if (!run_with_capacity(s, RD_REACT_ROWS, &why))
        rd_capacity_keep(s, &why);
    rd_error_free(&why);
}

void rd_rows_move(struct rd_sim *s)
{
    struct rd_error why = {0};
    if (s->world.items.n_moving == 0)
        return;
    bool ok = run_with_capacity(s, RD_HOP_ROWS, &why);
    if (s->world.items.n_inlets > 0)
        run_within(s, RD_ENTER);
    ok = ok && make_next_rows(s, 0, &why);
    if (!ok)
        rd_capacity_keep(s, &why);
    rd_error_free(&why);
}

/* ---- copies ---- */

/* Holds rows on the host. */
struct host_rows {
    struct rd_row *row;
    struct rd_row_entry *entry;
};

static void close_host_rows(struct host_rows *h)
{
    free(h->row);
    free(h->entry);
}

static bool open_host_rows(struct host_rows *h, const struct rd_world *w, int64_t n,
                           struct rd_error *e)
{
    h->row = calloc((size_t)w->rows.n_row, sizeof *h->row);
    h->entry = calloc((size_t)n + 1, sizeof *h->entry);
    return (h->row && h->entry) ||
           rd_fail(e, "out of memory for the molecules of %lld voxels", (long long)w->rows.n_row);
}

/* Copies the rows of the machine. */
static bool get_host_rows(struct rd_sim *s, struct host_rows *h, struct rd_error *e)
{
    const struct rd_rows *const rows = &s->world.rows;
    struct rd_rows_capacity capacity;
    if (!read_capacity(s, &capacity, e))
        return false;
    const int64_t n = capacity.top < rows->n_entry ? capacity.top : rows->n_entry;
    return open_host_rows(h, &s->world, n, e) &&
           s->backend->get(s->machine, h->row, rows->row, (size_t)rows->n_row * sizeof *h->row,
                           e) &&
           s->backend->get(s->machine, h->entry, rows->entry, (size_t)n * sizeof *h->entry, e);
}

/* Returns the first voxel from `voxel` on whose count is not 0; n if there is none. */
static int64_t next_present(const int32_t *count, int64_t voxel, int64_t n)
{
    enum { BLOCK = 64 };
    int32_t any = 0;
    for (; any == 0 && voxel + BLOCK <= n; voxel += any == 0 ? BLOCK : 0)
        for (int64_t i = 0; i < BLOCK; i++)
            any |= count[voxel + i];
    while (voxel < n && count[voxel] == 0)
        voxel++;
    return voxel;
}

/* Returns the first voxel that contains the species; that behind the last one if it is in none, or
   if it has a column. */
static int64_t first_present(const struct rd_sim *s, int32_t species, const int32_t *count)
{
    const int64_t n = s->world.rows.n_row;
    return s->plan->column[species] < 0 ? next_present(count, 0, n) : n;
}

/* Makes the rows of all voxels from counts[species][voxel]. */
static void fill_host_rows(const struct rd_sim *s, const int32_t *count, struct host_rows *h)
{
    const struct rd_world *const w = &s->world;
    int64_t at = 0;
    for (int64_t voxel = 0; voxel < w->rows.n_row; voxel++) {
        h->row[voxel].begin = (int32_t)at;
        at += h->row[voxel].capacity;
    }
    for (int32_t i = 0; i < w->counts.n_species; i++) {
        const int32_t *const from = count + i * w->lattice.n_voxels;
        for (int64_t voxel = first_present(s, i, from); voxel < w->rows.n_row;
             voxel = next_present(from, voxel + 1, w->rows.n_row)) {
            struct rd_row *const row = &h->row[voxel];
            h->entry[row->begin + row->n++] = (struct rd_row_entry){i, from[voxel]};
        }
    }
}

/* Returns the number of entries that the counts need, and sets the capacities of the rows. */
static int64_t measure_rows(const struct rd_sim *s, const int32_t *count, struct rd_row *row)
{
    const struct rd_world *const w = &s->world;
    int64_t n = 0;
    for (int32_t i = 0; i < w->counts.n_species; i++) {
        const int32_t *const from = count + i * w->lattice.n_voxels;
        for (int64_t voxel = first_present(s, i, from); voxel < w->rows.n_row; n++) {
            row[voxel].capacity++;
            voxel = next_present(from, voxel + 1, w->rows.n_row);
        }
    }
    return n;
}

/* Copies the columns to the machine, or from it, for the voxels begin ... begin + n - 1. */
static bool copy_columns(struct rd_sim *s, int32_t *count, int64_t begin, int64_t n, bool is_put,
                         struct rd_error *e)
{
    const struct rd_world *const w = &s->world;
    bool ok = true;
    for (int32_t k = 0; ok && k < w->rows.n_columned; k++) {
        int32_t *const host = count + s->plan->columned[k] * w->lattice.n_voxels + begin;
        int32_t *const there = w->counts.count + k * w->lattice.n_voxels + begin;
        ok = is_put ? s->backend->put(s->machine, there, host, (size_t)n * sizeof *host, e)
                    : s->backend->get(s->machine, host, there, (size_t)n * sizeof *host, e);
    }
    return ok;
}

bool rd_rows_put(struct rd_sim *s, const int32_t *count, struct rd_error *e)
{
    struct rd_rows *const rows = &s->world.rows;
    struct host_rows h = {0};
    bool ok = open_host_rows(&h, &s->world, 0, e);
    const int64_t n = ok ? measure_rows(s, count, h.row) : 0;
    free(h.entry);
    h.entry = calloc((size_t)n + 1, sizeof *h.entry);
    ok = ok && (h.entry || rd_fail(e, "out of memory for %lld counts", (long long)n));
    if (ok)
        fill_host_rows(s, count, &h);
    const struct rd_rows_capacity capacity = {.top = n};
    ok = ok && renew_pool(s, &rows->entry, &rows->n_entry, n + n / 4, e) &&
         s->backend->put(s->machine, rows->row, h.row, (size_t)rows->n_row * sizeof *h.row, e) &&
         s->backend->put(s->machine, rows->entry, h.entry, (size_t)n * sizeof *h.entry, e) &&
         write_capacity(s, &capacity, e) &&
         copy_columns(s, (int32_t *)(uintptr_t)count, 0, rows->n_row, true, e);
    close_host_rows(&h);
    return ok;
}

bool rd_rows_get(struct rd_sim *s, int32_t *count, int64_t begin, int64_t end, struct rd_error *e)
{
    const struct rd_world *const w = &s->world;
    const int64_t from = begin * w->lattice.n_sites, n = (end - begin) * w->lattice.n_sites;
    struct host_rows h = {0};
    const bool ok = get_host_rows(s, &h, e) && copy_columns(s, count, from, n, false, e);
    for (int32_t i = 0; ok && i < w->counts.n_species; i++)
        if (s->plan->column[i] < 0)
            memset(count + i * w->lattice.n_voxels + from, 0, (size_t)n * sizeof *count);
    for (int64_t voxel = from; ok && voxel < from + n; voxel++)
        for (int32_t k = 0; k < h.row[voxel].n; k++) {
            const struct rd_row_entry entry = h.entry[h.row[voxel].begin + k];
            count[entry.species * w->lattice.n_voxels + voxel] = entry.count;
        }
    close_host_rows(&h);
    return ok;
}

bool rd_rows_clear(struct rd_sim *s, int64_t run, struct rd_error *e)
{
    const struct rd_world *const w = &s->world;
    const int64_t from = run * w->lattice.n_sites;
    const size_t n = (size_t)w->lattice.n_sites;
    bool ok = s->backend->zero(s->machine, w->rows.row + from, n * sizeof *w->rows.row, e);
    for (int32_t k = 0; ok && k < w->rows.n_columned; k++)
        ok = s->backend->zero(s->machine, w->counts.count + k * w->lattice.n_voxels + from,
                              n * sizeof *w->counts.count, e);
    return ok;
}
