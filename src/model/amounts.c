/* amounts - the sections `initial` and `events`: numbers of molecules, their species, place and
   spread, and the times at which events set parameters, remove and add molecules. */
#include "model/reader.h"

#include <math.h>
#include <stdlib.h>

enum use { INITIAL, ADD, REMOVE };

void rd_amounts_free(const struct rd_model *m, struct rd_amount *amount, int n)
{
    for (int i = 0; i < n; i++) {
        struct rd_amount *const a = &amount[i];
        for (int k = 0; a->attribute && k < m->species[a->species].n_attributes; k++)
            rd_expr_free(&a->attribute[k]);
        free(a->attribute);
        rd_expr_free(&a->much);
        free(a->file);
        free(a->place);
    }
    free(amount);
}

/* ---- an amount ---- */

/* Reads a position and finds its voxel. */
static bool read_position(struct rd_reader *r, const rd_node *at, int32_t voxel[3])
{
    const struct rd_grid *const g = &r->m->grid;
    double p[3];
    if (!rd_reader_vector(r, at, p) || g->n_sites == 0)
        return false;
    for (int a = 0; a < g->dim; a++)
        if (!rd_grid_find(g, a, p[a], &voxel[a]))
            return rd_reader_fail(
                r, at, "at is %g along %c, outside of the grid; give a position from %g to %g",
                p[a], "xyz"[a], g -> origin[a], rd_grid_end(g, a));
    return true;
}

static bool read_voxel(struct rd_reader *r, const rd_node *node, int32_t voxel[3])
{
    const rd_node *axis[3];
    if (!rd_reader_axes(r, node, false, axis) || r->m->grid.n_sites == 0)
        return false;
    bool read = true;
    for (int a = 0; a < r->m->grid.dim; a++) {
        const int32_t last = r->m->grid.size[a] - 1;
        if (!rd_reader_whole(r, axis[a], "voxel", 0, &voxel[a]))
            read = false;
        else if (voxel[a] > last)
            read = rd_reader_fail(r, node,
                                  "voxel is %d along %c, outside of the grid; give at most %d",
                                  voxel[a], "xyz"[a], last);
    }
    return read;
}

static int64_t site_of(const struct rd_grid *g, const int32_t voxel[3])
{
    return ((int64_t)voxel[2] * g->size[1] + voxel[1]) * g->size[0] + voxel[0];
}

/* Reports an error if no voxel of the amount belongs to the region in which the species lives. */
static void check_domain(struct rd_reader *r, const rd_node *group, const struct rd_amount *a)
{
    const struct rd_model *const m = r->m;
    const int domain = a->species < 0 ? -1 : m->species[a->species].region;
    if (domain < 0 || r->n_overlaps == 0)
        return;
    bool shared = a->region < 0 && !a->is_at;
    if (a->is_at)
        shared = m->mask[site_of(&m->grid, a->voxel)] >> domain & 1;
    for (int i = 0; a->region >= 0 && i < r->n_overlaps; i++)
        shared |= (r->overlap[i] >> domain & 1) && (r->overlap[i] >> a->region & 1);
    if (!shared)
        rd_reader_fail(r, group,
                       "%s stays in '%s', and no voxel of it is named here; name a place in it",
                       m->species[a->species].name, m->region[domain].name);
}

static void read_place(struct rd_reader *r, const rd_node *group, struct rd_amount *a)
{
    const rd_node *const in = rd_node_member(group, "in");
    const rd_node *const at = rd_node_member(group, "at");
    const rd_node *const voxel = rd_node_member(group, "voxel");
    if ((in != NULL) + (at != NULL) + (voxel != NULL) > 1) {
        rd_reader_fail(r, group, "has several of in, at and voxel; give one of them");
        return;
    }
    bool read = rd_names_place(r, group, &a->region);
    a->is_at = at || voxel;
    if (at)
        read = read_position(r, at, a->voxel);
    if (voxel)
        read = read_voxel(r, voxel, a->voxel);
    if (read)
        check_domain(r, group, a);
}

static void read_species(struct rd_reader *r, const rd_node *group, struct rd_amount *a)
{
    const rd_node *const species = rd_node_member(group, "species");
    a->species = -1;
    if (species)
        a->species = rd_names_look(r, species, RD_NAME_SPECIES, rd_node_text(species));
    else if (a->kind != RD_AMOUNT_FROM)
        rd_reader_fail(r, group, "has no species; name one");
}

static void read_count(struct rd_reader *r, const rd_node *node, struct rd_amount *a)
{
    const double most = a->is_at ? INT32_MAX : 4503599627370495.0; /* 2^52 - 1: the most that
                                                                      binomial numbers can split */
    double count;
    if (!rd_reader_expr(r, node, "count", RD_USES_PARAMETERS, RD_RANGE_NOT_NEGATIVE, &a->much) ||
        !rd_reader_known(r, &a->much, &count))
        return;
    if (count != floor(count) || count > most)
        rd_reader_fail(r, node, "count is %.12g; give a whole number, at most %.0f%s", count, most,
                       a->is_at ? " in one voxel" : "");
}

/* Rejects individuals, since a snapshot gives counts but no attributes or ids. */
static void check_alike(struct rd_reader *r, const rd_node *group, const struct rd_amount *a)
{
    const struct rd_model *const m = r->m;
    if (a->species >= 0 && m->species[a->species].is_individual)
        rd_reader_fail(
            r, group,
            "%s has individuals, which a snapshot does not provide; use count, density or value",
            m->species[a->species].name);
    for (int s = 0; !rd_node_member(group, "species") && s < m->n_species; s++)
        if (m->species[s].is_individual)
            rd_reader_fail(r, group,
                           "from covers all species, but %s has individuals; name the other "
                           "species, in an entry for each",
                           m->species[s].name);
}

static void read_from(struct rd_reader *r, const rd_node *group, struct rd_amount *a)
{
    const rd_node *const at_time = rd_node_member(group, "at_time");
    a->file = rd_reader_copy(r, rd_node_text(rd_node_member(group, "from")));
    a->has_at_time = at_time != NULL;
    if (at_time)
        rd_reader_number(r, at_time, "at_time", RD_RANGE_NOT_NEGATIVE, &a->at_time);
    if (a->is_at || a->region >= 0)
        rd_reader_fail(r, group, "a snapshot fills all voxels; leave out in, at and voxel");
    check_alike(r, group, a);
}

static void read_much(struct rd_reader *r, const rd_node *group, struct rd_amount *a)
{
    static const char *const key[] = {"count", "density", "value"};
    const unsigned uses =
        RD_USES_PARAMETERS | RD_USES_SPACE | RD_USES_VOLUME | RD_USES_REGIONS | RD_USES_FIELDS;
    r->is_on_surface = a->species >= 0 && r->m->species[a->species].surface >= 0;
    if (a->kind == RD_AMOUNT_FROM)
        read_from(r, group, a);
    else if (a->kind == RD_AMOUNT_COUNT)
        read_count(r, rd_node_member(group, "count"), a);
    else
        rd_reader_expr(r, rd_node_member(group, key[a->kind]), key[a->kind], uses,
                       RD_RANGE_NOT_NEGATIVE, &a->much);
    r->is_on_surface = false;
    if (a->kind != RD_AMOUNT_FROM && rd_node_member(group, "at_time"))
        rd_reader_fail(r, group, "has at_time without from; leave it out");
}

static void read_spread(struct rd_reader *r, const rd_node *group, struct rd_amount *a)
{
    static const char *const word[] = {"random", "even", "poisson"};
    const rd_node *const node = rd_node_member(group, "spread");
    if (!node)
        return;
    a->spread = (enum rd_spread)(RD_SPREAD_RANDOM + rd_reader_word(node, 3, word));
    if (a->kind == RD_AMOUNT_FROM)
        rd_reader_fail(r, node, "a snapshot has its own places; leave out spread");
    else if (a->kind == RD_AMOUNT_COUNT && a->spread == RD_SPREAD_POISSON)
        rd_reader_fail(r, node,
                       "a count is spread \"random\" or \"even\"; for \"poisson\" give a "
                       "density or value");
    else if (a->kind != RD_AMOUNT_COUNT && a->spread == RD_SPREAD_RANDOM)
        rd_reader_fail(r, node,
                       "a density or value is spread \"even\" or \"poisson\"; for "
                       "\"random\" give a count");
}

/* Reads the kind of amount; returns false with a message if the group has none or several. */
static bool read_kind(struct rd_reader *r, const rd_node *group, enum use use, struct rd_amount *a)
{
    static const char *const given[] = {"count", "density", "value", "from"};
    static const char *const taken[] = {"count", "all"};
    const bool removes = use == REMOVE;
    const int n_given = use == INITIAL ? 4 : 3;
    const int which = rd_reader_one_of(r, group, removes ? 2 : n_given, removes ? taken : given);
    a->all = removes && which == 1;
    a->kind = which < 0 || removes ? RD_AMOUNT_COUNT : (enum rd_amount_kind)which;
    if (a->all && !rd_node_bool(rd_node_member(group, "all")))
        return rd_reader_fail(r, group, "all = false removes nothing; give a count or all = true");
    return which >= 0;
}

static void read_amount(struct rd_reader *r, const rd_node *group, enum use use,
                        struct rd_amount *a)
{
    a->place = rd_reader_copy(r, rd_node_place(r->c, group));
    const bool is_kind = read_kind(r, group, use, a);
    read_species(r, group, a);
    read_place(r, group, a);
    if (is_kind && !a->all)
        read_much(r, group, a);
    if (is_kind && use != REMOVE)
        read_spread(r, group, a);
    if (use != REMOVE)
        rd_species_override(r, group, a);
}

/* Reads one amount, or a list of them, at node. */
/* The most entries of `initial`; of `add` and of `remove` of an event half as many. More would
   share random numbers, whose addresses have 16 bits for the entry. */
enum { ENTRIES_MOST = 1 << 16 };

static void read_amounts(struct rd_reader *r, const rd_node *node, enum use use,
                         struct rd_amount **amount, int *n_amounts)
{
    const int n = node ? rd_reader_many(node) : 0;
    const int most = use == INITIAL ? ENTRIES_MOST : ENTRIES_MOST / 2;
    if (use == INITIAL)
        rd_reader_about(r, "initial");
    if (n > most) {
        rd_reader_fail(r, node, "there are %d entries; use at most %d", n, most);
        return;
    }
    *amount = rd_reader_array(r, n, sizeof **amount);
    *n_amounts = *amount ? n : 0;
    for (int i = 0; i < *n_amounts; i++) {
        if (use == INITIAL)
            rd_reader_about(r, "initial[%d]", i);
        read_amount(r, rd_reader_each(node, i), use, &(*amount)[i]);
    }
}

void rd_initial_read(struct rd_reader *r)
{
    read_amounts(r, rd_node_member(rd_config_root(r->c), "initial"), INITIAL, &r->m->initial,
                 &r->m->n_initial);
}

/* ---- events ---- */

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
    for (int i = 0; i < x->n_set; i++) {
        const rd_node *const node = rd_node_at(group, i);
        const char *const name = rd_node_name(node);
        x->set[i].parameter = rd_names_look(r, node, RD_NAME_PARAMETER, name);
        if (rd_reader_expr(r, node, name, RD_USES_PARAMETERS | RD_USES_TIME, RD_RANGE_ANY,
                           &x->set[i].value) &&
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

static void read_times(struct rd_reader *r, const rd_node *group, struct rd_event *x)
{
    const rd_node *const time = rd_node_member(group, "time");
    const rd_node *const every = rd_node_member(group, "every");
    const rd_node *const until = rd_node_member(group, "until");
    bool read = true;
    if (!time && !every)
        read = rd_reader_fail(r, group, "has neither time nor every; give one of them");
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

static void read_event(struct rd_reader *r, const rd_node *group, struct rd_event *x)
{
    x->place = rd_reader_copy(r, rd_node_place(r->c, group));
    read_times(r, group, x);
    read_settings(r, rd_node_member(group, "set"), x);
    read_amounts(r, rd_node_member(group, "remove"), REMOVE, &x->remove, &x->n_remove);
    read_amounts(r, rd_node_member(group, "add"), ADD, &x->add, &x->n_add);
    if (x->n_set + x->n_remove + x->n_add == 0)
        rd_reader_fail(r, group, "does nothing; give it set, add or remove");
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
    r->m->n_events = r->m->event ? n : 0;
    for (int i = 0; i < r->m->n_events; i++) {
        rd_reader_about(r, "events[%d]", i);
        read_event_name(r, rd_node_member(rd_node_at(list, i), "name"), i);
        read_event(r, rd_node_at(list, i), &r->m->event[i]);
    }
}
