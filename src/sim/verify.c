/* verify - whether the lists of individuals are what they must be. On the host, from copies. */
#include "verify.h"

#include <stdlib.h>

/* One list as it is on the machine. */
struct copy {
    const struct rd_world *w;
    const struct rd_list *l;
    int64_t live;
    uint32_t *key, *slot, *key_next, *slot_next;
    int32_t *first, *count;
    int64_t *id, *next_id;
    int64_t *seen; /* for sorting ids, and which slots were seen */
};

static bool fetch(struct copy *c, struct rd_sim *s, int64_t list, struct rd_error *e)
{
    const struct rd_world *const w = c->w = &s->world;
    const struct rd_list *const l = c->l = &s->plan->list[list];
    const size_t most = (size_t)l->most, cells = (size_t)w->n_cells;
    c->key = malloc(most * sizeof *c->key);
    c->slot = malloc(most * sizeof *c->slot);
    c->key_next = malloc(most * sizeof *c->key);
    c->slot_next = malloc(most * sizeof *c->slot);
    c->id = malloc(most * sizeof *c->id);
    c->seen = calloc(most, sizeof *c->seen);
    c->first = malloc((cells + 1) * sizeof *c->first);
    c->count = malloc(cells * sizeof *c->count);
    c->next_id = malloc((size_t)w->n_runs * sizeof *c->next_id);
    if (!c->key || !c->slot || !c->key_next || !c->slot_next || !c->id || !c->seen || !c->first ||
        !c->count || !c->next_id)
        return rd_fail(e, "out of memory for checking %lld individuals", (long long)l->most);
#define GET(to, from, n) s->backend->get(s->machine, to, from, (size_t)(n) * sizeof *(to), e)
    return GET(&c->live, w->live + list, 1) && GET(c->key, w->key + l->base, l->most) &&
           GET(c->slot, w->slot + l->base, l->most) &&
           GET(c->key_next, w->key_next + l->base, l->most) &&
           GET(c->slot_next, w->slot_next + l->base, l->most) &&
           GET(c->id, w->id + l->base, l->most) &&
           GET(c->first, w->first + l->cells, w->n_cells + 1) &&
           GET(c->count, w->count + l->species * w->n_cells, w->n_cells) &&
           GET(c->next_id, w->id_base + w->n_list * w->n_runs, w->n_runs);
#undef GET
}

static void drop(struct copy *c)
{
    void *const all[] = {c->key,   c->slot, c->key_next, c->slot_next, c->first,
                         c->count, c->id,   c->next_id,  c->seen};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
}

static const char *check_order(const struct copy *c)
{
    if (c->live < 0 || c->live > c->l->most)
        return "more live than there are slots";
    for (int64_t i = 0; i < c->live; i++)
        if (c->key[i] >= c->w->n_cells || (i > 0 && c->key[i] < c->key[i - 1]))
            return "the list is not sorted by cell";
    if (c->first[0] != 0 || c->first[c->w->n_cells] != c->live)
        return "the index does not end where the list does";
    for (int64_t cell = 0; cell < c->w->n_cells; cell++) {
        const int32_t begin = c->first[cell], end = c->first[cell + 1];
        if (begin > end || end > c->live)
            return "the index does not rise";
        if (end - begin != c->count[cell])
            return "a cell's count is not that of the list";
        for (int32_t i = begin; i < end; i++)
            if (c->key[i] != cell)
                return "the index points to another cell";
    }
    return NULL;
}

static const char *check_slots(const struct copy *c)
{
    for (int64_t i = 0; i < c->l->most; i++) {
        if (c->slot[i] >= c->l->most || c->seen[c->slot[i]]++)
            return "a slot stands twice";
        if (i < c->live)
            continue;
        if (c->key[i] != RD_KEY_NONE || c->key_next[i] != RD_KEY_NONE)
            return "a slot of the pool is active";
        if (c->slot[i] != c->slot_next[i])
            return "the pool is not the same in both buffers";
    }
    return NULL;
}

static int by_number(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static const char *check_ids(const struct copy *c)
{
    for (int64_t run = 0; run < c->w->n_runs; run++) {
        const int64_t begin = c->first[run * c->w->n_sites];
        const int64_t n = c->first[(run + 1) * c->w->n_sites] - begin;
        if (n > c->l->max)
            return "more live in a run than max";
        for (int64_t i = 0; i < n; i++)
            c->seen[i] = c->id[c->slot[begin + i]];
        qsort(c->seen, (size_t)n, sizeof *c->seen, by_number);
        for (int64_t i = 0; i < n; i++)
            if (c->seen[i] < 0 || c->seen[i] >= c->next_id[run] ||
                (i > 0 && c->seen[i] == c->seen[i - 1]))
                return "an id stands twice, or was never given";
    }
    return NULL;
}

bool rd_verify(struct rd_sim *s, struct rd_error *e)
{
    bool ok = true;
    for (int64_t i = 0; i < s->world.n_list; i++) {
        struct copy c = {0};
        const bool is_there = fetch(&c, s, i, e);
        const char *wrong = is_there ? check_order(&c) : NULL;
        wrong = !is_there || wrong ? wrong : check_slots(&c);
        wrong = !is_there || wrong ? wrong : check_ids(&c);
        if (wrong)
            rd_fail(e,
                    "the list of '%s' is wrong after step %u: %s; this is a fault of the program",
                    s->plan->model->species[s->plan->species_of[c.l->species]].name, s->world.step,
                    wrong);
        ok = ok && is_there && !wrong;
        drop(&c);
    }
    return ok;
}
