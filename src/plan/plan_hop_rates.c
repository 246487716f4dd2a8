/* plan_hop_rates - how often the molecules of a species hop: from its diffusivity and drift, which
   may be the same everywhere, in each zone, or in each cell. */
#include "plan/plan_hop_rates.h"

#include "kernels/passes/movement/walk.h"

#include <stdio.h>
#include <stdlib.h>

/* What does not tell one cell of a zone from another; and what does not change. */
enum {
    USES_SHARED = RD_USES_PARAMETERS | RD_USES_VOLUME | RD_USES_REGIONS,
    USES_LASTING = USES_SHARED | RD_USES_SPACE | RD_USES_FIELDS
};

bool rd_plan_has_own_motion(const struct rd_species *s)
{
    return s->is_individual && (rd_model_motion_uses(s) & ~(unsigned)USES_SHARED) != 0;
}

bool rd_plan_is_zoned(const struct rd_species *s)
{
    const unsigned uses = rd_model_motion_uses(s);
    return (uses & RD_USES_REGIONS) && !(uses & ~(unsigned)USES_SHARED);
}

bool rd_plan_is_placed(const struct rd_species *s)
{
    const unsigned uses = rd_model_motion_uses(s);
    return !s->is_individual && (uses & (RD_USES_SPACE | RD_USES_FIELDS)) &&
           !(uses & ~(unsigned)USES_LASTING);
}

bool rd_plan_is_changing(const struct rd_species *s)
{
    return !s->is_individual && (rd_model_motion_uses(s) & ~(unsigned)USES_LASTING) != 0;
}

/* A species, and where. */
struct spot {
    const struct rd_plan *p;
    const struct rd_species *s;
    int32_t number;        /* canonical */
    int32_t zone;          /* -1: everywhere, or the cell */
    struct rd_place place; /* of a cell; else site -1 */
    struct rd_scene scene; /* with counts as they are at the start, alike in all cells */
};

/* What is not known of the start: slopes, fields that change, mean places. */
static const struct rd_sight nothing_beside = {.ahead = {0, 0, 0}};
static const double nothing[3 * RD_MAX_SPECIES] = {0};

static struct spot spot_of(const struct rd_plan *p, int32_t number, const double *value)
{
    return (struct spot){.p = p,
                         .s = &p->model->species[p->species_of[number]],
                         .number = number,
                         .zone = -1,
                         .place.site = -1,
                         .scene = {.volume = p->world.volume,
                                   .parameter = value,
                                   .count = p->usual,
                                   .stride = 1,
                                   .sight = &nothing_beside,
                                   .varying = nothing,
                                   .mean = nothing}};
}

static void go_to_zone(struct spot *at, int32_t zone)
{
    at->zone = zone;
    at->scene.regions = at->p->zone_regions[zone];
}

static void go_to_site(struct spot *at, int64_t site)
{
    const struct rd_scene before = at->scene;
    at->place = rd_place_of(&at->p->world, site);
    at->scene = rd_scene_at(&at->p->world, &at->place);
    at->scene.parameter = before.parameter;
    at->scene.count = before.count;
    at->scene.stride = before.stride;
    at->scene.sight = before.sight;
    at->scene.varying = before.varying;
    at->scene.varying_stride = 0;
    at->scene.mean = before.mean;
}

/* " in 'gel', 'left'", " outside of all that it names", " in cell 3, at 0.5", or ""
   where it is the same everywhere. */
static void print_spot(const struct spot *at, char *text, size_t bytes)
{
    size_t used = 0;
    snprintf(text, bytes, "%s", at->zone >= 0 ? " outside of all regions that it names" : "");
    for (int r = 0; at->zone >= 0 && r < at->p->model->n_regions && used < bytes; r++)
        if (at->scene.regions >> r & 1)
            used += (size_t)snprintf(text + used, bytes - used, "%s'%.40s'", used ? ", " : " in ",
                                     at->p->model->region[r].name);
    const struct rd_grid *const g = &at->p->model->grid;
    const double point[] = {at->scene.x, at->scene.y, at->scene.z};
    if (at->place.site >= 0)
        snprintf(text, bytes, " in cell %s, at %s", rd_grid_cell(g, at->place.at).text,
                 rd_grid_point(g, point).text);
}

static bool set_axis(const struct spot *at, struct rd_pace *pace, int axis, struct rd_error *e)
{
    const struct rd_species *const s = at->s;
    const double diffusion = rd_expr_value(&s->diffusion[axis], &at->scene);
    const double drift = rd_expr_value(&s->drift[axis], &at->scene);
    char where[200];
    if (!(diffusion >= 0.0) || !rd_is_finite(diffusion)) {
        print_spot(at, where, sizeof where);
        return rd_fail(e, "%s: species '%s': diffusion along %c is %g%s; it must be a number >= 0",
                       s->place, s->name, "xyz"[axis], diffusion, where);
    }
    if (!rd_is_finite(drift)) {
        print_spot(at, where, sizeof where);
        return rd_fail(e, "%s: species '%s': drift along %c is %g%s; it must be a finite number",
                       s->place, s->name, "xyz"[axis], drift, where);
    }
    rd_rates_of(diffusion, drift, at->p->world.edge[axis], &pace->rate[2 * axis]);
    return true;
}

/* Whether anything can happen along the axis: a single cell that wraps or is shut has nowhere. */
static bool is_axis_idle(const struct rd_plan *p, int32_t s, int axis)
{
    const struct rd_mover *const m = &p->mover[s];
    const struct rd_home *const home = &p->home[s];
    if (home->is_box ? home->hi[axis] - home->lo[axis] > 1 : p->world.size[axis] > 1)
        return false;
    const bool low_takes = home->lo[axis] == 0 && m->pass[2 * axis] > 0.0;
    const bool high_takes = home->hi[axis] == p->world.size[axis] && m->pass[2 * axis + 1] > 0.0;
    return !low_takes && !high_takes;
}

static bool set_pace(const struct spot *at, struct rd_pace *pace, struct rd_error *e)
{
    bool ok = true;
    *pace = (struct rd_pace){.total = 0.0};
    for (int axis = 0; axis < 3; axis++) {
        ok = set_axis(at, pace, axis, e) && ok;
        if (is_axis_idle(at->p, at->number, axis))
            pace->rate[2 * axis] = pace->rate[2 * axis + 1] = 0.0;
        pace->total += pace->rate[2 * axis] + pace->rate[2 * axis + 1];
    }
    return ok;
}

/* Each rate becomes the higher one of both. */
static void take_higher(struct rd_pace *all, const struct rd_pace *one)
{
    all->total = 0.0;
    for (int face = 0; face < RD_FACES; face++) {
        all->rate[face] = all->rate[face] > one->rate[face] ? all->rate[face] : one->rate[face];
        all->total += all->rate[face];
    }
}

/* What the paces of a species have in common. */
struct summary {
    int64_t n;
    bool differ;
    struct rd_pace highest;
};

static void note(struct summary *all, const struct rd_pace *one)
{
    all->differ =
        all->differ || (all->n > 0 && memcmp(one->rate, all->highest.rate, sizeof one->rate) != 0);
    if (all->n++ == 0)
        all->highest = *one;
    else
        take_higher(&all->highest, one);
}

/* One of each zone in which it lives; those of the others are 0. */
static bool set_zones(struct rd_plan *p, struct spot *at, struct summary *all, struct rd_error *e)
{
    bool ok = true;
    for (int32_t zone = 0; zone < p->world.zone_count; zone++) {
        struct rd_pace *const pace = &p->pace[p->world.n_pace++];
        *pace = (struct rd_pace){.total = 0.0};
        if (!rd_plan_lives(p, at->s, zone))
            continue;
        go_to_zone(at, zone);
        ok = set_pace(at, pace, e) && ok;
        note(all, pace);
    }
    return ok;
}

/* One of each site in which it lives, likewise. The first that cannot be is told. */
static bool set_sites(struct rd_plan *p, struct spot *at, struct summary *all, struct rd_error *e)
{
    bool ok = true;
    for (int64_t site = 0; ok && site < p->world.n_sites; site++) {
        struct rd_pace *const pace = &p->pace[p->world.n_pace++];
        *pace = (struct rd_pace){.total = 0.0};
        if (!rd_is_in(&p->world, at->s->region, site))
            continue;
        go_to_site(at, site);
        ok = set_pace(at, pace, e);
        note(all, pace);
    }
    return ok;
}

/* The highest rates where counts are as at the start: what is not possible there may never be
   asked for, and is told when it is. */
static void guess(struct rd_plan *p, struct spot *at)
{
    struct rd_mover *const m = &p->mover[at->number];
    struct rd_error unsaid = {0};
    struct rd_pace pace;
    for (int64_t site = 0; site < p->world.n_sites; site++) {
        if (!rd_is_in(&p->world, at->s->region, site))
            continue;
        go_to_site(at, site);
        if (set_pace(at, &pace, &unsaid))
            take_higher(&m->pace, &pace);
    }
    rd_error_free(&unsaid);
    m->paced = RD_PACE_BY_CELL;
}

bool rd_plan_pace(struct rd_plan *p, int32_t number, const double *value, struct rd_error *e)
{
    struct rd_mover *const m = &p->mover[number];
    struct spot at = spot_of(p, number, value);
    const int64_t first = p->world.n_pace;
    const bool is_zoned = rd_plan_is_zoned(at.s);
    m->paced = RD_PACE_ALIKE;
    if (rd_plan_has_own_motion(at.s))
        return true;
    if (rd_plan_is_changing(at.s)) {
        guess(p, &at);
        return true;
    }
    if (!is_zoned && !rd_plan_is_placed(at.s))
        return set_pace(&at, &m->pace, e);
    struct summary all = {0};
    const bool ok = is_zoned ? set_zones(p, &at, &all, e) : set_sites(p, &at, &all, e);
    m->pace = all.highest;
    if (all.differ) {
        m->paced = is_zoned ? RD_PACE_BY_ZONE : RD_PACE_BY_SITE;
        m->paces = first;
    } else {
        p->world.n_pace = first;
    }
    return ok;
}

bool rd_plan_take_paces(struct rd_plan *p, struct rd_error *e)
{
    const struct rd_model *const m = p->model;
    size_t n = 0;
    for (int32_t s = 0; s < m->n_species; s++) {
        const bool is_placed = rd_plan_is_placed(&m->species[s]);
        p->world.is_placed = p->world.is_placed || is_placed;
        if (rd_plan_is_changing(&m->species[s]))
            p->world.n_roaming = p->world.n_cells;
        n += rd_plan_is_zoned(&m->species[s]) ? (size_t)p->world.zone_count
             : is_placed                      ? (size_t)p->world.n_sites
                                              : 0;
    }
    p->pace = malloc(n * sizeof *p->pace + 1);
    return p->pace || rd_fail(e, "out of memory for the movement in %zu zones and cells", n);
}

bool rd_plan_roamers(struct rd_plan *p, const double *value, struct rd_error *e)
{
    int64_t paces = 0;
    p->is_steered = false;
    for (int32_t s = 0; s < p->world.n_species; s++) {
        struct rd_mover *const m = &p->mover[s];
        unsigned uses;
        if (m->kind != RD_MOVE_ROAM)
            continue;
        if (!rd_plan_motion(p, &p->model->species[p->species_of[s]], value, &m->motion, &uses, e))
            return false;
        m->paces = paces;
        m->is_led = (uses & (RD_USES_COUNTS | RD_USES_SLOPES)) != 0;
        p->is_steered = p->is_steered || m->is_led || (uses & (RD_USES_MEANS | RD_USES_VARYING));
        paces += p->world.n_cells;
    }
    return true;
}

/* The chance that a hop is tried in the time. */
static void set_chance(struct rd_pace *pace, double time)
{
    pace->chance = -rd_expm1(-pace->total * time);
}

void rd_plan_pace_steps(struct rd_plan *p, double time)
{
    for (int32_t s = 0; s < p->world.n_species; s++)
        set_chance(&p->mover[s].pace, time);
    for (int64_t i = 0; i < p->world.n_pace; i++)
        set_chance(&p->pace[i], time);
}

/* What the lattice makes of the diffusivity at the spot, and what was asked for. */
static bool exceeds(const struct spot *at, int axis, double *asked, double *made)
{
    const double drift = rd_expr_value(&at->s->drift[axis], &at->scene);
    *asked = rd_expr_value(&at->s->diffusion[axis], &at->scene);
    *made = (drift < 0.0 ? -drift : drift) * at->p->world.edge[axis] / 2.0;
    return *made > *asked * (1.0 + 1e-9);
}

struct rd_excess rd_plan_excess(const struct rd_plan *p, int32_t species, int axis,
                                const double *value)
{
    struct rd_excess x = {0};
    struct spot at = spot_of(p, species, value);
    const bool is_asked_alike = p->mover[species].paced == RD_PACE_ALIKE &&
                                !rd_plan_is_zoned(at.s) && !rd_plan_is_placed(at.s);
    double asked, made;
    for (int64_t site = 0; site < (is_asked_alike ? 1 : p->world.n_sites); site++) {
        if (!is_asked_alike && !rd_is_in(&p->world, at.s->region, site))
            continue;
        if (!is_asked_alike)
            go_to_site(&at, site);
        x.of++;
        if (!exceeds(&at, axis, &asked, &made))
            continue;
        if (x.n++ > 0 && made - asked <= x.made - x.asked)
            continue;
        x.asked = asked;
        x.made = made;
        memcpy(x.at, at.place.at, sizeof x.at);
    }
    return x;
}
