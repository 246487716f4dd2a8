/* key_page - prints the table of keys: docs/keys.md, and `rdsim keys` on a terminal. */
#include "config/config.h"
#include "config/keys.h"

#include <string.h>

enum { HINT_BYTES = 192, WIDTH = 96 };

static const char *const introduction[] = {
    "A configuration is a text of keys and values: numbers, texts in quotes, lists in round "
    "brackets, groups in braces; `#` and `//` begin comments. This is a whole one:",
    "    grid = { voxels = (64, 64); edge = 0.5; };\n"
    "    parameters = { k = 0.1; };\n"
    "    species = ( { name = \"A\"; diffusion = 1.0; } );\n"
    "    reactions = ( { equation = \"A -> 0\"; rate = \"2 * k\"; } );\n"
    "    initial = ( { species = \"A\"; count = 1000; } );\n"
    "    time = { end = 10.0; };",
    "A number may also be an expression of the `parameters` in quotes; where it may use more, that "
    "is said. A list with one number for each axis has as many as `grid.voxels`; the number alone "
    "may "
    "stand for a list of one, and 0 alone for 0 on all axes. Square brackets may stand for round "
    "ones. Integers beyond 32 bits end in L. Texts that follow each other are joined.",
    "`--set path=value` on the command line changes a value: `--set run.runs=100`, `--set "
    "parameters.k=0.02`, `--set species.A.diffusion=2`, `--set 'reactions[0].rate=3 * k'`. What is "
    "not a number, text, list or group is taken as a text.",
    "A key that is not listed here is an error; so is a required one that is missing. Brackets [] "
    "in a title stand for each element of a list.",
};

/* Prints a text in lines of at most WIDTH, indented by `indent` blanks; prints an example (a line
   that begins with a blank) unchanged. */
static void print_wrapped(FILE *out, int indent, const char *text)
{
    int column = 0;
    if (*text == ' ') {
        fprintf(out, "%s\n", text);
        return;
    }
    while (*text) {
        const int length = (int)strcspn(text, " ");
        if (column > 0 && column + 1 + length > WIDTH) {
            fputc('\n', out);
            column = 0;
        }
        column += column > 0 ? fprintf(out, " %.*s", length, text)
                             : fprintf(out, "%*s%.*s", indent, "", length, text);
        text += length;
        text += *text == ' ';
    }
    fputc('\n', out);
}

/* Returns what holds without the key. */
static const char *without(const struct rd_key *k)
{
    return k->required ? "required" : k->standard ? k->standard : k->absent ? k->absent : "";
}

static void print_row(FILE *out, const struct rd_key *k)
{
    char hint[HINT_BYTES];
    rd_key_hint(k, hint, sizeof hint);
    const char *const quote = k->standard ? "`" : "";
    fprintf(out, "| `%s` | %s%s%s | %s%s%s | %s |\n", k->name, hint, k->unit ? "; " : "",
            k->unit ? k->unit : "", quote, without(k), quote, k->meaning);
}

void rd_key_print(FILE *out, const struct rd_key *k)
{
    char hint[HINT_BYTES], line[2 * HINT_BYTES];
    rd_key_hint(k, hint, sizeof hint);
    const char *const rest = without(k);
    const bool is_default = *rest && !k->required;
    snprintf(line, sizeof line, "%s: %s%s%s%s%s%s", k->name, hint, k->unit ? "; " : "",
             k->unit ? k->unit : "", *rest ? "; " : "", is_default ? "default " : "", rest);
    print_wrapped(out, 2, line);
    print_wrapped(out, 6, k->meaning);
}

void rd_key_print_section(FILE *out, const struct rd_section *s, bool markdown)
{
    fprintf(out, markdown ? "\n## %s\n\n" : "\n%s\n", s->title);
    if (s->about && *s->about) {
        print_wrapped(out, markdown ? 0 : 2, s->about);
        fputc('\n', out);
    }
    if (markdown)
        fputs("| key | value | default | meaning |\n|---|---|---|---|\n", out);
    for (int i = 0; i < s->n_keys; i++)
        (markdown ? print_row : rd_key_print)(out, &s->key[i]);
}

void rd_config_keys(FILE *out, bool markdown)
{
    if (markdown)
        fputs("<!-- Made by `rdsim keys --markdown`; change src/config/keys.c instead. -->\n\n# "
              "The keys "
              "of a configuration\n\n",
              out);
    for (size_t i = 0; i < sizeof introduction / sizeof introduction[0]; i++) {
        if (i > 0)
            fputc('\n', out);
        print_wrapped(out, 0, introduction[i]);
    }
    fprintf(out, "\nWhat an expression may be: %s.\n",
            markdown ? "[expressions.md](expressions.md)" : "docs/expressions.md");
    if (markdown)
        fputs(
            "\nA default in code letters is put in where its key is left out; the others tell what "
            "then\nholds.\n",
            out);
    for (int i = 0; rd_keys_sections[i]; i++)
        rd_key_print_section(out, rd_keys_sections[i], markdown);
    for (int i = 0; rd_keys_of_sweeps[i]; i++)
        rd_key_print_section(out, rd_keys_of_sweeps[i], markdown);
}
