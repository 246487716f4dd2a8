/* region - the geometry of boxes, spheres, cylinders, capsules, half-spaces and ellipsoids. */
#include "model/region.h"

#include "kernels/core/real.h"

#include <stdio.h>

/* In all shapes, a centre within rd_grid_slack of the surface counts as on it. */

static bool in_box(const struct rd_region *r, const struct rd_grid *g, const double p[3])
{
    for (int a = 0; a < g->dim; a++)
        if (rd_grid_is_before(g, a, p[a], r->from[a]) || !rd_grid_is_before(g, a, p[a], r->to[a]))
            return false;
    return true;
}

static double dot(int dim, const double a[3], const double b[3])
{
    double sum = 0;
    for (int i = 0; i < 3; i++) /* without a variable number of turns, for speed */
        sum += i < dim ? a[i] * b[i] : 0;
    return sum;
}

/* Returns the longest slack of all axes at p. */
static double slack_at(const struct rd_grid *g, const double p[3])
{
    double longest = 0;
    for (int a = 0; a < 3; a++) {
        const double slack = a < g->dim ? rd_grid_slack(g, a, p[a]) : 0;
        longest = slack > longest ? slack : longest;
    }
    return longest;
}

static void subtract_points(int dim, const double a[3], const double b[3], double difference[3])
{
    for (int i = 0; i < 3; i++)
        difference[i] = i < dim ? a[i] - b[i] : 0;
}

static bool in_sphere(const struct rd_region *r, const struct rd_grid *g, const double p[3])
{
    double away[3];
    const double reach = r->radius + slack_at(g, p);
    subtract_points(g->dim, p, r->from, away);
    return dot(g->dim, away, away) <= reach * reach;
}

/* Returns whether p lies within the radius of the axis. Beyond the ends of the axis, a cylinder has
   no points, and a capsule those within the radius of the end. */
static bool in_tube(const struct rd_region *r, const struct rd_grid *g, const double p[3])
{
    double axis[3], away[3];
    const double slack = slack_at(g, p), reach = r->radius + slack;
    subtract_points(g->dim, r->to, r->from, axis);
    subtract_points(g->dim, p, r->from, away);
    const double square = dot(g->dim, axis, axis), more = slack / rd_sqrt(square);
    double along = dot(g->dim, away, axis) / square; /* 0 at `from`, 1 at `to` */
    if (r->shape == RD_SHAPE_CYLINDER && (along < -more || along > 1 + more))
        return false;
    along = along < 0 ? 0 : along > 1 ? 1 : along;
    for (int a = 0; a < g->dim; a++)
        away[a] -= along * axis[a];
    return dot(g->dim, away, away) <= reach * reach;
}

static bool in_half_space(const struct rd_region *r, const struct rd_grid *g, const double p[3])
{
    double away[3];
    subtract_points(g->dim, p, r->from, away);
    return dot(g->dim, away, r->to) >= -slack_at(g, p) * rd_sqrt(dot(g->dim, r->to, r->to));
}

/* Returns whether p lies in the ellipsoid, with radii increased by the slack. */
static bool in_ellipsoid(const struct rd_region *r, const struct rd_grid *g, const double p[3])
{
    double away[3];
    const double slack = slack_at(g, p);
    for (int a = 0; a < g->dim; a++)
        away[a] = (p[a] - r->from[a]) / (r->to[a] + slack);
    return dot(g->dim, away, away) <= 1;
}

/* Returns 1 if the condition is true, else 0; NAN if a part of it is not finite, since comparisons
   with NAN would be false. */
static double value_of_condition(const struct rd_region *r, double volume, const double *parameter,
                                 const double p[3])
{
    const struct rd_eval_context eval_context = {
        .x = p[0], .y = p[1], .z = p[2], .volume = volume, .parameter = parameter};
    return rd_expr_is_finite(&r->where, &eval_context)
               ? rd_expr_value(&r->where, &eval_context) != 0
               : NAN;
}

/* Returns 1 or 0 for a geometric shape or a condition. */
static double has_in_shape(const struct rd_region *r, const struct rd_grid *g,
                           const double *parameter, const double point[3])
{
    switch (r->shape) {
    case RD_SHAPE_BOX:
        return in_box(r, g, point);
    case RD_SHAPE_SPHERE:
        return in_sphere(r, g, point);
    case RD_SHAPE_HALF_SPACE:
        return in_half_space(r, g, point);
    case RD_SHAPE_ELLIPSOID:
        return in_ellipsoid(r, g, point);
    case RD_SHAPE_WHERE:
        return value_of_condition(r, g->volume, parameter, point);
    default:
        return in_tube(r, g, point);
    }
}

double rd_region_has(const struct rd_region *r, const struct rd_grid *g, const double *parameter,
                     const int32_t voxel[3])
{
    double centre[3];
    rd_grid_centre(g, voxel, centre);
    return has_in_shape(r, g, parameter, centre);
}

double rd_region_has_point(const struct rd_model *m, const struct rd_region *r,
                           const double point[3])
{
    double any = 0.0, all = 1.0;
    if (r->shape < RD_SHAPE_LABELS)
        return has_in_shape(r, &m->grid, m->value, point);
    if (r->shape == RD_SHAPE_LABELS || r->shape >= RD_SHAPE_TOUCHING)
        return NAN;
    for (uint64_t parts = r->parts; parts != 0; parts &= parts - 1) {
        const double has = rd_region_has_point(m, &m->region[__builtin_ctzll(parts)], point);
        any = has != has ? NAN : has > any ? has : any;
        all = has != has ? NAN : has < all ? has : all;
    }
    if (r->shape == RD_SHAPE_UNION || r->shape == RD_SHAPE_INTERSECTION)
        return r->shape == RD_SHAPE_UNION ? any : all;
    const double whole =
        r->shape == RD_SHAPE_COMPLEMENT ? 1.0 : rd_region_has_point(m, &m->region[r->whole], point);
    return whole - any == 1.0 ? 1.0 : whole - any == whole - any ? 0.0 : NAN;
}

bool rd_region_crosses(uint64_t from, uint64_t to, int a, int b)
{
    const bool leads = (from >> a & 1) && (to >> b & 1);
    const bool stays = (from >> b & 1) && (to >> a & 1);
    return leads && !stays;
}

/* Writes the names of the regions of which it is made. */
static void list_parts(const struct rd_model *m, const struct rd_region *r, char *text,
                       size_t bytes)
{
    const char *before = "";
    size_t used = 0;
    for (int i = -1; i < m->n_regions && used < bytes; i++) {
        if (i < 0 ? r->whole < 0 : !(r->parts >> i & 1))
            continue;
        used += (size_t)snprintf(text + used, bytes - used, "%s'%.40s'", before,
                                 m->region[i < 0 ? r->whole : i].name);
        before = i < 0 && r->shape == RD_SHAPE_TOUCHING ? " touching " : ", ";
    }
}

/* Writes the position and the size of a geometric shape. */
static void print_size(const struct rd_region *r, const struct rd_grid *g, char *text, size_t bytes)
{
    static const char *const joint[] = {
        [RD_SHAPE_BOX] = " to ",
        [RD_SHAPE_SPHERE] = "",
        [RD_SHAPE_CYLINDER] = " to ",
        [RD_SHAPE_CAPSULE] = " to ",
        [RD_SHAPE_HALF_SPACE] = " towards ",
        [RD_SHAPE_ELLIPSOID] = ", radii ",
    };
    const bool has_end = r->shape != RD_SHAPE_SPHERE;
    char radius[32] = "";
    if (r->radius > 0)
        snprintf(radius, sizeof radius, ", radius %.4g", r->radius);
    snprintf(text, bytes, "at %s%s%s%s", rd_grid_point(g, r->from).text, joint[r->shape],
             has_end ? rd_grid_point(g, r->to).text : "", radius);
}

void rd_region_describe(const struct rd_model *m, const struct rd_region *r, char *text,
                        size_t bytes)
{
    static const char *const word[] = {
        [RD_SHAPE_BOX] = "a box",
        [RD_SHAPE_SPHERE] = "a sphere",
        [RD_SHAPE_CYLINDER] = "a cylinder",
        [RD_SHAPE_CAPSULE] = "a capsule",
        [RD_SHAPE_HALF_SPACE] = "a half-space",
        [RD_SHAPE_ELLIPSOID] = "an ellipsoid",
        [RD_SHAPE_WHERE] = "where",
        [RD_SHAPE_LABELS] = "labels in",
        [RD_SHAPE_UNION] = "the union of",
        [RD_SHAPE_INTERSECTION] = "the intersection of",
        [RD_SHAPE_DIFFERENCE] = "the difference of",
        [RD_SHAPE_COMPLEMENT] = "the complement of",
        [RD_SHAPE_TOUCHING] = "the voxels of",
        [RD_SHAPE_SURFACE] = "the surface of",
        [RD_SHAPE_COMPARTMENT] = "a compartment",
    };
    char what[256] = "";
    if (r->shape == RD_SHAPE_WHERE)
        snprintf(what, sizeof what, "%s", r->where.text);
    else if (r->shape == RD_SHAPE_LABELS)
        snprintf(what, sizeof what, "%s", r->file);
    else if (r->shape >= RD_SHAPE_UNION)
        list_parts(m, r, what, sizeof what);
    else
        print_size(r, &m->grid, what, sizeof what);
    snprintf(text, bytes, "%s %s", word[r->shape], what);
}
