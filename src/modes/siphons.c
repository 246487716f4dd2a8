/* siphons - sets of species that never return once all of them are gone. A search begins with one
   species, and for each reaction that makes a member without consuming one adds each of its
   reactants in turn. */
#include "modes/siphons.h"

#include <stdlib.h>
#include <string.h>

enum { WORK_MOST = 100000000, DEPTH_MOST = 2000 };

/* A species is a member, excluded, or open. */
enum { OPEN, MEMBER, EXCLUDED };

/* One direction of a reaction. */
struct way {
    const struct rd_sparse *from, *to;
};

struct search {
    const struct rd_network *network;
    struct way *way;
    int n_ways;
    unsigned char *state; /* [species] */
    int32_t *tried;       /* excluded by the loops that are running */
    int n_tried;
    struct rd_siphons *found;
    int64_t work;
    struct rd_error *e;
};

static bool has_member(const struct search *s, const struct rd_sparse *side)
{
    for (int i = 0; i < side->n; i++)
        if (s->state[side->entry[i].at] == MEMBER)
            return true;
    return false;
}

/* Returns whether a siphon that is known is part of the members. */
static bool has_known(const struct search *s)
{
    const int n = s->found->n_species;
    for (int k = 0; k < s->found->n; k++) {
        bool is_part = true;
        for (int i = 0; i < n && is_part; i++)
            is_part = !s->found->has[k * n + i] || s->state[i] == MEMBER;
        if (is_part)
            return true;
    }
    return false;
}

/* Adds the members as a siphon, and removes those that contain it. */
static bool keep(struct search *s)
{
    struct rd_siphons *const f = s->found;
    const int n = f->n_species;
    int kept = 0;
    for (int k = 0; k < f->n; k++) {
        bool contains = true;
        for (int i = 0; i < n && contains; i++)
            contains = s->state[i] != MEMBER || f->has[k * n + i];
        if (!contains)
            memmove(f->has + kept++ * n, f->has + k * n, (size_t)n);
    }
    f->n = kept;
    if (f->n == RD_SIPHONS_MOST) {
        f->is_whole = false;
        return true;
    }
    bool *const has = realloc(f->has, ((size_t)f->n + 1) * (size_t)n);
    if (!has)
        return rd_fail(s->e, "there is no memory for the siphons");
    f->has = has;
    for (int i = 0; i < n; i++)
        has[f->n * n + i] = s->state[i] == MEMBER;
    f->n++;
    return true;
}

/* Returns a reaction that makes a member and consumes none, NULL if there is none. */
static const struct way *find_open(struct search *s)
{
    s->work += s->n_ways;
    for (int i = 0; i < s->n_ways; i++)
        if (has_member(s, s->way[i].to) && !has_member(s, s->way[i].from))
            return &s->way[i];
    return NULL;
}

/* Finds the siphons that have the members and none of the excluded species. */
static bool extend(struct search *s, int depth) /* NOLINT(misc-no-recursion) */
{
    if (s->work > WORK_MOST || depth > DEPTH_MOST || s->found->n == RD_SIPHONS_MOST) {
        s->found->is_whole = false;
        return true;
    }
    if (has_known(s))
        return true;
    const struct way *const w = find_open(s);
    if (!w)
        return keep(s);
    const int before = s->n_tried;
    bool ok = true;
    for (int i = 0; ok && i < w->from->n; i++) {
        const int32_t species = w->from->entry[i].at;
        if (s->state[species] != OPEN)
            continue;
        s->state[species] = MEMBER;
        ok = extend(s, depth + 1);
        s->state[species] = EXCLUDED;
        s->tried[s->n_tried++] = species;
    }
    while (s->n_tried > before)
        s->state[s->tried[--s->n_tried]] = OPEN;
    return ok;
}

static bool find_ways(struct search *s)
{
    const struct rd_network *const n = s->network;
    s->way = malloc((2 * (size_t)n->n_reactions + 1) * sizeof *s->way);
    s->state = calloc((size_t)n->n_species + 1, 1);
    s->tried = malloc(((size_t)n->n_species + 1) * sizeof *s->tried);
    for (int i = 0; s->way && i < n->n_reactions; i++) {
        const struct rd_conversion *const x = &n->reaction[i];
        s->way[s->n_ways++] = (struct way){&x->left, &x->right};
        if (x->is_reversible)
            s->way[s->n_ways++] = (struct way){&x->right, &x->left};
    }
    return (s->way && s->state && s->tried) || rd_fail(s->e, "there is no memory for the siphons");
}

bool rd_siphons_find(struct rd_siphons *f, const struct rd_network *n, struct rd_error *e)
{
    struct search s = {.network = n, .found = f, .e = e};
    *f = (struct rd_siphons){.n_species = n->n_species, .is_whole = true};
    bool ok = find_ways(&s);
    for (int i = 0; ok && i < n->n_species; i++)
        s.state[i] = n->is_external[i] ? EXCLUDED : OPEN;
    for (int i = 0; ok && i < n->n_species; i++) {
        if (n->is_external[i])
            continue;
        s.state[i] = MEMBER;
        ok = extend(&s, 0);
        s.state[i] = EXCLUDED;
    }
    free(s.way);
    free(s.state);
    free(s.tried);
    return ok;
}

void rd_siphons_free(struct rd_siphons *s)
{
    free(s->has);
    *s = (struct rd_siphons){0};
}
