/* grid - the lattice: its size and its edges, and positions in it. */
#ifndef RD_MODEL_GRID_H
#define RD_MODEL_GRID_H

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>

struct rd_grid {
    int dim;          /* number of entries in `voxels` */
    int32_t size[3];  /* 1 for axes beyond dim */
    double edge[3];   /* 1 for axes beyond dim, so that voxels of a plane have "volume" hx hy */
    double origin[3]; /* coordinates of the low corner of the lattice */
    int64_t n_sites;
    double volume; /* of one voxel */
    bool wraps[3]; /* [axis]: the walls of the grid are periodic */
};

/* Returns whether coordinate a lies before b along the axis. Coordinates are equal if they differ
   by less than 1e-9 of an edge, or by less than the rounding error. */
bool rd_grid_is_before(const struct rd_grid *g, int axis, double a, double b);
/* Returns the difference below which coordinates near x count as equal: 1e-9 of an edge, or the
   rounding error. Positions are sums and products of decimal numbers: 3 * 0.1 is not 0.3. */
static inline double rd_grid_slack(const struct rd_grid *g, int axis, double x)
{
    const double rounding = 4.0 * DBL_EPSILON * (fabs(x) + fabs(g->origin[axis]));
    const double same = 1e-9 * g->edge[axis], most = 0.25 * g->edge[axis];
    const double slack = rounding > same ? rounding : same;
    return slack < most ? slack : most;
}
/* Returns the longest edge of a voxel, of the dimensions that the grid has. */
double rd_grid_longest_edge(const struct rd_grid *g);
/* Returns the difference between the numbers of neighbouring sites along the axis. */
static inline int64_t rd_grid_stride(const struct rd_grid *g, int axis)
{
    return axis == 0 ? 1 : axis == 1 ? g->size[0] : (int64_t)g->size[0] * g->size[1];
}
/* Returns the coordinate of the high end of the grid. */
double rd_grid_end(const struct rd_grid *g, int axis);
/* Finds the voxel of a position along the axis; returns false if it lies outside the grid. A
   position on the face between two voxels belongs to the upper one, on the high face of the grid to
   the last. */
bool rd_grid_find(const struct rd_grid *g, int axis, double position, int32_t *voxel);

/* Returns the number of the site of a voxel. */
int64_t rd_grid_site(const struct rd_grid *g, const int32_t voxel[3]);
/* Computes the centre of a voxel. */
void rd_grid_centre(const struct rd_grid *g, const int32_t voxel[3], double centre[3]);

/* Holds coordinates in the form of a configuration: 3 on a line, (3, 4) on a plane. */
struct rd_words {
    char text[80];
};
struct rd_words rd_grid_voxel(const struct rd_grid *g, const int32_t voxel[3]);
struct rd_words rd_grid_point(const struct rd_grid *g, const double point[3]);

#endif
