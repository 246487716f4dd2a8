/* network - reads a reaction network from a .net text or a configuration. */
#define _POSIX_C_SOURCE 200809L
#include "modes/network.h"

#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "formats/formats.h"
#include "model/equation.h"
#include "modes/network_text.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Describes a .net text while it is read. */
struct network_lines {
    struct rd_raw_network raw;
    struct rd_name_table external;
    int *external_line; /* [external.n], owned */
    const char *file;
    int number; /* of the line */
};

static bool is_blank_in_line(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

static char *trim(char *text)
{
    while (is_blank_in_line(*text))
        text++;
    char *end = text + strlen(text);
    while (end > text && is_blank_in_line(end[-1]))
        end--;
    *end = 0;
    return text;
}

/* Adds the name of an external species. */
static void add_external(struct network_lines *l, const char *name)
{
    const int before = l->external.n;
    const int at = rd_name_table_find(&l->external, name, strlen(name), true);
    if (at < before)
        return;
    l->external_line =
        rd_memory_need(realloc(l->external_line, ((size_t)at + 1) * sizeof *l->external_line));
    l->external_line[at] = l->number;
}

/* Takes the names of "# external: A_out B_out"; "none" stands for no name. */
static void read_external(struct network_lines *l, char *line)
{
    char *rest, *const colon = strchr(line, ':');
    for (char *at = colon ? strtok_r(colon + 1, " \t", &rest) : NULL; at;
         at = strtok_r(NULL, " \t", &rest)) {
        if (strcmp(at, "none") == 0 || strcmp(at, "none:") == 0)
            return;
        add_external(l, at);
    }
}

/* Adds a reaction. Without a name (NULL) it is called by its equation in quotes, numbered if it
   stands twice. */
static bool add_equation(struct rd_raw_network *raw, const char *own, const char *equation,
                         const char *place)
{
    char name[400];
    if (own)
        return rd_raw_network_add(raw, own, equation, place);
    snprintf(name, sizeof name, "'%.360s'", equation);
    const int before = raw->unnamed.n;
    const int at = rd_name_table_find(&raw->unnamed, name, strlen(name), true);
    if (at == before && (before & (before - 1)) == 0)
        raw->times =
            rd_memory_need(realloc(raw->times, (2 * (size_t)before + 1) * sizeof *raw->times));
    raw->times[at] = at == before ? 1 : raw->times[at] + 1;
    if (raw->times[at] > 1)
        snprintf(name, sizeof name, "'%.360s' #%d", equation, raw->times[at]);
    return rd_raw_network_add(raw, name, equation, place);
}

/* Reads one line: a comment, nothing, "name : left => right", or ": left => right". */
static bool read_line(struct network_lines *l, char *text)
{
    char place[160];
    char *const line = trim(text);
    snprintf(place, sizeof place, "%.120s:%d", l->file, l->number);
    if (strncmp(line, "# external", 10) == 0)
        read_external(l, line);
    if (!*line || *line == '#')
        return true;
    if (*line == ':' && is_blank_in_line(line[1]))
        return add_equation(&l->raw, NULL, trim(line + 1), place);
    char *colon = strstr(line, " :");
    if (!colon || (colon[2] && !is_blank_in_line(colon[2])))
        return rd_fail(l->raw.e,
                       "%s: '%.60s' has no name; write NAME : LEFT => RIGHT, with a blank on each "
                       "side of the colon",
                       place, line);
    *colon = 0;
    return add_equation(&l->raw, trim(line), trim(colon + 2), place);
}

/* Marks the external species, each of which must be in some reaction. */
static bool mark_external(struct network_lines *l, struct rd_error *e)
{
    bool ok = true;
    l->raw.is_external =
        rd_memory_need(calloc((size_t)l->raw.species.n + 1, sizeof *l->raw.is_external));
    for (int i = 0; i < l->external.n; i++) {
        const char *const name = l->external.name[i];
        const int at = rd_name_table_find(&l->raw.species, name, strlen(name), false);
        if (at < 0)
            ok = rd_fail(e, "%s:%d: the external species '%.80s' is in no reaction; remove it",
                         l->file, l->external_line[i], name);
        else
            l->raw.is_external[at] = true;
    }
    return ok;
}

static bool is_network_species(struct network_lines *l, const char *name, size_t length)
{
    return length > 0 && rd_name_table_find(&l->raw.species, name, length, false) >= 0;
}

/* Returns whether reactions only make a species, or only consume it. */
static bool is_end(const struct network_lines *l, int species)
{
    bool is_made = false, is_used = false;
    for (int r = 0; r < l->raw.reactions.n; r++)
        for (int side = 0; side < 2; side++)
            for (int k = 0; k < l->raw.reaction[r].side[side].n; k++) {
                const bool is = l->raw.reaction[r].side[side].term[k].species == species;
                is_made = is_made || (is && (side == 1 || l->raw.reaction[r].is_reversible));
                is_used = is_used || (is && (side == 0 || l->raw.reaction[r].is_reversible));
            }
    return !is_made || !is_used;
}

/* Notes species that were perhaps meant as "2 A" or "A + B". */
static void note_likely_mistakes(struct network_lines *l, struct rd_error *notes)
{
    for (int i = 0; i < l->raw.species.n; i++) {
        const char *const name = l->raw.species.name[i], *const plus = strchr(name, '+');
        const size_t digits = strspn(name, "0123456789.");
        if (digits > 0 && is_network_species(l, name + digits, strlen(name + digits)) &&
            is_end(l, i))
            rd_fail(notes,
                    "%s: '%.80s' is a species, and so is '%.80s'; write a blank behind a "
                    "coefficient",
                    l->file, name, name + digits);
        if (plus && is_network_species(l, name, (size_t)(plus - name)) &&
            is_network_species(l, plus + 1, strlen(plus + 1)))
            rd_fail(notes, "%s: '%.80s' is a species, and so are its parts; write blanks around +",
                    l->file, name);
    }
}

/* Reads all lines; after too many reactions no more. */
static void read_lines(struct network_lines *l, char *text)
{
    char *end = text;
    for (char *at = text; at; at = end ? end + 1 : NULL) {
        end = strchr(at, '\n');
        if (end)
            *end = 0;
        l->number++;
        if (!read_line(l, at) && l->raw.reactions.n >= RD_NETWORK_MOST)
            return;
    }
}

bool rd_network_parse(struct rd_network *n, const char *name, const char *text,
                      struct rd_error *notes, struct rd_error *e)
{
    struct network_lines l = {.raw = {.e = e}, .file = name};
    const int before = e->n;
    char *const copy = rd_memory_need(strdup(rd_text_after_mark(text)));
    *n = (struct rd_network){0};
    read_lines(&l, copy);
    bool ok = e->n == before && mark_external(&l, e);
    if (ok && l.raw.reactions.n == 0)
        ok = rd_fail(e, "%s: has no reaction; write one a line: NAME : LEFT => RIGHT", name);
    if (ok && notes)
        note_likely_mistakes(&l, notes);
    ok = ok && rd_raw_network_finish(&l.raw, name, n);
    rd_raw_network_free(&l.raw);
    rd_name_table_free(&l.external);
    free(l.external_line);
    free(copy);
    e->wrong |= !ok;
    return ok;
}

/* Reads the species and equations of a configuration and nothing else. */
static bool read_config(struct rd_network *n, const rd_config *c, struct rd_error *e)
{
    struct rd_raw_network raw = {.e = e, .is_closed = true};
    const int before = e->n;
    const rd_node *const species = rd_node_member(rd_config_root(c), "species");
    const rd_node *const reactions = rd_node_member(rd_config_root(c), "reactions");
    *n = (struct rd_network){0};
    for (int i = 0; i < rd_node_length(species); i++) {
        const char *const name = rd_node_text(rd_node_member(rd_node_at(species, i), "name"));
        const int had = raw.species.n;
        rd_name_table_find(&raw.species, name, strlen(name), true);
        if (raw.species.n == had)
            rd_fail(e, "%s: the species '%.80s' is there twice; rename one of them",
                    rd_node_place(c, rd_node_at(species, i)), name);
    }
    for (int i = 0;
         i < rd_node_length(reactions) && (e->n == before || raw.reactions.n < RD_NETWORK_MOST);
         i++) {
        const rd_node *const x = rd_node_member(rd_node_at(reactions, i), "equation");
        const rd_node *const name = rd_node_member(rd_node_at(reactions, i), "name");
        add_equation(&raw, name ? rd_node_text(name) : NULL, rd_node_text(x), rd_node_place(c, x));
    }
    if (e->n == before && raw.reactions.n == 0)
        rd_fail(e, "%s: has no reaction; add one to `reactions`", rd_config_name(c));
    raw.is_external = rd_memory_need(calloc((size_t)raw.species.n + 1, sizeof *raw.is_external));
    const bool ok = e->n == before && rd_raw_network_finish(&raw, rd_config_name(c), n);
    rd_raw_network_free(&raw);
    e->wrong |= !ok;
    return ok;
}

/* Returns the bytes of a stream with a 0 behind, which the caller frees; NULL with a message. */
static char *read_stream(FILE *in, const char *name, struct rd_error *e)
{
    char *text = NULL;
    size_t length = 0;
    FILE *const out = open_memstream(&text, &length);
    char part[4096];
    for (size_t n; out && (n = fread(part, 1, sizeof part, in)) > 0;)
        fwrite(part, 1, n, out);
    const bool is_read = out && !ferror(in);
    const int reason = errno;
    if (out && fclose(out) == 0 && is_read && strlen(text) == length)
        return text;
    rd_fail(e, "%s: cannot be read: %s", name, is_read ? "it is not a text" : strerror(reason));
    free(text);
    return NULL;
}

/* Does the same for a file, or "-" for standard input. */
static char *read_network_file(const char *file, struct rd_error *e)
{
    if (strcmp(file, "-") == 0)
        return read_stream(stdin, RD_CONFIG_STDIN, e);
    const char *why = NULL;
    FILE *const in = rd_file_open_text(file, &why);
    char *text = NULL;
    if (in)
        text = read_stream(in, file, e);
    else
        rd_fail(e, "%s: cannot be read: %s; name another file", file, why);
    if (in)
        fclose(in);
    return text;
}

/* Returns whether a file can be read only once: standard input, or <(COMMAND) of a shell. */
static bool is_pipe(const char *file)
{
    struct stat s;
    return strcmp(file, "-") == 0 || (stat(file, &s) == 0 && !S_ISREG(s.st_mode));
}

/* Returns whether a line is a reaction of a network text: a colon and then an arrow, with no
   quotes, braces or = before them, which a configuration would have. */
static bool is_reaction(const char *line)
{
    bool is_reversible, has_colon = false;
    for (const char *at = line; *at && !strchr("\n\"{", *at); at++) {
        if (has_colon && rd_equation_arrow(at, &is_reversible) > 0)
            return true;
        if (!has_colon && *at == '=')
            return false;
        has_colon = has_colon || *at == ':';
    }
    return false;
}

/* Returns whether a text that is no model of another program is a network text: its name ends so,
   or its first line that is not a comment is a reaction. */
static bool is_network(const char *file, const char *text)
{
    const size_t length = strlen(file);
    if (length > 4 && strcmp(file + length - 4, ".net") == 0)
        return true;
    while (*text && (is_blank_in_line(*text) || *text == '\n' || *text == '#'))
        text += *text == '#' ? strcspn(text, "\n") : 1;
    return is_reaction(text);
}

/* Reads the text of a model of another program. */
static bool read_foreign(struct rd_network *n, const char *file, const char *text,
                         struct rd_error *notes, struct rd_error *e)
{
    char *const converted = rd_formats_network(file, text, strlen(text), notes, e);
    const bool ok = converted && rd_network_parse(n, file, converted, NULL, e);
    free(converted);
    return ok;
}

bool rd_network_read(struct rd_network *n, const char *file, rd_config **c, struct rd_error *notes,
                     struct rd_error *e)
{
    const char *const name = strcmp(file, "-") == 0 ? RD_CONFIG_STDIN : file;
    struct rd_error unread = {0};
    rd_config *config = NULL;
    *n = (struct rd_network){0};
    char *const text = read_network_file(file, is_network(file, "") ? e : &unread);
    bool ok = text || !is_network(file, "");
    if (text && rd_formats_is(text, strlen(text)))
        ok = read_foreign(n, name, text, notes, e);
    else if (text && is_network(file, text))
        ok = rd_network_parse(n, name, text, notes, e);
    else if (ok)
        ok = (text && is_pipe(file) ? rd_config_parse(&config, name, text, NULL, 0, e)
                                    : rd_config_read(&config, file, NULL, 0, e)) &&
             read_config(n, config, e);
    e->wrong |= !ok;
    rd_error_free(&unread);
    free(text);
    if (c)
        *c = config;
    else
        rd_config_free(config);
    return ok;
}

rd_config *rd_network_configuration(const char *file)
{
    struct rd_error ignored = {0};
    rd_config *c = NULL;
    const struct rd_set end = {.path = "time.end", .value = "1"};
    const bool ok = rd_config_read(&c, file, &end, 1, &ignored);
    rd_error_free(&ignored);
    if (ok)
        return c;
    rd_config_free(c);
    return NULL;
}

static void free_conversion(struct rd_conversion *x)
{
    free(x->name);
    rd_sparse_free(&x->left);
    rd_sparse_free(&x->right);
    rd_sparse_free(&x->net);
}

int64_t *rd_network_multiples(const struct rd_network *n)
{
    int64_t *const multiple = rd_memory_need(calloc((size_t)n->n_species + 1, sizeof *multiple));
    for (int r = 0; r < n->n_reactions; r++)
        for (int i = 0; i < n->reaction[r].net.n; i++) {
            const struct rd_entry *const x = &n->reaction[r].net.entry[i];
            multiple[x->at] = rd_sparse_gcd(multiple[x->at], x->value);
        }
    for (int i = 0; i < n->n_species; i++)
        if (multiple[i] > 1 && n->scale[i] != 1)
            multiple[i] = 1;
    return multiple;
}

/* Removes a reaction. */
static void remove_reaction(struct rd_network *n, int reaction)
{
    free_conversion(&n->reaction[reaction]);
    n->n_reactions--;
    memmove(&n->reaction[reaction], &n->reaction[reaction + 1],
            (size_t)(n->n_reactions - reaction) * sizeof *n->reaction);
}

static bool is_same_raw_side(const struct rd_sparse *a, const struct rd_sparse *b)
{
    for (int i = 0; i < a->n && a->n == b->n; i++)
        if (a->entry[i].at != b->entry[i].at || a->entry[i].value != b->entry[i].value)
            return false;
    return a->n == b->n;
}

void rd_network_join(struct rd_network *n)
{
    for (int i = 0; i < n->n_reactions; i++) {
        struct rd_conversion *const a = &n->reaction[i];
        for (int k = i + 1; k < n->n_reactions && !a->is_reversible; k++) {
            const struct rd_conversion *const b = &n->reaction[k];
            if (b->is_reversible || !is_same_raw_side(&a->left, &b->right) ||
                !is_same_raw_side(&a->right, &b->left))
                continue;
            a->is_reversible = true;
            char *const arrow = strstr(a->name, " -> ");
            if (arrow) { /* the name is the equation */
                char *const name = rd_memory_need(malloc(strlen(a->name) + 2));
                sprintf(name, "%.*s <%s", (int)(arrow - a->name), a->name, arrow + 1);
                free(a->name);
                a->name = name;
            }
            remove_reaction(n, k);
        }
    }
}

int rd_network_find(const struct rd_network *n, const char *reaction)
{
    for (int i = 0; i < n->n_reactions; i++)
        if (strcmp(n->reaction[i].name, reaction) == 0)
            return i;
    return -1;
}

void rd_network_free(struct rd_network *n)
{
    for (int i = 0; i < n->n_species && n->species; i++)
        free(n->species[i]);
    for (int i = 0; i < n->n_reactions && n->reaction; i++)
        free_conversion(&n->reaction[i]);
    free(n->species);
    free(n->is_external);
    free(n->scale);
    free(n->reaction);
    *n = (struct rd_network){0};
}
