/* take - takes molecules from the voxels of a run at an event; they are removed, or become another
   species in the same voxels. */
#include "sim/placing.h"

#include "kernels/core/draw.h"
#include "kernels/core/lattice.h"
#include "sim/subset.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Takes n of the molecules that are present from here[i]; every choice is equally likely. */
static bool take_number(struct rd_placing *g, int32_t *here, int64_t n)
{
    return n == 0 || rd_subset_remove(&g->stream, here, g->n_sites, n, g->e);
}

/* Returns part * present, rounded down or up at random so that the mean is right. */
static int64_t round_at_random(struct rd_stream *s, double part, int64_t present)
{
    const double mean = part * (double)present;
    const int64_t whole = (int64_t)mean;
    return whole + (mean > (double)whole && rd_uniform(s) < mean - (double)whole);
}

static bool take_count(struct rd_placing *g, int32_t *here, int64_t present, double wanted)
{
    if (!(wanted >= 0.0) || wanted != floor(wanted))
        return rd_fail(g->e, "%s: the count '%s' to %s is %g; give an integer >= 0", g->a->place,
                       g->a->much.text, g->becomes ? "convert" : "remove", wanted);
    if (wanted > (double)present)
        return rd_fail(g->e,
                       "%s: %g molecules of '%s' are to be %s at t = %g, but there are "
                       "only %lld in run %lld; use all = true to %s what is there",
                       g->a->place, wanted, g->p->model->species[g->a->species].name,
                       g->becomes ? "converted" : "removed", g->t, (long long)present,
                       (long long)rd_run_number(&g->p->world.lattice, g->run),
                       g->becomes ? "convert" : "remove");
    return take_number(g, here, (int64_t)wanted);
}

/* Lets each molecule stay with the probability, independently of the others. */
static void keep_each(struct rd_placing *g, int32_t *here, double probability)
{
    for (int64_t i = 0; i < g->n_sites; i++)
        here[i] = (int32_t)rd_binomial(&g->stream, here[i], probability);
}

/* Takes each molecule with the probability. */
static void take_each(struct rd_placing *g, int32_t *here, double probability)
{
    for (int64_t i = 0; i < g->n_sites; i++)
        here[i] -= (int32_t)rd_binomial(&g->stream, here[i], probability);
}

/* Takes n molecules from each voxel. */
static bool take_from_each(struct rd_placing *g, int32_t *here, int32_t n)
{
    for (int64_t i = 0; i < g->n_sites; i++) {
        if (here[i] < n)
            return rd_fail(g->e,
                           "%s: %d molecules of '%s' are to be %s at t = %g in voxel number %lld, "
                           "but there are only %d in run %lld; use all = true to %s what is there",
                           g->a->place, n, g->p->model->species[g->a->species].name,
                           g->becomes ? "converted" : "removed", g->t,
                           (long long)rd_placing_site(g, i), here[i],
                           (long long)rd_run_number(&g->p->world.lattice, g->run),
                           g->becomes ? "convert" : "remove");
        here[i] -= n;
    }
    return true;
}

/* Takes molecules from here[i], of which all together are `present`. */
static bool take_share(struct rd_placing *g, int32_t *here, int64_t present)
{
    if (g->a->share == RD_SHARE_ALL) {
        memset(here, 0, (size_t)g->n_sites * sizeof *here);
        return true;
    }
    const struct rd_eval_context eval_context = rd_placing_context(g);
    const double much = rd_expr_value(&g->a->much, &eval_context);
    if (g->a->share == RD_SHARE_EACH)
        return take_from_each(g, here, (int32_t)much);
    if (g->a->share == RD_SHARE_COUNT)
        return take_count(g, here, present, much);
    if (!(much >= 0.0 && much <= 1.0))
        return rd_fail(g->e, "%s: '%s' is %g; give a number from 0 to 1", g->a->place,
                       g->a->much.text, much);
    if (g->a->share == RD_SHARE_FRACTION)
        return take_number(g, here, round_at_random(&g->stream, much, present));
    (g->a->share == RD_SHARE_REST ? keep_each : take_each)(g, here, much);
    return true;
}

/* Sets the counts to what is left, and adds what was taken to the other species. */
static bool store_counts(struct rd_placing *g, const int32_t *left)
{
    for (int64_t i = 0; i < g->n_sites; i++) {
        const int64_t site = rd_placing_site(g, i), taken = g->count[site] - left[i];
        if (g->becomes && g->becomes[site] > INT32_MAX - taken)
            return rd_fail(
                g->e, "%s: one voxel gets more than 2147483647 molecules of '%s'; convert fewer",
                g->a->place, g->p->model->species[g->a->becomes].name);
        g->count[site] = left[i];
        if (g->becomes)
            g->becomes[site] += (int32_t)taken;
    }
    return true;
}

bool rd_take_amount(struct rd_placing *g)
{
    int32_t *const here = malloc((size_t)g->n_sites * sizeof *here);
    int64_t present = 0;
    if (!here)
        return rd_fail(g->e, "out of memory for taking molecules from %lld voxels",
                       (long long)g->n_sites);
    for (int64_t i = 0; i < g->n_sites; i++)
        present += here[i] = g->count[rd_placing_site(g, i)];
    const bool ok = take_share(g, here, present) && store_counts(g, here);
    free(here);
    return ok;
}
