/* plan_transport - walls and the kind of transport of each species; for a step, axis tables and
   tables of uniformised walks (kernels/passes/movement/uniformised_walk.h). */
#include "kernels/passes/movement/departure.h"
#include "plan/plan.h"

#include <stdlib.h>

static bool check_probability(const struct rd_species *s, int face, double probability,
                              struct rd_error *e)
{
    static const char *const name[RD_FACES] = {"xmin", "xmax", "ymin", "ymax", "zmin", "zmax"};
    if (probability >= 0.0 && probability <= 1.0)
        return true;
    return rd_fail(e,
                   "%s: species '%s': the probability of wall %s is %g; give a number from 0 to 1",
                   s->place, s->name, name[face], probability);
}

static bool set_wall(const struct rd_species *s, struct rd_transport *m, int face,
                     const struct rd_eval_context *eval_context, struct rd_error *e)
{
    const struct rd_wall *const wall = &s->wall[face];
    m->mean[face] = 0.0;
    switch (wall->kind) {
    case RD_WALL_REFLECT:
    case RD_WALL_BALLISTIC:
        m->pass[face] = 0.0;
        return true;
    case RD_WALL_PERIODIC:
        m->pass[face] = -1.0;
        return true;
    case RD_WALL_ABSORB:
        m->pass[face] = rd_expr_value(&wall->probability, eval_context);
        return check_probability(s, face, m->pass[face], e);
    case RD_WALL_RESERVOIR:
        break;
    }
    const double mean = m->mean[face] = rd_expr_value(&wall->mean, eval_context);
    m->pass[face] = 1.0;
    if (mean >= 0.0 && mean <= INT32_MAX)
        return true;
    return rd_fail(e,
                   "%s: species '%s': the mean of a reservoir is %g; give a number from 0 to "
                   "2147483647, the largest count of a voxel",
                   s->place, s->name, mean);
}

static int32_t kind_of_transport(const struct rd_plan *p, int32_t number)
{
    const struct rd_transport *const m = &p->transport[number];
    if (p->motion_of[p->species_of[number]] == RD_MOTION_OWN)
        return RD_MOVE_OWN;
    if (m->hop_rate_kind == RD_HOP_RATE_BY_VOXEL)
        return RD_MOVE_SUBSTEPS;
    if (!(m->hop_rate.total > 0.0))
        return RD_MOVE_NOT;
    const bool is_alike =
        p->domain[number].is_box && m->hop_rate_kind == RD_HOP_RATE_ALIKE && m->borders < 0;
    return is_alike ? RD_MOVE_DISPLACEMENTS : RD_MOVE_WALK;
}

static bool set_transport(struct rd_plan *p, int32_t number, const double *value,
                          struct rd_error *e)
{
    struct rd_transport *const m = &p->transport[number];
    const struct rd_species *const s = &p->model->species[p->species_of[number]];
    const struct rd_eval_context eval_context = {.volume = p->world.lattice.volume,
                                                 .parameter = value};
    *m = (struct rd_transport){.region = s->region,
                               .borders = m->borders,
                               .uniformised_walks = -1,
                               .is_listed = p->list_of[number] >= 0,
                               .is_mixed = s->compartment >= 0,
                               .list = p->list_of[number]};
    bool ok = true;
    for (int face = 0; face < RD_FACES; face++)
        ok = set_wall(s, m, face, &eval_context, e) && ok;
    ok = rd_plan_hop_rate(p, number, value, e) && ok;
    m->kind = kind_of_transport(p, number);
    return ok;
}

bool rd_plan_transports(struct rd_plan *p, const double *value, struct rd_error *e)
{
    bool ok = rd_plan_borders(p, value, e), moves = false;
    p->world.movement.n_hop_rate = 0;
    for (int32_t s = 0; s < p->world.counts.n_species; s++) {
        const struct rd_transport *const m = &p->transport[s];
        ok = set_transport(p, s, value, e) && ok;
        moves = moves || (m->kind != RD_MOVE_NOT && !m->is_listed);
    }
    p->world.items.n_moving = moves ? p->world.lattice.n_voxels : 0;
    return ok;
}

/* Sets the number of movements in a step, so that none has more hops than the tables allow. */
static bool set_moves(struct rd_plan *p, struct rd_error *e)
{
    double most = 0.0;
    for (int32_t s = 0; s < p->world.counts.n_species; s++)
        for (int axis = 0; axis < 3; axis++) {
            const double rate = p->transport[s].hop_rate.rate[2 * axis] +
                                p->transport[s].hop_rate.rate[2 * axis + 1];
            most = rate > most ? rate : most;
        }
    const double moves = most * p->step / RD_DISPLACEMENTS_MOST;
    if (!(most * p->step <= RD_HOPS_MOST * (1.0 + 1e-6))) /* steps are rounded */
        return rd_fail(
            e, "a step of %g has %.3g hops along one axis, more than %g; set a shorter time.step",
            p->step, most * p->step, RD_HOPS_MOST);
    p->moves = (int32_t)moves + (moves > (double)(int32_t)moves || moves == 0.0);
    return true;
}

/* Returns the walk of a species along an axis of the bounding box of its region. */
static struct rd_walk_of walk_of(const struct rd_plan *p, int32_t s, int axis, double step)
{
    const struct rd_transport *const m = &p->transport[s];
    const struct rd_bounds *const domain = &p->domain[s];
    struct rd_walk_of walk = {.forward = m->hop_rate.rate[2 * axis + 1] * step,
                              .back = m->hop_rate.rate[2 * axis] * step,
                              .n = domain->hi[axis] - domain->lo[axis]};
    const bool is_whole = walk.n == p->world.lattice.size[axis];
    walk.wraps = is_whole && m->pass[2 * axis] < 0.0;
    if (domain->lo[axis] == 0 && m->pass[2 * axis] > 0.0)
        walk.take[0] = m->pass[2 * axis];
    if (domain->hi[axis] == p->world.lattice.size[axis] && m->pass[2 * axis + 1] > 0.0)
        walk.take[1] = m->pass[2 * axis + 1];
    return walk;
}

static bool is_same_walk(const struct rd_walk_of *a, const struct rd_walk_of *b)
{
    return a->forward == b->forward && a->back == b->back && a->n == b->n && a->wraps == b->wraps &&
           a->take[0] == b->take[0] && a->take[1] == b->take[1];
}

/* Returns the axis table of an earlier species or axis with the same walk, or NULL. */
static const struct rd_axis_table *same_axis_table(const struct rd_plan *p,
                                                   const struct rd_walk_of *walk, int32_t number)
{
    for (int32_t i = 0; i < number; i++)
        if (p->transport[i / 3].kind == RD_MOVE_DISPLACEMENTS &&
            is_same_walk(&walk[i], &walk[number]))
            return &p->transport[i / 3].axis_table[i % 3];
    return NULL;
}

/* Makes the axis table of species s along the axis; equal walks share their distributions. */
static bool add_axis_table(struct rd_plan *p, struct rd_walk_of *walk, int32_t s, int axis,
                           struct rd_error *e)
{
    const int32_t number = 3 * s + axis;
    struct rd_axis_table *const axis_table = &p->transport[s].axis_table[axis];
    const struct rd_axis_table *const same = same_axis_table(p, walk, number);
    if (same)
        *axis_table = *same;
    else if (!rd_displacements_add(&p->displacements, &walk[number], axis_table, e))
        return false;
    axis_table->lo = p->domain[s].lo[axis];
    axis_table->hi = p->domain[s].hi[axis];
    return true;
}

/* Sets the departure probabilities of inner voxels; axes without inner voxels count as 0. */
static void set_departure(struct rd_plan *p, struct rd_transport *m)
{
    double q[3] = {0.0, 0.0, 0.0};
    for (int axis = 0; axis < 3; axis++) {
        const struct rd_axis_table *const t = &m->axis_table[axis];
        if (t->reach < t->hi - t->lo)
            q[axis] = p->displacements.displacement[t->first + t->reach].leave;
    }
    m->inner = rd_departure_of(q);
}

/* Sets the range of places that are inner ones for every counted species with displacement
   distributions. */
static void set_inner(struct rd_plan *p)
{
    for (int axis = 0; axis < 3; axis++) {
        int32_t *const inner = p->world.movement.inner[axis];
        inner[0] = 0;
        inner[1] = p->world.lattice.size[axis];
        for (int32_t s = 0; s < p->world.counts.n_species; s++) {
            const struct rd_axis_table *const t = &p->transport[s].axis_table[axis];
            if (p->transport[s].kind != RD_MOVE_DISPLACEMENTS || p->transport[s].is_listed)
                continue;
            inner[0] = t->lo + t->reach > inner[0] ? t->lo + t->reach : inner[0];
            inner[1] = t->hi - t->reach < inner[1] ? t->hi - t->reach : inner[1];
        }
    }
}

/* Returns the number of hop rates of the species that need tables; 0 if it makes no uniformised
   walk. */
static int32_t n_hop_rates_of(const struct rd_plan *p, int32_t s)
{
    const struct rd_transport *const m = &p->transport[s];
    if (m->kind != RD_MOVE_WALK)
        return 0;
    return m->hop_rate_kind == RD_HOP_RATE_ALIKE     ? 1
           : m->hop_rate_kind == RD_HOP_RATE_BY_ZONE ? p->world.lattice.zone_count
                                                     : 0;
}

/* Computes the thresholds of random words for the faces at the total rate `total`. If the rates add
   up to less, the rest are attempts that fail. Returns the last number that a word may select. */
static int32_t set_ways(uint32_t below[RD_FACES], const struct rd_hop_rate *hop_rate, double total)
{
    int32_t last = 0;
    double sum = 0.0;
    for (int face = 0; face < RD_FACES; face++) {
        sum += hop_rate->rate[face];
        const double share = sum / total;
        below[face] = share >= 1.0 ? UINT32_MAX : (uint32_t)(share * 4294967296.0);
        last = hop_rate->rate[face] > 0.0 ? face : last;
    }
    return hop_rate->total < total ? RD_FACES : last;
}

/* Adds the walks of a species; `most` is its highest total rate. */
static bool add_uniformised_walks(struct rd_plan *p, const struct rd_hop_rate *hop_rate, int32_t n,
                                  double most, double time, struct rd_error *e)
{
    bool ok = true;
    for (int32_t i = 0; ok && i < n; i++) {
        struct rd_uniformised_walk *const t =
            &p->uniformised_walk[p->world.movement.n_uniformised_walk++];
        *t = (struct rd_uniformised_walk){.first_last = 0};
        t->next_last = set_ways(t->next, &hop_rate[i], most);
        if (!(hop_rate[i].total > 0.0))
            continue;
        t->first_last = set_ways(t->first, &hop_rate[i], hop_rate[i].total);
        ok = rd_displacements_add_tries(&p->displacements, most * time, hop_rate[i].total / most,
                                        &t->tries, e);
    }
    return ok;
}

static bool make_uniformised_walks(struct rd_plan *p, double time, struct rd_error *e)
{
    size_t n = 0;
    for (int32_t s = 0; s < p->world.counts.n_species; s++)
        n += (size_t)n_hop_rates_of(p, s);
    free(p->uniformised_walk);
    p->uniformised_walk = n > 0 ? malloc(n * sizeof *p->uniformised_walk) : NULL;
    p->world.movement.n_uniformised_walk = 0;
    p->world.movement.has_uniformised_walks = 0;
    bool ok =
        n == 0 || p->uniformised_walk || rd_fail(e, "out of memory for the tables of movement");
    for (int32_t s = 0; ok && s < p->world.counts.n_species; s++) {
        struct rd_transport *const m = &p->transport[s];
        const int32_t n_hop_rates = n_hop_rates_of(p, s);
        const struct rd_hop_rate *const hop_rate =
            m->hop_rate_kind == RD_HOP_RATE_ALIKE ? &m->hop_rate : p->hop_rate + m->hop_rates;
        double most = 0.0;
        m->uniformised_walks = n_hop_rates > 0 ? (int32_t)p->world.movement.n_uniformised_walk : -1;
        p->world.movement.has_uniformised_walks |= n_hop_rates > 0 && !m->is_listed;
        for (int32_t i = 0; i < n_hop_rates; i++)
            most = hop_rate[i].total > most ? hop_rate[i].total : most;
        ok = add_uniformised_walks(p, hop_rate, n_hop_rates, most, time, e);
    }
    return ok;
}

/* Notes which lists move by displacement distributions that are the same everywhere, and which by
   rates of each individual. */
static void note_moves(struct rd_plan *p)
{
    for (int64_t i = 0; i < p->world.lists.n_list; i++) {
        const struct rd_transport *const m = &p->transport[p->list[i].species];
        bool is_alike = m->kind == RD_MOVE_DISPLACEMENTS;
        for (int axis = 0; axis < 3; axis++)
            is_alike = is_alike && m->axis_table[axis].reach == 0;
        p->list[i].moves_alike = is_alike;
        p->list[i].moves_by_rates = m->kind == RD_MOVE_OWN;
    }
}

bool rd_plan_axis_tables(struct rd_plan *p, struct rd_error *e)
{
    rd_displacements_free(&p->displacements);
    if (!set_moves(p, e))
        return false;
    const double step = p->step / (double)p->moves;
    struct rd_walk_of *const walk = calloc((size_t)p->world.counts.n_species * 3, sizeof *walk);
    bool ok = walk != NULL || rd_fail(e, "out of memory for the tables of movement");
    for (int32_t s = 0; ok && s < p->world.counts.n_species; s++) {
        struct rd_transport *const m = &p->transport[s];
        for (int axis = 0; ok && axis < 3 && m->kind == RD_MOVE_DISPLACEMENTS; axis++) {
            walk[3 * s + axis] = walk_of(p, s, axis, step);
            ok = add_axis_table(p, walk, s, axis, e);
        }
        if (ok && m->kind == RD_MOVE_DISPLACEMENTS)
            set_departure(p, m);
    }
    note_moves(p);
    rd_plan_hop_rate_steps(p, step);
    set_inner(p);
    free(walk);
    return ok && make_uniformised_walks(p, step, e);
}
