/* model - what was asked: the configuration as the science sees it, names resolved, expressions
   compiled, nothing derived yet. Its check tells all faults at once. Species and reactions stand
   in the file's order here; plan.c brings them into the canonical one. */
#ifndef RD_MODEL_MODEL_H
#define RD_MODEL_MODEL_H

#include "base/error.h"
#include "config/config.h"
#include "expr/expr.h"

#include <stdbool.h>
#include <stdint.h>

enum { RD_MAX_PARAMETERS = 4096, RD_MAX_SPECIES = 4096, RD_MAX_REGIONS = 64, RD_ORDER_MOST = 8 };
enum { RD_MAX_FIELDS = 256 };
/* Individual species, attributes of one, and individuals of one species and run. */
enum { RD_LISTS_MOST = 128, RD_ATTRIBUTES_MOST = 64, RD_INDIVIDUALS_MOST = INT32_MAX };

/* Faces of the box: xmin xmax ymin ymax zmin zmax = 2 * axis + (0 low, 1 high). */
enum { RD_FACES = 6 };

/* Ballistic: reflects, and turns the drift of an individual round, which must be an attribute. */
enum rd_wall_kind {
    RD_WALL_REFLECT,
    RD_WALL_PERIODIC,
    RD_WALL_ABSORB,
    RD_WALL_RESERVOIR,
    RD_WALL_BALLISTIC
};

/* What a face does to a species. */
struct rd_wall {
    enum rd_wall_kind kind;
    struct rd_expr
        probability;     /* absorb: the probability that an attempt to cross succeeds (default 1) */
    struct rd_expr mean; /* reservoir: mean molecules in a voxel's volume beyond the face */
};

struct rd_grid {
    int dim;          /* how many numbers `voxels` had */
    int32_t size[3];  /* 1 beyond dim */
    double edge[3];   /* 1 beyond dim, so that a plane's voxels have "volume" hx hy */
    double origin[3]; /* coordinates of the box's low corner */
    int64_t n_sites;
    double volume; /* of a voxel */
    bool wraps[3]; /* the grid's walls are periodic along the axis */
};

/* Shapes of their own, then labels of an image, then what is made of other regions. */
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
    RD_SHAPE_TOUCHING
};

/* A named set of voxels: those whose centres lie in the shape. */
struct rd_region {
    char *name;
    enum rd_shape shape;
    double from[3], to[3]; /* box: corners (a centre c is inside if from <= c < to); cylinder,
                              capsule: ends of the axis; sphere: centre in from; half-space: a
                              point of its face, and a vector into it; ellipsoid: centre, and
                              radii along the axes */
    double radius;
    struct rd_expr where;     /* of parameters, x, y, z and volume */
    char *file, *dataset;     /* labels: an image; dataset NULL: a PNG */
    int32_t *label, n_labels; /* those that belong to it */
    int whole;                /* difference, touching: of which region; else -1 */
    uint64_t parts;           /* bits: union, intersection of these; difference: without
                                 them; complement: what lies in none; touching: them */
    char *place;
};

/* A number in each voxel. */
struct rd_field {
    char *name;
    int start;            /* the facet that it begins as */
    struct rd_expr rate;  /* if field_varies: per time; of all that is in the voxel, and t */
    struct rd_expr value; /* of parameters, x, y, z, volume, regions, fields before; or else */
    char *file, *dataset; /* an HDF5 data set; file NULL: the expression */
    int region;           /* where it is; 0 elsewhere, and no slope across the edge; -1: all over */
    char *place;
};

/* The slope of a field that varies. */
struct rd_steepness {
    int field, axis;
};

/* What an individual of a species has of its own. The rules may use parameters, x, y, z, t, volume,
   counts, uniform(), normal(), and the attributes that stand before. */
struct rd_attribute {
    char *name;
    bool is_integer;       /* then rules must give integers */
    struct rd_expr first;  /* `initial`: of those placed at the start or by an event */
    struct rd_expr birth;  /* of those that a reaction makes of or beside an individual, their
                              parent: may use `parent.NAME` */
    struct rd_expr orphan; /* of those that a reaction makes without one */
    bool has_birth;  /* else: the parent's like-named attribute, or if it has none `initial` */
    bool has_orphan; /* else: `birth`, if that is given and uses no parent, or if it is not given
                        `initial`; else an orphan is a fault (which the model's check tells) */
    char *place;
};

enum rd_keeping { RD_KEEPS_STATE, RD_KEEPS_LINEAGE, RD_KEEPS_NOTHING };

struct rd_species {
    char *name;
    struct rd_expr diffusion[3]; /* per axis, length^2/time; of parameters, regions, x, y, z, t,
                                    volume, fields, counts, slopes; of individuals also: own
                                    attributes */
    struct rd_expr drift[3];     /* per axis, length/time; likewise */
    struct rd_wall wall[RD_FACES];
    int region; /* where it lives: index into region, or -1: everywhere */
    bool is_individual;
    bool is_followed; /* somebody asks for its mean place */
    int64_t max;      /* individuals of a run */
    struct rd_attribute *attribute;
    int n_attributes;
    enum rd_keeping record; /* what the result has of the individuals beside their counts */
    char *place;
};

/* What a hop between two regions is met with. */
struct rd_border {
    int from, to;                /* indices into region */
    bool is_mutual;              /* both ways */
    int32_t *species, n_species; /* whom it concerns; 0: all */
    struct rd_expr pass;         /* the probability that the hop happens; of parameters */
    char *place;
};

struct rd_term {
    int32_t species; /* index into species */
    int32_t number;  /* how many of them */
};

struct rd_reaction {
    char *equation;                     /* as written, blanks normalised: "A + B -> 2 A" */
    struct rd_term *reactant, *product; /* each species once per side, in order of appearance */
    int n_reactants, n_products;
    struct rd_expr rate;       /* mass action: may use t, x, y, z, counts, sums too; a sum over a
                                  reactant's individuals stands instead of their number */
    struct rd_expr propensity; /* the propensity of a voxel, if has_propensity */
    bool has_propensity;
    struct rd_expr weight; /* of one individual reactant's attributes (weight.of): it is drawn in
                              proportion */
    bool has_weight;
    int region; /* where it happens, or -1 */
    char *place;
};

enum rd_amount_kind {
    RD_AMOUNT_COUNT,   /* so many molecules over the whole place, each put at random */
    RD_AMOUNT_DENSITY, /* mean molecules per volume */
    RD_AMOUNT_VALUE,   /* mean molecules per voxel */
    RD_AMOUNT_FROM     /* a snapshot of an earlier result */
};

enum rd_spread {
    RD_SPREAD_DEFAULT, /* count: random; density, value: even */
    RD_SPREAD_RANDOM,  /* count: each molecule in a voxel drawn uniformly */
    RD_SPREAD_EVEN,    /* the integer part, and the rest by probability so that the mean is right */
    RD_SPREAD_POISSON  /* density, value: a Poisson number of that mean */
};

/* An entry of `initial`, or what an event adds or removes. */
struct rd_amount {
    enum rd_amount_kind kind;
    enum rd_spread spread;
    int species;         /* -1 with FROM: every species of that name there */
    struct rd_expr much; /* count, density or value; density and value may use x y z volume */
    bool all;            /* an event removes: every molecule of the place, whatever `much` is */
    int region;          /* -1: wherever the species lives */
    bool is_at;          /* in the one voxel below */
    int32_t voxel[3];
    struct rd_expr *attribute; /* of individuals: rules instead of `initial`, one for each attribute
                                  of the species; those with n = 0 are not given; or NULL */
    char *file;                /* FROM: path of an earlier result */
    double at_time;            /* FROM */
    bool has_at_time;          /* FROM: else its last snapshot */
    char *place;
};

struct rd_setting {
    int parameter;        /* index into parameter */
    struct rd_expr value; /* of parameters and t */
};

/* At one time, or every so often. In the order: set, remove, add. */
struct rd_event {
    double time;  /* the first time */
    double every; /* 0: only once */
    double until; /* no later than this (the end by default) */
    struct rd_setting *set;
    int n_set;
    struct rd_amount *add, *remove;
    int n_add, n_remove;
    char *place;
};

enum rd_keep { RD_KEEP_ALL, RD_KEEP_TOTALS, RD_KEEP_STATISTICS, RD_KEEP_FIRST };
enum rd_solver { RD_SOLVER_SPLIT, RD_SOLVER_EXACT };
enum rd_splitting { RD_SPLITTING_STRANG, RD_SPLITTING_LIE };

struct rd_model {
    char *title;
    struct rd_grid grid;

    int n_parameters;
    char **parameter; /* names */
    double *value;    /* their values at the start */

    struct rd_region *region;
    int n_regions;
    char **region_name; /* the names again, borrowed, as expressions want them */
    uint64_t *mask;     /* bit r of a site: it belongs to region r; NULL without regions */
    struct rd_field *field;
    int n_fields, n_filled; /* the first so many have their values */
    char **field_name;      /* likewise */
    bool *field_varies;     /* it has a rate */
    int n_field_rates;      /* how many do; of expressions they are the first varying facets, */
    struct rd_steepness *field_gradient;
    int n_gradients;         /* and these the others */
    double *field_component; /* [n_facets][site]: the fields and what else is asked for of them */
    int n_field_components;
    int32_t *field_component_of; /* of expressions, see expr.h: which of them, or of those that
                          vary; -1: nobody asked for it */
    struct rd_species *species;
    int n_species;
    char **species_name;         /* the names again, borrowed, as expressions want them */
    struct rd_names *attributes; /* of each species: likewise */
    struct rd_names inherited;   /* every attribute's name once: what may follow `parent.` */
    struct rd_border *border;
    int n_borders;
    struct rd_reaction *reaction;
    int n_reactions;
    struct rd_amount *initial;
    int n_initial;
    struct rd_event *event;
    int n_events;

    double end;         /* time */
    double step;        /* longest step asked for, or 0: auto */
    int64_t max_events; /* reactions in one voxel and pass of a step; one more is a fault */

    struct rd_expr stop; /* a run stops when this is not 0; n = 0: none does */
    bool stops_at_steps; /* it is asked after every step, or event; else at outputs */

    double *output; /* times at which to record, rising, 0 and the end included by default */
    int64_t n_outputs;
    char *file; /* where the result goes */
    enum rd_keep keep;
    int64_t keep_first; /* RD_KEEP_FIRST: so many runs, fewer than there are */
    double *quantile;   /* of totals over the runs: rising, 0..1 */
    int n_quantiles;
    int compression;               /* 0..9 */
    char *length_unit, *time_unit; /* "" unless `units` is given */

    uint64_t seed; /* < 2^48 */
    int64_t first_run;
    int64_t first_of_all, n_all; /* of the ensemble, of which the runs here may be a batch */
    int64_t n_runs;
    enum rd_solver solver;
    enum rd_splitting splitting;

    struct rd_error warnings; /* sentences that do not stop a run */
};

/* Reads what a checked configuration asks for; every fault is told, with its place. */
bool rd_model_make(struct rd_model *m, const rd_config *c, struct rd_error *e);
void rd_model_free(struct rd_model *m);

/* Whether coordinate a lies before b along the axis. Coordinates that differ by less than 1e-9 of
   an edge, or than rounding can tell, are the same. */
bool rd_grid_is_before(const struct rd_grid *g, int axis, double a, double b);
/* The length below which coordinates like x are the same. */
double rd_grid_slack(const struct rd_grid *g, int axis, double x);
/* The coordinate of the grid's high end. */
double rd_grid_end(const struct rd_grid *g, int axis);
/* Finds the voxel of a position along the axis; false: it lies outside the grid. A position on the
   face between two voxels belongs to the upper one, on the grid's high face to the last. */
bool rd_grid_find(const struct rd_grid *g, int axis, double position, int32_t *voxel);

/* The centre of a voxel. */
void rd_grid_centre(const struct rd_grid *g, const int32_t voxel[3], double centre[3]);

/* As a configuration writes them: 3 on a line, (3, 4) on a plane. */
struct rd_words {
    char text[80];
};
struct rd_words rd_grid_voxel(const struct rd_grid *g, const int32_t voxel[3]);
struct rd_words rd_grid_point(const struct rd_grid *g, const double point[3]);

/* Names and kinds for an expression of this model. */
struct rd_scope rd_model_scope(const struct rd_model *m, unsigned allowed);
/* Of how many runs, the first ones, a result has more than statistics; and whether that is the
   counts of voxels and individuals. */
int64_t rd_model_kept(const struct rd_model *m);
bool rd_model_keeps_voxels(const struct rd_model *m);
/* The voxels of runs with individuals, who name theirs in 32 bits: one value is no voxel, and one
   is behind the last; so many runs, and individuals in them, can be simulated at once. */
#define RD_LISTED_VOXELS INT64_C(4294967294)
int64_t rd_model_at_once(const struct rd_model *m);
/* What diffusivity and drift of the species look at: RD_USES_ bits. */
unsigned rd_model_motion_uses(const struct rd_species *s);
int rd_model_find_species(const struct rd_model *m, const char *name); /* -1 if not there */

#endif
