/* parameters - values of the parameters: numbers, and expressions of other parameters in any
   order. */
#include "model/reader.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* A depth-first search along the parameters that each parameter uses, to evaluate them in order. */
struct search {
    struct rd_reader *r;
    const rd_node *group;
    struct rd_expr *law; /* [parameter]: its expression */
    enum { UNSEEN, OPEN, DONE } * state;
    int *path; /* the open parameters; each is used by the one before it */
    int depth;
};

/* Reports the circle that closes at parameter p, which the last parameter of the path uses. */
static void report_circle(struct search *s, int p)
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
    rd_reader_fail(s->r, rd_node_at(s->group, p),
                   "depends on itself (%s%s); give one of them a number",
                   used < sizeof circle ? circle : "a long circle: ... -> ", name[p]);
}

/* Returns the value of p's expression, or NAN with a message. */
static double value_of(struct search *s, int p)
{
    const struct rd_eval_context at = {.parameter = s->r->m->value};
    const double value = rd_expr_value(&s->law[p], &at);
    const struct rd_scope scope = rd_model_scope(s->r->m, RD_USES_PARAMETERS);
    char why[128];
    if (isfinite(value))
        return value;
    rd_reader_about(s->r, "parameter '%s'", s->r->m->parameter[p]);
    rd_expr_zero(&s->law[p], &scope, &at, why, sizeof why);
    rd_reader_fail(s->r, rd_node_at(s->group, p), "value is %s%s; give a finite number",
                   isnan(value) ? "not a number"
                   : value > 0  ? "inf"
                                : "-inf",
                   why);
    return NAN;
}

/* Evaluates parameter p after all that it uses; returns false if that is not possible. */
static bool settle(struct search *s, int p)
{
    double *const value = s->r->m->value;
    if (s->state[p] == DONE)
        return !isnan(value[p]);
    if (s->state[p] == OPEN) {
        report_circle(s, p);
        return false;
    }
    s->state[p] = OPEN;
    s->path[s->depth++] = p;
    bool settled = s->law[p].n > 0;
    for (int i = 0; i < s->law[p].n; i++) {
        const struct rd_op *const op = &s->law[p].op[i];
        if (op->code == RD_OP_PARAMETER) {
            s->r->heir[op->index] = p;
            settled = settle(s, op->index) && settled;
        }
    }
    s->depth--;
    s->state[p] = DONE;
    value[p] = settled ? value_of(s, p) : NAN;
    if (settled)
        rd_quantities_parameter(s->r, rd_node_at(s->group, p), p, &s->law[p]);
    return !isnan(value[p]);
}

static bool settle_all(struct search *s)
{
    const struct rd_model *const m = s->r->m;
    bool settled = true;
    for (int p = 0; p < m->n_parameters; p++) {
        const rd_node *const node = rd_node_at(s->group, p);
        s->r->heir[p] = -1;
        rd_reader_about(s->r, "parameter '%s'", m->parameter[p]);
        if (!rd_reader_expr(s->r, node, "value", RD_USES_PARAMETERS, RD_RANGE_ANY, &s->law[p]))
            rd_expr_free(&s->law[p]); /* the error is reported; the parameter has no value */
    }
    for (int p = 0; p < m->n_parameters; p++)
        settled = settle(s, p) && settled;
    return settled;
}

bool rd_parameters_read(struct rd_reader *r)
{
    const int n = r->m->n_parameters;
    struct search s = {
        .r = r,
        .group = rd_node_member(rd_config_root(r->c), "parameters"),
        .law = rd_reader_array(r, n, sizeof *s.law),
        .state = rd_reader_array(r, n, sizeof *s.state),
        .path = rd_reader_array(r, n, sizeof *s.path),
    };
    r->heir = rd_reader_array(r, n, sizeof *r->heir);
    r->measure = rd_reader_array(r, n, sizeof *r->measure);
    const bool has_memory = s.law && s.state && s.path && r->heir && r->measure;
    if (has_memory)
        r->has_values = settle_all(&s);
    for (int p = 0; s.law && p < n; p++)
        rd_expr_free(&s.law[p]);
    free(s.law);
    free(s.state);
    free(s.path);
    return has_memory;
}
