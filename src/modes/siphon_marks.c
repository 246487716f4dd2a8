/* siphon_marks - which species are in a siphon and which are not, with all that follows from it. */
#include "modes/siphon_marks.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* Returns the species on one side of a way. */
static const struct rd_sparse *side_of(const struct rd_conversion *x, bool is_backward, int side)
{
    return (side == 0) != is_backward ? &x->left : &x->right;
}

/* Lists the species on one side of each way. */
static bool list_sides(struct rd_number_lists *l, const struct rd_network *n, int n_ways, int side)
{
    int64_t n_numbers = 0;
    for (int i = 0; i < n->n_reactions; i++)
        n_numbers += 2 * (int64_t)(n->reaction[i].left.n + n->reaction[i].right.n);
    if (!rd_number_lists_open(l, n_ways, n_numbers))
        return false;
    int way = 0;
    for (int i = 0; i < n->n_reactions; i++)
        for (int back = 0; back < 1 + n->reaction[i].is_reversible; back++, way++) {
            const struct rd_sparse *const v = side_of(&n->reaction[i], back, side);
            l->begin[way + 1] = l->begin[way] + v->n;
            for (int k = 0; k < v->n; k++)
                l->of[l->begin[way] + k] = v->entry[k].at;
        }
    return true;
}

/* Adds a number to what is counted of each way of a species. */
static void count_ways(const struct rd_number_lists *ways, int32_t species, int32_t *number,
                       int change)
{
    for (int64_t i = ways->begin[species]; i < ways->begin[species + 1]; i++)
        number[ways->of[i]] += change;
}

/* Sets or removes a mark in the counts of the ways. */
static void weigh_mark(struct rd_siphon_marks *m, int32_t species, int change)
{
    m->work += m->use.begin[species + 1] - m->use.begin[species] + 1;
    if (m->mark[species] == RD_SIPHON_OUTSIDE) {
        count_ways(&m->use, species, m->n_free, -change);
        return;
    }
    m->work += m->make.begin[species + 1] - m->make.begin[species];
    count_ways(&m->use, species, m->n_in, change);
    count_ways(&m->make, species, m->n_made, change);
    m->n_members += change;
    if (change > 0)
        m->member[m->n_members - 1] = species;
}

/* Marks one species alone; false if there are too many members. */
static bool set_mark(struct rd_siphon_marks *m, int32_t species, enum rd_siphon_mark mark)
{
    m->mark[species] = (unsigned char)mark;
    m->trail[m->n_trail++] = species;
    weigh_mark(m, species, 1);
    if (m->n_members <= m->n_most)
        return true;
    m->n_next = m->n_members < m->n_next ? m->n_members : m->n_next;
    return false;
}

/* Marks the species of which a way decides the mark. */
static bool mark_by_way(struct rd_siphon_marks *m, int32_t way)
{
    m->work++;
    const bool is_outside = m->n_free[way] == 0;
    if (!is_outside && (m->n_made[way] == 0 || m->n_free[way] > 1))
        return true;
    const struct rd_number_lists *const side = is_outside ? &m->to : &m->from;
    const enum rd_siphon_mark mark = is_outside ? RD_SIPHON_OUTSIDE : RD_SIPHON_MEMBER;
    bool ok = true;
    for (int64_t i = side->begin[way]; i < side->begin[way + 1] && ok; i++) {
        const int32_t species = side->of[i];
        m->work++;
        if (m->mark[species] == RD_SIPHON_OPEN)
            ok = set_mark(m, species, mark);
        else if (is_outside)
            ok = m->mark[species] == RD_SIPHON_OUTSIDE;
    }
    return ok;
}

bool rd_siphon_marks_put(struct rd_siphon_marks *m, int32_t species, enum rd_siphon_mark mark)
{
    int at = m->n_trail;
    bool ok = set_mark(m, species, mark);
    for (; ok && at < m->n_trail; at++) {
        const int32_t s = m->trail[at];
        const struct rd_number_lists *const ways =
            m->mark[s] == RD_SIPHON_OUTSIDE ? &m->use : &m->make;
        for (int64_t i = ways->begin[s]; i < ways->begin[s + 1] && ok; i++)
            ok = mark_by_way(m, ways->of[i]);
    }
    return ok;
}

void rd_siphon_marks_undo(struct rd_siphon_marks *m, int n_trail)
{
    while (m->n_trail > n_trail) {
        const int32_t species = m->trail[--m->n_trail];
        weigh_mark(m, species, -1);
        m->mark[species] = RD_SIPHON_OPEN;
    }
}

int32_t rd_siphon_marks_broken(struct rd_siphon_marks *m)
{
    int32_t best = -1;
    for (int at = 0; at < m->n_members; at++) {
        const int32_t s = m->member[at];
        m->work += m->make.begin[s + 1] - m->make.begin[s];
        for (int64_t i = m->make.begin[s]; i < m->make.begin[s + 1]; i++) {
            const int32_t way = m->make.of[i];
            if (m->n_in[way] == 0 && (best < 0 || m->n_free[way] < m->n_free[best]))
                best = way;
        }
    }
    return best;
}

static bool open_mark_counts(struct rd_siphon_marks *m)
{
    m->mark = calloc((size_t)m->n_species + 1, sizeof *m->mark);
    m->trail = malloc(((size_t)m->n_species + 1) * sizeof *m->trail);
    m->member = malloc(((size_t)m->n_species + 1) * sizeof *m->member);
    m->n_free = calloc((size_t)m->n_ways + 1, sizeof *m->n_free);
    m->n_in = calloc((size_t)m->n_ways + 1, sizeof *m->n_in);
    m->n_made = calloc((size_t)m->n_ways + 1, sizeof *m->n_made);
    for (int i = 0; m->n_free && i < m->n_ways; i++)
        m->n_free[i] = (int32_t)(m->from.begin[i + 1] - m->from.begin[i]);
    return m->mark && m->trail && m->member && m->n_free && m->n_in && m->n_made;
}

bool rd_siphon_marks_open(struct rd_siphon_marks *m, const struct rd_network *n, struct rd_error *e)
{
    *m = (struct rd_siphon_marks){.n_species = n->n_species, .n_most = INT_MAX, .n_next = INT_MAX};
    for (int i = 0; i < n->n_reactions; i++)
        m->n_ways += 1 + n->reaction[i].is_reversible;
    if (!list_sides(&m->from, n, m->n_ways, 0) || !list_sides(&m->to, n, m->n_ways, 1) ||
        !rd_number_lists_invert(&m->use, n->n_species, &m->from, m->n_ways) ||
        !rd_number_lists_invert(&m->make, n->n_species, &m->to, m->n_ways) || !open_mark_counts(m))
        return rd_fail_memory(e, "out of memory for the siphons");
    for (int32_t i = 0; i < n->n_species; i++)
        if (n->is_external[i] && m->mark[i] == RD_SIPHON_OPEN)
            rd_siphon_marks_put(m, i, RD_SIPHON_OUTSIDE);
    for (int32_t i = 0; i < m->n_ways; i++)
        for (int64_t k = m->to.begin[i]; m->n_free[i] == 0 && k < m->to.begin[i + 1]; k++)
            if (m->mark[m->to.of[k]] == RD_SIPHON_OPEN)
                rd_siphon_marks_put(m, m->to.of[k], RD_SIPHON_OUTSIDE);
    return true;
}

void rd_siphon_marks_close(struct rd_siphon_marks *m)
{
    rd_number_lists_free(&m->from);
    rd_number_lists_free(&m->to);
    rd_number_lists_free(&m->use);
    rd_number_lists_free(&m->make);
    free(m->mark);
    free(m->trail);
    free(m->member);
    free(m->n_free);
    free(m->n_in);
    free(m->n_made);
    *m = (struct rd_siphon_marks){0};
}
