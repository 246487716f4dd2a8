/* plan - the model as flat tables, species and reactions in canonical order (so that their order
   in the file changes nothing), probabilities instead of rates where a step is known. Refuses what
   cannot be right. */
#ifndef RD_PLAN_PLAN_H
#define RD_PLAN_PLAN_H

#include "kernels/core/rng.h"
#include "kernels/core/world.h"
#include "model/model.h"
#include "plan/conservation_laws.h"
#include "plan/displacement.h"

/* The box of voxels that a species lives in. */
struct rd_bounds {
    int32_t lo[3], hi[3]; /* lo <= i < hi */
    bool is_box;          /* every voxel of the box belongs to its region */
};

/* More hops along an axis in a step are refused: so many movements a step there can be. */
#define RD_HOPS_MOST (RD_DISPLACEMENTS_MOST * (RD_PART_END - 2))

struct rd_plan {
    const struct rd_model *model;
    int32_t *species_of;        /* canonical number -> number in the file */
    int32_t *species_at;        /* number in the file -> canonical number */
    int32_t *reaction_of;       /* canonical number -> number in the file */
    struct rd_bounds *domain;   /* by canonical number */
    double *mean;               /* molecules in a voxel of the home at the start, likewise */
    int32_t *usual;             /* the same in whole numbers, by number in the file */
    int32_t *list_of;           /* canonical number -> number of its list, or -1: bulk */
    bool has_lost, has_entered; /* walls that take, or let in */
    bool uses_time;             /* some law depends on t */
    bool is_by_counts;          /* how some individuals move depends on counts */
    bool is_by_state;           /* how some others move does */

    struct rd_world world;          /* sizes, and tables on the host; the arrays below own them */
    struct rd_transport *transport; /* by canonical number */
    struct rd_hop_rate *hop_rate;
    struct rd_uniformised_walk *uniformised_walk;
    uint8_t *zone;          /* of each site; NULL where none are told apart */
    uint64_t *zone_regions; /* of each zone: those of its regions that make it one */
    double *border;
    struct rd_channel *channel;
    struct rd_reactant *reactant, *change;
    struct rd_op *program;
    struct rd_displacements displacements;
    struct rd_list *list; /* of individuals, in canonical order of their species */
    struct rd_participant *participant;
    struct rd_birth *birth;
    struct rd_rule *rule;
    struct rd_total *sum;
    struct rd_field_rate *field_rate;
    struct rd_field_gradient *field_gradient;
    int32_t *followed;

    struct rd_conserved conserved; /* by the reactions, whatever their rates */

    double step;   /* what rows and probabilities are for */
    int32_t moves; /* movements a step, each of step / moves */
};

/* What depends on the model alone: order, regions, sizes. Frees with rd_plan_free in any case. */
bool rd_plan_open(struct rd_plan *p, const struct rd_model *m, struct rd_error *e);
/* Rates, walls and laws for these values of the parameters. */
bool rd_plan_rates(struct rd_plan *p, const double *value, struct rd_error *e);
/* Probabilities for steps of this length; the exact solver does without. */
bool rd_plan_step(struct rd_plan *p, double step, struct rd_error *e);
void rd_plan_free(struct rd_plan *p);

/* Host memory -> world's pointers and numbers of entries, after any of the above. */
void rd_plan_point(struct rd_plan *p);

/* Appends the expression's program, bound, to the law table; uses may be NULL. */
bool rd_plan_program(struct rd_plan *p, const struct rd_expr *x, const double *value,
                     struct rd_rule *rule, unsigned *uses, struct rd_error *e);

/* plan_channels.c: reactions to channels, the part of rd_plan_rates that knows them. */
bool rd_plan_channels(struct rd_plan *p, const double *value, struct rd_error *e);
/* plan_lists.c: the lists of individual species; then, after the channels, what reactions do to
   individuals and how these move on their own. */
bool rd_plan_lists(struct rd_plan *p, struct rd_error *e);
bool rd_plan_individuals(struct rd_plan *p, const double *value, struct rd_error *e);
/* plan_fields.c: whose mean places are asked for, and which fields change; how fast these do. */
bool rd_plan_fields(struct rd_plan *p, struct rd_error *e);
bool rd_plan_field_rates(struct rd_plan *p, const double *value, struct rd_error *e);
/* Programs for the diffusivity and drift of a species, at rule[*motion]; and what they look at. */
bool rd_plan_motion(struct rd_plan *p, const struct rd_species *s, const double *value,
                    int32_t *motion, unsigned *all_uses, struct rd_error *e);
/* plan_zones.c: which zones there are; then who passes from one to another. */
bool rd_plan_zones(struct rd_plan *p, struct rd_error *e);
bool rd_plan_borders(struct rd_plan *p, const double *value, struct rd_error *e);
/* Whether the species lives in the zone. */
bool rd_plan_lives(const struct rd_plan *p, const struct rd_species *s, int32_t zone);
/* plan_movers.c: walls, who moves how, and rows for a step. */
bool rd_plan_transports(struct rd_plan *p, const double *value, struct rd_error *e);
bool rd_plan_tracks(struct rd_plan *p, struct rd_error *e);

#endif
