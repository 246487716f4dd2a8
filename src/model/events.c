/* events - the section `events`: the times at which parameters are set and molecules are removed,
   divided, converted and added. */
#include "expr/token.h"
#include "model/borders.h"
#include "model/equation.h"
#include "model/reader.h"
#include "model/surface.h"

#include <stdlib.h>
#include <string.h>

/* ---- parameters that are values of a run ---- */

/* Returns whether the text names a parameter of a run, or a total. */
static bool is_text_of_run(const struct rd_model *m, const char *text)
{
    for (struct rd_token t = rd_token_at(text); t.kind != RD_TOKEN_END;
         t = rd_token_at(t.start + t.length)) {
        if (t.length == 0)
            return false; /* the text is wrong, which is reported when it is read */
        bool is = rd_token_is(&t, "total");
        for (int p = 0; p < m->n_parameters && !is; p++)
            is = m->is_of_run[p] && rd_token_is(&t, m->parameter[p]);
        if (is)
            return true;
    }
    return false;
}

/* Marks the parameters that the event sets in each run by itself; returns whether any is new. */
static bool mark_settings(struct rd_model *m, const rd_node *event)
{
    const rd_node *const set = rd_node_member(event, "set");
    bool is_new = false;
    for (int i = 0; set && i < rd_node_length(set); i++) {
        const rd_node *const node = rd_node_at(set, i);
        const int p = rd_names_find(m, RD_NAME_PARAMETER, rd_node_name(node));
        if (p < 0 || m->is_of_run[p])
            continue;
        m->is_of_run[p] = rd_node_member(event, "when") ||
                          (rd_node_is_text(node) && is_text_of_run(m, rd_node_text(node)));
        is_new = is_new || m->is_of_run[p];
    }
    return is_new;
}

void rd_events_find_run_values(struct rd_reader *r)
{
    const rd_node *const list = rd_node_member(rd_config_root(r->c), "events");
    for (bool again = true; again;) {
        again = false;
        for (int i = 0; i < rd_node_length(list); i++)
            again = mark_settings(r->m, rd_node_at(list, i)) || again;
        r->m->has_run_values = r->m->has_run_values || again;
    }
}

static void check_fixed(struct rd_reader *r, const struct rd_expr *x, const char *place,
                        const char *what)
{
    for (int32_t i = 0; i < x->n; i++)
        if (x->op[i].code == RD_OP_PARAMETER && x->op[i].value != 0) {
            rd_fail(r->e,
                    "%s: %s uses '%s', which an event sets in each run by itself, but it must be "
                    "equal in all runs; use a parameter that only events at set times set",
                    place, what, r->m->parameter[x->op[i].index]);
            return;
        }
}

void rd_events_check_fixed(struct rd_reader *r)
{
    const struct rd_model *const m = r->m;
    for (int s = 0; s < m->n_species; s++)
        for (int face = 0; face < RD_FACES; face++) {
            check_fixed(r, &m->species[s].wall[face].probability, m->species[s].place, "a wall");
            check_fixed(r, &m->species[s].wall[face].mean, m->species[s].place, "a wall");
        }
    for (int i = 0; i < m->n_borders; i++)
        check_fixed(r, &m->border[i].pass, m->border[i].place,
                    m->border[i].is_permeability ? "permeability" : "pass");
    for (int i = 0; i < m->n_reactions; i++)
        if (m->reaction[i].is_microscopic) {
            check_fixed(r, &m->reaction[i].rate, m->reaction[i].place, "a microscopic rate");
            check_fixed(r, &m->reaction[i].radius, m->reaction[i].place, "radius");
        }
}

/* ---- parameters and times ---- */

static bool sets(const struct rd_event *x, int parameter)
{
    for (int i = 0; i < x->n_set; i++)
        if (x->set[i].parameter == parameter)
            return true;
    return false;
}

static void read_settings(struct rd_reader *r, const rd_node *group, struct rd_event *x)
{
    const int n = group ? rd_node_length(group) : 0;
    x->set = rd_reader_array(r, n, sizeof *x->set);
    x->n_set = x->set ? n : 0;
    const unsigned uses =
        r->is_edit ? RD_USES_PARAMETERS : RD_USES_PARAMETERS | RD_USES_TIME | RD_USES_TOTALS;
    for (int i = 0; i < x->n_set; i++) {
        const rd_node *const node = rd_node_at(group, i);
        const char *const name = rd_node_name(node);
        x->set[i].parameter = rd_names_look(r, node, RD_NAME_PARAMETER, name);
        if (rd_reader_expr(r, node, name, uses, RD_RANGE_ANY, &x->set[i].value) &&
            x->set[i].parameter >= 0)
            rd_quantities_set(r, node, x->set[i].parameter, &x->set[i].value);
    }
    for (int i = 0; i < x->n_set; i++) {
        const int p = x->set[i].parameter, heir = p < 0 ? -1 : r->heir[p];
        if (heir >= 0 && !sets(x, heir))
            rd_reader_warn(r, group,
                           "'%s' is set, but '%s', computed from it at the start, keeps its value; "
                           "set that too",
                           r->m->parameter[p], r->m->parameter[heir]);
    }
}

static void check_times(struct rd_reader *r, const rd_node *group, const struct rd_event *x)
{
    const double end = r->m->end;
    const double most = 1e7; /* occurrences of one event; each takes a step */
    if (end > 0 && x->time > end)
        rd_reader_warn(r, group, "its time, %g, is after the end, %g; move one of them", x->time,
                       end);
    else if (x->until < x->time)
        rd_reader_fail(r, group, "until is %g, before the first time, %g; give a later one",
                       x->until, x->time);
    else if (x->every > 0 && (x->until - x->time) / x->every > most)
        rd_reader_fail(
            r, group,
            "every %g from %g to %g makes more than %.0f occurrences; give a longer interval",
            x->every, x->time, x->until, most);
}

/* Reads the condition of an event, which then has no times. */
static void read_when(struct rd_reader *r, const rd_node *group, struct rd_event *x)
{
    static const char *const key[] = {"time", "every", "until"};
    const rd_node *const when = rd_node_member(group, "when");
    const unsigned uses = RD_USES_PARAMETERS | RD_USES_TIME | RD_USES_TOTALS;
    const rd_node *const repeat = rd_node_member(group, "repeat");
    x->repeats = repeat && rd_node_bool(repeat);
    for (int i = 0; i < 3; i++)
        if (rd_node_member(group, key[i]))
            rd_reader_fail(r, group,
                           "has both when and %s; leave one of them out, or write t >= ... in when",
                           key[i]);
    if (rd_reader_expr(r, when, "when", uses, RD_RANGE_ANY, &x->when) &&
        !(x->when.uses & (RD_USES_TIME | RD_USES_TOTALS | RD_USES_RUN_VALUES)))
        rd_reader_fail(r, when,
                       "when is \"%s\", which is the same at all times; use a total, or t, as in "
                       "\"total(A) > 100\"",
                       x->when.text);
    r->m->condition[r->m->n_conditions++] = (int)(x - r->m->event);
}

static void read_event_times(struct rd_reader *r, const rd_node *group, struct rd_event *x)
{
    const rd_node *const time = rd_node_member(group, "time");
    const rd_node *const every = rd_node_member(group, "every");
    const rd_node *const until = rd_node_member(group, "until");
    bool read = true;
    if (rd_node_member(group, "when")) {
        read_when(r, group, x);
        return;
    }
    if (rd_node_member(group, "repeat"))
        read = rd_reader_fail(r, group, "has repeat without when; leave it out, or use every");
    if (!time && !every)
        read = rd_reader_fail(r, group, "has neither time, every nor when; give one of them");
    if (until && !every)
        read = rd_reader_fail(r, group, "has until without every; leave it out");
    if (every)
        read &= rd_reader_number(r, every, "every", RD_RANGE_POSITIVE, &x->every);
    x->time = x->every;
    if (time)
        read &= rd_reader_number(r, time, "time", RD_RANGE_NOT_NEGATIVE, &x->time);
    x->until = r->m->end;
    if (until)
        read &= rd_reader_number(r, until, "until", RD_RANGE_NOT_NEGATIVE, &x->until);
    if (read && r->m->end > 0)
        check_times(r, group, x);
}

/* ---- molecules that an event takes ---- */

/* Reads how many molecules are taken; returns false with a message. */
static bool read_share(struct rd_reader *r, const rd_node *group, struct rd_amount *a)
{
    static const char *const key[] = {"count", "all", "fraction", "probability", "each"};
    const int which = rd_reader_one_of(r, group, 5, key);
    if (which < 0)
        return false;
    const rd_node *const node = rd_node_member(group, key[which]);
    const unsigned uses = RD_USES_PARAMETERS | (r->is_edit ? 0 : RD_USES_TOTALS);
    a->share = (enum rd_share)which;
    if (a->share == RD_SHARE_COUNT || a->share == RD_SHARE_EACH)
        rd_amounts_count(r, node, uses, a);
    else if (a->share != RD_SHARE_ALL)
        return rd_reader_expr(r, node, key[which], uses, RD_RANGE_PROBABILITY, &a->much);
    else if (!rd_node_bool(node))
        return rd_reader_fail(
            r, group,
            "all = false takes nothing; give count, each, fraction or probability, "
            "or all = true");
    return true;
}

static bool begin_take(struct rd_reader *r, const rd_node *group, struct rd_amount *a)
{
    a->becomes = -1;
    a->place = rd_reader_copy(r, rd_node_place(r->c, group));
    return a->place != NULL;
}

static void read_remove(struct rd_reader *r, const rd_node *group, struct rd_event *x)
{
    struct rd_amount *const a = &x->take[x->n_take++];
    if (!begin_take(r, group, a))
        return;
    rd_amounts_where(r, group, a);
    rd_compartments_amount(r, group, a);
    read_share(r, group, a);
}

/* Returns the species that follows number s in the order of their names, s = -1: the first one; -1
   after the last. The order in the file thus has no effect on random numbers. */
static int next_by_name(const struct rd_model *m, int s)
{
    int next = -1;
    for (int i = 0; i < m->n_species; i++)
        if ((s < 0 || strcmp(m->species[i].name, m->species[s].name) > 0) &&
            (next < 0 || strcmp(m->species[i].name, m->species[next].name) < 0))
            next = i;
    return next;
}

/* Gives the amount a copy of the listed voxels, if there are any. */
static bool copy_sites(struct rd_reader *r, const struct rd_amount *from, struct rd_amount *to)
{
    if (!from->site)
        return true;
    to->site = rd_reader_array(r, from->n_sites, sizeof *to->site);
    if (to->site)
        memcpy(to->site, from->site, (size_t)from->n_sites * sizeof *to->site);
    return to->site != NULL;
}

/* Reads a division of one species, or of each that lives in the place. */
static void read_divide(struct rd_reader *r, const rd_node *group, struct rd_event *x)
{
    const bool is_one = rd_node_member(group, "species") != NULL;
    struct rd_amount where = {.region = -1};
    if (is_one)
        rd_amounts_where(r, group, &where);
    else
        rd_amounts_where_of(r, group, -1, &where);
    int s = is_one ? where.species : next_by_name(r->m, -1);
    for (; s >= 0; s = is_one ? -1 : next_by_name(r->m, s)) {
        where.species = s;
        if (!is_one && !rd_amounts_have_place(r, &where))
            continue;
        struct rd_amount *const a = &x->take[x->n_take++];
        *a = where;
        a->site = NULL;
        if (!begin_take(r, group, a))
            break;
        a->share = RD_SHARE_REST;
        if (!copy_sites(r, &where, a) ||
            !rd_reader_expr(r, rd_node_member(group, "stays"), "stays",
                            RD_USES_PARAMETERS | (r->is_edit ? 0 : RD_USES_TOTALS),
                            RD_RANGE_PROBABILITY, &a->much))
            break;
    }
    free(where.site);
}

/* Returns whether the new species lives in all voxels that lie in all regions and, unless voxels is
   NULL, are listed there. */
static bool lives_in_all(const struct rd_reader *r, int region, uint64_t regions,
                         const struct rd_voxel_list *voxels)
{
    const struct rd_model *const m = r->m;
    bool lives = true;
    if (region < 0 || !m->mask)
        return true;
    for (int64_t i = 0; voxels && i < voxels->n; i++)
        lives = lives && (m->mask[voxels->number[i]] >> region & 1);
    for (int i = 0; !voxels && i < r->n_overlaps; i++)
        lives = lives && ((r->overlap[i] & regions) != regions || (r->overlap[i] >> region & 1));
    return lives;
}

/* Checks that the new species may live in all voxels in which molecules are converted, and has a
   part of its surface there. */
static void check_conversion(struct rd_reader *r, const rd_node *group, const struct rd_amount *a)
{
    const struct rd_model *const m = r->m;
    const struct rd_species *const from = &m->species[a->species];
    const struct rd_species *const to = &m->species[a->becomes];
    const uint64_t regions = (from->region < 0 ? 0 : UINT64_C(1) << from->region) |
                             (a->region < 0 ? 0 : UINT64_C(1) << a->region);
    const int64_t site = a->is_at ? rd_grid_site(&m->grid, a->voxel) : 0;
    const struct rd_voxel_list one = {&site, 1}, listed = {a->site, a->n_sites};
    const struct rd_voxel_list *const voxels = a->is_at ? &one : a->site ? &listed : NULL;
    struct rd_term reactant = {.species = a->species, .number = 1};
    const struct rd_reaction x = {.reactant = &reactant, .n_reactants = 1};
    if ((from->compartment < 0) != (to->compartment < 0))
        rd_reader_fail(r, group,
                       "only one of '%s' and '%s' is in a compartment, and a conversion moves no "
                       "molecules; remove the one, and add the other",
                       from->name, to->name);
    else if (!lives_in_all(r, to->region, regions, voxels))
        rd_reader_fail(r, group, "may make %s outside of its region '%s'; name a place in it",
                       to->name, m->region[to->region].name);
    else if (rd_surfaces_may_strand(m, &x, a->becomes, regions, voxels))
        rd_reader_fail(
            r, group,
            "may make '%s', which does not move, where '%s' exchanges no molecules; give "
            "'%s' a diffusion above 0, or let a reaction make it",
            to->name, m->region[to->region].name, to->name);
}

/* Reads the equation of a conversion into species and becomes. */
static bool read_conversion(struct rd_reader *r, const rd_node *group, struct rd_amount *a)
{
    const rd_node *const node = rd_node_member(group, "equation");
    struct rd_reaction x = {0};
    bool is_reversible = false;
    bool read = rd_equation_read(&x, rd_node_text(node), r->m, rd_node_place(r->c, node),
                                 &is_reversible, r->e);
    if (read &&
        (is_reversible || x.n_reactants != 1 || x.n_products != 1 || x.reactant[0].number != 1 ||
         x.product[0].number != 1 || x.reactant[0].species == x.product[0].species))
        read = rd_reader_fail(r, node,
                              "converts '%s'; write one molecule of a species on each side, as in "
                              "\"A -> B\"",
                              rd_node_text(node));
    if (read) {
        a->species = x.reactant[0].species;
        a->becomes = x.product[0].species;
    }
    free(x.equation);
    free(x.reactant);
    free(x.product);
    return read;
}

static void read_convert(struct rd_reader *r, const rd_node *group, struct rd_event *x)
{
    struct rd_amount *const a = &x->take[x->n_take++];
    if (!begin_take(r, group, a) || !read_conversion(r, group, a))
        return;
    rd_amounts_where_of(r, group, a->species, a);
    rd_compartments_amount(r, group, a);
    read_share(r, group, a);
    rd_species_override(r, group, a);
    check_conversion(r, group, a);
}

/* Reads what the event removes, divides and converts, in this order. */
static void read_takes(struct rd_reader *r, const rd_node *group, struct rd_event *x)
{
    static const struct {
        const char *key;
        void (*read)(struct rd_reader *r, const rd_node *group, struct rd_event *x);
    } way[] = {{"remove", read_remove}, {"divide", read_divide}, {"convert", read_convert}};
    enum { WAYS = sizeof way / sizeof *way };
    int n = 0;
    for (int i = 0; i < WAYS; i++) {
        const rd_node *const node = rd_node_member(group, way[i].key);
        const int each = way[i].read == read_divide ? r->m->n_species : 1;
        n += node ? each * rd_reader_many(node) : 0;
    }
    if (!rd_amounts_are_few(r, group, n, RD_ENTRIES_MOST / 2) ||
        !(x->take = rd_reader_array(r, n, sizeof *x->take)))
        return;
    for (int i = 0; i < WAYS; i++) {
        const rd_node *const node = rd_node_member(group, way[i].key);
        for (int k = 0; node && k < rd_reader_many(node); k++)
            way[i].read(r, rd_reader_each(node, k), x);
    }
}

/* ---- the section ---- */

void rd_events_effects(struct rd_reader *r, const rd_node *group, struct rd_event *x)
{
    read_settings(r, rd_node_member(group, "set"), x);
    read_takes(r, group, x);
    rd_amounts_add(r, rd_node_member(group, "add"), x);
    if (x->n_set + x->n_take + x->n_add == 0)
        rd_reader_fail(r, group, "does nothing; give it set, remove, divide, convert or add");
}

static void read_event(struct rd_reader *r, const rd_node *group, struct rd_event *x)
{
    x->place = rd_reader_copy(r, rd_node_place(r->c, group));
    read_event_times(r, group, x);
    rd_events_effects(r, group, x);
}

/* Reads the name of event i, if it has one. */
static void read_event_name(struct rd_reader *r, const rd_node *name, int i)
{
    if (!name)
        return;
    rd_names_spelled(r, name, "event", rd_node_text(name));
    for (int k = 0; k < i; k++)
        if (r->m->event[k].name && strcmp(r->m->event[k].name, rd_node_text(name)) == 0)
            rd_reader_fail(r, name, "event '%.60s' is declared twice; rename one of them",
                           rd_node_text(name));
    r->m->event[i].name = rd_reader_copy(r, rd_node_text(name));
}

void rd_events_read(struct rd_reader *r)
{
    const rd_node *const list = rd_node_member(rd_config_root(r->c), "events");
    const int n = rd_node_length(list);
    r->m->event = rd_reader_array(r, n, sizeof *r->m->event);
    r->m->condition = rd_reader_array(r, n, sizeof *r->m->condition);
    r->m->n_events = r->m->event && r->m->condition ? n : 0;
    for (int i = 0; i < r->m->n_events; i++) {
        rd_reader_about(r, "events[%d]", i);
        read_event_name(r, rd_node_member(rd_node_at(list, i), "name"), i);
        read_event(r, rd_node_at(list, i), &r->m->event[i]);
    }
}
