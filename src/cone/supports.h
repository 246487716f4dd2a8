/* supports - the signed supports of vectors: which columns are not 0, and which are negative. */
#ifndef RD_SUPPORTS_H
#define RD_SUPPORTS_H

#include "base/error.h"

#include <stdint.h>

/* Holds supports. A support is 2 * n_words words: bits of the columns that are not 0, then of
   those of them that are negative. A zero-initialised struct is empty but for n_words. */
struct rd_supports {
    int n_columns, n_words;
    int64_t n, capacity;
    uint64_t *set; /* owned */
};

void rd_supports_begin(struct rd_supports *s, int n_columns);
/* Returns the bytes that a support takes, with what it takes while all are sorted. */
int64_t rd_supports_bytes(const struct rd_supports *s);
/* Makes room for n more supports, and no more. Returns false with a message. */
bool rd_supports_reserve(struct rd_supports *s, int64_t n, struct rd_error *e);
/* Makes room for one more support and returns it, cleared; NULL with a message. */
uint64_t *rd_supports_add(struct rd_supports *s, struct rd_error *e);
/* Adds a column to a set. */
void rd_supports_put(const struct rd_supports *s, uint64_t *set, int column, bool is_negative);
bool rd_supports_has(const struct rd_supports *s, int64_t support, int column);
bool rd_supports_is_negative(const struct rd_supports *s, int64_t support, int column);
/* Returns how many columns are not 0. */
int rd_supports_length(const struct rd_supports *s, int64_t support);
/* Turns a support whose columns are all reversible so that its first column is positive. */
void rd_supports_turn(const struct rd_supports *s, uint64_t *set, const bool *is_reversible);
/* Sorts by length, then by the order of columns; supports that are equal become one. Returns false
   with a message if there is no memory. */
bool rd_supports_sort(struct rd_supports *s, struct rd_error *e);
/* Keeps the supports for which keeps[support] is true. */
void rd_supports_keep(struct rd_supports *s, const bool *keeps);
/* Returns a hash of all sets in their order (FNV-1a, 64 bits). */
uint64_t rd_supports_hash(const struct rd_supports *s);
void rd_supports_free(struct rd_supports *s);

#endif
