/* place - puts molecules into voxels and removes them, at the start and at events.

   Every molecule of a given number is placed. Means that are not integers are right on average. */
#include "sim/place.h"

#include "kernels/core/draw.h"
#include "kernels/core/lattice.h"
#include "model/region.h"
#include "model/surface.h"
#include "result/read/result_reader.h"
#include "sim/take.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool overflows(const struct rd_placing *g, int64_t n)
{
    if (n <= INT32_MAX)
        return false;
    rd_fail(g->e, "%s: one voxel gets %lld molecules of '%s'; place at most 2147483647 there",
            g->a->place, (long long)n, g->p->model->species[g->a->species].name);
    return true;
}

static bool put(const struct rd_placing *g, int64_t i, int64_t n)
{
    const int64_t sum = g->count[g->site[i]] + n;
    if (overflows(g, sum))
        return false;
    g->count[g->site[i]] = (int32_t)sum;
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
            if (!put(g, find_upto(g, all * rd_uniform(&g->stream)), 1))
                return false;
        return true;
    }
    for (int64_t i = 0; i < g->n_sites && n > 0; i++) {
        const double left = all - g->upto[i], here = g->upto[i + 1] - g->upto[i];
        const bool is_last = i == g->n_sites - 1 || !(here < left);
        const int64_t k = is_last ? n : rd_binomial(&g->stream, n, here / left);
        if (!put(g, i, k))
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
        if (!put(g, i, upto - before))
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
            if (!put(g, (int64_t)rd_below(&g->stream, (uint64_t)g->n_sites), 1))
                return false;
        return true;
    }
    for (int64_t i = 0; i < g->n_sites && n > 0; i++) {
        const int64_t here = rd_binomial(&g->stream, n, 1.0 / (double)(g->n_sites - i));
        if (!put(g, i, here))
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
        if (!put(g, i, n / g->n_sites + more))
            return false;
    }
    return true;
}

/* Returns what the value of the amount's expression is multiplied by in voxel i: its volume, or on
   a surface its area, for a density. */
static double unit_of(const struct rd_placing *g, int64_t i)
{
    if (g->a->kind == RD_AMOUNT_VALUE)
        return 1.0;
    return g->upto ? g->upto[i + 1] - g->upto[i] : g->p->world.lattice.volume;
}

/* Puts molecules by the mean of each voxel. */
static bool put_mean(struct rd_placing *g)
{
    const bool is_poisson = g->a->spread == RD_SPREAD_POISSON;
    for (int64_t i = 0; i < g->n_sites; i++) {
        const struct rd_place place = rd_place_of(&g->p->world.lattice, g->site[i]);
        struct rd_eval_context eval_context = rd_eval_context_at(&g->p->world, &place);
        eval_context.t = g->t;
        eval_context.parameter = g->value;
        eval_context.total = g->total;
        const double given = rd_expr_value(&g->a->much, &eval_context);
        const double mean = given * unit_of(g, i);
        if (!(mean >= 0.0) || !rd_is_finite(mean))
            return rd_fail(g->e, "%s: '%s' is %g at %s; give a number >= 0 everywhere", g->a->place,
                           g->a->much.text, given,
                           rd_grid_point(&g->p->model->grid,
                                         (double[]){eval_context.x, eval_context.y, eval_context.z})
                               .text);
        if (overflows(g, mean < 9e18 ? (int64_t)mean : INT64_MAX))
            return false;
        const int64_t whole = (int64_t)mean;
        const int64_t n = is_poisson ? rd_poisson(&g->stream, mean)
                                     : whole + (rd_uniform(&g->stream) < mean - (double)whole);
        if (!put(g, i, n))
            return false;
    }
    return true;
}

static bool put_amount(struct rd_placing *g)
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

/* Returns the voxels that an amount may use: its voxel, or the voxels of its region in which the
   species lives. The caller frees them. Returns NULL with a message if there are none. */
static int64_t *sites_of(const struct rd_plan *p, const struct rd_amount *a, int64_t *n,
                         struct rd_error *e)
{
    const struct rd_world *const w = &p->world;
    int64_t *const site = malloc((size_t)(a->is_at ? 1 : w->lattice.n_sites) * sizeof *site);
    *n = 0;
    if (!site) {
        rd_fail(e, "out of memory for the voxels of '%s'", p->model->species[a->species].name);
        return NULL;
    }
    if (a->is_at) {
        site[(*n)++] = rd_site_number(&w->lattice, a->voxel);
        return site;
    }
    const int32_t domain = p->model->species[a->species].region;
    for (int64_t i = 0; i < w->lattice.n_sites; i++)
        if (rd_is_in(&w->lattice, domain, i) && rd_is_in(&w->lattice, a->region, i))
            site[(*n)++] = i;
    if (*n > 0)
        return site;
    rd_fail(e, "%s: '%s' lives in no voxel of the region in which it is placed; name another",
            a->place, p->model->species[a->species].name);
    free(site);
    return NULL;
}

static int32_t list_of(const struct rd_plan *p, int species)
{
    return species < 0 ? -1 : p->list_of[p->species_at[species]];
}

/* Adds placements for the changes in the counts of an amount in one run: of its species, and of the
   one that its molecules become, if these have individuals. */
static bool enlist(struct rd_placements *placements, const struct rd_placing *g,
                   const int32_t *before)
{
    const int32_t list = list_of(g->p, g->a->species), other = list_of(g->p, g->a->becomes);
    int64_t n = placements->n;
    for (int64_t i = 0; i < g->n_sites; i++)
        n += 2 * (g->count[g->site[i]] != before[i]);
    struct rd_placement *const grown =
        realloc(placements->placement, (size_t)n * sizeof *grown + 1);
    if (!grown)
        return rd_fail(g->e, "out of memory for %lld individuals", (long long)n);
    placements->placement = grown;
    for (int64_t i = 0; i < g->n_sites; i++) {
        const int32_t number = g->count[g->site[i]] - before[i];
        const int64_t voxel = g->run * g->p->world.lattice.n_sites + g->site[i];
        if (number != 0 && list >= 0)
            grown[placements->n++] =
                (struct rd_placement){.list = list, .number = number, .voxel = voxel, .by = g->a};
        if (number != 0 && other >= 0)
            grown[placements->n++] = (struct rd_placement){
                .list = other, .number = -number, .voxel = voxel, .by = g->a, .is_same = list >= 0};
    }
    return true;
}

/* What is done with each amount of an occasion. */
struct action {
    const struct rd_occasion *o;
    bool (*act)(struct rd_placing *g);
    int64_t entry;                    /* of the event; or item of the stream at the start */
    struct rd_placements *placements; /* placements of individuals */
};

/* Applies the amount in one run. A failure ends only that run if runs fail separately. */
static bool act_in(struct rd_placing *g, const struct action *x, struct rd_error *e)
{
    const bool is_listed = list_of(g->p, g->a->species) >= 0 || list_of(g->p, g->a->becomes) >= 0;
    int32_t *const before = is_listed ? malloc((size_t)g->n_sites * sizeof *before) : NULL;
    struct rd_error why = {0};
    if (is_listed && !before)
        return rd_fail(e, "out of memory for placing individuals");
    for (int64_t i = 0; is_listed && i < g->n_sites; i++)
        before[i] = g->count[g->site[i]];
    g->e = x->placements->refuses ? &why : e;
    const bool good = x->act(g);
    g->e = e;
    const bool ok = good ? !is_listed || enlist(x->placements, g, before)
                         : rd_placements_refuse(x->placements, g->run, &why, e);
    free(before);
    return ok;
}

/* Sets *upto to the sums of the measures of the first i sites, for a species on a surface, else to
   NULL. The caller frees them. */
static bool sum_measures(const struct rd_plan *p, const struct rd_amount *a, const int64_t *site,
                         int64_t n, double **upto, struct rd_error *e)
{
    const struct rd_species *const s = &p->model->species[a->species];
    *upto = NULL;
    if (s->surface < 0)
        return true;
    *upto = calloc((size_t)n + 1, sizeof **upto);
    if (!*upto)
        return rd_fail(e, "out of memory for the voxels of '%s'", s->name);
    for (int64_t i = 0; i < n; i++)
        (*upto)[i + 1] = (*upto)[i] + rd_surface_measure(p->model, s, site[i]);
    return (*upto)[n] > 0.0 ||
           rd_fail(e,
                   "%s: '%s' does not move, and no voxel of the place holds a part of its "
                   "surface; put it elsewhere",
                   a->place, s->name);
}

/* Returns the stream of an amount in a run. */
static struct rd_stream stream_of(const struct rd_world *w, const struct action *x, int64_t run)
{
    return x->o->event < 0
               ? rd_stream_of(w->pass.seed, w->lattice.first_run + run, 0, RD_FOR_START, 0,
                              x->entry)
               : rd_occasion_stream(x->o, w->pass.seed, w->lattice.first_run, run, 0, x->entry);
}

static int32_t *counts_of(const struct rd_plan *p, int32_t *count, int species, int64_t run)
{
    const struct rd_lattice *const l = &p->world.lattice;
    return species < 0 ? NULL : count + p->species_at[species] * l->n_voxels + run * l->n_sites;
}

static bool place_in_runs(const struct rd_plan *p, const struct rd_amount *a,
                          const struct action *x, int32_t *count, struct rd_error *e)
{
    int64_t n_sites;
    int64_t *const site = sites_of(p, a, &n_sites, e);
    double *upto = NULL;
    bool ok = site != NULL && sum_measures(p, a, site, n_sites, &upto, e);
    for (int64_t run = 0; ok && run < p->world.lattice.n_runs; run++) {
        if (!rd_placements_has(x->placements, run))
            continue;
        struct rd_placing g = {.p = p,
                               .value = rd_occasion_value(x->o, run),
                               .total = rd_occasion_total(x->o, run),
                               .a = a,
                               .t = rd_occasion_time(x->o, run),
                               .species = p->species_at[a->species],
                               .site = site,
                               .upto = upto,
                               .n_sites = n_sites,
                               .run = run,
                               .count = counts_of(p, count, a->species, run),
                               .becomes = counts_of(p, count, a->becomes, run),
                               .stream = stream_of(&p->world, x, run)};
        ok = act_in(&g, x, e);
    }
    free(upto);
    free(site);
    return ok;
}

/* Adds the counts of a species in a snapshot to the voxels of a run. Fails if a molecule is outside
   the region of its species. */
static bool add_seen(const struct rd_plan *p, const struct rd_amount *a, int species,
                     const int32_t *seen, int32_t *to, struct rd_error *e)
{
    const struct rd_species *const s = &p->model->species[species];
    for (int64_t site = 0; site < p->world.lattice.n_sites; site++) {
        const int32_t n = seen[site] > 0 ? seen[site] : 0; /* -1: not in that file */
        if (n > 0 && !rd_is_in(&p->world.lattice, s->region, site))
            return rd_fail(e,
                           "%s: %s has %d molecules of '%s' in voxel number %lld, outside '%s', "
                           "where it lives; set 0 there",
                           a->place, a->file, n, s->name, (long long)site,
                           p->model->region[s->region].name);
        if (n > INT32_MAX - to[site])
            return rd_fail(e,
                           "%s: voxel number %lld gets more than 2147483647 molecules of '%s'; "
                           "place fewer there",
                           a->place, (long long)site, s->name);
        to[site] += n;
    }
    return true;
}

/* Adds the counts of a snapshot in an earlier result: of the run with the same number, or of its
   only run. */
static bool place_from(const struct rd_plan *p, const struct rd_amount *a, int32_t *count,
                       struct rd_error *e)
{
    const struct rd_world *const w = &p->world;
    const int first = a->species < 0 ? 0 : a->species;
    struct rd_wanted wanted = rd_wanted_of(p->model, a);
    const int n = wanted.n_species;
    int32_t **const seen = calloc((size_t)n, sizeof *seen);
    int32_t *const capacity = malloc((size_t)(n * w->lattice.n_sites) * sizeof *capacity);
    bool ok = (seen && capacity) || rd_fail(e, "out of memory for the counts of %s", a->file);
    for (int i = 0; ok && i < n; i++)
        seen[i] = capacity + i * w->lattice.n_sites;
    for (int64_t run = 0; ok && run < w->lattice.n_runs; run++) {
        wanted.run = w->lattice.first_run + run;
        ok = rd_store_read(&wanted, seen, e);
        for (int i = 0; ok && i < n; i++) {
            int32_t *const to =
                count + p->species_at[first + i] * w->lattice.n_voxels + run * w->lattice.n_sites;
            ok = add_seen(p, a, first + i, seen[i], to, e);
        }
    }
    free(seen);
    free(capacity);
    return ok;
}

/* Returns whether a run has at most the maximum number of individuals of each species; if not, adds
   a message. */
static bool fits(const struct rd_plan *p, const int32_t *count, double t, int64_t run,
                 struct rd_error *e)
{
    const struct rd_world *const w = &p->world;
    bool ok = true;
    for (int64_t i = 0; i < w->lists.n_list; i++) {
        const struct rd_list *const l = &p->list[i];
        const int32_t *const here =
            count + l->species * w->lattice.n_voxels + run * w->lattice.n_sites;
        int64_t sum = 0;
        for (int64_t site = 0; site < w->lattice.n_sites; site++)
            sum += here[site];
        const struct rd_species *const s = &p->model->species[p->species_of[l->species]];
        if (sum > l->max)
            ok = rd_fail(e,
                         "%s: run %lld gets %lld individuals of '%s' at t = %g, more than max = "
                         "%lld; raise individuals.max",
                         s->place, (long long)(w->lattice.first_run + run), (long long)sum, s->name,
                         t, (long long)l->max);
    }
    return ok;
}

/* Checks these maxima in all runs that take part, and refuses runs that exceed them. */
static bool all_fit(const struct rd_plan *p, const int32_t *count, const struct rd_occasion *o,
                    struct rd_placements *placements, struct rd_error *e)
{
    bool ok = true;
    for (int64_t run = 0; run < p->world.lattice.n_runs; run++) {
        struct rd_error why = {0};
        if (rd_placements_has(placements, run))
            ok = (fits(p, count, rd_occasion_time(o, run), run, placements->refuses ? &why : e) ||
                  rd_placements_refuse(placements, run, &why, e)) &&
                 ok;
    }
    return ok;
}

bool rd_place_start(const struct rd_plan *p, const double *value, int32_t *count,
                    struct rd_placements *placements, struct rd_error *e)
{
    const struct rd_model *const m = p->model;
    const struct rd_occasion o = {.event = -1, .value = value};
    bool ok = true;
    for (int i = 0; i < m->n_initial; i++) {
        const struct rd_amount *const a = &m->initial[i];
        if (a->kind == RD_AMOUNT_FROM) {
            ok = place_from(p, a, count, e) && ok;
            continue;
        }
        /* entries of one species are numbered in order, whatever is between them */
        int64_t earlier = 0;
        for (int k = 0; k < i; k++)
            earlier += m->initial[k].species == a->species;
        const struct action x = {.o = &o,
                                 .act = put_amount,
                                 .entry = (int64_t)p->species_at[a->species] << 16 | earlier,
                                 .placements = placements};
        ok = place_in_runs(p, a, &x, count, e) && ok;
    }
    return ok && all_fit(p, count, &o, placements, e);
}

bool rd_place_event(const struct rd_plan *p, const struct rd_occasion *o, int32_t *count,
                    struct rd_placements *placements, struct rd_error *e)
{
    const struct rd_event *const event = &p->model->event[o->event];
    struct action x = {.o = o, .placements = placements};
    x.act = rd_take_amount;
    for (int k = 0; k < event->n_take; k++, x.entry++)
        if (!place_in_runs(p, &event->take[k], &x, count, e))
            return false;
    x.act = put_amount;
    for (int k = 0; k < event->n_add; k++, x.entry++)
        if (!place_in_runs(p, &event->add[k], &x, count, e))
            return false;
    return all_fit(p, count, o, placements, e);
}
