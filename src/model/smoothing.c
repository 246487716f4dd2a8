/* smoothing - a region as numbers: 1 in its voxels and 0 outside, smoothed by a normal density
   whose standard deviation is the longest edge.

   The density is a product of those along the axes, so that each axis is smoothed by itself. Far
   from the boundary all values in reach are equal, and give one value for all such voxels. The
   others lie in the bricks near the boundary. */
#include "model/smoothing.h"

#include "kernels/core/real.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Sets how far the density reaches, in standard deviations, and in voxels at most. */
static const double smooth_reach = 6.0;
enum { REACH_MOST = 1023 };

/* Returns place i of an axis after periodic walls, or the nearest place of the grid. */
static int32_t inside_axis(const struct rd_grid *g, int axis, int64_t i)
{
    const int32_t size = g->size[axis];
    if (i >= 0 && i < size)
        return (int32_t)i;
    if (g->wraps[axis])
        return (int32_t)((i % size + size) % size);
    return i < 0 ? 0 : size - 1;
}

/* Holds the weights of a normal density along an axis, for one side. */
struct kernel {
    double weight[REACH_MOST + 1];
    int reach; /* voxels to each side */
};

static void fill_kernel(const struct rd_grid *g, int axis, struct kernel *k)
{
    const double width = rd_grid_longest_edge(g) / g->edge[axis];
    double sum = 0.0;
    k->reach = (int)fmin(smooth_reach * width + 1.0, REACH_MOST);
    for (int i = 0; i <= k->reach; i++) {
        k->weight[i] = rd_exp(-0.5 * ((double)i / width) * ((double)i / width));
        sum += i == 0 ? k->weight[i] : 2.0 * k->weight[i];
    }
    for (int i = 0; i <= k->reach; i++)
        k->weight[i] /= sum;
}

/* Smooths n values; `in` has k->reach times `unit` more on each side. Neighbours lie `unit` values
   apart. */
static void smooth_values(const struct kernel *k, const double *in, int64_t n, int64_t unit,
                          double *out)
{
    const double *const middle = in + k->reach * unit;
    for (int64_t i = 0; i < n; i++)
        out[i] = k->weight[0] * middle[i];
    for (int j = 1; j <= k->reach; j++) {
        const double *const ahead = middle + j * unit, *const behind = middle - j * unit;
        for (int64_t i = 0; i < n; i++)
            out[i] += k->weight[j] * (ahead[i] + behind[i]);
    }
}

/* ---- bricks ---- */

static int64_t n_bricks_of(const struct rd_smoothing *s)
{
    return (int64_t)s->n_bricks[0] * s->n_bricks[1] * s->n_bricks[2];
}

/* Returns the difference between the numbers of neighbouring bricks along the axis. */
static int64_t brick_stride(const struct rd_smoothing *s, int axis)
{
    const int32_t *const b = s->n_bricks;
    return axis == 0 ? 1 : axis == 1 ? b[0] : (int64_t)b[0] * b[1];
}

/* Returns the brick of the voxel. */
static int64_t brick_of(const struct rd_smoothing *s, const int32_t at[3])
{
    const int64_t row = (int64_t)(at[2] / RD_BRICK) * s->n_bricks[1] + at[1] / RD_BRICK;
    return row * s->n_bricks[0] + at[0] / RD_BRICK;
}

/* Marks the bricks of the sites. */
static void mark_sites(struct rd_smoothing *s, const int64_t *site, int64_t n)
{
    const int32_t *const size = s->g->size;
    for (int64_t i = 0; i < n; i++) {
        const int64_t row = site[i] / size[0];
        const int32_t at[] = {(int32_t)(site[i] - row * size[0]), (int32_t)(row % size[1]),
                              (int32_t)(row / size[1])};
        s->is_mixed[brick_of(s, at)] = 1;
    }
}

/* Marks the bricks of a line at most `far` behind marked ones, in one direction; `mark` has the
   marks of the start. */
static void spread_marks(const uint8_t *mark, int32_t n, int32_t far, bool wraps, bool is_back,
                         uint8_t *line, int64_t stride)
{
    int64_t gap = far; /* bricks since the last mark */
    for (int64_t i = wraps ? -n : 0; i < n; i++) {
        const int64_t along = i < 0 ? i + n : i, at = is_back ? n - 1 - along : along;
        gap = mark[at] ? 0 : gap + 1;
        if (i >= 0 && gap <= far)
            line[at * stride] = 1;
    }
}

/* Marks all bricks in reach of marked ones along an axis. */
static void widen_marks(struct rd_smoothing *s, int axis, int reach, uint8_t *line)
{
    const int32_t n = s->n_bricks[axis];
    const int64_t stride = brick_stride(s, axis);
    const bool wraps = s->g->wraps[axis];
    /* A site k bricks further lies at least (k - 1) RD_BRICK + 1 away. Across a periodic wall the
       last brick may have fewer sites. */
    const int32_t far =
        (reach - 1) / RD_BRICK + 1 + (wraps && s->g->size[axis] % RD_BRICK != 0 ? 1 : 0);
    for (int64_t first = 0; first < n_bricks_of(s); first++) {
        if (first / stride % n != 0)
            continue;
        for (int32_t i = 0; i < n; i++)
            line[i] = s->is_mixed[first + i * stride];
        if (!memchr(line, 1, (size_t)n))
            continue;
        spread_marks(line, n, far, wraps, false, s->is_mixed + first, stride);
        spread_marks(line, n, far, wraps, true, s->is_mixed + first, stride);
    }
}

bool rd_smoothing_is_mixed(const struct rd_smoothing *s, const int32_t at[3])
{
    return s->is_mixed[brick_of(s, at)];
}

/* ---- one axis ---- */

/* Describes lines along an axis, side by side, with neighbours along x. */
struct line {
    struct rd_smoothing *s;
    const struct kernel *kernel;
    int axis;
    int64_t first, unit; /* site of the first line at 0 of the axis; number of lines */
    const uint8_t *is_mixed;
    int64_t stride; /* of is_mixed */
    double *before; /* [kernel->reach + place along the axis][unit] */
};

/* Returns the end of a brick along the axis. */
static int64_t end_of_brick(const struct line *l, int32_t brick)
{
    const int32_t size = l->s->g->size[l->axis];
    return (brick + 1) * RD_BRICK < size ? (brick + 1) * RD_BRICK : size;
}

/* Copies the values in reach of marked bricks. */
static void copy_line(const struct line *l)
{
    const int64_t stride = rd_grid_stride(l->s->g, l->axis), reach = l->kernel->reach;
    int64_t next = -reach;
    for (int32_t brick = 0; brick < l->s->n_bricks[l->axis]; brick++) {
        if (!l->is_mixed[brick * l->stride])
            continue;
        const int64_t low = (int64_t)brick * RD_BRICK - reach, end = end_of_brick(l, brick) + reach;
        for (int64_t i = low > next ? low : next; i < end; i++) {
            const int64_t site = l->first + inside_axis(l->s->g, l->axis, i) * stride;
            double *const before = &l->before[(i + reach) * l->unit];
            for (int64_t x = 0; x < l->unit; x++)
                before[x] = rd_smoothing_at(l->s, site + x);
        }
        next = end;
    }
}

/* Smooths the marked bricks of the lines. */
static void smooth_line(const struct line *l)
{
    const int64_t stride = rd_grid_stride(l->s->g, l->axis);
    double out[RD_BRICK * RD_BRICK];
    copy_line(l);
    for (int32_t brick = 0; brick < l->s->n_bricks[l->axis]; brick++) {
        const int64_t low = (int64_t)brick * RD_BRICK, n = end_of_brick(l, brick) - low;
        if (!l->is_mixed[brick * l->stride])
            continue;
        smooth_values(l->kernel, &l->before[low * l->unit], n * l->unit, l->unit, out);
        for (int64_t i = 0; i < n; i++)
            memcpy(&l->s->value[l->first + (low + i) * stride], &out[i * l->unit],
                   (size_t)l->unit * sizeof *out);
    }
}

/* Smooths the marked bricks along an axis. `before` has room for RD_BRICK lines. */
static void smooth_axis(struct rd_smoothing *s, const struct kernel *k, int axis, double *before)
{
    const int32_t *const size = s->g->size;
    const int inner = axis == 0 ? 1 : 0, outer = axis == 2 ? 1 : 2;
    const int32_t most = inner == 0 ? RD_BRICK : 1;
    struct line l = {.s = s, .kernel = k, .axis = axis, .before = before};
    l.stride = brick_stride(s, axis);
    int32_t at[3] = {0};
    for (at[outer] = 0; at[outer] < size[outer]; at[outer]++)
        for (at[inner] = 0; at[inner] < size[inner]; at[inner] += most) {
            l.first =
                at[inner] * rd_grid_stride(s->g, inner) + at[outer] * rd_grid_stride(s->g, outer);
            l.unit = size[inner] - at[inner] < most ? size[inner] - at[inner] : most;
            l.is_mixed = &s->is_mixed[brick_of(s, at)];
            smooth_line(&l);
        }
}

/* ---- all axes ---- */

/* Smooths the bricks that are marked, and the value far inside the region. */
static void smooth_all(struct rd_smoothing *s, struct kernel *kernel, double *before)
{
    s->whole = 1.0;
    for (int axis = 0; axis < s->g->dim; axis++) {
        const struct kernel *const k = &kernel[axis];
        smooth_axis(s, k, axis, before);
        for (int i = 0; i <= 2 * k->reach; i++)
            before[i] = s->whole;
        smooth_values(k, before, 1, 1, &s->whole);
    }
}

bool rd_smoothing_make(struct rd_smoothing *s, const struct rd_grid *g, const uint64_t *mask,
                       int region, const int64_t *before_face, int64_t n)
{
    *s = (struct rd_smoothing){.g = g, .mask = mask, .region = region};
    int32_t longest = 1;
    for (int axis = 0; axis < 3; axis++) {
        s->n_bricks[axis] = (g->size[axis] - 1) / RD_BRICK + 1;
        longest = g->size[axis] > longest ? g->size[axis] : longest;
    }
    const size_t most = ((size_t)longest + 2 * REACH_MOST) * RD_BRICK;
    struct kernel *const kernel = malloc(3 * sizeof *kernel);
    double *const before = malloc(most * sizeof *before); /* also has room for a line of bricks */
    s->value = calloc((size_t)g->n_sites, sizeof *s->value);
    s->is_mixed = calloc((size_t)n_bricks_of(s), 1);
    const bool ok = kernel && before && s->value && s->is_mixed;
    if (ok) {
        mark_sites(s, before_face, n);
        for (int axis = 0; axis < g->dim; axis++) {
            fill_kernel(g, axis, &kernel[axis]);
            widen_marks(s, axis, kernel[axis].reach, (uint8_t *)before);
        }
        smooth_all(s, kernel, before);
    }
    free(before);
    free(kernel);
    return ok;
}

void rd_smoothing_free(struct rd_smoothing *s)
{
    free(s->value);
    free(s->is_mixed);
    *s = (struct rd_smoothing){0};
}

double rd_smoothing_point(const struct rd_smoothing *s, const double point[3])
{
    const struct rd_grid *const g = s->g;
    int64_t low[3], high[3];
    double part[3];
    for (int axis = 0; axis < 3; axis++) {
        const double i = (point[axis] - g->origin[axis]) / g->edge[axis] - 0.5;
        const double whole = rd_floor(i);
        part[axis] = i - whole;
        low[axis] = inside_axis(g, axis, (int64_t)whole) * rd_grid_stride(g, axis);
        high[axis] = inside_axis(g, axis, (int64_t)whole + 1) * rd_grid_stride(g, axis);
    }
    double sum = 0.0;
    for (int corner = 0; corner < 8; corner++) {
        double share = 1.0;
        int64_t site = 0;
        for (int axis = 0; axis < 3; axis++) {
            const bool is_high = corner >> axis & 1;
            share *= is_high ? part[axis] : 1.0 - part[axis];
            site += is_high ? high[axis] : low[axis];
        }
        sum += share > 0.0 ? share * rd_smoothing_at(s, site) : 0.0;
    }
    return sum;
}
