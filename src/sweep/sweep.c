/* sweep - reads a sweep with the values that each key takes (listed, in a series, or drawn), counts
   its points and tasks, and prints them. */
#define _POSIX_C_SOURCE 200809L
#include "sweep/sweep.h"

#include "config/tree.h"
#include "expr/expr.h"
#include "kernels/core/real.h"
#include "kernels/core/rng.h"
#include "result/files/run_state.h"
#include "result/write/collected_series.h"

#include <stdlib.h>
#include <string.h>

/* Holds the state while one element of `vary` is read. */
struct axis_reader {
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

/* Stores the number, with these units or "", as value i. */
static bool put_value(const struct axis_reader *r, int64_t i, double v, const char *units)
{
    char text[RD_NUMBER_BYTES];
    rd_number_write(v, text);
    r->a->value[i] = *units ? rd_text_format("\"%s %s\"", text, units) : strdup(text);
    return r->a->value[i] || rd_fail(r->e, "out of memory for the values of a sweep");
}

static bool refuse_axis(const struct axis_reader *r, const rd_node *node, const char *what)
{
    return rd_fail(r->e, "%s: vary '%s': %s", rd_node_place(r->c, node), r->a->name, what);
}

static bool reserve_axis_values(const struct axis_reader *r, int64_t n)
{
    r->a->n = n;
    r->a->value = calloc((size_t)n, sizeof *r->a->value);
    return r->a->value || rd_fail(r->e, "out of memory for %lld values", (long long)n);
}

static bool take_list(const struct axis_reader *r)
{
    const bool is_list = rd_node_is_list(r->values);
    if (!reserve_axis_values(r, is_list ? rd_node_length(r->values) : 1))
        return false;
    for (int i = 0; i < r->a->n; i++) {
        r->a->value[i] = rd_node_written(is_list ? rd_node_at(r->values, i) : r->values);
        if (!r->a->value[i])
            return rd_fail(r->e, "out of memory for the values of a sweep");
    }
    return true;
}

/* Compiles an expression that may use only what is allowed. */
static bool compile(const struct axis_reader *r, const rd_node *node, unsigned allowed,
                    struct rd_expr *x)
{
    const struct rd_scope scope = {.allowed = allowed};
    const char *const text = rd_node_text(node);
    return text ? rd_expr_compile(x, text, &scope, rd_node_place(r->c, node), r->e)
                : rd_expr_constant(x, rd_node_number(node), r->e);
}

/* Reads a quantity, as "1 nM", as its number and units; the base knows what they mean. */
static bool take_quantity(const rd_node *node, double *v, const char **units)
{
    const struct rd_units unknown = {0};
    const char *const text = rd_node_text(node);
    struct rd_quantity q;
    if (!text || rd_quantity_read(text, &unknown, &q) != RD_QUANTITY_RIGHT)
        return false;
    *units = rd_quantity_number(text, v);
    return true;
}

/* Evaluates the key of that name to a finite number, and its units or "". */
static bool take_end(const struct axis_reader *r, const char *name, double *v, const char **units)
{
    const rd_node *const node = rd_node_member(r->values, name);
    struct rd_expr x = {0};
    *units = "";
    if (take_quantity(node, v, units))
        return true;
    bool ok =
        node != NULL || refuse_axis(r, r->values,
                                    "values is a group without 'from' and 'to', or 'random'; give "
                                    "both ends of a series, or a distribution");
    ok = ok && compile(r, node, 0, &x);
    if (ok) {
        *v = rd_expr_value(&x, &(struct rd_eval_context){0});
        ok = rd_is_finite(*v) ||
             refuse_axis(r, node, "an end of the series is not a finite number; give a finite one");
    }
    rd_expr_free(&x);
    return ok;
}

static bool is_log_axis(const struct axis_reader *r)
{
    return strcmp(rd_node_text(rd_node_member(r->values, "scale")), "log") == 0;
}

/* Rounds to 14 digits: 1 instead of 1.0000000000000004, so that a search for a value finds it. */
static double round_digits(double v)
{
    char text[RD_NUMBER_BYTES];
    snprintf(text, sizeof text, "%.14g", v);
    return strtod(text, NULL);
}

/* Returns value i of n between the ends, which are exact. */
static double value_between(double from, double to, int64_t i, int64_t n, bool by_factors)
{
    if (i == 0)
        return from;
    if (i == n - 1)
        return to;
    const double part = (double)i / (double)(n - 1);
    return round_digits(by_factors ? rd_exp(rd_log(from) + part * (rd_log(to) - rd_log(from)))
                                   : from + part * (to - from));
}

static bool take_series(const struct axis_reader *r)
{
    double from, to;
    const char *units, *units_to;
    const int64_t n = rd_node_integer(rd_node_member(r->values, "points"));
    if (!take_end(r, "from", &from, &units) || !take_end(r, "to", &to, &units_to))
        return false;
    if (strcmp(units, units_to) != 0)
        return refuse_axis(r, r->values,
                           "the ends of the series have different units; give both the same");
    if (is_log_axis(r) && !(from > 0.0 && to > 0.0))
        return refuse_axis(r, r->values,
                           "a series with scale 'log' has an end <= 0; give ends > 0");
    if (n == 1 && to != from)
        return refuse_axis(
            r, r->values, "a series of 1 point does not reach its end 'to'; give 2 points or more");
    if (!reserve_axis_values(r, n))
        return false;
    for (int64_t i = 0; i < r->a->n; i++)
        if (!put_value(r, i, value_between(from, to, i, r->a->n, is_log_axis(r)), units))
            return false;
    return true;
}

/* Draws the values. Each has its own random stream, so that more values do not change the first
   ones. */
static bool draw_values(const struct axis_reader *r, const rd_node *node)
{
    struct rd_expr x = {0};
    bool ok = compile(r, node, RD_USES_RANDOM, &x) &&
              reserve_axis_values(r, rd_node_integer(rd_node_member(r->values, "points")));
    for (int64_t i = 0; ok && i < r->a->n; i++) {
        struct rd_stream stream = rd_stream_of(r->seed, 0, 0, RD_FOR_SWEEP, (uint32_t)r->number, i);
        const double v = rd_expr_value(&x, &(struct rd_eval_context){.stream = &stream});
        ok = (rd_is_finite(v) ||
              refuse_axis(r, node, "a drawn number is not finite; give another expression")) &&
             put_value(r, i, v, "");
    }
    rd_expr_free(&x);
    return ok;
}

static bool take_values(const struct axis_reader *r)
{
    if (!rd_node_is_group(r->values))
        return take_list(r);
    const rd_node *const random = rd_node_member(r->values, "random");
    const bool has_ends =
        rd_node_member(r->values, "from") != NULL || rd_node_member(r->values, "to") != NULL;
    if (random && has_ends)
        return refuse_axis(r, r->values,
                           "values has both 'random' and 'from' or 'to'; give one of them");
    return random ? draw_values(r, random) : take_series(r);
}

/* Refuses keys that each task sets by itself, and names the key of the sweep to use instead. */
static bool is_free_key(const struct axis_reader *r, const rd_node *node)
{
    if (strcmp(r->a->path, "run.seed") == 0)
        return refuse_axis(
            r, node,
            "a sweep cannot vary the seed, which each task gets from its point and repeat; "
            "set 'seed' and 'repeats' of the sweep");
    const char *const last = strrchr(r->a->path, '.');
    if (strncmp(r->a->path, "output", 6) == 0 && last && strcmp(last, ".file") == 0)
        return refuse_axis(r, node,
                           "a sweep cannot vary the name of the result; set 'output' of the sweep");
    return true;
}

/* Returns whether a text can stand in braces in file names, and be a name in the collected file. */
static bool is_axis_name(const char *text)
{
    static const char first[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    return *text && strchr(first, *text) &&
           text[strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")] ==
               0;
}

static bool read_axis(struct rd_sweep_axis *a, const rd_config *c, const rd_node *node, int i,
                      uint64_t seed, struct rd_error *e)
{
    const char *const path = rd_node_text(rd_node_member(node, "path"));
    const char *const name = rd_node_text(rd_node_member(node, "name"));
    *a = (struct rd_sweep_axis){.path = strdup(path),
                                .name = name ? strdup(name) : last_part(path),
                                .place = strdup(rd_node_place(c, node))};
    if (!a->path || !a->name || !a->place)
        return rd_fail(e, "out of memory for the sweep");
    const struct axis_reader r = {a, c, rd_node_member(node, "values"), seed, i, e};
    if (!is_axis_name(a->name))
        return refuse_axis(&r, node, "this is not a name; give a 'name' of letters, digits and _");
    return is_free_key(&r, node) && take_values(&r);
}

static void free_axis(struct rd_sweep_axis *a)
{
    for (int64_t i = 0; a->value && i < a->n; i++)
        free(a->value[i]);
    free(a->value);
    free(a->path);
    free(a->name);
    free(a->place);
    *a = (struct rd_sweep_axis){0};
}

/* Returns a path of the sweep's file, relative to the working directory. */
static char *from_here(const char *file, const char *path)
{
    const char *const slash = strrchr(file, '/');
    const int folder = slash && *path != '/' ? (int)(slash - file) + 1 : 0;
    return rd_text_format("%.*s%s", folder, file, path);
}

/* Returns the file's name without its ending. */
static char *stem(const char *file)
{
    const char *const slash = strrchr(file, '/'), *const point = strrchr(file, '.');
    const bool has_ending = point && point > (slash ? slash + 1 : file);
    return strndup(file, has_ending ? (size_t)(point - file) : strlen(file));
}

static bool no_memory(struct rd_error *e)
{
    return rd_fail(e, "out of memory for the sweep");
}

static bool read_sweep_axes(struct rd_sweep *s, const rd_config *c, struct rd_error *e)
{
    const rd_node *const vary = rd_node_member(rd_config_root(c), "vary");
    const int n = rd_node_length(vary), before = e->n;
    if (n == 0)
        return rd_fail(e, "%s: vary is empty; give at least one key", rd_node_place(c, vary));
    s->axis = calloc((size_t)n, sizeof *s->axis);
    if (!s->axis)
        return no_memory(e);
    for (s->n_axes = 0; s->n_axes < n;) {
        const int i = s->n_axes++;
        read_axis(&s->axis[i], c, rd_node_at(vary, i), i, s->seed, e);
    }
    return e->n == before;
}

/* Refuses names that two axes share, or that every task or the collected file already has. */
static bool check_axis_names(const struct rd_sweep *s, struct rd_error *e)
{
    const int before = e->n;
    for (int i = 0; i < s->n_axes; i++) {
        const struct rd_sweep_axis *const a = &s->axis[i];
        if (strcmp(a->name, "task") == 0 || rd_collected_is_reserved(a->name))
            rd_fail(e, "%s: vary '%s': this name is reserved; give another 'name'", a->place,
                    a->name);
        for (int k = 0; k < i; k++)
            if (strcmp(a->name, s->axis[k].name) == 0)
                rd_fail(e, "%s: vary '%s': %s has the same name; give another 'name'", a->place,
                        a->name, s->axis[k].path);
    }
    return e->n == before;
}

static bool count_points(struct rd_sweep *s, struct rd_error *e)
{
    s->n_points = 1;
    for (int i = 0; i < s->n_axes; i++) {
        const struct rd_sweep_axis *const a = &s->axis[i];
        if (s->is_zip && a->n != s->axis[0].n)
            return rd_fail(e,
                           "%s: vary '%s' has %lld values, and '%s' has %lld; give equal numbers "
                           "for combine = \"zip\"",
                           a->place, a->name, (long long)a->n, s->axis[0].name,
                           (long long)s->axis[0].n);
        s->n_points = s->is_zip ? a->n : s->n_points * a->n;
        if (s->n_points > RD_POINTS_MOST)
            return rd_fail(e, "%s: the sweep has more than %lld points; vary fewer keys or values",
                           s->file, (long long)RD_POINTS_MOST);
    }
    s->n_tasks = s->n_points * s->n_repeats;
    return true;
}

static bool read_sweep(struct rd_sweep *s, const rd_config *c, struct rd_error *e)
{
    const rd_node *const root = rd_config_root(c), *const output = rd_node_member(root, "output");
    char *const name = stem(s->file);
    const rd_node *const base = rd_node_member(root, "base");
    if (!*rd_node_text(base))
        return rd_fail(e, "%s: base names no file; give a configuration", rd_node_place(c, base));
    s->base = from_here(s->file, rd_node_text(base));
    s->pattern = output ? from_here(s->file, rd_node_text(output))
                 : name ? rd_text_format("%s/{task}.h5", name)
                        : NULL;
    free(name);
    if (!s->base || !s->pattern)
        return no_memory(e);
    s->is_zip = strcmp(rd_node_text(rd_node_member(root, "combine")), "zip") == 0;
    s->n_repeats = rd_node_integer(rd_node_member(root, "repeats"));
    s->seed = (uint64_t)rd_node_integer(rd_node_member(root, "seed"));
    return read_sweep_axes(s, c, e) && check_axis_names(s, e) && count_points(s, e);
}

bool rd_sweep_read(struct rd_sweep *s, const char *file, struct rd_error *e)
{
    *s = (struct rd_sweep){.file = strdup(file)};
    rd_config *c = NULL;
    const bool ok = s->file ? rd_result_is_not(file, "sweep", e) &&
                                  rd_config_read_sweep(&c, file, e) && read_sweep(s, c, e)
                            : no_memory(e);
    rd_config_free(c);
    e->wrong |= !ok;
    return ok;
}

void rd_sweep_free(struct rd_sweep *s)
{
    for (int i = 0; i < s->n_axes; i++)
        free_axis(&s->axis[i]);
    free(s->axis);
    free(s->file);
    free(s->base);
    free(s->pattern);
    *s = (struct rd_sweep){0};
}

const char *rd_sweep_value(const struct rd_sweep *s, int axis, int64_t point)
{
    int64_t i = point - 1;
    for (int k = s->n_axes - 1; k > axis && !s->is_zip; k--)
        i /= s->axis[k].n;
    return s->axis[axis].value[i % s->axis[axis].n];
}

/* Returns a permutation of 48-bit numbers, by Feistel's scheme (Luby and Rackoff, SIAM J. Comput.
   17, 373 (1988): four rounds), so that all seeds differ. */
uint64_t rd_sweep_seed(uint64_t seed, int64_t point, int64_t repeat)
{
    enum { HALF = (1 << 24) - 1, ROUNDS = 4 };
    const int64_t number = (point - 1) * RD_REPEATS_MOST + repeat - 1;
    uint32_t left = (uint32_t)(number >> 24) & HALF, right = (uint32_t)number & HALF;
    for (uint32_t round = 0; round < ROUNDS; round++) {
        const struct rd_stream s = rd_stream_of(seed, 0, 0, RD_FOR_SWEEP, RD_PART_END - 1, right);
        uint32_t word[4];
        rd_stream_call(&s, round, word);
        const uint32_t next = left ^ (word[0] & HALF);
        left = right;
        right = next;
    }
    return (uint64_t)left << 24 | right;
}

static int wider(int a, size_t b)
{
    return (size_t)a > b ? a : (int)b;
}

/* Returns the width of an axis' column. */
static int width_of_axis(const struct rd_sweep_axis *a)
{
    int width = wider(0, strlen(a->name));
    for (int64_t i = 0; i < a->n; i++)
        width = wider(width, strlen(a->value[i]));
    return width;
}

bool rd_sweep_print(FILE *out, const struct rd_sweep *s, struct rd_error *e)
{
    fprintf(out, "%8s %8s %6s", "task", "point", "repeat");
    for (int i = 0; i < s->n_axes; i++)
        fprintf(out, "  %*s", width_of_axis(&s->axis[i]), s->axis[i].name);
    fprintf(out, "  %15s  result\n", "seed");
    bool ok = true;
    for (int64_t number = 1; ok && number <= s->n_tasks; number++) {
        struct rd_task t;
        ok = rd_sweep_task(&t, s, number, e);
        fprintf(out, "%8lld %8lld %6lld", (long long)t.number, (long long)t.point,
                (long long)t.repeat);
        for (int i = 0; i < s->n_axes; i++)
            fprintf(out, "  %*s", width_of_axis(&s->axis[i]), rd_sweep_value(s, i, t.point));
        fprintf(out, "  %15llu  %s\n", (unsigned long long)t.seed, ok ? t.output : "");
        rd_task_free(&t);
    }
    return ok;
}
