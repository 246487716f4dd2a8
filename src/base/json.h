/* json - texts and numbers as JSON has them. */
#ifndef RD_BASE_JSON_H
#define RD_BASE_JSON_H

#include <stdio.h>

/* In quotes, with what must be escaped escaped; bytes that are not UTF-8 are replaced by U+FFFD. */
void rd_json_text(FILE *out, const char *text);
/* null where it is not finite. */
void rd_json_number(FILE *out, double value);

#endif
