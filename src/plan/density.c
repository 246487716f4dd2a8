/* density - how many molecules a cell of a species' home is expected to hold at the start. */
#include "density.h"

#include "lattice.h"

#include <stdlib.h>

/* The sum of a mean by expression over the cells it is for. */
static double sum_over(const struct rd_plan *p, const struct rd_amount *a, int32_t home)
{
    const struct rd_world *const w = &p->world;
    double sum = 0.0;
    for (int64_t site = 0; site < w->n_sites; site++) {
        if (!rd_is_in(w, home, site) || !rd_is_in(w, a->region, site))
            continue;
        const struct rd_place place = rd_place_of(w, site);
        struct rd_scene scene = rd_scene_at(w, &place);
        scene.parameter = p->model->value;
        const double mean = rd_expr_value(&a->much, &scene);
        sum += mean > 0.0 && rd_is_finite(mean) ? mean : 0.0;
    }
    return sum;
}

/* How many molecules the entry puts into a run. */
static double amount_of(const struct rd_plan *p, const struct rd_amount *a, int32_t home)
{
    const struct rd_scene scene = {.volume = p->world.volume, .parameter = p->model->value};
    const bool is_count = a->kind == RD_AMOUNT_COUNT;
    const double unit = a->kind == RD_AMOUNT_DENSITY ? p->world.volume : 1.0;
    const bool is_one = is_count || a->is_at;
    const double n = is_one ? rd_expr_value(&a->much, &scene) : sum_over(p, a, home);
    return n > 0.0 && rd_is_finite(n) ? n * unit : 0.0;
}

bool rd_density_take(const struct rd_plan *p, double *mean, struct rd_error *e)
{
    const struct rd_model *const m = p->model;
    int64_t *const cells = calloc((size_t)m->n_species, sizeof *cells);
    if (!cells)
        return rd_fail(e, "out of memory for %d species", m->n_species);
    for (int32_t s = 0; s < m->n_species; s++) {
        mean[s] = 0.0;
        const int32_t home = m->species[p->species_of[s]].region;
        cells[s] = home < 0 ? p->world.n_sites : 0;
        for (int64_t site = 0; home >= 0 && site < p->world.n_sites; site++)
            cells[s] += rd_is_in(&p->world, home, site);
    }
    for (int i = 0; i < m->n_initial; i++) {
        const struct rd_amount *const a = &m->initial[i];
        if (a->kind == RD_AMOUNT_FROM)
            continue;
        const int32_t s = p->species_at[a->species];
        mean[s] += amount_of(p, a, m->species[a->species].region) / (double)cells[s];
    }
    free(cells);
    return true;
}
