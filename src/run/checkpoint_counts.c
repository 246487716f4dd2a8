/* checkpoint_counts - writes the counts to a checkpoint file, or reads them.

   A species whose molecules are in less than half of the voxels is a list of these, another one an
   array: the form depends on the counts alone, not on the storage. */
#include "run/checkpoint_counts.h"

#include "sim/rows.h"

#include <stdlib.h>

/* Holds arguments of the functions below: file, simulator and target of errors. */
struct counts_passage {
    struct rd_checkpoint_file *t;
    struct rd_sim *s;
    struct rd_error *e;
};

static bool is_count(const int32_t *count, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (count[i] < 0)
            return false;
    return true;
}

/* Sets the voxels whose counts are in memory at a time. */
enum { WINDOW = 1 << 18 };

/* Holds the counts of one species between the machine and the file: an array of the machine, or a
   list. */
struct species_counts {
    int64_t n_voxels, n;       /* n: voxels that contain it */
    int32_t *there;            /* its array on the machine; NULL: it has a list */
    struct rd_host_list *list; /* with memory for n entries; its entries up to the window's end */
    int64_t next;              /* of these, the first that is not in an earlier window */
    int32_t *window;           /* owned: counts of the voxels at ... at + m - 1 */
    int64_t at, m;
    struct rd_voxel_count *pair; /* owned: those of the window that are not 0 */
};

static bool next_window(struct species_counts *c)
{
    c->at += c->m;
    c->m = c->n_voxels - c->at < WINDOW ? c->n_voxels - c->at : WINDOW;
    return c->m > 0;
}

static void begin_windows(struct species_counts *c)
{
    c->at = c->m = c->next = 0;
}

static bool load_window(struct counts_passage *p, struct species_counts *c)
{
    if (c->there)
        return p->s->backend->get(p->s->machine, c->window, c->there + c->at,
                                  (size_t)c->m * sizeof *c->window, p->e);
    memset(c->window, 0, (size_t)c->m * sizeof *c->window);
    for (; c->next < c->list->n && c->list->entry[c->next].voxel < c->at + c->m; c->next++)
        c->window[c->list->entry[c->next].voxel - c->at] = c->list->entry[c->next].count;
    return true;
}

/* Stores the window. Fails if it has more occupied voxels than the file promised. */
static bool store_window(struct counts_passage *p, struct species_counts *c)
{
    int64_t n = 0;
    for (int64_t i = 0; i < c->m; i++)
        n += c->window[i] != 0;
    c->next += n;
    if (!is_count(c->window, (size_t)c->m))
        return rd_checkpoint_file_refuse(p->t, "has a count below 0");
    if (c->next > c->n)
        return rd_checkpoint_file_refuse(p->t, "has another number of counts");
    if (c->there)
        return p->s->backend->put(p->s->machine, c->there + c->at, c->window,
                                  (size_t)c->m * sizeof *c->window, p->e);
    for (int64_t i = 0; i < c->m; i++)
        if (c->window[i] != 0)
            c->list->entry[c->list->n++] =
                (struct rd_voxel_count){(uint32_t)(c->at + i), c->window[i]};
    return true;
}

/* Returns whether the entries are those of a list, of which the one before has this voxel. */
static bool are_entries(const struct species_counts *c, const struct rd_voxel_count *entry,
                        int64_t n, int64_t before)
{
    for (int64_t i = 0; i < n; before = entry[i++].voxel)
        if (entry[i].voxel >= c->n_voxels || entry[i].voxel <= before || entry[i].count <= 0)
            return false;
    return true;
}

static bool refuse_list(struct counts_passage *p)
{
    return rd_checkpoint_file_refuse(p->t, "has an impossible list of counts");
}

/* Writes the list of a species with an array. */
static bool write_pairs(struct counts_passage *p, struct species_counts *c)
{
    while (next_window(c)) {
        int64_t n = 0;
        if (!load_window(p, c))
            return false;
        for (int64_t i = 0; i < c->m; i++)
            if (c->window[i] != 0)
                c->pair[n++] = (struct rd_voxel_count){(uint32_t)(c->at + i), c->window[i]};
        if (!rd_checkpoint_file_bytes(p->t, c->pair, (size_t)n * sizeof *c->pair))
            return false;
    }
    return true;
}

/* Reads the list of a species with an array. */
static bool read_pairs(struct counts_passage *p, struct species_counts *c)
{
    int64_t left = c->n, before = -1, n = 0, i = 0;
    while (next_window(c)) {
        memset(c->window, 0, (size_t)c->m * sizeof *c->window);
        for (;; i++) {
            if (i == n) { /* all that were read are in their places */
                before = n > 0 ? c->pair[n - 1].voxel : before;
                n = left < WINDOW ? left : WINDOW;
                left -= n;
                i = 0;
                if (!rd_checkpoint_file_bytes(p->t, c->pair, (size_t)n * sizeof *c->pair))
                    return false;
                if (!are_entries(c, c->pair, n, before))
                    return refuse_list(p);
            }
            if (n == 0 || c->pair[i].voxel >= c->at + c->m)
                break;
            c->window[c->pair[i].voxel - c->at] = c->pair[i].count;
        }
        if (!store_window(p, c))
            return false;
    }
    return true;
}

static bool pass_array(struct counts_passage *p, struct species_counts *c)
{
    while (next_window(c)) {
        if (!p->t->is_read && !load_window(p, c))
            return false;
        if (!rd_checkpoint_file_bytes(p->t, c->window, (size_t)c->m * sizeof *c->window))
            return false;
        if (p->t->is_read && !store_window(p, c))
            return false;
    }
    return !p->t->is_read || c->next == c->n ||
           rd_checkpoint_file_refuse(p->t, "has another number of counts");
}

/* Counts the voxels that contain a species with an array. */
static bool count_occupied_voxels(struct counts_passage *p, struct species_counts *c)
{
    c->n = 0;
    while (next_window(c)) {
        if (!load_window(p, c))
            return false;
        for (int64_t i = 0; i < c->m; i++)
            c->n += c->window[i] != 0;
    }
    begin_windows(c);
    return true;
}

/* Makes memory for the list that is read. */
static bool open_list(struct counts_passage *p, struct species_counts *c)
{
    *c->list = (struct rd_host_list){calloc((size_t)c->n + 1, sizeof *c->list->entry), 0};
    return c->list->entry || rd_fail(p->e, "out of memory for a checkpoint");
}

/* Writes or reads the counts of a species. */
static bool pass_species(struct counts_passage *p, struct species_counts *c)
{
    begin_windows(c);
    if (!p->t->is_read && c->there && !count_occupied_voxels(p, c))
        return false;
    if (!p->t->is_read && !c->there)
        c->n = c->list->n;
    if (!rd_checkpoint_file_record(p->t, "occupied", &c->n, sizeof c->n))
        return false;
    if (c->n < 0 || c->n > c->n_voxels)
        return rd_checkpoint_file_refuse(p->t, "has another number of counts");
    if (p->t->is_read && !c->there && !open_list(p, c))
        return false;
    const bool is_list = 2 * c->n < c->n_voxels;
    const int64_t bytes =
        is_list ? c->n * (int64_t)sizeof *c->pair : c->n_voxels * (int64_t)sizeof *c->window;
    int64_t found = bytes;
    if (!rd_checkpoint_file_begin(p->t, "counts", &found))
        return false;
    if (found != bytes)
        return rd_checkpoint_file_refuse(p->t, "has another number of counts");
    if (!is_list)
        return pass_array(p, c);
    if (c->there)
        return p->t->is_read ? read_pairs(p, c) : write_pairs(p, c);
    c->list->n = c->n;
    return rd_checkpoint_file_bytes(p->t, c->list->entry, (size_t)bytes) &&
           (are_entries(c, c->list->entry, c->n, -1) || refuse_list(p));
}

bool rd_checkpoint_counts(struct rd_checkpoint_file *t, struct rd_sim *s, struct rd_error *e)
{
    struct counts_passage p = {t, s, e};
    const struct rd_world *const w = &s->world;
    const int32_t n = w->counts.n_species;
    const bool has_rows = rd_rows_exist(s);
    struct species_counts c = {.n_voxels = w->lattice.n_voxels,
                               .window = malloc(WINDOW * sizeof *c.window),
                               .pair = malloc(WINDOW * sizeof *c.pair)};
    struct rd_host_list *const list = calloc((size_t)n, sizeof *list);
    bool ok = (list && c.window && c.pair) || rd_fail(e, "out of memory for a checkpoint");
    ok = ok && (t->is_read || !has_rows || rd_rows_get(s, list, 0, w->lattice.n_runs, e));
    for (int32_t i = 0; ok && i < n; i++) {
        const int64_t column = has_rows ? s->plan->column[i] : i;
        c.there = column < 0 ? NULL : w->counts.count + column * c.n_voxels;
        c.list = &list[i];
        ok = pass_species(&p, &c);
    }
    ok = ok && (!t->is_read || !has_rows || rd_rows_put(s, list, e));
    for (int32_t i = 0; list && i < n; i++)
        free(list[i].entry);
    free(list);
    free(c.window);
    free(c.pair);
    return ok;
}
