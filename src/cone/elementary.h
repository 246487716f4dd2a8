/* elementary - the elementary vectors of a system, those whose support contains that of no other:
   compression, components, the engine, and the way back to the columns of the system. */
#ifndef RD_ELEMENTARY_H
#define RD_ELEMENTARY_H

#include "cone/engine.h"
#include "cone/feasible.h"
#include "cone/supports.h"

/* Holds columns of the core that share no row with others: their vectors are found by
   themselves. */
struct rd_component {
    int from, n;
    struct rd_kernel kernel;
};

/* Holds a system and its elementary vectors. A zero-initialised struct is empty. */
struct rd_elementary {
    struct rd_system system;
    struct rd_core core;
    struct rd_component *component; /* owned */
    int n_components;
    struct rd_supports support; /* sorted; a vector of reversible columns alone is there once */
    bool is_partial;
    bool lacks_memory; /* then: as in struct rd_engine_vectors */
    int64_t rows_needed;
    bool is_wide; /* 128 bits were needed */
    bool is_cut;  /* there may be more: some were left out because of their length */
};

/* Compresses a system, which is taken over, and finds no vector yet. Returns false with a
   message. */
bool rd_elementary_begin(struct rd_elementary *v, struct rd_system *s, struct rd_error *e);
/* Finds the elementary vectors of a system, which is taken over. Returns false with a message. If
   only the shortest are needed, the search is repeated with a larger limit of the length until
   there are more of them than needed, or all. */
bool rd_elementary_find(struct rd_elementary *v, struct rd_system *s,
                        const struct rd_engine_options *o, struct rd_error *e);
/* Sets value[column] of a vector to the smallest integers and verifies that no row changes. Returns
   false with a message if a number does not fit into 64 bits. */
bool rd_elementary_value(const struct rd_elementary *v, int64_t support, int64_t *value,
                         struct rd_error *e);
/* Sets state[column of the system] to whether some vector has it; see rd_feasible_find. Needs
   rd_elementary_begin alone. */
bool rd_elementary_feasible(const struct rd_elementary *v, enum rd_feasible *state, int64_t effort,
                            struct rd_error *e);
void rd_elementary_free(struct rd_elementary *v);

#endif
