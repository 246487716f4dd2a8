/* csv - finds the entries of lines of comma-separated values (RFC 4180, without quotes and line
   ends inside of an entry). */
#include "base/csv.h"

#include <stdlib.h>
#include <string.h>

static bool is_separator_or_blank(char c, const char *separators)
{
    return (c == ' ' || c == '\t' || c == '\r' || c == '\n') && !strchr(separators, c);
}

/* Returns the first separator from `at` on, or the end of the line. */
static const char *find_separator(const char *at, const char *end, const char *separators)
{
    while (at < end && !strchr(separators, *at))
        at++;
    return at;
}

struct rd_csv_line rd_csv_line_of(const char *text)
{
    return (struct rd_csv_line){text, text + strlen(text)};
}

bool rd_csv_next(struct rd_csv_line *line, const char *separators, const char **entry,
                 size_t *length)
{
    const char *begin = line->at, *const end = line->end;
    if (!begin)
        return false;
    while (begin < end && is_separator_or_blank(*begin, separators))
        begin++;
    const bool is_open = begin < end && *begin == '"';
    const char *const quote = is_open ? memchr(begin + 1, '"', (size_t)(end - begin) - 1) : NULL;
    const char *after = quote ? quote + 1 : begin;
    while (quote && after < end && is_separator_or_blank(*after, separators))
        after++;
    const bool is_quoted = quote && (after == end || strchr(separators, *after));
    const char *const stop = is_quoted ? after : find_separator(begin, end, separators);
    line->at = stop < end ? stop + 1 : NULL;
    const char *first = is_quoted ? begin + 1 : begin, *last = is_quoted ? quote : stop;
    while (first < last && is_separator_or_blank(*first, separators))
        first++;
    while (last > first && is_separator_or_blank(last[-1], separators))
        last--;
    *entry = first;
    *length = (size_t)(last - first);
    return true;
}

bool rd_csv_number(const char *entry, size_t length, double *value)
{
    char *end;
    *value = strtod(entry, &end);
    return length > 0 && end == entry + length;
}
