/* merge - merges the trees of a configuration's files into one.

   Groups merge key by key; entries of lists that have the same name merge like groups; other
   entries are appended. Of several values the one of the file that includes the others wins. */
#include "config/keys.h"
#include "config/source.h"

#include <stdlib.h>
#include <string.h>

enum { PATH_BYTES = 256, SHOWN = 40 };

/* Holds one of the nodes that become one, and the number of its file. */
struct merged_part {
    const rd_node *node;
    int file;
};

/* Describes the parts of one node, in the order of their files. */
struct parts {
    struct merged_part *part;
    int n;
};

struct merge {
    const struct rd_sources *all;
    struct rd_error *e;
    char path[PATH_BYTES]; /* of the node that is merged, as species.A.diffusion */
};

static const char *place_of_part(const struct merged_part *p)
{
    return config_setting_get_hook(p->node);
}

/* Returns whether the file of a includes that of b. */
static bool is_above(const struct merge *m, const struct merged_part *a,
                     const struct merged_part *b)
{
    return b->file < a->file && m->all->source[a->file]->below[b->file];
}

/* ---- values ---- */

/* Returns whether the file of no other part includes that of the part i. */
static bool is_top(const struct merge *m, const struct parts *of, int i)
{
    for (int k = 0; k < of->n; k++)
        if (is_above(m, &of->part[k], &of->part[i]))
            return false;
    return true;
}

/* Reports two parts with different values. */
static bool check_equal(const struct merge *m, const struct merged_part *a,
                        const struct merged_part *b)
{
    char *const here = rd_node_written(b->node), *const there = rd_node_written(a->node);
    const bool good =
        here && there
            ? strcmp(here, there) == 0 ||
                  rd_fail(m->e,
                          "%s: %s is %.*s, but %.*s in %s; give it in the file that includes both",
                          place_of_part(b), m->path, SHOWN, here, SHOWN, there, place_of_part(a))
            : rd_source_no_memory(m->e);
    free(here);
    free(there);
    return good;
}

/* Adds the value of the including file. */
static bool merge_value(const struct merge *m, rd_node *to, const char *name,
                        const struct parts *of)
{
    const struct merged_part *top = NULL;
    for (int i = 0; i < of->n; i++) {
        if (!is_top(m, of, i))
            continue;
        if (top && !check_equal(m, top, &of->part[i]))
            return false;
        top = &of->part[i];
    }
    return top && rd_source_copy(to, name, top->node, NULL, m->e);
}

static bool are(const struct parts *of, bool (*is)(const rd_node *n))
{
    for (int i = 0; i < of->n; i++)
        if (!is(of->part[i].node))
            return false;
    return true;
}

static bool merge_group(struct merge *m, rd_node *to, const struct rd_section *section,
                        const struct parts *of);

/* Adds an empty group or list with the place of the last part. */
static rd_node *add_container(struct merge *m, rd_node *to, const char *name,
                              const struct parts *of)
{
    const struct merged_part *const last = &of->part[of->n - 1];
    rd_node *const node = config_setting_add(to, name, config_setting_type(last->node));
    if (!node)
        rd_source_no_memory(m->e);
    return node && rd_source_mark(node, rd_text_format("%s", place_of_part(last)), m->e) ? node
                                                                                         : NULL;
}

static bool add_group(struct merge *m, rd_node *to, const char *name,
                      const struct rd_section *section, const struct parts *of)
{
    rd_node *const node = add_container(m, to, name, of);
    return node && merge_group(m, node, section, of);
}

/* ---- entries of lists ---- */

/* Describes an entry of a list of groups. */
struct entry {
    struct merged_part part;
    const char *name;   /* or NULL */
    int order;          /* in all lists */
    bool is_amendment;  /* belongs to an earlier entry */
    struct entry *next; /* the amendment that follows */
};

static int compare_entries(const void *a, const void *b)
{
    const struct entry *const x = *(struct entry *const *)a, *const y = *(struct entry *const *)b;
    const int order = strcmp(x->name ? x->name : "", y->name ? y->name : "");
    return order ? order : x->order - y->order;
}

/* Joins entries of one name from different files. The second entry of a name in one file stays
   alone, and is reported later. */
static void join_entries(struct entry **sorted, int n)
{
    struct entry *last = NULL;
    for (int i = 0; i < n; i++) {
        struct entry *const here = sorted[i];
        const bool is_same =
            last && here->name && last->name && *here->name && strcmp(here->name, last->name) == 0;
        if (is_same && here->part.file == last->part.file)
            continue;
        here->is_amendment = is_same;
        if (is_same)
            last->next = here;
        last = here;
    }
}

/* Sets the entries of all lists; sorted points to them, by name. */
static void take_entries(const struct parts *of, struct entry *entry, struct entry **sorted)
{
    int n = 0;
    for (int i = 0; i < of->n; i++)
        for (int k = 0; k < rd_node_length(of->part[i].node); k++, n++) {
            const rd_node *const node = rd_node_at(of->part[i].node, k);
            entry[n] = (struct entry){.part = {node, of->part[i].file},
                                      .name = rd_node_text(rd_node_member(node, "name")),
                                      .order = n};
            sorted[n] = &entry[n];
        }
    qsort(sorted, (size_t)n, sizeof(struct entry *), compare_entries);
    join_entries(sorted, n);
}

/* Adds an entry with its amendments. part: room for all of them. */
static bool add_merged_entry(struct merge *m, rd_node *to, const struct rd_section *section,
                             const struct entry *first, struct merged_part *part)
{
    struct parts of = {.part = part};
    for (const struct entry *k = first; k; k = k->next)
        part[of.n++] = k->part;
    if (of.n == 1)
        return rd_source_copy(to, NULL, first->part.node, NULL, m->e);
    const size_t used = strlen(m->path);
    snprintf(m->path + used, sizeof m->path - used, ".%s", first->name);
    const bool good = add_group(m, to, NULL, section, &of);
    m->path[used] = 0;
    return good;
}

static bool merge_entries(struct merge *m, rd_node *to, const struct rd_section *section,
                          const struct parts *of)
{
    int n = 0;
    for (int i = 0; i < of->n; i++)
        n += rd_node_length(of->part[i].node);
    struct entry *const entry = calloc((size_t)n + 1, sizeof *entry);
    struct entry **const sorted = calloc((size_t)n + 1, sizeof *sorted);
    struct merged_part *const part = calloc((size_t)of->n, sizeof *part);
    bool good = (entry && sorted && part) || rd_source_no_memory(m->e);
    if (good)
        take_entries(of, entry, sorted);
    for (int i = 0; entry && sorted && part && i < n; i++)
        if (!entry[i].is_amendment)
            good = add_merged_entry(m, to, section, &entry[i], part) && good;
    free(entry);
    free(sorted);
    free(part);
    return good;
}

/* Returns whether a list with this key merges entry by entry; other lists are values. */
static bool has_entries(const struct rd_key *k)
{
    return k && (k->kind == RD_KEY_LIST ||
                 (k->kind == RD_KEY_LISTABLE && rd_key_find(k->inside, "name")));
}

/* ---- groups ---- */

static bool merge_node(struct merge *m, rd_node *to, const char *name, const struct rd_key *k,
                       const struct parts *of)
{
    if (of->n == 1)
        return rd_source_copy(to, name, of->part[0].node, NULL, m->e);
    if (are(of, rd_node_is_group))
        return add_group(m, to, name, k ? k->inside : NULL, of);
    if (!has_entries(k) || !are(of, rd_node_is_list))
        return merge_value(m, to, name, of);
    rd_node *const list = add_container(m, to, name, of);
    return list && merge_entries(m, list, k->inside, of);
}

/* Lists keys that exclude each other in a group: an including file replaces one by another. */
static const char *const alternatives[][14] = {
    {"rate", "propensity", "rate_law"},
    {"count", "fraction", "density", "value", "from", "all"},
    {"mean", "density"},
    {"in", "at", "voxel"},
    {"every", "times"},
    {"box", "sphere", "cylinder", "capsule", "half_space", "ellipsoid", "where", "labels", "union",
     "intersection", "difference", "complement", "touching"},
};

static bool is_in_list(const char *const *words, const char *word)
{
    for (; *words; words++)
        if (strcmp(*words, word) == 0)
            return true;
    return false;
}

/* Returns whether a file above gives another key that excludes the one of this part. */
static bool is_replaced(const struct merge *m, const char *name, const struct parts *groups,
                        const struct merged_part *p)
{
    for (size_t i = 0; i < sizeof alternatives / sizeof *alternatives; i++) {
        const char *const *const words = alternatives[i];
        for (int k = 0; is_in_list(words, name) && words[k]; k++)
            for (int g = 0; g < groups->n && strcmp(words[k], name) != 0; g++)
                if (is_above(m, &groups->part[g], p) &&
                    rd_node_member(groups->part[g].node, words[k]))
                    return true;
    }
    return false;
}

/* Merges the members of that name of all groups. part: room for them. */
static bool merge_member(struct merge *m, rd_node *to, const char *name,
                         const struct rd_section *section, const struct parts *groups,
                         struct merged_part *part)
{
    const struct rd_key *const k = section ? rd_key_find(section, name) : NULL;
    struct parts of = {.part = part};
    for (int i = 0; i < groups->n; i++) {
        const struct merged_part here = {rd_node_member(groups->part[i].node, name),
                                         groups->part[i].file};
        if (here.node && !is_replaced(m, name, groups, &here))
            part[of.n++] = here;
    }
    if (of.n == 0)
        return true;
    const size_t used = strlen(m->path);
    snprintf(m->path + used, sizeof m->path - used, "%s%s", used ? "." : "", name);
    const bool good = merge_node(m, to, name, k, &of);
    m->path[used] = 0;
    return good;
}

static bool merge_group(struct merge *m, rd_node *to, const struct rd_section *section,
                        const struct parts *of)
{
    struct merged_part *const part = calloc((size_t)of->n, sizeof *part);
    bool good = part || rd_source_no_memory(m->e);
    for (int i = 0; part && i < of->n; i++)
        for (int k = 0; k < rd_node_length(of->part[i].node); k++) {
            const char *const name = rd_node_name(rd_node_at(of->part[i].node, k));
            const bool is_include = !*m->path && strcmp(name, "include") == 0;
            if (!is_include && !rd_node_member(to, name))
                good = merge_member(m, to, name, section, of, part) && good;
        }
    free(part);
    return good;
}

bool rd_sources_merge(const struct rd_sources *all, const struct rd_section *keys, config_t *to,
                      struct rd_error *e)
{
    struct merge m = {.all = all, .e = e};
    struct parts of = {.part = calloc((size_t)all->n, sizeof *of.part), .n = all->n};
    bool good = of.part || rd_source_no_memory(e);
    for (int i = 0; good && i < all->n; i++)
        of.part[i] = (struct merged_part){config_root_setting(&all->source[i]->tree), i};
    rd_node *const root = config_root_setting(to);
    good = good &&
           rd_source_mark(root, rd_text_format("%s", place_of_part(&of.part[all->n - 1])), e) &&
           merge_group(&m, root, keys, &of);
    free(of.part);
    return good;
}
