/* place - puts molecules into cells: at the start, and at events. On the host, so that both back
   ends begin with the same bytes. */
#ifndef RD_PLACE_H
#define RD_PLACE_H

#include "plan.h"

/* Individuals that an amount put into a cell, or took out (number < 0). */
struct rd_arrival {
    int32_t list;
    int32_t number;
    int64_t cell; /* over all runs */
    const struct rd_amount *by;
};

/* All of them, in the order of the amounts. Zero-initialised is empty. */
struct rd_roster {
    struct rd_arrival *arrival; /* owned */
    int64_t n;
    const uint8_t *still; /* [run]: nobody comes to them or goes any more; NULL: there are none */
};
void rd_roster_free(struct rd_roster *roster);

/* All of `initial` added to count[species][cell] (canonical order; zero before). False also where a
   run would have more individuals than it may; likewise below. */
bool rd_place_start(const struct rd_plan *p, const double *value, int32_t *count,
                    struct rd_roster *roster, struct rd_error *e);
/* What event number i removes and adds at time t, in the step with that number. */
bool rd_place_event(const struct rd_plan *p, const double *value, int i, double t, uint32_t step,
                    int32_t *count, struct rd_roster *roster, struct rd_error *e);

#endif
