/* formula - expressions of other programs as trees. */
#include "formats/formula.h"

#include "base/memory.h"
#include "base/text.h"
#include "kernels/core/real.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* ---- the pool ---- */

struct rd_formula_block {
    struct rd_formula_block *next;
    size_t used;
    max_align_t bytes[4096];
};

static const struct rd_formula none = {.kind = RD_FORMULA_NUMBER, .number = NAN, .size = 1};

void rd_formula_pool_free(struct rd_formula_pool *p)
{
    while (p->block) {
        struct rd_formula_block *const next = p->block->next;
        free(p->block);
        p->block = next;
    }
}

/* Returns memory of the pool, aligned for all types; NULL if there is none. */
static void *take_from_pool(struct rd_formula_pool *p, size_t bytes)
{
    const size_t n = (bytes + sizeof(max_align_t) - 1) / sizeof(max_align_t);
    const size_t most = sizeof p->block->bytes / sizeof(max_align_t);
    if (!p->block || n > most - p->block->used) {
        const size_t more = n > most ? (n - most) * sizeof(max_align_t) : 0;
        struct rd_formula_block *const made = rd_memory_guard(calloc(1, sizeof *made + more));
        if (!made) {
            p->is_full = true;
            return NULL;
        }
        made->next = p->block;
        p->block = made;
    }
    void *const at = p->block->bytes + p->block->used;
    p->block->used += n < most ? n : most;
    return at;
}

const char *rd_formula_text(struct rd_formula_pool *p, const char *text)
{
    char *const copy = take_from_pool(p, strlen(text) + 1);
    return copy ? strcpy(copy, text) : "";
}

/* ---- making ---- */

rd_formula rd_formula_number(struct rd_formula_pool *p, double number)
{
    struct rd_formula *const f = take_from_pool(p, sizeof *f);
    if (!f)
        return &none;
    *f = (struct rd_formula){.kind = RD_FORMULA_NUMBER, .number = number, .size = 1};
    return f;
}

rd_formula rd_formula_name(struct rd_formula_pool *p, enum rd_formula_kind kind, const char *name)
{
    struct rd_formula *const f = take_from_pool(p, sizeof *f);
    if (!f)
        return &none;
    *f = (struct rd_formula){.kind = kind, .name = name, .size = 1};
    return f;
}

bool rd_formula_is_number(rd_formula f, double number)
{
    return f->kind == RD_FORMULA_NUMBER && f->number == number;
}

bool rd_formula_is_less(rd_formula f, const char *count, int k)
{
    if (k > 0)
        return f->kind == RD_FORMULA_DIFFERENCE && rd_formula_is_less(f->part[0], count, 0) &&
               rd_formula_is_number(f->part[1], k);
    return (f->kind == RD_FORMULA_NAME || f->kind == RD_FORMULA_CONCENTRATION) &&
           strcmp(f->name, count) == 0;
}

/* Copies the parts that count, without factors 1 or summands 0; returns their number. */
static int copy_parts(rd_formula *to, enum rd_formula_kind kind, const rd_formula *part, int n)
{
    int kept = 0;
    for (int i = 0; i < n; i++) {
        const bool idles = (kind == RD_FORMULA_PRODUCT && rd_formula_is_number(part[i], 1.0)) ||
                           (kind == RD_FORMULA_SUM && rd_formula_is_number(part[i], 0.0));
        if (!idles)
            to[kept++] = part[i];
    }
    return kept;
}

/* Returns the formula to which an operation of two parts reduces, or NULL. */
static rd_formula reduce_pair(enum rd_formula_kind kind, const rd_formula *part)
{
    const bool is_neutral = (kind == RD_FORMULA_DIFFERENCE && rd_formula_is_number(part[1], 0.0)) ||
                            ((kind == RD_FORMULA_QUOTIENT || kind == RD_FORMULA_POWER) &&
                             rd_formula_is_number(part[1], 1.0));
    return is_neutral ? part[0] : NULL;
}

rd_formula rd_formula_of(struct rd_formula_pool *p, enum rd_formula_kind kind, const char *name,
                         const rd_formula *part, int n)
{
    const bool is_series = kind == RD_FORMULA_PRODUCT || kind == RD_FORMULA_SUM;
    rd_formula *const parts = take_from_pool(p, (size_t)(n > 0 ? n : 1) * sizeof *parts);
    struct rd_formula *const f = take_from_pool(p, sizeof *f);
    if (!parts || !f)
        return &none;
    const int kept = copy_parts(parts, kind, part, n);
    if (is_series && kept == 0)
        return rd_formula_number(p, kind == RD_FORMULA_PRODUCT ? 1.0 : 0.0);
    if (is_series && kept == 1)
        return parts[0];
    if (n == 2 && reduce_pair(kind, part))
        return reduce_pair(kind, part);
    *f = (struct rd_formula){.kind = kind, .name = name, .part = parts, .n = kept, .size = 1};
    for (int i = 0; i < kept; i++)
        f->size += parts[i]->size;
    return f->size <= RD_FORMULA_MOST ? f : &none;
}

rd_formula rd_formula_pair(struct rd_formula_pool *p, enum rd_formula_kind kind, rd_formula a,
                           rd_formula b)
{
    return rd_formula_of(p, kind, NULL, (const rd_formula[]){a, b}, 2);
}

rd_formula rd_formula_call(struct rd_formula_pool *p, const char *function, rd_formula a)
{
    return rd_formula_of(p, RD_FORMULA_CALL, function, &a, 1);
}

rd_formula rd_formula_negative(struct rd_formula_pool *p, rd_formula a)
{
    return rd_formula_of(p, RD_FORMULA_NEGATIVE, NULL, &a, 1);
}

rd_formula rd_formula_not(struct rd_formula_pool *p, rd_formula a)
{
    return rd_formula_of(p, RD_FORMULA_NOT, NULL, &a, 1);
}

rd_formula rd_formula_compared(struct rd_formula_pool *p, rd_formula a, const char *operator,
                               rd_formula b)
{
    return rd_formula_of(p, RD_FORMULA_COMPARISON, operator,(rd_formula[]){a, b}, 2);
}

rd_formula rd_formula_if(struct rd_formula_pool *p, rd_formula condition, rd_formula a,
                         rd_formula b)
{
    return rd_formula_of(p, RD_FORMULA_CALL, "if", (rd_formula[]){condition, a, b}, 3);
}

rd_formula *rd_formula_list(struct rd_formula_pool *p, size_t n)
{
    return take_from_pool(p, (n + 1) * sizeof(rd_formula));
}

rd_formula rd_formula_replace(struct rd_formula_pool *p, rd_formula f, const char *name,
                              rd_formula by)
{
    if (f->kind == RD_FORMULA_NAME)
        return strcmp(f->name, name) == 0 ? by : f;
    rd_formula *const part = f->n > 0 ? rd_formula_list(p, (size_t)f->n) : NULL;
    if (!part)
        return f;
    for (int i = 0; i < f->n; i++)
        part[i] = rd_formula_replace(p, f->part[i], name, by);
    return rd_formula_of(p, f->kind, f->name, part, f->n);
}

/* ---- reading ---- */

bool rd_formula_any(rd_formula f, bool (*is)(const void *of, rd_formula name), const void *of)
{
    if (f->kind == RD_FORMULA_NAME || f->kind == RD_FORMULA_CONCENTRATION)
        return is(of, f);
    bool any = false;
    for (int i = 0; i < f->n && !any; i++)
        any = rd_formula_any(f->part[i], is, of);
    return any;
}

/* Returns whether the condition is false where the count is below n. */
static bool is_false_below(rd_formula condition, rd_formula count, int n)
{
    bool does = false;
    if (condition->kind == RD_FORMULA_AND)
        for (int i = 0; i < condition->n && !does; i++)
            does = is_false_below(condition->part[i], count, n);
    if (condition->kind != RD_FORMULA_COMPARISON || strcmp(condition->name, ">=") != 0)
        return does;
    const rd_formula a = condition->part[0], b = condition->part[1];
    return a->kind == count->kind && strcmp(a->name, count->name) == 0 &&
           b->kind == RD_FORMULA_NUMBER && b->number >= n;
}

rd_formula rd_formula_below(rd_formula f, rd_formula count, int n)
{
    while (f->kind == RD_FORMULA_CALL && strcmp(f->name, "if") == 0 && f->n == 3 &&
           rd_formula_is_number(f->part[2], 0.0)) {
        if (is_false_below(f->part[0], count, n))
            return NULL;
        f = f->part[1];
    }
    return f;
}

static bool is_same_name(const void *of, rd_formula name)
{
    return strcmp(of, name->name) == 0;
}

bool rd_formula_has(rd_formula f, const char *name)
{
    return rd_formula_any(f, is_same_name, name);
}

/* ---- values ---- */

static double fold_comparison(const char *operator, double a, double b)
{
    const bool is_equal = a == b, is_less = a < b;
    if (strcmp(operator, "==") == 0)
        return is_equal;
    if (strcmp(operator, "!=") == 0)
        return !is_equal;
    if (operator[0] == '<')
        return is_less || (operator[1] && is_equal);
    return a > b || (operator[1] && is_equal);
}

static double fold_call(const char *name, const double *v, int n)
{
    static const struct {
        const char *name;
        double (*of)(double);
    } unary[] = {{"exp", rd_exp},   {"log", rd_log},     {"log10", rd_log10},
                 {"sqrt", rd_sqrt}, {"floor", rd_floor}, {"sin", rd_sin},
                 {"cos", rd_cos},   {"tanh", rd_tanh},   {"abs", fabs}};
    for (size_t i = 0; i < sizeof unary / sizeof *unary; i++)
        if (n == 1 && strcmp(name, unary[i].name) == 0)
            return unary[i].of(v[0]);
    double most = n > 0 ? v[0] : NAN;
    const bool is_max = strcmp(name, "max") == 0;
    if (!is_max && strcmp(name, "min") != 0)
        return NAN;
    for (int i = 1; i < n; i++)
        most = is_max == (v[i] > most) ? v[i] : most;
    return most;
}

typedef double value_of_name(void *of, rd_formula name);

/* Computes if(condition, a, b) from the part that the condition chooses alone. */
static double fold_if(rd_formula f, value_of_name *value_of, void *of)
{
    const bool is = rd_formula_value(f->part[0], value_of, of) != 0.0;
    return rd_formula_value(f->part[is ? 1 : 2], value_of, of);
}

static double fold_piecewise(rd_formula f, value_of_name *value_of, void *of)
{
    for (int i = 0; i + 1 < f->n; i += 2)
        if (rd_formula_value(f->part[i + 1], value_of, of) != 0.0)
            return rd_formula_value(f->part[i], value_of, of);
    return f->n % 2 ? rd_formula_value(f->part[f->n - 1], value_of, of) : NAN;
}

static double fold_formula(enum rd_formula_kind kind, const char *name, const double *v, int n)
{
    double value = kind == RD_FORMULA_PRODUCT || kind == RD_FORMULA_AND;
    switch (kind) {
    case RD_FORMULA_CALL:
        return fold_call(name, v, n);
    case RD_FORMULA_NOT:
        return v[0] == 0.0;
    case RD_FORMULA_COMPARISON:
        return fold_comparison(name, v[0], v[1]);
    case RD_FORMULA_DIFFERENCE:
        return v[0] - v[1];
    case RD_FORMULA_QUOTIENT:
        return v[0] / v[1];
    case RD_FORMULA_NEGATIVE:
        return -v[0];
    case RD_FORMULA_POWER:
        return rd_pow(v[0], v[1]);
    default:
        break;
    }
    for (int i = 0; i < n; i++)
        value = kind == RD_FORMULA_PRODUCT ? value * v[i]
                : kind == RD_FORMULA_SUM   ? value + v[i]
                : kind == RD_FORMULA_AND   ? value * (v[i] != 0.0)
                                           : (value != 0.0 || v[i] != 0.0);
    return value;
}

enum { FEW_PARTS = 8 }; /* more are rare */

double rd_formula_value(rd_formula f, value_of_name *value_of, void *of)
{
    if (f->kind == RD_FORMULA_NUMBER)
        return f->number;
    if (f->kind == RD_FORMULA_NAME || f->kind == RD_FORMULA_CONCENTRATION)
        return value_of(of, f);
    if (f->kind == RD_FORMULA_CALL && strcmp(f->name, "piecewise") == 0)
        return fold_piecewise(f, value_of, of);
    if (f->kind == RD_FORMULA_CALL && strcmp(f->name, "if") == 0 && f->n == 3)
        return fold_if(f, value_of, of);
    double few[FEW_PARTS];
    double *const v = f->n <= FEW_PARTS ? few : rd_memory_guard(malloc((size_t)f->n * sizeof *v));
    for (int i = 0; v && i < f->n; i++)
        v[i] = rd_formula_value(f->part[i], value_of, of);
    const double value = v ? fold_formula(f->kind, f->name, v, f->n) : (double)NAN;
    if (v != few)
        free(v);
    return value;
}

/* ---- writing ---- */

/* Returns how tightly an operation binds, as in docs/expressions.md; larger is tighter. */
static int tightness(rd_formula f)
{
    switch (f->kind) {
    case RD_FORMULA_OR:
        return 1;
    case RD_FORMULA_AND:
        return 2;
    case RD_FORMULA_NOT:
        return 3;
    case RD_FORMULA_COMPARISON:
        return 4;
    case RD_FORMULA_SUM:
    case RD_FORMULA_DIFFERENCE:
        return 5;
    case RD_FORMULA_PRODUCT:
    case RD_FORMULA_QUOTIENT:
        return 6;
    case RD_FORMULA_NEGATIVE:
        return 7;
    case RD_FORMULA_POWER:
        return 8;
    case RD_FORMULA_NUMBER:
        return f->number < 0.0 ? 7 : 9;
    default:
        return 9;
    }
}

/* Writes a part in brackets if it binds less tightly than `least`. */
static void write_formula_part(FILE *out, rd_formula f, int least)
{
    const bool is_loose = tightness(f) < least;
    if (is_loose)
        fputc('(', out);
    rd_formula_write(out, f);
    if (is_loose)
        fputc(')', out);
}

/* Writes parts with a separator: the first one as tight as `first`, the others as `rest`. */
static void write_series(FILE *out, rd_formula f, const char *separator, int first, int rest)
{
    for (int i = 0; i < f->n; i++) {
        fputs(i > 0 ? separator : "", out);
        write_formula_part(out, f->part[i], i > 0 ? rest : first);
    }
}

static void write_formula_number(FILE *out, double number)
{
    char text[RD_NUMBER_BYTES];
    rd_text_number(number, text);
    fputs(text, out);
}

static void write_operation(FILE *out, rd_formula f)
{
    char comparison[8];
    switch (f->kind) {
    case RD_FORMULA_OR:
        write_series(out, f, " or ", 2, 2);
        return;
    case RD_FORMULA_AND:
        write_series(out, f, " and ", 3, 3);
        return;
    case RD_FORMULA_COMPARISON:
        snprintf(comparison, sizeof comparison, " %s ", f->name);
        write_series(out, f, comparison, 5, 5);
        return;
    case RD_FORMULA_SUM:
        write_series(out, f, " + ", 5, 6);
        return;
    case RD_FORMULA_DIFFERENCE:
        write_series(out, f, " - ", 5, 6);
        return;
    case RD_FORMULA_PRODUCT:
        write_series(out, f, " * ", 6, 7);
        return;
    case RD_FORMULA_QUOTIENT:
        write_series(out, f, " / ", 6, 7);
        return;
    case RD_FORMULA_POWER:
        write_series(out, f, "^", 9, 9);
        return;
    default:
        fputs(f->kind == RD_FORMULA_NOT ? "not " : "-", out);
        write_formula_part(out, f->part[0], f->kind == RD_FORMULA_NOT ? 4 : 8);
    }
}

void rd_formula_write(FILE *out, rd_formula f)
{
    switch (f->kind) {
    case RD_FORMULA_NUMBER:
        write_formula_number(out, f->number);
        return;
    case RD_FORMULA_NAME:
        fputs(f->name, out);
        return;
    case RD_FORMULA_CONCENTRATION:
        fprintf(out, "[%s]", f->name);
        return;
    case RD_FORMULA_CALL:
        fprintf(out, "%s(", f->name);
        write_series(out, f, ", ", 0, 0);
        fputc(')', out);
        return;
    default:
        write_operation(out, f);
    }
}
