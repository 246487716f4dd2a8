/* bionetgen_names - gives the entries of a BioNetGen network their names, and finds them. */
#define _XOPEN_SOURCE 700
#include "base/text.h"
#include "expr/builtins.h"
#include "formats/bionetgen_network.h"

#include <ctype.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- names in the configuration ---- */

enum { LONGEST_NAME = 48, NAME_BYTES = LONGEST_NAME + 16 };

/* Describes a name that is taken. */
struct taken_name {
    char text[NAME_BYTES];
    int next; /* all lower numbers behind it, from 2, are taken as well */
};

/* Holds the names that are taken, as a tree of search.h. */
struct names {
    void *root;
};

static int compare_names(const void *a, const void *b)
{
    return strcmp(((const struct taken_name *)a)->text, ((const struct taken_name *)b)->text);
}

static void free_names(struct names *n)
{
    while (n->root) {
        struct taken_name *const name = *(struct taken_name **)n->root;
        tdelete(name, &n->root, compare_names);
        free(name);
    }
}

/* Returns the entry of a name among those that are taken, to which it is added if it is not there;
   NULL if there is no memory. */
static struct taken_name *take_name(struct names *taken, const struct taken_name *name)
{
    struct taken_name *const copy = malloc(sizeof *copy);
    struct taken_name *const *const entry =
        copy ? tsearch(memcpy(copy, name, sizeof *copy), &taken->root, compare_names) : NULL;
    if (!entry || *entry != copy)
        free(copy);
    return entry ? *entry : NULL;
}

static bool is_name_free(const struct names *taken, const struct taken_name *name)
{
    return !rd_builtins_is_kept(name->text) && !tfind(name, &taken->root, compare_names);
}

/* Writes the characters of a text that a name may have, with one _ in place of others. */
static void write_plain_name(const char *wanted, char name[LONGEST_NAME + 2])
{
    size_t n = 0;
    for (const char *c = wanted; *c && n < LONGEST_NAME; c++) {
        const bool fits = isalnum((unsigned char)*c);
        if (fits || (n > 0 && name[n - 1] != '_'))
            name[n++] = fits ? *c : '_';
    }
    while (n > 0 && name[n - 1] == '_' && wanted[strlen(wanted) - 1] != '_')
        n--;
    name[n] = 0;
    if (!isalpha((unsigned char)name[0])) {
        memmove(name + 1, name, n + 1);
        name[0] = 'n';
    }
}

/* Takes a name: `wanted` as far as a name may have its characters, with the least number from 2 on
   if that is taken. */
static const char *take_unused_name(struct rd_bng *b, struct names *taken, const char *wanted)
{
    char plain[LONGEST_NAME + 2];
    struct taken_name name = {.next = 2};
    write_plain_name(wanted, plain);
    strcpy(name.text, plain);
    if (!is_name_free(taken, &name)) {
        struct taken_name *const first = take_name(taken, &name);
        for (int i = first ? first->next : 2; !is_name_free(taken, &name); i++) {
            snprintf(name.text, sizeof name.text, "%s_%d", plain, i);
            if (first)
                first->next = i;
        }
    }
    b->pool.is_full = !take_name(taken, &name) || b->pool.is_full;
    return rd_formula_text(&b->pool, name.text);
}

static void name_block(struct rd_bng *b, enum rd_bng_kind kind, struct names *taken)
{
    for (int i = 0; i < b->n[kind]; i++)
        b->of[kind][i].name = take_unused_name(b, taken, b->of[kind][i].id);
}

/* Gives names to parameters and species, which expressions use, and to groups, which they do not:
   a group may have the name of a species. */
static void name_entries(struct rd_bng *b)
{
    struct names taken = {0}, groups = {0};
    name_block(b, RD_BNG_PARAMETERS, &taken);
    name_block(b, RD_BNG_SPECIES, &taken);
    name_block(b, RD_BNG_GROUPS, &groups);
    free_names(&taken);
    free_names(&groups);
}

/* ---- names in the network ---- */

static int order_bng_names(const void *a, const void *b)
{
    return strcmp((*(struct rd_bng_entry *const *)a)->id, (*(struct rd_bng_entry *const *)b)->id);
}

/* Sorts parameters, functions and groups by their ids, and reports the same id twice. */
static bool sort_ids(struct rd_bng *b)
{
    static const enum rd_bng_kind kinds[] = {RD_BNG_PARAMETERS, RD_BNG_FUNCTIONS, RD_BNG_GROUPS};
    const int n = b->n[kinds[0]] + b->n[kinds[1]] + b->n[kinds[2]];
    b->named = calloc((size_t)n + 1, sizeof *b->named);
    if (!b->named)
        return rd_fail(b->e, "%s: out of memory for its names", b->path);
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < b->n[kinds[k]]; i++)
            b->named[b->n_named++] = &b->of[kinds[k]][i];
    qsort(b->named, (size_t)n, sizeof(struct rd_bng_entry *), order_bng_names);
    bool good = true;
    for (int i = 1; i < n; i++)
        if (order_bng_names(&b->named[i - 1], &b->named[i]) == 0)
            good = rd_bng_fail(b, b->named[i], "has the name of line %d; rename one",
                               b->named[i - 1]->line);
    return good;
}

/* Compares patterns of species; A and A() are the same. */
static int compare_patterns(const void *a, const void *b)
{
    const char *x = ((const struct rd_bng_entry *)a)->id, *y = ((const struct rd_bng_entry *)b)->id;
    for (;; x++, y++) {
        x += strncmp(x, "()", 2) == 0 ? 2 : 0;
        y += strncmp(y, "()", 2) == 0 ? 2 : 0;
        if (*x != *y || !*x)
            return (unsigned char)*x - (unsigned char)*y;
    }
}

/* Reports two species of one pattern: reactions would change one of them only. */
static bool check_patterns(const struct rd_bng *b)
{
    void *root = NULL;
    bool good = true;
    for (int i = 0; i < b->n[RD_BNG_SPECIES]; i++) {
        const struct rd_bng_entry *const x = &b->of[RD_BNG_SPECIES][i];
        const struct rd_bng_entry *const *const same = tsearch(x, &root, compare_patterns);
        if (!same)
            good = rd_fail(b->e, "%s: out of memory for its species", b->path);
        else if (*same != x)
            good = rd_bng_fail(b, x, "has the pattern of line %d; keep one of them", (*same)->line);
    }
    while (root)
        tdelete(*(const struct rd_bng_entry **)root, &root, compare_patterns);
    return good;
}

struct rd_bng_entry *rd_bng_find(const struct rd_bng *b, const char *id, size_t length)
{
    int low = 0, high = b->n_named;
    while (low < high) {
        const int middle = low + (high - low) / 2;
        const char *const known = b->named[middle]->id;
        const int order = strncmp(known, id, length);
        if (order == 0 && !known[length])
            return b->named[middle];
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

bool rd_bng_name_entries(struct rd_bng *b)
{
    name_entries(b);
    const bool good = check_patterns(b);
    return sort_ids(b) && good;
}
