/* plan_rows - chooses which species have a column over all voxels and which are in rows, and lists
   for each species the reactions that it makes possible. The choice depends on the configuration
   only, and changes no result. */
#include "plan/plan.h"

#include <stdlib.h>

/* Returns why no species of the model can be in rows; NULL if they can. */
static const char *obstacle(const struct rd_model *m)
{
    if (m->solver == RD_SOLVER_EXACT && m->grid.n_sites == 1)
        return "solver = \"exact\" in one voxel";
    if (m->grid.n_sites > INT32_MAX / m->n_runs - 1)
        return "2147483647 voxels or more over all runs";
    return NULL;
}

/* Returns why the species cannot be in rows, given the obstacle to all of them; NULL if it can. */
static const char *obstacle_of(const struct rd_model *m, const struct rd_species *s,
                               const char *of_all)
{
    if (of_all)
        return of_all;
    if (s->is_individual)
        return "individuals";
    if (s->is_followed)
        return "its mean position in an expression";
    if (s->has_slope)
        return "its slope in an expression";
    if (s->is_exchanged && m->solver != RD_SOLVER_EXACT)
        return "an exchange with a compartment";
    if (rd_motion_of(s) == RD_MOTION_BY_STATE)
        return "a diffusivity or drift that changes";
    return rd_species_has_wall(s, RD_WALL_RESERVOIR) ? "a reservoir" : NULL;
}

const char *rd_plan_no_rows(const struct rd_model *m, const struct rd_species *s)
{
    return obstacle_of(m, s, obstacle(m));
}

double rd_plan_presence(const struct rd_plan *p, int32_t s)
{
    const bool is_mixed = p->model->species[p->species_of[s]].compartment >= 0;
    const double voxels = is_mixed ? (double)p->world.lattice.n_sites : 1.0;
    return (p->mean[s] < 1.0 ? p->mean[s] : 1.0) / voxels;
}

/* Returns whether many species can be in rows, few of which are present in a voxel at the start. In
   one voxel, columns take little memory, and its many events are faster with them. The obstacle to
   all species is given, or NULL. */
static bool are_rare(const struct rd_plan *p, const char *of_all)
{
    double present = 0.0;
    int32_t n = 0;
    if (p->model->grid.n_sites == 1)
        return false;
    for (int32_t s = 0; s < p->model->n_species; s++)
        if (!obstacle_of(p->model, &p->model->species[p->species_of[s]], of_all)) {
            present += rd_plan_presence(p, s);
            n++;
        }
    return n >= RD_MANY_SPECIES && present * RD_SPECIES_OF_PRESENT <= n;
}

/* Checks the species that the configuration puts into lists. */
static bool check_listed_species(const struct rd_model *m, struct rd_error *e)
{
    const char *const of_all = obstacle(m);
    for (int s = 0; s < m->n_species; s++) {
        const struct rd_species *const x = &m->species[s];
        const char *const why = x->store == RD_STORE_LIST ? obstacle_of(m, x, of_all) : NULL;
        if (why)
            return rd_fail(e, "%s: store = \"list\" of '%s' does not work with %s; set \"auto\"",
                           x->place, x->name, why);
    }
    return true;
}

/* Sets which species have columns; the others are in rows. Returns whether there are others. */
static bool choose_columns(struct rd_plan *p)
{
    const struct rd_model *const m = p->model;
    const char *const of_all = obstacle(m);
    const bool is_auto = !m->theta.is_flat && are_rare(p, of_all);
    int32_t n = 0;
    for (int32_t i = 0; i < m->n_species; i++) {
        const struct rd_species *const s = &m->species[p->species_of[i]];
        const bool is_in_rows =
            s->store == RD_STORE_LIST ||
            (s->store == RD_STORE_AUTO && is_auto && !obstacle_of(m, s, of_all));
        p->column[i] = is_in_rows ? -1 : n;
        if (!is_in_rows)
            p->columned[n++] = i;
    }
    p->world.rows.n_columned = n;
    return n < m->n_species;
}

bool rd_plan_rows(struct rd_plan *p, struct rd_error *e)
{
    const struct rd_model *const m = p->model;
    if (!check_listed_species(m, e))
        return false;
    p->column = calloc((size_t)m->n_species, sizeof *p->column);
    p->columned = calloc((size_t)m->n_species, sizeof *p->columned);
    p->keyed_first = calloc((size_t)m->n_species + 2, sizeof *p->keyed_first);
    p->keyed = calloc((size_t)m->n_reactions + 1, sizeof *p->keyed);
    p->bound = calloc((size_t)m->n_species + 1, sizeof *p->bound);
    if (!p->column || !p->columned || !p->keyed_first || !p->keyed || !p->bound)
        return rd_fail(e, "out of memory for %d species", m->n_species);
    if (choose_columns(p))
        p->world.rows.n_column = m->n_species;
    else
        p->world.rows.n_columned = 0;
    for (int64_t i = 0; i < p->world.lists.n_list; i++)
        p->list[i].column = p->column[p->list[i].species];
    if (p->world.rows.n_column > 0 || m->solver == RD_SOLVER_EXACT) {
        p->world.rows.n_keyed_first = m->n_species + 2;
        p->world.rows.n_keyed = m->n_reactions;
        p->world.rows.n_bound = m->n_species + 1;
    }
    return true;
}

/* Returns the reactant of the reaction that fewest reactions have; n_species if there is none. */
static int32_t key_of_reaction(const struct rd_plan *p, const struct rd_channel *c,
                               const int32_t *degree)
{
    int32_t key = p->model->n_species;
    for (int required = 0; required < 2; required++) {
        const struct rd_reactant *const r = p->reactant + (required ? c->required : c->reactant);
        for (int32_t i = 0; i < (required ? c->n_required : c->n_reactants); i++)
            if (key == p->model->n_species || degree[r[i].species] < degree[key])
                key = r[i].species;
    }
    return key;
}

/* Counts the reactions of each species. */
static void count_degrees(const struct rd_plan *p, int32_t *degree)
{
    for (int32_t k = 0; k < p->model->n_reactions; k++) {
        const struct rd_channel *const c = &p->channel[k];
        for (int32_t i = 0; i < c->n_reactants; i++)
            degree[p->reactant[c->reactant + i].species]++;
        for (int32_t i = 0; i < c->n_required; i++)
            degree[p->reactant[c->required + i].species]++;
    }
}

/* Returns the regions of the reactions without reactants, which are the last ones of keyed; all
   bits if one of them is not in a region. */
static uint64_t find_source_regions(const struct rd_plan *p)
{
    uint64_t regions = 0;
    for (int32_t i = p->keyed_first[p->model->n_species]; i < p->model->n_reactions; i++) {
        const int32_t region = p->keyed[i].region;
        regions |= region < 0 ? UINT64_MAX : UINT64_C(1) << region;
    }
    return regions;
}

/* Returns the reaction as an entry of a list. */
static struct rd_row_key make_key(const struct rd_plan *p, int32_t reaction)
{
    const struct rd_channel *const c = &p->channel[reaction];
    struct rd_row_key key = {c->rate, reaction, c->region, {RD_NO_REACTANT, RD_NO_REACTANT}};
    int32_t n = 0;
    for (int32_t i = 0; i < c->n_reactants; i++)
        for (int32_t k = 0; k < p->reactant[c->reactant + i].number; k++, n++)
            if (n < RD_KEYED_MOST)
                key.species[n] = p->reactant[c->reactant + i].species;
    if (n > RD_KEYED_MOST || c->expression_kind != RD_EXPRESSION_NONE)
        key.species[0] = RD_NO_PRODUCT;
    return key;
}

/* Sets the bounds for each species, and for reactions without reactants. */
static void bound_propensities(struct rd_plan *p)
{
    memset(p->bound, 0, ((size_t)p->model->n_species + 1) * sizeof *p->bound);
    for (int32_t s = 0; s <= p->model->n_species; s++)
        for (int32_t i = p->keyed_first[s]; i < p->keyed_first[s + 1]; i++) {
            const struct rd_row_key *const k = &p->keyed[i];
            if (k->species[0] == RD_NO_PRODUCT)
                p->bound[s].alone = INFINITY;
            else if (k->species[1] == RD_NO_REACTANT)
                p->bound[s].alone += k->rate;
            else
                p->bound[s].together += k->rate;
        }
}

bool rd_plan_keys(struct rd_plan *p, struct rd_error *e)
{
    const int32_t n = p->model->n_species, n_reactions = p->model->n_reactions;
    if (p->world.rows.n_keyed_first == 0)
        return true;
    int32_t *const degree = calloc((size_t)n + 1, sizeof *degree);
    int32_t *const key = calloc((size_t)n_reactions + 1, sizeof *key);
    const bool ok = (degree && key) || rd_fail(e, "out of memory for %d reactions", n_reactions);
    memset(p->keyed_first, 0, ((size_t)n + 2) * sizeof *p->keyed_first);
    if (ok)
        count_degrees(p, degree);
    for (int32_t k = 0; ok && k < n_reactions; k++) {
        key[k] = key_of_reaction(p, &p->channel[k], degree);
        p->keyed_first[key[k] + 1]++;
    }
    for (int32_t s = 0; s <= n; s++)
        p->keyed_first[s + 1] += p->keyed_first[s];
    for (int32_t k = 0; ok && k < n_reactions; k++)
        p->keyed[p->keyed_first[key[k]]++] = make_key(p, k);
    for (int32_t s = n + 1; s > 0; s--)
        p->keyed_first[s] = p->keyed_first[s - 1];
    p->keyed_first[0] = 0;
    p->world.rows.source_regions = find_source_regions(p);
    bound_propensities(p);
    free(degree);
    free(key);
    return ok;
}
