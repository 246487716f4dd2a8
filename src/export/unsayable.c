/* unsayable - finds everything in a model that SBML cannot say: space, individuals, fields, random
   draws. */
#include "export/export_model.h"
#include "model/borders.h"

#include <math.h>
#include <stdio.h>

static const char *const face_name[RD_FACES] = {"xmin", "xmax", "ymin", "ymax", "zmin", "zmax"};

/* Returns the place of a key in a group of the configuration. */
static const char *place_of_key(const struct rd_export *x, const char *group, const char *key)
{
    const rd_node *const node = rd_node_member(rd_config_root(x->config), group);
    const rd_node *const member = node ? rd_node_member(node, key) : NULL;
    return rd_node_place(x->config, member ? member : node);
}

/* ---- space ---- */

static bool is_zero_expr(const struct rd_expr *f)
{
    return f->n == 0 || (f->n == 1 && f->op[0].code == RD_OP_CONSTANT && f->op[0].value == 0.0);
}

static bool has_motion(const struct rd_species *s)
{
    bool has = false;
    for (int a = 0; a < 3; a++)
        has = has || !is_zero_expr(&s->diffusion[a]) || !is_zero_expr(&s->drift[a]);
    return has;
}

static bool refuse_walls(struct rd_export *x, const struct rd_species *s)
{
    bool ok = true;
    for (int face = 0; face < 2 * x->model->grid.dim; face++) {
        const enum rd_wall_kind kind = s->wall[face].kind;
        if (kind == RD_WALL_ABSORB || kind == RD_WALL_RESERVOIR)
            ok = rd_fail(x->e,
                         "%s: species '%s': %s at %s, and SBML has no walls; write reactions that "
                         "%s it",
                         s->place, s->name,
                         kind == RD_WALL_ABSORB ? "is absorbed" : "meets a reservoir",
                         face_name[face], kind == RD_WALL_ABSORB ? "remove" : "make and remove");
    }
    return ok;
}

static void refuse_species(struct rd_export *x, const struct rd_species *s)
{
    const bool moves = s->compartment < 0 && has_motion(s);
    if (s->is_individual)
        rd_fail(x->e,
                "%s: species '%s': has individuals, and SBML has numbers of molecules only; leave "
                "out individuals",
                s->place, s->name);
    if (moves && x->model->grid.n_sites > 1)
        rd_fail(x->e, "%s: species '%s': moves, and SBML has no space; leave out its motion",
                s->place, s->name);
    if (moves && refuse_walls(x, s) && x->model->grid.n_sites == 1 && !s->is_individual)
        rd_fail(x->notes,
                "%s: species '%s': its motion is left out, since its molecules stay in the only "
                "voxel",
                s->place, s->name);
}

/* Checks that the molecules at the start fit into a voxel, once their numbers are known to be
   computed from parameters. */
static void check_numbers(struct rd_export *x)
{
    for (int s = 0; s < x->model->n_species; s++) {
        const double start = rd_export_start(x->model, s);
        if (start > INT32_MAX)
            rd_fail(x->e,
                    "%s: species '%s': begins with %.10g molecules, and a voxel holds at most %d; "
                    "place fewer",
                    x->model->species[s].place, x->model->species[s].name, start, INT32_MAX);
    }
}

/* Checks that there is one voxel, unless all species are in compartments. */
static void refuse_several_voxels(struct rd_export *x)
{
    const struct rd_model *const m = x->model;
    bool is_used = false;
    for (int s = 0; s < m->n_species; s++)
        is_used = is_used || m->species[s].compartment < 0;
    if (is_used && m->grid.n_sites > 1)
        rd_fail(x->e,
                "%s: grid.voxels: has %lld voxels, and SBML has no space; use one voxel, or put "
                "the species into compartments",
                place_of_key(x, "grid", "voxels"), (long long)m->grid.n_sites);
}

static void refuse_parts_of_space(struct rd_export *x)
{
    const struct rd_model *const m = x->model;
    for (int i = 0; i < rd_model_n_shapes(m); i++)
        rd_fail(x->e, "%s: region '%s': is a part of space, which SBML has not; leave it out",
                m->region[i].place, m->region[i].name);
    for (int i = 0; i < m->n_surfaces; i++)
        rd_fail(x->e, "%s: surface '%s': is a part of space, which SBML has not; leave it out",
                m->surface[i].place, m->region[m->surface[i].region].name);
    for (int i = 0; i < m->n_borders; i++)
        rd_fail(x->e, "%s: borders[%d]: is a part of space, which SBML has not; leave it out",
                m->border[i].place, i);
    for (int i = 0; i < m->n_fields; i++)
        rd_fail(x->e,
                "%s: field '%s': is a number in each voxel, and SBML has no space; use a "
                "parameter or a species",
                m->field[i].place, m->field[i].name);
}

/* ---- amounts ---- */

/* Returns whether the mean of an amount is a number that may change, or that is not whole. */
static bool is_drawn(const struct rd_model *m, const struct rd_amount *a, bool is_event)
{
    if (is_event && !rd_export_is_fixed(m, &a->much))
        return true;
    const double per = a->kind == RD_AMOUNT_DENSITY ? m->grid.volume : 1.0;
    const double mean = rd_export_value(m, &a->much) * per, whole = floor(mean + 0.5);
    return !(fabs(mean - whole) <= 1e-9 * whole);
}

/* Checks an amount that is put into the voxel, at the start or by an event. */
static void check_added(struct rd_export *x, const struct rd_amount *a, const char *what,
                        bool is_event)
{
    if (a->kind == RD_AMOUNT_FROM)
        rd_fail(x->e, "%s: %s: numbers from '%s' depend on the run; give counts", a->place, what,
                a->file);
    else if (a->spread == RD_SPREAD_POISSON)
        rd_fail(x->e,
                "%s: %s: draws a Poisson number of '%s', and SBML has no random draws; give a "
                "count",
                a->place, what, x->model->species[a->species].name);
    else if (a->kind != RD_AMOUNT_COUNT && x->model->grid.n_sites == 1 &&
             is_drawn(x->model, a, is_event))
        rd_fail(x->e,
                "%s: %s: the mean number of '%s' is %s, and is rounded at random, which SBML "
                "cannot say; give a count",
                a->place, what, x->model->species[a->species].name,
                is_event && !rd_export_is_fixed(x->model, &a->much) ? "a quantity that may change"
                                                                    : "not whole");
}

static void check_taken(struct rd_export *x, const struct rd_amount *a, const char *what)
{
    static const char *const way[] = {[RD_SHARE_FRACTION] = "a fraction, rounded at random",
                                      [RD_SHARE_PROBABILITY] = "each molecule with a probability",
                                      [RD_SHARE_REST] = "each molecule with a probability"};
    if (a->share != RD_SHARE_COUNT && a->share != RD_SHARE_ALL && a->share != RD_SHARE_EACH)
        rd_fail(x->e,
                "%s: %s: takes %s of '%s', and SBML has no random draws; give a count, or all",
                a->place, what, way[a->share], x->model->species[a->species].name);
}

static void check_amounts(struct rd_export *x)
{
    const struct rd_model *const m = x->model;
    char what[80];
    for (int i = 0; i < m->n_initial; i++) {
        snprintf(what, sizeof what, "initial[%d]", i);
        check_added(x, &m->initial[i], what, false);
    }
    for (int i = 0; i < m->n_events; i++) {
        snprintf(what, sizeof what, "events[%d]", i);
        for (int k = 0; k < m->event[i].n_take; k++)
            check_taken(x, &m->event[i].take[k], what);
        for (int k = 0; k < m->event[i].n_add; k++)
            check_added(x, &m->event[i].add[k], what, true);
    }
}

/* ---- all ---- */

static void check_reaction(struct rd_export *x, const struct rd_reaction *r)
{
    if (r->is_microscopic || r->corrected_by >= 0)
        rd_fail(x->e,
                "%s: reaction '%s': has a microscopic rate, which needs space, and SBML has none; "
                "leave out rate_model",
                r->place, r->label);
    if (r->is_instant)
        rd_fail(x->e,
                "%s: reaction '%s': is instant, and reactions of SBML take time; leave out "
                "rate_model",
                r->place, r->label);
    if (!rd_export_has_sides(r))
        rd_fail(x->notes, "%s: reaction '%s': is left out, since it changes nothing", r->place,
                r->label);
}

bool rd_export_check(struct rd_export *x)
{
    const struct rd_model *const m = x->model;
    const int before = x->e->n;
    refuse_several_voxels(x);
    refuse_parts_of_space(x);
    for (int s = 0; s < m->n_species; s++)
        refuse_species(x, &m->species[s]);
    for (int i = 0; i < m->n_reactions; i++)
        check_reaction(x, &m->reaction[i]);
    check_amounts(x);
    for (int i = 0; i < m->n_tables; i++)
        rd_fail(x->e, "%s: table '%s': SBML has no tables; write its numbers where they are used",
                m->table[i].place, m->table[i].name);
    if (m->stop.n > 0)
        rd_fail(x->e,
                "%s: time.stop: ends runs on a condition, which SBML cannot say; leave it out",
                place_of_key(x, "time", "stop"));
    if (x->e->n == before)
        check_numbers(x);
    return x->e->n == before;
}
