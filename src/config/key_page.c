/* key_page - prints THE TABLE of keys: docs/keys.md, and `rdsim keys [NAME]` on a terminal. */
#include "config/config.h"
#include "config/keys.h"

#include <stdlib.h>
#include <string.h>

enum { HINT_BYTES = 192, PATH_BYTES = 256, WIDTH = 90, DEPTH_MOST = 8 };

static const char *const introduction[] = {
    "A configuration is a text of keys and values: numbers, texts in quotes, lists in round "
    "brackets, groups in braces; `#` and `//` begin comments. This is a whole one:",
    "    grid = { voxels = (64, 64); edge = 0.5; };\n"
    "    parameters = { k = 0.1; };\n"
    "    species = ( { name = \"A\"; diffusion = 1.0; } );\n"
    "    reactions = ( { equation = \"A -> 0\"; rate = \"2 * k\"; } );\n"
    "    initial = ( { species = \"A\"; count = 1000; } );\n"
    "    time = { end = 10.0; };",
    "A number may also be an expression of the `parameters` in quotes; the tables say where it may "
    "use more. A list with one number for each axis has as many as `grid.voxels`; the number alone "
    "may stand for a list of one, and 0 alone for 0 on all axes. Square brackets may stand for "
    "round ones. Integers beyond 32 bits end in L. Texts that follow each other are joined.",
    "`--set path=value` on the command line changes a value: `--set run.runs=100`, `--set "
    "parameters.k=0.02`, `--set species.A.diffusion=2`, `--set 'reactions[0].rate=3 * k'`. A value "
    "that is not a number, text, list or group is read as a text.",
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

static void print_key_row(FILE *out, const struct rd_key *k)
{
    char hint[HINT_BYTES];
    rd_key_hint(k, hint, sizeof hint);
    const char *const quote = k->standard ? "`" : "";
    fprintf(out, "| `%s` | %s%s%s | %s%s%s | %s |\n", k->name, hint, k->unit ? "; " : "",
            k->unit ? k->unit : "", quote, without(k), quote, k->meaning);
}

static void print_key(FILE *out, const struct rd_key *k)
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

static void print_section(FILE *out, const struct rd_section *s, bool markdown)
{
    fprintf(out, markdown ? "\n## %s\n\n" : "\n%s\n", s->title);
    if (s->about && *s->about) {
        print_wrapped(out, markdown ? 0 : 2, s->about);
        fputc('\n', out);
    }
    if (markdown)
        fputs("| key | value | default | meaning |\n|---|---|---|---|\n", out);
    for (int i = 0; i < s->n_keys; i++)
        (markdown ? print_key_row : print_key)(out, &s->key[i]);
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
    fprintf(out, "\nThe syntax of expressions: %s.\n",
            markdown ? "[expressions.md](expressions.md)" : "docs/expressions.md");
    if (markdown)
        fputs("\nA default in code letters is used if its key is left out; the others describe "
              "what then\nholds.\n",
              out);
    for (int i = 0; rd_keys_sections[i]; i++)
        print_section(out, rd_keys_sections[i], markdown);
    for (int i = 0; rd_keys_of_sweeps[i]; i++)
        print_section(out, rd_keys_of_sweeps[i], markdown);
}

/* ---- `rdsim keys NAME`: the entries whose path is the name or ends with it ---- */

/* Hold all paths of the table, without brackets: "species.individuals.max". */
struct found {
    const struct rd_key *key;
    char path[PATH_BYTES];
};
struct index {
    struct found *of;
    int n, capacity;
    bool failed;
};

static void add_to_index(struct index *x, const struct rd_key *k, const char *path)
{
    if (x->n == x->capacity) {
        const int capacity = 2 * x->capacity + 64;
        struct found *const of = realloc(x->of, (size_t)capacity * sizeof *of);
        if (!of) {
            x->failed = true;
            return;
        }
        x->of = of;
        x->capacity = capacity;
    }
    struct found *const f = &x->of[x->n++];
    f->key = k;
    snprintf(f->path, sizeof f->path, "%s", path);
}

/* Adds the keys of a section whose path is in path. */
static void add_section(struct index *x, const struct rd_section *s, char path[PATH_BYTES],
                        int depth)
{
    const size_t used = strlen(path);
    for (int i = 0; i < s->n_keys; i++) {
        snprintf(path + used, PATH_BYTES - used, "%s%s", used > 0 ? "." : "", s->key[i].name);
        add_to_index(x, &s->key[i], path);
        if (s->key[i].inside && depth < DEPTH_MOST)
            add_section(x, s->key[i].inside, path, depth + 1);
        path[used] = 0;
    }
}

/* Copies a name without its brackets and their content, and without a point at its end. */
static void strip(char *to, size_t bytes, const char *name)
{
    size_t n = 0;
    int depth = 0;
    for (; *name && n + 1 < bytes; name++) {
        depth += *name == '[';
        if (depth == 0)
            to[n++] = *name;
        depth -= *name == ']' && depth > 0;
    }
    n -= n > 0 && to[n - 1] == '.';
    to[n] = 0;
}

static bool ends_with(const char *path, const char *name)
{
    const size_t whole = strlen(path), part = strlen(name);
    return whole > part && path[whole - part - 1] == '.' && strcmp(path + whole - part, name) == 0;
}

static const char *path_of(const void *list, int i)
{
    return ((const struct found *)list)[i].path;
}

static const char *name_in_list(const void *list, int i)
{
    return ((const struct found *)list)[i].key->name;
}

static bool is_unknown(const struct index *x, const char *name, struct rd_error *e)
{
    const char *near = rd_text_nearest(name, x->n, path_of, x->of);
    near = near ? near : rd_text_nearest(name, x->n, name_in_list, x->of);
    return rd_fail(e, "'%s' is not a key; %s%s%s", name, near ? "did you mean '" : "see rdsim keys",
                   near ? near : "", near ? "'?" : "");
}

static void print_found(FILE *out, const struct found *f)
{
    fprintf(out, "%s\n", f->path);
    print_key(out, f->key);
    if (f->key->inside)
        print_section(out, f->key->inside, false);
}

/* Prints the entries with exactly that path, and the paths of others that end with it. If no path
   is equal, prints the entries of all that end with it. Returns their number. */
static int print_matches(FILE *out, const struct index *x, const char *name)
{
    int n = 0;
    for (int i = 0; i < x->n; i++)
        if (strcmp(x->of[i].path, name) == 0 && n++ == 0)
            print_found(out, &x->of[i]);
    const bool is_exact = n > 0;
    for (int i = 0; i < x->n; i++) {
        if (!ends_with(x->of[i].path, name))
            continue;
        if (is_exact)
            fprintf(out, "%s%s", n == 1 ? "\nsee also " : ", ", x->of[i].path);
        else if (n > 0)
            fputc('\n', out);
        if (!is_exact)
            print_found(out, &x->of[i]);
        n++;
    }
    if (is_exact && n > 1)
        fputc('\n', out);
    return n;
}

bool rd_config_key(FILE *out, const char *name, struct rd_error *e)
{
    struct index x = {0};
    char path[PATH_BYTES] = "", wanted[PATH_BYTES];
    strip(wanted, sizeof wanted, name);
    add_section(&x, &rd_keys_root, path, 0);
    add_section(&x, &rd_keys_sweep, path, 0);
    const bool ok = x.failed ? rd_fail(e, "out of memory for the keys")
                             : print_matches(out, &x, wanted) > 0 || is_unknown(&x, wanted, e);
    e->wrong |= !ok;
    free(x.of);
    return ok;
}
