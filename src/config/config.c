/* config - reads a configuration into a tree, and gives access to it. source.c, include.c and
   merge.c make the tree; keys.c defines what it may hold; rules.c checks it. */
#include "config/config.h"
#include "config/keys.h"
#include "config/source.h"
#include "config/tree.h"
#include "formats/formats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct rd_config {
    struct rd_sources files;       /* the last one is the configuration itself */
    config_t merged;               /* of several files; the hook of each setting is its place */
    const struct rd_section *keys; /* the keys that it may have */
};

/* Returns the tree of the only file, or of all. */
static const config_t *tree_of(const rd_config *c)
{
    return c->files.n == 1 ? &c->files.source[0]->tree : &c->merged;
}

/* ---- reading the tree ---- */

rd_node *rd_tree_root(rd_config *c)
{
    return config_root_setting(tree_of(c));
}

const rd_node *rd_config_root(const rd_config *c)
{
    return config_root_setting(tree_of(c));
}

rd_node *rd_tree_member(const rd_node *group, const char *name)
{
    const int n = rd_node_is_group(group) ? config_setting_length(group) : 0;
    for (int i = 0; i < n; i++) {
        rd_node *const member = config_setting_get_elem(group, (unsigned)i);
        if (strcmp(config_setting_name(member), name) == 0)
            return member;
    }
    return NULL;
}

const rd_node *rd_node_member(const rd_node *group, const char *name)
{
    return rd_tree_member(group, name);
}

rd_node *rd_tree_at(const rd_node *list, int i)
{
    return i >= 0 && i < rd_node_length(list) ? config_setting_get_elem(list, (unsigned)i) : NULL;
}

const rd_node *rd_node_at(const rd_node *list, int i)
{
    return rd_tree_at(list, i);
}

int rd_node_length(const rd_node *n)
{
    return rd_node_is_group(n) || rd_node_is_list(n) ? config_setting_length(n) : 0;
}

const char *rd_node_name(const rd_node *n)
{
    return n ? config_setting_name(n) : NULL;
}

bool rd_node_is_group(const rd_node *n)
{
    return n && config_setting_is_group(n);
}

bool rd_node_is_list(const rd_node *n)
{
    return n && (config_setting_is_list(n) || config_setting_is_array(n));
}

bool rd_node_is_text(const rd_node *n)
{
    return n && config_setting_type(n) == CONFIG_TYPE_STRING;
}

bool rd_node_is_number(const rd_node *n)
{
    return n && config_setting_is_number(n);
}

double rd_node_number(const rd_node *n)
{
    switch (n ? config_setting_type(n) : CONFIG_TYPE_NONE) {
    case CONFIG_TYPE_INT:
        return config_setting_get_int(n);
    case CONFIG_TYPE_INT64:
        return (double)config_setting_get_int64(n);
    case CONFIG_TYPE_FLOAT:
        return config_setting_get_float(n);
    default:
        return 0;
    }
}

int64_t rd_node_integer(const rd_node *n)
{
    if (n && config_setting_type(n) == CONFIG_TYPE_INT64)
        return config_setting_get_int64(n);
    const double v = rd_node_number(n);
    return fabs(v) < 0x1p63 ? (int64_t)v : 0;
}

bool rd_node_bool(const rd_node *n)
{
    return n && config_setting_type(n) == CONFIG_TYPE_BOOL && config_setting_get_bool(n);
}

const char *rd_node_text(const rd_node *n)
{
    if (!rd_node_is_text(n))
        return NULL;
    const char *const text = config_setting_get_string(n);
    return text ? text : ""; /* libconfig 1.5 stores an empty one as NULL */
}

const char *rd_node_place(const rd_config *c, const rd_node *n)
{
    const char *const place = n ? config_setting_get_hook(n) : NULL;
    return place ? place : rd_config_name(c);
}

void rd_tree_path(const rd_node *n, char *path, size_t bytes)
{
    *path = 0;
    if (!n || config_setting_is_root(n))
        return;
    rd_tree_path(config_setting_parent(n), path, bytes);
    const size_t used = strlen(path);
    if (rd_node_name(n))
        snprintf(path + used, bytes - used, "%s%s", used ? "." : "", rd_node_name(n));
    else
        snprintf(path + used, bytes - used, "[%d]", config_setting_index(n));
}

/* Returns the key of the table that the node, or an element of it, is the value of; or NULL. */
static const struct rd_key *key_of_node(const rd_node *n)
{
    const rd_node *const parent = n ? config_setting_parent(n) : NULL;
    if (!parent)
        return NULL;
    if (config_setting_is_root(parent))
        return rd_key_find(&rd_keys_root, rd_node_name(n));
    const struct rd_key *const k = key_of_node(parent);
    if (rd_node_is_list(parent) || !k)
        return k;
    return k->inside ? rd_key_find(k->inside, rd_node_name(n)) : NULL;
}

const char *rd_node_unit(const rd_node *n)
{
    const struct rd_key *const k = key_of_node(n);
    return k ? k->unit : NULL;
}

struct rd_units rd_config_units(const rd_config *c)
{
    const rd_node *const units = rd_node_member(rd_config_root(c), "units");
    const char *const length = rd_node_text(rd_node_member(units, "length"));
    const char *const time = rd_node_text(rd_node_member(units, "time"));
    return rd_units_of(length ? length : "", time ? time : "");
}

/* ---- changing the tree ---- */

bool rd_tree_put_text(rd_node *group, const char *name, const char *text, const char *place,
                      struct rd_error *e)
{
    config_setting_remove(group, name);
    config_setting_t *const to = config_setting_add(group, name, CONFIG_TYPE_STRING);
    if (!to || config_setting_set_string(to, text) != CONFIG_TRUE)
        return rd_source_no_memory(e);
    return rd_source_mark(to, rd_text_format("%s", place), e);
}

bool rd_tree_put(rd_node *group, const char *name, const char *value, const char *place,
                 struct rd_error *e)
{
    char *const text = rd_text_format("value = %s\n", value);
    if (!text)
        return rd_source_no_memory(e);
    config_t tree;
    config_init(&tree);
    struct rd_error fault = {0};
    const enum rd_syntax syntax = rd_source_tree(&tree, text, place, false, &fault);
    const config_setting_t *const root = config_root_setting(&tree);
    bool put;
    if (syntax == RD_SYNTAX_BROKEN || (syntax == RD_SYNTAX_RIGHT && rd_node_length(root) != 1)) {
        put = rd_tree_put_text(group, name, value, place, e);
    } else if (syntax == RD_SYNTAX_FAULTS) {
        put = rd_fail(e, "%s", fault.text);
    } else {
        config_setting_remove(group, name);
        put = rd_source_copy(group, name, rd_node_at(root, 0), place, e);
    }
    rd_error_free(&fault);
    config_destroy(&tree);
    free(text);
    return put;
}

/* ---- reading the text ---- */

/* Makes the tree of the file and of all that it includes. */
static bool read_trees(rd_config *c, struct rd_source *s, struct rd_error *e)
{
    if (c->keys != &rd_keys_root)
        return rd_sources_add(&c->files, s, e) && rd_source_parse(s, e);
    if (!rd_sources_include(&c->files, s, e))
        return false;
    return c->files.n == 1 || rd_sources_merge(&c->files, c->keys, &c->merged, e);
}

/* Refuses an `include` that --set gives, since files are read before values are set. */
static bool check_include(const rd_config *c, struct rd_error *e)
{
    const rd_node *const n = rd_node_member(rd_config_root(c), "include");
    return !n || rd_fail(e, "%s: include cannot be set; write it in the file", rd_node_place(c, n));
}

static bool parse(rd_config *c, struct rd_source *s, const struct rd_set *set, int n_set,
                  struct rd_error *e)
{
    if (rd_source_is_empty(s)) {
        rd_fail(e, "%s: is empty; give at least %s", s->file.name,
                c->keys == &rd_keys_sweep  ? "base and vary"
                : c->keys == &rd_keys_root ? "grid, species and time"
                                           : "edits");
        rd_source_free(s);
        return false;
    }
    if (!read_trees(c, s, e))
        return false;
    config_setting_remove(rd_tree_root(c), "include");
    const bool set_right = rd_sets_apply(c, set, n_set, e) && check_include(c, e);
    if (rd_source_is_converted(s) && !rd_node_member(rd_config_root(c), "time"))
        return rd_fail(e,
                       "%s: has no end of the simulation, since a model of another program says "
                       "none; add time = { end = 50; }, or --set time.end=50",
                       s->file.name);
    return rd_rules_check(c, c->keys, e) && set_right;
}

/* Makes a configuration of a text, and takes ownership of the text and the notes on it. The text is
   NULL if it could not be read, which is reported, or without memory. */
static bool make_config(rd_config **made, const struct rd_section *keys, const char *name,
                        char *text, struct rd_error *notes, const struct rd_set *set, int n_set,
                        struct rd_error *e)
{
    struct rd_source *const s = text ? rd_source_make(name, text, e) : NULL;
    rd_config *const c = *made = s ? calloc(1, sizeof *c) : NULL;
    if (!c) {
        rd_source_free(s);
        rd_error_free(notes);
        return s || e->n == 0 ? rd_source_no_memory(e) : false;
    }
    c->files.notes = *notes;
    config_init(&c->merged);
    config_set_destructor(&c->merged, free);
    c->keys = keys;
    return parse(c, s, set, n_set, e);
}

bool rd_config_parse(rd_config **c, const char *name, const char *text, const struct rd_set *set,
                     int n_set, struct rd_error *e)
{
    struct rd_error notes = {0};
    const size_t n = strlen(text);
    *c = NULL;
    char *const copy = rd_formats_is(text, n) ? rd_formats_import(name, text, n, &notes, e)
                                              : rd_text_format("%s", text);
    const bool made = make_config(c, &rd_keys_root, name, copy, &notes, set, n_set, e);
    e->wrong |= !made;
    return made;
}

bool rd_config_parse_journal(rd_config **c, const char *name, const char *text, struct rd_error *e)
{
    struct rd_error notes = {0};
    return make_config(c, &rd_keys_journal, name, rd_text_format("%s", text), &notes, NULL, 0, e);
}

bool rd_config_read_stdin(rd_config **c, const struct rd_set *set, int n_set, struct rd_error *e)
{
    static const char name[] = RD_CONFIG_STDIN;
    struct rd_error notes = {0};
    *c = NULL;
    char *const text = rd_source_load_stream(stdin, name, name, "configuration", &notes, e);
    const bool made = make_config(c, &rd_keys_root, name, text, &notes, set, n_set, e);
    e->wrong |= !made;
    return made;
}

bool rd_config_read(rd_config **c, const char *path, const struct rd_set *set, int n_set,
                    struct rd_error *e)
{
    struct rd_error notes = {0};
    *c = NULL;
    char *const text = rd_source_load(path, path, "configuration", &notes, e);
    const bool made = make_config(c, &rd_keys_root, path, text, &notes, set, n_set, e);
    e->wrong |= !made;
    return made;
}

bool rd_config_read_sweep(rd_config **c, const char *path, struct rd_error *e)
{
    struct rd_error notes = {0};
    *c = NULL;
    char *const text = rd_source_load(path, path, "sweep", NULL, e);
    const bool made = make_config(c, &rd_keys_sweep, path, text, &notes, NULL, 0, e);
    e->wrong |= !made;
    return made;
}

char *rd_config_converted(const char *path, struct rd_error *notes, struct rd_error *e)
{
    static const char noun[] = "model of another program";
    const bool is_stdin = strcmp(path, RD_CONFIG_STDIN) == 0;
    char *text = is_stdin ? rd_source_load_stream(stdin, path, path, noun, notes, e)
                          : rd_source_load(path, path, noun, notes, e);
    if (text && strncmp(text, RD_FORMATS_OPENING, strlen(RD_FORMATS_OPENING)) != 0) {
        rd_fail(
            e, "%s: is not a %s that can be converted; name an SBML file or a network of BioNetGen",
            path, noun);
        free(text);
        text = NULL;
    }
    e->wrong |= !text;
    return text;
}

const struct rd_error *rd_config_notes(const rd_config *c)
{
    return &c->files.notes;
}

void rd_config_free(rd_config *c)
{
    if (!c)
        return;
    rd_sources_free(&c->files);
    config_destroy(&c->merged);
    free(c);
}

const char *rd_config_name(const rd_config *c)
{
    return c->files.file[c->files.n - 1].name;
}

const char *rd_config_text(const rd_config *c)
{
    return c->files.file[c->files.n - 1].text;
}

int rd_config_files(const rd_config *c, const struct rd_config_file **file)
{
    *file = c->files.file;
    return c->files.n;
}
