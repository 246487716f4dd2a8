/* individuals_snapshot - copies individuals from the machine to rows in the file's order.

   The list gives the order of the rows, and the slots contain their data. */
#include "record/individuals_snapshot.h"

#include <stdlib.h>

/* Gives the number of columns in the slots besides attributes: id, parent, time of birth. */
enum { BY_SLOT = 3 };

/* Holds rows of one species. */
struct rows {
    struct rd_list list; /* a copy: meanwhile, the plan's may be made again */
    int64_t capacity;    /* rows that memory is reserved for */
    int64_t *row_count, *id, *parent, *site;
    uint32_t *slot;
    double *born;
    double **attribute;
    int n_attributes;
};

struct rd_individuals_snapshot {
    int64_t n_runs, n_sites; /* runs that are kept, and voxels of each */
    struct rows *rows;
    struct rd_individuals *individuals;
    int n;
};

static bool is_snapshot_species(const struct rd_species *s)
{
    return s->is_individual && s->record != RD_KEEPS_NOTHING;
}

static const struct rd_list *list_of_species(const struct rd_plan *p, int species)
{
    return &p->list[p->list_of[p->species_at[species]]];
}

/* Returns the bytes of a species in an asynchronous copy: keys and slots of the list, then the data
   of all slots. */
static size_t bytes_of_list_copy(const struct rd_list *l, int n_attributes)
{
    const size_t list = 2 * sizeof(uint32_t), slot = sizeof(int64_t);
    return (size_t)l->most * (list + slot * (size_t)(BY_SLOT + n_attributes));
}

size_t rd_individuals_snapshot_bytes(const struct rd_plan *p)
{
    size_t bytes = 0;
    for (int i = 0; i < p->model->n_species; i++)
        if (is_snapshot_species(&p->model->species[i]))
            bytes += bytes_of_list_copy(list_of_species(p, i), p->model->species[i].n_attributes);
    return bytes;
}

static bool open_rows(rd_individuals_snapshot *h, const struct rd_plan *p, int species)
{
    struct rows *const r = &h->rows[h->n];
    r->list = *list_of_species(p, species);
    r->n_attributes = p->model->species[species].n_attributes;
    r->row_count = calloc((size_t)h->n_runs, sizeof *r->row_count);
    r->attribute = calloc((size_t)r->n_attributes + 1, sizeof *r->attribute);
    h->individuals[h->n++].species = species;
    return r->row_count && r->attribute;
}

bool rd_individuals_snapshot_open(rd_individuals_snapshot **individuals_snapshot,
                                  const struct rd_plan *p, struct rd_error *e)
{
    rd_individuals_snapshot *const h = *individuals_snapshot = calloc(1, sizeof *h);
    if (!h)
        return rd_fail(e, "out of memory for recording individuals");
    h->n_runs = rd_model_recorded(p->model, RD_ALL_DUE, false).n_kept;
    h->n_sites = p->world.lattice.n_sites;
    h->rows = calloc((size_t)p->world.lists.n_list + 1, sizeof *h->rows);
    h->individuals = calloc((size_t)p->world.lists.n_list + 1, sizeof *h->individuals);
    bool ok = h->rows && h->individuals;
    for (int i = 0; ok && i < p->model->n_species; i++)
        if (is_snapshot_species(&p->model->species[i]))
            ok = open_rows(h, p, i);
    return ok || rd_fail(e, "out of memory for recording individuals");
}

void rd_individuals_snapshot_close(rd_individuals_snapshot *h)
{
    if (!h)
        return;
    for (int i = 0; i < h->n; i++) {
        struct rows *const r = &h->rows[i];
        free(r->row_count);
        free(r->id);
        free(r->parent);
        free(r->site);
        free(r->slot);
        free(r->born);
        for (int a = 0; r->attribute && a < r->n_attributes; a++)
            free(r->attribute[a]);
        free(r->attribute);
    }
    free(h->rows);
    free(h->individuals);
    free(h);
}

int rd_individuals_snapshot_lists(const rd_individuals_snapshot *h)
{
    return h->n;
}

int rd_individuals_snapshot_pieces(const rd_individuals_snapshot *h)
{
    int n = 0;
    for (int i = 0; i < h->n; i++)
        n += 2 + BY_SLOT + h->rows[i].n_attributes;
    return n;
}

bool rd_individuals_snapshot_look(const rd_individuals_snapshot *h, struct rd_sim *s, size_t at,
                                  int64_t *live, struct rd_piece *piece, struct rd_error *e)
{
    const struct rd_world *const w = &s->world;
    for (int i = 0; i < h->n; i++) {
        const struct rows *const r = &h->rows[i];
        const struct rd_list *const l = &r->list;
        const size_t list = (size_t)l->most * sizeof *w->lists.key, slot = 2 * list;
        int32_t kept; /* the runs that are kept come first in the list */
        if (!s->backend->get(s->machine, &kept, w->lists.first + l->voxels + h->n_runs * h->n_sites,
                             sizeof kept, e))
            return false;
        live[i] = kept;
        const size_t alive = (size_t)live[i] * sizeof *w->lists.key;
        *piece++ = (struct rd_piece){w->lists.key + l->base, at, alive};
        *piece++ = (struct rd_piece){w->lists.slot + l->base, at + list, alive};
        *piece++ = (struct rd_piece){w->lists.id + l->base, at + slot, slot};
        *piece++ = (struct rd_piece){w->lists.parent + l->base, at + 2 * slot, slot};
        *piece++ = (struct rd_piece){w->lists.born + l->base, at + 3 * slot, slot};
        for (int a = 0; a < r->n_attributes; a++)
            *piece++ = (struct rd_piece){w->lists.trait + l->trait + a * l->most,
                                         at + (size_t)(4 + a) * slot, slot};
        at += bytes_of_list_copy(l, r->n_attributes);
    }
    return true;
}

/* Reserves memory for n rows; their content is lost. */
static bool reserve_snapshot_rows(struct rows *r, int64_t n, struct rd_error *e)
{
    if (n <= r->capacity)
        return true;
    const int64_t capacity = n + n / 2;
    void *const column[] = {&r->id, &r->parent, &r->site, &r->born, &r->slot};
    bool ok = true;
    for (size_t i = 0; ok && i < sizeof column / sizeof *column; i++) {
        void **const at = column[i];
        free(*at);
        *at = malloc((size_t)capacity * sizeof(int64_t));
        ok = *at != NULL;
    }
    for (int a = 0; ok && a < r->n_attributes; a++) {
        free(r->attribute[a]);
        r->attribute[a] = malloc((size_t)capacity * sizeof(double));
        ok = r->attribute[a] != NULL;
    }
    r->capacity = ok ? capacity : 0;
    return ok || rd_fail(e, "out of memory for recording %lld individuals", (long long)n);
}

/* Sets to[i] to the value in slot[i]; values have eight bytes. */
static void gather_values(void *to, const char *by_slot, const uint32_t *slot, int64_t n)
{
    int64_t *const row = to;
    for (int64_t i = 0; i < n; i++)
        memcpy(&row[i], by_slot + slot[i] * sizeof *row, sizeof *row);
}

/* Makes rows of n living individuals, without those of runs that are out. Returns the number of
   rows. */
static int64_t make_living_rows(const rd_individuals_snapshot *h, struct rows *r, const char *byte,
                                int64_t n, const uint8_t *out)
{
    const size_t column = (size_t)r->list.most * sizeof(int64_t);
    const uint32_t *const key = (const void *)byte, *const slot = key + r->list.most;
    int64_t n_rows = 0;
    memset(r->row_count, 0, (size_t)h->n_runs * sizeof *r->row_count);
    for (int64_t i = 0; i < n; i++) {
        const int64_t run = key[i] / h->n_sites;
        if (out && out[run])
            continue;
        r->row_count[run]++;
        r->site[n_rows] = key[i] % h->n_sites;
        r->slot[n_rows++] = slot[i];
    }
    gather_values(r->id, byte + column, r->slot, n_rows);
    gather_values(r->parent, byte + 2 * column, r->slot, n_rows);
    gather_values(r->born, byte + 3 * column, r->slot, n_rows);
    for (int a = 0; a < r->n_attributes; a++)
        gather_values(r->attribute[a], byte + (size_t)(4 + a) * column, r->slot, n_rows);
    return n_rows;
}

bool rd_individuals_snapshot_take(rd_individuals_snapshot *h, const char *byte, size_t at,
                                  const int64_t *live, struct rd_snapshot *snapshot,
                                  struct rd_error *e)
{
    for (int i = 0; i < h->n; i++) {
        struct rows *const r = &h->rows[i];
        struct rd_individuals *const to = &h->individuals[i];
        if (!reserve_snapshot_rows(r, live[i], e))
            return false;
        to->n = make_living_rows(h, r, byte + at, live[i], snapshot->out);
        at += bytes_of_list_copy(&r->list, r->n_attributes);
        to->row_count = r->row_count;
        to->id = r->id;
        to->parent = r->parent;
        to->born = r->born;
        to->site = r->site;
        to->attribute = (const double *const *)r->attribute;
    }
    snapshot->individuals = h->individuals;
    snapshot->n_individuals = h->n;
    return true;
}
