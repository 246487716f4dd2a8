/* amounts - entries of the section `initial`, and of `add`, `remove`, `divide` and `convert` of an
   event: numbers of molecules, their species, place and spread. */
#include "model/reader.h"

#include <math.h>
#include <stdlib.h>

void rd_amounts_free(const struct rd_model *m, struct rd_amount *amount, int n)
{
    for (int i = 0; i < n; i++) {
        struct rd_amount *const a = &amount[i];
        const int s = a->becomes >= 0 ? a->becomes : a->species;
        for (int k = 0; a->attribute && k < m->species[s].n_attributes; k++)
            rd_expr_free(&a->attribute[k]);
        free(a->attribute);
        free(a->site);
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

bool rd_amounts_check_voxels(struct rd_reader *r, const rd_node *node,
                             const struct rd_voxel_list *l)
{
    const int64_t most = r->m->grid.n_sites;
    for (int64_t i = 0; i < l->n; i++)
        if (l->number[i] < 0 || l->number[i] >= most)
            return rd_reader_fail(r, node,
                                  "voxels has %lld, outside of the grid; give at most %lld",
                                  (long long)l->number[i], (long long)most - 1);
        else if (i > 0 && l->number[i] <= l->number[i - 1])
            return rd_reader_fail(r, node,
                                  "voxels has %lld after %lld; give rising numbers, each once",
                                  (long long)l->number[i], (long long)l->number[i - 1]);
    return l->n > 0 || rd_reader_fail(r, node, "voxels is empty; name one at least");
}

int64_t *rd_amounts_voxels(struct rd_reader *r, const rd_node *node, int64_t *n)
{
    *n = rd_reader_many(node);
    int64_t *const number = rd_reader_array(r, *n, sizeof *number);
    for (int i = 0; number && i < *n; i++)
        number[i] = rd_node_integer(rd_reader_each(node, i));
    const struct rd_voxel_list l = {number, *n};
    if (number && r->m->grid.n_sites > 0 && rd_amounts_check_voxels(r, node, &l))
        return number;
    free(number);
    return NULL;
}

static bool read_sites(struct rd_reader *r, const rd_node *node, struct rd_amount *a)
{
    a->site = rd_amounts_voxels(r, node, &a->n_sites);
    if (!a->site)
        a->n_sites = 0;
    return a->site;
}

/* Takes the voxels of the edit for an entry that names no place. */
static bool copy_voxels(struct rd_reader *r, struct rd_amount *a)
{
    a->n_sites = r->here->n;
    a->site = rd_reader_array(r, a->n_sites, sizeof *a->site);
    if (a->site)
        memcpy(a->site, r->here->number, (size_t)a->n_sites * sizeof *a->site);
    return a->site;
}

/* Returns how many of the listed voxels lie in the region. */
static int64_t sites_in(const struct rd_model *m, const struct rd_amount *a, int region)
{
    int64_t n = 0;
    for (int64_t i = 0; i < a->n_sites; i++)
        n += region < 0 || !m->mask || (m->mask[a->site[i]] >> region & 1);
    return n;
}

bool rd_amounts_have_place(const struct rd_reader *r, const struct rd_amount *a)
{
    const struct rd_model *const m = r->m;
    const int domain = a->species < 0 ? -1 : m->species[a->species].region;
    if (a->site)
        return sites_in(m, a, domain) > 0;
    if (domain < 0 || r->n_overlaps == 0)
        return true;
    bool shared = a->region < 0 && !a->is_at;
    if (a->is_at)
        shared = m->mask[rd_grid_site(&m->grid, a->voxel)] >> domain & 1;
    for (int i = 0; a->region >= 0 && i < r->n_overlaps; i++)
        shared |= (r->overlap[i] >> domain & 1) && (r->overlap[i] >> a->region & 1);
    return shared;
}

/* Reports an error if no voxel of the amount, or only a part of them, belongs to the region in
   which the species lives. */
static void check_domain(struct rd_reader *r, const rd_node *group, const struct rd_amount *a)
{
    const struct rd_model *const m = r->m;
    if (a->species < 0 || m->species[a->species].region < 0)
        return;
    const struct rd_species *const s = &m->species[a->species];
    if (s->compartment < 0 && !rd_amounts_have_place(r, a))
        rd_reader_fail(r, group,
                       "%s stays in '%s', and no voxel of it is named here; name a place in it",
                       s->name, m->region[s->region].name);
    else if (a->site && sites_in(m, a, s->region) < a->n_sites)
        rd_reader_fail(r, group,
                       "%s stays in '%s', but some of the voxels lie outside; leave them out",
                       s->name, m->region[s->region].name);
}

static void read_place(struct rd_reader *r, const rd_node *group, struct rd_amount *a)
{
    const rd_node *const in = rd_node_member(group, "in");
    const rd_node *const at = rd_node_member(group, "at");
    const rd_node *const voxel = rd_node_member(group, "voxel");
    const rd_node *const voxels = rd_node_member(group, "voxels");
    a->region = -1;
    if ((in != NULL) + (at != NULL) + (voxel != NULL) + (voxels != NULL) > 1) {
        rd_reader_fail(r, group, "has several of in, at, voxel and voxels; give one of them");
        return;
    }
    bool read = rd_region_names_place(r, group, &a->region);
    a->is_at = at || voxel;
    if (at)
        read = read_position(r, at, a->voxel);
    if (voxel)
        read = read_voxel(r, voxel, a->voxel);
    if (voxels)
        read = read_sites(r, voxels, a);
    if (r->here && !in && !at && !voxel && !voxels)
        read = copy_voxels(r, a);
    if (read)
        check_domain(r, group, a);
}

static void read_amount_species(struct rd_reader *r, const rd_node *group, struct rd_amount *a)
{
    const rd_node *const species = rd_node_member(group, "species");
    a->species = -1;
    if (species)
        a->species = rd_names_look(r, species, RD_NAME_SPECIES, rd_node_text(species));
    else if (a->kind != RD_AMOUNT_FROM)
        rd_reader_fail(r, group, "has no species; name one");
}

void rd_amounts_count(struct rd_reader *r, const rd_node *node, unsigned uses, struct rd_amount *a)
{
    const double most = a->is_at ? INT32_MAX : 4503599627370495.0; /* 2^52 - 1: the most that
                                                                      binomial numbers can split */
    double count;
    if (!rd_reader_expr(r, node, "count", uses, RD_RANGE_NOT_NEGATIVE, &a->much) ||
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
    if (a->is_at || a->site || a->region >= 0)
        rd_reader_fail(r, group, "a snapshot fills all voxels; leave out in, at, voxel and voxels");
    check_alike(r, group, a);
}

static void read_much(struct rd_reader *r, const rd_node *group, unsigned more, struct rd_amount *a)
{
    static const char *const key[] = {"count", "density", "value"};
    const unsigned uses = RD_USES_PARAMETERS | RD_USES_SPACE | RD_USES_VOLUME | RD_USES_REGIONS |
                          (r->is_edit ? 0 : RD_USES_FIELDS) | more;
    r->is_on_surface = a->species >= 0 && r->m->species[a->species].surface >= 0;
    if (a->kind == RD_AMOUNT_FROM)
        read_from(r, group, a);
    else if (a->kind == RD_AMOUNT_COUNT)
        rd_amounts_count(r, rd_node_member(group, "count"), RD_USES_PARAMETERS | more, a);
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

void rd_amounts_where(struct rd_reader *r, const rd_node *group, struct rd_amount *a)
{
    read_amount_species(r, group, a);
    read_place(r, group, a);
}

void rd_amounts_where_of(struct rd_reader *r, const rd_node *group, int species,
                         struct rd_amount *a)
{
    a->species = species;
    read_place(r, group, a);
}

/* Reads an amount with n kinds, whose expressions may also use what `more` has. */
static void read_amount(struct rd_reader *r, const rd_node *group, int n, unsigned more,
                        struct rd_amount *a)
{
    static const char *const kind[] = {"count", "density", "value", "from"};
    const int which = rd_reader_one_of(r, group, n, kind);
    a->place = rd_reader_copy(r, rd_node_place(r->c, group));
    a->becomes = -1;
    a->kind = which < 0 ? RD_AMOUNT_COUNT : (enum rd_amount_kind)which;
    rd_amounts_where(r, group, a);
    if (which >= 0) {
        read_much(r, group, more, a);
        rd_compartments_amount(r, group, a);
        read_spread(r, group, a);
    }
    rd_species_override(r, group, a);
}

bool rd_amounts_are_few(struct rd_reader *r, const rd_node *node, int n, int most)
{
    return n <= most || rd_reader_fail(r, node, "there are %d entries; use at most %d", n, most);
}

void rd_initial_read(struct rd_reader *r)
{
    const rd_node *const list = rd_node_member(rd_config_root(r->c), "initial");
    const int n = rd_node_length(list);
    rd_reader_about(r, "initial");
    if (!rd_amounts_are_few(r, list, n, RD_ENTRIES_MOST))
        return;
    r->m->initial = rd_reader_array(r, n, sizeof *r->m->initial);
    r->m->n_initial = r->m->initial ? n : 0;
    for (int i = 0; i < r->m->n_initial; i++) {
        rd_reader_about(r, "initial[%d]", i);
        read_amount(r, rd_node_at(list, i), 4, 0, &r->m->initial[i]);
    }
}

void rd_amounts_add(struct rd_reader *r, const rd_node *node, struct rd_event *x)
{
    const int n = node ? rd_reader_many(node) : 0;
    if (!rd_amounts_are_few(r, node, n, RD_ENTRIES_MOST / 2))
        return;
    x->add = rd_reader_array(r, n, sizeof *x->add);
    x->n_add = x->add ? n : 0;
    for (int i = 0; i < x->n_add; i++)
        read_amount(r, rd_reader_each(node, i), 3, r->is_edit ? 0 : RD_USES_TOTALS, &x->add[i]);
}
