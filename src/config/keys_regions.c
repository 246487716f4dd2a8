/* keys_regions - the rows of THE TABLE for regions, fields and borders. */
#include "config/keytable.h"

#include <stdint.h>

static const struct rd_key box_keys[] = {
    {"from", RD_KEY_VECTOR, .each = true, .required = true, .unit = "length",
     .meaning = "The low corner. Voxels whose centre lies on a low face are inside."},
    {"to", RD_KEY_VECTOR, .each = true, .required = true, .unit = "length",
     .meaning = "The high corner. Voxels whose centre lies on a high face are outside."},
};
const struct rd_section rd_keys_box = SECTION_OF(box, "regions[].box", "");

static const struct rd_key ball_keys[] = {
    {"centre", RD_KEY_VECTOR, .each = true, .required = true, .unit = "length",
     .meaning = "Its centre."},
    {"radius", RD_KEY_NUMBER, .required = true, POSITIVE, .unit = "length",
     .meaning = "Its radius."},
};
const struct rd_section rd_keys_ball =
    SECTION_OF(ball, "regions[].sphere", "A disc on a plane, an interval on a line.");

static const struct rd_key rod_keys[] = {
    {"from", RD_KEY_VECTOR, .each = true, .required = true, .unit = "length",
     .meaning = "One end of its axis."},
    {"to", RD_KEY_VECTOR, .each = true, .required = true, .unit = "length",
     .meaning = "The other end."},
    {"radius", RD_KEY_NUMBER, .required = true, POSITIVE, .unit = "length",
     .meaning = "Its radius."},
};
const struct rd_section rd_keys_rod =
    SECTION_OF(rod, "regions[].cylinder, regions[].capsule",
               "A cylinder has flat ends, a capsule round ones beyond `from` and `to`.");

static const struct rd_key half_keys[] = {
    {"at", RD_KEY_VECTOR, .each = true, .required = true, .unit = "length",
     .meaning = "A point of its face."},
    {"towards", RD_KEY_VECTOR, .each = true, .required = true,
     .meaning = "A vector that stands on its face and points into it; its length does not matter."},
};
const struct rd_section rd_keys_half =
    SECTION_OF(half, "regions[].half_space", "The voxels on one side of a plane.");

static const struct rd_key oval_keys[] = {
    {"centre", RD_KEY_VECTOR, .each = true, .required = true, .unit = "length",
     .meaning = "Its centre."},
    {"radii", RD_KEY_VECTOR, .required = true, POSITIVE, .unit = "length",
     .meaning = "Half its length along each axis."},
};
const struct rd_section rd_keys_oval =
    SECTION_OF(oval, "regions[].ellipsoid", "Along the axes. An ellipse on a plane.");

static const struct rd_key labels_keys[] = {
    {"file", RD_KEY_TEXT, .required = true,
     .meaning = "A PNG image, or an HDF5 file; its path is relative to the working directory."},
    {"dataset", RD_KEY_TEXT, .absent = "the file is a PNG image",
     .meaning = "The data set of an HDF5 file, as in \"/voxels/labels\"."},
    {"equals", RD_KEY_WHOLES, .required = true, BETWEEN(INT32_MIN, INT32_MAX),
     .meaning = "The label of the region's voxels, or a list of labels."},
};
const struct rd_section rd_keys_labels =
    SECTION_OF(labels, "regions[].labels",
               "An image with a whole number for each voxel of the grid, its label. A data set of "
               "integers has the shape (nz, ny, nx), as the counts of a result file, or (ny, nx) "
               "on a plane; element [z][y][x] is voxel (x, y, z). A PNG is for a grid of one "
               "layer, nx pixels wide and ny high, and is read as it is displayed: its lowest row "
               "is y = 0. A pixel's label is its grey value (0 to 255, or to 65535 with 16 bits), "
               "or its number in the palette; images in colours have none.");

static const struct rd_key region_keys[] = {
    {"name", RD_KEY_TEXT, .required = true,
     .meaning = "Its name, for `in`, for borders, and for `in(name)` in expressions."},
    {"box", RD_KEY_GROUP, .meaning = "A box along the axes.", .inside = &rd_keys_box},
    {"sphere", RD_KEY_GROUP, .meaning = "A sphere.", .inside = &rd_keys_ball},
    {"cylinder", RD_KEY_GROUP, .meaning = "A cylinder of any direction.", .inside = &rd_keys_rod},
    {"capsule", RD_KEY_GROUP, .meaning = "A capsule of any direction.", .inside = &rd_keys_rod},
    {"half_space", RD_KEY_GROUP, .meaning = "The voxels on one side of a plane.",
     .inside = &rd_keys_half},
    {"ellipsoid", RD_KEY_GROUP, .meaning = "An ellipsoid along the axes.", .inside = &rd_keys_oval},
    {"where", RD_KEY_NUMBER,
     .meaning = "The voxels in which a condition is true, as in `\"x^2 + y^2 < r^2\"`. It may use "
                "parameters, x, y, z and volume."},
    {"labels", RD_KEY_GROUP, .meaning = "The voxels of some label in an image.",
     .inside = &rd_keys_labels},
    {"union", RD_KEY_TEXTS, .meaning = "The voxels of at least one of these regions."},
    {"intersection", RD_KEY_TEXTS, .meaning = "The voxels of all of these regions."},
    {"difference", RD_KEY_TEXTS,
     .meaning = "The voxels of the first region that belong to none of the others."},
    {"complement", RD_KEY_TEXTS, .meaning = "The voxels of none of these regions."},
    {"touching", RD_KEY_TEXTS,
     .meaning =
         "The voxels of the first region that share a face with a voxel of one of the others, "
         "so that the border between the regions lies between the two voxels: a membrane, "
         "seen from one side. Faces of the box count where the grid's walls are periodic."},
};
const struct rd_section rd_keys_region = SECTION_OF(
    region, "regions[]",
    "A named part of the box: the voxels whose centres lie in exactly one shape; what lies on the "
    "surface of a round one, or on the face of a half-space, is inside. Shapes that exceed the box "
    "are cut. Regions may overlap, and may be made of regions that stand anywhere in the list. "
    "Parameters have their values at the start.");

static const struct rd_key surface_keys[] = {
    {"name", RD_KEY_TEXT, .required = true,
     .meaning = "Its name, for `on` of a species and `in` of `initial` and of reactions."},
    {"of", RD_KEY_TEXT, .required = true, .meaning = "The region that it bounds."},
    {"side", RD_KEY_WORD, .words = {"inside", "outside", "both"}, .standard = "\"inside\"",
     .meaning =
         "The volume with which it exchanges molecules: that of the region (inside), that "
         "around it (outside), or both. With both, molecules leave it to each side at the given "
         "rate."},
    {"rim", RD_KEY_WORD, .words = {"reflect"}, .absent = "walls that it reaches must reflect",
     .meaning = "It ends without flux at walls of the grid that absorb."},
};
const struct rd_section rd_keys_surface = SECTION_OF(
    surface, "surfaces[]",
    "The boundary of a region, as a smooth surface on which species live and diffuse. In 2-D it is "
    "a line. It ends at reflecting walls and continues through periodic ones. On it, `density` of "
    "`initial` is molecules per area, and mass action counts by area: `A -> B` where A is in the "
    "volume and B on the surface has a rate in length/time, `B -> A` in 1/time, `B + C -> D` on "
    "the surface in area/time.");

static const struct rd_key compartment_keys[] = {
    {"name", RD_KEY_TEXT, .required = true,
     .meaning = "Its name, for `in` of species, of reactions and of `initial`."},
    {"volume", RD_KEY_NUMBER, .required = true, POSITIVE, .unit = "volume",
     .meaning = "Its volume. An expression may use parameters, which have their values at the "
                "start."},
};
const struct rd_section rd_keys_compartment = SECTION_OF(
    compartment, "compartments[]",
    "A well-mixed volume beside the lattice. A species with `in = \"name\"` lives in it, without a "
    "place. Mass action among its species uses its volume, and so does `volume` in the rates of "
    "its reactions. Reactions between its species and those of the lattice: docs/theory.md.");

static const struct rd_key field_keys[] = {
    {"name", RD_KEY_TEXT, .required = true, .meaning = "Its name, for expressions and results."},
    {"value", RD_KEY_NUMBER,
     .meaning = "The number in a voxel, as in `\"1 / (1 + x^2 / w^2)\"`. It may use parameters, "
                "x, y, z, volume, `in(region)`, and the fields that stand before it."},
    {"file", RD_KEY_TEXT,
     .meaning = "Instead of `value`: an HDF5 file; its path is relative to the working directory."},
    {"dataset", RD_KEY_TEXT,
     .meaning =
         "The data set of the file, as in \"/map\": numbers in the shape of labels, (nz, ny, nx)."},
    {"rate", RD_KEY_NUMBER, .absent = "it is constant", .unit = "its value/time",
     .meaning = "Its change per time, in each run separately, as in `\"k * A - d * cue\"`. An "
                "expression may use parameters, t, x, y, z, volume, `in(region)`, species, fields, "
                "and mean places of species."},
    {"in", RD_KEY_TEXTS, .absent = "everywhere",
     .meaning = "The region, or regions, that has the field. Elsewhere it is 0, and its gradients "
                "end at the edge."},
};
const struct rd_section rd_keys_field =
    SECTION_OF(field, "fields[]",
               "A number in each voxel that expressions use by its name; `gradient_x(name)` is its "
               "gradient along x. Parameters have their values at the start. Each has exactly one "
               "of `value` and `file`.");

static const struct rd_key table_keys[] = {
    {"values", RD_KEY_NUMBERS,
     .meaning = "The numbers, from index 0 on. An expression may use "
                "no names."},
    {"file", RD_KEY_TEXT,
     .meaning = "Instead of `values`: a file of comma-separated values whose first line has the "
                "names of the columns, or an HDF5 file. Its path is relative to the working "
                "directory."},
    {"column", RD_KEY_TEXT, .meaning = "The column of a file of comma-separated values."},
    {"dataset", RD_KEY_TEXT, .meaning = "The data set of an HDF5 file: numbers in one dimension."},
    {"unit", RD_KEY_TEXT, .absent = "plain numbers, which fit everywhere",
     .meaning = "The unit of all values, as in `\"1/s\"`; they are converted to the units of the "
                "configuration, and `look` has their dimension (docs/units.md)."},
    {"interpolate", RD_KEY_WORD, .words = {"none", "linear"}, .standard = "\"none\"",
     .meaning = "With `none`, an index must be an integer. With `linear`, any number from 0 to the "
                "last index gives a value on the line between its two neighbours."},
};
const struct rd_section rd_keys_table = SECTION_OF(
    table, "tables.NAME",
    "Numbers that expressions look up by an index from 0: `look(k, 3)` is the fourth number of "
    "`tables = { k = { values = (2, 5, 7, 9); }; };`. An index that the table does not have ends "
    "the run with a fault. Each table has exactly one of `values` and `file`.");

static const struct rd_key border_keys[] = {
    {"between", RD_KEY_TEXTS,
     .meaning = "Two regions, for hops both ways; or else `from` and `to`."},
    {"from", RD_KEY_TEXT, .meaning = "The region that a hop leaves."},
    {"to", RD_KEY_TEXT, .meaning = "The region that it enters. Hops back are not affected."},
    {"species", RD_KEY_TEXTS, .absent = "all", .meaning = "The species to which it applies."},
    {"pass", RD_KEY_NUMBER, BETWEEN(0, 1), .unit = "probability",
     .meaning =
         "The probability that a hop across the border succeeds; otherwise the molecule stays in "
         "its voxel. 0 closes the border, 1 leaves it open. An expression may use parameters."},
    {"permeability", RD_KEY_NUMBER, NOT_NEGATIVE, .unit = "length/time",
     .meaning =
         "Instead of `pass`: the flux through a unit of area for a unit of the difference of the "
         "densities on both sides, as in \"0.05 um/s\". It holds for any edges, diffusivity and "
         "direction of the border; a round border has the area of the shape, not of the faces of "
         "voxels. For counted species in the volume. An expression may use parameters."},
};
const struct rd_section rd_keys_border = SECTION_OF(
    border, "borders[]",
    "Hops between two regions are free unless a border limits them. A hop crosses from `a` into "
    "`b` if it leads from a voxel of `a` to one of `b`, but not if both voxels lie in both: either "
    "may contain the other. A hop across several borders must pass all of them. A border along a "
    "surface does not limit the species that live on that surface. Each has exactly one of `pass` "
    "and `permeability`.");
