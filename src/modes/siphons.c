/* siphons - sets of species that never return once all of them are gone.

   The search begins with one species, and for each reaction that makes a member without consuming
   one adds each of its reactants in turn. It finds all siphons of one species, then all of two, and
   so on: a siphon without a smaller one that is known is minimal. If the work is used up before
   that ends, large siphons follow: what is left when one species after the other is put outside. */
#include "modes/siphons.h"

#include "modes/siphon_marks.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum { SEARCH_MOST = 400000000, WORK_MOST = 500000000, DEPTH_MOST = 2000 };

struct siphon_search {
    struct rd_siphon_marks marks;
    struct rd_siphons *found;
    int64_t capacity;   /* of member, next and siphon_of */
    int32_t *first;     /* [species]: where a known siphon has it, -1: in none; owned */
    int32_t *next;      /* [capacity]: the next place with this species; owned */
    int32_t *siphon_of; /* [capacity], owned */
    int *least;         /* [species]: members that follow from it and the species before it; 0: not
                           counted; INT_MAX: no siphon begins with it; owned */
    bool is_cut;
    struct rd_error *e;
};

/* Returns whether a known siphon that has the species is part of the members. */
static bool has_known(struct siphon_search *s, int32_t species)
{
    const struct rd_siphons *const f = s->found;
    for (int64_t at = s->first[species]; at >= 0; at = s->next[at]) {
        const int32_t k = s->siphon_of[at];
        int64_t i = f->begin[k];
        while (i < f->begin[k + 1] && s->marks.mark[f->member[i]] == RD_SIPHON_MEMBER)
            i++;
        s->marks.work += i - f->begin[k] + 1;
        if (i == f->begin[k + 1])
            return true;
    }
    return false;
}

/* Marks a species with all that follows; false if no new minimal siphon has these marks. */
static bool put_mark(struct siphon_search *s, int32_t species, enum rd_siphon_mark mark)
{
    const int before = s->marks.n_members;
    bool ok = rd_siphon_marks_put(&s->marks, species, mark);
    for (int i = before; i < s->marks.n_members && ok; i++)
        ok = !has_known(s, s->marks.member[i]);
    return ok;
}

/* Changes the length of a list; false if there is no memory. */
static bool resize(int32_t **list, int64_t n)
{
    int32_t *const more = realloc(*list, (size_t)n * sizeof *more);
    if (more)
        *list = more;
    return more != NULL;
}

/* Reserves memory for n members of siphons. */
static bool extend_siphons(struct siphon_search *s, int64_t n)
{
    const int64_t capacity = 2 * n;
    if (n <= s->capacity)
        return true;
    if (!resize(&s->found->member, capacity) || !resize(&s->next, capacity) ||
        !resize(&s->siphon_of, capacity))
        return false;
    s->capacity = capacity;
    return true;
}

static int by_number(const void *one, const void *other)
{
    const int32_t a = *(const int32_t *)one, b = *(const int32_t *)other;
    return (a > b) - (a < b);
}

/* Adds the members as a siphon. */
static bool keep_siphon(struct siphon_search *s)
{
    struct rd_siphons *const f = s->found;
    const int64_t from = f->begin[f->n], n = s->marks.n_members;
    if (!extend_siphons(s, from + n))
        return rd_fail_memory(s->e, "out of memory for the siphons");
    memcpy(f->member + from, s->marks.member, (size_t)n * sizeof *f->member);
    qsort(f->member + from, (size_t)n, sizeof *f->member, by_number);
    for (int64_t at = from; at < from + n; at++) {
        s->next[at] = s->first[f->member[at]];
        s->first[f->member[at]] = (int32_t)at;
        s->siphon_of[at] = f->n;
    }
    f->begin[++f->n] = from + n;
    return true;
}

/* Returns a reactant that is open. */
static int32_t open_reactant(const struct siphon_search *s, int32_t way)
{
    const struct rd_number_lists *const from = &s->marks.from;
    int64_t i = from->begin[way];
    while (s->marks.mark[from->of[i]] != RD_SIPHON_OPEN)
        i++;
    return from->of[i];
}

/* Returns whether the search has to end; it then is cut. */
static bool is_over(struct siphon_search *s, int64_t work)
{
    s->is_cut = s->is_cut || s->marks.work > work || s->found->n == RD_SIPHONS_MOST;
    return s->is_cut;
}

/* Finds the siphons that have the members and no species that is marked outside. The caller opens
   what this marks. */
static bool extend_siphon(struct siphon_search *s, int depth) /* NOLINT(misc-no-recursion) */
{
    struct rd_siphon_marks *const m = &s->marks;
    bool ok = true;
    for (bool goes_on = true; ok && goes_on && !is_over(s, SEARCH_MOST);) {
        const int32_t way = rd_siphon_marks_broken(m);
        if (way < 0) {
            ok = keep_siphon(s);
            break;
        }
        const int32_t species = open_reactant(s, way);
        const int here = m->n_trail;
        s->is_cut = depth > DEPTH_MOST;
        if (!s->is_cut && put_mark(s, species, RD_SIPHON_MEMBER))
            ok = extend_siphon(s, depth + 1);
        rd_siphon_marks_undo(m, here);
        goes_on = put_mark(s, species, RD_SIPHON_OUTSIDE);
    }
    return ok;
}

/* Counts the members that follow if a siphon begins with a species. */
static void count_least(struct siphon_search *s, int32_t species)
{
    struct rd_siphon_marks *const m = &s->marks;
    const int here = m->n_trail;
    m->n_most = INT_MAX;
    s->least[species] = put_mark(s, species, RD_SIPHON_MEMBER) ? m->n_members : INT_MAX;
    rd_siphon_marks_undo(m, here);
}

/* Finds the siphons of at most n_most members. Each begins with its first species. */
static bool find_up_to(struct siphon_search *s, int n_most)
{
    struct rd_siphon_marks *const m = &s->marks;
    const int before = m->n_trail;
    bool ok = true;
    m->n_next = INT_MAX;
    for (int32_t i = 0; ok && i < m->n_species && !is_over(s, SEARCH_MOST); i++) {
        const int here = m->n_trail;
        if (m->mark[i] != RD_SIPHON_OPEN)
            continue;
        if (s->least[i] == 0)
            count_least(s, i);
        m->n_most = n_most;
        if (s->least[i] > n_most)
            m->n_next = s->least[i] < m->n_next ? s->least[i] : m->n_next;
        else if (put_mark(s, i, RD_SIPHON_MEMBER))
            ok = extend_siphon(s, 0);
        rd_siphon_marks_undo(m, here);
        rd_siphon_marks_put(m, i, RD_SIPHON_OUTSIDE);
    }
    rd_siphon_marks_undo(m, before);
    return ok;
}

/* Finds all minimal siphons, the smallest first, until the search is cut. */
static bool find_smallest(struct siphon_search *s)
{
    bool ok = true;
    for (int n = 1; ok && n < INT_MAX && !s->is_cut; n = s->marks.n_next) {
        s->found->least = n;
        ok = find_up_to(s, n);
    }
    return ok;
}

/* Puts one open species after the other outside, this one last, unless no siphon remains: a species
   that cannot be outside is a member. So the members become a minimal siphon. Returns false if the
   work is used up before. */
static bool shrink(struct siphon_search *s, int32_t last)
{
    struct rd_siphon_marks *const m = &s->marks;
    for (int k = 1; k <= m->n_species && m->work <= WORK_MOST; k++) {
        const int32_t species = (last + k) % m->n_species;
        const int here = m->n_trail;
        if (m->mark[species] != RD_SIPHON_OPEN ||
            (rd_siphon_marks_put(m, species, RD_SIPHON_OUTSIDE) &&
             m->n_trail - m->n_members < m->n_species))
            continue;
        rd_siphon_marks_undo(m, here);
        rd_siphon_marks_put(m, species, RD_SIPHON_MEMBER);
    }
    return m->n_trail == m->n_species;
}

/* Finds minimal siphons of any size: the search for the smallest was cut. */
static bool find_large(struct siphon_search *s)
{
    struct rd_siphon_marks *const m = &s->marks;
    const int before = m->n_trail;
    bool ok = true;
    m->n_most = INT_MAX;
    for (int32_t i = 0; ok && i < m->n_species; i++) {
        if (m->mark[i] != RD_SIPHON_OPEN || s->found->n == RD_SIPHONS_MOST)
            continue;
        if (shrink(s, i) && !has_known(s, m->member[0]))
            ok = keep_siphon(s);
        rd_siphon_marks_undo(m, before);
    }
    return ok;
}

static bool find_siphons(struct siphon_search *s, const struct rd_network *n)
{
    struct rd_siphons *const f = s->found;
    f->begin = calloc(RD_SIPHONS_MOST + 1, sizeof *f->begin);
    s->first = malloc(((size_t)n->n_species + 1) * sizeof *s->first);
    s->least = calloc((size_t)n->n_species + 1, sizeof *s->least);
    if (!f->begin || !s->first || !s->least)
        return rd_fail_memory(s->e, "out of memory for the siphons");
    memset(s->first, -1, ((size_t)n->n_species + 1) * sizeof *s->first);
    return rd_siphon_marks_open(&s->marks, n, s->e) && find_smallest(s) &&
           (!s->is_cut || find_large(s));
}

bool rd_siphons_find(struct rd_siphons *f, const struct rd_network *n, struct rd_error *e)
{
    struct siphon_search s = {.found = f, .e = e};
    *f = (struct rd_siphons){0};
    const bool ok = find_siphons(&s, n);
    f->is_whole = !s.is_cut;
    rd_siphon_marks_close(&s.marks);
    free(s.first);
    free(s.next);
    free(s.siphon_of);
    free(s.least);
    return ok;
}

void rd_siphons_free(struct rd_siphons *s)
{
    free(s->begin);
    free(s->member);
    *s = (struct rd_siphons){0};
}
