/* pairs - the adjacent pairs of rows of opposite sign, which a step of the double-description
   method combines; the only file of src/cone/ that uses OpenMP. */
#ifndef RD_PAIRS_H
#define RD_PAIRS_H

#include "cone/bit_tree.h"
#include "cone/rank_test.h"

/* Holds numbers of rows in the table. */
struct rd_adjacent_pair {
    uint32_t positive, negative;
};

enum {
    RD_WITNESSES = 128,                   /* a multiple of 64 */
    RD_PAIR_WORDS = RD_COLUMNS_MOST / 64, /* of a set, at most */
    RD_PAIR_PLANES = 6,                   /* digits of a weight */
    RD_PAIR_BYTES = 24 /* of memory per pair during a search: lists that double are copied */
};

/* Lists the input of a search; it owns nothing. */
struct rd_pair_search {
    const struct rd_bit_tree *positive, *negative, *all;
    const struct rd_rank_test *rank;
    const uint64_t *forward; /* [n_words]: bits of the forward directions of reversible columns;
                                each has its backward direction in the next bit */
    int most;                /* bits that a union may have */
    const uint64_t *plane;   /* [RD_PAIR_PLANES][n_words]: binary digits of the bits' weights */
    int longest;             /* weight that a union may have; 0: any */
    bool *is_cut;            /* becomes true if a union is left out because of its weight */
    const uint64_t *witness; /* [n_witnesses][n_words]: the shortest rows */
    int n_witnesses;
    int n_threads;      /* 0: all */
    int64_t pairs_most; /* more are not kept, and the search ends */
};

/* Holds the pairs that were found. A zero-initialised struct is empty. */
struct rd_adjacent_pairs {
    struct rd_adjacent_pair *pair; /* owned */
    int64_t n;
    bool is_full;      /* there are more than pairs_most, or there is no memory for them */
    bool lacks_memory; /* then: an allocation has failed */
};

/* Finds all adjacent pairs; their order does not depend on the number of threads. */
void rd_pairs_find(struct rd_adjacent_pairs *p, const struct rd_pair_search *s);
/* Returns how many pairs of so many rows the sample of rd_pairs_estimate has. */
int64_t rd_pairs_samples(int64_t n_positive, int64_t n_negative);
/* Returns about how many there would be, judged by a sample. */
double rd_pairs_estimate(const struct rd_pair_search *s, const uint64_t *sets,
                         const uint32_t *positive, int64_t n_positive, const uint32_t *negative,
                         int64_t n_negative);
/* Returns the weight of the union of two sets. */
int rd_pairs_weight(const struct rd_pair_search *s, const uint64_t *a, const uint64_t *b);
void rd_pairs_free(struct rd_adjacent_pairs *p);

#endif
