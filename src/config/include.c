/* include - reads the files that a configuration includes. */
#include "config/source.h"

#include "base/file.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_DEPTH = 8 };

/* Describes a file that is being read, and the one that includes it. */
struct include_chain {
    const struct include_chain *above; /* NULL: it is the configuration itself */
    struct rd_source *source;
    int depth; /* number of files above */
};

/* Returns the path of a file that `by` includes: it counts from the folder of that file, or if it
   has none (standard input) from the working folder. */
static char *path_from(const char *by, const char *name)
{
    const bool is_pipe = strcmp(by, RD_CONFIG_STDIN) == 0 || strncmp(by, "/dev/", 5) == 0;
    const char *const slash = is_pipe || *name == '/' ? NULL : strrchr(by, '/');
    return rd_text_format("%.*s%s", slash ? (int)(slash + 1 - by) : 0, by, name);
}

/* Reports that a file includes itself, with the files between. */
static bool refuse_circle(const struct include_chain *c, const char *path, const char *place,
                          struct rd_error *e)
{
    char *files = rd_text_format("%s", path);
    for (bool is_end = false; files && !is_end; c = c->above) {
        is_end = !c->above || rd_file_is_same(c->source->file.name, path);
        char *const longer = rd_text_format("%s, %s", c->source->file.name, files);
        free(files);
        files = longer;
    }
    rd_fail(e, "%s: include: these files include each other: %s; remove one include of them", place,
            files ? files : path);
    free(files);
    return false;
}

/* Returns the number of the source that was read from this file; -1: none. */
static int find_source(const struct rd_sources *all, const char *path)
{
    for (int i = 0; i < all->n; i++)
        if (rd_file_is_same(all->file[i].name, path))
            return i;
    return -1;
}

static bool read_with_included(struct rd_sources *all, const struct include_chain *c,
                               struct rd_error *e);

/* Reads a new file and what it includes. Returns its number, or -1 with a message. */
static int read_included_file(struct rd_sources *all, const struct include_chain *above,
                              const char *path, const char *place, struct rd_error *e)
{
    char *const named = rd_text_format("%s: include: %s", place, path);
    char *const text = named ? rd_source_load(path, named, "configuration", &all->notes, e) : NULL;
    free(named);
    struct rd_source *const s = text ? rd_source_make(path, text, e) : NULL;
    const struct include_chain c = {.above = above, .source = s, .depth = above->depth + 1};
    return s && read_with_included(all, &c, e) ? all->n - 1 : -1;
}

/* Checks that the files above do not include one another, and are not too many. */
static bool check_chain(const struct include_chain *c, const char *path, const char *place,
                        struct rd_error *e)
{
    for (const struct include_chain *k = c; k; k = k->above)
        if (rd_file_is_same(k->source->file.name, path))
            return refuse_circle(c, path, place, e);
    return c->depth < MOST_DEPTH ||
           rd_fail(e,
                   "%s: include: %s is file %d in a row of files that each include the next; use "
                   "at most %d",
                   place, path, MOST_DEPTH + 1, MOST_DEPTH);
}

/* Returns the number of the source that an entry of `include` names, and reads it if it is new; -1
   with a message. */
static int include(struct rd_sources *all, const struct include_chain *c, const rd_node *name,
                   struct rd_error *e)
{
    const char *const place = config_setting_get_hook(name);
    char *const path = path_from(c->source->file.name, rd_node_text(name));
    int i = -1;
    if (!path)
        rd_source_no_memory(e);
    else if (check_chain(c, path, place, e) && (i = find_source(all, path)) < 0)
        i = read_included_file(all, c, path, place, e);
    free(path);
    return i;
}

static bool names_file(const rd_node *n)
{
    return rd_node_is_text(n) && *rd_node_text(n);
}

/* Returns whether `include` is a text, or a list of texts; reports that it is not. */
static bool is_include_valid(const rd_node *n, struct rd_error *e)
{
    bool right = names_file(n) || rd_node_is_list(n);
    for (int i = 0; i < rd_node_length(n); i++)
        right = right && names_file(rd_node_at(n, i));
    return right || rd_fail(e, "%s: include names no file; give a \"file\", or a list of files",
                            (const char *)config_setting_get_hook(n));
}

/* Notes the sources that are included, and those that they include. */
static bool note_included(const struct rd_sources *all, struct rd_source *s, const int *included,
                          int n, struct rd_error *e)
{
    s->below = calloc((size_t)all->n + 1, sizeof *s->below);
    if (!s->below)
        return rd_source_no_memory(e);
    for (int i = 0; i < n; i++) {
        s->below[included[i]] = true;
        for (int k = 0; k < included[i]; k++)
            s->below[k] |= all->source[included[i]]->below[k];
    }
    return true;
}

/* Reads the text of a source and what it includes, and appends it. */
static bool read_with_included(struct rd_sources *all, const struct include_chain *c,
                               struct rd_error *e)
{
    struct rd_source *const s = c->source;
    bool good = rd_source_parse(s, e);
    const rd_node *const names =
        good ? rd_node_member(config_root_setting(&s->tree), "include") : NULL;
    good = good && (!names || is_include_valid(names, e));
    const int n = !good || !names ? 0 : rd_node_is_list(names) ? rd_node_length(names) : 1;
    int *const included = calloc((size_t)n + 1, sizeof *included);
    for (int i = 0; included && i < n; i++) {
        included[i] = include(all, c, rd_node_is_list(names) ? rd_node_at(names, i) : names, e);
        good = good && included[i] >= 0;
    }
    good = included ? good && note_included(all, s, included, n, e) : rd_source_no_memory(e);
    free(included);
    return rd_sources_add(all, s, e) && good;
}

bool rd_sources_include(struct rd_sources *all, struct rd_source *s, struct rd_error *e)
{
    const struct include_chain c = {.source = s};
    return read_with_included(all, &c, e);
}
