/* put - puts the molecules of one amount into the voxels of one run. */
#include "base/threads.h"
#include "kernels/core/draw.h"
#include "kernels/core/lattice.h"
#include "sim/placing.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct rd_stream rd_action_stream(const struct rd_world *w, const struct rd_action *x, int64_t run,
                                  int64_t block)
{
    return !x->o->event
               ? rd_stream_of(w->pass.seed, w->lattice.first_run + run, (uint32_t)block,
                              RD_FOR_START, 0, x->entry)
               : rd_occasion_stream(x->o, w->pass.seed, w->lattice.first_run, run, 0, x->entry);
}

static bool overflows(const struct rd_placing *g, int64_t n)
{
    if (n <= INT32_MAX)
        return false;
    rd_fail(g->e, "%s: one voxel gets %lld molecules of '%s'; place at most 2147483647 there",
            g->a->place, (long long)n, g->p->model->species[g->a->species].name);
    return true;
}

static bool put_values(const struct rd_placing *g, int64_t i, int64_t n)
{
    const int64_t site = rd_placing_site(g, i), sum = g->count[site] + n;
    if (overflows(g, sum))
        return false;
    g->count[site] = (int32_t)sum;
    if (g->touched)
        g->touched[(g->run * g->p->world.lattice.n_sites + site) / RD_TOUCHED_BLOCK] = 1;
    return true;
}

/* Returns the first i with upto[i + 1] > x. */
static int64_t find_upto(const struct rd_placing *g, double x)
{
    int64_t low = 0, high = g->n_sites - 1;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (g->upto[middle + 1] > x)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

/* Puts n molecules on a surface, each into a voxel drawn by its measure. If n is several times the
   number of voxels, draws for each voxel a binomial number of the molecules that are left. */
static bool put_random_on_surface(struct rd_placing *g, int64_t n)
{
    const double all = g->upto[g->n_sites];
    if (n < 4 * g->n_sites) {
        for (int64_t k = 0; k < n; k++)
            if (!put_values(g, find_upto(g, all * rd_uniform(&g->stream)), 1))
                return false;
        return true;
    }
    for (int64_t i = 0; i < g->n_sites && n > 0; i++) {
        const double left = all - g->upto[i], here = g->upto[i + 1] - g->upto[i];
        const bool is_last = i == g->n_sites - 1 || !(here < left);
        const int64_t k = is_last ? n : rd_binomial(&g->stream, n, here / left);
        if (!put_values(g, i, k))
            return false;
        n -= k;
    }
    return true;
}

/* Spreads n molecules on a surface as evenly as whole numbers can: the sums over the first voxels
   are the mean ones plus one random offset, rounded down (systematic sampling). */
static bool put_even_on_surface(struct rd_placing *g, int64_t n)
{
    const double per_measure = (double)n / g->upto[g->n_sites], offset = rd_uniform(&g->stream);
    int64_t before = 0;
    for (int64_t i = 0; i < g->n_sites; i++) {
        const bool is_last = i == g->n_sites - 1;
        const int64_t sum = is_last ? n : (int64_t)rd_floor(per_measure * g->upto[i + 1] + offset);
        const int64_t upto = sum > n ? n : sum;
        if (!put_values(g, i, upto - before))
            return false;
        before = upto;
    }
    return true;
}

/* Puts n molecules, each into a voxel drawn uniformly. If n is several times the number of voxels,
   draws for each voxel a binomial number of the molecules that are left. */
static bool put_random(struct rd_placing *g, int64_t n)
{
    if (n < 4 * g->n_sites) {
        for (int64_t k = 0; k < n; k++)
            if (!put_values(g, (int64_t)rd_below(&g->stream, (uint64_t)g->n_sites), 1))
                return false;
        return true;
    }
    for (int64_t i = 0; i < g->n_sites && n > 0; i++) {
        const int64_t here = rd_binomial(&g->stream, n, 1.0 / (double)(g->n_sites - i));
        if (!put_values(g, i, here))
            return false;
        n -= here;
    }
    return true;
}

/* Spreads n molecules evenly. The remainder goes to as many different voxels, all choices equally
   likely (selection sampling: Knuth, The Art of Computer Programming 2, 3.4.2). */
static bool put_even(struct rd_placing *g, int64_t n)
{
    int64_t rest = n % g->n_sites;
    for (int64_t i = 0; i < g->n_sites; i++) {
        const uint64_t left = (uint64_t)(g->n_sites - i);
        const bool more = rest > 0 && rd_below(&g->stream, left) < (uint64_t)rest;
        rest -= more;
        if (!put_values(g, i, n / g->n_sites + more))
            return false;
    }
    return true;
}

/* Returns what the value of the amount's expression is multiplied by in voxel i: its volume, or on
   a surface its area, for a density. It is 0 in a voxel that offers the species no part of its
   surface. */
static double unit_of(const struct rd_placing *g, int64_t i)
{
    if (g->a->kind == RD_AMOUNT_VALUE)
        return !g->upto || g->upto[i + 1] > g->upto[i] ? 1.0 : 0.0;
    return g->upto ? g->upto[i + 1] - g->upto[i] : g->p->world.lattice.volume;
}

/* Returns the value of the amount's expression in the i-th voxel. */
static double amount_value_at(const struct rd_placing *g, int64_t i)
{
    const struct rd_place place = rd_place_of(&g->p->world.lattice, rd_placing_site(g, i));
    struct rd_eval_context eval_context = rd_eval_context_at(&g->p->world, &place);
    eval_context.t = g->t;
    eval_context.parameter = g->value;
    eval_context.total = g->total;
    return rd_expr_value(&g->a->much, &eval_context);
}

/* Returns the mean number in the i-th voxel, or -1 with a message if `given` leads to none. */
static double mean_of(const struct rd_placing *g, int64_t i, double given)
{
    const double mean = given * unit_of(g, i);
    if (!(mean >= 0.0) || !rd_is_finite(mean)) {
        const struct rd_place place = rd_place_of(&g->p->world.lattice, rd_placing_site(g, i));
        const struct rd_eval_context here = rd_eval_context_at(&g->p->world, &place);
        rd_fail(g->e, "%s: '%s' is %g at %s; give a number >= 0 everywhere", g->a->place,
                g->a->much.text, given,
                rd_grid_point(&g->p->model->grid, (double[]){here.x, here.y, here.z}).text);
        return -1.0;
    }
    return overflows(g, mean < 9e18 ? (int64_t)mean : INT64_MAX) ? -1.0 : mean;
}

/* Puts n molecules into each voxel of a part. */
static bool put_same(const struct rd_placing *g, int64_t begin, int64_t end, int64_t n)
{
    bool ok = true;
    for (int64_t i = begin; ok && i < end; i++)
        ok = put_values(g, i, n);
    return ok;
}

/* Puts molecules into a part of the voxels by their means. A mean that is whole and the same in all
   voxels needs no random numbers. */
static bool put_means(struct rd_placing *g, int64_t begin, int64_t end)
{
    const bool is_poisson = g->a->spread == RD_SPREAD_POISSON;
    const bool is_uniform = rd_expr_is_uniform(&g->a->much);
    const double same = is_uniform ? amount_value_at(g, begin) : 0.0;
    if (is_uniform && !is_poisson && !g->upto) {
        const double mean = mean_of(g, begin, same);
        if (mean < 0.0)
            return false;
        if (mean == floor(mean))
            return put_same(g, begin, end, (int64_t)mean);
    }
    for (int64_t i = begin; i < end; i++) {
        const double mean = mean_of(g, i, is_uniform ? same : amount_value_at(g, i));
        if (mean < 0.0)
            return false;
        const int64_t whole = (int64_t)mean;
        const int64_t n = is_poisson ? rd_poisson(&g->stream, mean)
                                     : whole + (rd_uniform(&g->stream) < mean - (double)whole);
        if (!put_values(g, i, n))
            return false;
    }
    return true;
}

/* The voxels of a block are placed in order by one thread, with a stream of its own. */
enum { BLOCK = 1 << 16 };

struct blocks {
    const struct rd_placing *all;
    int64_t size;
};

/* Marks all blocks as touched, so that the threads need not. */
static void touch_all(struct rd_placing *g)
{
    if (g->touched)
        memset(g->touched, 1, (size_t)(g->p->world.lattice.n_voxels / RD_TOUCHED_BLOCK) + 1);
    g->touched = NULL;
}

static bool put_block(void *of, int64_t block, struct rd_error *e)
{
    const struct blocks *const b = of;
    const int64_t begin = block * b->size, left = b->all->n_sites - begin;
    struct rd_placing g = *b->all;
    g.e = e;
    g.stream = rd_action_stream(&g.p->world, g.action, g.run, block);
    return put_means(&g, begin, begin + (left < b->size ? left : b->size));
}

/* Puts molecules by the mean of each voxel. An event has one stream, and so one block. */
static bool put_mean(struct rd_placing *g)
{
    touch_all(g);
    const int64_t size = !g->action->o->event ? BLOCK : g->n_sites;
    struct blocks b = {g, size};
    return rd_threads_try(rd_threads_number(g->action->placements->threads),
                          (g->n_sites + size - 1) / size, put_block, &b, g->e);
}

bool rd_put_amount(struct rd_placing *g)
{
    const struct rd_amount *const a = g->a;
    if (a->kind != RD_AMOUNT_COUNT)
        return put_mean(g);
    const struct rd_eval_context eval_context = rd_placing_context(g);
    const double n = rd_expr_value(&a->much, &eval_context);
    if (!(n >= 0.0) || n >= (double)RD_BINOMIAL_END || n != floor(n))
        return rd_fail(g->e, "%s: the count '%s' is %g; give an integer from 0 to 2^52 - 1",
                       a->place, a->much.text, n);
    const bool is_even = a->spread == RD_SPREAD_EVEN;
    if (g->upto)
        return is_even ? put_even_on_surface(g, (int64_t)n) : put_random_on_surface(g, (int64_t)n);
    return is_even ? put_even(g, (int64_t)n) : put_random(g, (int64_t)n);
}
