/* plan - brings the model into the form that the passes need: its order, regions, fields and sizes.
   Rates and probabilities are made in plan_channels.c and plan_transport.c. */
#include "plan/plan.h"

#include "kernels/passes/totals/totals.h"

#include <math.h>
#include <stdlib.h>

/* Limits the copies (stripes) of the counters of a run, and the counters in all copies. */
enum { STRIPES_MOST = 64, SUMS_MOST = 1 << 20 };

/* Returns the bounding box of the species' region, and whether the region fills it. */
static struct rd_bounds domain_of(const struct rd_plan *p, int region)
{
    const struct rd_grid *const g = &p->model->grid;
    struct rd_bounds domain = {.is_box = true};
    if (region < 0) {
        memcpy(domain.hi, g->size, sizeof domain.hi);
        return domain;
    }
    memcpy(domain.lo, g->size, sizeof domain.lo);
    int64_t n = 0, site = 0;
    int32_t at[3];
    for (at[2] = 0; at[2] < g->size[2]; at[2]++)
        for (at[1] = 0; at[1] < g->size[1]; at[1]++)
            for (at[0] = 0; at[0] < g->size[0]; at[0]++, site++) {
                if (!(p->model->mask[site] >> region & 1))
                    continue;
                n++;
                for (int axis = 0; axis < 3; axis++) {
                    domain.lo[axis] = at[axis] < domain.lo[axis] ? at[axis] : domain.lo[axis];
                    domain.hi[axis] = at[axis] >= domain.hi[axis] ? at[axis] + 1 : domain.hi[axis];
                }
            }
    int64_t capacity = 1;
    for (int axis = 0; axis < 3; axis++)
        capacity *= domain.hi[axis] - domain.lo[axis];
    domain.is_box = n == capacity;
    return domain;
}

/* Sets the domains of all species; those of one region have the same. */
static void find_domains(struct rd_plan *p)
{
    int32_t known[RD_MAX_REGIONS + 1] = {0}; /* [region + 1]: 1 + a species with that domain */
    for (int32_t s = 0; s < p->model->n_species; s++) {
        const int region = p->model->species[p->species_of[s]].region;
        int32_t *const same = &known[region + 1];
        p->domain[s] = *same > 0 ? p->domain[*same - 1] : domain_of(p, region);
        *same = s + 1;
    }
}

/* Counts the voxels at faces that are reservoirs for any species. */
static void count_inlets(struct rd_plan *p)
{
    struct rd_world *const w = &p->world;
    for (int face = 0; face < RD_FACES; face++) {
        bool is_inlet = false;
        for (int s = 0; s < p->model->n_species; s++) {
            const enum rd_wall_kind kind = p->model->species[s].wall[face].kind;
            is_inlet = is_inlet || kind == RD_WALL_RESERVOIR;
            p->has_lost = p->has_lost || kind == RD_WALL_RESERVOIR || kind == RD_WALL_ABSORB;
        }
        w->movement.inlet[face] = is_inlet ? w->lattice.n_sites / w->lattice.size[face / 2] : 0;
        w->items.n_inlets += w->movement.inlet[face] * w->lattice.n_runs;
    }
    p->has_entered = w->items.n_inlets > 0;
}

/* Returns whether some reaction happens within a voxel or a compartment. */
static bool reacts_in_voxels(const struct rd_model *m)
{
    for (int i = 0; i < m->n_reactions; i++)
        if (!m->reaction[i].is_exchange)
            return true;
    return false;
}

static void size_world(struct rd_plan *p)
{
    const struct rd_model *const m = p->model;
    struct rd_world *const w = &p->world;
    memcpy(w->lattice.size, m->grid.size, sizeof w->lattice.size);
    memcpy(w->lattice.edge, m->grid.edge, sizeof w->lattice.edge);
    memcpy(w->lattice.origin, m->grid.origin, sizeof w->lattice.origin);
    w->lattice.volume = m->grid.volume;
    w->lattice.n_sites = m->grid.n_sites;
    w->lattice.n_runs = m->n_runs;
    w->lattice.first_run = m->first_run - m->stream_shift;
    w->lattice.n_voxels = w->lattice.n_sites * w->lattice.n_runs;
    w->counts.n_species = m->n_species;
    w->reactions.n_reactions = m->n_reactions;
    rd_plan_size_vectors(p);
    w->items.n_reacting = reacts_in_voxels(m) ? w->lattice.n_voxels : 0;
    w->pass.seed = m->seed;
    count_inlets(p);
    const int64_t sums = m->n_reactions + (p->has_lost ? RD_FACES * m->n_species : 0) + 1;
    int64_t most = SUMS_MOST / (sums * w->lattice.n_runs);
    most = most < 1 ? 1 : most > STRIPES_MOST ? STRIPES_MOST : most;
    while ((w->lattice.n_sites - 1) >> w->lattice.stripe_shift >= most)
        w->lattice.stripe_shift++;
    w->lattice.n_stripes = (int32_t)((w->lattice.n_sites - 1) >> w->lattice.stripe_shift) + 1;
}

static bool fits_streams(const struct rd_model *m, struct rd_error *e)
{
    if (m->grid.n_sites > RD_ITEM_END)
        return rd_fail(e, "grid.voxels: the lattice has %lld voxels, more than %lld; use fewer",
                       (long long)m->grid.n_sites, (long long)RD_ITEM_END);
    if (m->first_run + m->n_runs > RD_RUN_END)
        return rd_fail(e,
                       "run.first: the last run has number %lld, above %lld; use smaller numbers",
                       (long long)(m->first_run + m->n_runs - 1), (long long)RD_RUN_END - 1);
    if (m->n_runs > INT64_MAX / 64 / m->grid.n_sites / m->n_species)
        return rd_fail(e,
                       "run.runs: %lld runs of %lld voxels and %d species have more counts than "
                       "64-bit numbers; use fewer runs",
                       (long long)m->n_runs, (long long)m->grid.n_sites, m->n_species);
    return true;
}

/* Lists the followed species, in canonical order. */
static void list_followed(struct rd_plan *p)
{
    struct rd_world *const w = &p->world;
    for (int32_t s = 0; s < w->counts.n_species; s++)
        if (p->model->species[p->species_of[s]].is_followed)
            p->followed[w->positions.n_followed++] = s;
    w->items.n_averaged = w->positions.n_followed > 0 ? w->lattice.n_runs : 0;
    w->items.n_gathered = w->items.n_averaged * rd_n_portions_gathered(&w->lattice);
}

/* Lists the surveyed species by their canonical numbers, in the file's order. */
static void list_surveyed(struct rd_plan *p)
{
    const struct rd_model *const m = p->model;
    for (int i = 0; i < m->n_surveyed; i++)
        p->surveyed[i] = p->species_at[m->surveyed[i]];
    p->world.counts.n_surveyed_species = m->n_surveyed;
}

/* Returns the number of the field among varying fields. */
static int32_t field_rate_of(const struct rd_model *m, int field)
{
    return m->field_component_of[RD_FIELD_COMPONENTS * field];
}

static void list_field_gradients(struct rd_plan *p)
{
    const struct rd_model *const m = p->model;
    for (int k = 0; k < m->n_gradients; k++)
        p->field_gradient[k] = (struct rd_field_gradient){
            field_rate_of(m, m->field_gradient[k].field), m->field_gradient[k].axis};
    p->world.fields.n_field_gradient = m->n_gradients;
    p->world.items.n_field_gradients = m->n_gradients * p->world.lattice.n_voxels;
}

static int32_t wraps_of(const struct rd_grid *g)
{
    int32_t bits = 0;
    for (int axis = 0; axis < 3; axis++)
        bits |= g->wraps[axis] << axis;
    return bits;
}

static bool plan_fields(struct rd_plan *p, struct rd_error *e)
{
    const struct rd_model *const m = p->model;
    p->followed = calloc((size_t)m->n_species, sizeof *p->followed);
    p->surveyed = calloc((size_t)m->n_surveyed + 1, sizeof *p->surveyed);
    p->field_rate = calloc((size_t)m->n_field_rates + 1, sizeof *p->field_rate);
    p->field_gradient = calloc((size_t)m->n_gradients + 1, sizeof *p->field_gradient);
    if (!p->followed || !p->surveyed || !p->field_rate || !p->field_gradient)
        return rd_fail(e, "out of memory for %d fields", m->n_fields);
    list_followed(p);
    list_surveyed(p);
    list_field_gradients(p);
    p->world.fields.n_field_rate = m->n_field_rates;
    p->world.items.n_changing = m->n_field_rates > 0 ? p->world.lattice.n_voxels : 0;
    return true;
}

static bool plan_field_rates(struct rd_plan *p, const double *value, struct rd_error *e)
{
    const struct rd_model *const m = p->model;
    bool ok = true;
    for (int i = 0; ok && i < m->n_fields; i++) {
        if (!m->field_varies[i])
            continue;
        struct rd_field_rate *const field_rate = &p->field_rate[field_rate_of(m, i)];
        *field_rate =
            (struct rd_field_rate){.region = m->field[i].region, .wraps = wraps_of(&m->grid)};
        ok = rd_plan_program(p, &m->field[i].rate, value, &field_rate->rate, NULL, e);
    }
    return ok;
}

/* Lists the totals, in the order of the model. */
static bool plan_totals(struct rd_plan *p, struct rd_error *e)
{
    const struct rd_model *const m = p->model;
    p->total_of = calloc((size_t)m->n_totals + 1, sizeof *p->total_of);
    p->usual_total = calloc((size_t)m->n_totals + 1, sizeof *p->usual_total);
    p->condition = calloc((size_t)m->n_conditions + 1, sizeof *p->condition);
    p->ode = calloc((size_t)m->n_odes + 1, sizeof *p->ode);
    p->value = calloc((size_t)m->n_parameters + 1, sizeof *p->value);
    if (!p->condition || !p->ode || !p->value || !p->total_of || !p->usual_total)
        return rd_fail(e, "out of memory for %d totals", m->n_totals);
    for (int k = 0; k < m->n_totals; k++)
        p->total_of[k] =
            (struct rd_total_of){p->species_at[m->total[k].species], m->total[k].region};
    p->world.runs.n_total_of = m->n_totals;
    p->world.runs.n_condition = m->n_conditions;
    p->world.runs.n_ode = m->n_odes;
    p->world.runs.n_parameters = m->n_parameters;
    return true;
}

/* Computes the means of the totals at the start. */
static void note_usual_totals(struct rd_plan *p)
{
    for (int k = 0; k < p->model->n_totals; k++) {
        const struct rd_total_of of = p->total_of[k];
        const int32_t domain = p->model->species[p->species_of[of.species]].region;
        int64_t n = 0;
        for (int64_t site = 0; site < p->world.lattice.n_sites; site++)
            n += rd_is_in(&p->world.lattice, of.region, site) &&
                 rd_is_in(&p->world.lattice, domain, site);
        p->usual_total[k] = (int64_t)fmin(p->mean[of.species] * (double)n + 0.5, 0x1p62);
    }
}

bool rd_plan_open(struct rd_plan *p, const struct rd_model *m, struct rd_error *e)
{
    *p = (struct rd_plan){.model = m, .moves = 1};
    if (!fits_streams(m, e))
        return false;
    size_world(p);
    const size_t n_species = (size_t)m->n_species, n_reactions = (size_t)m->n_reactions;
    p->species_of = calloc(n_species, sizeof *p->species_of);
    p->species_at = calloc(n_species, sizeof *p->species_at);
    p->motion_of = calloc(n_species, sizeof *p->motion_of);
    p->domain = calloc(n_species, sizeof *p->domain);
    p->transport = calloc(n_species, sizeof *p->transport);
    p->mean = calloc(n_species, sizeof *p->mean);
    p->usual = calloc(n_species, sizeof *p->usual);
    p->no_mean = calloc(3 * n_species, sizeof *p->no_mean);
    p->list_of = calloc(n_species, sizeof *p->list_of);
    p->reaction_of = calloc(n_reactions + 1, sizeof *p->reaction_of);
    if (!p->species_of || !p->species_at || !p->motion_of || !p->domain || !p->transport ||
        !p->mean || !p->usual || !p->no_mean || !p->list_of || !p->reaction_of)
        return rd_fail(e, "out of memory for the plan of %d species", m->n_species);
    for (int32_t s = 0; s < m->n_species; s++)
        p->motion_of[s] = rd_motion_of(&m->species[s]);
    if (!rd_plan_order(p, e) || !rd_plan_lists(p, e) || !rd_plan_exchanges(p, e) ||
        !rd_plan_zones(p, e) || !rd_plan_take_hop_rates(p, e) || !plan_fields(p, e) ||
        !plan_totals(p, e))
        return false;
    find_domains(p);
    rd_plan_point(p);
    if (!rd_plan_density(p, e))
        return false;
    for (int32_t s = 0; s < m->n_species; s++)
        p->usual[p->species_of[s]] = (int32_t)fmin(p->mean[s] + 0.5, INT32_MAX);
    note_usual_totals(p);
    return rd_plan_rows(p, e) && rd_conservation_find(&p->conserved, m, e);
}

/* Returns the longest step of the exact solver's integration: time.step, or a part of the end where
   an expression depends on t, so that few short changes are missed. */
static double longest_step(const struct rd_plan *p)
{
    const struct rd_model *const m = p->model;
    bool uses_time = false;
    for (int k = 0; k < m->n_conditions; k++)
        uses_time = uses_time || (m->event[m->condition[k]].when.uses & RD_USES_TIME);
    return m->step > 0.0  ? m->step
           : uses_time    ? 1e-3 * m->end
           : p->uses_time ? 5e-3 * m->end
                          : (double)INFINITY;
}

bool rd_plan_rates(struct rd_plan *p, const double *value, struct rd_error *e)
{
    const bool transports = rd_plan_transports(p, value, e);
    const bool channels = rd_plan_channels(p, value, e) && rd_plan_individuals(p, value, e) &&
                          rd_plan_substepped(p, value, e) && plan_field_rates(p, value, e);
    const bool exchanges = rd_plan_exchange_rates(p, e);
    const bool dependents = channels && exchanges && rd_plan_keys(p, e) && rd_plan_dependents(p, e);
    p->world.runs.longest = longest_step(p);
    memcpy(p->value, value, (size_t)p->model->n_parameters * sizeof *value);
    rd_plan_point(p);
    return transports && dependents;
}

bool rd_plan_step(struct rd_plan *p, double step, struct rd_error *e)
{
    p->step = step;
    const bool ok = p->model->solver == RD_SOLVER_EXACT || rd_plan_axis_tables(p, e);
    rd_plan_point(p);
    return ok;
}

void rd_plan_point(struct rd_plan *p)
{
    struct rd_world *const w = &p->world;
    w->lattice.mask = p->model->mask;
    w->lattice.n_mask = w->lattice.mask ? w->lattice.n_sites : 0;
    w->fields.field = p->model->field_component;
    w->fields.n_field = p->model->n_field_components * w->lattice.n_sites;
    w->movement.transport = p->transport;
    w->movement.n_transport = w->counts.n_species;
    w->movement.hop_rate = p->hop_rate;
    w->movement.uniformised_walk = p->uniformised_walk;
    w->lattice.zone = p->zone;
    w->lattice.n_zone = p->zone ? w->lattice.n_sites : 0;
    w->movement.border = p->border;
    w->rows.column = p->column;
    w->rows.columned = p->columned;
    w->rows.keyed_first = p->keyed_first;
    w->rows.keyed = p->keyed;
    w->rows.bound = p->bound;
    w->reactions.channel = p->channel;
    w->reactions.n_channel = p->channel ? w->reactions.n_reactions : 0;
    w->reactions.reactant = p->reactant;
    w->reactions.change = p->change;
    w->reactions.product = p->product;
    w->reactions.n_product = p->product ? w->reactions.n_reactions : 0;
    w->reactions.first_affected = p->first_affected;
    w->reactions.n_first_affected = p->first_affected ? w->reactions.n_reactions + 1 : 0;
    w->reactions.affected = p->affected;
    w->reactions.dependent = p->dependent;
    w->reactions.vector_rate = p->vector_rate;
    w->exchanges.exchange = p->exchange;
    w->exchanges.landing = p->landing;
    w->exchanges.mixing = p->mixing;
    w->expressions.program = p->program;
    w->lists.list = p->list;
    w->reactions.participant = p->participant;
    w->reactions.birth = p->birth;
    w->expressions.rule = p->rule;
    w->reactions.sum = p->sum;
    w->fields.field_rate = p->field_rate;
    w->fields.field_gradient = p->field_gradient;
    w->positions.followed = p->followed;
    w->counts.surveyed_species = p->surveyed;
    w->runs.total_of = p->total_of;
    w->runs.condition = p->condition;
    w->runs.ode = p->ode;
    w->movement.displacement = p->displacements.displacement;
    w->movement.n_displacement = p->displacements.n_displacement;
    w->movement.jump = p->displacements.jump;
    w->movement.n_jump = p->displacements.n_jump;
    w->movement.when = p->displacements.when;
    w->movement.n_when = p->displacements.n_when;
    w->movement.when_below = p->displacements.when_below;
    w->movement.n_when_below = p->displacements.n_when_below;
}

void rd_plan_free(struct rd_plan *p)
{
    free(p->species_of);
    free(p->species_at);
    free(p->motion_of);
    free(p->reaction_of);
    free(p->domain);
    free(p->mean);
    free(p->usual);
    free(p->no_mean);
    free(p->transport);
    free(p->hop_rate);
    free(p->uniformised_walk);
    free(p->zone);
    free(p->zone_regions);
    free(p->border);
    free(p->column);
    free(p->columned);
    free(p->keyed_first);
    free(p->keyed);
    free(p->bound);
    free(p->channel);
    free(p->reactant);
    free(p->change);
    rd_plan_free_dependents(p);
    free(p->vector_rate);
    free(p->vector_is_out);
    free(p->exchange);
    free(p->landing);
    free(p->mixing);
    free(p->program);
    free(p->list_of);
    free(p->list);
    free(p->participant);
    free(p->birth);
    free(p->rule);
    free(p->sum);
    free(p->field_rate);
    free(p->field_gradient);
    free(p->followed);
    free(p->surveyed);
    free(p->total_of);
    free(p->condition);
    free(p->ode);
    free(p->value);
    free(p->usual_total);
    rd_conservation_free(&p->conserved);
    rd_displacements_free(&p->displacements);
    *p = (struct rd_plan){0};
}
