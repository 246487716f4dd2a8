/* density - the mean number of molecules per voxel at the start, over the voxels in which a species
   lives. */
#include "plan/density.h"

#include "kernels/core/lattice.h"
#include "model/surface.h"
#include "result/read/result_reader.h"

#include <stdlib.h>

/* Returns the mean that the amount's expression gives at the site; 0 if it is not a number >= 0. */
static double mean_at(const struct rd_plan *p, const struct rd_amount *a, int64_t site)
{
    const struct rd_place place = rd_place_of(&p->world, site);
    struct rd_eval_context eval_context = rd_eval_context_at(&p->world, &place);
    eval_context.parameter = p->model->value;
    const double mean = rd_expr_value(&a->much, &eval_context);
    return mean > 0.0 && rd_is_finite(mean) ? mean : 0.0;
}

/* Returns what the value at the site is multiplied by: the volume of the voxel, or on a surface its
   area, for a density. */
static double unit_at(const struct rd_plan *p, const struct rd_amount *a, int64_t site)
{
    const struct rd_species *const s = &p->model->species[a->species];
    if (a->kind == RD_AMOUNT_VALUE)
        return 1.0;
    return s->surface < 0 ? p->world.volume : rd_surface_measure(p->model, s, site);
}

/* Sums the mean numbers over the voxels in which the amount is placed. */
static double sum_over(const struct rd_plan *p, const struct rd_amount *a, int32_t domain)
{
    const struct rd_world *const w = &p->world;
    const int64_t at = a->is_at ? rd_site_number(w, a->voxel) : 0;
    if (a->is_at)
        return mean_at(p, a, at) * unit_at(p, a, at);
    double sum = 0.0;
    for (int64_t site = 0; site < w->n_sites; site++)
        if (rd_is_in(w, domain, site) && rd_is_in(w, a->region, site))
            sum += mean_at(p, a, site) * unit_at(p, a, site);
    return sum;
}

/* Returns the number of molecules that the entry places in a run. */
static double amount_of(const struct rd_plan *p, const struct rd_amount *a, int32_t domain)
{
    if (a->kind == RD_AMOUNT_COUNT) /* an expression of parameters has the same value at any site */
        return mean_at(p, a, 0);
    return sum_over(p, a, domain);
}

/* Adds the mean counts of an earlier result. */
static bool add_snapshot(const struct rd_plan *p, const struct rd_amount *a, const int64_t *voxels,
                         double *mean, struct rd_error *e)
{
    const struct rd_wanted wanted = rd_wanted_of(p->model, a);
    const int32_t first = a->species < 0 ? 0 : a->species;
    double *const total = calloc((size_t)wanted.n_species, sizeof *total);
    const bool ok = total ? rd_store_means(&wanted, total, e)
                          : rd_fail(e, "out of memory for the counts of %s", a->file);
    for (int32_t i = 0; ok && i < wanted.n_species; i++) {
        const int32_t s = p->species_at[first + i];
        mean[s] += total[i] / (double)voxels[s];
    }
    free(total);
    return ok;
}

static int64_t voxels_of(const struct rd_world *w, int32_t domain)
{
    int64_t n = 0;
    for (int64_t site = 0; domain >= 0 && site < w->n_sites; site++)
        n += rd_is_in(w, domain, site);
    return domain < 0 ? w->n_sites : n;
}

bool rd_density_take(const struct rd_plan *p, double *mean, struct rd_error *e)
{
    const struct rd_model *const m = p->model;
    int64_t *const voxels = calloc((size_t)m->n_species, sizeof *voxels);
    bool ok = voxels || rd_fail(e, "out of memory for %d species", m->n_species);
    for (int32_t s = 0; voxels && s < m->n_species; s++) {
        mean[s] = 0.0;
        voxels[s] = voxels_of(&p->world, m->species[p->species_of[s]].region);
    }
    for (int i = 0; voxels && i < m->n_initial; i++) {
        const struct rd_amount *const a = &m->initial[i];
        if (a->kind == RD_AMOUNT_FROM) {
            ok = add_snapshot(p, a, voxels, mean, e) && ok;
            continue;
        }
        const int32_t s = p->species_at[a->species];
        mean[s] += amount_of(p, a, m->species[a->species].region) / (double)voxels[s];
    }
    free(voxels);
    return ok;
}
