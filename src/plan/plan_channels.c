/* plan_channels - converts reactions to channels. The propensity of mass action is k V times, for
   each reactant, n (n - 1) ... (n - m + 1) / V^m. Hence 2 A -> B with k means d[A]/dt = -2 k
   [A]^2. */
#include "plan/microscopic.h"

#include <stdlib.h>
#include <string.h>

/* Returns the order of the reaction, the number of molecules that it consumes. */
static int order_of_reaction(const struct rd_reaction *r)
{
    int order = 0;
    for (int i = 0; i < r->n_reactants; i++)
        order += r->reactant[i].number;
    return order;
}

/* Returns V^(1 - order). */
static double volume_factor(double volume, int order)
{
    double factor = volume;
    for (int i = 0; i < order; i++)
        factor /= volume;
    return factor;
}

/* Returns what mass action multiplies the rate and the numbers of the reactants by: V^(1 - order),
   with the volume of the voxel or compartment in which it happens. Reactants from a compartment
   that react in voxels count with the volume of their compartment. */
double rd_plan_measure_factor(const struct rd_plan *p, const struct rd_reaction *r)
{
    const struct rd_model *const m = p->model;
    int in_voxels = 0;
    if (r->compartment >= 0)
        return volume_factor(m->compartment[r->compartment].volume, order_of_reaction(r));
    if (!r->is_exchange)
        return volume_factor(m->grid.volume, order_of_reaction(r));
    for (int i = 0; i < r->n_reactants; i++)
        if (m->species[r->reactant[i].species].compartment < 0)
            in_voxels += r->reactant[i].number;
    return volume_factor(m->grid.volume, in_voxels) * r->per_volume;
}

bool rd_plan_program(struct rd_plan *p, const struct rd_expr *x, const double *value,
                     struct rd_rule *rule, unsigned *uses, struct rd_error *e)
{
    struct rd_expr bound = {0};
    if (!rd_expr_bind(&bound, x, value, p->species_at, e))
        return false;
    const int64_t n = p->world.expressions.n_program;
    struct rd_op *const program = realloc(p->program, (size_t)(n + bound.n) * sizeof *program);
    if (program) {
        p->program = program;
        memcpy(program + n, bound.op, (size_t)bound.n * sizeof *program);
        *rule = (struct rd_rule){(int32_t)n, bound.n};
        p->world.expressions.n_program += bound.n;
        if (uses)
            *uses = bound.uses;
    }
    rd_expr_free(&bound);
    return program || rd_fail(e, "out of memory for the propensities of reactions");
}

static bool add_program(struct rd_plan *p, const struct rd_expr *x, const double *value,
                        struct rd_channel *c, struct rd_error *e)
{
    struct rd_rule rule = {0};
    unsigned uses = 0;
    const bool ok = rd_plan_program(p, x, value, &rule, &uses, e);
    c->program = rule.program;
    c->n_program = rule.n_program;
    p->uses_time = p->uses_time || (uses & RD_USES_TIME);
    p->is_by_totals = p->is_by_totals || (uses & (RD_USES_TOTALS | RD_USES_MEANS));
    return ok;
}

/* Adds so many molecules of a species to n terms, which stay in canonical order of the species.
   Returns the number of terms. */
static int32_t insert_term(struct rd_reactant *term, int32_t n, int32_t species, int32_t number)
{
    int32_t at = n;
    while (at > 0 && term[at - 1].species > species)
        at--;
    if (at > 0 && term[at - 1].species == species) {
        term[at - 1].number += number;
        return n;
    }
    memmove(term + at + 1, term + at, (size_t)(n - at) * sizeof *term);
    term[at] = (struct rd_reactant){species, number};
    return n + 1;
}

/* Removes terms of no molecules. Returns the number of the others. */
static int32_t drop_zero_terms(struct rd_reactant *term, int32_t n)
{
    int32_t kept = 0;
    for (int32_t i = 0; i < n; i++)
        if (term[i].number != 0)
            term[kept++] = term[i];
    return kept;
}

/* Returns whether the rate sums over the individuals of the species, which replaces their
   number. */
static bool is_summed(const struct rd_expr *rate, int32_t species)
{
    int32_t of, n;
    const struct rd_op *op;
    for (int k = 0; rd_expr_sums(rate, k, &of, &op, &n); k++)
        if (of == species)
            return true;
    return false;
}

/* Puts the terms in voxels before those in compartments; both stay in canonical order. */
static void put_placed_first(const struct rd_plan *p, struct rd_reactant *term, int32_t n)
{
    int32_t n_placed = 0;
    for (int32_t i = 0; i < n && p->model->n_compartments > 0; i++) {
        const struct rd_reactant here = term[i];
        if (p->model->species[p->species_of[here.species]].compartment >= 0)
            continue;
        memmove(term + n_placed + 1, term + n_placed, (size_t)(i - n_placed) * sizeof *term);
        term[n_placed++] = here;
    }
}

/* Adds the reactants that multiply the rate, and then those that are only required: all of them if
   an expression is the whole propensity, and species whose individuals the rate sums over. */
static void add_reactants(struct rd_plan *p, const struct rd_reaction *r, struct rd_channel *c)
{
    for (int required = 0; required < 2; required++) {
        struct rd_reactions *const reactions = &p->world.reactions;
        const int32_t first = (int32_t)reactions->n_reactant;
        int32_t n = 0;
        for (int i = 0; i < r->n_reactants; i++) {
            const int32_t species = r->reactant[i].species;
            if ((r->has_propensity || is_summed(&r->rate, species)) == (required != 0))
                n = insert_term(p->reactant + first, n, p->species_at[species],
                                r->reactant[i].number);
        }
        put_placed_first(p, p->reactant + first, n);
        *(required ? &c->required : &c->reactant) = first;
        *(required ? &c->n_required : &c->n_reactants) = n;
        reactions->n_reactant += n;
    }
}

/* Adds reactants and net changes, in canonical order of the species. */
static void add_terms(struct rd_plan *p, const struct rd_reaction *r, struct rd_channel *c)
{
    struct rd_world *const w = &p->world;
    add_reactants(p, r, c);
    c->change = (int32_t)w->reactions.n_change;
    struct rd_reactant *const change = p->change + c->change;
    for (int i = 0; i < r->n_reactants; i++) {
        const int32_t at = p->species_at[r->reactant[i].species];
        c->n_changes = insert_term(change, c->n_changes, at, -r->reactant[i].number);
    }
    for (int i = 0; i < r->n_products; i++)
        c->n_changes = insert_term(change, c->n_changes, p->species_at[r->product[i].species],
                                   r->product[i].number);
    c->n_changes = drop_zero_terms(change, c->n_changes);
    put_placed_first(p, change, c->n_changes);
    w->reactions.n_change += c->n_changes;
}

/* Multiplies the rate by the correction of a microscopic reaction, if it has one. */
static bool correct_rate(const struct rd_plan *p, const struct rd_reaction *r, const double *value,
                         struct rd_channel *c, struct rd_error *e)
{
    struct rd_microscopic q;
    if (r->corrected_by < 0)
        return true;
    if (!rd_plan_microscopic(p, &p->model->reaction[r->corrected_by], value, &q, e))
        return false;
    c->rate *= q.ratio;
    return true;
}

/* Makes the program of a reaction on a surface: its share of the mean propensity in each voxel,
   times its rate if that is an expression. */
static bool add_surface_share(struct rd_plan *p, const struct rd_reaction *r,
                              const struct rd_expr *rate, const double *value, struct rd_channel *c,
                              struct rd_error *e)
{
    const int32_t n = rate ? rate->n : 0;
    struct rd_op *const op = calloc((size_t)n + 2, sizeof *op);
    if (!op)
        return rd_fail(e, "out of memory for the propensities of reactions");
    struct rd_expr x = rate ? *rate : (struct rd_expr){.of = -1, .text = r->rate.text};
    if (rate)
        memcpy(op, rate->op, (size_t)n * sizeof *op);
    op[n] = (struct rd_op){.code = RD_OP_FIELD, .index = r->share};
    op[n + 1] = (struct rd_op){.code = RD_OP_MULTIPLY};
    x.op = op;
    x.n = n > 0 ? n + 2 : 1;
    x.uses |= RD_USES_FIELDS;
    const bool ok = add_program(p, &x, value, c, e);
    free(op);
    return ok;
}

bool rd_plan_is_constant(const struct rd_expr *rate)
{
    return !(rate->uses & ~(unsigned)(RD_USES_PARAMETERS | RD_USES_VOLUME));
}

bool rd_plan_refuse_rate(const struct rd_plan *p, const struct rd_reaction *r, const double *value,
                         double k, struct rd_error *e)
{
    const unsigned known = RD_USES_PARAMETERS | RD_USES_VOLUME;
    const struct rd_scope scope = rd_model_scope(p->model, known);
    const struct rd_eval_context at = {.volume = p->world.lattice.volume, .parameter = value};
    char why[256] = "";
    if (!rd_is_finite(k))
        rd_expr_missed(&r->rate, &scope, known, &at, why, sizeof why);
    return rd_fail(e, "%s: reaction '%s': the rate is %g%s; give a number >= 0", r->place,
                   r->equation, k, why);
}

/* Sets the rate and the expression of one channel. */
static bool set_rate(struct rd_plan *p, const struct rd_reaction *r, const double *value,
                     struct rd_channel *c, struct rd_error *e)
{
    if (r->has_propensity) {
        c->rate = 1.0;
        c->expression_kind = RD_EXPRESSION_PROPENSITY;
        return add_program(p, &r->propensity, value, c, e);
    }
    const bool is_constant = rd_plan_is_constant(&r->rate), is_on_surface = r->surface >= 0;
    c->rate = is_on_surface ? r->mean_share : rd_plan_measure_factor(p, r);
    if (!correct_rate(p, r, value, c, e))
        return false;
    if (!is_constant || is_on_surface)
        c->expression_kind = RD_EXPRESSION_FACTOR;
    if (is_on_surface && !add_surface_share(p, r, is_constant ? NULL : &r->rate, value, c, e))
        return false;
    if (!is_constant)
        return is_on_surface || add_program(p, &r->rate, value, c, e);
    const struct rd_eval_context eval_context = {.volume = p->world.lattice.volume,
                                                 .parameter = value};
    const double k = rd_expr_value(&r->rate, &eval_context);
    c->rate *= k;
    if (k >= 0.0 && rd_is_finite(k) && rd_is_finite(c->rate))
        return true;
    return rd_plan_refuse_rate(p, r, value, k, e);
}

static bool reserve_terms(struct rd_plan *p, struct rd_error *e)
{
    const struct rd_model *const m = p->model;
    size_t n_reactants = 1, n_changes = 1;
    for (int i = 0; i < m->n_reactions; i++) {
        n_reactants += (size_t)m->reaction[i].n_reactants;
        n_changes += (size_t)(m->reaction[i].n_reactants + m->reaction[i].n_products);
    }
    free(p->channel);
    free(p->reactant);
    free(p->change);
    free(p->program);
    p->program = NULL;
    p->channel = calloc((size_t)m->n_reactions + 1, sizeof *p->channel);
    p->reactant = calloc(n_reactants, sizeof *p->reactant);
    p->change = calloc(n_changes, sizeof *p->change);
    p->world.expressions.n_program = p->world.reactions.n_reactant = p->world.reactions.n_change =
        0;
    return (p->channel && p->reactant && p->change) ||
           rd_fail(e, "out of memory for %d reactions", m->n_reactions);
}

/* Makes the programs of the conditions of events. */
static bool set_conditions(struct rd_plan *p, const double *value, struct rd_error *e)
{
    const struct rd_model *const m = p->model;
    bool ok = true;
    for (int k = 0; ok && k < m->n_conditions; k++) {
        const struct rd_event *const event = &m->event[m->condition[k]];
        p->condition[k].repeats = event->repeats;
        ok = rd_plan_program(p, &event->when, value, &p->condition[k].rule, NULL, e);
    }
    return ok;
}

/* Makes the programs of the rates of ODEs. */
static bool set_odes(struct rd_plan *p, const double *value, struct rd_error *e)
{
    const struct rd_model *const m = p->model;
    unsigned uses = 0;
    bool ok = true;
    for (int k = 0; ok && k < m->n_odes; k++) {
        p->ode[k].parameter = m->ode[k].parameter;
        ok = rd_plan_program(p, &m->ode[k].rate, value, &p->ode[k].rate, &uses, e);
        p->uses_time = p->uses_time || (uses & RD_USES_TIME);
    }
    return ok;
}

bool rd_plan_channels(struct rd_plan *p, const double *value, struct rd_error *e)
{
    if (!reserve_terms(p, e))
        return false;
    bool ok = true;
    p->uses_time = p->is_by_totals = p->is_by_counts = false;
    p->world.reactions.has_expressions = 0;
    if (p->model->stop.n > 0)
        ok = rd_plan_program(p, &p->model->stop, value, &p->world.runs.stop, NULL, e);
    ok = set_conditions(p, value, e) && set_odes(p, value, e) && ok;
    for (int32_t i = 0; i < p->model->n_reactions; i++) {
        const struct rd_reaction *const r = &p->model->reaction[p->reaction_of[i]];
        struct rd_channel *const c = &p->channel[i];
        *c = (struct rd_channel){.region = r->region};
        add_terms(p, r, c);
        ok = set_rate(p, r, value, c, e) && ok;
        p->world.reactions.has_expressions |= c->expression_kind != RD_EXPRESSION_NONE;
    }
    return ok && rd_plan_vectors(p, value, e);
}
