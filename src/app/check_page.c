/* check_page - prints the report of `rdsim check` in lines of at most 100 columns, warnings last,
   and the first of many lines of a kind; separate because check.c writes its lines whole, as the
   JSON document has them. */
#include "app/check.h"

#include "base/text.h"

#include <string.h>

enum { COLUMNS = 100, LABEL = 12, INDENT = 14 };

/* A longer line, such as a law of thousands of species, is cut to its first part. */
enum { LONG = 4000, PART = 1000 };

/* Sets limits: a kind of lines with more than MANY of them shows the first FEW; at most KINDS
   are distinguished. */
enum { MANY = 60, FEW = 20, KINDS = 64 };

/* Describes the lines of a kind: of one label or, among warnings, with one advice. */
struct line_kind {
    const char *text;
    int length, n, n_printed;
};

struct line_kinds {
    struct line_kind of[KINDS];
    int n;
};

static bool is_warning_line(const char *line)
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
static void print_wrapped_line(FILE *out, const char *line, int length)
{
    const int whole = length;
    int used = length < LABEL ? length : LABEL;
    if (length > LONG)
        for (length = PART; length > LABEL && line[length] != ' ';)
            length--;
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
    if (length < whole)
        fprintf(out, "%*s... and %d more characters; rdsim check --json prints all\n", INDENT, "",
                whole - length);
}

/* Returns the kind of a line, which it adds if it is new. Kinds beyond KINDS count as the last. */
static struct line_kind *kind_of_line(struct line_kinds *k, const char *line, int length)
{
    const char *text = line;
    int n = (int)strcspn(line, " \n");
    for (int i = n; is_warning_line(line) && i + 1 < length; i++)
        if (line[i] == ';' && line[i + 1] == ' ') {
            text = line + i;
            n = length - i;
        }
    for (int i = 0; i < k->n; i++)
        if (k->of[i].length == n && strncmp(k->of[i].text, text, (size_t)n) == 0)
            return &k->of[i];
    if (k->n < KINDS)
        k->of[k->n++] = (struct line_kind){.text = text, .length = n};
    return &k->of[k->n - 1];
}

/* Returns whether the line is printed, and prints how many of its kind are not. */
static bool takes_line(FILE *out, struct line_kind *k, const char *line)
{
    if (k->n <= MANY || k->n_printed < FEW) {
        k->n_printed++;
        return true;
    }
    if (k->n_printed++ == FEW)
        fprintf(out, "%-*.*s... and %d more %s; rdsim check --json prints all\n", LABEL,
                (int)strcspn(line, " "), line, k->n - FEW,
                is_warning_line(line) ? "with this advice" : "of these lines");
    return false;
}

static void print_part(FILE *out, const char *report, struct line_kinds *k, bool warnings)
{
    bool is_part = false;
    for (const char *line = report; *line;) {
        const char *const end = line + strcspn(line, "\n");
        const int length = (int)(end - line);
        if (*line != ' ') /* else it continues the line before */
            is_part = is_warning_line(line) == warnings &&
                      takes_line(out, kind_of_line(k, line, length), line);
        if (is_part)
            print_wrapped_line(out, line, length);
        line = *end ? end + 1 : end;
    }
}

void rd_check_page(FILE *out, const char *report)
{
    struct line_kinds kinds = {.n = 0};
    for (const char *line = report; *line;) {
        const char *const end = line + strcspn(line, "\n");
        if (*line != ' ')
            kind_of_line(&kinds, line, (int)(end - line))->n++;
        line = *end ? end + 1 : end;
    }
    print_part(out, report, &kinds, false);
    print_part(out, report, &kinds, true);
}
