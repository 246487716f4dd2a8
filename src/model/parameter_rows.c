/* parameter_rows - the parameters that the table of run.rows sets, and what depends on them. */
#include "base/text.h"
#include "model/reader.h"

#include <stdlib.h>
#include <string.h>

/* Sets the most reactions of models whose rates are computed for many rows at once. */
enum { REACTIONS_MOST = 64 };

/* Finds the parameter of each column. */
static bool find_parameters(struct rd_reader *r)
{
    struct rd_theta *const t = &r->m->theta;
    const int n = r->m->n_parameters - r->m->n_odes;
    char fact[256];
    bool ok = true;
    if (!(t->parameter = rd_reader_array(r, t->table.n_columns, sizeof *t->parameter)))
        return false;
    for (int k = 0; k < t->table.n_columns; k++) {
        const int p = rd_names_find(r->m, RD_NAME_PARAMETER, t->table.name[k]);
        t->parameter[k] = p;
        if (p < 0 || p >= n) {
            rd_names_unknown(fact, sizeof fact, r->m, RD_NAME_PARAMETER, t->table.name[k]);
            ok = rd_fail(r->e, "%s: column '%.60s': %s", t->table.file, t->table.name[k], fact);
        }
        for (int before = 0; before < k; before++)
            if (strcmp(t->table.name[k], t->table.name[before]) == 0)
                ok = rd_fail(r->e, "%s: has two columns '%.60s'; leave one out", t->table.file,
                             t->table.name[k]);
    }
    return ok;
}

static bool is_column(const struct rd_theta *t, int parameter)
{
    return t->table.n_rows > 0 && rd_theta_value(t, 0, parameter) != NULL;
}

/* Returns whether the rate reads a parameter of the table. */
static bool reads_column(const struct rd_theta *t, const struct rd_expr *rate)
{
    for (int32_t i = 0; i < rate->n; i++)
        if (rate->op[i].code == RD_OP_PARAMETER && is_column(t, rate->op[i].index))
            return true;
    return false;
}

bool rd_theta_may_change(const struct rd_theta *t, const struct rd_expr *x)
{
    return t->table.n_rows > 0 && (x->uses & RD_USES_PARAMETERS) != 0;
}

bool rd_theta_may_set(const struct rd_reaction *x)
{
    return !x->has_propensity && !x->is_exchange && x->corrected_by < 0 && x->surface < 0 &&
           x->region < 0 && !(x->rate.uses & ~(unsigned)(RD_USES_PARAMETERS | RD_USES_VOLUME));
}

/* Returns whether the model has parts that the tables for many rows are not for. */
static bool has_only_simple_parts(const struct rd_model *m)
{
    for (int s = 0; s < m->n_species; s++)
        if (m->species[s].is_individual || m->species[s].store == RD_STORE_LIST)
            return false;
    for (int i = 0; i < m->n_events; i++)
        if (m->event[i].n_set > 0)
            return false;
    return m->solver == RD_SOLVER_SPLIT && m->n_compartments == 0 && m->n_odes == 0 &&
           m->n_reactions <= REACTIONS_MOST;
}

/* Returns whether the table sets rates of mass action and nothing else. */
static bool sets_rates_only(const struct rd_reader *r)
{
    const struct rd_model *const m = r->m;
    const struct rd_theta *const t = &m->theta;
    for (int k = 0; k < t->table.n_columns; k++)
        if ((m->reads_parameter[t->parameter[k]] & RD_READ_OTHERWISE) ||
            r->heir[t->parameter[k]] >= 0)
            return false;
    for (int i = 0; i < m->n_reactions; i++)
        if (m->reaction[i].region >= 0 ||
            (reads_column(t, &m->reaction[i].rate) && !rd_theta_may_set(&m->reaction[i])))
            return false;
    return true;
}

/* Rejects contents of the result that would mix runs of different rows. */
static void check_outputs_of_rows(struct rd_reader *r)
{
    for (int i = 0; i < r->m->n_outputs; i++)
        if (r->m->output[i].keep != RD_KEEP_ALL && r->m->output[i].keep != RD_KEEP_TOTALS)
            rd_fail(r->e,
                    "%s: keeps statistics over all runs, which would mix rows of %s; set keep = "
                    "\"totals\" or \"all\"",
                    r->m->output[i].place, r->m->theta.table.file);
}

void rd_parameter_rows_check(struct rd_reader *r)
{
    struct rd_theta *const t = &r->m->theta;
    if (t->table.n_rows == 0)
        return;
    check_outputs_of_rows(r);
    if (find_parameters(r) && r->has_values)
        t->is_flat = !t->shares_streams && has_only_simple_parts(r->m) && sets_rates_only(r);
}

char *rd_model_row_name(const struct rd_model *all, int64_t row)
{
    return rd_text_format("%s: row %lld: ", all->theta.table.file, (long long)row);
}
