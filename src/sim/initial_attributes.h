/* initial_attributes - attributes of individuals that are placed at the start or by an event.

   They follow the rules of the amount that places them, or else of their species. */
#ifndef RD_SIM_INITIAL_ATTRIBUTES_H
#define RD_SIM_INITIAL_ATTRIBUTES_H

#include "sim/host_counts.h"
#include "sim/occasion.h"
#include "sim/placement.h"
#include "sim/sim.h"

struct rd_initial_attributes {
    const struct rd_sim *s;
    const struct rd_host_counts *counts; /* after the placement; no list is open as an array */
    const struct rd_occasion *o;
    struct rd_bound_rules *rules; /* owned: those that were needed so far */
    int n_rules;
};
void rd_initial_attributes_close(struct rd_initial_attributes *d);

/* Holds attributes of a converted individual as it was: it keeps those of the same name, unless
   a rule of the conversion replaces them. */
struct rd_kept {
    const struct rd_species *species; /* that it had; NULL: it is new */
    const double *attribute;
};

/* Binds the rules of the placement's amount. Returns false with a message. */
bool rd_initial_attributes_open(struct rd_initial_attributes *d, const struct rd_placement *a,
                                struct rd_error *e);

/* Sets own[attribute] for one individual that is placed with this id. Returns false with a message.
   The message is added to `why` if a rule gives an impossible value, else to e. The rules of the
   amount are bound; several threads may call it. */
bool rd_initial_attributes_give(const struct rd_initial_attributes *d, const struct rd_placement *a,
                                int64_t id, const struct rd_kept *kept, double *own,
                                struct rd_error *why, struct rd_error *e);

#endif
