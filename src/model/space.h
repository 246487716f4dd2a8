/* space - regions, surfaces, compartments and fields of a configured model. */
#ifndef RD_MODEL_SPACE_H
#define RD_MODEL_SPACE_H

#include "expr/expr.h"

#include <stdbool.h>
#include <stdint.h>

/* Lists first geometric shapes, then the labels of an image, then shapes made of other regions. */
enum rd_shape {
    RD_SHAPE_BOX,
    RD_SHAPE_SPHERE,
    RD_SHAPE_CYLINDER,
    RD_SHAPE_CAPSULE,
    RD_SHAPE_HALF_SPACE,
    RD_SHAPE_ELLIPSOID,
    RD_SHAPE_WHERE,
    RD_SHAPE_LABELS,
    RD_SHAPE_UNION,
    RD_SHAPE_INTERSECTION,
    RD_SHAPE_DIFFERENCE,
    RD_SHAPE_COMPLEMENT,
    RD_SHAPE_TOUCHING,
    RD_SHAPE_SURFACE,
    RD_SHAPE_COMPARTMENT
};

/* Describes a named set of voxels. A geometric shape contains the voxels whose centres lie in
   it. */
struct rd_region {
    char *name;
    enum rd_shape shape;
    double from[3], to[3]; /* box: corners (a centre c is inside if from <= c < to); cylinder,
                              capsule: ends of the axis; sphere: centre in `from`; half-space: a
                              point of its face, and a vector into it; ellipsoid: centre, and radii
                              along the axes */
    double radius;
    struct rd_expr where;     /* may use parameters, x, y, z and volume */
    char *file, *dataset;     /* labels: an image; dataset NULL: the image is a PNG */
    int32_t *label, n_labels; /* labels: those that belong to the region */
    int whole;                /* difference, touching: index of the first region; else -1 */
    uint64_t parts;           /* bit i: region i is a part; union, intersection: of the parts;
                                 difference: without the parts; complement: outside of all parts;
                                 touching: next to the parts */
    char *place;
};

/* Lists the sides of a surface with which it exchanges molecules: those in its region, or those out
   of it. */
enum rd_surface_side { RD_SIDE_INSIDE, RD_SIDE_OUTSIDE, RD_SIDE_BOTH };

/* Describes a voxel near a surface. */
struct rd_surface_voxel {
    int64_t site;
    double distance; /* of its centre from the surface; negative outside of the region */
    double area;     /* part of the surface that the voxel holds; all parts add up to the area */
    double exchange; /* area through which it exchanges with the volume of this voxel; all add up to
                        the area for each side */
};

/* Describes the boundary of a region, on which species live (surface.c). It has a region of its
   own, which contains its voxels. */
struct rd_surface {
    int of;     /* index of the region that it bounds */
    int region; /* index of its own region */
    enum rd_surface_side side;
    bool ends_at_walls; /* it ends without flux at walls that are not periodic */
    double crossed; /* its area by the faces between voxels of the two sides: another estimate */
    double spread;  /* standard deviation of the distances of its voxels, weighted by area */
    double reach;   /* largest distance of its voxels */
    struct rd_surface_voxel *voxel; /* by rising site */
    int64_t n_voxels;
    char *place;
};

/* Describes a well-mixed volume beside the lattice. Its species stand in voxel RD_MIXED_SITE of
   their rows, which no other species uses; its region contains that voxel only. */
struct rd_compartment {
    int region; /* index of its own region */
    double volume;
};

/* Holds a number in each voxel. */
struct rd_field {
    char *name;
    int start;            /* index of the component that holds its initial values */
    struct rd_expr rate;  /* if field_varies: change per time; may use everything in the voxel, and
                             t */
    struct rd_expr value; /* may use parameters, x, y, z, volume, regions, earlier fields; unused
                             with a file */
    char *file, *dataset; /* an HDF5 data set; file NULL: `value` gives the numbers */
    int region;           /* index of the region that holds the field: 0 elsewhere, no gradient
                             across its edge; -1: all voxels */
    char *place;
};

/* Describes the gradient of a varying field along one axis. */
struct rd_steepness {
    int field, axis;
};

#endif
