/* plan_movers - rates of hopping from diffusivity and drift, what walls do to them, and the rows
   of chances for a step. */
#include "gate.h"
#include "plan.h"
#include "walk.h"

#include <stdio.h>
#include <stdlib.h>

/* A species, and where: what its rates follow from. */
struct moving {
    const struct rd_plan *p;
    const struct rd_species *s;
    int32_t number; /* canonical */
    int32_t zone;   /* -1: everywhere */
    const double *value;
};

static uint64_t regions_of(const struct moving *of)
{
    return of->zone < 0 ? 0 : of->p->zone_regions[of->zone];
}

/* The number behind an expression of parameters and regions. */
static double value_of(const struct rd_expr *x, const struct moving *of)
{
    const struct rd_scene scene = {
        .volume = of->p->world.volume, .parameter = of->value, .regions = regions_of(of)};
    return rd_expr_value(x, &scene);
}

static bool check_chance(const struct rd_species *s, int face, double chance, struct rd_error *e)
{
    static const char *const name[RD_FACES] = {"xmin", "xmax", "ymin", "ymax", "zmin", "zmax"};
    if (chance >= 0.0 && chance <= 1.0)
        return true;
    return rd_fail(e, "%s: species '%s': the chance of wall %s is %g; it must lie between 0 and 1",
                   s->place, s->name, name[face], chance);
}

static bool set_wall(const struct moving *of, struct rd_mover *m, int face, struct rd_error *e)
{
    const struct rd_wall *const wall = &of->s->wall[face];
    m->enter[face] = 0.0;
    switch (wall->kind) {
    case RD_WALL_REFLECT:
    case RD_WALL_BALLISTIC:
        m->pass[face] = 0.0;
        return true;
    case RD_WALL_PERIODIC:
        m->pass[face] = -1.0;
        return true;
    case RD_WALL_ABSORB:
        m->pass[face] = value_of(&wall->chance, of);
        return check_chance(of->s, face, m->pass[face], e);
    case RD_WALL_RESERVOIR:
        break;
    }
    const double mean = value_of(&wall->mean, of);
    m->pass[face] = 1.0;
    m->enter[face] = mean * m->rate[face ^ 1]; /* inwards: away from the face */
    if (mean >= 0.0 && mean <= INT32_MAX)
        return true;
    return rd_fail(e,
                   "%s: species '%s': a reservoir's mean is %g; it must lie between 0 and "
                   "2147483647, what a cell can hold",
                   of->s->place, of->s->name, mean);
}

bool rd_plan_has_own_motion(const struct rd_species *s)
{
    const unsigned shared = RD_USES_PARAMETERS | RD_USES_VOLUME | RD_USES_REGIONS;
    for (int axis = 0; axis < 3; axis++)
        if ((s->diffusion[axis].uses | s->drift[axis].uses) & ~shared)
            return true;
    return false;
}

/* " in 'gel', 'left'", " outside of all that it names", or "" where it is the same everywhere. */
static void print_zone(const struct moving *of, char *text, size_t bytes)
{
    const uint64_t regions = regions_of(of);
    size_t used = 0;
    snprintf(text, bytes, "%s", of->zone >= 0 ? " outside of all regions that it names" : "");
    for (int r = 0; r < of->p->model->n_regions && used < bytes; r++)
        if (regions >> r & 1)
            used += (size_t)snprintf(text + used, bytes - used, "%s'%.40s'", used ? ", " : " in ",
                                     of->p->model->region[r].name);
}

static bool set_axis(const struct moving *of, struct rd_mover *m, int axis, struct rd_error *e)
{
    const struct rd_species *const s = of->s;
    if (rd_plan_has_own_motion(s))
        return set_wall(of, m, 2 * axis, e) && set_wall(of, m, 2 * axis + 1, e);
    const double diffusion = value_of(&s->diffusion[axis], of);
    const double drift = value_of(&s->drift[axis], of);
    char where[160];
    print_zone(of, where, sizeof where);
    if (!(diffusion >= 0.0) || !rd_is_finite(diffusion))
        return rd_fail(e, "%s: species '%s': diffusion along %c is %g%s; it must be a number >= 0",
                       s->place, s->name, "xyz"[axis], diffusion, where);
    if (!rd_is_finite(drift))
        return rd_fail(e, "%s: species '%s': drift along %c is %g%s; it must be a finite number",
                       s->place, s->name, "xyz"[axis], drift, where);
    rd_rates_of(diffusion, drift, of->p->world.edge[axis], &m->rate[2 * axis]);
    return set_wall(of, m, 2 * axis, e) && set_wall(of, m, 2 * axis + 1, e);
}

/* Whether anything can happen along the axis: a single cell that wraps or is shut has nowhere. */
static bool is_axis_idle(const struct rd_plan *p, const struct rd_mover *m, int32_t s, int axis)
{
    const struct rd_home *const home = &p->home[s];
    if (home->is_box ? home->hi[axis] - home->lo[axis] > 1 : p->world.size[axis] > 1)
        return false;
    const bool low_takes = home->lo[axis] == 0 && m->pass[2 * axis] > 0.0;
    const bool high_takes = home->hi[axis] == p->world.size[axis] && m->pass[2 * axis + 1] > 0.0;
    return !low_takes && !high_takes;
}

/* Its rates and walls; what else the mover has stays. */
static bool set_rates(const struct moving *of, struct rd_mover *m, struct rd_error *e)
{
    bool ok = true;
    m->total = 0.0;
    for (int axis = 0; axis < 3; axis++) {
        ok = set_axis(of, m, axis, e) && ok;
        if (is_axis_idle(of->p, m, of->number, axis))
            m->rate[2 * axis] = m->rate[2 * axis + 1] = 0.0;
        m->total += m->rate[2 * axis] + m->rate[2 * axis + 1];
    }
    return ok;
}

/* Each rate becomes the higher one of both. */
static void take_higher(struct rd_mover *m, const struct rd_mover *other)
{
    m->total = 0.0;
    for (int face = 0; face < RD_FACES; face++) {
        m->rate[face] = m->rate[face] > other->rate[face] ? m->rate[face] : other->rate[face];
        m->enter[face] = m->enter[face] > other->enter[face] ? m->enter[face] : other->enter[face];
        m->total += m->rate[face];
    }
}

/* A mover for each zone, unless all in which it lives are alike. */
static bool set_zones(struct rd_plan *p, struct moving of, struct rd_error *e)
{
    struct rd_mover *const all = &p->mover[of.number];
    const int64_t first = p->world.n_mover;
    const struct rd_mover blank = *all;
    bool ok = true, is_first = true, differ = false;
    for (of.zone = 0; of.zone < p->world.zone_count; of.zone++) {
        struct rd_mover *const m = &p->mover[p->world.n_mover++];
        *m = blank;
        if (!rd_plan_lives(p, of.s, of.zone))
            continue;
        ok = set_rates(&of, m, e) && ok;
        differ = differ || (!is_first && memcmp(m->rate, all->rate, sizeof m->rate) != 0);
        if (is_first)
            *all = *m;
        else
            take_higher(all, m);
        is_first = false;
    }
    if (!differ)
        p->world.n_mover = first;
    else
        all->zones = (int32_t)first;
    return ok;
}

static int32_t kind_of(const struct rd_plan *p, const struct moving *of, const struct rd_mover *m)
{
    if (rd_plan_has_own_motion(of->s))
        return RD_MOVE_OWN;
    if (!(m->total > 0.0))
        return RD_MOVE_NOT;
    const bool is_alike = p->home[of->number].is_box && m->zones < 0 && m->borders < 0;
    return is_alike ? RD_MOVE_ROWS : RD_MOVE_WALK;
}

static bool set_mover(struct rd_plan *p, int32_t number, const double *value, struct rd_error *e)
{
    struct rd_mover *const m = &p->mover[number];
    const struct rd_species *const s = &p->model->species[p->species_of[number]];
    const struct moving of = {.p = p, .s = s, .number = number, .zone = -1, .value = value};
    *m = (struct rd_mover){.region = s->region,
                           .zones = -1,
                           .borders = m->borders,
                           .is_listed = p->list_of[number] >= 0};
    const bool ok = rd_plan_is_zoned(s) ? set_zones(p, of, e) : set_rates(&of, m, e);
    m->kind = kind_of(p, &of, m);
    for (int32_t zone = 0; m->zones >= 0 && zone < p->world.zone_count; zone++) {
        p->mover[m->zones + zone].kind = m->kind;
        p->mover[m->zones + zone].zones = m->zones;
    }
    return ok;
}

bool rd_plan_movers(struct rd_plan *p, const double *value, struct rd_error *e)
{
    bool ok = rd_plan_borders(p, value, e), moves = false;
    p->world.n_mover = p->world.n_species;
    for (int32_t s = 0; s < p->world.n_species; s++) {
        const struct rd_mover *const m = &p->mover[s];
        ok = set_mover(p, s, value, e) && ok;
        moves = moves || (m->kind != RD_MOVE_NOT && !m->is_listed);
    }
    p->world.n_moving = moves ? p->world.n_cells : 0;
    return ok;
}

/* How many movements a step is made of, so that none has more hops than rows are made for. */
static bool set_moves(struct rd_plan *p, struct rd_error *e)
{
    double most = 0.0;
    for (int32_t s = 0; s < p->world.n_species; s++)
        for (int axis = 0; axis < 3; axis++) {
            const double rate = p->mover[s].rate[2 * axis] + p->mover[s].rate[2 * axis + 1];
            most = rate > most ? rate : most;
        }
    const double moves = most * p->step / RD_ROWS_MOST;
    if (!(most * p->step <= RD_HOPS_MOST * (1.0 + 1e-6))) /* a step is rounded */
        return rd_fail(e,
                       "a step of %g has %.3g hops along one axis; at most %g are possible; "
                       "set a shorter time.step",
                       p->step, most * p->step, RD_HOPS_MOST);
    p->moves = (int32_t)moves + (moves > (double)(int32_t)moves || moves == 0.0);
    return true;
}

/* The walk of a species along an axis of its home. */
static struct rd_walk_of walk_of(const struct rd_plan *p, int32_t s, int axis, double step)
{
    const struct rd_mover *const m = &p->mover[s];
    const struct rd_home *const home = &p->home[s];
    struct rd_walk_of walk = {.forward = m->rate[2 * axis + 1] * step,
                              .back = m->rate[2 * axis] * step,
                              .n = home->hi[axis] - home->lo[axis]};
    const bool is_whole = walk.n == p->world.size[axis];
    walk.wraps = is_whole && m->pass[2 * axis] < 0.0;
    if (home->lo[axis] == 0 && m->pass[2 * axis] > 0.0)
        walk.take[0] = m->pass[2 * axis];
    if (home->hi[axis] == p->world.size[axis] && m->pass[2 * axis + 1] > 0.0)
        walk.take[1] = m->pass[2 * axis + 1];
    return walk;
}

static bool is_same_walk(const struct rd_walk_of *a, const struct rd_walk_of *b)
{
    return a->forward == b->forward && a->back == b->back && a->n == b->n && a->wraps == b->wraps &&
           a->take[0] == b->take[0] && a->take[1] == b->take[1];
}

/* An earlier track with the same walk, or NULL. */
static const struct rd_track *same_track(const struct rd_plan *p, const struct rd_walk_of *walk,
                                         int32_t number)
{
    for (int32_t i = 0; i < number; i++)
        if (p->mover[i / 3].kind == RD_MOVE_ROWS && is_same_walk(&walk[i], &walk[number]))
            return &p->mover[i / 3].track[i % 3];
    return NULL;
}

/* Rows for species s along the axis; species and axes that walk alike share them. */
static bool add_track(struct rd_plan *p, struct rd_walk_of *walk, int32_t s, int axis,
                      struct rd_error *e)
{
    const int32_t number = 3 * s + axis;
    struct rd_track *const track = &p->mover[s].track[axis];
    const struct rd_track *const same = same_track(p, walk, number);
    if (same)
        *track = *same;
    else if (!rd_rows_add(&p->rows, &walk[number], track, e))
        return false;
    track->lo = p->home[s].lo[axis];
    track->hi = p->home[s].hi[axis];
    return true;
}

/* The gate of inner cells, or of none if no cell is inner. */
static void set_gate(struct rd_plan *p, struct rd_mover *m)
{
    double q[3] = {0.0, 0.0, 0.0};
    for (int axis = 0; axis < 3; axis++) {
        const struct rd_track *const t = &m->track[axis];
        if (t->reach < t->hi - t->lo)
            q[axis] = p->rows.row[t->first + t->reach].leave;
    }
    m->inner = rd_gate_of(q);
}

/* The places that are inner ones for every bulk species that moves by rows. */
static void set_inner(struct rd_plan *p)
{
    for (int axis = 0; axis < 3; axis++) {
        int32_t *const inner = p->world.inner[axis];
        inner[0] = 0;
        inner[1] = p->world.size[axis];
        for (int32_t s = 0; s < p->world.n_species; s++) {
            const struct rd_track *const t = &p->mover[s].track[axis];
            if (p->mover[s].kind != RD_MOVE_ROWS || p->mover[s].is_listed)
                continue;
            inner[0] = t->lo + t->reach > inner[0] ? t->lo + t->reach : inner[0];
            inner[1] = t->hi - t->reach < inner[1] ? t->hi - t->reach : inner[1];
        }
    }
}

bool rd_plan_tracks(struct rd_plan *p, struct rd_error *e)
{
    rd_rows_free(&p->rows);
    if (!set_moves(p, e))
        return false;
    const double step = p->step / (double)p->moves;
    struct rd_walk_of *const walk = calloc((size_t)p->world.n_species * 3, sizeof *walk);
    bool ok = walk != NULL || rd_fail(e, "out of memory for the tables of movement");
    for (int32_t s = 0; ok && s < p->world.n_species; s++) {
        struct rd_mover *const m = &p->mover[s];
        for (int axis = 0; ok && axis < 3 && m->kind == RD_MOVE_ROWS; axis++) {
            walk[3 * s + axis] = walk_of(p, s, axis, step);
            ok = add_track(p, walk, s, axis, e);
        }
        if (ok && m->kind == RD_MOVE_ROWS)
            set_gate(p, m);
    }
    for (int64_t i = 0; i < p->world.n_mover; i++) {
        struct rd_mover *const m = &p->mover[i];
        m->chance = -rd_expm1(-m->total * step);
        m->leave = rd_threshold(m->chance);
    }
    set_inner(p);
    free(walk);
    return ok;
}
