/* bit_tree - rows sorted into a binary tree of bit sets. A node is divided by the bit that about
   half of its rows have, judged by a sample. */
#include "cone/bit_tree.h"

#include "kernels/core/portable.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { SAMPLE = 64 };

static bool extend_tree(struct rd_bit_tree *t)
{
    if (t->n_nodes + 2 <= t->capacity)
        return true;
    const int64_t capacity = 2 * t->capacity + 64;
    struct rd_bit_node *const node = realloc(t->node, (size_t)capacity * sizeof *node);
    if (!node)
        return false;
    t->node = node;
    uint64_t *const shared =
        realloc(t->shared, (size_t)capacity * (size_t)t->n_words * sizeof *shared);
    if (!shared)
        return false;
    t->shared = shared;
    t->capacity = capacity;
    return true;
}

static uint64_t *set_of_leaf(const struct rd_bit_tree *t, int64_t i)
{
    return t->set + i * t->n_words;
}

/* Adds the node of some rows. */
static void add_node(struct rd_bit_tree *t, int64_t from, int64_t n)
{
    uint64_t *const shared = t->shared + t->n_nodes * t->n_words;
    t->node[t->n_nodes++] = (struct rd_bit_node){.from = (uint32_t)from, .n = (uint32_t)n};
    memset(shared, -1, (size_t)t->n_words * sizeof *shared);
    for (int64_t i = from; i < from + n; i++)
        for (int w = 0; w < t->n_words; w++)
            shared[w] &= set_of_leaf(t, i)[w];
}

/* Returns the bit nearest to being in half of a node's rows, -1 if no row differs from another. */
static int choose_bit(const struct rd_bit_tree *t, const struct rd_bit_node *x, int64_t stride)
{
    int best = -1;
    int64_t best_distance = 0;
    for (int w = 0; w < t->n_words; w++) {
        int count[64] = {0};
        int64_t n = 0;
        for (int64_t i = x->from; i < (int64_t)x->from + x->n; i += stride, n++)
            for (uint64_t left = set_of_leaf(t, i)[w]; left; left &= left - 1)
                count[__builtin_ctzll(left)]++;
        for (int b = 0; b < 64; b++) {
            const int64_t distance = llabs(2 * count[b] - n);
            if (count[b] == 0 || count[b] == n || (best >= 0 && distance >= best_distance))
                continue;
            best = 64 * w + b;
            best_distance = distance;
        }
    }
    return best;
}

static void swap_rows(struct rd_bit_tree *t, int64_t i, int64_t k)
{
    const uint32_t row = t->row[i];
    t->row[i] = t->row[k];
    t->row[k] = row;
    for (int w = 0; w < t->n_words; w++) {
        const uint64_t word = set_of_leaf(t, i)[w];
        set_of_leaf(t, i)[w] = set_of_leaf(t, k)[w];
        set_of_leaf(t, k)[w] = word;
    }
}

/* Divides a node's rows by a bit; returns how many do not have it. */
static int64_t divide_node(struct rd_bit_tree *t, const struct rd_bit_node *x, int bit)
{
    int64_t low = x->from, high = low + x->n;
    while (low < high)
        if (set_of_leaf(t, low)[bit / 64] >> (bit % 64) & 1)
            swap_rows(t, low, --high);
        else
            low++;
    return low - x->from;
}

/* Holds rows that are to become a node. */
struct tree_part {
    int64_t from, n;
};

/* Adds the nodes of all rows in preorder; the end of one that is divided is not yet known. Each
   level divides by another bit, which bounds the stack. */
static bool add_nodes(struct rd_bit_tree *t, struct tree_part *stack)
{
    int n = 1;
    stack[0] = (struct tree_part){0, t->n};
    while (n > 0) {
        const struct tree_part p = stack[--n];
        if (!extend_tree(t))
            return false;
        add_node(t, p.from, p.n);
        struct rd_bit_node *const x = &t->node[t->n_nodes - 1];
        x->end = (uint32_t)t->n_nodes;
        if (p.n <= RD_BIT_TREE_LEAF)
            continue;
        x->end = 0;
        int bit = choose_bit(t, x, p.n > SAMPLE ? p.n / SAMPLE : 1);
        if (bit < 0)
            bit = choose_bit(t, x, 1);
        assert(bit >= 0); /* no two sets are equal */
        const int64_t n_low = divide_node(t, x, bit);
        stack[n++] = (struct tree_part){p.from + n_low, p.n - n_low};
        stack[n++] = (struct tree_part){p.from, n_low};
    }
    return true;
}

bool rd_bit_tree_make(struct rd_bit_tree *t, uint32_t *row, int64_t n, const uint64_t *sets,
                      int n_words)
{
    *t = (struct rd_bit_tree){.n_words = n_words, .n = n, .row = row};
    t->set = malloc(((size_t)n * (size_t)n_words + 1) * sizeof *t->set);
    struct tree_part *const stack = malloc((64 * (size_t)n_words + 2) * sizeof *stack);
    const bool ok = t->set && row && stack;
    for (int64_t i = 0; ok && i < n; i++)
        memcpy(set_of_leaf(t, i), sets + (int64_t)row[i] * n_words,
               (size_t)n_words * sizeof *t->set);
    const bool is_made = ok && add_nodes(t, stack);
    free(stack);
    for (int64_t i = t->n_nodes - 1; is_made && i >= 0; i--)
        if (t->node[i].end == 0)
            t->node[i].end = t->node[rd_bit_tree_child(t, i, 1)].end;
    return is_made;
}

static inline bool is_subset(const uint64_t *part, const uint64_t *whole, int n_words)
{
    uint64_t outside = 0;
    for (int w = 0; w < n_words; w++)
        outside |= part[w] & ~whole[w];
    return outside == 0;
}

static inline bool is_same_bits(const uint64_t *a, const uint64_t *b, int n_words)
{
    uint64_t differ = 0;
    for (int w = 0; w < n_words; w++)
        differ |= a[w] ^ b[w];
    return differ == 0;
}

/* Returns the first row of a node that is part of the union, but is neither a nor b; or NULL. */
static inline const uint64_t *scan_node(const struct rd_bit_tree *t, const struct rd_bit_node *x,
                                        const uint64_t *together, const uint64_t *a,
                                        const uint64_t *b, int n_words)
{
    const uint64_t *set = rd_bit_tree_set(t, x->from, n_words);
    for (uint32_t i = 0; i < x->n; i++, set += n_words)
        if (is_subset(set, together, n_words) && !is_same_bits(set, a, n_words) &&
            !is_same_bits(set, b, n_words))
            return set;
    return NULL;
}

static inline const uint64_t *find_part(const struct rd_bit_tree *t, const uint64_t *together,
                                        const uint64_t *a, const uint64_t *b, int n_words)
{
    for (int64_t at = 0; at < t->n_nodes;) {
        if (!is_subset(rd_bit_tree_shared(t, at, n_words), together, n_words)) {
            at = t->node[at].end;
            continue;
        }
        const uint64_t *const set =
            rd_bit_tree_is_leaf(t, at) ? scan_node(t, &t->node[at], together, a, b, n_words) : NULL;
        if (set)
            return set;
        at++;
    }
    return NULL;
}

RD_WIDE const uint64_t *rd_bit_tree_find(const struct rd_bit_tree *t, const uint64_t *together,
                                         const uint64_t *a, const uint64_t *b)
{
    switch (t->n_words) {
    case 1:
        return find_part(t, together, a, b, 1);
    case 2:
        return find_part(t, together, a, b, 2);
    default:
        return find_part(t, together, a, b, t->n_words);
    }
}

int64_t rd_bit_tree_bytes(const struct rd_bit_tree *t)
{
    const int64_t word = sizeof *t->set * (unsigned)t->n_words;
    return t->n * (word + (int64_t)sizeof *t->row) +
           t->capacity * (word + (int64_t)sizeof *t->node);
}

void rd_bit_tree_free(struct rd_bit_tree *t)
{
    free(t->row);
    free(t->set);
    free(t->node);
    free(t->shared);
    *t = (struct rd_bit_tree){0};
}
