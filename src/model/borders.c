/* borders - the section `borders`: transmission probabilities of hops from one region to
   another. */
#include "model/masks.h"
#include "model/reader.h"

/* Reads two regions by name: those of the list `between`, or those of `from` and `to`. */
static bool read_border_regions(struct rd_reader *r, const rd_node *group, struct rd_border *b)
{
    const rd_node *const between = rd_node_member(group, "between");
    const rd_node *const from = rd_node_member(group, "from");
    const rd_node *const to = rd_node_member(group, "to");
    b->is_mutual = between != NULL;
    if (between ? from || to : !from || !to)
        return rd_reader_fail(
            r, group, "has %s; give between for both ways, or from and to for one",
            between ? "between together with from or to" : "neither between nor both from and to");
    if (between && rd_reader_many(between) != 2)
        return rd_reader_fail(r, between, "between names %d region%s; name two",
                              rd_reader_many(between), rd_reader_many(between) == 1 ? "" : "s");
    const rd_node *const one = between ? rd_node_at(between, 0) : from;
    const rd_node *const other = between ? rd_node_at(between, 1) : to;
    b->from = rd_compartments_region(r, one);
    b->to = rd_compartments_region(r, other);
    if (b->from >= 0 && b->from == b->to)
        return rd_reader_fail(r, other, "'%s' has no border with itself; name two regions",
                              rd_node_text(other));
    return b->from >= 0 && b->to >= 0;
}

static bool read_border_species(struct rd_reader *r, const rd_node *node, struct rd_border *b)
{
    const int n = node ? rd_reader_many(node) : 0;
    bool read = true;
    b->species = rd_reader_array(r, n, sizeof *b->species);
    for (int i = 0; b->species && i < n; i++) {
        const rd_node *const name = rd_reader_each(node, i);
        const int s = rd_names_look(r, name, RD_NAME_SPECIES, rd_node_text(name));
        for (int k = 0; k < b->n_species; k++)
            if (b->species[k] == s)
                read =
                    rd_reader_fail(r, name, "names '%s' twice; name it once", rd_node_text(name));
        if (s >= 0)
            b->species[b->n_species++] = s;
        read &= s >= 0;
    }
    return read && b->species;
}

static bool shares_species(const struct rd_border *a, const struct rd_border *b)
{
    for (int i = 0; i < a->n_species; i++)
        for (int k = 0; k < b->n_species; k++)
            if (a->species[i] == b->species[k])
                return true;
    return a->n_species == 0 || b->n_species == 0;
}

/* Reports earlier borders that apply to the same hops, since either probability could be meant. */
static void check_unique(struct rd_reader *r, const rd_node *group, int number)
{
    const struct rd_border *const b = &r->m->border[number];
    for (int i = 0; i < number; i++) {
        const struct rd_border *const a = &r->m->border[i];
        const bool same = a->from == b->from && a->to == b->to;
        const bool turned = a->from == b->to && a->to == b->from;
        if ((same || (turned && (a->is_mutual || b->is_mutual))) && shares_species(a, b))
            rd_reader_fail(
                r, group,
                "repeats borders[%d] for '%s' and '%s'; give each way and species one probability",
                i, r->m->region[b->from].name, r->m->region[b->to].name);
    }
}

static void read_border(struct rd_reader *r, const rd_node *group, int number)
{
    struct rd_border *const b = &r->m->border[number];
    b->place = rd_reader_copy(r, rd_node_place(r->c, group));
    const bool has_regions = read_border_regions(r, group, b); /* all three are read, so that all
                                                           faults are reported */
    const bool has_species = read_border_species(r, rd_node_member(group, "species"), b);
    const bool has_pass = rd_reader_expr(r, rd_node_member(group, "pass"), "pass",
                                         RD_USES_PARAMETERS, RD_RANGE_PROBABILITY, &b->pass);
    if (!has_regions || !has_species || !has_pass)
        return;
    check_unique(r, group, number);
    if (r->m->mask && !rd_masks_touch(r->m, b->from, b->to) &&
        !(b->is_mutual && rd_masks_touch(r->m, b->to, b->from)))
        rd_reader_warn(
            r, group,
            "no voxel of '%s' touches one of '%s', so the border has no effect; remove it",
            r->m->region[b->from].name, r->m->region[b->to].name);
}

void rd_borders_read(struct rd_reader *r)
{
    const rd_node *const list = rd_node_member(rd_config_root(r->c), "borders");
    const int n = rd_node_length(list);
    r->m->border = rd_reader_array(r, n, sizeof *r->m->border);
    for (int i = 0; r->m->border && i < n; i++) {
        rd_reader_about(r, "borders[%d]", i);
        r->m->n_borders++;
        read_border(r, rd_node_at(list, i), i);
    }
}
