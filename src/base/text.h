/* text - formatted texts, numbers, characters of UTF-8, JSON, and the nearest of some words. */
#ifndef RD_BASE_TEXT_H
#define RD_BASE_TEXT_H

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

/* Return a newly allocated formatted text, or NULL; the caller frees it. */
char *rd_text_format(const char *format, ...) __attribute__((format(printf, 1, 2)));
char *rd_text_format_list(const char *format, va_list list) __attribute__((format(printf, 1, 0)));
/* Returns words, of which NULL is the last, with blanks between; NULL without memory. The caller
   frees it. */
char *rd_text_join(char *const *word);

/* Writes the shortest form of a number that reads back to the same number. */
enum { RD_NUMBER_BYTES = 40 };
void rd_text_number(double v, char text[RD_NUMBER_BYTES]);
/* Returns the length of the number without sign at s: 1, .5, 2., 1e-3; 0 if there is none. */
size_t rd_text_number_length(const char *s);
/* Returns the least number of two digits that is not below x > 0, for texts that name a limit. */
double rd_text_round_up(double x);

/* Compares two texts of an array, for qsort and bsearch. */
int rd_text_order(const void *a, const void *b);

/* Returns the bytes of the UTF-8 character at c, or 0 if it is none (Unicode 15, table 3-7). */
int rd_text_character(const char *c);

/* Returns the text after the byte order mark that some editors put before UTF-8. */
const char *rd_text_after_mark(const char *text);

/* Writes a text in quotes as a configuration has it. Control characters become blanks. */
void rd_text_quote(FILE *out, const char *text);

/* Writes a text in quotes and escapes it. Replaces bytes that are not UTF-8 by U+FFFD. */
void rd_json_text(FILE *out, const char *text);
/* Writes a number, or null if it is not finite. */
void rd_json_number(FILE *out, double value);

/* Returns the one of n words nearest to word by edit distance, or NULL if none is near; name(list,
   i) returns word i, or NULL to leave it out. It serves "did you mean ...?". */
const char *rd_text_nearest(const char *word, int n, const char *(*name)(const void *list, int i),
                            const void *list);
/* Returns text i of an array of texts, as such a name. */
const char *rd_text_of(const void *texts, int i);

#endif
