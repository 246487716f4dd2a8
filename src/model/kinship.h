/* kinship - the fate of each individual in a reaction (stays, dies or becomes another species), and
   the parent of each newborn. */
#ifndef RD_MODEL_KINSHIP_H
#define RD_MODEL_KINSHIP_H

#include "model/model.h"

/* Sets the largest number of individuals that a reaction may make. */
enum { RD_CHILDREN_MOST = 256 };

enum { RD_FATE_STAYS, RD_FATE_DIES, RD_FATE_BECOMES };

/* Describes an individual that takes part in the reaction. */
struct rd_actor {
    int32_t species; /* number in the order of the file; likewise below */
    int32_t fate;
    int32_t becomes; /* species, or -1 */
};

struct rd_child {
    int32_t species;
    int32_t parent; /* index into actor, or -1 */
};

/* Actors are sorted by the name of their species. Of one species, those that become another come
   first, then those that die, then those that stay. Children are sorted by name too. */
struct rd_kinship {
    int n_actors, n_children;
    struct rd_actor actor[RD_ACTORS_MOST];
    struct rd_child child[RD_CHILDREN_MOST];
};

/* Fills k for the reaction. Individuals that `becomes` names become their partners. Of the rest, as
   many individuals of a species stay as the reaction both consumes and produces. The other
   reactants are paired with the other products in order of names: each becomes its partner and
   remains the same individual. Unpaired reactants die; unpaired products are born. The parent is
   the first actor of the child's species, or else the first actor. */
void rd_kinship_of(struct rd_kinship *k, const struct rd_model *m, const struct rd_reaction *r);

#endif
