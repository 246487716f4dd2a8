/* rank_test - whether two rows of the double-description method are adjacent, by the nullity of the
   kernel's processed rows that are 0 in both, modulo a prime: 2^31 - 1 or 2^31 - 19. */
#ifndef RD_RANK_TEST_H
#define RD_RANK_TEST_H

#include "cone/kernel.h"

enum {
    RD_BASIS_MOST = 4096,   /* dimensions of the kernel */
    RD_COLUMNS_MOST = 8192, /* of the kernel */
    RD_RANK_PRIMES = 2
};

/* Holds the kernel modulo primes, for tests of adjacency. A zero-initialised struct is empty. */
struct rd_rank_test {
    int n_basis, n_words, n_rows;
    uint32_t *residue[RD_RANK_PRIMES]; /* [column][n_basis], owned */
    int *column, *word;                /* of each processed row beyond the basis; owned */
    uint64_t *mask;                    /* its bits; owned */
    int *basis_word;                   /* of each basis column; owned */
    uint64_t *basis_mask;
    int current; /* the column that is processed now */
};

/* Prepares the test of a kernel. bit[column]: its first bit in sets; a reversible column has
   that and the next one. */
bool rd_rank_test_open(struct rd_rank_test *t, const struct rd_kernel *k, const int *bit,
                       const bool *is_reversible, int n_words);
/* Adds the current column to those that are processed, and makes another one the current. */
void rd_rank_test_process(struct rd_rank_test *t, const int *bit, const bool *is_reversible);
/* Returns whether the union of two rows' sets belongs to adjacent rows. True is a proof; false
   may be an accident of the prime. prime: 0 or 1. */
bool rd_rank_test_is_adjacent(const struct rd_rank_test *t, const uint64_t *together, int prime);
void rd_rank_test_close(struct rd_rank_test *t);

#endif
