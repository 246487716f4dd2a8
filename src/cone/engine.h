/* engine - the double-description method in the nullspace (Wagner, J. Phys. Chem. B 108, 2425,
   2004; Urbanczik and Wagner, Bioinformatics 21, 1203, 2005): all elementary vectors of a kernel.
 */
#ifndef RD_ENGINE_H
#define RD_ENGINE_H

#include "cone/kernel.h"

#include <stdio.h>

struct rd_engine_options {
    int n_threads;  /* 0: all */
    int64_t memory; /* bytes that tables may take; 0: no limit */
    int64_t rows;   /* rows that a table may have; 0: no limit */
    int64_t effort; /* samples to find an order of columns, times the squared dimension of
                       the kernel; 0: no limit */
    int longest;    /* columns of the system that a vector may have, at most; 0: no limit */
    int64_t most;   /* for rd_elementary_find: the shortest vectors that are needed; 0: all */
    int through;    /* for rd_elementary_find: a column, from 1, that they must have; 0: any */
    int64_t narrow_limit; /* values above it are repeated in 128 bits; 0: those of 64 bits */
    FILE *progress;       /* where a line for each row goes, or NULL */
};

/* Holds elementary vectors as sets of columns. A zero-initialised struct is empty. */
struct rd_engine_vectors {
    int n_words;
    int64_t n;
    int *bit;        /* [column], owned: of its forward direction; the backward one of a reversible
                        column is the next */
    uint64_t *set;   /* [n][n_words], owned */
    bool is_partial; /* a limit was reached: these are some of the vectors */
    bool lacks_memory;   /* then: the limit was not one of the options, but an allocation failed */
    int64_t rows_needed; /* then: about so many, of the table that was too large */
    bool is_wide;        /* 128 bits were needed */
    bool is_cut;         /* something was left out because of its length */
};

/* Finds the elementary vectors of a kernel whose columns are not negative unless reversible. A
   vector of reversible columns alone is there twice, once each way. weight[column]: how many
   columns of the system it stands for that no other one stands for; vectors of a weight above
   o->longest are left out. Returns false with a message. */
bool rd_engine_run(struct rd_engine_vectors *v, const struct rd_kernel *k,
                   const bool *is_reversible, const int *weight, const struct rd_engine_options *o,
                   struct rd_error *e);
void rd_engine_vectors_free(struct rd_engine_vectors *v);

#endif
