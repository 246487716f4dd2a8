/* model - the checked configuration: names are resolved and expressions compiled, but nothing is
   derived yet. Its check reports all faults together. Species and reactions have the order of the
   file here; plan.c sorts them into canonical order. */
#ifndef RD_MODEL_MODEL_H
#define RD_MODEL_MODEL_H

#include "base/error.h"
#include "config/config.h"
#include "expr/expr.h"
#include "model/grid.h"
#include "model/outputs.h"
#include "model/space.h"
#include "model/theta.h"

#include <stdbool.h>
#include <stdint.h>

enum { RD_MAX_PARAMETERS = 16384, RD_MAX_SPECIES = 65536, RD_MAX_REGIONS = 64 };
enum { RD_MAX_REACTIONS = 1 << 20 };
/* Limits the individuals that one reaction takes, and the molecules that react by mass action:
   falling factorials of more may exceed all numbers. */
enum { RD_ACTORS_MOST = 8, RD_ORDER_MOST = 100 };
enum { RD_MAX_FIELDS = 256, RD_MAX_ODES = 256 };
/* Limits individual species, attributes of one species, individuals of one species in one run. */
enum { RD_LISTS_MOST = 128, RD_ATTRIBUTES_MOST = 64 };

/* Numbers the faces of the lattice: xmin xmax ymin ymax zmin zmax = 2 * axis + (0 low, 1 high). */
enum { RD_FACES = 6 };

/* Lists the kinds of walls. A ballistic wall reflects an individual and reverses its drift,
   which must be an attribute. */
enum rd_wall_kind {
    RD_WALL_REFLECT,
    RD_WALL_PERIODIC,
    RD_WALL_ABSORB,
    RD_WALL_RESERVOIR,
    RD_WALL_BALLISTIC
};

/* Describes the boundary condition of one species at one face. */
struct rd_wall {
    enum rd_wall_kind kind;
    struct rd_expr probability; /* absorb: probability that an attempt to cross succeeds
                                   (default 1) */
    struct rd_expr mean; /* reservoir: mean number of molecules in the volume of a voxel beyond the
                            face */
};

/* Holds a number that each individual of a species has. Its rules may use parameters, x, y, z, t,
   volume, counts, uniform(), normal(), and the attributes declared before it. */
struct rd_attribute {
    char *name;
    bool is_integer;       /* its rules must give integers */
    struct rd_expr first;  /* `initial`: for individuals placed at the start or by an event */
    struct rd_expr birth;  /* for individuals that a reaction makes from a parent, or next to it;
                              may use `parent.NAME` */
    struct rd_expr orphan; /* for individuals that a reaction makes without a parent */
    bool has_birth;  /* false: the parent's attribute of the same name is copied, or `initial` is
                        used if it has none */
    bool has_orphan; /* false: `birth` is used if it is given and uses no parent, or `initial` if
                        `birth` is not given; otherwise an orphan is a fault, which the check of the
                        model reports */
    char *place;
};

enum rd_keeping { RD_KEEPS_STATE, RD_KEEPS_LINEAGE, RD_KEEPS_NOTHING };

enum rd_storage { RD_STORE_AUTO, RD_STORE_GRID, RD_STORE_LIST };

struct rd_species {
    char *name;
    char *label, *colour;        /* in pictures; NULL: the name, and any colour */
    struct rd_expr diffusion[3]; /* [axis], length^2/time; may use parameters, regions, x, y, z, t,
                                    volume, fields, counts, gradients; for individuals also their
                                    own attributes */
    struct rd_expr drift[3];     /* [axis], length/time; may use the same as diffusion */
    struct rd_wall wall[RD_FACES];
    int region;            /* index of the region that it lives in, or -1: all voxels */
    int surface;           /* index of the surface that it lives on, or -1 */
    int compartment;       /* index of the compartment that it lives in, or -1 */
    enum rd_storage store; /* how its counts are kept in memory */
    bool is_individual;
    bool is_followed;   /* an expression uses its mean position */
    bool has_slope;     /* an expression uses the slope of its count */
    bool is_exchanged;  /* a reaction between voxels and compartments takes or makes it */
    bool is_permeating; /* a border with a permeability limits its hops */
    int64_t max;        /* largest number of individuals in one run */
    struct rd_attribute *attribute;
    int n_attributes;
    enum rd_keeping record; /* what the result stores of individuals besides their counts */
    char *place;
};

struct rd_border; /* borders.h */

/* Holds a species and its number on one side of a reaction, or its weight in a sum. */
struct rd_term {
    int32_t species; /* index into species */
    int32_t number;  /* number of molecules */
};

/* Describes an individual of a reactant that remains the same as one of a product. */
struct rd_successor {
    int32_t from, to; /* indices into species */
};

struct rd_reaction {
    char *label;                        /* in results, unique: its name, or else its equation */
    char *equation;                     /* as written, with normalised blanks: "A + B -> 2 A" */
    struct rd_term *reactant, *product; /* each species once per side, in order of appearance */
    int n_reactants, n_products;
    struct rd_successor *becomes; /* given by the key, in order of the names of `to` */
    int n_becomes;
    struct rd_expr rate;       /* rate of mass action; may also use t, x, y, z, counts, sums; a sum
                                  over the individuals of a reactant replaces their number */
    struct rd_expr propensity; /* propensity of one voxel, if has_propensity */
    bool has_propensity;
    bool is_microscopic;   /* the rate is the intrinsic one, of molecules that touch */
    bool is_instant;       /* it and the reaction `turned` are infinitely fast, with the ratio of
                              their rates */
    int turned;            /* is_instant: index of the other direction */
    struct rd_expr radius; /* is_microscopic: distance at which they touch */
    int corrected_by;      /* index of the microscopic reaction whose correction the rate has:
                              itself, or the one that this reverses; or -1 */
    struct rd_expr weight; /* of attributes of one individual reactant (weight.of), which is drawn
                              with probability in proportion to it */
    bool has_weight;
    int region;        /* index of the region in which it happens, or -1: all voxels */
    int surface;       /* index of the surface on which it happens, or -1 */
    int32_t share;     /* on a surface: index of the field component that replaces V^(1 - order),
                          divided by its mean */
    double mean_share; /* that mean, weighted by area */
    int compartment;   /* index of the compartment in which all its reactants are, or -1 */
    bool is_exchange;  /* its species are in voxels and in compartments: it belongs to the movement,
                          and its products appear in any voxel if its reactants are in none */
    double per_volume; /* happens in voxels: product of 1 / volume over the reactants in
                          compartments */
    int given;         /* compartment >= 0: index of the region of the lattice that `in` names, or
                          -1 */
    uint64_t lands;    /* is_exchange, reactants in no voxel: bits of all regions of that voxel */
    char *place;
};

enum rd_amount_kind {
    RD_AMOUNT_COUNT,   /* a number of molecules over the whole place, each in a random voxel */
    RD_AMOUNT_DENSITY, /* mean molecules per volume */
    RD_AMOUNT_VALUE,   /* mean molecules per voxel */
    RD_AMOUNT_FROM     /* the counts of a snapshot of an earlier result */
};

enum rd_spread {
    RD_SPREAD_DEFAULT, /* count: random; density, value: even */
    RD_SPREAD_RANDOM,  /* count: each molecule in a voxel drawn uniformly */
    RD_SPREAD_EVEN,    /* the integer part, and one more at random so that the mean is right */
    RD_SPREAD_POISSON  /* density, value: a Poisson number with that mean */
};

/* Says how many of the molecules that are present an event takes. */
enum rd_share {
    RD_SHARE_COUNT,       /* this number; all choices are equally likely */
    RD_SHARE_ALL,         /* all */
    RD_SHARE_FRACTION,    /* this part of the number, rounded at random so that the mean is right */
    RD_SHARE_PROBABILITY, /* each with this probability, independently */
    RD_SHARE_EACH,        /* this number in every voxel */
    RD_SHARE_REST         /* each, unless it stays with this probability */
};

/* Lists voxels by their numbers, which rise. */
struct rd_voxel_list {
    const int64_t *number;
    int64_t n;
};

/* Describes an entry of `initial`, or of `add`, `remove`, `divide` or `convert` of an event. */
struct rd_amount {
    enum rd_amount_kind kind;
    enum rd_spread spread;
    int species;         /* FROM: -1: all species with the same names in the earlier result */
    struct rd_expr much; /* count, density or value; density and value may use x, y, z, volume */
    enum rd_share share; /* of an event that takes molecules; RD_SHARE_ALL: `much` is unused */
    int becomes;         /* convert: the other species; else -1 */
    int region;          /* -1: every voxel in which the species lives */
    bool is_at;          /* only the one voxel below */
    int32_t voxel[3];
    int64_t *site; /* only these voxels, rising; or NULL */
    int64_t n_sites;
    struct rd_expr *attribute; /* individuals: rules that replace `initial`, one for each attribute
                                  of the species, or of the one that it becomes; a rule with n = 0
                                  is not given; or NULL */
    char *file;                /* FROM: path of an earlier result */
    double at_time;            /* FROM: time of the snapshot */
    bool has_at_time;          /* FROM: false: its last snapshot */
    char *place;
};

/* Describes a value that an event gives to a parameter. */
struct rd_setting {
    int parameter;        /* index into parameter */
    struct rd_expr value; /* may use parameters and t */
};

/* Describes an event at one time or at regular intervals. It sets parameters, then takes molecules
   (remove, divide, convert, in this order), then adds. */
struct rd_event {
    char *name;          /* or NULL */
    double time;         /* of the first occurrence */
    double every;        /* interval; 0: it occurs once */
    double until;        /* no occurrence later than this (default: the end) */
    struct rd_expr when; /* instead of a time: it fires when this becomes true, in each run by
                            itself; n = 0: it has times */
    bool repeats;        /* when: each time, not only the first one */
    struct rd_setting *set;
    int n_set;
    struct rd_amount *add, *take;
    int n_add, n_take;
    char *place;
};

/* Sets the largest number of groups of output, and the bits of all of them. */
enum { RD_MAX_OUTPUTS = 64, RD_NAME_BYTES = 64 }; /* bytes of a group's name, and the end */
#define RD_ALL_DUE UINT64_MAX

/* Holds the molecules of a species in all voxels, or in a region. */
struct rd_run_total {
    int species, region; /* region -1: all voxels */
    char *place;         /* of the first expression that uses it */
};

/* Describes a named sum of the totals of species, each times its number, for the result. */
struct rd_observable {
    char *name;
    struct rd_term *term;
    int n_terms;
};

/* Describes a named number of each run for the result: an expression of totals, parameters and
   t. */
struct rd_named_value {
    char *name;
    struct rd_expr value;
};

/* Describes a parameter that follows an ordinary differential equation in each run. */
struct rd_ode {
    int parameter;
    struct rd_expr rate; /* its change per time */
};

/* A parameter is read by the rate of a reaction, or by anything else. */
enum { RD_READ_BY_RATE = 1, RD_READ_OTHERWISE = 2 };

enum rd_solver { RD_SOLVER_SPLIT, RD_SOLVER_EXACT };
enum rd_splitting { RD_SPLITTING_STRANG, RD_SPLITTING_LIE };

struct rd_model {
    char *title;
    struct rd_grid grid;

    int n_parameters;
    char **parameter; /* names */
    double *value;    /* initial values */
    char **parameter_place;
    uint8_t *reads_parameter; /* RD_READ_ bits: which expressions read it */
    bool *is_of_run;          /* [parameter]: an ODE or an event sets it in each run by itself */
    bool has_run_values;      /* there is such a parameter */
    struct rd_ode *ode;       /* their parameters are the last ones */
    int n_odes;

    struct rd_region *region;
    int n_regions;
    char **region_name; /* the names again, borrowed, in the form that rd_scope takes */
    uint64_t *mask;     /* [site]: bit r: the site belongs to region r; NULL without regions */
    struct rd_boundaries *boundaries; /* measured when they are needed (boundary_faces.h); NULL
                                         without masks */
    struct rd_surface *surface;
    int n_surfaces;
    struct rd_compartment *compartment;
    int n_compartments;
    struct rd_lookup *table; /* in the order of the file */
    int n_tables;
    struct rd_field *field;
    int n_fields, n_filled; /* n_filled: number of fields read so far; these have values */
    char **field_name;      /* names, borrowed, as region_name */
    bool *field_varies;     /* the field has a rate */
    int n_field_rates;      /* number of varying fields; their values are the first varying
                               components of expressions */
    struct rd_steepness *field_gradient;
    int n_gradients;         /* number of gradients of varying fields; these are the varying
                                components that follow */
    double *field_component; /* [n_field_components][site]: values of fields, and gradients that
                                expressions use */
    int n_field_components;
    int32_t *field_component_of; /* [RD_FIELD_COMPONENTS * field + component] (see expr.h): index
                                    into field_component, or among the varying components; -1: not
                                    used */
    struct rd_extent *extent;    /* [region]: its size; NULL while regions are read */
    struct rd_species *species;
    int n_species;
    char **species_name; /* names, borrowed, as region_name */
    struct rd_name_index species_index, parameter_index;
    bool *reads_species;         /* an expression reads its number, slope, place or individuals */
    struct rd_names *attributes; /* [species]: names, borrowed, as region_name */
    struct rd_names inherited;   /* name of every attribute once: the names that may follow
                                    `parent.` */
    struct rd_border *border;
    int n_borders;
    struct rd_reaction *reaction;
    int n_reactions;
    struct rd_amount *initial;
    int n_initial;
    struct rd_event *event;
    int n_events;
    int *condition; /* events with `when`: their indices */
    int n_conditions;

    struct rd_run_total *total; /* totals of runs that expressions use */
    int n_totals;
    int n_rate_totals; /* the first ones, which rates and motion use */

    struct rd_observable *observable;
    int n_observables;
    struct rd_named_value *named_value; /* the variables of ODEs, and observables with `value` */
    int n_named_values;

    double end;         /* time at which a run ends */
    double control;     /* time from one return of control to a program to the next; 0: none */
    double step;        /* longest step that the configuration or the rows allow, or 0: auto */
    bool has_step;      /* the configuration has time.step */
    int halvings;       /* how often each step is halved, to see what that changes */
    int64_t max_events; /* most reactions in one voxel and pass of a step; one more is a fault */

    struct rd_expr stop; /* a run stops when this is not 0; n = 0: no such condition */
    bool stops_at_steps; /* evaluated after every step or event of the exact solver; false: at
                            outputs */

    struct rd_output *output;
    int n_outputs;
    /* species with statistics of voxels, and with covariances, in any group; rising */
    int32_t *surveyed, *paired;
    int n_surveyed, n_paired;
    struct rd_by *by; /* of all groups, in their order */
    int n_by;
    int64_t n_bins; /* values of all entries of by */
    double *moment; /* times at which any group records, rising */
    uint64_t *due;  /* [moment]: bit i: group i records */
    int64_t n_moments;
    char *file;       /* path of the result */
    double *quantile; /* those of all groups, rising */
    int n_quantiles;
    char *length_unit, *time_unit; /* "" unless `units` gives them */

    uint64_t seed; /* < 2^48 */
    int64_t first_run;
    int64_t first_of_all, n_all; /* of the ensemble, of which the runs here may be a batch */
    int64_t n_runs;              /* of all rows */
    int64_t stream_shift;        /* run r has the random numbers of run r - stream_shift */
    struct rd_theta theta;       /* parameter vectors; no rows in the model of a single row */
    enum rd_solver solver;
    enum rd_splitting splitting;

    struct rd_error warnings; /* messages that do not stop a run */
};

/* Returns the number of regions that have shapes. Those of surfaces follow them, then those of
   compartments. */
static inline int rd_model_n_shapes(const struct rd_model *m)
{
    return m->n_regions - m->n_surfaces - m->n_compartments;
}

/* Returns the number of regions that are parts of the lattice. */
static inline int rd_model_n_places(const struct rd_model *m)
{
    return m->n_regions - m->n_compartments;
}

/* Returns whether a face of the grid is a wall of this kind for the species. (walls.c) */
bool rd_species_has_wall(const struct rd_species *s, enum rd_wall_kind kind);
/* Returns the index of the attribute with this name, -1 if there is none. (species.c) */
int rd_species_attribute(const struct rd_species *s, const char *name);

/* Reads the checked configuration c into m. Reports every fault with its place and returns false if
   there is any. The caller frees m in any case. */
bool rd_model_make(struct rd_model *m, const rd_config *c, struct rd_error *e);
/* Does the same for the runs of one row of the table that the model `all` of c has. */
bool rd_model_make_row(struct rd_model *m, const rd_config *c, const struct rd_model *all,
                       int64_t row, struct rd_error *e);
/* Returns the name of a row for messages: "theta.csv: row 3: ". */
char *rd_model_row_name(const struct rd_model *all, int64_t row);
void rd_model_free(struct rd_model *m);
/* Reads the numbers of voxels and species of one run; allocates no memory for voxels. Returns false
   if the configuration is wrong there, which rd_model_make reports. */
bool rd_model_size(const rd_config *c, int64_t *n_sites, int *n_species);

/* Returns the dimension of the rate constant of mass action (quantities.c). */
struct rd_dimension rd_model_rate_dimension(const struct rd_model *m, const struct rd_reaction *x);
/* Returns the names and kinds that expressions of this model may use; allowed has RD_USES_ bits. */
struct rd_scope rd_model_scope(const struct rd_model *m, unsigned allowed);

/* Returns the number of runs that can be simulated simultaneously: it is limited by these voxels,
   and by INT32_MAX individuals of one species. */
int64_t rd_model_at_once(const struct rd_model *m);
/* Returns RD_USES_ bits: the variables on which diffusivity and drift of the species depend. */
unsigned rd_model_motion_uses(const struct rd_species *s);

#endif
