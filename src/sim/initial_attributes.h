/* initial_attributes - the attributes that individuals have who are placed, at the start or at an
   event, by the rules of the amount that places them, or of their species. */
#ifndef RD_SIM_INITIAL_ATTRIBUTES_H
#define RD_SIM_INITIAL_ATTRIBUTES_H

#include "sim/placement.h"
#include "sim/sim.h"

struct rd_initial_attributes {
    const struct rd_sim *s;
    const double *value;  /* of the parameters */
    const int32_t *count; /* afterwards */
    double t;
    struct rd_bound_rules *rules; /* owned: those that were asked for */
    int n_rules;
};
void rd_initial_attributes_close(struct rd_initial_attributes *d);

/* Those of one who is placed with the id: own[attribute]. False with a sentence: to `why` where a
   rule gives what an attribute cannot be. */
bool rd_endow_placed(struct rd_initial_attributes *d, const struct rd_placement *a, int64_t id,
                     double *own, struct rd_error *why, struct rd_error *e);

#endif
