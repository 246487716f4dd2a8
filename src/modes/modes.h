/* modes - a set of elementary flux modes: which reactions each one uses, and in which direction. */
#ifndef RD_MODES_H
#define RD_MODES_H

#include "modes/network.h"

/* A mode is 2 * n_words words: bits of the reactions that it uses, then of those of them that run
   backward. Zero-initialised is empty but for n_words. */
struct rd_modes {
    int n_reactions, n_words;
    int64_t n, room;
    uint64_t *set; /* owned */
};

void rd_modes_begin(struct rd_modes *m, int n_reactions);
/* Makes room for one more mode and returns it, cleared; NULL with a sentence. */
uint64_t *rd_modes_add(struct rd_modes *m, struct rd_error *e);
/* Adds a reaction to a set, backward if the coefficient is negative. */
void rd_modes_put(const struct rd_modes *m, uint64_t *set, int reaction, bool is_backward);
bool rd_modes_has(const struct rd_modes *m, int64_t mode, int reaction);
bool rd_modes_is_backward(const struct rd_modes *m, int64_t mode, int reaction);
int rd_modes_length(const struct rd_modes *m, int64_t mode);
/* Turns a mode whose reactions are all reversible so that its first reaction runs forward. */
void rd_modes_turn(const struct rd_modes *m, uint64_t *set, const bool *is_reversible);
/* Sorts by length, then by the reactions in the order of the file; modes that are equal become one.
   False with a sentence if there is no memory. */
bool rd_modes_sort(struct rd_modes *m, struct rd_error *e);
/* Keeps the modes for which keeps[mode] is true. */
void rd_modes_keep(struct rd_modes *m, const bool *keeps);
/* Returns a hash of all sets in their order (FNV-1a, 64 bits). */
uint64_t rd_modes_hash(const struct rd_modes *m);
void rd_modes_free(struct rd_modes *m);

#endif
