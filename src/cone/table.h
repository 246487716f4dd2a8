/* table - the rows of the double-description method: what is processed as bits, the rest as
   integers. */
#ifndef RD_TABLE_H
#define RD_TABLE_H

#include "base/error.h"
#include "cone/sparse.h"

/* Holds n rows, each a set of n_words words and n_left values of 64 bits, or 128 if is_wide. Values
   above limit do not fit. A zero-initialised struct is empty. */
struct rd_row_table {
    int n_words, n_left;
    bool is_wide;
    int64_t limit; /* of values of 64 bits */
    int64_t n;
    uint64_t *set; /* owned */
    void *value;   /* owned */
};

/* Makes room for n rows of the shape given in *t. Returns false if there is no memory. */
bool rd_table_open(struct rd_row_table *t, int64_t n);
/* Returns the bytes that n rows of this shape take. */
int64_t rd_table_bytes(const struct rd_row_table *t, int64_t n);
uint64_t *rd_table_set(const struct rd_row_table *t, int64_t row);
/* Returns the sign of a value: -1, 0 or 1. */
int rd_table_sign(const struct rd_row_table *t, int64_t row, int left);
/* Sets a value; false if it does not fit. */
bool rd_table_put(const struct rd_row_table *t, int64_t row, int left, rd_int128 value);
/* Copies a row but for one value. */
void rd_table_copy(const struct rd_row_table *to, int64_t row, const struct rd_row_table *from,
                   int64_t from_row, int without);
/* Makes a row the combination of two in which the value `without`, of opposite signs, cancels.
   Returns false if a value does not fit. */
bool rd_table_combine(const struct rd_row_table *to, int64_t row, const struct rd_row_table *from,
                      int64_t a, int64_t b, int without);
void rd_table_close(struct rd_row_table *t);

#endif
