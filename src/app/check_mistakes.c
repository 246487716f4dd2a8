/* check_mistakes - finds what is probably a mistake. The expected numbers of events are those of
   the densities at the start, and are printed only if these cannot rise. */
#include "app/check_mistakes.h"

#include "model/equation.h"
#include "modes/idle.h"
#include "plan/step_limit.h"

static void warn_unused(FILE *out, const struct rd_model *m)
{
    for (int i = 0; i < m->n_parameters; i++)
        if (!m->reads_parameter[i])
            fprintf(out, "warning     %s: nothing uses the parameter '%s'; remove it, or use it\n",
                    m->parameter_place[i], m->parameter[i]);
}

static bool is_put(const struct rd_amount *a, int n, int species)
{
    for (int i = 0; i < n; i++)
        if (a[i].species < 0 || a[i].species == species)
            return true;
    return false;
}

static bool has_reservoir(const struct rd_species *s)
{
    for (int face = 0; face < RD_FACES; face++)
        if (s->wall[face].kind == RD_WALL_RESERVOIR)
            return true;
    return false;
}

static bool is_made(const struct rd_amount *a, int n, int species)
{
    for (int i = 0; i < n; i++)
        if (a[i].becomes == species)
            return true;
    return false;
}

/* Returns whether an event adds the species, or converts others to it. */
static bool is_added(const struct rd_model *m, int species)
{
    for (int i = 0; i < m->n_events; i++)
        if (is_put(m->event[i].add, m->event[i].n_add, species) ||
            is_made(m->event[i].take, m->event[i].n_take, species))
            return true;
    return false;
}

static bool occurs(const struct rd_model *m, int species)
{
    bool found = m->reads_species[species] || has_reservoir(&m->species[species]) ||
                 is_put(m->initial, m->n_initial, species) || is_added(m, species);
    for (int r = 0; r < m->n_reactions && !found; r++) {
        const struct rd_reaction *const x = &m->reaction[r];
        found = rd_equation_number(x->reactant, x->n_reactants, species) > 0 ||
                rd_equation_number(x->product, x->n_products, species) > 0;
    }
    return found;
}

static void warn_absent(FILE *out, const struct rd_model *m)
{
    for (int s = 0; s < m->n_species; s++)
        if (!occurs(m, s))
            fprintf(out,
                    "warning     %s: species '%s' occurs in no reaction, initial, event or "
                    "expression; remove it, or use it\n",
                    m->species[s].place, m->species[s].name);
}

/* Returns whether the number of the species can rise after the start. */
static bool can_rise(const struct rd_model *m, int species)
{
    bool rises = has_reservoir(&m->species[species]) || is_added(m, species);
    for (int r = 0; r < m->n_reactions && !rises; r++) {
        const struct rd_reaction *const x = &m->reaction[r];
        rises = rd_equation_number(x->product, x->n_products, species) >
                rd_equation_number(x->reactant, x->n_reactants, species);
    }
    return rises;
}

/* Returns whether the mean density of the species holds everywhere: `initial` has it in no place of
   its own. */
static bool is_spread(const struct rd_model *m, int species)
{
    for (int i = 0; i < m->n_initial; i++) {
        const struct rd_amount *const a = &m->initial[i];
        const unsigned plain = RD_USES_PARAMETERS | RD_USES_VOLUME;
        if ((a->species < 0 || a->species == species) &&
            (a->kind == RD_AMOUNT_FROM || a->is_at || a->region >= 0 || (a->much.uses & ~plain)))
            return false;
    }
    return true;
}

/* Returns the number of voxels in which all these regions overlap; region -1: everywhere. */
static int64_t voxels_of(const struct rd_plan *p, uint64_t regions)
{
    int64_t n = 0;
    for (int64_t site = 0; regions && site < p->world.lattice.n_sites; site++)
        n += (p->model->mask[site] & regions) == regions;
    return regions ? n : p->world.lattice.n_sites;
}

static uint64_t bit_of(int region)
{
    return region < 0 ? 0 : UINT64_C(1) << region;
}

/* Returns the events of a reaction that are expected in all runs, or -1 if that is not known. */
static double expected_events(const struct rd_plan *p, int32_t reaction)
{
    const struct rd_model *const m = p->model;
    const struct rd_reaction *const x = &m->reaction[p->reaction_of[reaction]];
    const struct rd_channel *const c = &p->channel[reaction];
    double events = c->rate * m->end * (double)m->n_runs;
    uint64_t regions = bit_of(x->region);
    int64_t order = 0;
    bool is_known = c->expression_kind == RD_EXPRESSION_NONE;
    for (int i = 0; i < x->n_reactants; i++) {
        const int s = x->reactant[i].species;
        const double mean = p->mean[p->species_at[s]];
        for (int32_t k = x->reactant[i].number; k > 0; k--, order++)
            events *= mean;
        regions |= bit_of(m->species[s].region);
        is_known = is_known && mean > 0.0 && !can_rise(m, s);
    }
    for (int i = 0; i < x->n_reactants && order > 1; i++)
        is_known = is_known && is_spread(m, x->reactant[i].species);
    return is_known ? events * (double)voxels_of(p, regions) : -1.0;
}

/* Returns the hops of a species that are expected in all runs, or -1 if that is not known. */
static double expected_hops(const struct rd_plan *p, int species)
{
    const struct rd_model *const m = p->model;
    const int32_t s = p->species_at[species];
    const struct rd_transport *const t = &p->transport[s];
    const double hops = p->mean[s] * (double)voxels_of(p, bit_of(m->species[species].region)) *
                        t->hop_rate.total * m->end * (double)m->n_runs;
    const bool is_known = t->kind != RD_MOVE_OWN && t->kind != RD_MOVE_SUBSTEPS &&
                          p->mean[s] > 0.0 && !can_rise(m, species);
    return is_known ? hops : -1.0;
}

/* Returns whether no event changes parameters, and with them the rates. */
static bool is_constant(const struct rd_model *m)
{
    for (int i = 0; i < m->n_events; i++)
        if (m->event[i].n_set > 0)
            return false;
    return true;
}

static void warn_few(FILE *out, const struct rd_plan *p)
{
    const struct rd_model *const m = p->model;
    const char *const runs = m->n_runs == 1 ? "the whole run" : "all runs together";
    for (int32_t r = 0; r < p->world.reactions.n_reactions; r++) {
        const struct rd_reaction *const x = &m->reaction[p->reaction_of[r]];
        const double events = expected_events(p, r);
        if (events > 0.0 && events < 1.0)
            fprintf(out,
                    "warning     %s: '%s' is expected to happen %.2g times in %s; check its rate, "
                    "time.end and the units\n",
                    x->place, x->equation, events, runs);
    }
    for (int s = 0; s < m->n_species; s++) {
        const double hops = expected_hops(p, s);
        if (hops > 0.0 && hops < 1.0)
            fprintf(out,
                    "warning     %s: '%s' is expected to make %.2g hops in %s; check its "
                    "diffusion, time.end and the units\n",
                    m->species[s].place, m->species[s].name, hops, runs);
    }
}

static void warn_long_step(FILE *out, const struct rd_plan *p)
{
    const struct rd_step_limit l = rd_step_limit_automatic(p);
    const double step = p->model->step;
    if (p->model->solver == RD_SOLVER_SPLIT && step > l.step * (1.0 + 1e-9))
        fprintf(out,
                "warning     time.step: %.6g is longer than the automatic step of %.6g (%s); leave "
                "it out, or see what half of it changes (--halve)\n",
                step, l.step, l.why);
}

bool rd_check_mistakes(FILE *out, const struct rd_plan *p, struct rd_error *e)
{
    warn_unused(out, p->model);
    warn_absent(out, p->model);
    const bool ok = rd_idle_print(out, p->model, e);
    if (is_constant(p->model))
        warn_few(out, p);
    warn_long_step(out, p);
    return ok;
}
