/* bionetgen - writes a network of BioNetGen as a configuration. */
#define _POSIX_C_SOURCE 200809L
#include "formats/bionetgen.h"

#include "base/text.h"
#include "formats/bionetgen_network.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool rd_bionetgen_is(const char *text)
{
    static const char *const blocks[] = {"parameters",   "species",        "seed species",
                                         "reactions",    "reaction rules", "molecule types",
                                         "groups",       "functions",      "observables",
                                         "compartments", "model"};
    for (const char *line = rd_text_after_mark(text); *line; line += *line == '\n') {
        line += strspn(line, " \t\r");
        const size_t gap = strncmp(line, "begin", 5) == 0 ? strspn(line + 5, " \t") : 0;
        for (size_t i = 0; gap > 0 && i < sizeof blocks / sizeof *blocks; i++) {
            const char *const name = line + 5 + gap;
            const size_t n = strlen(blocks[i]);
            if (strncmp(name, blocks[i], n) == 0 && strchr(" \t\r\n#", name[n]))
                return true;
        }
        const bool is_setting = strncmp(line, "substanceUnits", 14) == 0 ||
                                strncmp(line, "setOption", 9) == 0 ||
                                strncmp(line, "version", 7) == 0;
        if (*line && *line != '#' && *line != '\n' && !is_setting)
            return false;
        line += strcspn(line, "\n");
    }
    return false;
}

/* ---- values ---- */

/* Writes the value of a key: a number, or an expression in quotes. */
static void write_bng_value(FILE *out, rd_formula f)
{
    char number[RD_NUMBER_BYTES];
    if (f->kind != RD_FORMULA_NUMBER) {
        fputc('"', out);
        rd_formula_write(out, f);
        fputc('"', out);
        return;
    }
    rd_text_number(f->number, number);
    fprintf(out, "%s%s", number, strpbrk(number, ".en") ? "" : ".0");
}

/* Reads all parameters, and refuses values that only a run has. */
static bool check_bng_parameters(struct rd_bng *b)
{
    struct rd_bng_entry *const x = b->of[RD_BNG_PARAMETERS];
    bool good = true;
    for (int i = 0; i < b->n[RD_BNG_PARAMETERS]; i++)
        good = rd_bng_formula(b, &x[i]) && good;
    for (int i = 0; i < b->n[RD_BNG_PARAMETERS] && good; i++)
        if (isnan(rd_bng_value(b, x[i].formula)))
            good = rd_bng_fail(b, &x[i],
                               "its value is not a number, or depends on itself, a group or the "
                               "time; use numbers and other parameters");
    return good;
}

static bool write_bng_parameters(struct rd_bng *b, FILE *out)
{
    const bool good = check_bng_parameters(b);
    fputs("parameters = {\n", out);
    for (int i = 0; i < b->n[RD_BNG_PARAMETERS]; i++) {
        const struct rd_bng_entry *const x = &b->of[RD_BNG_PARAMETERS][i];
        const rd_formula f = x->formula;
        fprintf(out, "    %s = ", x->name);
        if (f)
            write_bng_value(out, f);
        fprintf(out, strcmp(x->name, x->id) == 0 ? ";\n" : "; # %s\n", x->id);
    }
    fputs("};\n", out);
    return good;
}

/* Writes the species; a pattern that is no name becomes the label. */
static void write_bng_species(const struct rd_bng *b, FILE *out)
{
    fputs("species = (\n", out);
    for (int i = 0; i < b->n[RD_BNG_SPECIES]; i++) {
        const struct rd_bng_entry *const x = &b->of[RD_BNG_SPECIES][i];
        fprintf(out, "    { name = \"%s\"; ", x->name);
        const size_t n = strlen(x->name);
        const bool is_same =
            strncmp(x->id, x->name, n) == 0 && (!x->id[n] || strcmp(x->id + n, "()") == 0);
        if (!is_same) {
            fputs("label = ", out);
            rd_text_quote(out, x->id);
            fputs("; ", out);
        }
        fprintf(out, "}%s%s\n", i + 1 < b->n[RD_BNG_SPECIES] ? "," : "",
                x->is_constant ? " # constant" : "");
    }
    fputs(");\n", out);
}

/* Writes the number of molecules at the start: rounded, as BioNetGen does. */
static bool write_bng_count(struct rd_bng *b, struct rd_bng_entry *x, rd_formula f, FILE *out)
{
    const double value = rd_bng_value(b, f), whole = floor(value + 0.5);
    if (isnan(value) || value < 0.0)
        return rd_bng_fail(b, x, "begins with %g molecules; give 0 or more", value);
    if (whole != value)
        rd_fail(b->notes, "%s:%d: species '%.60s': begins with %g molecules, rounded to %.0f",
                b->path, x->line, x->id, value, whole);
    if (f->kind == RD_FORMULA_NUMBER)
        f = rd_formula_number(&b->pool, whole);
    else if (whole != value)
        f = rd_formula_call(
            &b->pool, "floor",
            rd_formula_pair(&b->pool, RD_FORMULA_SUM, f, rd_formula_number(&b->pool, 0.5)));
    write_bng_value(out, f);
    return true;
}

static bool write_bng_initial(struct rd_bng *b, FILE *out)
{
    bool good = true;
    const char *separator = "initial = (\n";
    for (int i = 0; i < b->n[RD_BNG_SPECIES]; i++) {
        struct rd_bng_entry *const x = &b->of[RD_BNG_SPECIES][i];
        const rd_formula f = rd_bng_formula(b, x);
        good = f && good;
        if (!f || rd_formula_is_number(f, 0.0))
            continue;
        fprintf(out, "%s    { species = \"%s\"; count = ", separator, x->name);
        good = write_bng_count(b, x, f, out) && good;
        fputs("; }", out);
        separator = ",\n";
    }
    fputs(*separator == ',' ? "\n);\n" : "", out);
    return good;
}

/* ---- reactions ---- */

enum { MOST_SIDE = 64 };

/* Describes the species of one side of a reaction. */
struct reaction_side {
    const struct rd_bng_entry *of[2 * MOST_SIDE];
    int n;
};

/* Reads numbers of species with commas between; "0" is none. */
static bool read_bng_side(const struct rd_bng *b, const struct rd_bng_entry *x, const char *text,
                          struct reaction_side *s)
{
    s->n = 0;
    if (strcmp(text, "0") == 0)
        return true;
    for (bool is_last = false; !is_last;) {
        char word[24];
        const size_t n = strcspn(text, ",");
        snprintf(word, sizeof word, "%.*s", n < sizeof word ? (int)n : (int)sizeof word - 1, text);
        is_last = !text[n];
        text += n + 1;
        if (s->n == MOST_SIDE)
            return rd_bng_fail(b, x, "has more than %d molecules on one side; write less",
                               MOST_SIDE);
        if (!(s->of[s->n++] = rd_bng_species(b, word, x)))
            return false;
    }
    return true;
}

static int count_molecules(const struct reaction_side *s, const struct rd_bng_entry *x)
{
    int n = 0;
    for (int i = 0; i < s->n; i++)
        n += s->of[i] == x;
    return n;
}

/* Makes the products have as many of each constant species as the reactants. */
static void keep_constants(const struct reaction_side *left, struct reaction_side *right)
{
    int kept = 0;
    for (int i = 0; i < right->n; i++)
        if (!right->of[i]->is_constant)
            right->of[kept++] = right->of[i];
    right->n = kept;
    for (int i = 0; i < left->n; i++)
        if (left->of[i]->is_constant)
            right->of[right->n++] = left->of[i];
}

/* Writes a side as "2 A + B", each species at its first place. */
static void write_bng_side(FILE *out, const struct reaction_side *s)
{
    const char *separator = "";
    for (int i = 0; i < s->n; i++) {
        bool is_first = true;
        for (int k = 0; k < i; k++)
            is_first = is_first && s->of[k] != s->of[i];
        const int n = count_molecules(s, s->of[i]);
        if (!is_first)
            continue;
        fputs(separator, out);
        if (n > 1)
            fprintf(out, "%d ", n);
        fputs(s->of[i]->name, out);
        separator = " + ";
    }
    fputs(s->n == 0 ? "0" : "", out);
}

static bool write_bng_reactions(struct rd_bng *b, FILE *out)
{
    bool good = true;
    const char *separator = "reactions = (\n";
    for (int i = 0; i < b->n[RD_BNG_REACTIONS] && b->e->n < RD_ERROR_MOST; i++) {
        struct rd_bng_entry *const x = &b->of[RD_BNG_REACTIONS][i];
        struct reaction_side left, right;
        const rd_formula rate = rd_bng_formula(b, x);
        if (!read_bng_side(b, x, x->id, &left) || !read_bng_side(b, x, x->products, &right) ||
            !rate) {
            good = false;
            continue;
        }
        keep_constants(&left, &right);
        fprintf(out, "%s    { equation = \"", separator);
        write_bng_side(out, &left);
        fputs(" -> ", out);
        write_bng_side(out, &right);
        fputs("\"; rate = ", out);
        write_bng_value(out, rate);
        fputs("; }", out);
        separator = ",\n";
    }
    fputs(*separator == ',' ? "\n);\n" : "", out);
    return good;
}

/* ---- groups ---- */

static bool write_groups(struct rd_bng *b, FILE *out)
{
    bool good = true;
    for (int i = 0; i < b->n[RD_BNG_GROUPS]; i++) {
        struct rd_bng_entry *const x = &b->of[RD_BNG_GROUPS][i];
        const rd_formula sum = rd_bng_sum(b, x);
        good = sum && good;
        if (!sum)
            continue;
        fprintf(out, "%s    { name = \"%s\"; sum = \"", i ? ",\n" : "observables = (\n", x->name);
        rd_formula_write(out, sum);
        fputs("\"; }", out);
    }
    fputs(b->n[RD_BNG_GROUPS] > 0 ? "\n);\n" : "", out);
    return good;
}

/* ---- the whole ---- */

static bool write_bng_sections(struct rd_bng *b, FILE *out)
{
    fputs("\n# One voxel of volume 1: rate constants are per molecule and time.\n"
          "grid = { voxels = 1; edge = 1.0; };\n",
          out);
    bool good = write_bng_parameters(b, out);
    write_bng_species(b, out);
    good = write_bng_reactions(b, out) && good;
    good = write_bng_initial(b, out) && good;
    good = write_groups(b, out) && good;
    fputs("solver = \"exact\";\n\n"
          "# A network has no end of the simulation: add time = { end = 50.0; };\n",
          out);
    return good;
}

/* ---- the network alone ---- */

/* Writes the equations, each in its line of the file, without names. */
static bool write_equations(struct rd_bng *b, FILE *out)
{
    int line = 1;
    bool good = true;
    for (int i = 0; i < b->n[RD_BNG_REACTIONS] && b->e->n < RD_ERROR_MOST; i++) {
        struct rd_bng_entry *const x = &b->of[RD_BNG_REACTIONS][i];
        struct reaction_side left, right;
        if (!read_bng_side(b, x, x->id, &left) || !read_bng_side(b, x, x->products, &right)) {
            good = false;
            continue;
        }
        for (; line < x->line; line++)
            fputc('\n', out);
        fputs(": ", out);
        write_bng_side(out, &left);
        fputs(" -> ", out);
        write_bng_side(out, &right);
    }
    fputc('\n', out);
    return good;
}

/* Names the constant species that reactions use, and writes the equations. */
static bool write_network(struct rd_bng *b, FILE *out)
{
    fputs("# external:", out);
    for (int i = 0; i < b->n[RD_BNG_SPECIES]; i++) {
        const struct rd_bng_entry *const x = &b->of[RD_BNG_SPECIES][i];
        bool is_used = false;
        for (int k = 0; k < b->n[RD_BNG_REACTIONS] && x->is_constant && !is_used; k++) {
            struct rd_bng_entry *const r = &b->of[RD_BNG_REACTIONS][k];
            struct reaction_side left, right;
            is_used = read_bng_side(b, r, r->id, &left) &&
                      read_bng_side(b, r, r->products, &right) &&
                      count_molecules(&left, x) + count_molecules(&right, x) > 0;
        }
        if (is_used)
            fprintf(out, " %s", x->name);
    }
    return write_equations(b, out);
}

/* Reads a network and writes it as a text, which the caller frees; NULL with messages. */
static char *convert_bionetgen(const char *path, const char *text,
                               bool (*write)(struct rd_bng *b, FILE *out), struct rd_error *notes,
                               struct rd_error *e)
{
    struct rd_bng b = {.path = path, .notes = notes, .e = e};
    char *made = NULL;
    size_t n;
    FILE *const out = rd_bng_open(&b, text) ? open_memstream(&made, &n) : NULL;
    bool good = out && write(&b, out);
    if (out && fclose(out) != 0)
        good = false;
    if (b.pool.is_full || (!good && e->n == 0))
        good = rd_fail(e, "%s: out of memory for the model", path);
    rd_bng_close(&b);
    if (good)
        return made;
    free(made);
    return NULL;
}

char *rd_bionetgen_import(const char *path, const char *text, struct rd_error *notes,
                          struct rd_error *e)
{
    return convert_bionetgen(path, text, write_bng_sections, notes, e);
}

char *rd_bionetgen_network(const char *path, const char *text, struct rd_error *notes,
                           struct rd_error *e)
{
    return convert_bionetgen(path, text, write_network, notes, e);
}
