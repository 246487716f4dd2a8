/* plan_zones - the zones, each of all voxels with the same regions among those that affect
   movement, and the transmission probabilities between zones. */
#include "model/borders.h"
#include "plan/plan.h"

#include <stdlib.h>

enum { ZONES_MOST = UINT8_MAX + 1 };

bool rd_plan_lives(const struct rd_plan *p, const struct rd_species *s, int32_t zone)
{
    return s->region < 0 || (p->zone_regions[zone] >> s->region & 1);
}

static bool has_border(const struct rd_model *m, int32_t species)
{
    for (int i = 0; i < m->n_borders; i++)
        if (rd_borders_limit(m, &m->border[i], species))
            return true;
    return false;
}

static uint64_t regions_in(const struct rd_expr *x)
{
    uint64_t bits = 0;
    for (int32_t i = 0; i < x->n; i++)
        if (x->op[i].code == RD_OP_IN)
            bits |= UINT64_C(1) << x->op[i].index;
    return bits;
}

/* Returns the regions that affect the movement of any species, as bits. */
static uint64_t telling_regions(const struct rd_plan *p)
{
    const struct rd_model *const m = p->model;
    uint64_t bits = 0;
    for (int i = 0; i < m->n_borders; i++)
        bits |= UINT64_C(1) << m->border[i].from | UINT64_C(1) << m->border[i].to;
    for (int s = 0; s < m->n_species; s++) {
        const struct rd_species *const x = &m->species[s];
        const bool is_zoned = p->motion_of[s] == RD_MOTION_BY_ZONE;
        for (int axis = 0; is_zoned && axis < 3; axis++)
            bits |= regions_in(&x->diffusion[axis]) | regions_in(&x->drift[axis]);
        if (x->region >= 0 && (is_zoned || has_border(m, s)))
            bits |= UINT64_C(1) << x->region;
    }
    return bits;
}

/* Returns the zone of this combination of regions, and adds it if it is new; -1 if there are too
   many. */
static int32_t zone_of(struct rd_plan *p, uint64_t regions)
{
    int32_t *const n = &p->world.lattice.zone_count;
    for (int32_t z = 0; z < *n; z++)
        if (p->zone_regions[z] == regions)
            return z;
    if (*n == ZONES_MOST)
        return -1;
    p->zone_regions[*n] = regions;
    return (*n)++;
}

bool rd_plan_zones(struct rd_plan *p, struct rd_error *e)
{
    const uint64_t telling = telling_regions(p);
    if (telling == 0)
        return true;
    p->zone = malloc((size_t)p->world.lattice.n_sites);
    p->zone_regions = calloc(ZONES_MOST, sizeof *p->zone_regions);
    if (!p->zone || !p->zone_regions)
        return rd_fail(e, "out of memory for the regions of %lld voxels",
                       (long long)p->world.lattice.n_sites);
    int32_t zone = 0;
    for (int64_t site = 0; site < p->world.lattice.n_sites; site++) {
        const uint64_t regions = p->model->mask[site] & telling;
        if (site == 0 || p->zone_regions[zone] != regions)
            zone = zone_of(p, regions);
        if (zone < 0)
            return rd_fail(e,
                           "the regions in borders, diffusion and drift overlap in more than %d "
                           "combinations; use fewer of them there",
                           ZONES_MOST);
        p->zone[site] = (uint8_t)zone;
    }
    return true;
}

/* Describes a border and its present transmission probability. */
struct barrier {
    const struct rd_border *border;
    double pass;
};

/* Returns the probability that a hop of the species between two zones passes all borders between
   them. */
static double probability_between(const struct rd_plan *p, const struct barrier *barrier,
                                  int32_t species, uint64_t from, uint64_t to)
{
    double probability = 1.0;
    for (int i = 0; i < p->model->n_borders; i++) {
        const struct rd_border *const b = barrier[i].border;
        if (!b->is_permeability && rd_borders_limit(p->model, b, species) &&
            rd_borders_cross(b, from, to))
            probability *= barrier[i].pass;
    }
    return probability;
}

/* Adds a table of transmission probabilities for the species, unless all are 1 where it lives. */
static void add_transmission_table(struct rd_plan *p, const struct barrier *barrier, int32_t s)
{
    const int32_t zones = p->world.lattice.zone_count, species = p->species_of[s];
    const struct rd_species *const x = &p->model->species[species];
    double *const table = p->border + p->world.movement.n_border;
    bool is_open = true;
    for (int32_t from = 0; from < zones; from++)
        for (int32_t to = 0; to < zones; to++) {
            double *const probability = &table[from * zones + to];
            *probability = probability_between(p, barrier, species, p->zone_regions[from],
                                               p->zone_regions[to]);
            is_open = is_open && (*probability >= 1.0 || !rd_plan_lives(p, x, from) ||
                                  !rd_plan_lives(p, x, to));
        }
    p->transport[s].borders = is_open ? -1 : (int32_t)p->world.movement.n_border;
    p->world.movement.n_border += is_open ? 0 : zones * zones;
}

static int by_pass(const void *a, const void *b)
{
    const double x = ((const struct barrier *)a)->pass, y = ((const struct barrier *)b)->pass;
    return (x > y) - (x < y);
}

/* Evaluates the probabilities of all borders and sorts them, so that their products round equally
   for any order in the file. */
static bool find_probabilities(const struct rd_plan *p, const double *value,
                               struct barrier *barrier, struct rd_error *e)
{
    const struct rd_eval_context eval_context = {.volume = p->world.lattice.volume,
                                                 .parameter = value};
    const int n = p->model->n_borders;
    bool ok = true;
    for (int i = 0; i < n; i++) {
        const struct rd_border *const b = &p->model->border[i];
        barrier[i] = (struct barrier){b, rd_expr_value(&b->pass, &eval_context)};
        if (b->is_permeability && !(barrier[i].pass >= 0.0 && rd_is_finite(barrier[i].pass)))
            ok = rd_fail(e, "%s: borders[%d]: permeability is %g; give a number >= 0", b->place, i,
                         barrier[i].pass);
        if (!b->is_permeability && !(barrier[i].pass >= 0.0 && barrier[i].pass <= 1.0))
            ok = rd_fail(e, "%s: borders[%d]: pass is %g; give a probability from 0 to 1", b->place,
                         i, barrier[i].pass);
    }
    qsort(barrier, (size_t)n, sizeof *barrier, by_pass);
    return ok;
}

bool rd_plan_borders(struct rd_plan *p, const double *value, struct rd_error *e)
{
    const struct rd_model *const m = p->model;
    const size_t zones = (size_t)p->world.lattice.zone_count, n_species = (size_t)m->n_species;
    for (int32_t s = 0; s < m->n_species; s++)
        p->transport[s].borders = -1;
    if (m->n_borders == 0)
        return true;
    struct barrier *const barrier = calloc((size_t)m->n_borders, sizeof *barrier);
    if (!p->border)
        p->border = malloc(n_species * zones * zones * sizeof *p->border);
    p->world.movement.n_border = 0;
    bool ok = (barrier && p->border) || rd_fail(e, "out of memory for %d borders", m->n_borders);
    ok = ok && find_probabilities(p, value, barrier, e);
    for (int32_t s = 0; ok && s < m->n_species; s++)
        if (has_border(m, p->species_of[s]))
            add_transmission_table(p, barrier, s);
    free(barrier);
    return ok;
}
