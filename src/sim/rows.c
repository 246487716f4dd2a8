/* rows - the memory of rows, and their passes. A pass leaves out voxels for which there is too
   little memory; then the memory grows and the pass is repeated for these. The host reads how much
   is missing after each pass if it shares the machine's memory, and otherwise after a pause. */
#include "sim/rows.h"

#include "sim/capacity.h"
#include "sim/faults.h"

#include <stdlib.h>

/* Sets the least numbers of entries and of arrivals for which there is memory at the start. */
enum { ENTRIES_LEAST = 1024 };

/* Returns the number of entries that are expected at the start. */
static double expected_entries(const struct rd_plan *p)
{
    double n = 0.0;
    for (int32_t s = 0; s < p->world.counts.n_species; s++)
        if (p->column[s] < 0)
            n += rd_plan_presence(p, s) * (double)p->world.lattice.n_voxels;
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
    if (p->model->solver == RD_SOLVER_EXACT) /* which does no passes of movement */
        w->rows.n_n_arrived = w->rows.n_marked = w->rows.n_entry_next = w->rows.n_outbox = 0;
    w->rows.n_capacity = 1;
    w->counts.n_count = w->rows.n_columned * w->lattice.n_voxels;
    w->counts.n_arrive = w->counts.n_arrive > 0 ? w->counts.n_count : 0;
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
    s->n_landings = capacity->n_landings;
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
        n > INT32_MAX ? NULL : s->backend->alloc(s->machine, (size_t)n * sizeof *grown, e);
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

/* Runs a pass as a part of the one before, with its number, so that it runs even after a fault in
   that: rows are always complete. */
static void run_within(struct rd_sim *s, enum rd_pass pass)
{
    s->step_clock.pass--;
    rd_sim_run(s, pass);
}

/* Runs a pass again for the voxels that it left out. */
static void repeat_for_marked(struct rd_sim *s, enum rd_pass pass)
{
    s->world.rows.repeats = 1;
    run_within(s, pass);
    s->world.rows.repeats = 0;
}

/* Makes the memory that arrivals lack, and half more, and repeats their hops. It always grows: a
   claim may have failed beside another one that was returned later. No thread claims now. */
static bool repeat_hops(struct rd_sim *s, struct rd_rows_capacity *capacity, struct rd_error *e)
{
    const int64_t arrivals = capacity->arrivals + capacity->lacks_arrivals;
    const int64_t most = arrivals > s->world.rows.n_outbox ? arrivals : s->world.rows.n_outbox;
    capacity->lacks_arrivals = 0;
    capacity->claimed = capacity->arrivals;
    if (!grow_arrivals(s, most + most / 2 + 1, capacity->arrivals, e) ||
        !write_capacity(s, capacity, e))
        return false;
    repeat_for_marked(s, RD_HOP_ROWS);
    return true;
}

/* Makes the next rows, whose pool is filled, the present ones. */
static void swap_pools(struct rd_rows *rows)
{
    struct rd_row_entry *const entry = rows->entry;
    const int64_t n_entry = rows->n_entry;
    rows->entry = rows->entry_next;
    rows->n_entry = rows->n_entry_next;
    rows->entry_next = entry;
    rows->n_entry_next = n_entry;
}

/* Makes the rows after landing number n the present ones: each landing fills the other pool. */
static void follow_landings(struct rd_sim *s, int64_t n)
{
    if ((n - s->n_landings) % 2 != 0)
        swap_pools(&s->world.rows);
    s->n_landings = n;
}

/* Makes the next rows from the present ones and the arrivals, if there is memory for all. */
static void land(struct rd_sim *s)
{
    run_within(s, RD_LINK_ARRIVALS);
    run_within(s, RD_LAND_ROWS);
    run_within(s, RD_CLOSE_ROWS);
}

/* Does the same, and reads how much memory there is. */
static bool try_next_rows(struct rd_sim *s, struct rd_rows_capacity *capacity, struct rd_error *e)
{
    land(s);
    return read_capacity(s, capacity, e);
}

/* Makes the next rows, with memory for `spare` entries after them. The passes do nothing after an
   earlier fault; then the present rows stay. */
static bool make_next_rows(struct rd_sim *s, int64_t spare, struct rd_error *e)
{
    struct rd_rows *const rows = &s->world.rows;
    struct rd_rows_capacity capacity;
    rows->spare = spare;
    bool ok = try_next_rows(s, &capacity, e);
    while (ok && (capacity.lacks_arrivals > 0 || capacity.needed + spare > rows->n_entry_next)) {
        const int64_t need = capacity.needed + spare;
        ok = capacity.lacks_arrivals > 0
                 ? repeat_hops(s, &capacity, e)
                 : renew_pool(s, &rows->entry_next, &rows->n_entry_next, need + need / 4 + 1, e);
        ok = ok && try_next_rows(s, &capacity, e);
    }
    rows->spare = 0;
    if (ok)
        follow_landings(s, capacity.n_landings);
    return ok;
}

/* ---- passes ---- */

/* Makes the present rows anew, with spare memory. The mark counts this landing, since a repetition
   from there only exchanges the pools for movements. */
static bool make_room(struct rd_sim *s, int64_t spare, struct rd_rows_capacity *capacity,
                      struct rd_error *e)
{
    const int64_t before = s->n_landings, n_entry = s->world.rows.n_entry;
    capacity->staying = capacity->top < n_entry ? capacity->top : n_entry;
    const bool ok = write_capacity(s, capacity, e) && make_next_rows(s, spare, e);
    s->mark.n_landings += s->n_landings - before;
    return ok;
}

/* Counts the reactions of all voxels again: the rows that were made anew have no room for the
   products of those that were counted. */
static void count_again(struct rd_sim *s)
{
    s->step_clock.pass -= 2;
    if (s->done > s->step_clock.pass)
        s->done = s->step_clock.pass;
    rd_sim_run(s, RD_RESERVE);
    rd_sim_run(s, RD_REACT_ROWS);
}

/* Completes the reactions, for the voxels that lacked memory. */
static bool complete_reactions(struct rd_sim *s, struct rd_error *e)
{
    struct rd_rows_capacity capacity;
    int64_t spare = 0; /* it adds up, since a voxel may lack more when it comes further */
    bool ok = read_capacity(s, &capacity, e);
    while (ok && capacity.lacks > 0) {
        spare += capacity.lacks + capacity.lacks / 2;
        ok = make_room(s, spare, &capacity, e);
        if (ok && s->world.items.n_maintained > 0)
            count_again(s);
        else if (ok)
            repeat_for_marked(s, RD_REACT_ROWS);
        ok = ok && read_capacity(s, &capacity, e);
    }
    return ok;
}

/* Completes the movement, and makes the next rows. */
static bool complete_movement(struct rd_sim *s, struct rd_error *e)
{
    return make_next_rows(s, 0, e);
}

/* Returns whether the host completes the present pass: it has the machine's memory at hand, or it
   has come back to a pass that paused. */
static bool is_completed_here(const struct rd_sim *s)
{
    return s->backend->shares_host_memory || s->step_clock.pass == s->short_pass;
}

/* Ends the pause of the present pass, if there is one. After a fault or a failure nothing runs. */
static bool end_pause(struct rd_sim *s, struct rd_error *e)
{
    const int64_t never = INT64_MAX;
    bool has_fault;
    if (!rd_faults_exist(s, &has_fault, e))
        return false;
    if (s->broken.n > 0 || (has_fault && !s->world.runs.faults_are_separate))
        return true;
    return s->backend->put(s->machine, s->world.runs.first_faulting_pass, &never, sizeof never, e);
}

/* Completes the present pass. A failure is kept for the next check. */
static void complete(struct rd_sim *s, bool (*rest)(struct rd_sim *s, struct rd_error *e))
{
    struct rd_error why = {0};
    if (rd_sim_is_done(s))
        s->done = s->step_clock.pass - 1;
    s->short_pass = 0;
    if (!rest(s, &why) || !end_pause(s, &why))
        rd_capacity_keep(s, &why);
    rd_error_free(&why);
}

void rd_rows_react(struct rd_sim *s)
{
    rd_sim_run(s, RD_REACT_ROWS);
    if (is_completed_here(s))
        complete(s, complete_reactions);
}

void rd_rows_move(struct rd_sim *s)
{
    if (s->world.items.n_moving == 0)
        return;
    rd_sim_run(s, RD_HOP_ROWS);
    if (s->world.items.n_inlets > 0)
        run_within(s, RD_ENTER);
    if (is_completed_here(s)) {
        complete(s, complete_movement);
        return;
    }
    land(s);
    follow_landings(s, s->n_landings + 1);
}

bool rd_rows_short(struct rd_sim *s, int64_t *pass, struct rd_error *e)
{
    struct rd_rows_capacity capacity;
    *pass = INT64_MAX;
    s->short_pass = 0;
    if (!rd_rows_exist(s) || s->backend->shares_host_memory)
        return true;
    if (!read_capacity(s, &capacity, e))
        return false;
    follow_landings(s, capacity.n_landings);
    s->declined = (int32_t)capacity.declined;
    if (capacity.lacks == 0 && !capacity.is_short)
        return true;
    const bool ok =
        s->backend->get(s->machine, pass, s->world.runs.first_faulting_pass, sizeof *pass, e);
    s->short_pass = *pass;
    return ok;
}

void rd_rows_return(struct rd_sim *s)
{
    follow_landings(s, s->mark.n_landings);
}

/* ---- copies ---- */

bool rd_rows_count_packed(struct rd_sim *s, int64_t n_voxels, int64_t *n, struct rd_error *e)
{
    struct rd_world w = s->world;
    int32_t sum;
    w.rows.n_packed = n_voxels;
    s->backend->run(s->machine, &w, RD_COUNT_PACKED);
    s->backend->run(s->machine, &w, RD_SCAN_ROWS);
    const bool ok = s->backend->get(s->machine, &sum, w.rows.offset + w.rows.n_row, sizeof sum, e);
    *n = ok ? sum : 0;
    return ok;
}

struct rd_outbox_entry *rd_rows_pack(struct rd_sim *s, int64_t n_voxels, int64_t n,
                                     struct rd_outbox_entry *to, struct rd_error *e)
{
    if (!to && !grow_arrivals(s, n, 0, e))
        return NULL;
    struct rd_world w = s->world;
    w.rows.n_packed = n_voxels;
    w.rows.packed = to ? to : w.rows.outbox;
    s->backend->run(s->machine, &w, RD_PACK_ROWS);
    return w.rows.packed;
}

/* Holds rows on the host: those of the machine if it shares the host's memory, or a copy. */
struct host_rows {
    struct rd_row *row;
    struct rd_row_entry *entry;
    bool is_copy;
};

static void close_host_rows(struct host_rows *h)
{
    if (h->is_copy) {
        free(h->row);
        free(h->entry);
    }
}

/* Opens rows with n entries. */
static bool open_host_rows(struct host_rows *h, struct rd_sim *s, int64_t n, struct rd_error *e)
{
    const struct rd_rows *const rows = &s->world.rows;
    h->is_copy = !s->backend->shares_host_memory;
    h->row = h->is_copy ? malloc((size_t)rows->n_row * sizeof *h->row) : rows->row;
    h->entry = h->is_copy ? malloc((size_t)n * sizeof *h->entry + 1) : rows->entry;
    return (h->row && h->entry) ||
           rd_fail(e, "out of memory for the molecules of %lld voxels", (long long)rows->n_row);
}

/* Copies n bytes from the machine, or to it, unless both are the same memory. */
static bool copy_machine_rows(struct rd_sim *s, void *to, const void *from, int64_t n, bool is_put,
                              struct rd_error *e)
{
    return to == from || (is_put ? s->backend->put(s->machine, to, from, (size_t)n, e)
                                 : s->backend->get(s->machine, to, from, (size_t)n, e));
}

static bool get_host_rows(struct rd_sim *s, struct host_rows *h, struct rd_error *e)
{
    const struct rd_rows *const rows = &s->world.rows;
    struct rd_rows_capacity capacity;
    if (!read_capacity(s, &capacity, e))
        return false;
    const int64_t n = capacity.top < rows->n_entry ? capacity.top : rows->n_entry;
    return open_host_rows(h, s, n, e) &&
           copy_machine_rows(s, h->row, rows->row, rows->n_row * (int64_t)sizeof *h->row, false,
                             e) &&
           copy_machine_rows(s, h->entry, rows->entry, n * (int64_t)sizeof *h->entry, false, e);
}

/* Allocates the lists for the entries of the voxels. */
static bool open_host_lists(const struct host_rows *h, struct rd_host_list *list, int32_t n_species,
                            int64_t begin, int64_t end, struct rd_error *e)
{
    bool ok = true;
    for (int32_t i = 0; i < n_species; i++)
        list[i].n = 0;
    for (int64_t voxel = begin; voxel < end; voxel++)
        for (int32_t k = 0; k < h->row[voxel].n; k++)
            list[h->entry[h->row[voxel].begin + k].species].n++;
    for (int32_t i = 0; i < n_species; i++) {
        free(list[i].entry);
        list[i].entry = list[i].n > 0 ? malloc((size_t)list[i].n * sizeof *list->entry) : NULL;
        ok = ok && (list[i].entry || list[i].n == 0);
        list[i].n = 0;
    }
    return ok || rd_fail(e, "out of memory for the counts of %d species", n_species);
}

bool rd_rows_get(struct rd_sim *s, struct rd_host_list *list, int64_t begin, int64_t end,
                 struct rd_error *e)
{
    const struct rd_lattice *const l = &s->world.lattice;
    struct host_rows h = {0};
    const bool ok =
        get_host_rows(s, &h, e) && open_host_lists(&h, list, s->world.counts.n_species,
                                                   begin * l->n_sites, end * l->n_sites, e);
    for (int64_t voxel = begin * l->n_sites; ok && voxel < end * l->n_sites; voxel++)
        for (int32_t k = 0; k < h.row[voxel].n; k++) {
            const struct rd_row_entry x = h.entry[h.row[voxel].begin + k];
            if (x.count != 0)
                list[x.species].entry[list[x.species].n++] =
                    (struct rd_voxel_count){(uint32_t)voxel, x.count};
        }
    close_host_rows(&h);
    return ok;
}

/* Sets the places of the rows of all voxels, without entries. */
static void place_host_rows(const struct rd_sim *s, const struct rd_host_list *list,
                            struct host_rows *h)
{
    memset(h->row, 0, (size_t)s->world.rows.n_row * sizeof *h->row);
    for (int32_t i = 0; i < s->world.counts.n_species; i++)
        for (int64_t k = 0; k < list[i].n; k++)
            h->row[list[i].entry[k].voxel].capacity++;
    int32_t at = 0;
    for (int64_t voxel = 0; voxel < s->world.rows.n_row; voxel++) {
        h->row[voxel].begin = at;
        at += h->row[voxel].capacity;
    }
}

bool rd_rows_put(struct rd_sim *s, const struct rd_host_list *list, struct rd_error *e)
{
    struct rd_rows *const rows = &s->world.rows;
    struct host_rows h = {0};
    int64_t n = 0;
    for (int32_t i = 0; i < s->world.counts.n_species; i++)
        n += list[i].n;
    bool ok =
        renew_pool(s, &rows->entry, &rows->n_entry, n + n / 4, e) && open_host_rows(&h, s, n, e);
    if (ok)
        place_host_rows(s, list, &h);
    for (int32_t i = 0; ok && i < s->world.counts.n_species; i++)
        for (int64_t k = 0; k < list[i].n; k++) {
            struct rd_row *const row = &h.row[list[i].entry[k].voxel];
            h.entry[row->begin + row->n++] = (struct rd_row_entry){i, list[i].entry[k].count};
        }
    const struct rd_rows_capacity capacity = {.top = n};
    ok = ok &&
         copy_machine_rows(s, rows->row, h.row, rows->n_row * (int64_t)sizeof *h.row, true, e) &&
         copy_machine_rows(s, rows->entry, h.entry, n * (int64_t)sizeof *h.entry, true, e) &&
         write_capacity(s, &capacity, e);
    close_host_rows(&h);
    return ok;
}

bool rd_rows_put_packed(struct rd_sim *s, const struct rd_packed_run *of, struct rd_error *e)
{
    struct rd_rows *const rows = &s->world.rows;
    struct rd_rows_capacity capacity = {0};
    int64_t n = 0;
    for (int64_t run = 0; run < s->world.lattice.n_runs; run++)
        n += of[run].n;
    if (!renew_pool(s, &rows->entry, &rows->n_entry, n, e))
        return false;
    memset(rows->row, 0, (size_t)rows->n_row * sizeof *rows->row);
    for (int64_t run = 0; run < s->world.lattice.n_runs; run++)
        for (int64_t i = 0; i < of[run].n; i++) {
            const struct rd_outbox_entry x = of[run].entry[i];
            struct rd_row *const row = &rows->row[x.voxel];
            if (row->n == 0)
                row->begin = (int32_t)capacity.top;
            rows->entry[capacity.top++] = (struct rd_row_entry){x.species, x.count};
            row->capacity = ++row->n;
        }
    return write_capacity(s, &capacity, e);
}

bool rd_rows_clear(struct rd_sim *s, int64_t run, struct rd_error *e)
{
    const struct rd_world *const w = &s->world;
    const int64_t from = run * w->lattice.n_sites;
    const size_t n = (size_t)w->lattice.n_sites;
    bool ok = s->backend->zero(s->machine, w->rows.row + from, n * sizeof *w->rows.row, e);
    for (int32_t k = 0; ok && k < w->rows.n_columned; k++)
        ok = s->plan->list_of[s->plan->columned[k]] >= 0 ||
             s->backend->zero(s->machine, w->counts.count + k * w->lattice.n_voxels + from,
                              n * sizeof *w->counts.count, e);
    return ok;
}
