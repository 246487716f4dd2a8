/* output_by - the key `by` of the groups of the output: individuals that are counted by an integer
   attribute. */
#include "base/text.h"
#include "model/reader.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Reads the species, which must be one of individuals, and its attribute. */
static bool read_counted(struct rd_reader *r, const rd_node *group, struct rd_by *x)
{
    const struct rd_model *const m = r->m;
    const rd_node *const species = rd_node_member(group, "species"), *const attribute =
                                                                         rd_node_member(
                                                                             group, "attribute");
    x->species = rd_names_look(r, species, RD_NAME_SPECIES, rd_node_text(species));
    if (x->species < 0)
        return false;
    const struct rd_species *const of = &m->species[x->species];
    if (!of->is_individual)
        return rd_reader_fail(r, species,
                              "'%s' is a counted species, which has no attributes; name a species "
                              "with individuals",
                              of->name);
    x->attribute = rd_names_attribute(m, x->species, rd_node_text(attribute));
    if (x->attribute >= 0)
        return true;
    char known[200] = "";
    for (int k = 0; k < of->n_attributes; k++) {
        const size_t used = strlen(known);
        snprintf(known + used, sizeof known - used, "%s%s", k ? ", " : "", of->attribute[k].name);
    }
    return rd_reader_fail(r, attribute, "'%s' has no attribute '%.60s'; %s%s", of->name,
                          rd_node_text(attribute), *known ? "choose one of: " : "declare it",
                          known);
}

static bool read_range(struct rd_reader *r, const rd_node *list, struct rd_by *x)
{
    const int n = rd_node_length(list);
    if (n != 2)
        return rd_reader_fail(r, list,
                              "range has %d number%s; give the least and the largest value", n,
                              n == 1 ? "" : "s");
    if (!rd_reader_whole(r, rd_node_at(list, 0), "range", INT32_MIN, &x->least) ||
        !rd_reader_whole(r, rd_node_at(list, 1), "range", INT32_MIN, &x->most))
        return false;
    const int64_t values = (int64_t)x->most - x->least + 1;
    if (values < 1)
        return rd_reader_fail(r, list, "range is from %d to %d; give the least value first",
                              x->least, x->most);
    return values <= RD_BINS_MOST ||
           rd_reader_fail(r, list, "range has %lld values; give at most %d", (long long)values,
                          (int)RD_BINS_MOST);
}

/* Reads or makes the name, which no earlier entry of the group has. */
static bool read_name(struct rd_reader *r, const rd_node *group, struct rd_by *x)
{
    const struct rd_model *const m = r->m;
    const struct rd_species *const of = &m->species[x->species];
    const rd_node *const node = rd_node_member(group, "name");
    x->name = node ? rd_reader_copy(r, rd_node_text(node))
                   : rd_text_format("%s_%s", of->name, of->attribute[x->attribute].name);
    if (!x->name)
        return rd_fail(r->e, "out of memory for output.by");
    if (node && !rd_names_is_spelled(x->name))
        return rd_reader_fail(
            r, node, "'%.60s' is not a name; write a letter, then letters, digits or _", x->name);
    if (strlen(x->name) >= RD_NAME_BYTES - 1)
        return rd_reader_fail(r, node ? node : group,
                              "has a name of %zu characters; set one with at most %d",
                              strlen(x->name), (int)RD_NAME_BYTES - 2);
    for (const struct rd_by *b = m->by; b < x; b++)
        if (b->output == x->output && b->name && strcmp(b->name, x->name) == 0)
            return rd_reader_fail(r, node ? node : group,
                                  "has the name '%s' of an earlier entry; set another `name`",
                                  x->name);
    return true;
}

static void read_entry(struct rd_reader *r, const rd_node *group, int output)
{
    struct rd_model *const m = r->m;
    struct rd_by *const x = &m->by[m->n_by++];
    x->output = output;
    x->place = rd_reader_copy(r, rd_node_place(r->c, group));
    const bool is_known = read_counted(r, group, x);
    if (!read_range(r, rd_node_member(group, "range"), x) || !is_known || !read_name(r, group, x))
        return;
    x->first = m->n_bins;
    m->n_bins += (int64_t)x->most - x->least + 1;
}

bool rd_model_counts_by(const struct rd_model *m, uint64_t due)
{
    bool does = false;
    for (int i = 0; i < m->n_by; i++)
        does = does || (due >> m->by[i].output & 1);
    return does;
}

void rd_output_by_read(struct rd_reader *r, const rd_node *output)
{
    struct rd_model *const m = r->m;
    int n = 0;
    for (int i = 0; i < m->n_outputs; i++)
        n += rd_node_length(rd_node_member(rd_reader_each(output, i), "by"));
    m->by = n > 0 ? rd_reader_array(r, n, sizeof *m->by) : NULL;
    rd_reader_about(r, "output.by");
    for (int i = 0; m->by && i < m->n_outputs; i++) {
        const rd_node *const list = rd_node_member(rd_reader_each(output, i), "by");
        for (int k = 0; k < rd_node_length(list); k++)
            read_entry(r, rd_node_at(list, k), i);
    }
}
