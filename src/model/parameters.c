/* parameters - values of the parameters: numbers, and expressions of other parameters in any
   order. Those that read the sizes of regions are evaluated after the regions. */
#include "expr/token.h"
#include "model/reader.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Describes a depth-first search along the parameters that each parameter uses, to evaluate them in
   order. */
struct cycle_search {
    struct rd_reader *r;
    const rd_node *group, *odes;
    struct rd_expr *law; /* [parameter]: its expression */
    enum { UNSEEN, OPEN, DONE } * state;
    int *path; /* the open parameters; each is used by the one before it */
    int depth;
};

/* Returns the node of the value of parameter p. */
static const rd_node *node_of(const struct cycle_search *s, int p)
{
    const int n = rd_node_length(s->group);
    return p < n ? rd_node_at(s->group, p) : rd_node_member(rd_node_at(s->odes, p - n), "value");
}

/* Reports the circle that closes at parameter p, which the last parameter of the path uses. */
static void report_parameter_circle(struct cycle_search *s, int p)
{
    char *const *const name = s->r->m->parameter;
    char circle[200] = "";
    size_t used = 0;
    int from = s->depth - 1;
    while (s->path[from] != p)
        from--;
    for (int i = from; i < s->depth && used < sizeof circle; i++)
        used += (size_t)snprintf(circle + used, sizeof circle - used, "%s -> ", name[s->path[i]]);
    rd_reader_about(s->r, "parameter '%s'", name[p]);
    rd_reader_fail(s->r, node_of(s, p), "depends on itself (%s%s); give one of them a number",
                   used < sizeof circle ? circle : "a long circle: ... -> ", name[p]);
}

/* Returns the value of p's expression, or NAN with a message. */
static double evaluate_parameter(struct cycle_search *s, int p)
{
    const struct rd_eval_context at = {.parameter = s->r->m->value};
    const double value = rd_expr_value(&s->law[p], &at);
    const struct rd_scope scope = rd_model_scope(s->r->m, RD_USES_PARAMETERS);
    char why[128];
    if (isfinite(value))
        return value;
    rd_reader_about(s->r, "parameter '%s'", s->r->m->parameter[p]);
    rd_expr_zero(&s->law[p], &scope, RD_USES_PARAMETERS, &at, why, sizeof why);
    rd_reader_fail(s->r, node_of(s, p), "value is %s%s; give a finite number",
                   isnan(value) ? "not a number"
                   : value > 0  ? "inf"
                                : "-inf",
                   why);
    return NAN;
}

/* Evaluates parameter p after all that it uses; returns false if that is not possible. */
static bool evaluate(struct cycle_search *s, int p)
{
    double *const value = s->r->m->value;
    if (s->state[p] == DONE)
        return !isnan(value[p]);
    if (s->state[p] == OPEN) {
        report_parameter_circle(s, p);
        return false;
    }
    s->state[p] = OPEN;
    s->path[s->depth++] = p;
    bool is_evaluated = s->law[p].n > 0;
    for (int i = 0; i < s->law[p].n; i++) {
        const struct rd_op *const op = &s->law[p].op[i];
        if (op->code == RD_OP_PARAMETER) {
            s->r->heir[op->index] = p;
            is_evaluated = evaluate(s, op->index) && is_evaluated;
        }
    }
    s->depth--;
    s->state[p] = DONE;
    value[p] = is_evaluated ? evaluate_parameter(s, p) : NAN;
    rd_reader_about(s->r, "parameter '%s'", s->r->m->parameter[p]);
    if (is_evaluated)
        rd_quantities_parameter(s->r, node_of(s, p), p, &s->law[p]);
    return !isnan(value[p]);
}

/* Returns whether the expression at node reads the size of a region: voxels(), volume() or area().
 */
static bool reads_size(const rd_node *node)
{
    if (!rd_node_is_text(node))
        return false;
    struct rd_token t = rd_token_at(rd_node_text(node));
    while (t.kind != RD_TOKEN_END && t.length > 0) {
        const struct rd_token next = rd_token_at(t.start + t.length);
        if (rd_token_is(&next, "(") &&
            (rd_token_is(&t, "voxels") || rd_token_is(&t, "volume") || rd_token_is(&t, "area")))
            return true;
        t = next;
    }
    return false;
}

/* Returns the value that the row of a table sets for the parameter; NULL if it sets none. */
static const double *value_of_row(const struct cycle_search *s, int p)
{
    return s->r->theta ? rd_theta_value(s->r->theta, s->r->row, p) : NULL;
}

/* Compiles the expressions of all parameters that depend on regions, or of all others. */
static void compile_all(struct cycle_search *s, bool needs_regions)
{
    const struct rd_model *const m = s->r->m;
    for (int p = 0; p < m->n_parameters; p++) {
        const rd_node *const node = node_of(s, p);
        if (s->r->needs_regions[p] != needs_regions)
            continue;
        s->r->heir[p] = -1;
        rd_reader_about(s->r, "parameter '%s'", m->parameter[p]);
        const double *const value = value_of_row(s, p);
        if (value) {
            rd_expr_constant(&s->law[p], *value, s->r->e);
            continue;
        }
        if (!rd_reader_expr(s->r, node, "value", RD_USES_PARAMETERS, RD_RANGE_ANY, &s->law[p]))
            rd_expr_free(&s->law[p]); /* the error is reported; the parameter has no value */
    }
}

/* Returns whether the expression uses a parameter that needs regions. */
static bool uses_late(const struct rd_reader *r, const struct rd_expr *law)
{
    for (int i = 0; i < law->n; i++)
        if (law->op[i].code == RD_OP_PARAMETER && r->needs_regions[law->op[i].index])
            return true;
    return false;
}

/* Marks the parameters that use, directly or through others, one that needs regions. */
static void spread_need(struct cycle_search *s)
{
    for (bool again = true; again;) {
        again = false;
        for (int p = 0; p < s->r->m->n_parameters; p++)
            if (!s->r->needs_regions[p] && uses_late(s->r, &s->law[p]))
                again = s->r->needs_regions[p] = true;
    }
}

/* Evaluates the parameters that need regions, or all others; the rest is not touched. */
static bool evaluate_all(struct cycle_search *s, bool needs_regions)
{
    bool is_evaluated = true;
    for (int p = 0; p < s->r->m->n_parameters; p++)
        s->state[p] = s->r->needs_regions[p] == needs_regions ? UNSEEN : DONE;
    for (int p = 0; p < s->r->m->n_parameters; p++)
        if (s->r->needs_regions[p] == needs_regions)
            is_evaluated = evaluate(s, p) && is_evaluated;
    return is_evaluated;
}

/* Reads the parameters that need no region, and finds those that need one. */
static bool evaluate_early(struct cycle_search *s)
{
    for (int p = 0; p < s->r->m->n_parameters; p++)
        s->r->needs_regions[p] = !value_of_row(s, p) && reads_size(node_of(s, p));
    compile_all(s, false);
    spread_need(s);
    s->r->regions_are_open = true;
    return evaluate_all(s, false);
}

/* Reads the parameters that need regions, all of which are known. */
static bool evaluate_late(struct cycle_search *s)
{
    compile_all(s, true);
    return evaluate_all(s, true);
}

/* Reads a part of the parameters; returns false only if there is no memory. */
static bool read_parameters_part(struct rd_reader *r, bool (*evaluate_part)(struct cycle_search *))
{
    const int n = r->m->n_parameters;
    struct cycle_search s = {
        .r = r,
        .group = rd_node_member(rd_config_root(r->c), "parameters"),
        .odes = rd_node_member(rd_config_root(r->c), "odes"),
        .law = rd_reader_array(r, n, sizeof *s.law),
        .state = rd_reader_array(r, n, sizeof *s.state),
        .path = rd_reader_array(r, n, sizeof *s.path),
    };
    const bool has_memory = s.law && s.state && s.path, had_values = r->has_values;
    r->has_values = false; /* while expressions are compiled */
    if (has_memory)
        r->has_values = evaluate_part(&s) && had_values;
    for (int p = 0; s.law && p < n; p++)
        rd_expr_free(&s.law[p]);
    free(s.law);
    free(s.state);
    free(s.path);
    return has_memory;
}

bool rd_parameters_read(struct rd_reader *r)
{
    const int n = r->m->n_parameters;
    r->heir = rd_reader_array(r, n, sizeof *r->heir);
    r->measure = rd_reader_array(r, n, sizeof *r->measure);
    r->needs_regions = rd_reader_array(r, n, sizeof *r->needs_regions);
    r->has_values = true;
    return r->heir && r->measure && r->needs_regions && read_parameters_part(r, evaluate_early);
}

bool rd_parameters_read_sizes(struct rd_reader *r)
{
    const bool are_known = r->n_overlaps > 0;
    bool any = false;
    for (int p = 0; p < r->m->n_parameters; p++)
        any = any || r->needs_regions[p];
    r->regions_are_open = false;
    r->has_values = r->has_values && (are_known || !any);
    return !any || !are_known || read_parameters_part(r, evaluate_late);
}

bool rd_parameters_check_order(struct rd_reader *r, const rd_node *node, const char *key,
                               const struct rd_expr *x)
{
    for (int i = 0; r->regions_are_open && i < x->n; i++)
        if (x->op[i].code == RD_OP_PARAMETER && r->needs_regions[x->op[i].index])
            return rd_reader_fail(r, node,
                                  "%s uses '%s', which is computed from the size of a region, but "
                                  "regions and the grid are made first; use a parameter that needs "
                                  "no region",
                                  key, r->m->parameter[x->op[i].index]);
    return true;
}
