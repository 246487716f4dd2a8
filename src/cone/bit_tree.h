/* bit_tree - rows sorted into a binary tree of bit sets, in which each node has the bits that all
   of its rows share (Terzer and Stelling, Bioinformatics 24, 2229, 2008). */
#ifndef RD_BIT_TREE_H
#define RD_BIT_TREE_H

#include <stdbool.h>
#include <stdint.h>

enum { RD_BIT_TREE_LEAF = 32 };

struct rd_bit_node {
    int64_t from, n; /* rows of the tree */
    int64_t child;   /* the first of two; 0: a leaf */
};

/* Zero-initialised is empty. */
struct rd_bit_tree {
    int n_words;
    int64_t n, n_nodes, room;
    uint32_t *row;            /* [n], owned: numbers in the table */
    uint64_t *set;            /* [n][n_words], owned: in this order */
    struct rd_bit_node *node; /* owned; the first is the root */
    uint64_t *shared;         /* [n_nodes][n_words], owned */
};

/* Makes the tree of n rows, whose numbers it takes over; sets: those of the whole table. False if
   there is no memory. */
bool rd_bit_tree_make(struct rd_bit_tree *t, uint32_t *row, int64_t n, const uint64_t *sets,
                      int n_words);
/* Returns a row's set that is part of the union, but is neither a nor b; or NULL. */
const uint64_t *rd_bit_tree_find(const struct rd_bit_tree *t, const uint64_t *together,
                                 const uint64_t *a, const uint64_t *b);
int64_t rd_bit_tree_bytes(const struct rd_bit_tree *t);
void rd_bit_tree_free(struct rd_bit_tree *t);

#endif
