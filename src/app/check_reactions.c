/* check_reactions - what `rdsim check` prints of reactions, observables and events. */
#include "app/check.h"

#include "app/check_rates.h"
#include "app/check_units.h"

#include <math.h>
#include <string.h>

/* Sets the number of species or reactions above which a model gets one line about all of them. */
enum { MANY = 60 };

/* Returns whether a product of the reaction lives on a surface. */
static bool lands_by_area(const struct rd_model *m, const struct rd_reaction *r)
{
    for (int i = 0; i < r->n_products; i++)
        if (m->species[r->product[i].species].surface >= 0)
            return true;
    return false;
}

/* Prints where the reaction happens. */
static void print_site(FILE *out, const struct rd_plan *p, int32_t channel)
{
    const struct rd_model *const m = p->model;
    const struct rd_reaction *const r = &m->reaction[p->reaction_of[channel]];
    const struct rd_exchange *const x = rd_plan_exchange_of(p, channel);
    if (r->compartment >= 0)
        fprintf(out, " in the compartment %s", m->region[r->region].name);
    else
        fprintf(out, " in each voxel%s%s", r->region < 0 ? "" : " of ",
                r->region < 0 ? "" : m->region[r->region].name);
    if (x && x->is_released)
        fprintf(out, "; products appear in one of %lld voxels, by %s", (long long)x->n_landing,
                lands_by_area(m, r) ? "area" : "volume");
    fprintf(out, "\n");
}

/* Prints a reaction that is mixed in each step, at the direction into the compartment. */
static void print_mixing(FILE *out, const struct rd_plan *p, int32_t channel)
{
    const struct rd_model *const m = p->model;
    const struct rd_reaction *const r = &m->reaction[p->reaction_of[channel]];
    for (int64_t i = 0; i < p->world.exchanges.n_mixing; i++)
        if (p->mixing[i].reaction == channel)
            fprintf(out,
                    "reaction    %s and back: instant; after each step a molecule is in the "
                    "compartment %s with probability %.6g, or else in one of %lld "
                    "voxels, by %s\n",
                    r->label, m->region[m->reaction[r->turned].region].name, p->mixing[i].share,
                    (long long)p->mixing[i].n_landing,
                    lands_by_area(m, &m->reaction[r->turned]) ? "area" : "volume");
}

/* Prints the formula of a voxel's propensity, with its numbers. */
static void print_reaction(FILE *out, const struct rd_plan *p, int32_t channel)
{
    const struct rd_model *const m = p->model;
    const struct rd_reaction *const r = &m->reaction[p->reaction_of[channel]];
    const struct rd_channel whole = rd_plan_whole_channel(p, channel), *const c = &whole;
    if (r->is_instant) {
        print_mixing(out, p, channel);
        return;
    }
    if (strcmp(r->label, r->equation) != 0 && !strstr(r->label, " -> "))
        fprintf(out, "reaction    %s, %s: propensity ", r->label, r->equation);
    else
        fprintf(out, "reaction    %s: propensity ", r->label);
    if (c->expression_kind == RD_EXPRESSION_PROPENSITY) {
        fprintf(out, "%s", r->propensity.text);
    } else {
        fprintf(out, "%.9g", c->rate);
        for (int32_t i = 0; i < c->n_reactants; i++) {
            const struct rd_reactant *const t = &p->reactant[c->reactant + i];
            const char *const name = m->species[p->species_of[t->species]].name;
            fprintf(out, " %s", name);
            for (int32_t k = 1; k < t->number; k++)
                fprintf(out, " (%s-%d)", name, k);
        }
        if (c->expression_kind == RD_EXPRESSION_FACTOR && !rd_step_limit_knows(c, r))
            fprintf(out, " * (%s)", r->rate.text);
    }
    if (r->surface >= 0 && !r->has_propensity)
        fprintf(out, ", on average,");
    print_site(out, p, channel);
    rd_check_rate(out, m, r);
    rd_check_fates(out, p, channel);
}

static void print_observables(FILE *out, const struct rd_model *m)
{
    for (int i = 0; i < m->n_observables; i++) {
        const struct rd_observable *const x = &m->observable[i];
        fprintf(out, "observable  %s:%s", x->name, x->n_terms ? "" : " 0");
        for (int k = 0; k < x->n_terms; k++) {
            fputs(k ? " + " : " ", out);
            if (x->term[k].number > 1)
                fprintf(out, "%d ", x->term[k].number);
            fputs(m->species[x->term[k].species].name, out);
        }
        fputc('\n', out);
    }
}

/* Prints what is counted by attributes, and the data sets that have it. */
static void print_by(FILE *out, const struct rd_model *m)
{
    for (int i = 0; i < m->n_by; i++) {
        const struct rd_by *const by = &m->by[i];
        const struct rd_species *const of = &m->species[by->species];
        const char *const group = m->output[by->output].name;
        fprintf(out, "counted     %s by %s from %d to %d: %s%sby/%s\n", of->name,
                of->attribute[by->attribute].name, by->least, by->most, group, *group ? "/" : "",
                by->name);
    }
}

void rd_check_network(FILE *out, const struct rd_plan *p)
{
    const struct rd_model *const m = p->model;
    int64_t by_order[4] = {0}, by_expression = 0, moving = 0;
    double least = INFINITY, most = 0.0;
    if (m->n_species <= MANY && m->n_reactions <= MANY)
        return;
    for (int s = 0; s < m->n_species; s++)
        moving += p->transport[p->species_at[s]].kind != RD_MOVE_NOT;
    for (int32_t i = 0; i < p->world.reactions.n_reactions; i++) {
        const struct rd_reaction *const r = &m->reaction[p->reaction_of[i]];
        int order = 0;
        for (int k = 0; k < r->n_reactants; k++)
            order += r->reactant[k].number < 3 ? r->reactant[k].number : 3;
        by_order[order < 3 ? order : 3]++;
        const bool is_constant = p->channel[i].expression_kind == RD_EXPRESSION_NONE;
        by_expression += !is_constant;
        least = is_constant ? fmin(least, p->channel[i].rate) : least;
        most = is_constant ? fmax(most, p->channel[i].rate) : most;
    }
    fprintf(out,
            "network     %d species, of which %lld move; %d reactions: %lld without reactants, "
            "%lld of one molecule, %lld of two, %lld of more",
            m->n_species, (long long)moving, m->n_reactions, (long long)by_order[0],
            (long long)by_order[1], (long long)by_order[2], (long long)by_order[3]);
    if (by_expression > 0)
        fprintf(out, "; %lld by expressions", (long long)by_expression);
    if (most > 0.0)
        fprintf(out, "; constants of propensities from %.6g to %.6g", least, most);
    fputc('\n', out);
}

void rd_check_reactions(FILE *out, const struct rd_plan *p)
{
    for (int32_t r = 0; r < p->world.reactions.n_reactions; r++)
        print_reaction(out, p, r);
    print_observables(out, p->model);
    print_by(out, p->model);
}

/* ---- events ---- */

static void print_occasion(FILE *out, const struct rd_event *x)
{
    if (x->when.n > 0)
        fprintf(out, "%s %s", x->repeats ? "each time that" : "once", x->when.text);
    else
        fprintf(out, "at t = %g", x->time);
    if (x->when.n == 0 && x->every > 0)
        fprintf(out, ", every %g until %g", x->every, x->until);
}

static void print_where(FILE *out, const struct rd_model *m, const struct rd_amount *a)
{
    if (a->region >= 0)
        fprintf(out, " in %s", m->region[a->region].name);
    if (a->is_at)
        fprintf(out, " in voxel (%d, %d, %d)", a->voxel[0], a->voxel[1], a->voxel[2]);
    if (a->site)
        fprintf(out, " in %lld voxels", (long long)a->n_sites);
}

static void print_added(FILE *out, const struct rd_model *m, const struct rd_amount *a)
{
    static const char *const per[] = {[RD_AMOUNT_COUNT] = "",
                                      [RD_AMOUNT_DENSITY] = "per volume ",
                                      [RD_AMOUNT_VALUE] = "per voxel "};
    if (a->kind == RD_AMOUNT_FROM)
        fprintf(out, "add what %s holds", a->file);
    else
        fprintf(out, "add %s %s%s", a->much.text, per[a->kind], m->species[a->species].name);
    print_where(out, m, a);
}

static void print_taken(FILE *out, const struct rd_model *m, const struct rd_amount *a)
{
    const char *const name = m->species[a->species].name;
    const bool is_each = a->share == RD_SHARE_PROBABILITY || a->share == RD_SHARE_REST;
    fputs(a->becomes >= 0 ? "convert " : a->share == RD_SHARE_REST ? "divide: " : "remove ", out);
    if (is_each)
        fprintf(out, "each %s", name);
    else if (a->share == RD_SHARE_ALL)
        fprintf(out, "all %s", name);
    else
        fprintf(out, "%s%s %s", a->much.text,
                a->share == RD_SHARE_FRACTION ? " of all"
                : a->share == RD_SHARE_EACH   ? " per voxel"
                                              : "",
                name);
    if (a->becomes >= 0)
        fprintf(out, " to %s", m->species[a->becomes].name);
    print_where(out, m, a);
    if (is_each)
        fprintf(out, "%s with probability %s", a->share == RD_SHARE_REST ? " stays" : "",
                a->much.text);
}

void rd_check_events(FILE *out, const struct rd_model *m)
{
    for (int i = 0; i < m->n_events; i++) {
        const struct rd_event *const x = &m->event[i];
        const char *before = ": ";
        fprintf(out, "event       %s%s", x->name ? x->name : "", x->name ? ", " : "");
        print_occasion(out, x);
        for (int k = 0; k < x->n_set; k++, before = "; ")
            fprintf(out, "%sset %s to %s", before, m->parameter[x->set[k].parameter],
                    x->set[k].value.text);
        for (int k = 0; k < x->n_take; k++, before = "; ") {
            fputs(before, out);
            print_taken(out, m, &x->take[k]);
        }
        for (int k = 0; k < x->n_add; k++, before = "; ") {
            fputs(before, out);
            print_added(out, m, &x->add[k]);
        }
        fputc('\n', out);
    }
}
