/* json - writes texts and numbers in JSON. */
#ifndef RD_BASE_JSON_H
#define RD_BASE_JSON_H

#include <stdio.h>

/* Writes a text in quotes and escapes it. Replaces bytes that are not UTF-8 by U+FFFD. */
void rd_json_text(FILE *out, const char *text);
/* Writes a number, or null if it is not finite. */
void rd_json_number(FILE *out, double value);

#endif
