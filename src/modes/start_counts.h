/* start_counts - what a configuration says of the species of its network: how many molecules there
   are at the start, and what else than reactions brings them. */
#ifndef RD_START_COUNTS_H
#define RD_START_COUNTS_H

#include "model/model.h"
#include "modes/network.h"

/* Holds one number for each species of the network. A zero-initialised struct is empty. */
struct rd_start_counts {
    int64_t *number;   /* molecules at the start, -1: not known; owned */
    bool *is_supplied; /* events or reservoirs bring it; owned */
    bool is_closed;    /* reactions alone change numbers: no events, no walls that molecules pass */
};

/* Reads the start of a model; NULL: nothing is known. */
void rd_start_counts_read(struct rd_start_counts *s, const struct rd_network *n,
                          const struct rd_model *m);
void rd_start_counts_free(struct rd_start_counts *s);

#endif
