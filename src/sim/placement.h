/* placement - individuals that the start or an event adds to voxels or removes.

   In an ensemble it also lists the runs in which the event is impossible, each with the reason. */
#ifndef RD_SIM_PLACEMENT_H
#define RD_SIM_PLACEMENT_H

#include "base/error.h"
#include "model/model.h"

/* Describes individuals that an amount adds to a voxel, or removes from it (number < 0). */
struct rd_placement {
    int32_t list;
    int32_t number;
    int64_t voxel; /* number over all runs */
    const struct rd_amount *by;
    bool is_same;  /* number > 0: those that the placement before removes, converted */
    int64_t moved; /* is_same: the first of them among all that are converted */
};

/* Describes a run in which the event is impossible. */
struct rd_refusal {
    int64_t run; /* index among the runs of the simulator */
    char *text;  /* owned: the message */
};

/* Holds the placements of the start or of an event. A zero-initialised struct is empty and refuses
   no run. */
struct rd_placements {
    struct rd_placement *placement; /* owned: all of them, in the order of the amounts */
    int64_t n;
    int threads;     /* that place molecules; 0: all */
    uint8_t *frozen; /* owned, [run]: not 0 if the run takes no part; NULL: all take part */
    bool refuses;    /* runs fail separately; needs frozen[] */
    struct rd_refusal *refused; /* owned */
    int64_t n_refused;
};
void rd_placements_free(struct rd_placements *placements);

/* Refuses the event in a run with the message `why`, which becomes empty; the run takes no part
   from then on. Returns false if runs do not fail separately: the message is then in e already, and
   `why` is empty. Returns false with a message if memory is short. */
bool rd_placements_refuse(struct rd_placements *placements, int64_t run, struct rd_error *why,
                          struct rd_error *e);
/* Returns whether the run takes part. */
bool rd_placements_has(const struct rd_placements *placements, int64_t run);
/* Removes the placements in runs that take no part; a run has n_sites voxels. */
void rd_placements_clear_refused(struct rd_placements *placements, int64_t n_sites);

/* Compares two placements of one array by list and voxel, then by amount, for qsort. */
int rd_placement_order(const void *a, const void *b);

#endif
