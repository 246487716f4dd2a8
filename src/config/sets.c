/* sets - finds the node that the path of a --set names, and puts the value there. */
#include "config/keys.h"
#include "config/syntax.h"
#include "config/tree.h"

#include <stdlib.h>
#include <string.h>

enum { NAME_BYTES = 64, PATH_BYTES = 256 };

/* Holds the state of one --set while its path is followed. */
struct key_search {
    const struct rd_set *set;
    const char *place; /* "--set path=value" */
    const char *rest;  /* the part of the path that is not yet read */
    rd_node *node;     /* the node reached so far */
    struct rd_error *e;
};

static bool read_path_name(struct key_search *s, char name[NAME_BYTES])
{
    const size_t length = strspn(s->rest, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                          "0123456789_");
    if (length == 0 || length >= NAME_BYTES)
        return rd_fail(s->e,
                       "%s: '%s' does not begin with a name; write a path as in parameters.k, "
                       "species.A.diffusion or reactions[0].rate",
                       s->place, s->rest);
    memcpy(name, s->rest, length);
    name[length] = 0;
    s->rest += length;
    return true;
}

static bool take_character(struct key_search *s, char c)
{
    s->rest += *s->rest == c;
    return s->rest > s->set->path && s->rest[-1] == c;
}

/* Puts a text. It needs no quotes here, even if it looks like a number. */
static bool set_text(const struct key_search *s, const char *name)
{
    return rd_syntax_is_text(s->set->value, s->place, s->e) &&
           rd_tree_put_text(s->node, name, s->set->value, s->place, s->e);
}

static bool put_name(const struct key_search *s, const char *name)
{
    return rd_tree_put(s->node, name, s->set->value, s->place, s->e);
}

/* Reports that the node has no element of that name, and suggests one; returns false. */
static bool absent(const struct key_search *s, const char *name,
                   const char *(*name_of)(const void *list, int i))
{
    char path[PATH_BYTES];
    rd_tree_path(s->node, path, sizeof path);
    const char *const in = *path ? " in " : "";
    const char *const near = rd_text_nearest(name, rd_node_length(s->node), name_of, s->node);
    if (near)
        return rd_fail(s->e, "%s: the configuration has no '%s'%s%s; did you mean '%s'?", s->place,
                       name, in, path, near);
    return rd_fail(s->e,
                   "%s: the configuration has no '%s'%s%s; add it to the file, since a setting "
                   "only changes values",
                   s->place, name, in, path);
}

static const char *member_name(const void *group, int i)
{
    return rd_node_name(rd_node_at(group, i));
}

static const char *element_name(const void *list, int i)
{
    return rd_node_text(rd_node_member(rd_node_at(list, i), "name"));
}

/* Moves from a list to the element [i]. */
static bool to_number(struct key_search *s)
{
    char *end;
    const long i = strtol(s->rest, &end, 10);
    const int n = rd_node_length(s->node);
    if (*end != ']' || i < 0 || i >= n) {
        char path[PATH_BYTES];
        rd_tree_path(s->node, path, sizeof path);
        if (!strchr(s->rest, ']'))
            return rd_fail(s->e, "%s: %s[ has no ']'; write a path as in %s[0]", s->place, path,
                           path);
        return rd_fail(
            s->e, "%s: %s has no element [%.*s]; choose one of its %d elements, counted from [0]",
            s->place, path, (int)strcspn(s->rest, "].="), s->rest, n);
    }
    s->rest = end + 1;
    s->node = rd_tree_at(s->node, (int)i);
    return true;
}

/* Moves from a list to the element with that name, which is no number. */
static bool to_named(struct key_search *s)
{
    char name[NAME_BYTES];
    if (!read_path_name(s, name))
        return false;
    for (int i = 0; i < rd_node_length(s->node); i++) {
        const char *const known = element_name(s->node, i);
        if (known && strcmp(known, name) == 0) {
            s->node = rd_tree_at(s->node, i);
            return true;
        }
    }
    if (name[0] >= '0' && name[0] <= '9') {
        char path[PATH_BYTES];
        rd_tree_path(s->node, path, sizeof path);
        return rd_fail(s->e, "%s: '%s' is no name; write %s[%s]", s->place, name, path, name);
    }
    return absent(s, name, element_name);
}

static bool to_member(struct key_search *s, const char *name)
{
    rd_node *const member = rd_tree_member(s->node, name);
    if (!member)
        return absent(s, name, member_name);
    s->node = member;
    return true;
}

static bool set_name(struct key_search *s)
{
    char name[NAME_BYTES];
    if (!read_path_name(s, name))
        return false;
    if (*s->rest)
        return rd_fail(s->e, "%s: '%s' is a number; leave out '%s'", s->place, name, s->rest);
    return rd_tree_member(s->node, name) ? put_name(s, name) : absent(s, name, member_name);
}

/* Moves to the group of any name, and behind the point after it. */
static bool to_group(struct key_search *s)
{
    char name[NAME_BYTES];
    return read_path_name(s, name) && to_member(s, name) &&
           (take_character(s, '.') ||
            rd_fail(s->e, "%s: '%s' has no key after it; add '.' and a key", s->place, name));
}

/* Makes a group that is absent from the file, if it is no list. */
static bool make_group(const struct key_search *s, const struct rd_key *k)
{
    const bool once = k->kind == RD_KEY_GROUP || k->kind == RD_KEY_CHOICE ||
                      (k->kind == RD_KEY_LISTABLE && k->standard);
    return !once || rd_tree_member(s->node, k->name) ||
           rd_tree_put(s->node, k->name, "{}", s->place, s->e);
}

/* Moves behind the [0] or the name of a group that is alone, as if it were in a list. */
static void take_itself(struct key_search *s)
{
    static const char first[] = "[0]";
    const char *const name = rd_node_text(rd_node_member(s->node, "name"));
    const size_t n = name ? strlen(name) : 0;
    if (strncmp(s->rest, first, strlen(first)) == 0)
        s->rest += strlen(first);
    else if (n > 0 && s->rest[0] == '.' && strncmp(s->rest + 1, name, n) == 0 &&
             s->rest[n + 1] == '.')
        s->rest += n + 1;
}

/* Moves from a list to the group that a path names, or, for a key that only one group has, to that
   group. */
static bool to_element(struct key_search *s, const struct rd_section *section)
{
    if (take_character(s, '['))
        return to_number(s);
    const struct rd_key *const k = *s->rest == '.' ? rd_key_find(section, s->rest + 1) : NULL;
    if (k && k->once && rd_node_length(s->node) > 0) {
        s->node = rd_tree_holder(s->node, k->name);
        return true;
    }
    return take_character(s, '.') && to_named(s);
}

static bool set_key(struct key_search *s, const struct rd_section *section);

/* Follows the path behind the name of key k, whose value is the node. */
static bool set_inside(struct key_search *s, const struct rd_key *k)
{
    if (rd_node_is_list(s->node)) {
        if (!to_element(s, k->inside))
            return false;
    } else if (k->kind == RD_KEY_LISTABLE) {
        take_itself(s);
    }
    if (!take_character(s, '.'))
        return rd_fail(s->e, "%s: '%.*s' has no key after it; add '.' and a key", s->place,
                       (int)(s->rest - s->set->path), s->set->path);
    if (k->kind == RD_KEY_GROUPS && !to_group(s))
        return false;
    return k->kind == RD_KEY_NAMES ? set_name(s) : set_key(s, k->inside);
}

/* Returns whether the configuration has a parameter of that name. The node is the root. */
static bool has_parameter(const struct key_search *s, const char *name)
{
    const rd_node *const parameters = rd_tree_member(s->node, "parameters");
    return parameters && rd_node_is_group(parameters) && rd_tree_member(parameters, name);
}

/* Returns the name of the first list that has an element of that name; NULL if there is none. The
   node is the root. */
static const char *list_with(const struct key_search *s, const char *name)
{
    for (int i = 0; i < rd_node_length(s->node); i++) {
        const rd_node *const list = rd_node_at(s->node, i);
        for (int k = 0; rd_node_is_list(list) && k < rd_node_length(list); k++) {
            const rd_node *const group = rd_node_at(list, k);
            const char *const known = rd_node_is_group(group) ? element_name(list, k) : NULL;
            if (known && strcmp(known, name) == 0)
                return rd_node_name(list);
        }
    }
    return NULL;
}

/* Reports a path that begins with what is no key of the configuration. */
static bool unknown_start(const struct key_search *s, const char *name)
{
    const char *const list = list_with(s, name);
    if (!*s->rest && has_parameter(s, name))
        return rd_fail(s->e, "%s: '%s' is a parameter; write parameters.%s", s->place, name, name);
    if (list)
        return rd_fail(s->e, "%s: '%s' is one of %s; write %s.%s%s", s->place, name, list, list,
                       name, *s->rest ? s->rest : ".KEY");
    return rd_key_unknown(&rd_keys_root, name, rd_keys_root.title, s->place, s->e);
}

/* Follows the path through a group of the section's keys. */
static bool set_key(struct key_search *s, const struct rd_section *section)
{
    char name[NAME_BYTES], path[PATH_BYTES];
    rd_tree_path(s->node, path, sizeof path);
    if (!rd_node_is_group(s->node))
        return rd_fail(s->e, "%s: %s is not a group in the configuration; make it one there",
                       s->place, path);
    if (!read_path_name(s, name))
        return false;
    const struct rd_key *const k = rd_key_find(section, name);
    if (!k && !*path)
        return unknown_start(s, name);
    if (!k)
        return rd_key_unknown(section, name, path, s->place, s->e);
    if (!*s->rest)
        return k->kind == RD_KEY_TEXT && *s->set->value != '"' ? set_text(s, name)
                                                               : put_name(s, name);
    if (!k->inside && k->kind != RD_KEY_NAMES)
        return rd_fail(s->e, "%s: '%s' has no parts; set all of it", s->place, name);
    return make_group(s, k) && to_member(s, name) && set_inside(s, k);
}

bool rd_sets_apply(rd_config *c, const struct rd_set *set, int n_set, struct rd_error *e)
{
    const int before = e->n;
    for (int i = 0; i < n_set; i++) {
        char *const place = set[i].place ? rd_text_format("%s", set[i].place)
                                         : rd_text_format("--set %s=%s", set[i].path, set[i].value);
        if (!place)
            return rd_fail(e, "out of memory for --set %s", set[i].path);
        struct key_search s = {
            .set = &set[i], .place = place, .rest = set[i].path, .node = rd_tree_root(c), .e = e};
        set_key(&s, &rd_keys_root);
        free(place);
    }
    return e->n == before;
}
