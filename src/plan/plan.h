/* plan - the model as flat tables with species and reactions in canonical order, so that their
   order in the file has no effect. Rates become probabilities once the step is known. Impossible
   values are rejected. */
#ifndef RD_PLAN_PLAN_H
#define RD_PLAN_PLAN_H

#include "kernels/core/rng.h"
#include "kernels/core/world.h"
#include "model/model.h"
#include "plan/conservation_laws.h"
#include "plan/displacement.h"

/* Describes the bounding box of the voxels in which a species lives. */
struct rd_bounds {
    int32_t lo[3], hi[3]; /* lo <= i < hi */
    bool is_box;          /* every voxel of the box belongs to its region */
};

/* Sets the most hops along an axis in a step, from the largest number of movements in a step;
   longer steps are rejected. */
#define RD_HOPS_MOST (RD_DISPLACEMENTS_MOST * (RD_PART_END - 2))

/* Names what the hop rates of a species depend on. */
enum rd_motion {
    RD_MOTION_EQUAL,    /* parameters: they are equal in all voxels */
    RD_MOTION_BY_ZONE,  /* also regions */
    RD_MOTION_BY_PLACE, /* also the position or constant fields; the species is counted */
    RD_MOTION_BY_STATE, /* also time, counts or changing fields; the species is counted */
    RD_MOTION_OWN       /* anything of the last two; each individual has rates of its own */
};

struct rd_plan {
    const struct rd_model *model;
    int32_t *species_of;        /* [canonical number]: number in the file */
    int32_t *species_at;        /* [number in the file]: canonical number */
    enum rd_motion *motion_of;  /* [number in the file] */
    int32_t *reaction_of;       /* [canonical number]: number in the file */
    struct rd_bounds *domain;   /* [canonical number] */
    double *mean;               /* [canonical number]: mean molecules per voxel of its region at the
                                   start */
    int32_t *usual;             /* [number in the file]: the same, rounded to whole numbers */
    double *no_mean;            /* [3 * n_species]: zeros, for mean positions at the start */
    int32_t *list_of;           /* [canonical number]: number of its list, or -1: a counted
                                   species */
    bool has_lost, has_entered; /* a wall absorbs molecules, or lets them in */
    bool uses_time;             /* a propensity, diffusivity or drift depends on t */
    bool is_by_totals;          /* a propensity depends on totals or mean positions */
    bool is_by_counts;          /* motion of some individuals depends on counts or mean positions */
    bool is_by_state;           /* motion of some counted species depends on counts, fields or mean
                                   positions */

    struct rd_world world;          /* sizes, and tables in host memory, which the arrays below
                                       own */
    struct rd_transport *transport; /* [canonical number] */
    struct rd_hop_rate *hop_rate;
    struct rd_uniformised_walk *uniformised_walk;
    uint8_t *zone;          /* [site]; NULL if there are no zones */
    uint64_t *zone_regions; /* [zone]: those of its regions that define the zone */
    double *border;
    int32_t *column, *columned; /* where counts are stored: see rd_rows; NULL: all in columns */
    int32_t *keyed_first;       /* likewise */
    struct rd_row_key *keyed;   /* likewise */
    struct rd_row_bound *bound; /* likewise */
    struct rd_channel *channel;
    struct rd_reactant *reactant, *change;
    struct rd_mass_action *product, *dependent;
    int32_t *first_affected;
    struct rd_affected *affected;
    double *vector_rate;    /* of the parameter vectors of these runs, if one plan is for many */
    uint8_t *vector_is_out; /* [vector]: a rate is out of range */
    struct rd_exchange *exchange;
    struct rd_landing *landing;
    struct rd_mixing *mixing;
    struct rd_op *program;
    struct rd_displacements displacements;
    struct rd_list *list; /* of individuals, in canonical order of their species */
    struct rd_participant *participant;
    struct rd_birth *birth;
    struct rd_rule *rule;
    struct rd_total *sum;
    struct rd_field_rate *field_rate;
    struct rd_field_gradient *field_gradient;
    int32_t *followed, *surveyed;
    struct rd_total_of *total_of;
    struct rd_condition *condition;
    struct rd_ode_rate *ode;
    double *value;        /* [parameter]: values of the latest rd_plan_rates */
    int64_t *usual_total; /* [total]: its mean at the start */

    struct rd_conserved conserved; /* by the reactions, whatever their rates */

    double step;   /* step for which the displacement distributions and probabilities are made */
    int32_t moves; /* number of movements in a step, each of length step / moves */
};

/* Makes the part that depends on the model only: order, regions, sizes. The caller frees p with
   rd_plan_free in any case. */
bool rd_plan_open(struct rd_plan *p, const struct rd_model *m, struct rd_error *e);
/* Computes rates, walls and propensities for these values of the parameters. */
bool rd_plan_rates(struct rd_plan *p, const double *value, struct rd_error *e);
/* Computes probabilities for steps of this length; the exact solver needs none. */
bool rd_plan_step(struct rd_plan *p, double step, struct rd_error *e);
void rd_plan_free(struct rd_plan *p);

/* Sets the pointers and numbers of entries in world to the host tables; call it after any of the
   above. */
void rd_plan_point(struct rd_plan *p);

/* Appends the expression's program, with parameters bound, to the program table, and sets rule to
   it; uses may be NULL. */
bool rd_plan_program(struct rd_plan *p, const struct rd_expr *x, const double *value,
                     struct rd_rule *rule, unsigned *uses, struct rd_error *e);

/* Returns whether a rate is constant in space and time while no event sets a parameter. */
bool rd_plan_is_constant(const struct rd_expr *rate);
/* Returns false with a message: a constant rate has the value k with these parameters. */
bool rd_plan_refuse_rate(const struct rd_plan *p, const struct rd_reaction *r, const double *value,
                         double k, struct rd_error *e);
/* Converts reactions to channels, as a part of rd_plan_rates (plan_channels.c). */
bool rd_plan_channels(struct rd_plan *p, const double *value, struct rd_error *e);
/* Sets which runs of the plan have which parameter vector, and which random numbers
   (plan_vectors.c). */
void rd_plan_size_vectors(struct rd_plan *p);
/* Computes the rates for each parameter vector of the plan's runs, as a part of rd_plan_channels
   (plan_vectors.c). */
bool rd_plan_vectors(struct rd_plan *p, const double *value, struct rd_error *e);
/* Adds a message for each rate of the row that is out of range. */
void rd_plan_vector_refuse(const struct rd_plan *p, int64_t row, struct rd_error *e);
/* Returns what a reaction of mass action multiplies its rate and the numbers of its reactants by.
 */
double rd_plan_measure_factor(const struct rd_plan *p, const struct rd_reaction *r);
/* Makes the dependency graph, after all channels are final (plan_dependents.c). */
bool rd_plan_dependents(struct rd_plan *p, struct rd_error *e);
void rd_plan_free_dependents(struct rd_plan *p);
/* Makes the tables of the reactions between voxels and compartments (plan_exchanges.c).
   rd_plan_exchange_rates, called after rd_plan_channels, takes their rates from the channels. */
bool rd_plan_exchanges(struct rd_plan *p, struct rd_error *e);
bool rd_plan_exchange_rates(struct rd_plan *p, struct rd_error *e);
/* Returns whether a step has several parts: movement, exchange and reactions. */
bool rd_plan_is_split(const struct rd_plan *p);
/* Returns the channel of a reaction; that of an exchange with its rate and all its reactants. */
struct rd_channel rd_plan_whole_channel(const struct rd_plan *p, int32_t reaction);
/* Returns the exchange of the reaction with this canonical number; NULL if it is none. */
const struct rd_exchange *rd_plan_exchange_of(const struct rd_plan *p, int32_t reaction);
/* Sets the canonical order of species and reactions (plan_order.c). */
bool rd_plan_order(struct rd_plan *p, struct rd_error *e);
/* Chooses the storage of counts (plan_rows.c). rd_plan_keys, called after rd_plan_channels, lists
   the reactions of each species for rows. */
bool rd_plan_rows(struct rd_plan *p, struct rd_error *e);
/* `auto` takes rows from so many species on, if on average at most one of RD_SPECIES_OF_PRESENT
   species is present in a voxel at the start. */
enum { RD_MANY_SPECIES = 64, RD_SPECIES_OF_PRESENT = 16 };
/* Returns why the species cannot be in rows; NULL if it can. */
const char *rd_plan_no_rows(const struct rd_model *m, const struct rd_species *s);
/* Returns the part of the voxels that are expected to have the species at the start, at most 1; s
   is its canonical number. */
double rd_plan_presence(const struct rd_plan *p, int32_t s);
bool rd_plan_keys(struct rd_plan *p, struct rd_error *e);
/* Makes the lists of individual species (plan_lists.c). rd_plan_individuals, called after
   rd_plan_channels, adds the effects of reactions on individuals, and their own motion. */
bool rd_plan_lists(struct rd_plan *p, struct rd_error *e);
bool rd_plan_individuals(struct rd_plan *p, const double *value, struct rd_error *e);
/* Makes the programs for diffusivity and drift of a species, starting at rule[*motion]. Sets
   all_uses to the RD_USES_ bits of all six. */
bool rd_plan_motion(struct rd_plan *p, const struct rd_species *s, const double *value,
                    int32_t *motion, unsigned *all_uses, struct rd_error *e);
/* Finds the zones (plan_zones.c). rd_plan_borders then computes transmission probabilities between
   zones. */
bool rd_plan_zones(struct rd_plan *p, struct rd_error *e);
bool rd_plan_borders(struct rd_plan *p, const double *value, struct rd_error *e);
/* Returns whether the species lives in the zone. */
bool rd_plan_lives(const struct rd_plan *p, const struct rd_species *s, int32_t zone);
/* Sets walls and kinds of transport (plan_transport.c). rd_plan_axis_tables makes the axis tables
   and the tables of uniformised walks for a step. */
bool rd_plan_transports(struct rd_plan *p, const double *value, struct rd_error *e);
bool rd_plan_axis_tables(struct rd_plan *p, struct rd_error *e);
/* Fills mean[species] from all entries of `initial` (step_limit.c). An earlier result counts with
   the mean over its runs, so that all runs of an ensemble get the same step. An expression that is
   negative or not finite counts as 0; rd_place_start reports it. Fails if an earlier result cannot
   be read. */
bool rd_plan_density(struct rd_plan *p, struct rd_error *e);

/* Returns what the hop rates of the species depend on (plan_hop_rates.c). */
enum rd_motion rd_motion_of(const struct rd_species *s);
/* Allocates memory for the hop rates of all zones and voxels. */
bool rd_plan_take_hop_rates(struct rd_plan *p, struct rd_error *e);
/* Sets the hop rates of the species with this canonical number: one for all voxels, or one for each
   zone or site in which it lives. Its walls must be set. */
bool rd_plan_hop_rate(struct rd_plan *p, int32_t species, const double *value, struct rd_error *e);
/* Makes the programs for motion that is evaluated in substeps; call it after
   rd_plan_individuals. */
bool rd_plan_substepped(struct rd_plan *p, const double *value, struct rd_error *e);
/* Computes probabilities of a hop for movements of this length. */
void rd_plan_hop_rate_steps(struct rd_plan *p, double time);

/* Holds voxels in which the drift along an axis makes the diffusivity of the lattice larger than
   configured. Hop rates cannot be negative, so that |drift| h / 2 is the least diffusivity with the
   right mean. */
struct rd_excess {
    int64_t n, of;             /* n of the `of` voxels in which the species lives */
    double configured, actual; /* diffusivities where the difference is largest */
    int32_t at[3];             /* that voxel */
};
struct rd_excess rd_plan_excess(const struct rd_plan *p, int32_t species, int axis,
                                const double *value);

#endif
