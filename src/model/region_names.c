/* region_names - names of regions, of their unions under `in`, of surfaces and of compartments. */
#include "model/reader.h"

#include <stdio.h>
#include <string.h>

enum { UNION_BYTES = RD_MAX_REGIONS * 72 };

/* Writes the name of the region that a value of `in` means: "a", or "a or b" for a list. */
static const char *name_of_place(const rd_node *in, char text[UNION_BYTES])
{
    *text = 0;
    for (int i = 0; i < rd_reader_many(in); i++) {
        const size_t used = strlen(text);
        snprintf(text + used, UNION_BYTES - used, "%s%s", i == 0 ? "" : " or ",
                 rd_node_text(rd_reader_each(in, i)));
    }
    return text;
}

bool rd_region_names_place(struct rd_reader *r, const rd_node *group, int *region)
{
    char name[UNION_BYTES];
    const rd_node *const in = rd_node_member(group, "in");
    *region = in ? rd_names_look(r, in, RD_NAME_REGION, name_of_place(in, name)) : -1;
    return !in || *region >= 0;
}

/* Holds lists of regions under `in` that differ, each of which is a union without a name. */
struct unions {
    const rd_node *in[RD_MAX_REGIONS + 1];
    int n;
};

/* Adds the lists in the node and in its members. */
static void collect_unions(struct unions *u, const rd_node *node) /* NOLINT(misc-no-recursion) */
{
    char name[UNION_BYTES], other[UNION_BYTES];
    const char *const key = rd_node_name(node);
    if (key && strcmp(key, "in") == 0 && rd_node_length(node) > 1) {
        bool is_known = u->n > RD_MAX_REGIONS;
        for (int i = 0; i < u->n && !is_known; i++)
            is_known = strcmp(name_of_place(node, name), name_of_place(u->in[i], other)) == 0;
        if (!is_known)
            u->in[u->n++] = node;
        return;
    }
    for (int i = 0; i < rd_node_length(node); i++)
        collect_unions(u, rd_node_at(node, i));
}

/* Makes a region of a list of regions. */
static bool read_union(struct rd_reader *r, const rd_node *in, struct rd_region *x)
{
    char name[UNION_BYTES];
    x->name = rd_reader_copy(r, name_of_place(in, name));
    x->place = rd_reader_copy(r, rd_node_place(r->c, in));
    x->shape = RD_SHAPE_UNION;
    return x->name && x->place;
}

static bool read_surface_name(struct rd_reader *r, const rd_node *group, struct rd_region *x)
{
    struct rd_model *const m = r->m;
    x->shape = RD_SHAPE_SURFACE;
    x->whole = -1;
    m->surface[m->n_surfaces++].region = m->n_regions;
    return rd_names_entry(r, group, RD_NAME_REGION, &x->name, &x->place);
}

static bool read_compartment_name(struct rd_reader *r, const rd_node *group, struct rd_region *x)
{
    struct rd_model *const m = r->m;
    x->shape = RD_SHAPE_COMPARTMENT;
    x->whole = -1;
    m->compartment[m->n_compartments++].region = m->n_regions;
    return rd_names_entry(r, group, RD_NAME_REGION, &x->name, &x->place);
}

bool rd_region_names_read(struct rd_reader *r, const rd_node *list, const rd_node *surfaces,
                          const rd_node *compartments)
{
    struct rd_model *const m = r->m;
    struct unions u = {.n = 0};
    collect_unions(&u, rd_config_root(r->c));
    const int plain = rd_node_length(list), first_surface = plain + u.n;
    const int first_compartment = first_surface + rd_node_length(surfaces);
    const int n = first_compartment + rd_node_length(compartments);
    if (n > RD_MAX_REGIONS)
        return rd_reader_fail(r, compartments ? compartments : surfaces,
                              "there are %d regions, surfaces, compartments and lists of regions "
                              "under 'in'; at most %d are possible",
                              n, RD_MAX_REGIONS);
    m->surface = rd_reader_array(r, rd_node_length(surfaces), sizeof *m->surface);
    m->compartment = rd_reader_array(r, n - first_compartment, sizeof *m->compartment);
    m->region = rd_reader_array(r, n, sizeof *m->region);
    m->region_name = rd_reader_array(r, n, sizeof *m->region_name);
    if (!m->region || !m->region_name || !m->surface || !m->compartment)
        return false;
    for (int i = 0; i < n; i++) {
        struct rd_region *const x = &m->region[i];
        const bool read =
            i < plain ? rd_names_entry(r, rd_node_at(list, i), RD_NAME_REGION, &x->name, &x->place)
            : i < first_surface ? read_union(r, u.in[i - plain], x)
            : i < first_compartment
                ? read_surface_name(r, rd_node_at(surfaces, i - first_surface), x)
                : read_compartment_name(r, rd_node_at(compartments, i - first_compartment), x);
        m->region_name[i] = x->name;
        m->n_regions++;
        if (!read)
            return false;
    }
    rd_reader_about(r, "in");
    for (int i = 0; i < u.n; i++)
        rd_shapes_union(r, u.in[i], &m->region[plain + i]);
    rd_reader_about(r, "%s", "");
    return true;
}
