/* verify - checks the lists of individuals for consistency, on the host, from copies. */
#include "sim/verify.h"

#include <stdlib.h>

/* Holds a copy of one list on the machine. */
struct copy {
    const struct rd_world *w;
    const struct rd_list *l;
    int64_t live;
    uint32_t *key, *slot, *key_next, *slot_next;
    int32_t *first, *count;
    int64_t *id, *next_id;
    uint8_t *seen; /* [slot] */
};

static bool fetch_list(struct copy *c, struct rd_sim *s, int64_t list, struct rd_error *e)
{
    const struct rd_world *const w = c->w = &s->world;
    const struct rd_list *const l = c->l = &s->plan->list[list];
    const size_t most = (size_t)l->most, voxels = (size_t)w->lattice.n_voxels;
    c->key = malloc(most * sizeof *c->key);
    c->slot = malloc(most * sizeof *c->slot);
    c->key_next = malloc(most * sizeof *c->key);
    c->slot_next = malloc(most * sizeof *c->slot);
    c->id = malloc(most * sizeof *c->id);
    c->seen = calloc(most, sizeof *c->seen);
    c->first = malloc((voxels + 1) * sizeof *c->first);
    c->count = malloc(voxels * sizeof *c->count);
    c->next_id = malloc((size_t)w->lattice.n_runs * sizeof *c->next_id);
    if (!c->key || !c->slot || !c->key_next || !c->slot_next || !c->id || !c->seen || !c->first ||
        !c->count || !c->next_id)
        return rd_fail(e, "out of memory for checking %lld individuals", (long long)l->most);
#define GET(to, from, n) s->backend->get(s->machine, to, from, (size_t)(n) * sizeof *(to), e)
    return GET(&c->live, w->lists.live + list, 1) && GET(c->key, w->lists.key + l->base, l->most) &&
           GET(c->slot, w->lists.slot + l->base, l->most) &&
           GET(c->key_next, w->lists.key_next + l->base, l->most) &&
           GET(c->slot_next, w->lists.slot_next + l->base, l->most) &&
           GET(c->id, w->lists.id + l->base, l->most) &&
           GET(c->first, w->lists.first + l->voxels, w->lattice.n_voxels + 1) &&
           GET(c->count, w->counts.count + l->column * w->lattice.n_voxels, w->lattice.n_voxels) &&
           GET(c->next_id, w->lists.id_base + w->lists.n_list * w->lattice.n_runs,
               w->lattice.n_runs);
#undef GET
}

static void drop(struct copy *c)
{
    void *const all[] = {c->key,   c->slot, c->key_next, c->slot_next, c->first,
                         c->count, c->id,   c->next_id,  c->seen};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
}

static const char *check_list_order(const struct copy *c)
{
    if (c->live < 0 || c->live > c->l->most)
        return "there are more living individuals than slots";
    for (int64_t i = 0; i < c->live; i++)
        if (c->key[i] >= c->w->lattice.n_voxels || (i > 0 && c->key[i] < c->key[i - 1]))
            return "the list is not sorted by voxel";
    if (c->first[0] != 0 || c->first[c->w->lattice.n_voxels] != c->live)
        return "the index does not end where the list does";
    for (int64_t voxel = 0; voxel < c->w->lattice.n_voxels; voxel++) {
        const int32_t begin = c->first[voxel], end = c->first[voxel + 1];
        if (begin > end || end > c->live)
            return "the index decreases";
        if (end - begin != c->count[voxel])
            return "the count of a voxel differs from the list";
        for (int32_t i = begin; i < end; i++)
            if (c->key[i] != voxel)
                return "the index points to another voxel";
    }
    return NULL;
}

static const char *check_slots(const struct copy *c)
{
    for (int64_t i = 0; i < c->l->most; i++) {
        if (c->slot[i] >= c->l->most || c->seen[c->slot[i]]++)
            return "a slot occurs twice";
        if (i < c->live)
            continue;
        if (c->key[i] != RD_KEY_NONE || c->key_next[i] != RD_KEY_NONE)
            return "a slot of the pool is active";
        if (c->slot[i] != c->slot_next[i])
            return "the pool differs between the two buffers";
    }
    return NULL;
}

static const char *check_list_capacity(const struct copy *c)
{
    const int64_t n_sites = c->w->lattice.n_sites;
    for (int64_t run = 0; run < c->w->lattice.n_runs; run++)
        if (c->first[(run + 1) * n_sites] - c->first[run * n_sites] > c->l->max)
            return "a run has more living individuals than max";
    return NULL;
}

/* Adds a message; always returns false. */
static bool report_list(const struct rd_sim *s, const struct rd_list *l, const char *wrong,
                        struct rd_error *e)
{
    return rd_fail(e, "the list of '%s' is wrong after step %u: %s; report this defect of rdsim",
                   s->plan->model->species[s->plan->species_of[l->species]].name,
                   s->step_clock.step, wrong);
}

struct named {
    int64_t run, id;
    const struct rd_list *l;
};

static int order_by_run_and_id(const void *a, const void *b)
{
    const struct named *const x = a, *const y = b;
    if (x->run != y->run)
        return x->run < y->run ? -1 : 1;
    return (x->id > y->id) - (x->id < y->id);
}

/* Checks that no two individuals of a run have the same id, whatever their lists, and that ids were
   given. */
static bool check_ids(const struct rd_sim *s, const struct copy *c, struct rd_error *e)
{
    const struct rd_world *const w = &s->world;
    int64_t n = 0, n_named = 0;
    for (int64_t i = 0; i < w->lists.n_list; i++)
        n += c[i].live;
    struct named *const named = malloc((size_t)n * sizeof *named + 1);
    if (!named)
        return rd_fail(e, "out of memory for checking %lld individuals", (long long)n);
    for (int64_t i = 0; i < w->lists.n_list; i++)
        for (int64_t k = 0; k < c[i].live; k++)
            named[n_named++] =
                (struct named){c[i].key[k] / w->lattice.n_sites, c[i].id[c[i].slot[k]], c[i].l};
    qsort(named, (size_t)n, sizeof *named, order_by_run_and_id);
    bool ok = true;
    for (int64_t i = 0; ok && i < n; i++) {
        if (named[i].id < 0 || named[i].id >= c->next_id[named[i].run])
            ok = report_list(s, named[i].l, "an id was never assigned", e);
        else if (i > 0 && order_by_run_and_id(&named[i], &named[i - 1]) == 0)
            ok = report_list(s, named[i].l, "an id occurs twice", e);
    }
    free(named);
    return ok;
}

bool rd_verify(struct rd_sim *s, struct rd_error *e)
{
    const int64_t n = s->world.lists.n_list;
    struct copy *const c = calloc((size_t)n + 1, sizeof *c);
    bool ok = c || rd_fail(e, "out of memory for checking %lld lists", (long long)n);
    for (int64_t i = 0; c && i < n; i++) {
        const char *wrong = NULL;
        if (!fetch_list(&c[i], s, i, e))
            ok = false;
        else if ((wrong = check_list_order(&c[i])) || (wrong = check_slots(&c[i])) ||
                 (wrong = check_list_capacity(&c[i])))
            ok = report_list(s, c[i].l, wrong, e);
    }
    ok = ok && check_ids(s, c, e);
    for (int64_t i = 0; c && i < n; i++)
        drop(&c[i]);
    free(c);
    return ok;
}
