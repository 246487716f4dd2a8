/* herd - the individuals on the machine to rows in the file's order, for a snapshot. The list gives
   the order, the slots what is theirs. */
#include "herd.h"

#include <stdlib.h>

/* The rows of one species. */
struct rows {
    int64_t list;
    int64_t room; /* rows that there is memory for */
    int64_t *row_count, *id, *parent, *site;
    double *born;
    double **attribute;
    int n_attributes;
};

struct rd_herd {
    struct rows *rows;
    struct rd_individuals *individuals;
    int n;
    uint32_t *key, *slot;
    void *by_slot; /* one thing of every slot of a list */
};

/* The lists whose individuals are recorded, in the order of the file. */
static int64_t recorded_list(const struct rd_plan *p, int species)
{
    const struct rd_species *const s = &p->model->species[species];
    return s->is_individual && s->record != RD_KEEPS_NOTHING ? p->list_of[p->species_at[species]]
                                                             : -1;
}

bool rd_herd_open(rd_herd **herd, const struct rd_sim *s, struct rd_error *e)
{
    const struct rd_plan *const p = s->plan;
    rd_herd *const h = *herd = calloc(1, sizeof *h);
    if (!h)
        return rd_fail(e, "out of memory for recording individuals");
    int64_t most = 1;
    for (int64_t i = 0; i < p->world.n_list; i++)
        most = p->list[i].most > most ? p->list[i].most : most;
    h->rows = calloc((size_t)p->world.n_list + 1, sizeof *h->rows);
    h->individuals = calloc((size_t)p->world.n_list + 1, sizeof *h->individuals);
    h->key = malloc((size_t)most * sizeof *h->key);
    h->slot = malloc((size_t)most * sizeof *h->slot);
    h->by_slot = malloc((size_t)most * sizeof(int64_t));
    bool ok = h->rows && h->individuals && h->key && h->slot && h->by_slot;
    for (int i = 0; ok && i < p->model->n_species; i++) {
        const int64_t list = recorded_list(p, i);
        if (list < 0)
            continue;
        struct rows *const r = &h->rows[h->n];
        r->list = list;
        r->n_attributes = p->model->species[i].n_attributes;
        r->row_count = calloc((size_t)p->world.n_runs, sizeof *r->row_count);
        r->attribute = calloc((size_t)r->n_attributes + 1, sizeof *r->attribute);
        h->individuals[h->n++].species = i;
        ok = r->row_count && r->attribute;
    }
    return ok || rd_fail(e, "out of memory for recording individuals");
}

void rd_herd_close(rd_herd *h)
{
    if (!h)
        return;
    for (int i = 0; i < h->n; i++) {
        struct rows *const r = &h->rows[i];
        free(r->row_count);
        free(r->id);
        free(r->parent);
        free(r->site);
        free(r->born);
        for (int a = 0; r->attribute && a < r->n_attributes; a++)
            free(r->attribute[a]);
        free(r->attribute);
    }
    free(h->rows);
    free(h->individuals);
    free(h->key);
    free(h->slot);
    free(h->by_slot);
    free(h);
}

/* Memory for n rows. */
static bool reserve(struct rows *r, int64_t n, struct rd_error *e)
{
    if (n <= r->room)
        return true;
    const int64_t room = n + n / 2;
    void *const column[] = {&r->id, &r->parent, &r->site, &r->born};
    bool ok = true;
    for (size_t i = 0; ok && i < sizeof column / sizeof *column; i++) {
        void **const at = column[i];
        free(*at);
        *at = malloc((size_t)room * sizeof(int64_t));
        ok = *at != NULL;
    }
    for (int a = 0; ok && a < r->n_attributes; a++) {
        free(r->attribute[a]);
        r->attribute[a] = malloc((size_t)room * sizeof(double));
        ok = r->attribute[a] != NULL;
    }
    r->room = ok ? room : 0;
    return ok || rd_fail(e, "out of memory for recording %lld individuals", (long long)n);
}

/* to[i] is what stands at from[slot[i]] on the machine; things of eight bytes. */
static bool gather(rd_herd *h, struct rd_sim *s, void *to, const void *from, int64_t most,
                   int64_t n, struct rd_error *e)
{
    if (!s->backend->get(s->machine, h->by_slot, from, (size_t)most * sizeof(int64_t), e))
        return false;
    int64_t *const rows = to;
    const int64_t *const by_slot = h->by_slot;
    for (int64_t i = 0; i < n; i++)
        memcpy(&rows[i], &by_slot[h->slot[i]], sizeof *rows);
    return true;
}

static bool take_rows(rd_herd *h, struct rd_sim *s, struct rows *r, int64_t n, struct rd_error *e)
{
    const struct rd_world *const w = &s->world;
    const struct rd_list *const l = &s->plan->list[r->list];
    const size_t bytes = (size_t)n * sizeof *h->key;
    if (!reserve(r, n, e) || !s->backend->get(s->machine, h->key, w->key + l->base, bytes, e) ||
        !s->backend->get(s->machine, h->slot, w->slot + l->base, bytes, e))
        return false;
    memset(r->row_count, 0, (size_t)w->n_runs * sizeof *r->row_count);
    for (int64_t i = 0; i < n; i++) {
        r->row_count[h->key[i] / w->n_sites]++;
        r->site[i] = h->key[i] % w->n_sites;
    }
    bool ok = gather(h, s, r->id, w->id + l->base, l->most, n, e) &&
              gather(h, s, r->parent, w->parent + l->base, l->most, n, e) &&
              gather(h, s, r->born, w->born + l->base, l->most, n, e);
    for (int a = 0; ok && a < r->n_attributes; a++)
        ok = gather(h, s, r->attribute[a], w->trait + l->trait + a * l->most, l->most, n, e);
    return ok;
}

bool rd_herd_take(rd_herd *h, struct rd_sim *s, struct rd_snapshot *snapshot, struct rd_error *e)
{
    for (int i = 0; i < h->n; i++) {
        struct rows *const r = &h->rows[i];
        struct rd_individuals *const to = &h->individuals[i];
        if (!s->backend->get(s->machine, &to->n, s->world.live + r->list, sizeof to->n, e) ||
            !take_rows(h, s, r, to->n, e))
            return false;
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
