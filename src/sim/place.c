/* place - puts molecules into voxels and removes them, at the start and at events.

   Every molecule of a given number is placed. Means that are not integers are right on average. */
#include "sim/place.h"

#include "kernels/core/draw.h"
#include "kernels/core/lattice.h"
#include "model/region.h"
#include "model/surface.h"
#include "result/read/result_reader.h"
#include "sim/placing.h"

#include <stdlib.h>
#include <string.h>

static void free_kept(struct rd_sites_kept *kept)
{
    for (int i = 0; i < kept->n; i++)
        free(kept->of[i].site);
    *kept = (struct rd_sites_kept){0};
}

/* Lists the voxels that an amount may use: its voxels, or the voxels of its region in which the
   species lives. The caller frees them. Returns false with a message if there are none. */
static bool find_sites(const struct rd_plan *p, const struct rd_amount *a, struct rd_sites *of,
                       struct rd_error *e)
{
    const struct rd_world *const w = &p->world;
    const int64_t most = a->is_at ? 1 : a->site ? a->n_sites : w->lattice.n_sites;
    const int32_t domain = p->model->species[a->species].region;
    *of = (struct rd_sites){.domain = domain, .region = a->region, .n = most};
    if (!a->is_at && !a->site && domain < 0 && a->region < 0)
        return true;
    of->n = 0;
    of->site = malloc((size_t)most * sizeof *of->site);
    if (!of->site)
        return rd_fail(e, "out of memory for the voxels of '%s'",
                       p->model->species[a->species].name);
    if (a->is_at)
        of->site[of->n++] = (int32_t)rd_site_number(&w->lattice, a->voxel);
    for (int64_t k = 0; !a->is_at && k < most; k++) {
        const int64_t i = a->site ? a->site[k] : k;
        if (rd_is_in(&w->lattice, domain, i) && rd_is_in(&w->lattice, a->region, i))
            of->site[of->n++] = (int32_t)i;
    }
    if (of->n > 0)
        return true;
    free(of->site);
    of->site = NULL;
    return rd_fail(e,
                   "%s: '%s' lives in no voxel of the region in which it is placed; name another",
                   a->place, p->model->species[a->species].name);
}

/* Returns the voxels that an amount may use, from the latest lists, or a new one in place of the
   oldest. NULL with a message if there are none. */
static const struct rd_sites *sites_of(const struct rd_plan *p, const struct rd_amount *a,
                                       struct rd_sites_kept *kept, struct rd_error *e)
{
    enum { OWN = -2 }; /* voxels of this amount alone */
    const int32_t domain = p->model->species[a->species].region;
    const bool is_own = a->is_at || a->site;
    for (int i = 0; !is_own && i < kept->n; i++)
        if (kept->of[i].domain == domain && kept->of[i].region == a->region)
            return &kept->of[i];
    const bool is_full = kept->n == RD_SITES_KEPT;
    struct rd_sites *const next = &kept->of[is_full ? kept->oldest : kept->n];
    if (is_full)
        free(next->site);
    const bool ok = find_sites(p, a, next, e);
    if (is_own || !ok)
        next->domain = OWN;
    if (is_full)
        kept->oldest = (kept->oldest + 1) % RD_SITES_KEPT;
    else
        kept->n++;
    return ok ? next : NULL;
}

static int32_t list_number_of(const struct rd_plan *p, int species)
{
    return species < 0 ? -1 : p->list_of[p->species_at[species]];
}

/* Adds placements for the changes in the counts of an amount in one run: of its species, and of the
   one that its molecules become, if these have individuals. */
static bool enlist(struct rd_placements *placements, const struct rd_placing *g,
                   const int32_t *before)
{
    const int32_t list = list_number_of(g->p, g->a->species),
                  other = list_number_of(g->p, g->a->becomes);
    int64_t n = placements->n;
    for (int64_t i = 0; i < g->n_sites; i++)
        n += 2 * (g->count[rd_placing_site(g, i)] != before[i]);
    struct rd_placement *const grown =
        realloc(placements->placement, (size_t)n * sizeof *grown + 1);
    if (!grown)
        return rd_fail(g->e, "out of memory for %lld individuals", (long long)n);
    placements->placement = grown;
    for (int64_t i = 0; i < g->n_sites; i++) {
        const int64_t site = rd_placing_site(g, i);
        const int32_t number = g->count[site] - before[i];
        const int64_t voxel = g->run * g->p->world.lattice.n_sites + site;
        if (number != 0 && list >= 0)
            grown[placements->n++] =
                (struct rd_placement){.list = list, .number = number, .voxel = voxel, .by = g->a};
        if (number != 0 && other >= 0)
            grown[placements->n++] = (struct rd_placement){
                .list = other, .number = -number, .voxel = voxel, .by = g->a, .is_same = list >= 0};
    }
    return true;
}

/* Applies the amount in one run. A failure ends only that run if runs fail separately. */
static bool act_in(struct rd_placing *g, const struct rd_action *x, struct rd_error *e)
{
    const bool is_listed =
        list_number_of(g->p, g->a->species) >= 0 || list_number_of(g->p, g->a->becomes) >= 0;
    int32_t *const before = is_listed ? malloc((size_t)g->n_sites * sizeof *before) : NULL;
    struct rd_error why = {0};
    if (is_listed && !before)
        return rd_fail(e, "out of memory for placing individuals");
    for (int64_t i = 0; is_listed && i < g->n_sites; i++)
        before[i] = g->count[rd_placing_site(g, i)];
    g->e = x->placements->refuses ? &why : e;
    const bool good = x->act(g);
    g->e = e;
    const bool ok = good ? !is_listed || enlist(x->placements, g, before)
                         : rd_placements_refuse(x->placements, g->run, &why, e);
    free(before);
    return ok;
}

/* Sets *upto to the sums of the measures of the first i sites, by which molecules are put on a
   surface, else to NULL. The caller frees them. */
static bool sum_measures(const struct rd_plan *p, const struct rd_amount *a,
                         const struct rd_action *x, const struct rd_sites *of, double **upto,
                         struct rd_error *e)
{
    const struct rd_species *const s = &p->model->species[a->species];
    *upto = NULL;
    if (s->surface < 0 || x->act != rd_put_amount)
        return true;
    *upto = calloc((size_t)of->n + 1, sizeof **upto);
    if (!*upto)
        return rd_fail(e, "out of memory for the voxels of '%s'", s->name);
    for (int64_t i = 0; i < of->n; i++) {
        const int64_t site = of->site ? of->site[i] : i;
        (*upto)[i + 1] = (*upto)[i] + rd_surface_measure(p->model, s, site);
        if (a->site && a->kind == RD_AMOUNT_VALUE && !rd_surface_holds(p->model, s, site))
            return rd_fail(e,
                           "%s: '%s' does not move, and voxel number %lld holds no part of its "
                           "surface; leave it out",
                           a->place, s->name, (long long)site);
    }
    return (*upto)[of->n] > 0.0 ||
           rd_fail(e,
                   "%s: '%s' does not move, and no voxel of the place holds a part of its "
                   "surface; put it elsewhere",
                   a->place, s->name);
}

/* Opens the counts that the amount changes, of all runs. */
static bool open_changed_counts(const struct rd_plan *p, const struct rd_amount *a,
                                const struct rd_action *x, struct rd_placing *all,
                                struct rd_error *e)
{
    uint8_t *touched = NULL;
    if (a->becomes >= 0) {
        all->count = rd_host_counts_array(x->counts, p->species_at[a->species], NULL, e);
        all->becomes = rd_host_counts_array(x->counts, p->species_at[a->becomes], NULL, e);
        return all->count && all->becomes;
    }
    const bool is_put = x->act == rd_put_amount;
    all->count =
        rd_host_counts_array(x->counts, p->species_at[a->species], is_put ? &touched : NULL, e);
    all->touched = touched;
    return all->count != NULL;
}

static bool place_in_runs(const struct rd_plan *p, const struct rd_amount *a,
                          const struct rd_action *x, struct rd_error *e)
{
    const struct rd_lattice *const l = &p->world.lattice;
    const struct rd_sites *const of = sites_of(p, a, x->kept, e);
    struct rd_placing all = {0};
    double *upto = NULL;
    bool ok = of && sum_measures(p, a, x, of, &upto, e) && open_changed_counts(p, a, x, &all, e);
    for (int64_t run = 0; ok && run < l->n_runs; run++) {
        if (!rd_placements_has(x->placements, run))
            continue;
        struct rd_placing g = {.action = x,
                               .p = p,
                               .value = rd_occasion_value(x->o, run),
                               .total = rd_occasion_total(x->o, run),
                               .a = a,
                               .t = rd_occasion_time(x->o, run),
                               .species = p->species_at[a->species],
                               .site = of->site,
                               .upto = upto,
                               .n_sites = of->n,
                               .run = run,
                               .count = all.count + run * l->n_sites,
                               .becomes = all.becomes ? all.becomes + run * l->n_sites : NULL,
                               .touched = all.touched,
                               .stream = rd_action_stream(&p->world, x, run, 0)};
        ok = act_in(&g, x, e);
    }
    free(upto);
    return ok;
}

/* Adds the counts of a species in a snapshot to the voxels of a run. Fails if a molecule is outside
   the region of its species. */
static bool add_seen(const struct rd_plan *p, const struct rd_amount *a, int species,
                     const int32_t *seen, int32_t *to, struct rd_error *e)
{
    const struct rd_species *const s = &p->model->species[species];
    for (int64_t site = 0; site < p->world.lattice.n_sites; site++) {
        const int32_t n = seen[site];
        if (n == 0)
            continue; /* and does not touch the memory, most of which stays unused */
        if (!rd_is_in(&p->world.lattice, s->region, site))
            return rd_fail(e,
                           "%s: %s has %d molecules of '%s' in voxel number %lld, outside '%s', "
                           "where it lives; set 0 there",
                           a->place, a->file, n, s->name, (long long)site,
                           p->model->region[s->region].name);
        if (!rd_surface_holds(p->model, s, site))
            return rd_fail(e,
                           "%s: %s has %d molecules of '%s' in voxel number %lld, which holds no "
                           "part of its surface, and it does not move; set 0 there",
                           a->place, a->file, n, s->name, (long long)site);
        if (n > INT32_MAX - to[site])
            return rd_fail(e,
                           "%s: voxel number %lld gets more than 2147483647 molecules of '%s'; "
                           "place fewer there",
                           a->place, (long long)site, s->name);
        to[site] += n;
    }
    return true;
}

/* Describes the run that gets the counts of a snapshot. */
struct seen {
    const struct rd_plan *p;
    const struct rd_amount *a;
    struct rd_host_counts *counts;
    int64_t run;
};

static bool take_seen(void *to, int i, const int32_t *count, struct rd_error *e)
{
    const struct seen *const s = to;
    const int species = (s->a->species < 0 ? 0 : s->a->species) + i;
    if (!count)
        return true;
    int32_t *const all = rd_host_counts_array(s->counts, s->p->species_at[species], NULL, e);
    return all &&
           add_seen(s->p, s->a, species, count, all + s->run * s->p->world.lattice.n_sites, e);
}

/* Adds the counts of a snapshot in an earlier result: of the run with the same number, or of its
   only run. */
static bool place_from(const struct rd_plan *p, const struct rd_amount *a,
                       struct rd_host_counts *counts, struct rd_error *e)
{
    const struct rd_lattice *const l = &p->world.lattice;
    struct rd_wanted wanted = rd_wanted_of(p->model, a);
    bool ok = true;
    for (int64_t run = 0; ok && run < l->n_runs; run++) {
        struct seen seen = {.p = p, .a = a, .counts = counts, .run = run};
        wanted.run = l->first_run + run;
        ok = rd_store_each(&wanted, take_seen, &seen, e);
    }
    return ok;
}

/* Returns whether a run has at most the maximum number of individuals of each species; if not, adds
   a message. */
static bool fits_maximum(const struct rd_plan *p, struct rd_host_counts *counts, double t,
                         int64_t run, struct rd_error *e)
{
    const struct rd_world *const w = &p->world;
    bool ok = true;
    for (int64_t i = 0; i < w->lists.n_list; i++) {
        const struct rd_list *const l = &p->list[i];
        const int32_t *const all = rd_host_counts_array(counts, l->species, NULL, e);
        int64_t sum = 0;
        if (!all)
            return false;
        for (int64_t site = 0; site < w->lattice.n_sites; site++)
            sum += all[run * w->lattice.n_sites + site];
        const struct rd_species *const s = &p->model->species[p->species_of[l->species]];
        if (sum > l->max)
            ok = rd_fail(e,
                         "%s: run %lld gets %lld individuals of '%s' at t = %g, more than max = "
                         "%lld; raise individuals.max",
                         s->place, (long long)rd_run_number(&w->lattice, run), (long long)sum,
                         s->name, t, (long long)l->max);
    }
    return ok;
}

/* Checks these maxima in all runs that take part, and refuses runs that exceed them. */
static bool all_fit(const struct rd_plan *p, struct rd_host_counts *counts,
                    const struct rd_occasion *o, struct rd_placements *placements,
                    struct rd_error *e)
{
    bool ok = true;
    for (int64_t run = 0; run < p->world.lattice.n_runs; run++) {
        struct rd_error why = {0};
        if (rd_placements_has(placements, run))
            ok = (fits_maximum(p, counts, rd_occasion_time(o, run), run,
                               placements->refuses ? &why : e) ||
                  rd_placements_refuse(placements, run, &why, e)) &&
                 ok;
    }
    return ok;
}

bool rd_place_start(const struct rd_plan *p, const double *value, struct rd_host_counts *counts,
                    struct rd_placements *placements, struct rd_error *e)
{
    const struct rd_model *const m = p->model;
    const struct rd_occasion o = {.number = -1, .value = value};
    struct rd_sites_kept kept = {0};
    int64_t *const earlier = calloc((size_t)m->n_species + 1, sizeof *earlier);
    bool ok = earlier || rd_fail(e, "out of memory for %d species", m->n_species);
    for (int i = 0; earlier && i < m->n_initial; i++) {
        const struct rd_amount *const a = &m->initial[i];
        if (a->kind == RD_AMOUNT_FROM) {
            ok = place_from(p, a, counts, e) && ok;
            if (a->species >= 0)
                earlier[a->species]++;
            continue;
        }
        /* entries of one species are numbered in order, whatever is between them */
        const struct rd_action x = {.o = &o,
                                    .act = rd_put_amount,
                                    .entry = (int64_t)p->species_at[a->species] << 16 |
                                             earlier[a->species]++,
                                    .placements = placements,
                                    .counts = counts,
                                    .kept = &kept};
        ok = place_in_runs(p, a, &x, e) && ok;
    }
    free(earlier);
    free_kept(&kept);
    return ok && all_fit(p, counts, &o, placements, e);
}

/* Returns whether the event takes molecules of a species after amount k has converted others to
   it. */
static bool takes_converted(const struct rd_event *event, int k)
{
    bool takes = false;
    for (int i = k + 1; i < event->n_take; i++)
        takes = takes || event->take[i].species == event->take[k].becomes;
    return takes;
}

bool rd_place_event(const struct rd_plan *p, const struct rd_occasion *o,
                    struct rd_host_counts *counts, struct rd_placements *placements,
                    struct rd_error *e)
{
    const struct rd_event *const event = o->event;
    struct rd_sites_kept kept = {0};
    struct rd_action x = {.o = o, .placements = placements, .counts = counts, .kept = &kept};
    bool ok = true;
    x.act = rd_take_amount;
    for (int k = 0; ok && k < event->n_take; k++, x.entry++)
        ok = place_in_runs(p, &event->take[k], &x, e) &&
             (!takes_converted(event, k) || all_fit(p, counts, o, placements, e));
    x.act = rd_put_amount;
    for (int k = 0; ok && k < event->n_add; k++, x.entry++)
        ok = place_in_runs(p, &event->add[k], &x, e);
    free_kept(&kept);
    return ok && all_fit(p, counts, o, placements, e);
}
