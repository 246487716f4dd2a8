/* kinship - who of a reaction's individuals stays, dies or becomes another species, who is born,
   and of whom. */
#ifndef RD_MODEL_KINSHIP_H
#define RD_MODEL_KINSHIP_H

#include "model/model.h"

/* A reaction makes at most so many individuals. */
enum { RD_CHILDREN_MOST = 256 };

enum { RD_FATE_STAYS, RD_FATE_DIES, RD_FATE_BECOMES };

/* An individual that takes part in the reaction. */
struct rd_actor {
    int32_t species; /* number in the file's order, here and below */
    int32_t fate;
    int32_t becomes; /* species, or -1 */
};

struct rd_child {
    int32_t species;
    int32_t parent; /* index into actor, or -1 */
};

/* Actors stand in the order of their species' names; of one species, those that become another
   first, then those that die, then those that stay. Children stand in the order of names too. */
struct rd_kinship {
    int n_actors, n_children;
    struct rd_actor actor[RD_ORDER_MOST];
    struct rd_child child[RD_CHILDREN_MOST];
};

/* As many individuals of a species as the reaction both takes and gives stay what they are. The
   others it takes are paired, in order of names, with the others it gives: each such one becomes
   its partner and stays the same individual. Those without a partner die, or are born. The parent
   is the first of the newborn's own species, or else the first of all. */
void rd_kinship_of(struct rd_kinship *k, const struct rd_model *m, const struct rd_reaction *r);

#endif
