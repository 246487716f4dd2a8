/* units - quantities such as "50 nM": the table of units, and conversion to the units of a
   configuration. Molecules are numbers, so a concentration is 1/length^3. */
#ifndef RD_EXPR_UNITS_H
#define RD_EXPR_UNITS_H

#include <stdbool.h>
#include <stddef.h>

/* Gives the molecules per mole, exact since 2019 (SI Brochure, 9th edition). */
#define RD_AVOGADRO 6.02214076e23

/* Holds the powers of length and time: {2, -1} is length^2/time. */
struct rd_dimension {
    double length, time;
};

/* Holds a factor of whole numbers: numerator / denominator * 10^power, in metres and seconds. */
struct rd_scale {
    double numerator, denominator;
    int power;
};

/* Holds the units of a configuration. */
struct rd_units {
    bool are_known; /* both are in the table; else no quantity can be converted */
    struct rd_scale length, time;
    const char *length_name, *time_name; /* their symbols, as "um" */
};

/* Returns the units with these names; words as "hours" are known too. */
struct rd_units rd_units_of(const char *length, const char *time);
/* Returns whether the name is one of the table, as h, nM or um. */
bool rd_units_has(const char *name);
/* Returns the symbol of a unit that is written as a word: h for hours; else the name itself. */
const char *rd_units_symbol(const char *name);

enum rd_quantity_kind {
    RD_QUANTITY_NONE,  /* the text is no quantity, but may be an expression */
    RD_QUANTITY_RIGHT, /* it is a number and units */
    RD_QUANTITY_WRONG  /* it begins as one, and something in it is no unit */
};
struct rd_quantity {
    double value; /* in the units of the configuration */
    struct rd_dimension dimension;
    bool is_molar;  /* it has M or its parts */
    char wrong[24]; /* what is no unit */
};
/* Reads a text that is a number, then units, and nothing else. */
enum rd_quantity_kind rd_quantity_read(const char *text, const struct rd_units *u,
                                       struct rd_quantity *q);
/* Sets *number to the number with which a text begins, and returns what follows, without space. */
const char *rd_quantity_number(const char *text, double *number);
/* Returns the next name in the text at *at, its length, and moves *at behind it; NULL: no more. */
const char *rd_quantity_name(const char **at, size_t *length);

/* Returns how many of the unit one configuration unit of that dimension is: a number in the
   configuration times this is a number of the unit, as "nM". The unit must be in the table. */
double rd_units_in(const struct rd_units *u, struct rd_dimension d, const char *unit);

/* Returns whether the powers are equal within rounding. */
bool rd_dimension_is_same(struct rd_dimension a, struct rd_dimension b);

#endif
