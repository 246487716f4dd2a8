/* sweep - reads a sweep, and counts its points and tasks. */
#define _POSIX_C_SOURCE 200809L
#include "sweep/sweep.h"

#include "config/tree.h"
#include "kernels/core/rng.h"
#include "result/files/run_state.h"
#include "sweep/axis.h"

#include <stdlib.h>
#include <string.h>

/* Returns a path of the sweep's file, relative to the working directory. */
static char *from_here(const char *file, const char *path)
{
    const char *const slash = strrchr(file, '/');
    const int folder = slash && *path != '/' ? (int)(slash - file) + 1 : 0;
    return rd_text_format("%.*s%s", folder, file, path);
}

/* Returns the file's name without its ending. */
static char *stem(const char *file)
{
    const char *const slash = strrchr(file, '/'), *const point = strrchr(file, '.');
    const bool has_ending = point && point > (slash ? slash + 1 : file);
    return strndup(file, has_ending ? (size_t)(point - file) : strlen(file));
}

static bool no_memory(struct rd_error *e)
{
    return rd_fail(e, "out of memory for the sweep");
}

static bool read_axes(struct rd_sweep *s, const rd_config *c, struct rd_error *e)
{
    const rd_node *const vary = rd_node_member(rd_config_root(c), "vary");
    const int n = rd_node_length(vary), before = e->n;
    if (n == 0)
        return rd_fail(e, "%s: vary is empty; a sweep varies at least one key",
                       rd_node_place(c, vary));
    s->axis = calloc((size_t)n, sizeof *s->axis);
    if (!s->axis)
        return no_memory(e);
    for (s->n_axes = 0; s->n_axes < n;) {
        const int i = s->n_axes++;
        rd_axis_read(&s->axis[i], c, rd_node_at(vary, i), i, s->seed, e);
    }
    return e->n == before;
}

/* Refuses names that two axes share, or that every task already has. */
static bool check_names(const struct rd_sweep *s, struct rd_error *e)
{
    static const char *const taken[] = {"task", "point", "repeat", "time", "species", "run"};
    const int before = e->n;
    for (int i = 0; i < s->n_axes; i++) {
        const struct rd_sweep_axis *const a = &s->axis[i];
        for (size_t k = 0; k < sizeof taken / sizeof *taken; k++)
            if (strcmp(a->name, taken[k]) == 0)
                rd_fail(e, "%s: vary '%s': every sweep has a '%s' of its own; give another 'name'",
                        a->place, a->name, taken[k]);
        for (int k = 0; k < i; k++)
            if (strcmp(a->name, s->axis[k].name) == 0)
                rd_fail(e, "%s: vary '%s': %s has this name too; give another 'name'", a->place,
                        a->name, s->axis[k].path);
    }
    return e->n == before;
}

static bool count_points(struct rd_sweep *s, struct rd_error *e)
{
    s->n_points = 1;
    for (int i = 0; i < s->n_axes; i++) {
        const struct rd_sweep_axis *const a = &s->axis[i];
        if (s->is_zip && a->n != s->axis[0].n)
            return rd_fail(e,
                           "%s: vary '%s' has %lld values, and '%s' has %lld; where they go "
                           "together (zip) both must have as many",
                           a->place, a->name, (long long)a->n, s->axis[0].name,
                           (long long)s->axis[0].n);
        s->n_points = s->is_zip ? a->n : s->n_points * a->n;
        if (s->n_points > RD_POINTS_MOST)
            return rd_fail(e, "%s: more than %lld points; a sweep has at most so many", s->file,
                           (long long)RD_POINTS_MOST);
    }
    s->n_tasks = s->n_points * s->n_repeats;
    return true;
}

static bool read_sweep(struct rd_sweep *s, const rd_config *c, struct rd_error *e)
{
    const rd_node *const root = rd_config_root(c), *const output = rd_node_member(root, "output");
    char *const name = stem(s->file);
    s->base = from_here(s->file, rd_node_text(rd_node_member(root, "base")));
    s->pattern = output ? from_here(s->file, rd_node_text(output))
                 : name ? rd_text_format("%s/{task}.h5", name)
                        : NULL;
    free(name);
    if (!s->base || !s->pattern)
        return no_memory(e);
    s->is_zip = strcmp(rd_node_text(rd_node_member(root, "combine")), "zip") == 0;
    s->n_repeats = rd_node_integer(rd_node_member(root, "repeats"));
    s->seed = (uint64_t)rd_node_integer(rd_node_member(root, "seed"));
    return read_axes(s, c, e) && check_names(s, e) && count_points(s, e);
}

bool rd_sweep_read(struct rd_sweep *s, const char *file, struct rd_error *e)
{
    *s = (struct rd_sweep){.file = strdup(file)};
    rd_config *c = NULL;
    const bool ok = s->file ? rd_result_is_not(file, "sweep", e) &&
                                  rd_config_read_sweep(&c, file, e) && read_sweep(s, c, e)
                            : no_memory(e);
    rd_config_free(c);
    e->wrong |= !ok;
    return ok;
}

void rd_sweep_free(struct rd_sweep *s)
{
    for (int i = 0; i < s->n_axes; i++)
        rd_axis_free(&s->axis[i]);
    free(s->axis);
    free(s->file);
    free(s->base);
    free(s->pattern);
    *s = (struct rd_sweep){0};
}

const char *rd_sweep_value(const struct rd_sweep *s, int axis, int64_t point)
{
    int64_t i = point - 1;
    for (int k = s->n_axes - 1; k > axis && !s->is_zip; k--)
        i /= s->axis[k].n;
    return s->axis[axis].value[i % s->axis[axis].n];
}

/* Returns a permutation of 48-bit numbers, by Feistel's scheme (Luby and Rackoff, SIAM J. Comput.
   17, 373 (1988): four rounds), so that all seeds differ. */
uint64_t rd_sweep_seed(uint64_t seed, int64_t point, int64_t repeat)
{
    enum { HALF = (1 << 24) - 1, ROUNDS = 4 };
    const int64_t number = (point - 1) * RD_REPEATS_MOST + repeat - 1;
    uint32_t left = (uint32_t)(number >> 24) & HALF, right = (uint32_t)number & HALF;
    for (uint32_t round = 0; round < ROUNDS; round++) {
        const struct rd_stream s = rd_stream_of(seed, 0, 0, RD_FOR_SWEEP, RD_PART_END - 1, right);
        uint32_t word[4];
        rd_stream_call(&s, round, word);
        const uint32_t next = left ^ (word[0] & HALF);
        left = right;
        right = next;
    }
    return (uint64_t)left << 24 | right;
}
