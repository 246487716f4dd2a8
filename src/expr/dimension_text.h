/* dimension_text - dimensions in words, as units of a configuration, and as keys have them. */
#ifndef RD_EXPR_DIMENSION_TEXT_H
#define RD_EXPR_DIMENSION_TEXT_H

#include "expr/units.h"

/* Writes "a time" or "length^2/time". */
void rd_dimension_words(struct rd_dimension d, char *text, size_t bytes);
/* Writes the unit of that dimension in the units of a configuration: "um^3/s", "/um^3". */
void rd_dimension_units(const struct rd_units *u, struct rd_dimension d, char *text, size_t bytes);
/* Writes a quantity of that dimension as an example: "0.5 um^2/s". */
void rd_dimension_example(const struct rd_units *u, struct rd_dimension d, char *text,
                          size_t bytes);
/* Sets *d to the dimension of a key from its unit in the table of keys, as "length^2/time", in a
   space of so many axes. Returns false if it has none or does not follow from that alone. */
bool rd_dimension_of_key(const char *unit, int axes, struct rd_dimension *d);

#endif
