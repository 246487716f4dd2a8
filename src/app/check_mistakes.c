/* check_mistakes - finds what is probably a mistake. The expected numbers of events are those of
   the densities at the start, and are printed only if these cannot rise. */
#include "app/check_mistakes.h"

#include "base/memory.h"
#include "model/equation.h"
#include "modes/idle.h"

#include <stdlib.h>

static void warn_unused(FILE *out, const struct rd_model *m)
{
    for (int i = 0; i < m->n_parameters; i++)
        if (!m->reads_parameter[i])
            fprintf(out, "warning     %s: nothing uses the parameter '%s'; remove it, or use it\n",
                    m->parameter_place[i], m->parameter[i]);
}

/* Says of a species: it occurs anywhere, its number can rise after the start, and `initial` has
   it in a place of its own, so that its mean density does not hold everywhere. */
enum { OCCURS = 1, RISES = 2, IS_PLACED = 4 };

static void mark_known(unsigned char *known, int n_species, int species, int what)
{
    for (int s = species < 0 ? 0 : species; s < (species < 0 ? n_species : species + 1); s++)
        known[s] = (unsigned char)(known[s] | what);
}

static void mark_initial(const struct rd_model *m, unsigned char *known)
{
    const unsigned plain = RD_USES_PARAMETERS | RD_USES_VOLUME;
    for (int i = 0; i < m->n_initial; i++) {
        const struct rd_amount *const a = &m->initial[i];
        const bool is_placed = a->kind == RD_AMOUNT_FROM || a->is_at || a->site || a->region >= 0 ||
                               (a->much.uses & ~plain);
        mark_known(known, m->n_species, a->species, is_placed ? OCCURS | IS_PLACED : OCCURS);
    }
}

static void mark_events(const struct rd_model *m, unsigned char *known)
{
    for (int i = 0; i < m->n_events; i++)
        for (int k = 0; k < m->event[i].n_add; k++)
            mark_known(known, m->n_species, m->event[i].add[k].species, OCCURS | RISES);
    for (int i = 0; i < m->n_events; i++)
        for (int k = 0; k < m->event[i].n_take; k++)
            if (m->event[i].take[k].becomes >= 0)
                mark_known(known, m->n_species, m->event[i].take[k].becomes, OCCURS | RISES);
}

static void mark_reactions(const struct rd_model *m, unsigned char *known)
{
    for (int r = 0; r < m->n_reactions; r++) {
        const struct rd_reaction *const x = &m->reaction[r];
        for (int i = 0; i < x->n_reactants; i++)
            mark_known(known, m->n_species, x->reactant[i].species, OCCURS);
        for (int i = 0; i < x->n_products; i++) {
            const int s = x->product[i].species;
            const bool rises =
                x->product[i].number > rd_equation_number(x->reactant, x->n_reactants, s);
            mark_known(known, m->n_species, s, rises ? OCCURS | RISES : OCCURS);
        }
    }
}

/* Returns what is known of each species, owned by the caller; NULL if there is no memory. */
static unsigned char *survey(const struct rd_model *m)
{
    unsigned char *const known = rd_memory_guard(calloc((size_t)m->n_species + 1, 1));
    for (int s = 0; known && s < m->n_species; s++) {
        if (m->reads_species[s])
            mark_known(known, m->n_species, s, OCCURS);
        if (rd_species_has_wall(&m->species[s], RD_WALL_RESERVOIR))
            mark_known(known, m->n_species, s, OCCURS | RISES);
    }
    if (known) {
        mark_initial(m, known);
        mark_events(m, known);
        mark_reactions(m, known);
    }
    return known;
}

static void warn_absent(FILE *out, const struct rd_model *m, const unsigned char *known)
{
    for (int s = 0; s < m->n_species; s++)
        if (!(known[s] & OCCURS))
            fprintf(out,
                    "warning     %s: species '%s' occurs in no reaction, initial, event or "
                    "expression; remove it, or use it\n",
                    m->species[s].place, m->species[s].name);
}

/* Returns the number of voxels in which all these regions overlap; region -1: everywhere. */
static int64_t voxels_of_overlap(const struct rd_plan *p, uint64_t regions)
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
static double expected_events(const struct rd_plan *p, const unsigned char *known, int32_t reaction)
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
        is_known = is_known && mean > 0.0 && !(known[s] & RISES);
    }
    for (int i = 0; i < x->n_reactants && order > 1; i++)
        is_known = is_known && !(known[x->reactant[i].species] & IS_PLACED);
    return is_known ? events * (double)voxels_of_overlap(p, regions) : -1.0;
}

/* Returns the hops of a species that are expected in all runs, or -1 if that is not known. */
static double expected_hops(const struct rd_plan *p, const unsigned char *known, int species)
{
    const struct rd_model *const m = p->model;
    const int32_t s = p->species_at[species];
    const struct rd_transport *const t = &p->transport[s];
    const double hops = p->mean[s] *
                        (double)voxels_of_overlap(p, bit_of(m->species[species].region)) *
                        t->hop_rate.total * m->end * (double)m->n_runs;
    const bool is_known = t->kind != RD_MOVE_OWN && t->kind != RD_MOVE_SUBSTEPS &&
                          p->mean[s] > 0.0 && !(known[species] & RISES);
    return is_known ? hops : -1.0;
}

/* Returns whether neither events nor rows change parameters, and with them the rates. */
static bool has_constant_parameters(const struct rd_model *m)
{
    for (int i = 0; i < m->n_events; i++)
        if (m->event[i].n_set > 0)
            return false;
    return m->theta.table.n_rows == 0;
}

static void warn_few(FILE *out, const struct rd_plan *p, const unsigned char *known)
{
    const struct rd_model *const m = p->model;
    const char *const runs = m->n_runs == 1 ? "the whole run" : "all runs together";
    for (int32_t r = 0; r < p->world.reactions.n_reactions; r++) {
        const struct rd_reaction *const x = &m->reaction[p->reaction_of[r]];
        const double events = expected_events(p, known, r);
        const struct rd_channel *const c = &p->channel[r];
        if (!x->is_exchange && c->expression_kind == RD_EXPRESSION_NONE && c->rate == 0.0)
            fprintf(out,
                    "warning     %s: '%s' can never happen: its rate is 0; give another one, or "
                    "remove the reaction\n",
                    x->place, x->equation);
        if (events > 0.0 && events < 1.0)
            fprintf(out,
                    "warning     %s: '%s' is expected to happen %.2g times in %s; check its rate, "
                    "time.end and the units\n",
                    x->place, x->equation, events, runs);
    }
    for (int s = 0; s < m->n_species; s++) {
        const double hops = expected_hops(p, known, s);
        if (hops > 0.0 && hops < 1.0)
            fprintf(out,
                    "warning     %s: '%s' is expected to make %.2g hops in %s; check its "
                    "diffusion, time.end and the units\n",
                    m->species[s].place, m->species[s].name, hops, runs);
    }
}

bool rd_check_mistakes(FILE *out, const struct rd_plan *p, struct rd_error *e)
{
    unsigned char *const known = survey(p->model);
    if (!known)
        return rd_fail(e, "out of memory for %d species", p->model->n_species);
    warn_unused(out, p->model);
    warn_absent(out, p->model, known);
    const bool ok = rd_idle_print(out, p->model, e);
    if (has_constant_parameters(p->model))
        warn_few(out, p, known);
    free(known);
    return ok;
}
