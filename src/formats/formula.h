/* formula - expressions of other programs as trees: made, changed, and written in the syntax of a
   configuration. All nodes belong to a pool and never change, so that trees may share them. */
#ifndef RD_FORMATS_FORMULA_H
#define RD_FORMATS_FORMULA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum rd_formula_kind {
    RD_FORMULA_NUMBER,
    RD_FORMULA_NAME,          /* a parameter, a number of molecules, a reserved name */
    RD_FORMULA_CONCENTRATION, /* [NAME] */
    RD_FORMULA_CALL,          /* NAME(part, ...) */
    RD_FORMULA_OR,
    RD_FORMULA_AND,
    RD_FORMULA_NOT,
    RD_FORMULA_COMPARISON, /* two parts; the name is the operator */
    RD_FORMULA_SUM,        /* any number of parts */
    RD_FORMULA_DIFFERENCE, /* two parts */
    RD_FORMULA_PRODUCT,    /* any number of parts */
    RD_FORMULA_QUOTIENT,   /* two parts */
    RD_FORMULA_NEGATIVE,
    RD_FORMULA_POWER, /* two parts */
};

struct rd_formula {
    enum rd_formula_kind kind;
    double number;
    const char *name; /* not owned */
    const struct rd_formula *const *part;
    int n;
    int64_t size; /* nodes of the tree, shared ones as often as they occur */
};

/* Owns formulas and texts. The zero-initialised struct is empty. */
struct rd_formula_pool {
    struct rd_formula_block *block;
    bool is_full; /* there was no memory; what was made since is a number */
};

/* Formulas with more nodes are replaced by NAN, a number: no expression can hold them. */
enum { RD_FORMULA_MOST = 1 << 16 };

typedef const struct rd_formula *rd_formula;

void rd_formula_pool_free(struct rd_formula_pool *p);
/* Returns a copy of a text, which the pool owns. */
const char *rd_formula_text(struct rd_formula_pool *p, const char *text);

rd_formula rd_formula_number(struct rd_formula_pool *p, double number);
rd_formula rd_formula_name(struct rd_formula_pool *p, enum rd_formula_kind kind, const char *name);
/* Returns an operation on n parts; it is simplified where a factor is 1 or a summand 0. */
rd_formula rd_formula_of(struct rd_formula_pool *p, enum rd_formula_kind kind, const char *name,
                         const rd_formula *part, int n);
rd_formula rd_formula_pair(struct rd_formula_pool *p, enum rd_formula_kind kind, rd_formula a,
                           rd_formula b);
rd_formula rd_formula_call(struct rd_formula_pool *p, const char *function, rd_formula a);
rd_formula rd_formula_negative(struct rd_formula_pool *p, rd_formula a);
rd_formula rd_formula_not(struct rd_formula_pool *p, rd_formula a);
rd_formula rd_formula_compared(struct rd_formula_pool *p, rd_formula a, const char *operator,
                               rd_formula b);
/* Returns if(condition, a, b). */
rd_formula rd_formula_if(struct rd_formula_pool *p, rd_formula condition, rd_formula a,
                         rd_formula b);

/* Returns room for n formulas, which the pool owns; NULL if there is no memory. */
rd_formula *rd_formula_list(struct rd_formula_pool *p, size_t n);
/* Returns the formula with `by` in place of the name. */
rd_formula rd_formula_replace(struct rd_formula_pool *p, rd_formula f, const char *name,
                              rd_formula by);

bool rd_formula_is_number(rd_formula f, double number);
/* Returns whether it is the count, a name or a concentration, less k: for k = 0 the count itself.
 */
bool rd_formula_is_less(rd_formula f, const char *count, int k);
/* Returns whether the name occurs in it, as a name or a concentration. */
bool rd_formula_has(rd_formula f, const char *name);
/* Returns whether some name or concentration for which `is` holds occurs in it. */
bool rd_formula_any(rd_formula f, bool (*is)(const void *of, rd_formula name), const void *of);

/* Returns the formula inside of all if(condition, formula, 0); NULL if a condition is false where
   the count, a name or a concentration, is below n: `count >= n`. */
rd_formula rd_formula_below(rd_formula f, rd_formula count, int n);

/* Returns the value; NAN if a function or name has none. value_of gives the values of names. */
double rd_formula_value(rd_formula f, double (*value_of)(void *of, rd_formula name), void *of);

/* Writes it as a configuration does. */
void rd_formula_write(FILE *out, rd_formula f);

#endif
