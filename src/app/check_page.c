/* check_page - prints the report of `rdsim check` in lines of at most 100 columns, warnings last;
   separate because check.c writes its lines whole, as the JSON document has them. */
#include "app/check.h"

#include "base/text.h"

#include <string.h>

enum { COLUMNS = 100, LABEL = 12, INDENT = 14 };

static bool is_warning(const char *line)
{
    return strncmp(line, "warning ", 8) == 0;
}

/* Returns the bytes of the part of a text that fits into so many columns: up to the last space, or
   if there is none the first word. Sets *columns to its columns. */
static int fit(const char *text, int length, int columns)
{
    int last = 0, bytes = 0;
    for (int column = 0; bytes < length && (column < columns || last == 0); column++) {
        const int more = rd_text_character(text + bytes);
        bytes += more > 0 ? more : 1;
        if (bytes >= length || text[bytes] == ' ')
            last = column + 1 <= columns || last == 0 ? bytes : last;
    }
    return bytes >= length && last == length ? length : last;
}

/* Prints a line, and what exceeds the columns below it, a little further in. */
static void print_line(FILE *out, const char *line, int length)
{
    int used = length < LABEL ? length : LABEL;
    fprintf(out, "%.*s", used, line);
    for (int column = LABEL; used < length; column = INDENT) {
        const int bytes = fit(line + used, length - used, COLUMNS - column);
        fprintf(out, "%.*s\n", bytes, line + used);
        used += bytes;
        while (used < length && line[used] == ' ')
            used++;
        if (used < length)
            fprintf(out, "%*s", INDENT, "");
    }
    if (length <= LABEL)
        fprintf(out, "\n");
}

static void print_part(FILE *out, const char *report, bool warnings)
{
    bool is_part = false;
    for (const char *line = report; *line;) {
        const char *const end = line + strcspn(line, "\n");
        if (*line != ' ') /* else it continues the line before */
            is_part = is_warning(line) == warnings;
        if (is_part)
            print_line(out, line, (int)(end - line));
        line = *end ? end + 1 : end;
    }
}

void rd_check_page(FILE *out, const char *report)
{
    print_part(out, report, false);
    print_part(out, report, true);
}
