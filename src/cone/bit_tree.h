/* bit_tree - rows sorted into a binary tree of bit sets, in which each node has the bits that all
   of its rows share (Terzer and Stelling, Bioinformatics 24, 2229, 2008). */
#ifndef RD_BIT_TREE_H
#define RD_BIT_TREE_H

#include <stdbool.h>
#include <stdint.h>

enum { RD_BIT_TREE_LEAF = 32 };

/* Nodes stand in preorder: the first child of a node follows it, and the second child follows the
   first one's descendants. */
struct rd_bit_node {
    uint32_t from, n; /* rows of the tree */
    uint32_t end;     /* the node that follows all descendants; a leaf has none */
};

/* Holds the rows of a table in the order of a tree. A zero-initialised struct is empty. */
struct rd_bit_tree {
    int n_words;
    int64_t n, n_nodes, capacity;
    uint32_t *row;            /* [n], owned: numbers in the table */
    uint64_t *set;            /* [n][n_words], owned: in this order */
    struct rd_bit_node *node; /* owned; the first is the root */
    uint64_t *shared;         /* [n_nodes][n_words], owned */
};

/* Makes the tree of n rows, whose numbers it takes over; sets: those of the whole table. Returns
   false if there is no memory. */
bool rd_bit_tree_make(struct rd_bit_tree *t, uint32_t *row, int64_t n, const uint64_t *sets,
                      int n_words);
static inline bool rd_bit_tree_is_leaf(const struct rd_bit_tree *t, int64_t node)
{
    return t->node[node].end == node + 1;
}

/* Returns a child of a node, the first or the second. */
static inline int64_t rd_bit_tree_child(const struct rd_bit_tree *t, int64_t node, int which)
{
    return which == 0 ? node + 1 : t->node[node + 1].end;
}

/* Returns the bits that all rows of a node share; n_words is that of the tree, and may be a
   constant where a function is compiled for one. */
static inline const uint64_t *rd_bit_tree_shared(const struct rd_bit_tree *t, int64_t node,
                                                 int n_words)
{
    return t->shared + node * n_words;
}

/* Returns the set of a row of the tree, in its order. */
static inline const uint64_t *rd_bit_tree_set(const struct rd_bit_tree *t, int64_t row, int n_words)
{
    return t->set + row * n_words;
}

/* Returns a row's set that is part of the union, but is neither a nor b; or NULL. */
const uint64_t *rd_bit_tree_find(const struct rd_bit_tree *t, const uint64_t *together,
                                 const uint64_t *a, const uint64_t *b);
int64_t rd_bit_tree_bytes(const struct rd_bit_tree *t);
void rd_bit_tree_free(struct rd_bit_tree *t);

#endif
