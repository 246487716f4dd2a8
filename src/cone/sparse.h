/* sparse - vectors of integers of which most are 0, and integer arithmetic that never overflows
   silently. */
#ifndef RD_SPARSE_H
#define RD_SPARSE_H

#include <stdbool.h>
#include <stdint.h>

__extension__ typedef __int128 rd_int128;

struct rd_entry {
    int32_t at;
    int64_t value;
};

/* Holds a vector by its entries that are not 0, in rising order. A zero-initialised struct is
   the vector 0. */
struct rd_sparse {
    struct rd_entry *entry; /* owned */
    int n;
};

/* Returns the greatest common divisor; of 0 and 0 it is 0. */
int64_t rd_sparse_gcd(int64_t a, int64_t b);
rd_int128 rd_sparse_gcd128(rd_int128 a, rd_int128 b);
/* Returns whether a value fits into 64 bits; the least value of the type counts as too large. */
static inline bool rd_sparse_fits(rd_int128 value)
{
    return value <= INT64_MAX && value >= -INT64_MAX;
}

/* Returns the entry at a position, 0 where there is none. */
int64_t rd_sparse_at(const struct rd_sparse *v, int32_t at);
/* Makes *sum the vector 0, with room for a sum of two vectors. Returns false if there is no memory.
 */
bool rd_sparse_open_sum(struct rd_sparse *sum, const struct rd_sparse *a,
                        const struct rd_sparse *b);
/* Adds a's multiple and b's to *sum, which is 0 and has the room. Returns false if a value does not
   fit into 64 bits; the entries before it are then set. */
bool rd_sparse_combine(struct rd_sparse *sum, const struct rd_sparse *a, int64_t times_a,
                       const struct rd_sparse *b, int64_t times_b);
/* Sets *copy to the same vector. Returns false if there is no memory. */
bool rd_sparse_copy(struct rd_sparse *copy, const struct rd_sparse *v);
/* Returns the greatest common divisor of all values. */
int64_t rd_sparse_content(const struct rd_sparse *v);
/* Divides every value by a divisor of all. */
void rd_sparse_divide(struct rd_sparse *v, int64_t divisor);
void rd_sparse_free(struct rd_sparse *v);

#endif
