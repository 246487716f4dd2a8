/* bit_tree - rows sorted into a binary tree of bit sets. A node is divided by the bit that about
   half of its rows have, judged by a sample. */
#include "cone/bit_tree.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { SAMPLE = 64 };

static bool make_room(struct rd_bit_tree *t)
{
    if (t->n_nodes + 2 <= t->room)
        return true;
    const int64_t room = 2 * t->room + 64;
    struct rd_bit_node *const node = realloc(t->node, (size_t)room * sizeof *node);
    if (!node)
        return false;
    t->node = node;
    uint64_t *const shared = realloc(t->shared, (size_t)room * (size_t)t->n_words * sizeof *shared);
    if (!shared)
        return false;
    t->shared = shared;
    t->room = room;
    return true;
}

static uint64_t *set_of(const struct rd_bit_tree *t, int64_t i)
{
    return t->set + i * t->n_words;
}

/* Adds the node of some rows. */
static void add_node(struct rd_bit_tree *t, int64_t from, int64_t n)
{
    uint64_t *const shared = t->shared + t->n_nodes * t->n_words;
    t->node[t->n_nodes++] = (struct rd_bit_node){.from = from, .n = n};
    memset(shared, -1, (size_t)t->n_words * sizeof *shared);
    for (int64_t i = from; i < from + n; i++)
        for (int w = 0; w < t->n_words; w++)
            shared[w] &= set_of(t, i)[w];
}

/* Returns the bit nearest to being in half of a node's rows, -1 if no row differs from another. */
static int choose_bit(const struct rd_bit_tree *t, const struct rd_bit_node *x, int64_t stride)
{
    int best = -1;
    int64_t best_distance = 0;
    for (int w = 0; w < t->n_words; w++) {
        int count[64] = {0};
        int64_t n = 0;
        for (int64_t i = x->from; i < x->from + x->n; i += stride, n++)
            for (uint64_t left = set_of(t, i)[w]; left; left &= left - 1)
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

static void swap(struct rd_bit_tree *t, int64_t i, int64_t k)
{
    const uint32_t row = t->row[i];
    t->row[i] = t->row[k];
    t->row[k] = row;
    for (int w = 0; w < t->n_words; w++) {
        const uint64_t word = set_of(t, i)[w];
        set_of(t, i)[w] = set_of(t, k)[w];
        set_of(t, k)[w] = word;
    }
}

/* Divides a node's rows by a bit; returns how many do not have it. */
static int64_t divide(struct rd_bit_tree *t, const struct rd_bit_node *x, int bit)
{
    int64_t low = x->from, high = x->from + x->n;
    while (low < high)
        if (set_of(t, low)[bit / 64] >> (bit % 64) & 1)
            swap(t, low, --high);
        else
            low++;
    return low - x->from;
}

bool rd_bit_tree_make(struct rd_bit_tree *t, uint32_t *row, int64_t n, const uint64_t *sets,
                      int n_words)
{
    *t = (struct rd_bit_tree){.n_words = n_words, .n = n, .row = row};
    t->set = malloc(((size_t)n * (size_t)n_words + 1) * sizeof *t->set);
    if (!t->set || !row || !make_room(t))
        return false;
    for (int64_t i = 0; i < n; i++)
        memcpy(set_of(t, i), sets + (int64_t)row[i] * n_words, (size_t)n_words * sizeof *t->set);
    add_node(t, 0, n);
    for (int64_t i = 0; i < t->n_nodes; i++) {
        const struct rd_bit_node x = t->node[i];
        if (x.n <= RD_BIT_TREE_LEAF)
            continue;
        int bit = choose_bit(t, &x, x.n > SAMPLE ? x.n / SAMPLE : 1);
        if (bit < 0)
            bit = choose_bit(t, &x, 1);
        assert(bit >= 0); /* no two sets are equal */
        if (!make_room(t))
            return false;
        const int64_t n_low = divide(t, &x, bit);
        t->node[i].child = t->n_nodes;
        add_node(t, x.from, n_low);
        add_node(t, x.from + n_low, x.n - n_low);
    }
    return true;
}

static bool is_part(const uint64_t *part, const uint64_t *whole, int n_words)
{
    for (int w = 0; w < n_words; w++)
        if (part[w] & ~whole[w])
            return false;
    return true;
}

static bool is_same(const uint64_t *a, const uint64_t *b, int n_words)
{
    for (int w = 0; w < n_words; w++)
        if (a[w] != b[w])
            return false;
    return true;
}

const uint64_t *rd_bit_tree_find(const struct rd_bit_tree *t, const uint64_t *together,
                                 const uint64_t *a, const uint64_t *b)
{
    const int n_words = t->n_words;
    int64_t stack[512], n = 0;
    for (int64_t at = 0; at >= 0; at = n > 0 ? stack[--n] : -1) {
        const struct rd_bit_node *const x = &t->node[at];
        if (!is_part(t->shared + at * n_words, together, n_words))
            continue;
        if (x->child > 0 && n + 2 <= 512) {
            stack[n++] = x->child + 1;
            stack[n++] = x->child;
            continue;
        }
        for (int64_t i = x->from; i < x->from + x->n; i++) {
            const uint64_t *const set = set_of(t, i);
            if (is_part(set, together, n_words) && !is_same(set, a, n_words) &&
                !is_same(set, b, n_words))
                return set;
        }
    }
    return NULL;
}

int64_t rd_bit_tree_bytes(const struct rd_bit_tree *t)
{
    const int64_t word = sizeof *t->set * (unsigned)t->n_words;
    return t->n * (word + (int64_t)sizeof *t->row) + t->room * (word + (int64_t)sizeof *t->node);
}

void rd_bit_tree_free(struct rd_bit_tree *t)
{
    free(t->row);
    free(t->set);
    free(t->node);
    free(t->shared);
    *t = (struct rd_bit_tree){0};
}
