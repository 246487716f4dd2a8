/* axis - the values that one key of a sweep takes: listed, in a series, or drawn. */
#define _POSIX_C_SOURCE 200809L
#include "sweep/axis.h"
#include "expr/expr.h"
#include "kernels/core/real.h"
#include "kernels/core/rng.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Holds the state while one element of `vary` is read. */
struct reading {
    struct rd_sweep_axis *a;
    const rd_config *c;
    const rd_node *values;
    uint64_t seed;
    int number; /* index of the axis */
    struct rd_error *e;
};

/* Returns the part of the path after its last point, without brackets. */
static char *last_part(const char *path)
{
    const char *const point = strrchr(path, '.');
    const char *const part = point ? point + 1 : path;
    return strndup(part, strcspn(part, "["));
}

/* Stores the number as value i. */
static bool put(const struct reading *r, int64_t i, double v)
{
    char text[RD_NUMBER_BYTES];
    rd_number_write(v, text);
    r->a->value[i] = strdup(text);
    return r->a->value[i] || rd_fail(r->e, "out of memory for the values of a sweep");
}

static bool fail(const struct reading *r, const rd_node *node, const char *what)
{
    return rd_fail(r->e, "%s: vary '%s': %s", rd_node_place(r->c, node), r->a->name, what);
}

static bool has_capacity(const struct reading *r, int64_t n)
{
    r->a->n = n;
    r->a->value = calloc((size_t)n, sizeof *r->a->value);
    return r->a->value || rd_fail(r->e, "out of memory for %lld values", (long long)n);
}

static bool take_list(const struct reading *r)
{
    const bool is_list = rd_node_is_list(r->values);
    if (!has_capacity(r, is_list ? rd_node_length(r->values) : 1))
        return false;
    for (int i = 0; i < r->a->n; i++) {
        r->a->value[i] = rd_node_written(is_list ? rd_node_at(r->values, i) : r->values);
        if (!r->a->value[i])
            return rd_fail(r->e, "out of memory for the values of a sweep");
    }
    return true;
}

/* Compiles an expression that may use only what is allowed. */
static bool compile(const struct reading *r, const rd_node *node, unsigned allowed,
                    struct rd_expr *x)
{
    const struct rd_scope scope = {.allowed = allowed};
    const char *const text = rd_node_text(node);
    return text ? rd_expr_compile(x, text, &scope, rd_node_place(r->c, node), r->e)
                : rd_expr_constant(x, rd_node_number(node), r->e);
}

/* Evaluates the key of that name to a finite number. */
static bool take_end(const struct reading *r, const char *name, double *v)
{
    const rd_node *const node = rd_node_member(r->values, name);
    struct rd_expr x = {0};
    bool ok = node != NULL || fail(r, r->values,
                                   "values is a group without 'from' and 'to', or 'random'; give "
                                   "both ends of a series, or a distribution");
    ok = ok && compile(r, node, 0, &x);
    if (ok) {
        *v = rd_expr_value(&x, &(struct rd_eval_context){0});
        ok = rd_is_finite(*v) ||
             fail(r, node, "an end of the series is not a finite number; give a finite one");
    }
    rd_expr_free(&x);
    return ok;
}

static bool is_log(const struct reading *r)
{
    return strcmp(rd_node_text(rd_node_member(r->values, "scale")), "log") == 0;
}

/* Rounds to 14 digits: 1 instead of 1.0000000000000004, so that a search for a value finds it. */
static double rounded(double v)
{
    char text[RD_NUMBER_BYTES];
    snprintf(text, sizeof text, "%.14g", v);
    return strtod(text, NULL);
}

/* Returns value i of n between the ends, which are exact. */
static double between(double from, double to, int64_t i, int64_t n, bool by_factors)
{
    if (i == 0)
        return from;
    if (i == n - 1)
        return to;
    const double part = (double)i / (double)(n - 1);
    return rounded(by_factors ? rd_exp(rd_log(from) + part * (rd_log(to) - rd_log(from)))
                              : from + part * (to - from));
}

static bool take_series(const struct reading *r)
{
    double from, to;
    const int64_t n = rd_node_integer(rd_node_member(r->values, "points"));
    if (!take_end(r, "from", &from) || !take_end(r, "to", &to))
        return false;
    if (is_log(r) && !(from > 0.0 && to > 0.0))
        return fail(r, r->values, "a series with scale 'log' has an end <= 0; give ends > 0");
    if (n == 1 && to != from)
        return fail(r, r->values,
                    "a series of 1 point does not reach its end 'to'; give 2 points or more");
    if (!has_capacity(r, n))
        return false;
    for (int64_t i = 0; i < r->a->n; i++)
        if (!put(r, i, between(from, to, i, r->a->n, is_log(r))))
            return false;
    return true;
}

/* Draws the values. Each has its own random stream, so that more values do not change the first
   ones. */
static bool draw(const struct reading *r, const rd_node *node)
{
    struct rd_expr x = {0};
    bool ok = compile(r, node, RD_USES_PROBABILITY, &x) &&
              has_capacity(r, rd_node_integer(rd_node_member(r->values, "points")));
    for (int64_t i = 0; ok && i < r->a->n; i++) {
        struct rd_stream stream = rd_stream_of(r->seed, 0, 0, RD_FOR_SWEEP, (uint32_t)r->number, i);
        const double v = rd_expr_value(&x, &(struct rd_eval_context){.stream = &stream});
        ok = (rd_is_finite(v) ||
              fail(r, node, "a drawn number is not finite; give another expression")) &&
             put(r, i, v);
    }
    rd_expr_free(&x);
    return ok;
}

static bool take_values(const struct reading *r)
{
    if (!rd_node_is_group(r->values))
        return take_list(r);
    const rd_node *const random = rd_node_member(r->values, "random");
    const bool has_ends =
        rd_node_member(r->values, "from") != NULL || rd_node_member(r->values, "to") != NULL;
    if (random && has_ends)
        return fail(r, r->values, "values has both 'random' and 'from' or 'to'; give one of them");
    return random ? draw(r, random) : take_series(r);
}

/* Refuses keys that each task sets by itself, and names the key of the sweep to use instead. */
static bool is_free(const struct reading *r, const rd_node *node)
{
    if (strcmp(r->a->path, "run.seed") == 0)
        return fail(r, node,
                    "a sweep cannot vary the seed, which each task gets from its point and repeat; "
                    "set 'seed' and 'repeats' of the sweep");
    if (strcmp(r->a->path, "output.file") == 0)
        return fail(r, node,
                    "a sweep cannot vary the name of the result; set 'output' of the sweep");
    return true;
}

/* Returns whether a text can stand in braces in file names, and be a name in the collected file. */
static bool is_name(const char *text)
{
    static const char first[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    return *text && strchr(first, *text) &&
           text[strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")] ==
               0;
}

bool rd_axis_read(struct rd_sweep_axis *a, const rd_config *c, const rd_node *node, int i,
                  uint64_t seed, struct rd_error *e)
{
    const char *const path = rd_node_text(rd_node_member(node, "path"));
    const char *const name = rd_node_text(rd_node_member(node, "name"));
    *a = (struct rd_sweep_axis){.path = strdup(path),
                                .name = name ? strdup(name) : last_part(path),
                                .place = strdup(rd_node_place(c, node))};
    if (!a->path || !a->name || !a->place)
        return rd_fail(e, "out of memory for the sweep");
    const struct reading r = {a, c, rd_node_member(node, "values"), seed, i, e};
    if (!is_name(a->name))
        return fail(&r, node, "this is not a name; give a 'name' of letters, digits and _");
    return is_free(&r, node) && take_values(&r);
}

void rd_axis_free(struct rd_sweep_axis *a)
{
    for (int64_t i = 0; a->value && i < a->n; i++)
        free(a->value[i]);
    free(a->value);
    free(a->path);
    free(a->name);
    free(a->place);
    *a = (struct rd_sweep_axis){0};
}
