/* network_text - a reaction network while it is read: names, and sides with exact fractions.
   Has one user beside itself, network.c, which decides where the words come from. */
#ifndef RD_NETWORK_TEXT_H
#define RD_NETWORK_TEXT_H

#include "modes/network.h"

/* Maps names to their numbers, by open addressing. A zero-initialised struct is empty. */
struct rd_name_table {
    char **name; /* owned, with the names */
    int32_t *slot;
    int n, n_slots;
};

/* Returns the number of a name, which may be added; -1 if it is not there. */
int rd_name_table_find(struct rd_name_table *t, const char *name, size_t length, bool adds);
void rd_name_table_free(struct rd_name_table *t);

/* Holds number / denominator molecules of a species. */
struct rd_raw_term {
    int32_t species;
    int64_t number, denominator;
};

struct rd_raw_side {
    struct rd_raw_term *term; /* owned */
    int n;
};

struct rd_raw_reaction {
    struct rd_raw_side side[2];
    bool is_reversible;
};

struct rd_raw_network {
    struct rd_name_table species, reactions;
    struct rd_raw_reaction *reaction; /* owned */
    bool *is_external;                /* [species], owned */
    struct rd_name_table unnamed;     /* equations of reactions without a name */
    int *times;                       /* [unnamed.n], owned: how often each stands */
    bool is_closed;                   /* species that are not declared are faults */
    struct rd_error *e;
};

/* Adds a reaction of this name, written "2 A + 0.5 B => C" (or ->, <=>, <->). Returns false with a
   message that opens with place. */
bool rd_raw_network_add(struct rd_raw_network *r, const char *name, const char *equation,
                        const char *place);
/* Makes the network of what was read; takes the names over. */
bool rd_raw_network_finish(struct rd_raw_network *r, const char *file, struct rd_network *n);
void rd_raw_network_free(struct rd_raw_network *r);

#endif
