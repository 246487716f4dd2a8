/* sbml_times - the times at which a trigger that depends on the time alone becomes true. */
#include "formats/sbml_times.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Holds the value of names at a time. */
struct at {
    struct rd_sbml *s;
    double time;
};

static double value_of_time(void *of, rd_formula name)
{
    const struct at *const at = of;
    return strcmp(name->name, "t") == 0 ? at->time : rd_sbml_number(at->s, name);
}

static double value_at_time(struct rd_sbml *s, rd_formula f, double time)
{
    struct at at = {s, time};
    return rd_formula_value(f, value_of_time, &at);
}

/* Returns whether a name has another value than at the start, and is not the time. */
static bool varies(const void *of, rd_formula name)
{
    return strcmp(name->name, "t") != 0 && rd_sbml_varies(of, name);
}

/* Returns whether a formula is a polynomial of the time, of degree 0 or 1. */
static bool is_linear(rd_formula f, int *degree)
{
    int part[2] = {0, 0}, most = 0, sum = 0;
    for (int i = 0; i < f->n; i++) {
        int *const one = i == 1 ? &part[1] : &part[0];
        if (!is_linear(f->part[i], one))
            return false;
        most = *one > most ? *one : most;
        sum += *one;
    }
    switch (f->kind) {
    case RD_FORMULA_NAME:
        *degree = strcmp(f->name, "t") == 0;
        return true;
    case RD_FORMULA_SUM:
    case RD_FORMULA_DIFFERENCE:
    case RD_FORMULA_NEGATIVE:
        *degree = most;
        return true;
    case RD_FORMULA_PRODUCT:
        *degree = sum;
        return sum <= 1;
    case RD_FORMULA_QUOTIENT:
        *degree = part[0];
        return part[1] == 0;
    default:
        *degree = 0;
        return most == 0;
    }
}

/* Describes the times at which comparisons may change. */
struct times {
    double at[RD_SBML_MOMENTS_MOST];
    int n;
};

/* Adds the time at which both sides of a comparison are equal. */
static bool add_time(struct rd_sbml *s, rd_formula f, struct times *times)
{
    int degree;
    if (!is_linear(f->part[0], &degree) || !is_linear(f->part[1], &degree))
        return false;
    const double zero = value_at_time(s, f->part[0], 0.0) - value_at_time(s, f->part[1], 0.0);
    const double slope =
        value_at_time(s, f->part[0], 1.0) - value_at_time(s, f->part[1], 1.0) - zero;
    const double root = -zero / slope;
    if (slope == 0.0 || !(root > 0.0))
        return true;
    if (times->n == RD_SBML_MOMENTS_MOST)
        return false;
    times->at[times->n++] = root;
    return true;
}

/* Collects the times of all comparisons; returns false if the time occurs elsewhere. */
static bool collect_times(struct rd_sbml *s, rd_formula f, struct times *times)
{
    if (f->kind == RD_FORMULA_COMPARISON)
        return add_time(s, f, times);
    bool ok = f->kind == RD_FORMULA_AND || f->kind == RD_FORMULA_OR || f->kind == RD_FORMULA_NOT ||
              !rd_formula_has(f, "t");
    for (int i = 0; i < f->n && ok; i++)
        ok = collect_times(s, f->part[i], times);
    return ok;
}

static int compare_moments(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

int rd_sbml_moments(struct rd_sbml *s, rd_formula trigger, bool was_true,
                    struct rd_sbml_moment moment[RD_SBML_MOMENTS_MOST])
{
    struct times times = {.at = {0.0}, .n = 1};
    int n = 0;
    if (rd_formula_any(trigger, varies, s) || !collect_times(s, trigger, &times))
        return -1;
    qsort(times.at, (size_t)times.n, sizeof *times.at, compare_moments);
    bool is_true = was_true;
    for (int i = 0; i < times.n; i++) {
        const bool is_last = i == times.n - 1;
        const double after = is_last ? times.at[i] + 1.0 : (times.at[i] + times.at[i + 1]) / 2.0;
        const bool at = value_at_time(s, trigger, times.at[i]) != 0.0;
        const bool stays = value_at_time(s, trigger, after) != 0.0;
        if (!is_true && (at || stays))
            moment[n++] = (struct rd_sbml_moment){times.at[i], INFINITY};
        if (n > 0 && !stays && isinf(moment[n - 1].until))
            moment[n - 1].until = times.at[i];
        is_true = stays;
    }
    return n;
}

/* Adds the times of all comparisons in a formula that are linear in the time. Those for which there
   is no room are left out. */
static void add_breaks(struct rd_sbml *s, rd_formula f, struct rd_sbml_breaks *breaks)
{
    struct times times = {.n = 0};
    if (f->kind == RD_FORMULA_COMPARISON && rd_formula_has(f, "t") && !rd_formula_any(f, varies, s))
        add_time(s, f, &times);
    for (int i = 0; i < times.n && breaks->n < RD_SBML_MOMENTS_MOST; i++) {
        int at = 0;
        while (at < breaks->n && breaks->at[at] < times.at[i])
            at++;
        if (at < breaks->n && breaks->at[at] == times.at[i])
            continue;
        memmove(breaks->at + at + 1, breaks->at + at,
                (size_t)(breaks->n++ - at) * sizeof *breaks->at);
        breaks->at[at] = times.at[i];
    }
    for (int i = 0; i < f->n; i++)
        add_breaks(s, f->part[i], breaks);
}

struct rd_sbml_breaks rd_sbml_find_breaks(struct rd_sbml *s)
{
    struct rd_sbml_breaks breaks = {.n = 0};
    for (unsigned i = 0; i < Model_getNumReactions(s->model); i++) {
        const char *const id = Reaction_getId(Model_getReaction(s->model, i));
        struct rd_sbml_symbol *const x = rd_sbml_find(s, id);
        if (x)
            add_breaks(s, rd_sbml_now(s, x), &breaks);
    }
    return breaks;
}

void rd_sbml_write_breaks(struct rd_sbml *s, const struct rd_sbml_breaks *breaks,
                          const char *separator, FILE *out)
{
    const rd_formula name = rd_sbml_new_parameter(s, "law_changes", 0.0);
    fprintf(out, "%s    # These end a step where a law changes.\n", separator);
    for (int i = 0; i < breaks->n; i++) {
        fputs(i > 0 ? ",\n    { time = " : "    { time = ", out);
        rd_sbml_write_number(out, breaks->at[i]);
        fprintf(out, "; set = { %s = \"%s + 1\"; }; }", name->name, name->name);
    }
}
