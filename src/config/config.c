/* config - reads a configuration's text into a tree; the only file that includes libconfig. keys.c
   defines what the tree may hold; rules.c checks it. */
#include "config/config.h"
#include "base/file.h"
#include "config/filetype.h"
#include "config/keys.h"
#include "config/syntax.h"
#include "config/tree.h"

#include <errno.h>
#include <libconfig.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { MOST_BYTES = 64 << 20 };

struct rd_config {
    char *name, *text;
    config_t tree;                 /* the hook of each setting is its place, owned */
    const struct rd_section *keys; /* the keys that it may have */
};

/* ------------------------------------------------------------------------ reading the tree */

rd_node *rd_tree_root(rd_config *c)
{
    return config_root_setting(&c->tree);
}

const rd_node *rd_config_root(const rd_config *c)
{
    return config_root_setting(&c->tree);
}

rd_node *rd_tree_member(const rd_node *group, const char *name)
{
    return rd_node_is_group(group) ? config_setting_get_member(group, name) : NULL;
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
    return place ? place : c->name;
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

/* ----------------------------------------------------------------------- changing the tree */

static bool no_memory(struct rd_error *e)
{
    return rd_fail(e, "out of memory for the configuration");
}

static bool mark(config_setting_t *n, char *place, struct rd_error *e)
{
    config_setting_set_hook(n, place);
    return place || no_memory(e);
}

/* Adds a copy of `from`, with all its members, to parent under that name. */
static bool copy(config_setting_t *parent, const char *name, const config_setting_t *from,
                 const char *place, struct rd_error *e)
{
    config_setting_t *const to = config_setting_add(parent, name, config_setting_type(from));
    if (!to || !mark(to, rd_text_format("%s", place), e))
        return to ? false : no_memory(e);
    switch (config_setting_type(from)) {
    case CONFIG_TYPE_INT:
        return config_setting_set_int(to, config_setting_get_int(from)) == CONFIG_TRUE;
    case CONFIG_TYPE_INT64:
        return config_setting_set_int64(to, config_setting_get_int64(from)) == CONFIG_TRUE;
    case CONFIG_TYPE_FLOAT:
        return config_setting_set_float(to, config_setting_get_float(from)) == CONFIG_TRUE;
    case CONFIG_TYPE_BOOL:
        return config_setting_set_bool(to, config_setting_get_bool(from)) == CONFIG_TRUE;
    case CONFIG_TYPE_STRING:
        return config_setting_set_string(to, rd_node_text(from)) == CONFIG_TRUE;
    default:
        break;
    }
    for (int i = 0; i < rd_node_length(from); i++) {
        const config_setting_t *const child = rd_node_at(from, i);
        if (!copy(to, config_setting_name(child), child, place, e))
            return false;
    }
    return true;
}

/* Reads the tree of a text after its syntax is checked and its brackets are replaced. */
static enum rd_syntax read_tree(config_t *tree, char *text, const char *name, bool lines,
                                struct rd_error *e)
{
    const enum rd_syntax syntax = rd_syntax_check(text, name, lines, e);
    if (syntax != RD_SYNTAX_RIGHT || config_read_string(tree, text) == CONFIG_TRUE)
        return syntax;
    const char *const fact = config_error_text(tree) ? config_error_text(tree) : "syntax error";
    if (lines)
        rd_fail(e, "%s:%d: %s; give each key of a group once", name, config_error_line(tree), fact);
    else
        rd_fail(e, "%s: %s; give each key of a group once", name, fact);
    return RD_SYNTAX_FAULTS;
}

bool rd_tree_put_text(rd_node *group, const char *name, const char *text, const char *place,
                      struct rd_error *e)
{
    config_setting_remove(group, name);
    config_setting_t *const to = config_setting_add(group, name, CONFIG_TYPE_STRING);
    if (!to || config_setting_set_string(to, text) != CONFIG_TRUE)
        return no_memory(e);
    return mark(to, rd_text_format("%s", place), e);
}

bool rd_tree_put(rd_node *group, const char *name, const char *value, const char *place,
                 struct rd_error *e)
{
    char *const text = rd_text_format("value = %s\n", value);
    if (!text)
        return no_memory(e);
    config_t tree;
    config_init(&tree);
    struct rd_error fault = {0};
    const enum rd_syntax syntax = read_tree(&tree, text, place, false, &fault);
    const config_setting_t *const root = config_root_setting(&tree);
    bool put;
    if (syntax == RD_SYNTAX_BROKEN || (syntax == RD_SYNTAX_RIGHT && rd_node_length(root) != 1)) {
        put = rd_tree_put_text(group, name, value, place, e);
    } else if (syntax == RD_SYNTAX_FAULTS) {
        put = rd_fail(e, "%s", fault.text);
    } else {
        config_setting_remove(group, name);
        put = copy(group, name, rd_node_at(root, 0), place, e);
    }
    rd_error_free(&fault);
    config_destroy(&tree);
    free(text);
    return put;
}

/* ------------------------------------------------------------------------ reading the text */

static bool mark_lines(const rd_config *c, config_setting_t *n, struct rd_error *e)
{
    const int line = (int)config_setting_source_line(n);
    char *const place =
        line > 0 ? rd_text_format("%s:%d", c->name, line) : rd_text_format("%s", c->name);
    if (!mark(n, place, e))
        return false;
    for (int i = 0; i < rd_node_length(n); i++) {
        if (!mark_lines(c, rd_tree_at(n, i), e))
            return false;
    }
    return true;
}

/* Returns the text after the byte order mark that some editors put before UTF-8. */
static const char *after_mark(const char *text)
{
    static const char mark[] = "\xef\xbb\xbf";
    return text + (strncmp(text, mark, strlen(mark)) == 0 ? strlen(mark) : 0);
}

static bool read_text(rd_config *c, struct rd_error *e)
{
    /* libconfig reads a comment only up to a newline, so the last line needs one. */
    char *const text = rd_text_format("%s\n", after_mark(c->text));
    if (!text)
        return no_memory(e);
    const enum rd_syntax syntax = read_tree(&c->tree, text, c->name, true, e);
    free(text);
    return syntax == RD_SYNTAX_RIGHT && mark_lines(c, rd_tree_root(c), e);
}

static bool parse(rd_config *c, const struct rd_set *set, int n_set, struct rd_error *e)
{
    const char *const text = after_mark(c->text);
    if (strspn(text, " \t\r\n") == strlen(text))
        return rd_fail(e, "%s: is empty; give at least %s", c->name,
                       c->keys == &rd_keys_sweep ? "base and vary" : "grid, species and time");
    if (!read_text(c, e))
        return false;
    const bool set_right = rd_sets_apply(c, set, n_set, e);
    return rd_rules_check(c, c->keys, e) && set_right;
}

/* Makes a configuration of a text, and takes ownership of the text. */
static bool make(rd_config **made, const struct rd_section *keys, const char *name, char *text,
                 const struct rd_set *set, int n_set, struct rd_error *e)
{
    rd_config *const c = *made = calloc(1, sizeof *c);
    if (!c) {
        free(text);
        return no_memory(e);
    }
    config_init(&c->tree);
    config_set_destructor(&c->tree, free);
    c->name = rd_text_format("%s", name);
    c->text = text;
    c->keys = keys;
    return c->name && c->text ? parse(c, set, n_set, e) : no_memory(e);
}

bool rd_config_parse(rd_config **c, const char *name, const char *text, const struct rd_set *set,
                     int n_set, struct rd_error *e)
{
    const bool made = make(c, &rd_keys_root, name, rd_text_format("%s", text), set, n_set, e);
    e->wrong |= !made;
    return made;
}

/* Returns all bytes of the file and a zero byte, and their number; NULL with a message. noun: what
   the file should be. */
static char *load(FILE *file, const char *path, const char *noun, size_t *n, struct rd_error *e)
{
    size_t used = 0, capacity = 1 << 16;
    char *text = malloc(capacity);
    while (text) {
        used += fread(text + used, 1, capacity - used - 1, file);
        if (used + 1 < capacity || used > MOST_BYTES)
            break;
        char *const more = realloc(text, capacity *= 2);
        if (!more)
            free(text);
        text = more;
    }
    if (!text) {
        no_memory(e);
        return NULL;
    }
    text[*n = used] = 0;
    if (ferror(file))
        rd_fail(e, "%s: cannot be read: %s", path, strerror(errno));
    else if (used > MOST_BYTES)
        rd_fail(e, "%s: has more than %d MiB, so it is not a %s; name another file", path,
                MOST_BYTES >> 20, noun);
    else
        return text;
    free(text);
    return NULL;
}

/* Opens a file for reading. Standard input and <(COMMAND) of a shell may be pipes. Any other name
   must lead to a regular file, since reading a FIFO may never end. */
static FILE *open_text(const char *path, const char **why)
{
    if (strcmp(path, "/dev/stdin") != 0 && strncmp(path, "/dev/fd/", 8) != 0)
        return rd_file_open_stream(path, why);
    FILE *const file = fopen(path, "rb");
    if (!file)
        *why = strerror(errno);
    return file;
}

/* Returns the word for a file with these keys. */
static const char *noun_of(const struct rd_section *keys)
{
    return keys == &rd_keys_sweep ? "sweep" : "configuration";
}

/* Checks that n bytes are a text, and not a file of another format. */
static bool check_bytes(const char *bytes, size_t n, const char *path, const char *noun,
                        struct rd_error *e)
{
    const char *const type = rd_filetype_of(bytes, n), *const zero = memchr(bytes, 0, n);
    if (type)
        return rd_fail(e, "%s: is not a %s, but %s", path, noun, type);
    return !zero ||
           rd_fail(e, "%s: has a zero byte at %td, so it is not the text of a %s; name another file",
                   path, zero - bytes, noun);
}

/* Reports why the file cannot be opened. */
static bool refuse_file(const char *noun, const char *path, const char *why, struct rd_error *e)
{
    struct stat s;
    if (stat(path, &s) == 0 && S_ISDIR(s.st_mode))
        return rd_fail(e, "%s: is a folder, not a %s; name a file in it", path, noun);
    return rd_fail(e, "%s: cannot be opened: %s", path, why);
}

static char *load_file(const char *path, const char *noun, size_t *n, struct rd_error *e)
{
    if (strcmp(path, RD_CONFIG_STDIN) == 0)
        return load(stdin, path, noun, n, e);
    const char *why = NULL;
    FILE *const file = open_text(path, &why);
    char *const bytes = file ? load(file, path, noun, n, e) : NULL;
    if (!file)
        refuse_file(noun, path, why, e);
    else
        fclose(file);
    return bytes;
}

char *rd_config_load(const char *path, size_t *n, struct rd_error *e)
{
    char *const bytes = load_file(path, noun_of(&rd_keys_root), n, e);
    e->wrong |= !bytes;
    return bytes;
}

/* Makes a configuration of n bytes, and takes ownership of them. */
static bool make_of_bytes(rd_config **c, const struct rd_section *keys, const char *path,
                          char *bytes, size_t n, const struct rd_set *set, int n_set,
                          struct rd_error *e)
{
    *c = NULL;
    bool made = bytes && check_bytes(bytes, n, path, noun_of(keys), e);
    if (made)
        made = make(c, keys, path, bytes, set, n_set, e);
    else
        free(bytes);
    e->wrong |= !made;
    return made;
}

bool rd_config_read_loaded(rd_config **c, const char *path, char *bytes, size_t n,
                           const struct rd_set *set, int n_set, struct rd_error *e)
{
    return make_of_bytes(c, &rd_keys_root, path, bytes, n, set, n_set, e);
}

bool rd_config_read(rd_config **c, const char *path, const struct rd_set *set, int n_set,
                    struct rd_error *e)
{
    size_t n = 0;
    char *const bytes = rd_config_load(path, &n, e);
    return rd_config_read_loaded(c, path, bytes, n, set, n_set, e);
}

bool rd_config_read_stdin(rd_config **c, const struct rd_set *set, int n_set, struct rd_error *e)
{
    return rd_config_read(c, RD_CONFIG_STDIN, set, n_set, e);
}

bool rd_config_read_sweep(rd_config **c, const char *path, struct rd_error *e)
{
    size_t n = 0;
    char *const bytes = load_file(path, noun_of(&rd_keys_sweep), &n, e);
    return make_of_bytes(c, &rd_keys_sweep, path, bytes, n, NULL, 0, e);
}

void rd_config_free(rd_config *c)
{
    if (!c)
        return;
    config_destroy(&c->tree);
    free(c->name);
    free(c->text);
    free(c);
}

const char *rd_config_name(const rd_config *c)
{
    return c->name;
}

const char *rd_config_text(const rd_config *c)
{
    return c->text;
}
