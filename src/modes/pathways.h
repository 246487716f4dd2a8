/* pathways - all elementary flux modes of a network: compression, the engine, and the way back to
   the network's reactions. */
#ifndef RD_PATHWAYS_H
#define RD_PATHWAYS_H

#include "modes/engine.h"
#include "modes/modes.h"

/* Zero-initialised is empty. */
struct rd_pathways {
    const struct rd_network *network; /* borrowed */
    struct rd_core core;
    struct rd_kernel kernel;
    struct rd_modes modes; /* sorted */
    bool is_partial;
    int64_t rows_needed;
    bool is_wide; /* 128 bits were needed */
};

/* Finds the modes. False with a sentence. */
bool rd_pathways_find(struct rd_pathways *p, const struct rd_network *n,
                      const struct rd_engine_options *o, struct rd_error *e);
/* The same by the reference algorithm. steps: where a line for each step goes, or NULL. */
bool rd_pathways_find_plain(struct rd_pathways *p, const struct rd_network *n, FILE *steps,
                            struct rd_error *e);
/* Sets flux[reaction] of a mode to the smallest integers and verifies that no internal species
   changes. False with a sentence if a number does not fit into 64 bits. */
bool rd_pathways_flux(const struct rd_pathways *p, int64_t mode, int64_t *flux, struct rd_error *e);
void rd_pathways_free(struct rd_pathways *p);

#endif
