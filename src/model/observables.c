/* observables - named sums of totals for the result; separate because model.c reads no keys. */
#include "model/equation.h"
#include "model/reader.h"

#include <string.h>

static bool is_known(const struct rd_model *m, const char *name)
{
    for (int i = 0; i < m->n_observables; i++)
        if (strcmp(m->observable[i].name, name) == 0)
            return true;
    return false;
}

static void read_observable(struct rd_reader *r, const rd_node *group)
{
    struct rd_model *const m = r->m;
    const rd_node *const name = rd_node_member(group, "name");
    const rd_node *const sum = rd_node_member(group, "sum");
    struct rd_observable *const x = &m->observable[m->n_observables];
    rd_reader_about(r, "%s", "");
    if (!rd_names_spelled(r, name, "observable", rd_node_text(name)))
        return;
    if (is_known(m, rd_node_text(name))) {
        rd_reader_fail(r, name, "observable '%s' is declared twice; rename one of them",
                       rd_node_text(name));
        return;
    }
    if (!(x->name = rd_reader_copy(r, rd_node_text(name))))
        return;
    m->n_observables++;
    rd_equation_sum(&x->term, &x->n_terms, rd_node_text(sum), m, rd_node_place(r->c, sum), r->e);
    for (int i = 0; i < x->n_terms; i++)
        m->reads_species[x->term[i].species] = true;
}

void rd_observables_read(struct rd_reader *r)
{
    const rd_node *const list = rd_node_member(rd_config_root(r->c), "observables");
    const int n = rd_node_length(list);
    r->m->observable = rd_reader_array(r, n, sizeof *r->m->observable);
    for (int i = 0; r->m->observable && i < n; i++)
        read_observable(r, rd_node_at(list, i));
}
