/* row_propensities - propensities in a voxel where rare species are in rows. Only reactions with a
   reactant in the voxel are evaluated, so that the cost does not depend on the number of
   species. */
#ifndef RD_PASSES_REACTIONS_ROW_PROPENSITIES_H
#define RD_PASSES_REACTIONS_ROW_PROPENSITIES_H

#include "kernels/core/rows.h"
#include "kernels/passes/reactions/block_sums.h"
#include "kernels/passes/reactions/members.h"

/* Sets the most species of a voxel whose lists of reactions are merged; with more, all reactions
   are visited. */
enum { RD_ROW_KEYS = 16 };

/* Returns the propensity without the value of the expression, if there is one; 0 if a reactant is
   missing. */
RD_FN double rd_row_factor(const struct rd_world *w, const struct rd_channel *c,
                           const struct rd_eval_context *here)
{
    double a = c->rate;
    for (int32_t i = 0; i < c->n_reactants; i++) {
        const struct rd_reactant *const r = &w->reactions.reactant[c->reactant + i];
        const double n = (double)rd_count_here(here, r->species);
        for (int32_t k = 0; k < r->number; k++)
            a *= n - (double)k;
    }
    if (c->expression_kind == RD_EXPRESSION_NONE || a == 0.0)
        return a;
    for (int32_t i = 0; i < c->n_required; i++) {
        const struct rd_reactant *const r = &w->reactions.reactant[c->required + i];
        if (rd_count_here(here, r->species) < r->number)
            return 0.0;
    }
    return a;
}

/* Returns rd_propensity in the voxel of the context. */
RD_FN double rd_row_propensity(const struct rd_world *w, const struct rd_channel *c,
                               const struct rd_eval_context *here)
{
    const double a = rd_row_factor(w, c, here);
    if (c->expression_kind == RD_EXPRESSION_NONE || a == 0.0)
        return a;
    const double value = rd_eval_reaction(w, c, here);
    return value >= 0.0 && rd_is_finite(value) ? a * value : (double)NAN;
}

/* Returns rd_row_propensity of a reaction that is no product of two counts. */
RD_SELDOM double rd_other_row_propensity(const struct rd_world *w, int32_t reaction,
                                         const struct rd_eval_context *here)
{
    return rd_row_propensity(w, &w->reactions.channel[reaction], here);
}

/* Returns rd_row_factor of a product of at most two counts. */
RD_FN double rd_key_product(const struct rd_row_key *key, const struct rd_eval_context *here)
{
    if (key->species[0] == RD_NO_REACTANT)
        return key->rate;
    const double n = (double)rd_count_here(here, key->species[0]);
    const double a = key->rate * n;
    if (key->species[1] == RD_NO_REACTANT)
        return a;
    return a * (key->species[1] == key->species[0] ? n - 1.0
                                                   : (double)rd_count_here(here, key->species[1]));
}

/* Merges lists of reactions. */
struct rd_keys_here {
    int32_t n; /* lists; more than RD_ROW_KEYS: all reactions */
    const struct rd_row_key *next[RD_ROW_KEYS], *end[RD_ROW_KEYS];
    int32_t reaction;             /* the present one */
    const struct rd_row_key *key; /* its entry in a list; NULL if all reactions are visited */
};

/* Adds the reactions that the species selects. */
RD_FN void rd_add_key(const struct rd_world *w, int32_t species, struct rd_keys_here *keys)
{
    const int32_t from = w->rows.keyed_first[species], to = w->rows.keyed_first[species + 1];
    if (from == to)
        return;
    if (keys->n < RD_ROW_KEYS) {
        keys->next[keys->n] = w->rows.keyed + from;
        keys->end[keys->n] = w->rows.keyed + to;
    }
    keys->n++;
}

/* Lists the reactions, from `begin` on, that have a reactant in the voxel, and those without
   reactants. */
RD_FN void rd_keys_begin(const struct rd_world *w, const struct rd_eval_context *here,
                         int32_t begin, struct rd_keys_here *keys)
{
    keys->n = 0;
    keys->reaction = begin - 1;
    for (int32_t i = 0; i < here->n_row; i++)
        if (here->row[i].count > 0)
            rd_add_key(w, here->row[i].species, keys);
    for (int32_t k = 0; here->column && k < w->rows.n_columned; k++)
        if (rd_count_here(here, w->rows.columned[k]) > 0)
            rd_add_key(w, w->rows.columned[k], keys);
    rd_add_key(w, w->counts.n_species, keys);
}

/* Goes on to the next reaction in canonical order, below `end`; returns false if there is none. */
RD_FN bool rd_next_keyed(struct rd_keys_here *keys, int32_t end)
{
    int32_t least = end;
    keys->key = NULL;
    if (keys->n > RD_ROW_KEYS)
        least = keys->reaction + 1;
    for (int32_t k = 0; k < keys->n && keys->n <= RD_ROW_KEYS; k++) {
        while (keys->next[k] < keys->end[k] && keys->next[k]->reaction <= keys->reaction)
            keys->next[k]++;
        if (keys->next[k] < keys->end[k] && keys->next[k]->reaction < least) {
            keys->key = keys->next[k];
            least = keys->key->reaction;
        }
    }
    keys->reaction = least;
    return least < end;
}

/* Returns the propensity of a reaction at the site; 0 outside its region. */
RD_FN double rd_key_propensity(const struct rd_world *w, int64_t site, const struct rd_row_key *key,
                               const struct rd_eval_context *here)
{
    if (!rd_is_in(&w->lattice, key->region, site))
        return 0.0;
    return key->species[0] == RD_NO_PRODUCT ? rd_other_row_propensity(w, key->reaction, here)
                                            : rd_key_product(key, here);
}

/* Returns the same for the present reaction. */
RD_FN double rd_keyed_propensity(const struct rd_world *w, int64_t site,
                                 const struct rd_keys_here *keys,
                                 const struct rd_eval_context *here)
{
    if (keys->key)
        return rd_key_propensity(w, site, keys->key, here);
    return rd_is_in(&w->lattice, w->reactions.channel[keys->reaction].region, site)
               ? rd_other_row_propensity(w, keys->reaction, here)
               : 0.0;
}

/* Adds the propensity of the present reaction to a sum; if one of them is invalid, only records a
   fault. */
RD_FN void rd_add_row_propensity(const struct rd_world *w, const struct rd_place *p,
                                 const struct rd_eval_context *here,
                                 const struct rd_keys_here *keys, double *sum)
{
    const double a = rd_keyed_propensity(w, p->site, keys, here);
    if (a >= 0.0 && *sum + a < INFINITY)
        *sum += a;
    else
        rd_fault_at(w, RD_FAULT_PROPENSITY, p->voxel, keys->reaction);
}

/* Returns what rd_propensity_sum does: the reactions that are left out have propensity 0. */
RD_FN double rd_row_propensity_sum(const struct rd_world *w, const struct rd_place *p,
                                   const struct rd_eval_context *here, int32_t begin, int32_t end,
                                   double aim, int32_t *which)
{
    struct rd_keys_here keys;
    double sum = 0.0;
    rd_keys_begin(w, here, begin, &keys);
    while (rd_next_keyed(&keys, end)) {
        rd_add_row_propensity(w, p, here, &keys, &sum);
        if (sum > aim) {
            *which = keys.reaction;
            return sum;
        }
    }
    *which = w->reactions.n_reactions;
    return sum;
}

/* Returns what rd_propensity_tree does. */
RD_FN double rd_row_propensity_tree(const struct rd_world *w, const struct rd_place *p,
                                    const struct rd_eval_context *here, int32_t begin, int32_t end)
{
    struct rd_keys_here keys;
    struct rd_block_sums tree = rd_block_sums_begin(begin);
    int32_t block = begin;
    double sum = 0.0;
    rd_keys_begin(w, here, begin, &keys);
    while (rd_next_keyed(&keys, end)) {
        if (keys.reaction >= rd_block_end(block, 1, end)) {
            rd_block_sums_add(&tree, block, sum);
            block = keys.reaction / RD_REACTIONS_IN_BLOCK * RD_REACTIONS_IN_BLOCK;
            sum = 0.0;
        }
        rd_add_row_propensity(w, p, here, &keys, &sum);
    }
    rd_block_sums_add(&tree, block, sum);
    return rd_block_sums_end(&tree);
}

/* Sets the most reactions of a voxel whose propensities are kept for the choice of one. */
enum { RD_ROW_POSSIBLE = 32 };

/* Holds the reactions that are possible in a voxel, in canonical order. */
struct rd_row_possible {
    int32_t n;
    int32_t reaction[RD_ROW_POSSIBLE];
    double propensity[RD_ROW_POSSIBLE];
};

/* Inserts a reaction; returns false if there are too many. */
RD_FN bool rd_insert_possible(struct rd_row_possible *possible, int32_t reaction, double propensity)
{
    int32_t i = possible->n;
    if (i == RD_ROW_POSSIBLE)
        return false;
    for (; i > 0 && possible->reaction[i - 1] > reaction; i--) {
        possible->reaction[i] = possible->reaction[i - 1];
        possible->propensity[i] = possible->propensity[i - 1];
    }
    possible->reaction[i] = reaction;
    possible->propensity[i] = propensity;
    possible->n++;
    return true;
}

/* Inserts the possible reactions in the list of the species. Returns false if they are too many, or
   a propensity is invalid. */
RD_FN bool rd_insert_keyed(const struct rd_world *w, int64_t site,
                           const struct rd_eval_context *here, int32_t species,
                           struct rd_row_possible *possible)
{
    const int32_t end = w->rows.keyed_first[species + 1];
    for (int32_t i = w->rows.keyed_first[species]; i < end; i++) {
        const struct rd_row_key key = w->rows.keyed[i];
        const double a = rd_key_propensity(w, site, &key, here);
        if (a != 0.0 && !(a > 0.0 && rd_insert_possible(possible, key.reaction, a)))
            return false;
    }
    return true;
}

/* Lists the possible reactions of the voxel, and returns the sum of their propensities as
   rd_row_propensity_tree. Returns INFINITY if they are too many, or something is invalid. */
RD_FN double rd_find_possible(const struct rd_world *w, int64_t site,
                              const struct rd_eval_context *here, struct rd_row_possible *possible)
{
    possible->n = 0;
    bool ok = rd_insert_keyed(w, site, here, w->counts.n_species, possible);
    for (int32_t i = 0; ok && i < here->n_row; i++)
        ok = here->row[i].count <= 0 ||
             rd_insert_keyed(w, site, here, here->row[i].species, possible);
    for (int32_t k = 0; ok && here->column && k < w->rows.n_columned; k++)
        ok = rd_count_here(here, w->rows.columned[k]) <= 0 ||
             rd_insert_keyed(w, site, here, w->rows.columned[k], possible);
    struct rd_block_sums tree = rd_block_sums_begin(0);
    for (int32_t i = 0; ok && i < possible->n; i++)
        rd_block_sums_add(&tree, possible->reaction[i], possible->propensity[i]);
    return ok ? rd_block_sums_end(&tree) : INFINITY;
}

/* Returns the end of the listed reactions, from number i on and before `end`, that are in one node
   of the level, and their sum as rd_row_propensity_tree. */
RD_FN int32_t rd_sum_node(const struct rd_row_possible *possible, int32_t i, int32_t end,
                          int32_t level, double *sum)
{
    const int32_t bits = level * RD_BLOCK_BITS, node = possible->reaction[i] >> bits;
    struct rd_block_sums tree = rd_block_sums_begin(node << bits);
    for (; i < end && possible->reaction[i] >> bits == node; i++)
        rd_block_sums_add(&tree, possible->reaction[i], possible->propensity[i]);
    *sum = rd_block_sums_end(&tree);
    return i;
}

/* Returns what rd_choose_reaction does, if all possible reactions are listed. */
RD_FN int32_t rd_choose_possible(const struct rd_row_possible *possible, int32_t n_reactions,
                                 double aim)
{
    int32_t begin = 0, end = possible->n;
    for (int32_t level = rd_block_level(n_reactions); level >= 0; level--) {
        double before = 0.0;
        for (;;) {
            double sum;
            if (begin == end)
                return n_reactions;
            const int32_t next = rd_sum_node(possible, begin, end, level, &sum);
            if (before + sum > aim) {
                aim = rd_aim_below(aim - before, sum);
                end = next;
                break;
            }
            before += sum;
            begin = next;
        }
    }
    return possible->reaction[begin];
}

/* Returns the sum of rd_propensity_tree over all reactions in a world with mass action only, for
   which the coordinates of the voxel are not needed. */
RD_FN double rd_row_mass_action_sum(const struct rd_world *w, const struct rd_place *p,
                                    const struct rd_eval_context *here)
{
    struct rd_keys_here keys;
    struct rd_block_sums tree = rd_block_sums_begin(0);
    rd_keys_begin(w, here, 0, &keys);
    while (rd_next_keyed(&keys, w->reactions.n_reactions))
        rd_block_sums_add(&tree, keys.reaction, rd_keyed_propensity(w, p->site, &keys, here));
    return rd_block_sums_end(&tree);
}

/* Returns a bound of the sum over all reactions of the voxel with these species, except for
   rounding and without the values of expressions. Only one entry of a table is read for each
   species. */
RD_FN double rd_row_propensity_bound(struct rd_present s)
{
    const struct rd_world *const w = s.w;
    double alone = w->rows.bound[w->counts.n_species].alone, together = 0.0;
    int64_t all = 0;
    while (rd_next_present(&s)) {
        if (*s.count == 0)
            continue;
        const struct rd_row_bound b = w->rows.bound[s.species];
        alone += *s.count * b.alone;
        together += *s.count * b.together;
        all += *s.count;
    }
    return all > 1 ? alone + together * (double)(all - 1) : alone;
}

#endif
