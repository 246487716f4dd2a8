/* modes_report - a page that explains a network to a modeller. */
#include "modes/modes_report.h"

#include "base/memory.h"
#include "modes/complexes.h"
#include "modes/laws.h"
#include "modes/modes_output.h"
#include "modes/pathways.h"
#include "modes/siphons.h"
#include "plan/conservation_laws.h"

#include <stdlib.h>
#include <string.h>

/* Sets limits of the search for modes and semiflows, and of the coefficients that are visited to
   decide which reactions are in a mode. Each takes a few seconds at most, and the same steps on any
   machine; see struct rd_engine_options and rd_feasible_find. */
enum { MODES_MOST = 200000, SEMIFLOWS_MOST = 10000, WEIGHTS_MOST = 10000000 };
static const int64_t EFFORT_MOST = INT64_C(5000000000), VISITS_MOST = INT64_C(500000000);

/* Describes a page, and all that its lines are made of. */
struct modes_page {
    const struct rd_network *network;
    const struct rd_model *model; /* or NULL */
    const struct rd_engine_options *o;
    FILE *out;
    struct rd_error *e;
    struct rd_laws laws, semiflows;
    int64_t *total;      /* [semiflow]: its sum at the start, -1: not known; owned */
    int *n_weights;      /* [semiflow]: its species, owned */
    struct rd_error why; /* of semiflows that could not be found, owned */
    int n_internal;
    bool *is_supplied; /* [species]: events or reservoirs bring it; owned */
    int64_t *start;    /* [species]: molecules at the start, -1: not known; owned */
};

/* Returns whether only reactions change numbers: no events, no walls that molecules pass. */
static bool is_closed(const struct rd_model *m)
{
    bool passes = m->n_events > 0;
    for (int s = 0; s < m->n_species; s++)
        passes = passes || rd_species_has_wall(&m->species[s], RD_WALL_ABSORB) ||
                 rd_species_has_wall(&m->species[s], RD_WALL_RESERVOIR);
    return !passes;
}

/* Returns the species of the network that has the name of one of the model, -1 if there is none. */
static int network_species_of(const struct modes_page *p, int species)
{
    const struct rd_network *const n = p->network;
    const char *const name = p->model->species[species].name;
    if (species < n->n_species && strcmp(n->species[species], name) == 0)
        return species;
    int i = 0;
    while (i < n->n_species && strcmp(n->species[i], name) != 0)
        i++;
    return i < n->n_species ? i : -1;
}

/* Adds what an entry of `initial` puts down to the start of a species. */
static void add_amount(const struct modes_page *p, const struct rd_amount *a, int species)
{
    const struct rd_eval_context at = {.parameter = p->model->value};
    const int i = network_species_of(p, species);
    const double number =
        a->kind == RD_AMOUNT_COUNT && a->species >= 0 ? rd_expr_value(&a->much, &at) : -1;
    if (i < 0)
        return;
    if (!(number >= 0 && number < 9e15) || p->start[i] < 0)
        p->start[i] = -1;
    else
        p->start[i] += (int64_t)number;
}

/* Fills in how many molecules of each species `initial` puts down, where that is a number. */
static void count_start(struct modes_page *p)
{
    const struct rd_model *const m = p->model;
    p->start = rd_memory_need(malloc(((size_t)p->network->n_species + 1) * sizeof *p->start));
    for (int i = 0; i < p->network->n_species; i++)
        p->start[i] = -1;
    if (!m || !is_closed(m))
        return;
    for (int s = 0; s < m->n_species; s++)
        if (network_species_of(p, s) >= 0)
            p->start[network_species_of(p, s)] = 0;
    for (int i = 0; i < m->n_initial; i++) {
        const struct rd_amount *const a = &m->initial[i];
        for (int s = a->species < 0 ? 0 : a->species;
             s < (a->species < 0 ? m->n_species : a->species + 1); s++)
            add_amount(p, a, s);
    }
}

/* Returns the sum of a law at the start, -1 if it is not known. */
static int64_t total_of_law(const struct modes_page *p, const int64_t *weight)
{
    rd_int128 total = 0;
    for (int i = 0; i < p->network->n_species; i++) {
        if (weight[i] != 0 && p->start[i] < 0)
            return -1;
        total += (rd_int128)weight[i] * p->start[i];
    }
    return rd_sparse_fits(total) ? (int64_t)total : -1;
}

static bool print_laws_section(struct modes_page *p)
{
    const struct rd_network *const n = p->network;
    bool *const follows = rd_memory_need(calloc((size_t)n->n_species + 1, sizeof *follows));
    bool ok = rd_laws_followers(&p->laws, follows, p->e);
    for (int64_t i = 0; ok && i < p->laws.n; i++) {
        const int64_t total = total_of_law(p, p->laws.weight + i * n->n_species);
        fputs("law         ", p->out);
        rd_laws_print(&p->laws, i, n, p->out);
        if (total >= 0)
            fprintf(p->out, " = %lld", (long long)total);
        fputc('\n', p->out);
    }
    if (ok && (p->laws.n == 0 || !p->laws.is_whole))
        fprintf(p->out, "law         %s\n",
                p->laws.is_whole ? "none: no weighted sum of species is conserved"
                                 : "there may be more: " RD_CONSERVATION_LIMITS);
    bool is_first = true;
    for (int i = 0; ok && i < n->n_species; i++) {
        if (!follows[i])
            continue;
        fprintf(p->out, "%s%s", is_first ? "follows     " : ", ", n->species[i]);
        is_first = false;
    }
    if (!is_first)
        fputs(": from the other species and the laws\n", p->out);
    free(follows);
    return ok;
}

/* Prints what is known of a species that is in no semiflow. */
static void print_unbounded(const struct modes_page *p, int species)
{
    const enum rd_feasible has = p->semiflows.has        ? p->semiflows.has[species]
                                 : p->semiflows.is_whole ? RD_FEASIBLE_NO
                                                         : RD_FEASIBLE_OPEN;
    fputs(has == RD_FEASIBLE_NO    ? "not bounded by structure"
          : has == RD_FEASIBLE_YES ? "bounded by a semiflow that was not found"
                                   : "not known",
          p->out);
}

/* Returns the largest number of a species that is not above most and differs from the start by a
   multiple of what reactions change. */
static int64_t largest_multiple(const struct modes_page *p, int species, int64_t most)
{
    const int64_t multiple = rd_network_multiple(p->network, species), start = p->start[species];
    return multiple > 1 && start >= 0 && start <= most ? most - (most - start) % multiple : most;
}

/* Prints the largest number of each species that the semiflows and multiples allow. */
static void print_bounds(const struct modes_page *p)
{
    const struct rd_network *const n = p->network;
    for (int i = 0; i < n->n_species; i++) {
        int64_t most = INT64_MAX, by = -1;
        for (int64_t law = 0; law < p->semiflows.n; law++) {
            const int64_t weight = p->semiflows.weight[law * n->n_species + i];
            if (weight == 0 || (p->total[law] < 0 && by >= 0))
                continue;
            by = law;
            if (p->total[law] >= 0 && p->total[law] / weight < most)
                most = p->total[law] / weight;
        }
        if (n->is_external[i])
            continue;
        fprintf(p->out, "largest     %s: ", n->species[i]);
        if (by < 0)
            print_unbounded(p, i);
        else if (most < INT64_MAX)
            fprintf(p->out, "%s%lld", p->semiflows.is_whole ? "" : "at most ",
                    (long long)largest_multiple(p, i, most));
        else {
            fputs("bounded by the total of ", p->out);
            rd_laws_print(&p->semiflows, by, n, p->out);
        }
        fputc('\n', p->out);
    }
    if (p->why.n > 0)
        fprintf(p->out, "semiflows   not found: %s\n", p->why.text);
    else if (!p->semiflows.is_whole)
        fprintf(p->out,
                "semiflows   not all were found, only %lld: the search ends at %d rows or after a "
                "number of steps; rdsim modes --semiflows has no limit\n",
                (long long)p->semiflows.n, SEMIFLOWS_MOST);
}

static void print_count(const struct modes_page *p, const struct rd_elementary *modes)
{
    if (!modes->is_partial)
        fprintf(p->out, "modes       %lld\n", (long long)modes->support.n);
    else if (modes->support.n > 0)
        fprintf(p->out, "modes       at least %lld; rdsim modes --count counts them all\n",
                (long long)modes->support.n);
    else
        fputs("modes       too many for this page; rdsim modes --count has no limit\n", p->out);
}

/* Marks the reactions of all modes that were found, where the linear programs left them open. */
static void mark_found(const struct rd_elementary *modes, enum rd_feasible *state)
{
    for (int r = 0; r < modes->system.n_columns; r++) {
        for (int64_t i = 0; i < modes->support.n && state[r] == RD_FEASIBLE_OPEN; i++)
            if (rd_supports_has(&modes->support, i, r))
                state[r] = RD_FEASIBLE_YES;
        if (state[r] == RD_FEASIBLE_OPEN && !modes->is_partial)
            state[r] = RD_FEASIBLE_NO;
    }
}

/* Finds the modes as far as the limits allow, prints how many there are, and decides which
   reactions are in one. If a number does not fit, compression alone has decided some. Returns false
   with a message if there is no memory. */
static bool find_modes(const struct modes_page *p, struct rd_pathways *w, enum rd_feasible *state)
{
    const struct rd_network *const n = p->network;
    struct rd_engine_options o = *p->o;
    struct rd_error e = {0};
    o.rows = MODES_MOST;
    o.effort = EFFORT_MOST;
    const bool ok = rd_pathways_find(w, n, &o, &e) &&
                    (!w->modes.lacks_memory || rd_fail_memory(&e, "out of memory for the modes"));
    if (ok && rd_elementary_feasible(&w->modes, state, VISITS_MOST, &e)) {
        print_count(p, &w->modes);
        mark_found(&w->modes, state);
    } else if (!e.lacks_memory) {
        fprintf(p->out, "modes       not counted: %s\n", e.text);
        for (int r = 0; r < n->n_reactions; r++)
            state[r] = w->modes.core.block && w->modes.core.block[r].reason != RD_BLOCK_NOT
                           ? RD_FEASIBLE_NO
                           : RD_FEASIBLE_OPEN;
    }
    const bool has_memory = !e.lacks_memory;
    if (!has_memory)
        rd_error_add(p->e, &e);
    rd_error_free(&e);
    return has_memory;
}

/* Prints the reactions that are in no mode, with their reasons, and how many are not decided. */
static bool print_idle(struct modes_page *p)
{
    struct rd_pathways w = {0};
    const struct rd_network *const n = p->network;
    const size_t most = (size_t)n->n_reactions + 1;
    enum rd_feasible *const state = rd_memory_need(malloc(most * sizeof *state));
    const bool ok = find_modes(p, &w, state);
    int n_open = 0;
    for (int r = 0; ok && r < n->n_reactions; r++) {
        n_open += state[r] == RD_FEASIBLE_OPEN;
        if (state[r] != RD_FEASIBLE_NO)
            continue;
        fprintf(p->out, "in no mode  %s: ", n->reaction[r].name);
        rd_modes_output_reason(&w, r, p->out);
        fputc('\n', p->out);
    }
    if (ok && n_open > 0)
        fprintf(p->out, "not decided %d more reaction%s may be in no mode\n", n_open,
                n_open == 1 ? "" : "s");
    free(state);
    rd_pathways_free(&w);
    return ok;
}

/* Returns whether reactions alone change numbers, each direction of the network is a reaction of
   the model, and all propensities are those of mass action, with constants. */
static bool has_mass_action(const struct modes_page *p)
{
    const struct rd_model *const m = p->model;
    int n_ways = 0;
    for (int i = 0; i < p->network->n_reactions; i++)
        n_ways += 1 + p->network->reaction[i].is_reversible;
    bool is_so = m && is_closed(m) && m->n_reactions == n_ways;
    for (int i = 0; is_so && i < m->n_reactions; i++)
        is_so = !m->reaction[i].has_propensity && !m->reaction[i].has_weight &&
                m->reaction[i].region < 0 &&
                (m->reaction[i].rate.uses & ~(unsigned)RD_USES_PARAMETERS) == 0;
    return is_so;
}

/* Prints the species whose number changes by multiples of more than 1 only. */
static void print_multiples(struct modes_page *p)
{
    const struct rd_network *const n = p->network;
    for (int i = 0; i < n->n_species; i++) {
        const int64_t multiple = rd_network_multiple(n, i);
        if (multiple > 1)
            fprintf(p->out, "multiples   %s changes by multiples of %lld only\n", n->species[i],
                    (long long)multiple);
    }
}

static bool print_deficiency(struct modes_page *p)
{
    struct rd_complexes c;
    if (!rd_complexes_count(&c, p->network, p->e))
        return false;
    const int64_t rank = p->n_internal - p->laws.n;
    const int64_t deficiency = c.n - c.n_linkage - rank;
    if (!p->laws.is_whole)
        fputs("deficiency  not known: there may be more laws\n", p->out);
    else
        fprintf(p->out, "deficiency  %lld: %d complex%s, %d linkage class%s, rank %lld; %s\n",
                (long long)deficiency, c.n, c.n == 1 ? "" : "es", c.n_linkage,
                c.n_linkage == 1 ? "" : "es", (long long)rank,
                c.is_weakly_reversible ? "weakly reversible" : "not weakly reversible");
    if (p->laws.is_whole && deficiency == 0 && c.is_weakly_reversible && has_mass_action(p))
        fputs(
            "equilibrium at equilibrium the counts in a well-mixed volume are independent Poisson "
            "numbers,\n            conditioned on the laws and on what can be reached\n",
            p->out);
    print_multiples(p);
    return true;
}

/* Returns whether a siphon has all species of a semiflow whose total is above 0 or not known: its
   members are species in rising order. */
static bool is_protected(const struct modes_page *p, const int32_t *member, int64_t n)
{
    for (int64_t law = 0; law < p->semiflows.n; law++) {
        if (p->total[law] == 0)
            continue;
        const int64_t *const weight = p->semiflows.weight + law * p->network->n_species;
        int n_shared = 0;
        for (int64_t i = 0; i < n; i++)
            n_shared += weight[member[i]] != 0;
        if (n_shared == p->n_weights[law])
            return true;
    }
    return false;
}

/* Returns whether no member is there at the start. */
static bool is_absent(const struct modes_page *p, const int32_t *member, int64_t n)
{
    bool is = true;
    for (int64_t i = 0; i < n; i++)
        is = is && p->start[member[i]] == 0;
    return is;
}

/* Returns whether an event or a reservoir brings molecules of a species. */
static bool is_supplied(const struct rd_model *m, int species)
{
    bool is = false;
    for (int i = 0; i < m->n_events; i++) {
        for (int k = 0; k < m->event[i].n_add; k++)
            is = is || m->event[i].add[k].species < 0 || m->event[i].add[k].species == species;
        for (int k = 0; k < m->event[i].n_take; k++)
            is = is || m->event[i].take[k].becomes == species;
    }
    return is || rd_species_has_wall(&m->species[species], RD_WALL_RESERVOIR);
}

/* Marks the species that events or reservoirs bring. */
static void find_supplied(struct modes_page *p)
{
    const size_t n = (size_t)p->network->n_species + 1;
    p->is_supplied = rd_memory_need(calloc(n, sizeof *p->is_supplied));
    for (int s = 0; p->model && s < p->model->n_species; s++)
        if (network_species_of(p, s) >= 0)
            p->is_supplied[network_species_of(p, s)] = is_supplied(p->model, s);
}

/* Returns what happens to a siphon. */
static const char *fate_of(const struct modes_page *p, const int32_t *member, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        if (p->is_supplied[member[i]])
            return "once gone, back only by events or reservoirs";
    return is_absent(p, member, n) ? "not there at the start, and never made"
                                   : "once gone, never back";
}

static bool print_siphons(struct modes_page *p)
{
    struct rd_siphons s;
    const bool ok = rd_siphons_find(&s, p->network, p->e);
    int n_printed = 0;
    for (int k = 0; ok && k < s.n; k++) {
        const int32_t *const member = s.member + s.begin[k];
        const int64_t n = s.begin[k + 1] - s.begin[k];
        if (is_protected(p, member, n))
            continue;
        n_printed++;
        fputs("siphon      ", p->out);
        for (int64_t i = 0; i < n; i++)
            fprintf(p->out, "%s%s", i ? ", " : "", p->network->species[member[i]]);
        fprintf(p->out, ": %s\n", fate_of(p, member, n));
    }
    if (ok && !s.is_whole)
        fprintf(p->out,
                "siphons     larger ones may be missing: the search ended after %s; all of fewer "
                "than %d species are here\n",
                s.n == RD_SIPHONS_MOST ? "1,000 siphons" : "a fixed number of steps", s.least);
    else if (ok && n_printed == 0)
        fputs("siphon      none: no species can be lost for good\n", p->out);
    rd_siphons_free(&s);
    return ok;
}

/* Finds the semiflows as far as the limits allow. Each of them is a law. Returns false with a
   message if there is no memory. */
static bool find_semiflows(struct modes_page *p)
{
    const struct rd_network *const n = p->network;
    struct rd_engine_options o = *p->o;
    o.effort = EFFORT_MOST;
    o.rows = WEIGHTS_MOST / (n->n_species + 1) + 1;
    o.rows = o.rows < SEMIFLOWS_MOST ? o.rows : SEMIFLOWS_MOST;
    p->semiflows.is_whole = p->laws.is_whole && p->laws.n == 0;
    if (p->semiflows.is_whole || rd_laws_semiflows(&p->semiflows, n, &o, &p->why))
        return true;
    rd_laws_free(&p->semiflows);
    if (p->why.lacks_memory)
        rd_error_add(p->e, &p->why);
    return !p->why.lacks_memory;
}

static bool find_laws(struct modes_page *p)
{
    const struct rd_network *const n = p->network;
    if (!rd_laws_find(&p->laws, n, p->e) || !find_semiflows(p))
        return false;
    const size_t most = (size_t)p->semiflows.n + 1;
    p->total = rd_memory_need(malloc(most * sizeof *p->total));
    p->n_weights = rd_memory_need(calloc(most, sizeof *p->n_weights));
    for (int64_t law = 0; law < p->semiflows.n; law++) {
        const int64_t *const weight = p->semiflows.weight + law * n->n_species;
        p->total[law] = total_of_law(p, weight);
        for (int i = 0; i < n->n_species; i++)
            p->n_weights[law] += weight[i] != 0;
    }
    return true;
}

bool rd_modes_report(const struct rd_network *n, const struct rd_model *m,
                     const struct rd_engine_options *o, FILE *out, struct rd_error *e)
{
    struct modes_page p = {.network = n, .model = m, .o = o, .out = out, .e = e};
    for (int i = 0; i < n->n_species; i++)
        p.n_internal += !n->is_external[i];
    count_start(&p);
    find_supplied(&p);
    bool ok = find_laws(&p);
    if (ok)
        fprintf(out, "network     %d species, %d reaction%s, rank %s%lld\n", n->n_species,
                n->n_reactions, n->n_reactions == 1 ? "" : "s", p.laws.is_whole ? "" : "at most ",
                (long long)(p.n_internal - p.laws.n));
    ok = ok && print_laws_section(&p);
    if (ok)
        print_bounds(&p);
    ok = ok && print_idle(&p) && print_deficiency(&p) && print_siphons(&p);
    rd_laws_free(&p.laws);
    rd_laws_free(&p.semiflows);
    rd_error_free(&p.why);
    free(p.total);
    free(p.n_weights);
    free(p.start);
    free(p.is_supplied);
    return ok;
}
