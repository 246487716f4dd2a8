/* placement - which individuals come to voxels or leave them, at the start or at an event; and in
   which runs of an ensemble the event cannot be, each with the reason. */
#ifndef RD_SIM_PLACEMENT_H
#define RD_SIM_PLACEMENT_H

#include "base/error.h"
#include "model/model.h"

/* Individuals that an amount put into a voxel, or took out (number < 0). */
struct rd_placement {
    int32_t list;
    int32_t number;
    int64_t voxel; /* over all runs */
    const struct rd_amount *by;
};

struct rd_refusal {
    int64_t run; /* number of the run here */
    char *text;  /* owned: the sentence */
};

/* Zero-initialised is empty, and refuses nothing. */
struct rd_roster {
    struct rd_placement *placement; /* owned: all of them, in the order of the amounts */
    int64_t n;
    uint8_t *frozen; /* owned, [run]: nobody comes to them or goes any more; NULL: there are none */
    bool refuses;    /* runs fault alone; needs still[] */
    struct rd_refusal *refused; /* owned */
    int64_t n_refused;
};
void rd_roster_free(struct rd_roster *roster);

/* What was asked cannot be in the run: it is left out from now on. False if that ends all runs;
   then `why` is empty, since the sentence was told to all. */
bool rd_roster_refuse(struct rd_roster *roster, int64_t run, struct rd_error *why,
                      struct rd_error *e);
bool rd_roster_has(const struct rd_roster *roster, int64_t run);
/* Nobody comes to the runs that were refused, or leaves them. */
void rd_roster_clear_refused(struct rd_roster *roster, int64_t n_sites);

#endif
