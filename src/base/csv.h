/* csv - entries of a line of comma-separated values. */
#ifndef RD_BASE_CSV_H
#define RD_BASE_CSV_H

#include <stdbool.h>
#include <stddef.h>

/* Describes what is left of a line. */
struct rd_csv_line {
    const char *at;  /* NULL: there is no further entry */
    const char *end; /* of the line */
};

struct rd_csv_line rd_csv_line_of(const char *text);
/* Finds the next entry of a line, without blanks and quotes around it: it ends at one of the
   separators that is not in quotes. Returns false after the last one. */
bool rd_csv_next(struct rd_csv_line *line, const char *separators, const char **entry,
                 size_t *length);
/* Returns whether an entry of a text is a number, and sets *value to it; it may be infinite. */
bool rd_csv_number(const char *entry, size_t length, double *value);

#endif
