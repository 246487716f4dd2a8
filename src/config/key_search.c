/* key_search - `rdsim keys NAME`: prints the entries of THE TABLE whose path is the name or ends
   with it. */
#include "config/config.h"
#include "config/keys.h"

#include <stdlib.h>
#include <string.h>

enum { PATH_BYTES = 256, DEPTH_MOST = 8 };

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

static void add(struct index *x, const struct rd_key *k, const char *path)
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
        add(x, &s->key[i], path);
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

static const char *name_of(const void *list, int i)
{
    return ((const struct found *)list)[i].key->name;
}

static bool is_unknown(const struct index *x, const char *name, struct rd_error *e)
{
    const char *near = rd_nearest(name, x->n, path_of, x->of);
    near = near ? near : rd_nearest(name, x->n, name_of, x->of);
    return rd_fail(e, "'%s' is not a key; %s%s%s", name,
                   near ? "did you mean '" : "rdsim keys lists them", near ? near : "",
                   near ? "'?" : "");
}

static void print_found(FILE *out, const struct found *f)
{
    fprintf(out, "%s\n", f->path);
    rd_key_print(out, f->key);
    if (f->key->inside)
        rd_key_print_section(out, f->key->inside, false);
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
    const bool ok = x.failed ? rd_fail(e, "there is no memory for the keys")
                             : print_matches(out, &x, wanted) > 0 || is_unknown(&x, wanted, e);
    e->wrong |= !ok;
    free(x.of);
    return ok;
}
