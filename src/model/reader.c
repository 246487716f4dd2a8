/* reader - reads numbers, vectors and words of a configuration, and reports messages about them. */
#include "model/reader.h"

#include "expr/builtins.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void say(struct rd_reader *r, struct rd_error *e, const rd_node *node, const char *format,
                va_list list)
{
    char fact[512];
    vsnprintf(fact, sizeof fact, format, list);
    rd_fail(e, "%s: %s%s%s", rd_node_place(r->c, node), r->about, *r->about ? ": " : "", fact);
}

bool rd_reader_fail(struct rd_reader *r, const rd_node *node, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    say(r, r->e, node, format, list);
    va_end(list);
    return false;
}

void rd_reader_warn(struct rd_reader *r, const rd_node *node, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    say(r, &r->m->warnings, node, format, list);
    va_end(list);
}

void rd_reader_about(struct rd_reader *r, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    vsnprintf(r->about, sizeof r->about, format, list);
    va_end(list);
}

void *rd_reader_array(struct rd_reader *r, int64_t n, size_t size)
{
    void *const array = calloc(n > 0 ? (size_t)n : 1, size);
    if (!array)
        rd_fail(r->e, "%s: out of memory for the model", rd_config_name(r->c));
    return array;
}

char *rd_reader_copy(struct rd_reader *r, const char *text)
{
    const size_t bytes = strlen(text) + 1;
    char *const copy = rd_reader_array(r, (int64_t)bytes, 1);
    return copy ? memcpy(copy, text, bytes) : NULL;
}

bool rd_reader_known(const struct rd_reader *r, const struct rd_expr *x, double *value)
{
    const struct rd_eval_context at = {.parameter = r->m->value, .volume = r->m->grid.volume};
    if ((x->uses & ~(unsigned)(RD_USES_PARAMETERS | RD_USES_VOLUME | RD_USES_RUN_VALUES)) ||
        ((x->uses & RD_USES_PARAMETERS) && !r->has_values) ||
        ((x->uses & RD_USES_VOLUME) && r->m->grid.n_sites == 0))
        return false;
    *value = rd_expr_value(x, &at);
    return true;
}

/* Checks a value against a range. `why` says where a value that is not finite comes from. */
static bool check_in_range(struct rd_reader *r, const rd_node *node, const char *key, double v,
                           enum rd_range range, const char *why)
{
    static const struct {
        double least, most;
        const char *words;
    } limit[] = {
        [RD_RANGE_ANY] = {-DBL_MAX, DBL_MAX, "a finite number"},
        [RD_RANGE_NOT_NEGATIVE] = {0, DBL_MAX, "a finite number >= 0"},
        [RD_RANGE_POSITIVE] = {DBL_TRUE_MIN, DBL_MAX, "a finite number > 0"},
        [RD_RANGE_PROBABILITY] = {0, 1, "a probability from 0 to 1"},
    };
    if (v >= limit[range].least && v <= limit[range].most)
        return true;
    return isnan(v)
               ? rd_reader_fail(r, node, "%s is not a number%s; give %s", key, why,
                                limit[range].words)
               : rd_reader_fail(r, node, "%s is %g%s; give %s", key, v, why, limit[range].words);
}

/* Checks the value of an expression if it is known. */
static bool check_known(struct rd_reader *r, const rd_node *node, const char *key,
                        const struct rd_scope *scope, enum rd_range range, const struct rd_expr *x)
{
    const struct rd_eval_context at = {.parameter = r->m->value, .volume = r->m->grid.volume};
    double value;
    char why[256] = "";
    if (!rd_reader_known(r, x, &value))
        return true;
    if (!isfinite(value))
        rd_expr_missed(x, scope, RD_USES_PARAMETERS | RD_USES_VOLUME, &at, why, sizeof why);
    if (!isfinite(value) && !*why)
        rd_expr_zero(x, scope, RD_USES_PARAMETERS | RD_USES_VOLUME, &at, why, sizeof why);
    return check_in_range(r, node, key, value, range, why);
}

/* Notes which parameters and species the expression reads, and marks parameters of a run. */
static void note_read_names(const struct rd_reader *r, struct rd_expr *x)
{
    struct rd_model *const m = r->m;
    const unsigned of_species = RD_USES_COUNTS | RD_USES_SLOPES | RD_USES_MEANS;
    for (int32_t i = 0; i < x->n; i++) {
        struct rd_op *const op = &x->op[i];
        if (op->code == RD_OP_PARAMETER) {
            m->reads_parameter[op->index] |= r->is_rate ? RD_READ_BY_RATE : RD_READ_OTHERWISE;
            op->value = m->is_of_run[op->index];
            x->uses |= m->is_of_run[op->index] ? RD_USES_RUN_VALUES : 0;
        } else if (op->code == RD_OP_OVER || (rd_builtins_uses(op->code) & of_species))
            m->reads_species[op->index] = true;
    }
}

bool rd_reader_within(struct rd_reader *r, const rd_node *node, const char *key,
                      const struct rd_scope *scope, enum rd_range range, struct rd_expr *x)
{
    bool read;
    if (rd_node_is_number(node)) {
        read = rd_expr_constant(x, rd_node_number(node), r->e);
    } else if (rd_node_is_text(node)) {
        const enum rd_quantity_kind kind = rd_quantities_read(r, node, key, scope, x);
        char place[512];
        snprintf(place, sizeof place, "%s: %s%s%s", rd_node_place(r->c, node), r->about,
                 *r->about ? ", " : "", key);
        read = kind == RD_QUANTITY_RIGHT ||
               (kind == RD_QUANTITY_NONE &&
                rd_expr_compile(x, rd_node_text(node), scope, place, r->e));
    } else {
        return rd_reader_fail(
            r, node, "%s is neither a number nor a text; give a number, or an expression in quotes",
            key);
    }
    if (read)
        note_read_names(r, x);
    return read && rd_parameters_check_order(r, node, key, x) &&
           rd_compartments_check_in(r, node, key, x) && rd_quantities_check(r, node, key, x) &&
           rd_fields_take(r, x) && rd_totals_take(r, node, x) &&
           check_known(r, node, key, scope, range, x);
}

bool rd_reader_expr(struct rd_reader *r, const rd_node *node, const char *key, unsigned allowed,
                    enum rd_range range, struct rd_expr *x)
{
    const struct rd_scope scope = rd_model_scope(r->m, allowed);
    return rd_reader_within(r, node, key, &scope, range, x);
}

bool rd_reader_number(struct rd_reader *r, const rd_node *node, const char *key,
                      enum rd_range range, double *value)
{
    struct rd_expr x = {0};
    const bool read = rd_reader_expr(r, node, key, RD_USES_PARAMETERS, range, &x) &&
                      rd_reader_known(r, &x, value);
    rd_expr_free(&x);
    return read;
}

bool rd_reader_whole(struct rd_reader *r, const rd_node *node, const char *key, int32_t least,
                     int32_t *value)
{
    double v;
    if (!rd_reader_number(r, node, key, RD_RANGE_ANY, &v))
        return false;
    if (!(v >= least && v <= INT32_MAX && v == floor(v)))
        return rd_reader_fail(r, node, "%s is %g; give an integer from %d to %d", key, v, least,
                              INT32_MAX);
    *value = (int32_t)v;
    return true;
}

bool rd_reader_axes(struct rd_reader *r, const rd_node *node, bool lone, const rd_node *axis[3])
{
    const int dim = r->m->grid.dim;
    const bool is_list = rd_node_is_list(node);
    const bool is_zero = rd_node_is_number(node) && rd_node_number(node) == 0;
    const int n = is_list ? rd_node_length(node) : 1;
    if (n != dim && (is_list || !(lone || is_zero)))
        return rd_reader_fail(
            r, node, "%s has %d number%s, but the grid has %d dimension%s; give one for each",
            rd_node_name(node), n, n == 1 ? "" : "s", dim, dim == 1 ? "" : "s");
    for (int a = 0; a < dim; a++)
        axis[a] = is_list ? rd_node_at(node, a) : node;
    return true;
}

bool rd_reader_vector(struct rd_reader *r, const rd_node *node, double v[3])
{
    const rd_node *axis[3];
    if (!rd_reader_axes(r, node, false, axis))
        return false;
    bool read = true;
    for (int a = 0; a < r->m->grid.dim; a++)
        read &= rd_reader_number(r, axis[a], rd_node_name(node), RD_RANGE_ANY, &v[a]);
    return read;
}

int rd_reader_word(const rd_node *node, int n, const char *const *word)
{
    int i = 0;
    int64_t number;
    while (i < n - 1 && !rd_word_is(word[i], rd_node_text(node), &number))
        i++;
    assert(rd_word_is(word[i], rd_node_text(node), &number));
    return i;
}

int rd_reader_many(const rd_node *node)
{
    return rd_node_is_list(node) ? rd_node_length(node) : 1;
}

const rd_node *rd_reader_each(const rd_node *node, int i)
{
    return rd_node_is_list(node) ? rd_node_at(node, i) : node;
}

/* Writes the keys as "count, density, value or from" into list, which has room for `bytes`. */
static void join_keys(char *list, size_t bytes, int n, const char *const *key)
{
    size_t used = 0;
    for (int i = 0; i < n && used < bytes; i++)
        used += (size_t)snprintf(list + used, bytes - used, "%s%s",
                                 i == 0 ? "" : (i == n - 1 ? " or " : ", "), key[i]);
}

int rd_reader_one_of(struct rd_reader *r, const rd_node *group, int n, const char *const *key)
{
    int found = -1, n_found = 0;
    for (int i = 0; i < n; i++)
        if (rd_node_member(group, key[i])) {
            found = i;
            n_found++;
        }
    if (n_found == 1)
        return found;
    char list[192] = "";
    join_keys(list, sizeof list, n, key);
    rd_reader_fail(r, group, "has %s of %s; give exactly one", n_found == 0 ? "none" : "several",
                   list);
    return -1;
}
