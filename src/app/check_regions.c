/* check_regions - prints regions, and counts the pieces of those that confine a moving species. */
#include "app/check.h"

#include "base/memory.h"
#include "base/text.h"
#include "kernels/core/eval.h"
#include "model/borders.h"
#include "model/boundary_faces.h"
#include "model/equation.h"
#include "model/region.h"
#include "model/surface.h"

#include <math.h>
#include <stdlib.h>

void rd_check_regions(FILE *out, const struct rd_model *m)
{
    for (int r = 0; r < rd_model_n_shapes(m); r++) {
        char what[320];
        int64_t n = 0;
        for (int64_t site = 0; site < m->grid.n_sites; site++)
            n += (int64_t)(m->mask[site] >> r & 1);
        rd_region_describe(m, &m->region[r], what, sizeof what);
        fprintf(out, "region      %s: %lld voxel%s of %lld; %s\n", m->region[r].name, (long long)n,
                n == 1 ? "" : "s", (long long)m->grid.n_sites, what);
    }
}

void rd_check_compartments(FILE *out, const struct rd_model *m)
{
    for (int i = 0; i < m->n_compartments; i++) {
        const struct rd_compartment *const x = &m->compartment[i];
        int n = 0;
        fprintf(out, "compartment %s: volume %g, well mixed;", m->region[x->region].name,
                x->volume);
        for (int s = 0; s < m->n_species; s++)
            if (m->species[s].compartment == i)
                fprintf(out, "%s %s", n++ ? "," : "", m->species[s].name);
        fprintf(out, "%s\n", n ? "" : " no species");
    }
}

/* Holds the voxels of one region while its pieces are counted. */
struct piece_search {
    const struct rd_grid *grid;
    const bool *wraps; /* [axis]: the species' walls are periodic */
    uint8_t *is_left;  /* [site]: in the region, and in no piece so far */
    int64_t *waiting;  /* sites of the piece whose neighbours are still to be searched */
    int64_t n_waiting;
};

static void add_site(struct piece_search *s, int64_t site)
{
    if (!s->is_left[site])
        return;
    s->is_left[site] = 0;
    s->waiting[s->n_waiting++] = site;
}

/* Adds the neighbours of a site across its faces. The site itself stands for a missing one, and is
   in the piece already. */
static void add_neighbours(struct piece_search *s, int64_t site)
{
    int64_t stride = 1;
    for (int axis = 0; axis < 3; axis++) {
        const int32_t size = s->grid->size[axis], at = (int32_t)(site / stride % size);
        add_site(s, site + rd_neighbour_offset(false, stride, size, at, s->wraps[axis]));
        add_site(s, site + rd_neighbour_offset(true, stride, size, at, s->wraps[axis]));
        stride *= size;
    }
}

struct pieces {
    int64_t n, n_voxels;
    int64_t largest; /* voxels of the largest piece */
};

static struct pieces count_pieces(struct piece_search *s)
{
    struct pieces pieces = {0};
    for (int64_t first = 0; first < s->grid->n_sites; first++) {
        int64_t n = 0;
        add_site(s, first);
        for (; s->n_waiting > 0; n++)
            add_neighbours(s, s->waiting[--s->n_waiting]);
        pieces.n += n > 0;
        pieces.n_voxels += n;
        pieces.largest = n > pieces.largest ? n : pieces.largest;
    }
    return pieces;
}

/* Counts the pieces of a region that share no face; n is 0 if memory is lacking. */
static struct pieces pieces_of(const struct rd_model *m, int region, const bool wraps[3])
{
    const size_t n = (size_t)m->grid.n_sites;
    struct piece_search s = {.grid = &m->grid, .wraps = wraps};
    struct pieces pieces = {0};
    s.is_left = rd_memory_guard(malloc(n));
    s.waiting = rd_memory_guard(malloc(n * sizeof *s.waiting));
    for (size_t site = 0; s.is_left && site < n; site++)
        s.is_left[site] = (uint8_t)(m->mask[site] >> region & 1);
    if (s.is_left && s.waiting)
        pieces = count_pieces(&s);
    free(s.is_left);
    free(s.waiting);
    return pieces;
}

/* Returns the highest total hop rate on the surface for diffusivity 1. */
static double fastest_of(const struct rd_model *m, const struct rd_surface *s)
{
    double fastest = 0.0;
    for (int64_t i = 0; i < s->n_voxels; i++) {
        double rate[RD_FACES], sum = 0.0;
        rd_surface_rates(m, s, &s->voxel[i], rate);
        for (int face = 0; face < RD_FACES; face++)
            sum += rate[face];
        fastest = sum > fastest ? sum : fastest;
    }
    return fastest;
}

void rd_check_surfaces(FILE *out, const struct rd_model *m)
{
    static const char *const side[] = {"inside", "outside", "both sides"};
    for (int i = 0; i < m->n_surfaces; i++) {
        const struct rd_surface *const s = &m->surface[i];
        const int64_t pieces = pieces_of(m, s->region, m->grid.wraps).n;
        double least = INFINITY, most = 0.0;
        for (int64_t k = 0; k < s->n_voxels; k++) {
            least = fmin(least, s->voxel[k].area);
            most = fmax(most, s->voxel[k].area);
        }
        fprintf(out,
                "surface     %s: %s %.6g around '%s', in %lld voxel%s that hold %.3g to %.3g "
                "each; %lld piece%s; exchanges with %s; hops at most %.4g D per time\n",
                m->region[s->region].name, m->grid.dim == 2 ? "length" : "area", rd_surface_area(s),
                m->region[s->of].name, (long long)s->n_voxels, s->n_voxels == 1 ? "" : "s", least,
                most, (long long)pieces, pieces == 1 ? "" : "s", side[s->side], fastest_of(m, s));
    }
}

/* Returns whether the surface runs along a wall that is not periodic, less than 2 voxels away, so
   that a part of its voxels would be beyond the wall. */
static bool is_cut_by_wall(const struct rd_model *m, const struct rd_surface *s)
{
    const struct rd_grid *const g = &m->grid;
    for (int64_t i = 0; i < s->n_voxels; i++) {
        int64_t stride = 1;
        for (int axis = 0; axis < g->dim; stride *= g->size[axis++]) {
            const int64_t site = s->voxel[i].site;
            const int32_t at = (int32_t)(site / stride % g->size[axis]);
            const bool is_low = at == 0, is_high = at == g->size[axis] - 1;
            const struct rd_surface_voxel *const next =
                g->wraps[axis] || is_low == is_high
                    ? NULL
                    : rd_surface_at(s, site + (is_low ? stride : -stride));
            const double here = s->voxel[i].distance, gap = next ? here - next->distance : 0.0;
            if (fabs(gap) > 0.8 * g->edge[axis] && fabs(here + gap) <= s->reach)
                return true;
        }
    }
    return false;
}

/* Warns about each surface whose two areas differ: by the distances of voxels, and by faces. */
static void warn_of_thin(FILE *out, const struct rd_model *m)
{
    for (int i = 0; i < m->n_surfaces; i++) {
        const struct rd_surface *const s = &m->surface[i];
        const double area = rd_surface_area(s);
        if (!(fabs(area / s->crossed - 1.0) <= 0.05))
            fprintf(out,
                    "warning     %s: the area of surface '%s' is %.4g by distances and %.4g by "
                    "faces of voxels: region '%s' is less than 4 voxels thick somewhere, or has "
                    "sharp edges; take smaller voxels\n",
                    s->place, m->region[s->region].name, area, s->crossed, m->region[s->of].name);
        if (is_cut_by_wall(m, s))
            fprintf(out,
                    "warning     %s: surface '%s' runs along a wall of the grid, less than 2 "
                    "voxels away, and loses area there; add voxels between them\n",
                    s->place, m->region[s->region].name);
    }
}

/* Finds on which sides of the surface the reaction exchanges molecules: side[0] outside, side[1]
   inside of the region. */
static void find_sides(const struct rd_model *m, const struct rd_reaction *r, bool side[2])
{
    const struct rd_surface *const s = &m->surface[r->surface];
    const double *const share = m->field_component + (int64_t)r->share * m->grid.n_sites;
    side[0] = side[1] = false;
    for (int64_t i = 0; i < s->n_voxels; i++)
        if (share[s->voxel[i].site] > 0.0)
            side[s->voxel[i].distance > 0.0] = true;
}

/* Returns whether a species of the volume is among the terms. */
static bool has_volume(const struct rd_model *m, const struct rd_term *term, int n)
{
    bool has = false;
    for (int i = 0; i < n; i++) {
        const struct rd_species *const s = &m->species[term[i].species];
        has = has || (s->surface < 0 && s->compartment < 0);
    }
    return has;
}

/* Returns whether a species that does not move on its surface is among the terms. */
static bool has_resting(const struct rd_model *m, const struct rd_term *term, int n)
{
    bool has = false;
    for (int i = 0; i < n; i++) {
        const struct rd_species *const s = &m->species[term[i].species];
        has = has || (s->surface >= 0 && !rd_surface_is_mobile(m, s));
    }
    return has;
}

/* Returns the density of a species at the start, on a surface per area. */
static double density_of(const struct rd_plan *p, int32_t species)
{
    const struct rd_species *const s = &p->model->species[species];
    const struct rd_surface *const on = s->surface < 0 ? NULL : &p->model->surface[s->surface];
    const double mean = p->mean[p->species_at[species]];
    if (s->compartment >= 0)
        return mean / p->model->compartment[s->compartment].volume;
    return on ? mean * (double)on->n_voxels / rd_surface_area(on) : mean / p->model->grid.volume;
}

/* Describes how often one molecule of a surface reacts where the surface exchanges molecules. */
struct exit_rate {
    const struct rd_species *species;
    bool has_volume; /* with the volume; else with species that rest on the surface */
    double rate, diffusion;
};

/* Finds the rate at which a molecule of the reaction's only reactant that moves on the surface
   leaves it, comes to rest, or meets molecules of the volume or at rest at their density of the
   start. Returns false if there is no such rate, or the molecule stays as it is. */
static bool find_exit_rate(const struct rd_plan *p, const struct rd_reaction *r,
                           struct exit_rate *x)
{
    const struct rd_model *const m = p->model;
    const struct rd_eval_context start = {.parameter = m->value, .volume = m->grid.volume};
    if (r->surface < 0 || r->has_propensity || !rd_plan_is_constant(&r->rate))
        return false;
    *x = (struct exit_rate){.has_volume = has_volume(m, r->reactant, r->n_reactants) ||
                                          has_volume(m, r->product, r->n_products),
                            .rate = rd_expr_value(&r->rate, &start)};
    if (!x->has_volume && !has_resting(m, r->reactant, r->n_reactants) &&
        !has_resting(m, r->product, r->n_products))
        return false;
    for (int i = 0; i < r->n_reactants; i++) {
        const struct rd_term *const t = &r->reactant[i];
        const struct rd_species *const s = &m->species[t->species];
        const bool moves = s->surface >= 0 && rd_surface_is_mobile(m, s);
        if (moves && (x->species || t->number > 1 ||
                      rd_equation_number(r->product, r->n_products, t->species) == 1))
            return false;
        if (moves)
            x->species = s;
        for (int k = 0; !moves && k < t->number; k++)
            x->rate *= density_of(p, t->species);
    }
    x->diffusion = x->species ? rd_expr_value(&x->species->diffusion[0], &start) : 0.0;
    return x->diffusion > 0.0 && x->rate > 0.0;
}

/* Warns about molecules that leave a surface, or react with the volume or at rest, faster than they
   diffuse across the voxels of the surface: those on the other side of the boundary must come to it
   first. */
static void warn_of_slow(FILE *out, const struct rd_plan *p)
{
    static const double most = 0.02;
    const struct rd_model *const m = p->model;
    for (int i = 0; i < m->n_reactions; i++) {
        const struct rd_reaction *const r = &m->reaction[i];
        struct exit_rate x;
        bool side[2];
        if (!find_exit_rate(p, r, &x))
            continue;
        find_sides(m, r, side);
        const struct rd_surface *const s = &m->surface[r->surface];
        const double delay = rd_surface_delay(m, s, side) / x.diffusion;
        const double rate = side[0] && side[1] && x.has_volume ? 2.0 * x.rate : x.rate,
                     slow = delay * rate;
        if (!(slow > most))
            continue;
        fprintf(out, "warning     %s: '%s' ", r->place, x.species->name);
        if (r->n_reactants == 1 && x.has_volume)
            fprintf(out, "leaves its surface after %.3g on average", 1.0 / rate);
        else
            fprintf(out, "reacts in '%s' after %.3g on average%s", r->equation, 1.0 / rate,
                    r->n_reactants == 1 ? "" : ", at the densities of the start");
        fprintf(out,
                ", but takes %.3g to cross the voxels that hold it: amounts at equilibrium are "
                "right, changes are about %.*f %% slower; take voxels of at most 1/%g the edge, or "
                "diffusion = 0, which has no delay\n",
                delay, slow < 0.1, 100.0 * slow / (1.0 + slow),
                rd_text_round_up(sqrt(slow / most)));
    }
}

/* Describes how fast a surface takes the molecules of a species of the volume beside it. */
struct uptake {
    const struct rd_species *species;
    double rate; /* length per time, at the densities of the start */
};

/* Finds the uptake of the reaction's only reactant in the volume. Returns false if there is none,
   if the molecule remains, or if the rate is an expression. */
static bool find_uptake(const struct rd_plan *p, const struct rd_reaction *r, struct uptake *u)
{
    const struct rd_model *const m = p->model;
    const struct rd_eval_context start = {.parameter = m->value, .volume = m->grid.volume};
    if (r->surface < 0 || r->has_propensity || !rd_plan_is_constant(&r->rate))
        return false;
    *u = (struct uptake){.rate = rd_expr_value(&r->rate, &start)};
    for (int i = 0; i < r->n_reactants; i++) {
        const struct rd_term *const t = &r->reactant[i];
        const struct rd_species *const s = &m->species[t->species];
        const bool is_taken = s->surface < 0 && s->compartment < 0;
        if (is_taken && (u->species || t->number > 1 ||
                         rd_equation_number(r->product, r->n_products, t->species) > 0))
            return false;
        if (is_taken)
            u->species = s;
        for (int k = 0; !is_taken && k < t->number; k++)
            u->rate *= density_of(p, t->species);
    }
    return u->species != NULL;
}

/* Returns the rate times half an edge over the diffusivity, the largest of all axes: the time in
   which molecules come from the centre of a voxel to the surface, relative to that in which it
   takes them there. Returns 0 if the diffusivity is an expression, or 0. */
static double relative_uptake(const struct rd_model *m, const struct uptake *u)
{
    const struct rd_eval_context start = {.parameter = m->value, .volume = m->grid.volume};
    double most = 0.0;
    for (int axis = 0; axis < m->grid.dim; axis++) {
        const struct rd_expr *const x = &u->species->diffusion[axis];
        const double d = rd_plan_is_constant(x) ? rd_expr_value(x, &start) : 0.0;
        most = d > 0.0 ? fmax(most, u->rate * m->grid.edge[axis] / (2.0 * d)) : most;
    }
    return most;
}

/* Warns about surfaces that take molecules faster than these diffuse across half a voxel: a voxel
   holds one density, so that the way to the surface takes no time on the lattice. */
static void warn_of_fast_uptake(FILE *out, const struct rd_plan *p)
{
    static const double most = 0.05;
    const struct rd_model *const m = p->model;
    for (int i = 0; i < m->n_reactions; i++) {
        struct uptake u;
        const double x = find_uptake(p, &m->reaction[i], &u) ? relative_uptake(m, &u) : 0.0;
        if (x > most)
            fprintf(out,
                    "warning     %s: '%s' takes '%s' at %.3g length/time, and diffusion across "
                    "half a voxel at %.3g: the uptake is up to %.3g times too fast; take voxels of "
                    "at most 1/%g the edge, or divide this rate, and that of the reverse "
                    "reaction, by %.3g\n",
                    m->reaction[i].place, m->reaction[i].equation, u.species->name, u.rate,
                    u.rate / x, 1.0 + x, rd_text_round_up(x / most), 1.0 + x);
    }
}

/* Returns whether an earlier species of the volume moves in the same region. */
static bool is_region_seen(const struct rd_plan *p, int species)
{
    const struct rd_species *const s = p->model->species;
    for (int i = 0; i < species; i++)
        if (s[i].region == s[species].region && p->transport[p->species_at[i]].kind != RD_MOVE_NOT)
            return true;
    return false;
}

/* Warns about a region whose boundary has steps: molecules move along it by fewer faces than inside
   it. The factor is that of tubes in any direction (docs/voxels.md). */
static void warn_of_steps(FILE *out, const struct rd_plan *p, int species, int64_t n_voxels)
{
    static const double factor = 0.75, most = 0.1;
    const struct rd_model *const m = p->model;
    const struct rd_species *const s = &m->species[species];
    if (s->surface >= 0 || m->grid.dim == 1 || p->domain[p->species_at[species]].is_box ||
        is_region_seen(p, species))
        return;
    const double slow = factor * rd_boundary_faces_steps(m, s->region) / (double)n_voxels;
    if (slow > most)
        fprintf(out,
                "warning     %s: '%s' moves in '%s', whose boundary has steps of voxels: diffusion "
                "across the steps is up to about %.0f %% slower than in a smooth shape; take "
                "voxels of at most 1/%g the edge, or see docs/voxels.md\n",
                s->place, s->name, m->region[s->region].name, 100.0 * fmin(slow, 1.0),
                rd_text_round_up(slow / most));
}

void rd_check_pieces(FILE *out, const struct rd_plan *p)
{
    const struct rd_model *const m = p->model;
    warn_of_thin(out, m);
    warn_of_slow(out, p);
    warn_of_fast_uptake(out, p);
    for (int i = 0; i < m->n_species; i++) {
        const struct rd_species *const s = &m->species[i];
        if (s->region < 0 || p->transport[p->species_at[i]].kind == RD_MOVE_NOT)
            continue;
        bool wraps[3];
        for (int axis = 0; axis < 3; axis++)
            wraps[axis] = s->wall[2 * axis].kind == RD_WALL_PERIODIC;
        const struct pieces pieces = pieces_of(m, s->region, wraps);
        if (pieces.n > 1)
            fprintf(out,
                    "warning     %s: '%s' moves in '%s', whose %lld voxels form %lld pieces "
                    "without a common face (the largest has %lld), and no molecule leaves its "
                    "piece; %s\n",
                    s->place, s->name, m->region[s->region].name, (long long)pieces.n_voxels,
                    (long long)pieces.n, (long long)pieces.largest,
                    s->surface >= 0 ? "see whether the boundary of the region has so many parts"
                                    : "unless this is meant, make the region thicker, or let the "
                                      "species live on a surface (docs/keys.md)");
        warn_of_steps(out, p, i, pieces.n_voxels);
    }
}

void rd_check_fields(FILE *out, const struct rd_model *m)
{
    for (int i = 0; i < m->n_fields; i++) {
        const struct rd_field *const f = &m->field[i];
        const double *const value = m->field_component + f->start * m->grid.n_sites;
        double least = value[0], most = value[0];
        for (int64_t site = 1; site < m->grid.n_sites; site++) {
            least = value[site] < least ? value[site] : least;
            most = value[site] > most ? value[site] : most;
        }
        fprintf(out, "field       %s: %.6g to %.6g; %s%s%s", f->name, least, most,
                f->file ? f->file : f->value.text, f->file ? " " : "", f->file ? f->dataset : "");
        fprintf(out, "%s%s%s%s\n", m->field_varies[i] ? "; changes by " : "",
                m->field_varies[i] ? f->rate.text : "", f->region < 0 ? "" : "; in ",
                f->region < 0 ? "" : m->region[f->region].name);
    }
}

/* Prints the area of a border with a permeability; of others, whether the faces of their voxels
   have a larger area than a smooth surface there, since each face takes hops. */
static void print_border_area(FILE *out, const struct rd_model *m, const struct rd_border *b,
                              double speed)
{
    const struct rd_border_area area = rd_borders_area(m, b);
    if (b->is_permeability && area.smooth > 0.0)
        fprintf(out, " through an area of %.6g", area.smooth);
    else if (speed > 0.0 && speed < 1.0 && area.faces > 1.02 * area.smooth)
        fprintf(out, " at faces of voxels with %.3g times its area (permeability: docs/theory.md)",
                area.faces / area.smooth);
}

static void print_border(FILE *out, const struct rd_model *m, const struct rd_border *b)
{
    const struct rd_eval_context eval_context = {.volume = m->grid.volume, .parameter = m->value};
    const double speed = rd_expr_value(&b->pass, &eval_context);
    fprintf(out, "border      %s %s %s: ", m->region[b->from].name, b->is_mutual ? "<->" : "->",
            m->region[b->to].name);
    for (int i = 0; i < b->n_species; i++)
        fprintf(out, "%s%s", i ? ", " : "", m->species[b->species[i]].name);
    fprintf(out, "%s with %s %.6g",
            b->n_species == 0   ? "all species pass"
            : b->n_species == 1 ? " passes"
                                : " pass",
            b->is_permeability ? "permeability" : "probability", speed);
    print_border_area(out, m, b, speed);
    fputc('\n', out);
}

void rd_check_borders(FILE *out, const struct rd_model *m)
{
    for (int i = 0; i < m->n_borders; i++)
        print_border(out, m, &m->border[i]);
}
