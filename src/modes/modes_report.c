/* modes_report - a page that explains a network to a modeller. */
#include "modes/modes_report.h"

#include "base/memory.h"
#include "modes/complexes.h"
#include "modes/laws.h"
#include "modes/modes_output.h"
#include "modes/pathways.h"
#include "modes/siphons.h"
#include "modes/start_counts.h"

#include <stdlib.h>
#include <string.h>

/* Sets limits of the search for modes and semiflows, and of the coefficients that are visited to
   decide which reactions are in a mode. Each takes a few seconds at most, and the same steps on any
   machine; see struct rd_engine_options and rd_feasible_find. */
enum { MODES_MOST = 200000, SEMIFLOWS_MOST = 10000, TERMS_MOST = 8 };
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
    struct rd_error why; /* of semiflows that could not be found, owned */
    int n_internal;
    struct rd_start_counts start;
    int64_t *multiple; /* [species]: of what it changes by multiples; owned */
};

/* Sets *total to the sum of a law at the start. Returns whether it is known. */
static bool find_law_total(const struct modes_page *p, const struct rd_sparse *law, int64_t *total)
{
    rd_int128 sum = 0;
    for (int i = 0; i < law->n; i++) {
        const int64_t start = p->start.number[law->entry[i].at];
        if (start < 0)
            return false;
        sum += (rd_int128)law->entry[i].value * start;
    }
    *total = (int64_t)sum;
    return rd_sparse_fits(sum);
}

static void print_laws(const struct modes_page *p)
{
    for (int i = 0; i < p->laws.law.n; i++) {
        int64_t total;
        fputs("law         ", p->out);
        rd_weighted_sums_print(&p->laws.law.of[i], p->network->species, p->out);
        if (find_law_total(p, &p->laws.law.of[i], &total))
            fprintf(p->out, " = %lld", (long long)total);
        fputc('\n', p->out);
    }
    if (p->laws.n_missing != 0) {
        fputs("law         ", p->out);
        rd_laws_print_missing(&p->laws, p->out);
        fputc('\n', p->out);
    } else if (p->laws.law.n == 0)
        fputs("law         none: no weighted sum of species is conserved\n", p->out);
}

/* Prints the species whose numbers follow from the others by the laws. */
static bool print_followers(const struct modes_page *p)
{
    const struct rd_network *const n = p->network;
    bool *const follows = rd_memory_need(calloc((size_t)n->n_species + 1, sizeof *follows));
    const bool ok = rd_laws_followers(&p->laws, n->n_species, follows, p->e);
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
    const enum rd_feasible has = p->semiflows.has              ? p->semiflows.has[species]
                                 : p->semiflows.n_missing == 0 ? RD_FEASIBLE_NO
                                                               : RD_FEASIBLE_OPEN;
    fputs(has == RD_FEASIBLE_NO    ? "not bounded by a law"
          : has == RD_FEASIBLE_YES ? "bounded by a semiflow that was not found"
                                   : "not known",
          p->out);
}

/* Holds what bounds a species. */
struct bound {
    int64_t most; /* the largest number that is possible, INT64_MAX: not known */
    int by;       /* the first semiflow with the species, or -1 */
};

/* Sets the bounds of all species: their number at the start if no reaction makes them, and what the
   semiflows allow. */
static void find_bounds(const struct modes_page *p, struct bound *bound)
{
    const struct rd_network *const n = p->network;
    for (int i = 0; i < n->n_species; i++)
        bound[i] = (struct bound){p->start.number[i] < 0 ? INT64_MAX : p->start.number[i], -1};
    for (int r = 0; r < n->n_reactions; r++)
        for (int i = 0; i < n->reaction[r].net.n; i++)
            if (n->reaction[r].is_reversible || n->reaction[r].net.entry[i].value > 0)
                bound[n->reaction[r].net.entry[i].at].most = INT64_MAX;
    for (int law = 0; law < p->semiflows.law.n; law++) {
        const struct rd_sparse *const x = &p->semiflows.law.of[law];
        for (int i = 0; i < x->n; i++) {
            struct bound *const b = &bound[x->entry[i].at];
            const int64_t total = p->total[law], most = total / x->entry[i].value;
            b->by = b->by < 0 ? law : b->by;
            b->most = total >= 0 && most < b->most ? most : b->most;
        }
    }
}

/* Prints a semiflow, of a long one only the first terms. */
static void print_semiflow(const struct modes_page *p, const struct rd_sparse *law)
{
    const bool is_long = law->n > TERMS_MOST + 1;
    const struct rd_sparse part = {law->entry, is_long ? TERMS_MOST : law->n};
    rd_weighted_sums_print(&part, p->network->species, p->out);
    if (is_long)
        fprintf(p->out, " + %d more species", law->n - part.n);
}

/* Returns the largest number of a species that is not above most and differs from the start by a
   multiple of what reactions change. */
static int64_t largest_multiple(const struct modes_page *p, int species, int64_t most)
{
    const int64_t multiple = p->multiple[species], start = p->start.number[species];
    return multiple > 1 && start >= 0 && start <= most ? most - (most - start) % multiple : most;
}

static void print_bound(const struct modes_page *p, int species, const struct bound *b)
{
    fprintf(p->out, "largest     %s: ", p->network->species[species]);
    if (b->most < INT64_MAX)
        fprintf(p->out, "%s%lld", p->semiflows.n_missing == 0 ? "" : "at most ",
                (long long)largest_multiple(p, species, b->most));
    else if (b->by < 0)
        print_unbounded(p, species);
    else {
        fputs("bounded by the total of ", p->out);
        print_semiflow(p, &p->semiflows.law.of[b->by]);
    }
    fputc('\n', p->out);
}

/* Prints why some semiflows are missing. */
static void print_missing_semiflows(const struct modes_page *p)
{
    if (p->why.n > 0)
        fprintf(p->out, "semiflows   not found: %s\n", p->why.text);
    else if (p->semiflows.n_missing > 0)
        fprintf(p->out, "semiflows   %d more %s weights that do not fit into 64 bits\n",
                p->semiflows.n_missing, p->semiflows.n_missing == 1 ? "has" : "have");
    else if (p->semiflows.n_missing < 0)
        fprintf(p->out,
                "semiflows   not all were found, only %d: the search ends at %d rows or after a "
                "number of steps; rdsim modes --semiflows has no limit\n",
                p->semiflows.law.n, SEMIFLOWS_MOST);
}

/* Prints the largest number of each species, as far as it is known. */
static void print_bounds(const struct modes_page *p)
{
    const struct rd_network *const n = p->network;
    struct bound *const bound = rd_memory_need(malloc(((size_t)n->n_species + 1) * sizeof *bound));
    find_bounds(p, bound);
    for (int i = 0; i < n->n_species; i++)
        if (!n->is_external[i])
            print_bound(p, i, &bound[i]);
    print_missing_semiflows(p);
    free(bound);
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
    bool is_so = m && p->start.is_closed && m->n_reactions == n_ways;
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
        if (p->multiple[i] > 1)
            fprintf(p->out, "multiples   %s changes by multiples of %lld only\n", n->species[i],
                    (long long)p->multiple[i]);
    }
}

static bool print_deficiency(struct modes_page *p)
{
    struct rd_complexes c;
    if (!rd_complexes_count(&c, p->network, p->e))
        return false;
    const int rank = p->n_internal - p->laws.law.n - p->laws.n_missing;
    const int deficiency = c.n - c.n_linkage - rank;
    const bool is_known = p->laws.n_missing >= 0;
    if (!is_known)
        fputs("deficiency  not known: there may be more laws\n", p->out);
    else
        fprintf(p->out, "deficiency  %d: %d complex%s, %d linkage class%s, rank %d; %s\n",
                deficiency, c.n, c.n == 1 ? "" : "es", c.n_linkage, c.n_linkage == 1 ? "" : "es",
                rank, c.is_weakly_reversible ? "weakly reversible" : "not weakly reversible");
    if (is_known && deficiency == 0 && c.is_weakly_reversible && has_mass_action(p))
        fputs(
            "equilibrium at equilibrium the counts in a well-mixed volume are independent Poisson "
            "numbers,\n            conditioned on the laws and on what can be reached\n",
            p->out);
    print_multiples(p);
    return true;
}

/* Returns whether no member is there at the start. */
static bool is_absent(const struct modes_page *p, const int32_t *member, int n)
{
    bool is = true;
    for (int i = 0; i < n; i++)
        is = is && p->start.number[member[i]] == 0;
    return is;
}

/* Returns whether a semiflow that was found has the same species as a siphon. */
static bool is_semiflow(const struct modes_page *p, const int32_t *member, int n)
{
    for (int law = 0; law < p->semiflows.law.n; law++) {
        const struct rd_sparse *const x = &p->semiflows.law.of[law];
        int i = 0;
        while (i < n && x->n == n && x->entry[i].at == member[i])
            i++;
        if (i == n)
            return true;
    }
    return false;
}

/* Sets *is to whether a siphon cannot become empty, because a semiflow whose total is above 0 or
   not known has no other species. The species of a semiflow are a siphon, so that a minimal siphon
   has either all of them or not. */
static bool find_protection(const struct modes_page *p, const int32_t *member, int n,
                            enum rd_feasible *is)
{
    *is = !is_absent(p, member, n) && is_semiflow(p, member, n) ? RD_FEASIBLE_YES : RD_FEASIBLE_NO;
    return *is == RD_FEASIBLE_YES || is_absent(p, member, n) || p->semiflows.n_missing == 0 ||
           rd_laws_conserve(is, p->network, member, n, p->e);
}

/* Returns what happens to a siphon. */
static const char *fate_of(const struct modes_page *p, const int32_t *member, int n,
                           enum rd_feasible is_protected)
{
    if (is_protected == RD_FEASIBLE_OPEN)
        return "not known whether it can become empty";
    for (int i = 0; i < n; i++)
        if (p->start.is_supplied[member[i]])
            return "once gone, back only by events or reservoirs";
    return is_absent(p, member, n) ? "not there at the start, and never made"
                                   : "once gone, never back";
}

static void print_siphon(const struct modes_page *p, const int32_t *member, int n, const char *fate)
{
    fputs("siphon      ", p->out);
    for (int i = 0; i < n; i++)
        fprintf(p->out, "%s%s", i ? ", " : "", p->network->species[member[i]]);
    fprintf(p->out, ": %s\n", fate);
}

static bool print_siphons(struct modes_page *p)
{
    struct rd_siphons s;
    bool ok = rd_siphons_find(&s, p->network, p->e);
    int n_printed = 0;
    for (int k = 0; ok && k < s.n; k++) {
        const int32_t *const member = s.member + s.begin[k];
        const int n = (int)(s.begin[k + 1] - s.begin[k]);
        enum rd_feasible is_protected;
        ok = find_protection(p, member, n, &is_protected);
        if (!ok || is_protected == RD_FEASIBLE_YES)
            continue;
        n_printed++;
        print_siphon(p, member, n, fate_of(p, member, n, is_protected));
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
    o.rows = SEMIFLOWS_MOST;
    const bool has_none = p->laws.n_missing == 0 && p->laws.law.n == 0;
    if (has_none || rd_laws_semiflows(&p->semiflows, n, &o, &p->why))
        return true;
    rd_laws_free(&p->semiflows);
    p->semiflows.n_missing = -1;
    if (p->why.lacks_memory)
        rd_error_add(p->e, &p->why);
    return !p->why.lacks_memory;
}

static bool find_laws(struct modes_page *p)
{
    if (!rd_laws_find(&p->laws, p->network, p->e) || !find_semiflows(p))
        return false;
    p->total = rd_memory_need(malloc(((size_t)p->semiflows.law.n + 1) * sizeof *p->total));
    for (int law = 0; law < p->semiflows.law.n; law++)
        if (!find_law_total(p, &p->semiflows.law.of[law], &p->total[law]))
            p->total[law] = -1;
    return true;
}

bool rd_modes_report(const struct rd_network *n, const struct rd_model *m,
                     const struct rd_engine_options *o, FILE *out, struct rd_error *e)
{
    struct modes_page p = {.network = n, .model = m, .o = o, .out = out, .e = e};
    for (int i = 0; i < n->n_species; i++)
        p.n_internal += !n->is_external[i];
    rd_start_counts_read(&p.start, n, m);
    p.multiple = rd_network_multiples(n);
    bool ok = find_laws(&p);
    if (ok) {
        const int missing = p.laws.n_missing < 0 ? 0 : p.laws.n_missing;
        fprintf(out, "network     %d species, %d reaction%s, rank %s%d\n", n->n_species,
                n->n_reactions, n->n_reactions == 1 ? "" : "s",
                p.laws.n_missing < 0 ? "at most " : "", p.n_internal - p.laws.law.n - missing);
        print_laws(&p);
    }
    ok = ok && print_followers(&p);
    if (ok)
        print_bounds(&p);
    ok = ok && print_idle(&p) && print_deficiency(&p) && print_siphons(&p);
    rd_laws_free(&p.laws);
    rd_laws_free(&p.semiflows);
    rd_start_counts_free(&p.start);
    rd_error_free(&p.why);
    free(p.total);
    free(p.multiple);
    return ok;
}
