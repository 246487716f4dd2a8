/* individuals - what a model says of molecules that are told apart: their attributes' rules, how
   many there may be, who of them reacts, and of whom they are born. */
#ifndef RD_MODEL_INDIVIDUALS_H
#define RD_MODEL_INDIVIDUALS_H

#include "model/reader.h"

/* What expressions of an individual may use in any case. */
enum {
    RD_INDIVIDUAL_USES = RD_USES_PARAMETERS | RD_USES_SPACE | RD_USES_TIME | RD_USES_COUNTS |
                         RD_USES_VOLUME | RD_USES_OWN | RD_USES_REGIONS | RD_USES_FIELDS
};

/* Reads the number or expression at node, called key, of a molecule of species number s; the
   attributes that it uses must be its own. With axis > 0 gradient() is that along axis - 1. */
bool rd_individuals_expr(struct rd_reader *r, const rd_node *node, const char *key, int s, int axis,
                         unsigned allowed, enum rd_range range, struct rd_expr *x);

/* Reads the group `individuals` of species number s, whose attributes' names are known. */
void rd_individuals_read(struct rd_reader *r, const rd_node *group, int s);
/* The attributes that the amount at group has instead of `initial`, if any. */
void rd_individuals_override(struct rd_reader *r, const rd_node *group, struct rd_amount *a);
/* Whether all those that the model speaks of find room. */
void rd_individuals_check(struct rd_reader *r);

/* choice.c: the weight of the reaction at group, whose equation, rate and law are read; and
   whether it is clear who reacts. */
void rd_choice_read(struct rd_reader *r, const rd_node *group, struct rd_reaction *x);
/* descent.c: whether rules of birth find what they use in the reaction at group. */
void rd_descent_check(struct rd_reader *r, const rd_node *group, const struct rd_reaction *x);

#endif
