/* exchange - reactions between voxels and compartments, over all voxels of a run, by Gillespie's
   direct method. It is exact over the time of the pass.

   A reaction that happens in voxels has in each the propensity of mass action, times the falling
   factorials of its reactants in compartments. A tree holds the sums of the first factor: each node
   is the sum of RD_EXCHANGE_GROUP others, at the bottom of as many voxels. A reaction that happens
   in a compartment draws the voxel of its products from a table. Sums are computed anew from the
   counts, never by differences, so that equal states have equal bytes. */
#ifndef RD_PASSES_REACTIONS_EXCHANGE_H
#define RD_PASSES_REACTIONS_EXCHANGE_H

#include "kernels/passes/reactions/ssa.h"

/* Sets the voxels, or nodes, whose sum is a node. */
enum { RD_EXCHANGE_GROUP = 64 };

RD_FN int64_t rd_exchange_groups(int64_t n)
{
    return (n + RD_EXCHANGE_GROUP - 1) / RD_EXCHANGE_GROUP;
}

/* Returns the number of nodes of a tree. */
RD_FN int64_t rd_exchange_nodes(const struct rd_lattice *lattice)
{
    int64_t nodes = 0, n = lattice->n_sites;
    do {
        n = rd_exchange_groups(n);
        nodes += n;
    } while (n > 1);
    return nodes;
}

/* Returns the tree of an exchange in a run. */
RD_FN double *rd_exchange_tree(const struct rd_world *w, int64_t run, int64_t exchange)
{
    return w->exchanges.exchange_sum +
           (run * w->exchanges.n_exchange + exchange) * rd_exchange_nodes(&w->lattice);
}

/* Returns the propensity of the exchange at the place, without its reactants in compartments if it
   happens in voxels; -1 with a fault if it is not a number >= 0. */
RD_FN double rd_exchange_propensity(const struct rd_world *w, const struct rd_exchange *x,
                                    const struct rd_place *p)
{
    struct rd_channel c = w->reactions.channel[x->reaction];
    c.rate = x->rate;
    if (!rd_is_in(&w->lattice, c.region, p->site))
        return 0.0;
    struct rd_eval_context here;
    if (c.expression_kind == RD_EXPRESSION_NONE) {
        here.row = NULL;
        rd_aim_counts(w, p->voxel, &here);
    } else {
        const struct rd_place place = rd_place_of(&w->lattice, p->voxel);
        here = rd_eval_context_of(w, &place);
    }
    const double a = rd_row_propensity(w, &c, &here);
    if (a >= 0.0 && rd_is_finite(a))
        return a;
    rd_fault_at(w, RD_FAULT_PROPENSITY, p->voxel, x->reaction);
    return 0.0;
}

/* Returns the sum of the propensities of voxels in a group of the run. Sets *site to the first one
   at which the sum exceeds aim, or to the last one that is not 0. */
RD_FN double rd_exchange_group_sum(const struct rd_world *w, const struct rd_exchange *x,
                                   int64_t run, int64_t group, double aim, int64_t *site)
{
    const int64_t begin = group * RD_EXCHANGE_GROUP;
    double sum = 0.0;
    for (int64_t i = begin; i < begin + RD_EXCHANGE_GROUP && i < w->lattice.n_sites; i++) {
        const struct rd_place p = rd_place_apart(&w->lattice, run * w->lattice.n_sites + i);
        const double a = rd_exchange_propensity(w, x, &p);
        if (a == 0.0)
            continue;
        sum += a;
        *site = i;
        if (sum > aim)
            break;
    }
    return sum;
}

/* Computes the lowest nodes: those of one group of voxels, for all exchanges. */
RD_FN void rd_exchange_sums(const struct rd_world *w, int64_t item)
{
    const int64_t groups = rd_exchange_groups(w->lattice.n_sites), run = item / groups;
    int64_t site;
    if (rd_is_frozen(&w->runs, run))
        return;
    for (int64_t i = 0; i < w->exchanges.n_exchange; i++) {
        const struct rd_exchange *const x = &w->exchanges.exchange[i];
        if (!x->is_released)
            rd_exchange_tree(w, run, i)[item % groups] =
                rd_exchange_group_sum(w, x, run, item % groups, INFINITY, &site);
    }
}

/* Returns the sum of a group of n nodes, of which `of` exist. */
RD_FN double rd_exchange_node_sum(const double *node, int64_t group, int64_t of)
{
    double sum = 0.0;
    for (int64_t i = group * RD_EXCHANGE_GROUP; i < (group + 1) * RD_EXCHANGE_GROUP && i < of; i++)
        sum += node[i];
    return sum;
}

/* Computes the nodes above the lowest ones: all of them, or those above one group of voxels. */
RD_FN void rd_exchange_update(const struct rd_lattice *lattice, double *tree, int64_t group)
{
    int64_t n = rd_exchange_groups(lattice->n_sites);
    for (double *level = tree; n > 1;) {
        const int64_t above = rd_exchange_groups(n);
        if (group >= 0)
            group /= RD_EXCHANGE_GROUP;
        for (int64_t i = group < 0 ? 0 : group; i < (group < 0 ? above : group + 1); i++)
            level[n + i] = rd_exchange_node_sum(level, i, n);
        level += n;
        n = above;
    }
}

/* Returns the site that aim, uniform below the root, selects by the propensities; -1 if all are
   0. */
RD_FN int64_t rd_exchange_find(const struct rd_world *w, const struct rd_exchange *x, int64_t run,
                               const double *tree, double aim)
{
    int64_t size[16], n = rd_exchange_groups(w->lattice.n_sites), at = 0, site = -1;
    int levels = 0;
    const double *level = tree;
    for (size[levels++] = n; n > 1; size[levels++] = n) {
        level += n;
        n = rd_exchange_groups(n);
    }
    for (int k = levels - 2; k >= 0; k--) { /* from the root down: level k has size[k] nodes */
        level -= size[k];
        int64_t chosen = -1;
        for (int64_t i = at * RD_EXCHANGE_GROUP; i < (at + 1) * RD_EXCHANGE_GROUP && i < size[k];
             i++) {
            if (level[i] == 0.0)
                continue;
            if (chosen >= 0)
                aim -= level[chosen];
            chosen = i;
            if (aim < level[i])
                break;
        }
        if (chosen < 0)
            return -1;
        at = chosen;
    }
    rd_exchange_group_sum(w, x, run, at, aim, &site);
    return site;
}

/* Returns the voxel of the products of an exchange out of a compartment. */
RD_FN int64_t rd_exchange_land(const struct rd_exchanges *exchanges, const struct rd_exchange *x,
                               double u)
{
    const struct rd_landing *const landing = exchanges->landing + x->landing;
    const double aim = u * landing[x->n_landing - 1].upto;
    int64_t low = 0, high = x->n_landing - 1;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (aim < landing[middle].upto)
            high = middle;
        else
            low = middle + 1;
    }
    return landing[low].site;
}

/* Returns the product of the falling factorials of the reactants in compartments, if the context
   has the counts of these. */
RD_FN double rd_exchange_factor_of(const struct rd_world *w, const struct rd_exchange *x,
                                   const struct rd_eval_context *mixed)
{
    double a = 1.0;
    for (int32_t i = 0; i < x->n_mixed; i++) {
        const struct rd_reactant *const r = &w->reactions.reactant[x->mixed + i];
        const double n = (double)rd_count_here(mixed, r->species);
        for (int32_t k = 0; k < r->number; k++)
            a *= n - (double)k;
    }
    return a;
}

RD_FN double rd_exchange_factor(const struct rd_world *w, const struct rd_exchange *x, int64_t run)
{
    struct rd_eval_context mixed;
    mixed.row = NULL;
    rd_aim_counts(w, run * w->lattice.n_sites + RD_MIXED_SITE, &mixed);
    return rd_exchange_factor_of(w, x, &mixed);
}

/* Returns the propensity of the exchange over the whole run. */
RD_FN double rd_exchange_total(const struct rd_world *w, int64_t run, int64_t exchange)
{
    const struct rd_exchange *const x = &w->exchanges.exchange[exchange];
    if (!x->is_released)
        return rd_exchange_tree(w, run, exchange)[rd_exchange_nodes(&w->lattice) - 1] *
               rd_exchange_factor(w, x, run);
    const struct rd_place p = rd_place_apart(&w->lattice, run * w->lattice.n_sites + RD_MIXED_SITE);
    return rd_exchange_propensity(w, x, &p);
}

/* Returns the sum of all propensities. Sets *which to the first exchange at which the sum exceeds
 *aim, or to the last one that is not 0, and *aim to the rest. */
RD_FN double rd_exchange_choose(const struct rd_world *w, int64_t run, double *aim, int64_t *which)
{
    double sum = 0.0, last = 0.0;
    for (int64_t i = 0; i < w->exchanges.n_exchange; i++) {
        const double a = rd_exchange_total(w, run, i);
        if (a == 0.0)
            continue;
        *aim -= last;
        last = a;
        sum += a;
        *which = i;
        if (*aim < a)
            break;
    }
    return sum;
}

/* Returns the voxel of the k-th change of the exchange: the site, or that of compartments. */
RD_FN int64_t rd_exchange_voxel(const struct rd_world *w, const struct rd_exchange *x, int64_t run,
                                int64_t site, int32_t k)
{
    return run * w->lattice.n_sites + (k < x->n_placed ? site : RD_MIXED_SITE);
}

/* Returns the address of the count of a species that an exchange changes, which has a column. */
RD_FN int32_t *rd_exchanged_count(const struct rd_world *w, int32_t species, int64_t voxel)
{
    return &w->counts.count[rd_column_of(w, species) * w->lattice.n_voxels + voxel];
}

/* Changes the counts by one event, or records a fault and returns false. */
RD_FN bool rd_exchange_fire(const struct rd_world *w, const struct rd_exchange *x, int64_t run,
                            int64_t site)
{
    const struct rd_channel *const c = &w->reactions.channel[x->reaction];
    const struct rd_reactant *const change = w->reactions.change + c->change;
    for (int32_t k = 0; k < c->n_changes; k++) {
        const int64_t voxel = rd_exchange_voxel(w, x, run, site, k);
        const int64_t n =
            (int64_t)*rd_exchanged_count(w, change[k].species, voxel) + change[k].number;
        if (n < 0 || n > INT32_MAX) {
            rd_fault_of_count(w, voxel, x->reaction, change[k].species, n);
            return false;
        }
    }
    for (int32_t k = 0; k < c->n_changes; k++)
        *rd_exchanged_count(w, change[k].species, rd_exchange_voxel(w, x, run, site, k)) +=
            change[k].number;
    rd_add_i64(&w->counts.fired[rd_sums_of(&w->lattice, run, site) * w->reactions.n_reactions +
                                x->reaction],
               1);
    return true;
}

/* Computes the sums that depend on the counts of the site. */
RD_FN void rd_exchange_refresh(const struct rd_world *w, int64_t run, int64_t site)
{
    const int64_t group = site / RD_EXCHANGE_GROUP;
    int64_t any;
    for (int64_t i = 0; i < w->exchanges.n_exchange; i++) {
        const struct rd_exchange *const x = &w->exchanges.exchange[i];
        if (x->is_released)
            continue;
        double *const tree = rd_exchange_tree(w, run, i);
        tree[group] = rd_exchange_group_sum(w, x, run, group, INFINITY, &any);
        rd_exchange_update(&w->lattice, tree, group);
    }
}

/* Lets one event of the exchange happen; aim is uniform below its propensity. Returns false if it
   is impossible. */
RD_FN bool rd_exchange_once(const struct rd_world *w, int64_t run, int64_t which, double aim,
                            struct rd_stream *stream)
{
    const struct rd_exchange *const x = &w->exchanges.exchange[which];
    const int64_t site = x->is_released
                             ? rd_exchange_land(&w->exchanges, x, rd_uniform(stream))
                             : rd_exchange_find(w, x, run, rd_exchange_tree(w, run, which),
                                                aim / rd_exchange_factor(w, x, run));
    if (site < 0 || !rd_exchange_fire(w, x, run, site))
        return false;
    if (x->n_placed > 0)
        rd_exchange_refresh(w, run, site);
    return true;
}

/* Simulates the exchanges of the run over the time of the pass. */
RD_FN void rd_exchange_run(const struct rd_world *w, int64_t run)
{
    double left = rd_is_frozen(&w->runs, run) ? 0.0 : w->pass.dt;
    struct rd_stream stream =
        rd_stream_of(w->pass.seed, w->lattice.first_run + run, w->pass.step_clock->step,
                     RD_FOR_EXCHANGE, w->pass.part, 0);
    for (int64_t i = 0; left > 0.0 && i < w->exchanges.n_exchange; i++)
        if (!w->exchanges.exchange[i].is_released)
            rd_exchange_update(&w->lattice, rd_exchange_tree(w, run, i), -1);
    for (uint32_t n = 1; left > 0.0; n++) {
        int64_t which = -1;
        double aim = INFINITY;
        const double sum = rd_exchange_choose(w, run, &aim, &which);
        if (!(sum > 0.0 && sum < INFINITY))
            return;
        const double u = rd_uniform(&stream);
        if (rd_is_quiet(sum, u, left))
            return;
        left += rd_log(u) / sum;
        if (left <= 0.0)
            return;
        aim = rd_uniform(&stream) * sum;
        rd_exchange_choose(w, run, &aim, &which);
        if (!rd_exchange_once(w, run, which, aim, &stream))
            return;
        if (n > w->reactions.max_events) {
            rd_fault_at(w, RD_FAULT_EVENTS, run * w->lattice.n_sites + RD_MIXED_SITE,
                        w->exchanges.exchange[which].reaction);
            return;
        }
    }
}

#endif
