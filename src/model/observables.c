/* observables - the numbers of a whole run: rates of the variables of ODEs, and named sums of
   totals and named expressions for the result. */
#include "model/equation.h"
#include "model/reader.h"

#include <string.h>

/* Lists what expressions of a run may use. */
enum { USES = RD_USES_PARAMETERS | RD_USES_TIME | RD_USES_TOTALS | RD_USES_VOLUME };

/* ---- variables of ODEs ---- */

/* Adds a variable of an ODE to the numbers that the result has. */
static void record_ode(struct rd_reader *r, const rd_node *group, const struct rd_ode *x)
{
    struct rd_model *const m = r->m;
    const struct rd_scope scope = rd_model_scope(m, RD_USES_PARAMETERS);
    struct rd_named_value *const value = &m->named_value[m->n_named_values];
    value->name = rd_reader_copy(r, m->parameter[x->parameter]);
    m->n_named_values += value->name != NULL;
    rd_reader_within(r, rd_node_member(group, "name"), "name", &scope, RD_RANGE_ANY, &value->value);
}

void rd_odes_read(struct rd_reader *r)
{
    struct rd_model *const m = r->m;
    const rd_node *const root = rd_config_root(r->c), *const list = rd_node_member(root, "odes");
    const int n = rd_node_length(rd_node_member(root, "observables"));
    m->named_value = rd_reader_array(r, m->n_odes + n, sizeof *m->named_value);
    for (int i = 0; m->named_value && i < m->n_odes; i++) {
        const rd_node *const group = rd_node_at(list, i);
        struct rd_ode *const x = &m->ode[i];
        rd_reader_about(r, "ODE of '%.60s'", m->parameter[x->parameter]);
        rd_reader_expr(r, rd_node_member(group, "rate"), "rate", USES, RD_RANGE_ANY, &x->rate);
        record_ode(r, group, x);
    }
    rd_reader_about(r, "%s", "");
    if (m->n_odes > 0 && m->grid.n_sites > 1)
        rd_reader_fail(r, list,
                       "odes: there are %lld voxels, and ODEs need one; write a field with a rate",
                       (long long)m->grid.n_sites);
}

/* ---- observables ---- */

static bool is_known(const struct rd_model *m, const char *name)
{
    for (int i = 0; i < m->n_observables; i++)
        if (strcmp(m->observable[i].name, name) == 0)
            return true;
    for (int i = 0; i < m->n_named_values; i++)
        if (strcmp(m->named_value[i].name, name) == 0)
            return true;
    return false;
}

static void read_observable_sum(struct rd_reader *r, const rd_node *sum, char *name)
{
    struct rd_model *const m = r->m;
    struct rd_observable *const x = &m->observable[m->n_observables++];
    x->name = name;
    rd_equation_sum(&x->term, &x->n_terms, rd_node_text(sum), m, rd_node_place(r->c, sum), r->e);
    for (int i = 0; i < x->n_terms; i++)
        m->reads_species[x->term[i].species] = true;
}

static void read_observable_value(struct rd_reader *r, const rd_node *value, char *name)
{
    struct rd_model *const m = r->m;
    struct rd_named_value *const x = &m->named_value[m->n_named_values++];
    x->name = name;
    rd_reader_about(r, "observable '%.60s'", name);
    rd_reader_expr(r, value, "value", USES, RD_RANGE_ANY, &x->value);
}

static void read_observable(struct rd_reader *r, const rd_node *group)
{
    static const char *const key[] = {"sum", "value"};
    const rd_node *const name = rd_node_member(group, "name");
    rd_reader_about(r, "%s", "");
    if (!rd_names_spelled(r, name, "observable", rd_node_text(name)))
        return;
    if (is_known(r->m, rd_node_text(name))) {
        rd_reader_fail(r, name, "observable '%s' is declared twice; rename one of them",
                       rd_node_text(name));
        return;
    }
    rd_reader_about(r, "observable '%.60s'", rd_node_text(name));
    const int which = rd_reader_one_of(r, group, 2, key);
    char *const copy = which < 0 ? NULL : rd_reader_copy(r, rd_node_text(name));
    if (copy)
        (which == 0 ? read_observable_sum
                    : read_observable_value)(r, rd_node_member(group, key[which]), copy);
}

void rd_observables_read(struct rd_reader *r)
{
    const rd_node *const list = rd_node_member(rd_config_root(r->c), "observables");
    const int n = rd_node_length(list);
    r->m->observable = rd_reader_array(r, n, sizeof *r->m->observable);
    for (int i = 0; r->m->observable && r->m->named_value && i < n; i++)
        read_observable(r, rd_node_at(list, i));
}
