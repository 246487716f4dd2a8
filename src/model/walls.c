/* walls - the boundary condition of each species at each face. Walls of the species override those
   of the grid, and single faces override axes. */
#include "model/masks.h"
#include "model/reader.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const wall_word[] = {
    [RD_WALL_REFLECT] = "reflect",     [RD_WALL_PERIODIC] = "periodic",
    [RD_WALL_ABSORB] = "absorb",       [RD_WALL_RESERVOIR] = "reservoir",
    [RD_WALL_BALLISTIC] = "ballistic",
};
enum { N_WALL_WORDS = sizeof wall_word / sizeof *wall_word };

static const char *const axis_key[] = {"x", "y", "z"};
static const char *const face_key[] = {"xmin", "xmax", "ymin", "ymax", "zmin", "zmax"};

static void free_wall(struct rd_wall *w)
{
    rd_expr_free(&w->probability);
    rd_expr_free(&w->mean);
    *w = (struct rd_wall){0};
}

void rd_walls_free(struct rd_wall wall[RD_FACES])
{
    for (int f = 0; f < RD_FACES; f++)
        free_wall(&wall[f]);
}

/* Computes the mean in the volume of a voxel beyond the face from molecules per volume. */
static bool read_density(struct rd_reader *r, const rd_node *node, struct rd_expr *mean)
{
    struct rd_expr density = {0};
    bool read =
        rd_reader_expr(r, node, "density", RD_USES_PARAMETERS, RD_RANGE_NOT_NEGATIVE, &density);
    const double volume = r->m->grid.volume;
    if (read && density.uses == 0) {
        double value = 0;
        read = rd_reader_known(r, &density, &value) && rd_expr_constant(mean, value * volume, r->e);
    } else if (read) {
        const size_t bytes = strlen(density.text) + 64;
        char *const text = rd_reader_array(r, (int64_t)bytes, 1);
        const struct rd_scope scope = rd_model_scope(r->m, RD_USES_PARAMETERS);
        if (text)
            snprintf(text, bytes, "(%s) * %.17g", density.text, volume);
        read = text && rd_expr_compile(mean, text, &scope, rd_node_place(r->c, node), r->e);
        free(text);
    }
    rd_expr_free(&density);
    return read;
}

static bool read_reservoir(struct rd_reader *r, const rd_node *node, struct rd_wall *w)
{
    static const char *const key[] = {"mean", "density"};
    const int which = rd_reader_one_of(r, node, 2, key);
    if (which < 0)
        return false;
    const rd_node *const much = rd_node_member(node, key[which]);
    return which == 1 ? read_density(r, much, &w->mean)
                      : rd_reader_expr(r, much, "mean", RD_USES_PARAMETERS, RD_RANGE_NOT_NEGATIVE,
                                       &w->mean);
}

/* Reads a wall: a word, or a group with a kind and its own keys. */
static bool read_wall(struct rd_reader *r, const rd_node *node, struct rd_wall *w)
{
    const rd_node *const group = rd_node_is_group(node) ? node : NULL;
    const rd_node *const word = group ? rd_node_member(group, "kind") : node;
    const rd_node *const probability = group ? rd_node_member(group, "probability") : NULL;
    const bool has_mean =
        group && (rd_node_member(group, "mean") || rd_node_member(group, "density"));
    w->kind = (enum rd_wall_kind)rd_reader_word(word, N_WALL_WORDS, wall_word);
    if (probability && w->kind != RD_WALL_ABSORB)
        return rd_reader_fail(r, probability,
                              "the wall has a probability, but does not absorb; leave it out");
    if (has_mean && w->kind != RD_WALL_RESERVOIR)
        return rd_reader_fail(
            r, node, "the wall has a mean or a density, but is no reservoir; leave it out");
    if (w->kind == RD_WALL_RESERVOIR)
        return read_reservoir(r, group, w);
    if (probability)
        return rd_reader_expr(r, probability, "probability", RD_USES_PARAMETERS,
                              RD_RANGE_PROBABILITY, &w->probability);
    return w->kind != RD_WALL_ABSORB || rd_expr_constant(&w->probability, 1, r->e);
}

/* Returns the wall that `walls` has under a key. A word instead of a group is the wall of every
   axis. */
static const rd_node *wall_under(const rd_node *walls, const char *key)
{
    if (walls && rd_node_is_text(walls))
        return strlen(key) == 1 ? walls : NULL;
    return rd_node_member(walls, key);
}

/* Replaces *w by the wall that group has under key, if any. Messages name the key. */
static void lay(struct rd_reader *r, const rd_node *group, const char *key, int axis,
                struct rd_wall *w)
{
    const rd_node *const node = wall_under(group, key);
    if (!node || (node == group && axis >= r->m->grid.dim))
        return;
    const size_t length = strlen(r->about);
    if (axis >= r->m->grid.dim) {
        rd_reader_fail(r, node, "has a wall '%s', but the grid has %d dimension%s; remove it", key,
                       r->m->grid.dim, r->m->grid.dim == 1 ? "" : "s");
        return;
    }
    free_wall(w);
    snprintf(r->about + length, sizeof r->about - length, ", walls.%s", key);
    read_wall(r, node, w);
    r->about[length] = 0;
}

/* Returns the node that group has for an axis, single faces first; NULL if there is none. */
static const rd_node *wall_along(const rd_node *group, int axis)
{
    const char *const key[] = {face_key[2 * axis], face_key[2 * axis + 1], axis_key[axis]};
    const rd_node *found = NULL;
    for (int i = 0; i < 3 && !found; i++)
        found = wall_under(group, key[i]);
    return found;
}

/* Reports axes that are periodic at one face only. A fault of the grid's walls is not repeated for
   species that do not override that axis. */
static void check_pairs(struct rd_reader *r, const rd_node *group,
                        const struct rd_wall wall[RD_FACES])
{
    for (int a = 0; a < 3; a++) {
        const rd_node *const node = wall_along(group, a);
        const bool low = wall[2 * a].kind == RD_WALL_PERIODIC;
        const bool high = wall[2 * a + 1].kind == RD_WALL_PERIODIC;
        if (node && low != high)
            rd_reader_fail(r, node,
                           "walls.%s is periodic, but walls.%s is not; make both periodic, or none",
                           face_key[2 * a + !low], face_key[2 * a + low]);
    }
}

void rd_walls_read(struct rd_reader *r, const rd_node *group, struct rd_wall wall[RD_FACES])
{
    for (int f = 0; f < RD_FACES; f++)
        lay(r, group, axis_key[f / 2], f / 2, &wall[f]);
    for (int f = 0; f < RD_FACES; f++)
        lay(r, group, face_key[f], f / 2, &wall[f]);
    check_pairs(r, group, wall);
}

/* Returns the node that defines the face of the species: of its own walls, or of the grid's. */
static const rd_node *wall_of(const struct rd_reader *r, const rd_node *species, int face)
{
    const rd_node *const grid = rd_node_member(rd_config_root(r->c), "grid");
    const rd_node *const place[] = {species, grid};
    const char *const key[] = {face_key[face], axis_key[face / 2]};
    const rd_node *found = NULL;
    for (int i = 0; i < 4 && !found; i++)
        found = wall_under(rd_node_member(place[i / 2], "walls"), key[i % 2]);
    return found;
}

static void check_wall(struct rd_reader *r, const rd_node *node, const struct rd_species *s,
                       int axis, enum rd_wall_kind kind)
{
    const struct rd_expr *const drift = &s->drift[axis];
    const char name = *axis_key[axis];
    if (kind == RD_WALL_RESERVOIR && s->is_individual)
        rd_reader_fail(r, node,
                       "individuals do not enter from a reservoir; make them by a reaction "
                       "'0 -> %s' in a region at the wall",
                       s->name);
    if (kind != RD_WALL_BALLISTIC)
        return;
    if (!s->is_individual)
        rd_reader_fail(
            r, node,
            "a ballistic wall along %c reflects individuals, and %s has none; use \"reflect\"",
            name, s->name);
    else if (drift->n > 1 || (drift->n == 1 && drift->op->code != RD_OP_OWN))
        rd_reader_fail(r, node,
                       "a ballistic wall along %c changes the sign of the drift, but the drift "
                       "along %c is not an attribute; make it the name of one",
                       name, name);
}

/* Warns about a reservoir of the species itself at a face that its region does not reach. */
static void check_reach(struct rd_reader *r, const rd_node *node, const struct rd_species *s,
                        int face)
{
    const rd_node *const grid =
        rd_node_member(rd_node_member(rd_config_root(r->c), "grid"), "walls");
    const bool is_own = node && node != wall_under(grid, face_key[face]) &&
                        node != wall_under(grid, axis_key[face / 2]);
    if (is_own && s->wall[face].kind == RD_WALL_RESERVOIR && s->region >= 0 && r->m->mask &&
        !rd_masks_reach(r->m, s->region, face))
        rd_reader_warn(r, node,
                       "no voxel of '%s' lies at %s, so nothing enters there; remove the reservoir",
                       r->m->region[s->region].name, face_key[face]);
}

void rd_walls_suit(struct rd_reader *r, const rd_node *group, const struct rd_species *s)
{
    const rd_node *last = NULL; /* a wall of both faces is reported once */
    for (int f = 0; f < 2 * r->m->grid.dim; f++) {
        const rd_node *const node = wall_of(r, group, f);
        if (node != last)
            check_wall(r, node, s, f / 2, s->wall[f].kind);
        check_reach(r, node, s, f);
        last = node;
    }
}

void rd_walls_check(struct rd_reader *r)
{
    struct rd_wall wall[RD_FACES] = {0};
    const rd_node *const grid = rd_node_member(rd_config_root(r->c), "grid");
    const rd_node *const walls = rd_node_member(grid, "walls");
    if (walls)
        rd_walls_read(r, walls, wall);
    for (int a = 0; a < 3; a++)
        r->m->grid.wraps[a] = wall[2 * a].kind == RD_WALL_PERIODIC;
    rd_walls_free(wall);
}

bool rd_species_has_wall(const struct rd_species *s, enum rd_wall_kind kind)
{
    bool has = false;
    for (int face = 0; face < RD_FACES; face++)
        has = has || s->wall[face].kind == kind;
    return has;
}
