/* source - reads the files of a configuration into trees. */
#include "config/source.h"

#include "base/file.h"
#include "base/text.h"
#include "config/filetype.h"
#include "formats/formats.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { MOST_BYTES = 256 << 20 };

bool rd_source_no_memory(struct rd_error *e)
{
    return rd_fail(e, "out of memory for the configuration");
}

/* ---- files ---- */

/* Returns the bytes of the stream, and in *n their number; of more than MOST_BYTES only the
   first. */
static char *read_bytes(FILE *file, const char *place, size_t *n, struct rd_error *e)
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
        rd_source_no_memory(e);
        return NULL;
    }
    text[ *n = used] = 0;
    if (!ferror(file))
        return text;
    rd_fail(e, "%s: cannot be read: %s", place, strerror(errno));
    free(text);
    return NULL;
}

/* Checks that n bytes are a text, and not a file of another format. */
static bool check_is_text(const char *bytes, size_t n, const char *place, const char *noun,
                          struct rd_error *e)
{
    const char *const zero = memchr(bytes, 0, n), *const type = rd_filetype_of(bytes, n);
    if (type)
        return rd_fail(e, "%s: is not a %s, but %s", place, noun, type);
    if (n > MOST_BYTES)
        return rd_fail(e, "%s: has more than %d MiB, so it is not a %s; name another file", place,
                       MOST_BYTES >> 20, noun);
    return !zero ||
           rd_fail(e,
                   "%s: has a zero byte at %td, so it is not the text of a %s; name another file",
                   place, zero - bytes, noun);
}

char *rd_source_load_stream(FILE *file, const char *path, const char *place, const char *noun,
                            struct rd_error *notes, struct rd_error *e)
{
    size_t n = 0;
    char *text = read_bytes(file, place, &n, e);
    const bool is_foreign = text && notes && n <= MOST_BYTES && rd_formats_is(text, n);
    char *const converted = is_foreign ? rd_formats_import(path, text, n, notes, e) : NULL;
    if (text && (is_foreign || !check_is_text(text, n, place, noun, e))) {
        free(text);
        text = converted;
    }
    return text;
}

char *rd_source_load(const char *path, const char *place, const char *noun, struct rd_error *notes,
                     struct rd_error *e)
{
    struct stat s;
    const char *why = NULL;
    FILE *const file = rd_file_open_text(path, &why);
    char *text = NULL;
    if (file)
        text = rd_source_load_stream(file, path, place, noun, notes, e);
    else if (stat(path, &s) == 0 && S_ISDIR(s.st_mode))
        rd_fail(e, "%s: is a folder, not a %s; name a file in it", place, noun);
    else
        rd_fail(e, "%s: cannot be opened: %s; name another file", place, why);
    if (file)
        fclose(file);
    return text;
}

/* ---- trees ---- */

struct rd_source *rd_source_make(const char *name, char *text, struct rd_error *e)
{
    struct rd_source *const s = calloc(1, sizeof *s);
    char *const copy = rd_text_format("%s", name);
    if (!s || !copy || !text) {
        free(s);
        free(copy);
        free(text);
        rd_source_no_memory(e);
        return NULL;
    }
    s->file = (struct rd_config_file){.name = copy, .text = text};
    config_init(&s->tree);
    config_set_destructor(&s->tree, free);
    return s;
}

void rd_source_free(struct rd_source *s)
{
    if (!s)
        return;
    config_destroy(&s->tree);
    free((char *)s->file.name);
    free((char *)s->file.text);
    free(s->below);
    free(s);
}

bool rd_source_mark(rd_node *n, char *place, struct rd_error *e)
{
    config_setting_set_hook(n, place);
    return place || rd_source_no_memory(e);
}

bool rd_source_copy(rd_node *parent, const char *name, const rd_node *from, const char *place,
                    struct rd_error *e)
{
    const char *const here = place ? place : config_setting_get_hook(from);
    config_setting_t *const to = config_setting_add(parent, name, config_setting_type(from));
    if (!to || !rd_source_mark(to, rd_text_format("%s", here ? here : ""), e))
        return to ? false : rd_source_no_memory(e);
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
        if (!rd_source_copy(to, config_setting_name(child), child, place, e))
            return false;
    }
    return true;
}

enum rd_syntax rd_source_tree(config_t *tree, char *text, const char *name, bool lines,
                              struct rd_error *e)
{
    const enum rd_syntax syntax = rd_syntax_check(text, name, lines, e);
    if (syntax != RD_SYNTAX_RIGHT || config_read_string(tree, text) == CONFIG_TRUE)
        return syntax;
    const char *const fact = config_error_text(tree) ? config_error_text(tree) : "syntax error";
    if (lines)
        rd_fail(e, "%s:%d: %s", name, config_error_line(tree), fact);
    else
        rd_fail(e, "%s: %s", name, fact);
    return RD_SYNTAX_FAULTS;
}

static bool mark_lines(const char *name, config_setting_t *n, struct rd_error *e)
{
    const int line = (int)config_setting_source_line(n);
    char *const place = line > 0 ? rd_text_format("%s:%d", name, line) : rd_text_format("%s", name);
    if (!rd_source_mark(n, place, e))
        return false;
    for (int i = 0; i < config_setting_length(n); i++) {
        if (!mark_lines(name, config_setting_get_elem(n, (unsigned)i), e))
            return false;
    }
    return true;
}

bool rd_source_is_empty(const struct rd_source *s)
{
    const char *const text = rd_text_after_mark(s->file.text);
    return strspn(text, " \t\r\n") == strlen(text);
}

bool rd_source_is_converted(const struct rd_source *s)
{
    return strncmp(s->file.text, RD_FORMATS_OPENING, strlen(RD_FORMATS_OPENING)) == 0;
}

/* Returns the name for lines of the source, which the caller frees. If the file is a model of
   another program, they are lines of what `rdsim import` prints: its first line names the model,
   while a configuration that was stored has a name of its own. */
static char *name_of_lines(const struct rd_source *s)
{
    const char *const slash = strrchr(s->file.name, '/');
    const char *const base = slash ? slash + 1 : s->file.name;
    const size_t opening = strlen(RD_FORMATS_OPENING), n = strlen(base);
    const bool is_model = rd_source_is_converted(s) &&
                          strncmp(s->file.text + opening, base, n) == 0 &&
                          strncmp(s->file.text + opening + n, " (", 2) == 0;
    return rd_text_format("%s%s", s->file.name, is_model ? " (converted)" : "");
}

bool rd_source_parse(struct rd_source *s, struct rd_error *e)
{
    char *const name = name_of_lines(s);

    /* libconfig reads a comment only up to a newline, so the last line needs one. */
    char *const text = rd_text_format("%s\n", rd_text_after_mark(s->file.text));
    const bool good = text && name
                          ? rd_source_tree(&s->tree, text, name, true, e) == RD_SYNTAX_RIGHT &&
                                mark_lines(name, config_root_setting(&s->tree), e)
                          : rd_source_no_memory(e);
    free(text);
    free(name);
    return good;
}

/* ---- lists of sources ---- */

bool rd_sources_add(struct rd_sources *all, struct rd_source *s, struct rd_error *e)
{
    const size_t n = (size_t)all->n + 1;
    struct rd_source **const source = realloc(all->source, n * sizeof *source);
    if (source)
        all->source = source;
    struct rd_config_file *const file = realloc(all->file, n * sizeof *file);
    if (file)
        all->file = file;
    if (!source || !file) {
        rd_source_free(s);
        return rd_source_no_memory(e);
    }
    all->source[all->n] = s;
    all->file[all->n++] = s->file;
    return true;
}

void rd_sources_free(struct rd_sources *all)
{
    for (int i = 0; i < all->n; i++)
        rd_source_free(all->source[i]);
    free(all->source);
    free(all->file);
    rd_error_free(&all->notes);
    *all = (struct rd_sources){0};
}
