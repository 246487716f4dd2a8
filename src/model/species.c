/* species - the section `species`: the motion of each species, its region and its walls; and its
   individuals: rules of their attributes, what is recorded, and their largest number. */
#include "base/text.h"
#include "model/reader.h"

#include <math.h>

/* Reads the number or expression at node, called key, for an individual of species number s. It may
   use only attributes of that species; `parent` has the given attributes, or for NULL those of all
   parents. If axis > 0, gradient() is that along axis - 1. */
static bool read_expr(struct rd_reader *r, const rd_node *node, const char *key, int s,
                      const struct rd_names *parent, int axis, unsigned allowed,
                      enum rd_range range, struct rd_expr *x)
{
    const struct rd_model *const m = r->m;
    struct rd_scope scope = rd_model_scope(m, allowed);
    scope.parents = parent ? *parent : scope.parents;
    scope.self = m->species[s].is_individual ? s + 1 : 0;
    scope.axis = axis;
    if (!rd_reader_within(r, node, key, &scope, range, x) ||
        !rd_compartments_check_voxel(r, node, key, x))
        return false;
    return !(x->uses & RD_USES_OWN) || x->of == s ||
           rd_reader_fail(r, node, "%s uses an attribute of %s; use those of %s", key,
                          m->species[x->of].name, m->species[s].name);
}

/* Checks that the rule of attribute k uses only earlier attributes. */
static bool check_attribute_order(struct rd_reader *r, const rd_node *node, const char *key, int s,
                                  int k, const struct rd_expr *x)
{
    const struct rd_names *const own = &r->m->attributes[s];
    for (int32_t i = 0; i < x->n; i++) {
        if (x->op[i].code != RD_OP_OWN || x->op[i].index < k)
            continue;
        const char *const given = own->name[k], *const used = own->name[x->op[i].index];
        return given == used
                   ? rd_reader_fail(r, node, "%s uses '%s' itself; use other attributes", key, used)
                   : rd_reader_fail(r, node,
                                    "%s uses '%s', which stands after '%s'; declare '%s' first",
                                    key, used, given, used);
    }
    return true;
}

/* Reads the rule of attribute k of species s. It may use the variables `more` in addition to those
   of all rules. */
static bool read_rule(struct rd_reader *r, const rd_node *node, const char *key, int s, int k,
                      const struct rd_names *parent, unsigned more, struct rd_expr *x)
{
    const unsigned all = RD_INDIVIDUAL_USES | RD_USES_RANDOM | more,
                   uses = r->is_edit ? all & ~(unsigned)RD_USES_FIELDS : all;
    double v;
    if (!read_expr(r, node, key, s, parent, 0, uses, RD_RANGE_ANY, x) ||
        !check_attribute_order(r, node, key, s, k, x))
        return false;
    const bool is_whole = !r->m->species[s].attribute[k].is_integer || !rd_reader_known(r, x, &v) ||
                          (v == floor(v) && fabs(v) <= 0x1p53);
    return is_whole ||
           rd_reader_fail(
               r, node,
               "%s is %.15g, but the attribute is an integer; give a whole number of at most 2^53",
               key, v);
}

static void read_attribute_rule(struct rd_reader *r, const rd_node *group, int s, int k)
{
    static const char *const kind[] = {"float", "integer"};
    struct rd_attribute *const a = &r->m->species[s].attribute[k];
    const rd_node *const birth = rd_node_member(group, "birth");
    const rd_node *const orphan = rd_node_member(group, "orphan");
    a->is_integer = rd_reader_word(rd_node_member(group, "kind"), 2, kind) == 1;
    a->has_birth = birth != NULL;
    a->has_orphan = orphan != NULL;
    rd_reader_about(r, "species '%.40s', attribute '%.30s'", r->m->species[s].name, a->name);
    read_rule(r, rd_node_member(group, "initial"), "initial", s, k, NULL, 0, &a->first);
    if (birth)
        read_rule(r, birth, "birth", s, k, NULL,
                  RD_USES_PARENT | RD_USES_VARYING | RD_USES_MEANS | RD_USES_TOTALS, &a->birth);
    if (orphan)
        read_rule(r, orphan, "orphan", s, k, NULL, RD_USES_VARYING | RD_USES_MEANS | RD_USES_TOTALS,
                  &a->orphan);
}

/* Reads the group `individuals` of species number s; the names of its attributes are already read.
 */
static void read_individuals_group(struct rd_reader *r, const rd_node *group, int s)
{
    static const char *const record[] = {"state", "lineage", "none"};
    struct rd_species *const x = &r->m->species[s];
    const rd_node *const list = rd_node_member(group, "attributes");
    x->max = rd_node_integer(rd_node_member(group, "max"));
    x->record = (enum rd_keeping)rd_reader_word(rd_node_member(group, "record"), 3, record);
    for (int k = 0; k < x->n_attributes; k++)
        read_attribute_rule(r, rd_node_at(list, k), s, k);
}

/* Reads one expression per axis for species number s; missing axes keep 0. One expression may stand
   for all axes; if it has a gradient(), it is compiled for each axis. */
static void read_per_axis(struct rd_reader *r, const rd_node *node, bool lone, enum rd_range range,
                          int s, struct rd_expr x[3])
{
    const unsigned all =
        RD_INDIVIDUAL_USES | RD_USES_SLOPES | RD_USES_VARYING | RD_USES_MEANS | RD_USES_TOTALS;
    const unsigned uses = r->m->species[s].is_individual ? all : all & ~(unsigned)RD_USES_OWN;
    const bool is_one = rd_node_is_text(node);
    const rd_node *axis[3];
    if (!rd_reader_axes(r, node, lone || is_one, axis))
        return;
    for (int a = 0; a < r->m->grid.dim; a++) {
        const bool read = read_expr(r, axis[a], rd_node_name(node), s, NULL, is_one ? a + 1 : 0,
                                    uses, range, &x[a]);
        if (is_one && (!read || !(x[a].is_vector || rd_reader_axes(r, node, lone, axis))))
            return; /* reported once, not for each axis */
    }
}

unsigned rd_model_motion_uses(const struct rd_species *s)
{
    unsigned uses = 0;
    for (int axis = 0; axis < 3; axis++)
        uses |= s->diffusion[axis].uses | s->drift[axis].uses;
    return uses;
}

/* Checks a colour: a word, or # and six hexadecimal digits. */
static void check_colour(struct rd_reader *r, const rd_node *node, const char *colour)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz", digits[] = "0123456789abcdefABCDEF";
    const bool is_code = *colour == '#' && strlen(colour) == 7 && strspn(colour + 1, digits) == 6;
    if (!is_code && (!*colour || strspn(colour, letters) < strlen(colour)))
        rd_reader_fail(r, node,
                       "colour is \"%.40s\"; give a word in small letters, such as \"red\", or six "
                       "hexadecimal digits, such as \"#d62728\"",
                       colour);
}

bool rd_species_looks(struct rd_reader *r, const rd_node *group, struct rd_species *x)
{
    const rd_node *const label = rd_node_member(group, "label");
    const rd_node *const color = rd_node_member(group, "color");
    const rd_node *const colour = color ? color : rd_node_member(group, "colour");
    rd_reader_about(r, "species '%.60s'", x->name);
    if (label)
        x->label = rd_reader_copy(r, rd_node_text(label));
    if (colour)
        x->colour = rd_reader_copy(r, rd_node_text(colour));
    if (x->colour)
        check_colour(r, colour, x->colour);
    if (color && rd_node_member(group, "colour"))
        rd_reader_fail(r, color, "has color and colour, which are the same; give one of them");
    rd_reader_about(r, "%s", "");
    return (!label || x->label) && (!colour || x->colour);
}

void rd_species_read(struct rd_reader *r)
{
    static const char *const store[] = {"auto", "grid", "list"};
    const rd_node *const root = rd_config_root(r->c);
    const rd_node *const list = rd_node_member(root, "species");
    const rd_node *const grid_walls = rd_node_member(rd_node_member(root, "grid"), "walls");
    for (int s = 0; s < r->m->n_species; s++) {
        struct rd_species *const x = &r->m->species[s];
        const rd_node *const group = rd_node_at(list, s);
        const rd_node *const walls = rd_node_member(group, "walls");
        rd_reader_about(r, "species '%s'", x->name);
        x->store = (enum rd_storage)rd_reader_word(rd_node_member(group, "store"), 3, store);
        if (rd_compartments_species(r, group, x))
            continue;
        /* The walls of the grid apply unless the species has its own; their faults are those of the
           grid. */
        rd_reader_about(r, "grid");
        if (grid_walls)
            rd_walls_read(r, grid_walls, x->wall);
        rd_reader_about(r, "species '%s'", x->name);
        if (walls)
            rd_walls_read(r, walls, x->wall);
        read_per_axis(r, rd_node_member(group, "diffusion"), true, RD_RANGE_NOT_NEGATIVE, s,
                      x->diffusion);
        read_per_axis(r, rd_node_member(group, "drift"), false, RD_RANGE_ANY, s, x->drift);
        rd_region_names_place(r, group, &x->region);
        rd_walls_suit(r, group, x);
        rd_surfaces_species(r, group, x);
        if (x->is_individual)
            read_individuals_group(r, rd_node_member(group, "individuals"), s);
    }
}

/* Reads the rule at node, whose name is that of an attribute of the species that the amount makes.
 */
static void override(struct rd_reader *r, const rd_node *node, struct rd_amount *a)
{
    const int s = a->becomes >= 0 ? a->becomes : a->species;
    const struct rd_names *const names = &r->m->attributes[s];
    const char *const name = rd_node_name(node);
    const int k = rd_names_attribute(r->m, s, name);
    if (k >= 0) {
        read_rule(r, node, name, s, k, a->becomes >= 0 ? &r->m->attributes[a->species] : NULL,
                  a->becomes >= 0 ? RD_USES_PARENT : 0, &a->attribute[k]);
        return;
    }
    const char *const near = rd_text_nearest(name, names->n, rd_text_of, names->name);
    rd_reader_fail(r, node, "%s has no attribute '%s'%s%s%s", r->m->species[s].name, name,
                   near ? "; did you mean '" : "; declare it", near ? near : "", near ? "'?" : "");
}

void rd_species_override(struct rd_reader *r, const rd_node *group, struct rd_amount *a)
{
    const rd_node *const list = rd_node_member(group, "attributes");
    if (!list || a->species < 0)
        return;
    const struct rd_species *const s = &r->m->species[a->becomes >= 0 ? a->becomes : a->species];
    if (!s->is_individual) {
        rd_reader_fail(r, list, "%s has no individuals, so no attributes; leave them out", s->name);
        return;
    }
    a->attribute = rd_reader_array(r, s->n_attributes, sizeof *a->attribute);
    for (int i = 0; a->attribute && i < rd_node_length(list); i++)
        override(r, rd_node_at(list, i), a);
}

/* Returns the number of molecules of species s that `initial` places with known counts. */
static double initial_count(const struct rd_reader *r, int s)
{
    double sum = 0, count;
    for (int i = 0; i < r->m->n_initial; i++) {
        const struct rd_amount *const a = &r->m->initial[i];
        if (a->species == s && a->kind == RD_AMOUNT_COUNT && rd_reader_known(r, &a->much, &count))
            sum += count;
    }
    return sum;
}

static void check_maximum(struct rd_reader *r, const rd_node *max, int s)
{
    const struct rd_model *const m = r->m;
    const struct rd_species *const x = &m->species[s];
    const double count = initial_count(r, s);
    rd_reader_about(r, "species '%s'", x->name);
    if (count > (double)x->max)
        rd_reader_fail(r, max, "max is %lld, but initial places %.0f; raise max", (long long)x->max,
                       count);
    if (x->max > (INT64_C(1) << 40) / m->n_runs)
        rd_reader_fail(r, max,
                       "max is %lld in each of %lld runs, over all runs more than 2^40; reduce max "
                       "or the runs",
                       (long long)x->max, (long long)m->n_runs);
}

static void check_voxels(struct rd_reader *r, const rd_node *voxels)
{
    rd_reader_about(r, "grid");
    if (r->m->grid.n_sites > RD_LISTED_VOXELS)
        rd_reader_fail(r, voxels, "the grid has %lld voxels; use at most 2^32 - 2 with individuals",
                       (long long)r->m->grid.n_sites);
}

void rd_species_check_individuals(struct rd_reader *r)
{
    const rd_node *const root = rd_config_root(r->c);
    const rd_node *const list = rd_node_member(root, "species");
    bool any = false;
    for (int s = 0; s < r->m->n_species; s++) {
        const rd_node *const group = rd_node_member(rd_node_at(list, s), "individuals");
        if (group)
            check_maximum(r, rd_node_member(group, "max"), s);
        any |= group != NULL;
    }
    if (any)
        check_voxels(r, rd_node_member(rd_node_member(root, "grid"), "voxels"));
}

int rd_species_attribute(const struct rd_species *s, const char *name)
{
    for (int a = 0; a < s->n_attributes; a++)
        if (strcmp(s->attribute[a].name, name) == 0)
            return a;
    return -1;
}
