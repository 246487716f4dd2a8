/* scheme - values that the exact solver derives from the tables of the world. */
#include "exact/scheme.h"

#include "kernels/passes/movement/walk.h"

#include <stdlib.h>

static size_t words_of_world(const struct rd_world *w)
{
    return ((size_t)w->reactions.n_reactions + 63) / 64;
}

/* Returns the number of places with their own hop rates: all sites, zones, or one. */
static size_t spots_of(const struct rd_world *w)
{
    return w->movement.is_placed       ? (size_t)w->lattice.n_sites
           : w->lattice.zone_count > 0 ? (size_t)w->lattice.zone_count
                                       : 1;
}

static const struct rd_hop_rate *hop_rate_in(const struct rd_world *w, const struct rd_transport *m,
                                             int64_t spot)
{
    if (w->movement.is_placed)
        return rd_hop_rate_at(w, m, 0, spot);
    return m->hop_rate_kind == RD_HOP_RATE_ALIKE ? &m->hop_rate
                                                 : &w->movement.hop_rate[m->hop_rates + spot];
}

size_t rd_scheme_memory(const struct rd_world *w)
{
    return (size_t)w->counts.n_species *
               (spots_of(w) * sizeof(double) +
                (rd_has_rows(w) ? 0 : words_of_world(w) * sizeof(uint64_t))) +
           (3 * words_of_world(w) + (size_t)w->counts.n_species) * sizeof(uint64_t) +
           (size_t)w->runs.n_total_of + (size_t)w->reactions.n_reactions * sizeof(int32_t);
}

bool rd_scheme_open(struct rd_scheme *x, const struct rd_world *w)
{
    const size_t n = (size_t)w->counts.n_species;
    x->n_words = (int32_t)words_of_world(w);
    x->leave = calloc(n * spots_of(w) + 1, sizeof *x->leave);
    x->reads = rd_has_rows(w) ? NULL : calloc(n * words_of_world(w) + 1, sizeof *x->reads);
    x->reads_totals = calloc(words_of_world(w) + 1, sizeof *x->reads_totals);
    x->varies = calloc(words_of_world(w) + 1, sizeof *x->varies);
    x->is_read = calloc((size_t)w->runs.n_total_of + 1, sizeof *x->is_read);
    x->exchange_of = calloc((size_t)w->reactions.n_reactions + 1, sizeof *x->exchange_of);
    x->keyed = words_of_world(w) <= 1 ? calloc(n + 1, sizeof *x->keyed) : NULL;
    return (x->keyed || words_of_world(w) > 1) && x->leave && (x->reads || rd_has_rows(w)) &&
           x->reads_totals && x->varies && x->is_read && x->exchange_of;
}

void rd_scheme_close(struct rd_scheme *x)
{
    free(x->leave);
    free(x->reads);
    free(x->exchange_of);
    free(x->keyed);
    free(x->reads_totals);
    free(x->varies);
    free(x->is_read);
    *x = (struct rd_scheme){0};
}

static void note_read(struct rd_scheme *x, int32_t species, int32_t reaction)
{
    if (x->reads)
        x->reads[species * x->n_words + reaction / 64] |= UINT64_C(1) << reaction % 64;
}

static void note_leaving(struct rd_scheme *x, const struct rd_world *w)
{
    for (int64_t spot = 0; spot < (int64_t)spots_of(w); spot++)
        for (int32_t s = 0; s < w->counts.n_species; s++) {
            const struct rd_transport *const m = &w->movement.transport[s];
            x->leave[spot * w->counts.n_species + s] =
                m->kind == RD_MOVE_NOT ? 0 : hop_rate_in(w, m, spot)->total;
        }
}

static void note_total(struct rd_scheme *x, int32_t total, int32_t reaction)
{
    x->reads_totals[reaction / 64] |= UINT64_C(1) << reaction % 64;
    x->is_read[total] = 1;
}

/* Returns whether the operation reads the time or the variable of an ODE. */
static bool reads_varying(const struct rd_world *w, const struct rd_op *o)
{
    bool reads = o->code == RD_OP_T;
    for (int64_t k = 0; k < w->runs.n_ode; k++)
        reads = reads || (o->code == RD_OP_PARAMETER && o->index == w->runs.ode[k].parameter);
    return reads;
}

static void note_varying(struct rd_scheme *x, const struct rd_world *w, const struct rd_op *o,
                         int32_t reaction)
{
    if (w->lattice.n_sites > 1 || !reads_varying(w, o))
        return;
    x->varies[reaction / 64] |= UINT64_C(1) << reaction % 64;
    x->integrates = true;
}

/* Lists the reactions that are visited where a species is present. */
static void note_keys(struct rd_scheme *x, const struct rd_world *w)
{
    const struct rd_rows *const rows = &w->rows;
    x->has_sources =
        rows->n_keyed_first > 0 && rows->keyed_first[w->counts.n_species] < rows->n_keyed;
    for (int32_t s = 0; x->keyed && rows->n_keyed_first > 0 && s <= w->counts.n_species; s++) {
        x->keyed[s] = 0;
        for (int32_t i = rows->keyed_first[s]; i < rows->keyed_first[s + 1]; i++)
            x->keyed[s] |= UINT64_C(1) << rows->keyed[i].reaction;
    }
}

/* Returns whether a condition of an event depends on the time. */
static bool has_timed_condition(const struct rd_world *w)
{
    bool depends = false;
    for (int64_t k = 0; k < w->runs.n_condition; k++) {
        const struct rd_rule rule = w->runs.condition[k].rule;
        for (int32_t i = 0; i < rule.n_program; i++)
            depends = depends || w->expressions.program[rule.program + i].code == RD_OP_T;
    }
    return depends;
}

/* Copies the hop rates and lists the reactions that depend on each species. A propensity depends on
   its reactants, and on the counts and totals that its expression reads. */
void rd_scheme_note(struct rd_scheme *x, const struct rd_world *w)
{
    note_leaving(x, w);
    note_keys(x, w);
    x->uses_time = has_timed_condition(w);
    if (x->reads)
        memset(x->reads, 0, (size_t)w->counts.n_species * words_of_world(w) * sizeof *x->reads);
    memset(x->reads_totals, 0, words_of_world(w) * sizeof *x->reads_totals);
    memset(x->varies, 0, words_of_world(w) * sizeof *x->varies);
    memset(x->is_read, 0, (size_t)w->runs.n_total_of);
    x->integrates = w->runs.n_ode > 0;
    for (int32_t r = 0; r < w->reactions.n_reactions; r++)
        x->exchange_of[r] = -1;
    for (int64_t i = 0; i < w->exchanges.n_exchange; i++)
        x->exchange_of[w->exchanges.exchange[i].reaction] = (int32_t)i;
    for (int32_t r = 0; r < w->reactions.n_reactions; r++) {
        const struct rd_channel *const c = &w->reactions.channel[r];
        for (int32_t i = 0; i < c->n_reactants; i++)
            note_read(x, w->reactions.reactant[c->reactant + i].species, r);
        for (int32_t i = 0; i < c->n_required; i++)
            note_read(x, w->reactions.reactant[c->required + i].species, r);
        for (int32_t i = 0; i < c->n_program; i++) {
            const struct rd_op *const o = &w->expressions.program[c->program + i];
            if (o->code == RD_OP_COUNT || o->code == RD_OP_CONCENTRATION ||
                o->code == RD_OP_DENSITY)
                note_read(x, o->index, r);
            if (o->code == RD_OP_TOTAL)
                note_total(x, o->index, r);
            note_varying(x, w, o, r);
        }
    }
}
