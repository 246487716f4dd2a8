/* individuals - the individuals of a model: rules of their attributes, their largest number, and
   the checks of reactions that draw or make them. */
#ifndef RD_MODEL_INDIVIDUALS_H
#define RD_MODEL_INDIVIDUALS_H

#include "model/reader.h"

/* Variables that every expression of an individual may use. */
enum {
    RD_INDIVIDUAL_USES = RD_USES_PARAMETERS | RD_USES_SPACE | RD_USES_TIME | RD_USES_COUNTS |
                         RD_USES_VOLUME | RD_USES_OWN | RD_USES_REGIONS | RD_USES_FIELDS
};

/* Reads the number or expression at node, called key, for an individual of species number s. It may
   use only attributes of that species. If axis > 0, gradient() is that along axis - 1. */
bool rd_individuals_expr(struct rd_reader *r, const rd_node *node, const char *key, int s, int axis,
                         unsigned allowed, enum rd_range range, struct rd_expr *x);

/* Reads the group `individuals` of species number s; the names of its attributes are already
   read. */
void rd_individuals_read(struct rd_reader *r, const rd_node *group, int s);
/* Reads the rules that replace `initial` in the amount at group, if it has any. */
void rd_individuals_override(struct rd_reader *r, const rd_node *group, struct rd_amount *a);
/* Checks that all individuals of the model fit: max of each species, and the number of voxels. */
void rd_individuals_check(struct rd_reader *r);

/* Reads the weight of the reaction at group, whose equation, rate and propensity are read
   (participants.c). Checks that no more than one rule draws the individuals that react. */
void rd_participants_read(struct rd_reader *r, const rd_node *group, struct rd_reaction *x);
/* Checks that rules of birth find the parent and the attributes that they use in the reaction at
   group (birth_rules.c). */
void rd_birth_rules_check(struct rd_reader *r, const rd_node *group, const struct rd_reaction *x);

#endif
