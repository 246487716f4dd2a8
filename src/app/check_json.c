/* check_json - `rdsim check --json`: everything that check reports, as one JSON document. */
#define _POSIX_C_SOURCE 200809L
#include "app/check.h"

#include "app/check_rates.h"
#include "app/check_units.h"
#include "base/memory.h"
#include "base/text.h"

#include <stdlib.h>
#include <string.h>

/* Gives columns of a label in the report, and the number of different labels. */
enum { LABEL = 12, MOST_LABELS = 256 };

/* Prints a message as its place, which ends at the first ": ", and its text. */
static void print_message(FILE *out, const char *message, int length)
{
    char text[4096];
    snprintf(text, sizeof text, "%.*s", length, message);
    char *const colon = strstr(text, ": ");
    fputs("{\"place\": ", out);
    if (colon) {
        *colon = 0;
        rd_json_text(out, text);
    } else {
        fputs("null", out);
    }
    fputs(", \"text\": ", out);
    rd_json_text(out, colon ? colon + 2 : text);
    fputc('}', out);
}

static void print_json_messages(FILE *out, const struct rd_error *e, bool is_first)
{
    int length;
    for (const char *at = NULL; (at = rd_error_next(e, at, &length));) {
        fputs(is_first ? "\n    " : ",\n    ", out);
        print_message(out, at, length);
        is_first = false;
    }
}

static void print_json_name(FILE *out, const char *name, const char *value)
{
    fprintf(out, "\"%s\": ", name);
    if (value)
        rd_json_text(out, value);
    else
        fputs("null", out);
}

static void print_derived(FILE *out, const struct rd_setup *a)
{
    struct rd_facts f = {0};
    rd_facts_derived(&f, &a->plan, &a->forecast);
    fputs("  \"derived\": {", out);
    for (int i = 0; i < f.n; i++) {
        fprintf(out, "%s\n    \"%s\": ", i ? "," : "", f.fact[i].name);
        if (f.fact[i].text)
            rd_json_text(out, f.fact[i].text);
        else
            rd_json_number(out, f.fact[i].number);
    }
    fputs("\n  },\n", out);
}

/* Describes a line of the report, cut into its label and text. A line without a label has the label
   of the line before. */
struct report_line {
    char label[LABEL + 1];
    const char *text;
    bool is_first; /* of its label */
};

/* Marks the first line of each label. Labels are few: the last line with a label before a line
   nearly always has the same one. */
static void mark_first(struct report_line *line, int n)
{
    int first[MOST_LABELS], n_first = 0;
    for (int i = 0; i < n; i++) {
        if (i > 0 && strcmp(line[i].label, line[i - 1].label) == 0)
            continue;
        int k = 0;
        while (k < n_first && strcmp(line[first[k]].label, line[i].label) != 0)
            k++;
        line[i].is_first = k == n_first && n_first < MOST_LABELS;
        if (line[i].is_first)
            first[n_first++] = i;
    }
}

/* Cuts the report into lines in place. The caller frees them. */
static struct report_line *cut_lines(char *page, int *n)
{
    size_t most = 1;
    for (const char *c = page; *c; c++)
        most += *c == '\n';
    struct report_line *const line = rd_memory_guard(calloc(most, sizeof *line));
    *n = 0;
    char *rest;
    for (char *at = line ? strtok_r(page, "\n", &rest) : NULL; at;
         at = strtok_r(NULL, "\n", &rest)) {
        struct report_line *const l = &line[*n];
        const size_t length = strlen(at);
        l->text = at + (length < LABEL ? length : LABEL);
        if (*at == ' ' && *n > 0)
            memcpy(l->label, line[*n - 1].label, sizeof l->label);
        else
            snprintf(l->label, sizeof l->label, "%.*s", (int)strcspn(at, " "), at);
        ++*n;
    }
    if (line)
        mark_first(line, *n);
    return line;
}

static bool is_report_warning(const struct report_line *l)
{
    return strcmp(l->label, "warning") == 0;
}

/* Prints a list of texts for each label. */
static void print_json_report(FILE *out, const struct report_line *line, int n)
{
    const char *before = "";
    fputs("  \"report\": {", out);
    for (int i = 0; i < n; i++) {
        if (is_report_warning(&line[i]) || !line[i].is_first)
            continue;
        fprintf(out, "%s\n    ", before);
        rd_json_text(out, line[i].label);
        fputs(": [", out);
        for (int k = i; k < n; k++) {
            if (strcmp(line[k].label, line[i].label) != 0)
                continue;
            fputs(k > i ? ",\n      " : "\n      ", out);
            rd_json_text(out, line[k].text);
        }
        fputs("]", out);
        before = ",";
    }
    fputs("\n  },\n", out);
}

static void print_json_warnings(FILE *out, const struct report_line *line, int n,
                                const struct rd_error *more)
{
    bool is_first = true;
    fputs("  \"warnings\": [", out);
    for (int i = 0; i < n; i++) {
        if (!is_report_warning(&line[i]))
            continue;
        fputs(is_first ? "\n    " : ",\n    ", out);
        print_message(out, line[i].text, (int)strlen(line[i].text));
        is_first = false;
    }
    print_json_messages(out, more, is_first);
    fputs("]\n", out);
}

void rd_check_json(FILE *out, const struct rd_setup *a, const char *file, char *report,
                   const struct rd_error *more)
{
    int n;
    struct report_line *const line = cut_lines(report, &n);
    fputs("{\n  ", out);
    print_json_name(out, "file", file);
    fputs(",\n  ", out);
    print_json_name(out, "output", a->model.file);
    fputs(",\n  \"memory_bytes\": ", out);
    rd_json_number(out, rd_record_run_memory(&a->plan));
    fputs(",\n", out);
    print_derived(out, a);
    fputs("  \"effective_rates\": [", out);
    rd_check_rates_json(out, &a->plan);
    fputs("\n  ],\n", out);
    rd_check_units_json(out, &a->model);
    print_json_report(out, line, n);
    print_json_warnings(out, line, n, more);
    fputs("}\n", out);
    free(line);
}

void rd_check_json_error(FILE *out, const char *file, const struct rd_error *e)
{
    fputs("{\n  ", out);
    print_json_name(out, "file", file);
    fputs(",\n  \"error\": [", out);
    print_json_messages(out, e, true);
    fputs("]\n}\n", out);
}
