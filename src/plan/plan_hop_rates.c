/* plan_hop_rates - hop rates of species from diffusivity and drift, for all voxels, each zone or
   each voxel. */
#include "plan/plan.h"

#include "kernels/passes/movement/walk.h"
#include "model/borders.h"
#include "model/surface.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Variables that are equal in all voxels of a zone; and variables that are constant in time. */
enum {
    USES_SHARED = RD_USES_PARAMETERS | RD_USES_VOLUME | RD_USES_REGIONS,
    USES_LASTING = USES_SHARED | RD_USES_SPACE | RD_USES_FIELDS
};

enum rd_motion rd_motion_of(const struct rd_species *s)
{
    const unsigned uses = rd_model_motion_uses(s);
    if (s->surface >= 0)
        return RD_MOTION_BY_PLACE;
    if (s->is_individual && (uses & ~(unsigned)USES_SHARED))
        return RD_MOTION_OWN;
    if (uses & ~(unsigned)USES_LASTING)
        return RD_MOTION_BY_STATE;
    if (s->is_permeating || (uses & (RD_USES_SPACE | RD_USES_FIELDS)))
        return RD_MOTION_BY_PLACE;
    return uses & RD_USES_REGIONS ? RD_MOTION_BY_ZONE : RD_MOTION_EQUAL;
}

/* Describes a species and a place, with the variables there. */
struct hop_spot {
    const struct rd_plan *p;
    const struct rd_species *s;
    int32_t number;                      /* canonical */
    int32_t zone;                        /* -1: everywhere, or one voxel */
    struct rd_place place;               /* of the voxel; otherwise site is -1 */
    struct rd_eval_context eval_context; /* counts are those of the start, equal in all voxels */
};

/* Stand for variables without values at the start: gradients, varying fields, mean positions. */
static const struct rd_sight no_neighbours = {.ahead = {0, 0, 0}};
static const double nothing[4 * RD_FIELD_RATES_MOST] = {0};

static struct hop_spot hop_spot_of(const struct rd_plan *p, int32_t number, const double *value)
{
    return (struct hop_spot){.p = p,
                             .s = &p->model->species[p->species_of[number]],
                             .number = number,
                             .zone = -1,
                             .place.site = -1,
                             .eval_context = {.volume = p->world.lattice.volume,
                                              .parameter = value,
                                              .count = p->usual,
                                              .stride = 1,
                                              .sight = &no_neighbours,
                                              .varying = nothing,
                                              .mean = p->no_mean,
                                              .total = p->usual_total}};
}

static void go_to_zone(struct hop_spot *at, int32_t zone)
{
    at->zone = zone;
    at->eval_context.regions = at->p->zone_regions[zone];
}

static void go_to_site(struct hop_spot *at, int64_t site)
{
    const struct rd_eval_context before = at->eval_context;
    at->place = rd_place_of(&at->p->world.lattice, site);
    at->eval_context = rd_eval_context_at(&at->p->world, &at->place);
    at->eval_context.parameter = before.parameter;
    at->eval_context.count = before.count;
    at->eval_context.stride = before.stride;
    at->eval_context.sight = before.sight;
    at->eval_context.varying = before.varying;
    at->eval_context.varying_stride = 0;
    at->eval_context.mean = before.mean;
    at->eval_context.total = before.total;
}

/* Writes the place: " in 'gel', 'left'", " outside of all regions that it names", " in voxel 3, at
   0.5", or "" if the rates are equal everywhere. */
static void print_spot(const struct hop_spot *at, char *text, size_t bytes)
{
    size_t used = 0;
    snprintf(text, bytes, "%s", at->zone >= 0 ? " outside of all regions that it names" : "");
    for (int r = 0; at->zone >= 0 && r < at->p->model->n_regions && used < bytes; r++)
        if (at->eval_context.regions >> r & 1)
            used += (size_t)snprintf(text + used, bytes - used, "%s'%.40s'", used ? ", " : " in ",
                                     at->p->model->region[r].name);
    const struct rd_grid *const g = &at->p->model->grid;
    const double point[] = {at->eval_context.x, at->eval_context.y, at->eval_context.z};
    if (at->place.site >= 0)
        snprintf(text, bytes, " in voxel %s, at %s", rd_grid_voxel(g, at->place.at).text,
                 rd_grid_point(g, point).text);
}

static bool set_axis(const struct hop_spot *at, struct rd_hop_rate *hop_rate, int axis,
                     struct rd_error *e)
{
    const struct rd_species *const s = at->s;
    const double diffusion = rd_expr_value(&s->diffusion[axis], &at->eval_context);
    const double drift = rd_expr_value(&s->drift[axis], &at->eval_context);
    char where[200];
    if (!(diffusion >= 0.0) || !rd_is_finite(diffusion)) {
        print_spot(at, where, sizeof where);
        return rd_fail(e, "%s: species '%s': diffusion along %c is %g%s; give a number >= 0",
                       s->place, s->name, "xyz"[axis], diffusion, where);
    }
    if (!rd_is_finite(drift)) {
        print_spot(at, where, sizeof where);
        return rd_fail(e, "%s: species '%s': drift along %c is %g%s; give a finite number",
                       s->place, s->name, "xyz"[axis], drift, where);
    }
    rd_rates_of(diffusion, drift, at->p->world.lattice.edge[axis], &hop_rate->rate[2 * axis]);
    return true;
}

/* Returns whether no hop along the axis is possible, as in a single voxel with periodic or
   reflecting walls. */
static bool is_axis_idle(const struct rd_plan *p, int32_t s, int axis)
{
    const struct rd_transport *const m = &p->transport[s];
    const struct rd_bounds *const domain = &p->domain[s];
    if (domain->is_box ? domain->hi[axis] - domain->lo[axis] > 1 : p->world.lattice.size[axis] > 1)
        return false;
    const bool low_takes = domain->lo[axis] == 0 && m->pass[2 * axis] > 0.0;
    const bool high_takes =
        domain->hi[axis] == p->world.lattice.size[axis] && m->pass[2 * axis + 1] > 0.0;
    return !low_takes && !high_takes;
}

/* Sets the hop rates of a species on its surface. */
static bool set_on_surface(const struct hop_spot *at, struct rd_hop_rate *hop_rate,
                           struct rd_error *e)
{
    const struct rd_model *const m = at->p->model;
    const struct rd_surface *const surface = &m->surface[at->s->surface];
    const double diffusion = rd_expr_value(&at->s->diffusion[0], &at->eval_context);
    *hop_rate = (struct rd_hop_rate){.total = 0.0};
    if (!(diffusion >= 0.0) || !rd_is_finite(diffusion))
        return rd_fail(e, "%s: species '%s': diffusion is %g; it must be a number >= 0",
                       at->s->place, at->s->name, diffusion);
    if (diffusion > 0.0 && !rd_surface_is_mobile(m, at->s))
        return rd_fail(e,
                       "%s: species '%s': diffusion on the surface '%s' is 0 at the start and %g "
                       "later; start with a small number > 0",
                       at->s->place, at->s->name, m->region[surface->region].name, diffusion);
    if (diffusion > 0.0)
        rd_surface_rates(m, surface, rd_surface_at(surface, at->place.site), hop_rate->rate);
    for (int face = 0; face < RD_FACES; face++) {
        hop_rate->rate[face] *= diffusion;
        hop_rate->total += hop_rate->rate[face];
    }
    return true;
}

/* Sets the hop rates of a species without regard to borders. */
static bool set_free_hop_rate(const struct hop_spot *at, struct rd_hop_rate *hop_rate,
                              struct rd_error *e)
{
    if (at->s->surface >= 0)
        return set_on_surface(at, hop_rate, e);
    bool ok = true;
    *hop_rate = (struct rd_hop_rate){.total = 0.0};
    for (int axis = 0; axis < 3; axis++) {
        ok = set_axis(at, hop_rate, axis, e) && ok;
        if (is_axis_idle(at->p, at->number, axis))
            hop_rate->rate[2 * axis] = hop_rate->rate[2 * axis + 1] = 0.0;
        hop_rate->total += hop_rate->rate[2 * axis] + hop_rate->rate[2 * axis + 1];
    }
    return ok;
}

/* Returns the permeability times |n_k| of all borders that have one and that a hop from one voxel
   to another crosses, one behind the other; INFINITY if there are none. site: the one of the two
   before the face. */
static double permeability_between(const struct hop_spot *at, int64_t from, int64_t to,
                                   int64_t site, int axis)
{
    const struct rd_model *const m = at->p->model;
    const struct rd_eval_context eval_context = {.volume = at->p->world.lattice.volume,
                                                 .parameter = at->eval_context.parameter};
    double resistance = 0.0;
    for (int i = 0; i < m->n_borders; i++) {
        const struct rd_border *const b = &m->border[i];
        if (b->is_permeability && rd_borders_cross(b, m->mask[from], m->mask[to]) &&
            rd_borders_limit(m, b, at->p->species_of[at->number]))
            resistance +=
                1.0 / (rd_expr_value(&b->pass, &eval_context) * rd_borders_share(m, b, site, axis));
    }
    return 1.0 / resistance;
}

/* Returns the factor that a permeability gives to the rate of hops to a neighbour. Half an edge of
   either voxel lies before the membrane, and half behind it:

     flux = (P c - P' c') / (1 + h/2 (P/D + P'/D'))

   P is the permeability there, times |n_k|, and P' that of the way back, or P if no border limits
   it. mean, mean_there: D/h^2 and D'/h^2. */
static double membrane_factor(const struct hop_spot *at, int64_t to, int face, double mean,
                              double mean_there)
{
    const int axis = face / 2;
    const int64_t from = at->place.site, site = face % 2 ? from : to;
    const double ahead = permeability_between(at, from, to, site, axis);
    const double back = permeability_between(at, to, from, site, axis);
    if (ahead == INFINITY)
        return 1.0;
    const double h = at->p->world.lattice.edge[axis];
    const double here = ahead / (h * mean),
                 there = (back < INFINITY ? back : ahead) / (h * mean_there);
    return here / (1.0 + 0.5 * (here + there));
}

/* Returns the mean of the rates of hops forward and back along the axis. */
static double mean_rate(const struct rd_hop_rate *hop_rate, int axis)
{
    return 0.5 * (hop_rate->rate[2 * axis] + hop_rate->rate[2 * axis + 1]);
}

/* Returns the site to which a hop of the species leads, or its own one at a wall that is not
   periodic for it. */
static int64_t site_beyond(const struct hop_spot *at, int face)
{
    const int32_t *const size = at->p->world.lattice.size;
    const int axis = face / 2;
    const int64_t stride = axis == 0 ? 1 : axis == 1 ? size[0] : (int64_t)size[0] * size[1];
    return at->place.site + rd_neighbour_offset(face % 2, stride, size[axis], at->place.at[axis],
                                                at->p->transport[at->number].pass[face] < 0.0);
}

/* Slows the hops from a voxel that cross borders with a permeability. */
static bool cross_membranes(const struct hop_spot *at, struct rd_hop_rate *hop_rate,
                            struct rd_error *e)
{
    const struct rd_model *const m = at->p->model;
    const struct rd_hop_rate free = *hop_rate;
    hop_rate->total = 0.0;
    for (int face = 0; face < RD_FACES; face++) {
        const int64_t to = site_beyond(at, face);
        if (m->mask[to] != m->mask[at->place.site] && free.rate[face] > 0.0 &&
            rd_is_in(&at->p->world.lattice, at->s->region, to)) {
            struct hop_spot there = *at;
            struct rd_hop_rate beyond;
            go_to_site(&there, to);
            if (!set_free_hop_rate(&there, &beyond, e))
                return false;
            hop_rate->rate[face] *= membrane_factor(at, to, face, mean_rate(&free, face / 2),
                                                    mean_rate(&beyond, face / 2));
        }
        hop_rate->total += hop_rate->rate[face];
    }
    return true;
}

static bool set_hop_rate(const struct hop_spot *at, struct rd_hop_rate *hop_rate,
                         struct rd_error *e)
{
    return set_free_hop_rate(at, hop_rate, e) &&
           (!at->s->is_permeating || cross_membranes(at, hop_rate, e));
}

/* Raises each rate of `all` to that of `one` if it is higher. */
static void take_higher(struct rd_hop_rate *all, const struct rd_hop_rate *one)
{
    all->total = 0.0;
    for (int face = 0; face < RD_FACES; face++) {
        all->rate[face] = all->rate[face] > one->rate[face] ? all->rate[face] : one->rate[face];
        all->total += all->rate[face];
    }
}

/* Describes the highest hop rates of a species, and whether its hop rates differ. */
struct summary {
    int64_t n;
    bool differ;
    struct rd_hop_rate highest;
};

static void note_hop_rate(struct summary *all, const struct rd_hop_rate *one)
{
    all->differ =
        all->differ || (all->n > 0 && memcmp(one->rate, all->highest.rate, sizeof one->rate) != 0);
    if (all->n++ == 0)
        all->highest = *one;
    else
        take_higher(&all->highest, one);
}

/* Sets the hop rates of each zone in which the species lives; those of other zones are 0. */
static bool set_zones(struct rd_plan *p, struct hop_spot *at, struct summary *all,
                      struct rd_error *e)
{
    bool ok = true;
    for (int32_t zone = 0; zone < p->world.lattice.zone_count; zone++) {
        struct rd_hop_rate *const hop_rate = &p->hop_rate[p->world.movement.n_hop_rate++];
        *hop_rate = (struct rd_hop_rate){.total = 0.0};
        if (!rd_plan_lives(p, at->s, zone))
            continue;
        go_to_zone(at, zone);
        ok = set_hop_rate(at, hop_rate, e) && ok;
        note_hop_rate(all, hop_rate);
    }
    return ok;
}

/* Returns whether the species moves at the same rates in all voxels that have no border. */
static bool is_alike_inside(const struct rd_species *s)
{
    return s->surface < 0 &&
           !(rd_model_motion_uses(s) & ~(unsigned)(RD_USES_PARAMETERS | RD_USES_VOLUME));
}

/* Returns whether a hop from the voxel leads to one with other regions. */
static bool is_at_border(const struct hop_spot *at)
{
    const uint64_t *const mask = at->p->model->mask;
    uint64_t other = 0;
    for (int face = 0; face < RD_FACES; face++)
        other |= mask[site_beyond(at, face)] ^ mask[at->place.site];
    return other != 0;
}

/* Sets the hop rates of each site in which the species lives; those of other sites are 0. Reports
   the first impossible one. Rates that are equal in all voxels without a border are evaluated
   once. */
static bool set_sites(struct rd_plan *p, struct hop_spot *at, struct summary *all,
                      struct rd_error *e)
{
    const bool is_alike = is_alike_inside(at->s) && p->model->mask;
    const struct rd_hop_rate *inside = NULL;
    bool ok = true;
    for (int64_t site = 0; ok && site < p->world.lattice.n_sites; site++) {
        struct rd_hop_rate *const hop_rate = &p->hop_rate[p->world.movement.n_hop_rate++];
        *hop_rate = (struct rd_hop_rate){.total = 0.0};
        if (!rd_is_in(&p->world.lattice, at->s->region, site))
            continue;
        if (is_alike)
            at->place = rd_place_of(&p->world.lattice, site);
        const bool is_inside = is_alike && !is_at_border(at);
        if (is_inside && inside) {
            *hop_rate = *inside;
            continue;
        }
        go_to_site(at, site);
        ok = set_hop_rate(at, hop_rate, e);
        note_hop_rate(all, hop_rate);
        inside = is_inside ? hop_rate : inside;
    }
    return ok;
}

/* Estimates the highest rates from the counts of the start. Impossible values are skipped, since
   they may never occur; they are reported when they do. */
static void guess(struct rd_plan *p, struct hop_spot *at)
{
    struct rd_transport *const m = &p->transport[at->number];
    struct rd_error ignored = {0};
    struct rd_hop_rate hop_rate;
    for (int64_t site = 0; site < p->world.lattice.n_sites; site++) {
        if (!rd_is_in(&p->world.lattice, at->s->region, site))
            continue;
        go_to_site(at, site);
        if (set_hop_rate(at, &hop_rate, &ignored))
            take_higher(&m->hop_rate, &hop_rate);
    }
    rd_error_free(&ignored);
    m->hop_rate_kind = RD_HOP_RATE_BY_VOXEL;
}

bool rd_plan_hop_rate(struct rd_plan *p, int32_t number, const double *value, struct rd_error *e)
{
    struct rd_transport *const m = &p->transport[number];
    struct hop_spot at = hop_spot_of(p, number, value);
    const int64_t first = p->world.movement.n_hop_rate;
    const enum rd_motion motion = p->motion_of[p->species_of[number]];
    const bool is_zoned = motion == RD_MOTION_BY_ZONE;
    m->hop_rate_kind = RD_HOP_RATE_ALIKE;
    if (motion == RD_MOTION_OWN)
        return true;
    if (motion == RD_MOTION_BY_STATE) {
        guess(p, &at);
        return true;
    }
    if (motion == RD_MOTION_EQUAL)
        return set_hop_rate(&at, &m->hop_rate, e);
    struct summary all = {0};
    const bool ok = is_zoned ? set_zones(p, &at, &all, e) : set_sites(p, &at, &all, e);
    m->hop_rate = all.highest;
    if (all.differ) {
        m->hop_rate_kind = is_zoned ? RD_HOP_RATE_BY_ZONE : RD_HOP_RATE_BY_SITE;
        m->hop_rates = first;
    } else {
        p->world.movement.n_hop_rate = first;
    }
    return ok;
}

bool rd_plan_take_hop_rates(struct rd_plan *p, struct rd_error *e)
{
    const struct rd_model *const m = p->model;
    size_t n = 0;
    for (int32_t s = 0; s < m->n_species; s++) {
        const enum rd_motion motion = p->motion_of[s];
        p->world.movement.is_placed = p->world.movement.is_placed || motion == RD_MOTION_BY_PLACE;
        if (motion == RD_MOTION_BY_STATE)
            p->world.items.n_substepped = p->world.lattice.n_voxels;
        n += motion == RD_MOTION_BY_ZONE    ? (size_t)p->world.lattice.zone_count
             : motion == RD_MOTION_BY_PLACE ? (size_t)p->world.lattice.n_sites
                                            : 0;
    }
    p->hop_rate = malloc(n * sizeof *p->hop_rate + 1);
    return p->hop_rate || rd_fail(e, "out of memory for the movement in %zu zones and voxels", n);
}

bool rd_plan_substepped(struct rd_plan *p, const double *value, struct rd_error *e)
{
    int64_t hop_rates = 0;
    p->is_by_state = false;
    for (int32_t s = 0; s < p->world.counts.n_species; s++) {
        struct rd_transport *const m = &p->transport[s];
        unsigned uses;
        if (m->kind != RD_MOVE_SUBSTEPS)
            continue;
        if (!rd_plan_motion(p, &p->model->species[p->species_of[s]], value, &m->motion, &uses, e))
            return false;
        m->hop_rates = hop_rates;
        m->is_by_counts = (uses & (RD_USES_COUNTS | RD_USES_SLOPES)) != 0;
        p->is_by_state = p->is_by_state || m->is_by_counts ||
                         (uses & (RD_USES_MEANS | RD_USES_VARYING | RD_USES_TOTALS));
        hop_rates += p->world.lattice.n_voxels;
    }
    return true;
}

/* Sets the probability of at least one attempt to hop in the time. */
static void set_probability(struct rd_hop_rate *hop_rate, double time)
{
    hop_rate->probability = -rd_expm1(-hop_rate->total * time);
}

void rd_plan_hop_rate_steps(struct rd_plan *p, double time)
{
    for (int32_t s = 0; s < p->world.counts.n_species; s++)
        set_probability(&p->transport[s].hop_rate, time);
    for (int64_t i = 0; i < p->world.movement.n_hop_rate; i++)
        if (i > 0 && p->hop_rate[i].total == p->hop_rate[i - 1].total)
            p->hop_rate[i].probability = p->hop_rate[i - 1].probability;
        else
            set_probability(&p->hop_rate[i], time);
}

/* Computes the diffusivity that the lattice needs for the drift at the spot, and the configured
   one; returns whether it is larger. */
static bool exceeds(const struct hop_spot *at, int axis, double *configured, double *actual)
{
    const double drift = rd_expr_value(&at->s->drift[axis], &at->eval_context);
    *configured = rd_expr_value(&at->s->diffusion[axis], &at->eval_context);
    *actual = (drift < 0.0 ? -drift : drift) * at->p->world.lattice.edge[axis] / 2.0;
    return *actual > *configured * (1.0 + 1e-9);
}

struct rd_excess rd_plan_excess(const struct rd_plan *p, int32_t species, int axis,
                                const double *value)
{
    struct rd_excess x = {0};
    struct hop_spot at = hop_spot_of(p, species, value);
    const enum rd_motion motion = p->motion_of[p->species_of[species]];
    const bool is_alike = p->transport[species].hop_rate_kind == RD_HOP_RATE_ALIKE &&
                          motion != RD_MOTION_BY_ZONE && motion != RD_MOTION_BY_PLACE;
    double configured, actual;
    for (int64_t site = 0; site < (is_alike ? 1 : p->world.lattice.n_sites); site++) {
        if (!is_alike && !rd_is_in(&p->world.lattice, at.s->region, site))
            continue;
        if (!is_alike)
            go_to_site(&at, site);
        x.of++;
        if (!exceeds(&at, axis, &configured, &actual)) {
            if (is_alike_inside(at.s))
                break; /* nor does any other voxel */
            continue;
        }
        if (x.n++ > 0 && actual - configured <= x.actual - x.configured)
            continue;
        x.configured = configured;
        x.actual = actual;
        memcpy(x.at, at.place.at, sizeof x.at);
    }
    return x;
}
