/* rules - checks a configuration's tree against the table of keys: unknown and missing keys, kinds
   and ranges. It also puts in the defaults. */
#include "config/keys.h"
#include "config/tree.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PATH_BYTES = 256 };

/* Writes what a value must be: rd_key_hint, or for an element rd_key_hint_one. */
typedef void key_hint_fn(const struct rd_key *k, char *text, size_t bytes);

struct rules {
    rd_config *c;
    struct rd_error *e;
};

static bool is_integer(const rd_node *n)
{
    const double v = rd_node_number(n);
    return rd_node_is_number(n) && v == floor(v) && fabs(v) <= 0x1p53;
}

static bool is_bool_node(const rd_node *n)
{
    return !rd_node_is_text(n) && !rd_node_is_number(n) && !rd_node_is_group(n) &&
           !rd_node_is_list(n);
}

static bool is_in_range(const rd_node *n, const struct rd_key *k)
{
    const double v = rd_node_number(n);
    return (k->low == 0 && k->high == 0) ||
           (v <= k->high && (v > k->low || (v == k->low && !k->open)));
}

static int n_words(const struct rd_key *k)
{
    int n = 0;
    while (k->words[n])
        n++;
    return n;
}

bool rd_word_is(const char *word, const char *text, int64_t *number)
{
    const size_t n = strlen(word);
    if (n < 2 || strcmp(word + n - 2, " N") != 0)
        return strcmp(word, text) == 0;
    if (strncmp(word, text, n - 1) != 0 || text[n - 1] < '1' || text[n - 1] > '9')
        return false;
    char *end;
    errno = 0;
    *number = strtoll(text + n - 1, &end, 10);
    return *end == 0 && errno == 0;
}

static bool is_key_word(const rd_node *n, const struct rd_key *k)
{
    int64_t number;
    for (int i = 0; rd_node_is_text(n) && k->words[i]; i++) {
        if (rd_word_is(k->words[i], rd_node_text(n), &number))
            return true;
    }
    return false;
}

/* Returns whether a single value, or one element of a list, is right. */
static bool fits_key(const rd_node *n, const struct rd_key *k)
{
    switch (k->kind) {
    case RD_KEY_TEXT:
    case RD_KEY_TEXTS:
        return rd_node_is_text(n);
    case RD_KEY_WORD:
    case RD_KEY_CHOICE:
        return is_key_word(n, k);
    case RD_KEY_BOOL:
        return is_bool_node(n);
    case RD_KEY_INTEGER:
    case RD_KEY_WHOLES:
        return is_integer(n) && is_in_range(n, k);
    case RD_KEY_INTEGERS:
        return rd_node_is_text(n) || (is_integer(n) && is_in_range(n, k));
    case RD_KEY_NUMBER:
    case RD_KEY_VECTOR:
    case RD_KEY_NUMBERS:
    case RD_KEY_NAMES:
        return rd_node_is_text(n) || (rd_node_is_number(n) && is_in_range(n, k));
    case RD_KEY_VALUES:
        return !rd_node_is_group(n) && !(rd_node_is_list(n) && rd_node_length(n) == 0);
    default:
        return false;
    }
}

/* Describes a value in a few words. */
static void describe_value(const rd_node *n, char *text, size_t bytes)
{
    if (rd_node_is_text(n))
        snprintf(text, bytes, "\"%.40s\"", rd_node_text(n));
    else if (rd_node_is_number(n))
        snprintf(text, bytes, "%.15g", rd_node_number(n));
    else if (rd_node_is_group(n))
        snprintf(text, bytes, "a group");
    else if (rd_node_is_list(n))
        snprintf(text, bytes, "a list of %d", rd_node_length(n));
    else
        snprintf(text, bytes, "%s", rd_node_bool(n) ? "true" : "false");
}

static void misfit(const struct rules *r, const rd_node *n, const struct rd_key *k,
                   key_hint_fn *say)
{
    char path[PATH_BYTES], found[64], hint[192];
    rd_tree_path(n, path, sizeof path);
    describe_value(n, found, sizeof found);
    say(k, hint, sizeof hint);
    const char *const near =
        rd_node_is_text(n) ? rd_text_nearest(rd_node_text(n), n_words(k), rd_text_of, k->words)
                           : NULL;
    if (near)
        rd_fail(r->e, "%s: %s is %s; did you mean \"%s\"? Give %s", rd_node_place(r->c, n), path,
                found, near, hint);
    else
        rd_fail(r->e, "%s: %s is %s; give %s", rd_node_place(r->c, n), path, found, hint);
}

static void check_section(const struct rules *r, rd_node *group, const struct rd_section *s);

static void check_one(const struct rules *r, rd_node *n, const struct rd_key *k, key_hint_fn *say)
{
    if (k->inside && rd_node_is_group(n))
        check_section(r, n, k->inside);
    else if (!fits_key(n, k))
        misfit(r, n, k, say);
}

/* Returns whether n is a list, or a group of any names, that the key accepts; its values are then
   checked one by one. */
static bool is_several(const rd_node *n, const struct rd_key *k)
{
    const int length = rd_node_length(n);
    switch (k->kind) {
    case RD_KEY_VECTOR:
    case RD_KEY_INTEGERS:
        return rd_node_is_list(n) && length >= 1 && length <= 3;
    case RD_KEY_NUMBERS:
    case RD_KEY_TEXTS:
    case RD_KEY_WHOLES:
        return rd_node_is_list(n) && (length >= 1 || k->may_be_empty);
    case RD_KEY_LIST:
    case RD_KEY_LISTABLE:
        return rd_node_is_list(n);
    case RD_KEY_NAMES:
    case RD_KEY_GROUPS:
        return rd_node_is_group(n);
    default:
        return false;
    }
}

static bool must_be_several(const struct rd_key *k)
{
    return k->kind == RD_KEY_NUMBERS || k->kind == RD_KEY_LIST || k->kind == RD_KEY_NAMES ||
           k->kind == RD_KEY_GROUPS;
}

static void check_key_value(const struct rules *r, rd_node *n, const struct rd_key *k)
{
    if (is_several(n, k)) {
        for (int i = 0; i < rd_node_length(n); i++)
            check_one(r, rd_tree_at(n, i), k, rd_key_hint_one);
    } else if (must_be_several(k)) {
        misfit(r, n, k, rd_key_hint);
    } else {
        check_one(r, n, k, rd_key_hint);
    }
}

static void check_key_names(const struct rules *r, const rd_node *group, const struct rd_section *s)
{
    for (int i = 0; i < rd_node_length(group); i++) {
        const rd_node *const n = rd_node_at(group, i);
        if (rd_key_find(s, rd_node_name(n)))
            continue;
        char path[PATH_BYTES];
        rd_tree_path(group, path, sizeof path);
        rd_key_unknown(s, rd_node_name(n), *path ? path : s->title, rd_node_place(r->c, n), r->e);
    }
}

static void miss(const struct rules *r, const rd_node *group, const struct rd_key *k)
{
    char path[PATH_BYTES], hint[192];
    rd_tree_path(group, path, sizeof path);
    rd_key_hint(k, hint, sizeof hint);
    rd_fail(r->e, "%s: %s%s%s is missing; give %s", rd_node_place(r->c, group), path,
            *path ? "." : "", k->name, hint);
}

static void check_section(const struct rules *r, rd_node *group, const struct rd_section *s)
{
    check_key_names(r, group, s);
    for (int i = 0; i < s->n_keys; i++) {
        const struct rd_key *const k = &s->key[i];
        if (k->standard && !rd_tree_member(group, k->name))
            rd_tree_put(group, k->name, k->standard, rd_node_place(r->c, group), r->e);
        rd_node *const n = rd_tree_member(group, k->name);
        if (n)
            check_key_value(r, n, k);
        else if (k->required)
            miss(r, group, k);
    }
}

/* Returns the configuration's name without folders, with its ending replaced by .h5. */
static char *result_name(const char *name)
{
    const char *const slash = strrchr(name, '/');
    const char *const base = slash ? slash + 1 : name;
    const char *const point = strrchr(base, '.');
    const size_t length = point && point > base ? (size_t)(point - base) : strlen(base);
    return rd_text_format("%.*s.h5", (int)length, base);
}

/* Sets output.every to a hundredth of the end, which may be a quantity or an expression. */
static bool put_every(rd_node *output, const rd_node *end, const struct rd_units *units,
                      const char *place, struct rd_error *e)
{
    struct rd_quantity q;
    const bool is_quantity =
        rd_node_is_text(end) && rd_quantity_read(rd_node_text(end), units, &q) == RD_QUANTITY_RIGHT;
    const bool is_expression = rd_node_is_text(end) && !is_quantity;
    const double number = is_quantity ? q.value : rd_node_number(end);
    char *const every = is_expression ? rd_text_format("(%s) / 100", rd_node_text(end))
                                      : rd_text_format("%.17g", number / 100);
    const bool put = every && (is_expression ? rd_tree_put_text(output, "every", every, place, e)
                                             : rd_tree_put(output, "every", every, place, e));
    free(every);
    return put;
}

rd_node *rd_tree_holder(rd_node *list, const char *key)
{
    for (int i = 0; rd_node_is_list(list) && i < rd_node_length(list); i++)
        if (rd_node_member(rd_node_at(list, i), key))
            return rd_tree_at(list, i);
    return rd_node_is_list(list) ? rd_tree_at(list, 0) : list;
}

/* Puts in the defaults that depend on other values. */
static bool derive(const struct rules *r)
{
    rd_node *const root = rd_tree_root(r->c);
    rd_node *const output = rd_tree_member(root, "output");
    rd_node *const holder = rd_tree_holder(output, "file");
    const char *const place = rd_node_place(r->c, output);
    bool done = true;
    if (holder && !rd_node_member(holder, "file")) {
        char *const file = result_name(rd_config_name(r->c));
        done &= file && rd_tree_put_text(holder, "file", file, place, r->e);
        free(file);
    }
    if (rd_node_is_group(output) && !rd_node_member(output, "every") &&
        !rd_node_member(output, "times")) {
        const rd_node *const end = rd_node_member(rd_node_member(root, "time"), "end");
        const struct rd_units units = rd_config_units(r->c);
        done &= put_every(output, end, &units, place, r->e);
    }
    return done;
}

bool rd_rules_check(rd_config *c, const struct rd_section *keys, struct rd_error *e)
{
    const struct rules r = {.c = c, .e = e};
    const int before = e->n;
    check_section(&r, rd_tree_root(c), keys);
    return e->n == before && (keys != &rd_keys_root || derive(&r));
}
