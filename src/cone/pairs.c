/* pairs - the adjacent pairs of rows of opposite sign. Pairs of tree nodes are divided as long as
   what their rows share could be part of a vector; pairs of rows that are left are tested one by
   one. */
#include "cone/pairs.h"

#include "kernels/core/portable.h"

#include <omp.h>
#include <stdlib.h>
#include <string.h>

enum {
    LEAF = RD_BIT_TREE_LEAF,
    TASKS = 1024,
    STACK = 2 * 64 * RD_PAIR_WORDS + 2,
    SAMPLES = 4096,
    NODE_PAIRS = 4096
};

/* Describes two nodes, of the positive and the negative rows. */
struct node_pair {
    int64_t positive, negative;
};

/* Holds rows of a leaf that are not hopeless with what all rows of the other leaf share, words
   first. */
struct leaf {
    uint64_t word[RD_PAIR_WORDS][LEAF];
    int64_t at[LEAF]; /* in the tree */
    int n;
};

/* Describes one thread's work. */
struct worker {
    const struct rd_pair_search *s;
    uint64_t *witness; /* [n_words][RD_WITNESSES], those of use recently first; owned */
    int n_witnesses;
    struct rd_adjacent_pair *pair; /* owned */
    struct leaf *leaf;             /* [2], owned */
    int64_t n, capacity, n_trees;
    int64_t *n_all; /* pairs of all workers */
    bool is_full;   /* there is no memory for more pairs */
};

/* Holds the pairs that a task found: a range of a worker's. */
struct pair_range {
    int worker;
    int64_t from, n;
};

/* Returns the words of all known rows at one place of a set. */
static inline uint64_t *witness_words(const struct worker *k, int word)
{
    return k->witness + word * RD_WITNESSES;
}

static inline int count_union(const uint64_t *a, const uint64_t *b, int n_words)
{
    int n = 0;
    for (int w = 0; w < n_words; w++)
        n += __builtin_popcountll(a[w] | b[w]);
    return n;
}

/* Returns whether a column runs forward in one set and backward in the other. */
static inline bool is_opposite(const uint64_t *a, const uint64_t *b, const uint64_t *forward,
                               int n_words)
{
    uint64_t opposite = 0;
    for (int w = 0; w < n_words; w++)
        opposite |= ((a[w] & (b[w] >> 1)) | ((a[w] >> 1) & b[w])) & forward[w];
    return opposite != 0;
}

RD_WIDE int rd_pairs_weight(const struct rd_pair_search *s, const uint64_t *a, const uint64_t *b)
{
    const int n_words = s->rank->n_words;
    int weight = 0;
    for (int digit = 0; digit < RD_PAIR_PLANES; digit++)
        for (int w = 0; w < n_words; w++)
            weight += __builtin_popcountll((a[w] | b[w]) & s->plane[digit * n_words + w]) << digit;
    return weight;
}

static bool is_too_long(const struct rd_pair_search *s, const uint64_t *a, const uint64_t *b)
{
    if (s->longest == 0 || rd_pairs_weight(s, a, b) <= s->longest)
        return false;
    if (!__atomic_load_n(s->is_cut, __ATOMIC_RELAXED))
        __atomic_store_n(s->is_cut, true, __ATOMIC_RELAXED);
    return true;
}

static inline bool is_hopeless(const struct rd_pair_search *s, const uint64_t *a, const uint64_t *b,
                               int n_words)
{
    return count_union(a, b, n_words) > s->most || is_opposite(a, b, s->forward, n_words) ||
           is_too_long(s, a, b);
}

/* Returns whether a known row contains a set. */
static inline bool contains(const struct worker *k, int witness, const uint64_t *set, int n_words)
{
    uint64_t outside = 0;
    for (int w = 0; w < n_words; w++)
        outside |= set[w] & ~witness_words(k, w)[witness];
    return outside == 0;
}

/* Returns the first known row that is part of the union of two sets and contains neither, -1 if
   there is none. Such a row is none of those that contain one of the sets. */
static inline int scan_witnesses(const struct worker *k, const uint64_t *a, const uint64_t *b,
                                 int n_words)
{
    for (int from = 0; from < k->n_witnesses; from += 64) {
        uint64_t outside[64], any = 0;
        for (int i = 0; i < 64; i++)
            outside[i] = witness_words(k, 0)[from + i] & ~(a[0] | b[0]);
        for (int w = 1; w < n_words; w++)
            for (int i = 0; i < 64; i++)
                outside[i] |= witness_words(k, w)[from + i] & ~(a[w] | b[w]);
        for (int i = 0; i < 64; i++)
            any |= (uint64_t)(outside[i] == 0);
        for (int i = 0; any && i < 64; i++)
            if (outside[i] == 0 && !contains(k, from + i, a, n_words) &&
                !contains(k, from + i, b, n_words))
                return from + i;
    }
    return -1;
}

RD_WIDE static int find_witness(const struct worker *k, const uint64_t *a, const uint64_t *b)
{
    switch (k->s->all->n_words) {
    case 1:
        return scan_witnesses(k, a, b, 1);
    case 2:
        return scan_witnesses(k, a, b, 2);
    default:
        return scan_witnesses(k, a, b, k->s->all->n_words);
    }
}

static void swap_witnesses(struct worker *k, int i, int j)
{
    for (int w = 0; w < k->s->all->n_words; w++) {
        uint64_t *const words = witness_words(k, w);
        const uint64_t word = words[i];
        words[i] = words[j];
        words[j] = word;
    }
}

/* Returns whether a known row shows that no two rows of these sets, or of sets that contain them,
   are adjacent. Moves that row forward. */
static bool has_witness(struct worker *k, const uint64_t *a, const uint64_t *b)
{
    const int at = find_witness(k, a, b);
    if (at > 0)
        swap_witnesses(k, at, at / 2);
    return at >= 0;
}

/* Puts a row among the witnesses, in the place of one that was of little use. */
static void add_witness(struct worker *k, const uint64_t *set)
{
    const int half = RD_WITNESSES / 2;
    const int at =
        k->n_witnesses < RD_WITNESSES ? k->n_witnesses++ : half + (int)(k->n_trees % half);
    for (int w = 0; w < k->s->all->n_words; w++)
        witness_words(k, w)[at] = set[w];
}

static bool is_adjacent(struct worker *k, const uint64_t *a, const uint64_t *b)
{
    const int n_words = k->s->all->n_words;
    uint64_t together[RD_PAIR_WORDS];
    if (is_too_long(k->s, a, b) || has_witness(k, a, b))
        return false;
    for (int w = 0; w < n_words; w++)
        together[w] = a[w] | b[w];
    for (int prime = 0; prime < RD_RANK_PRIMES; prime++)
        if (rd_rank_test_is_adjacent(k->s->rank, together, prime))
            return true;
    k->n_trees++;
    const uint64_t *const set = rd_bit_tree_find(k->s->all, together, a, b);
    if (set)
        add_witness(k, set);
    return !set;
}

/* Returns whether the search has ended because there are too many pairs. */
static bool has_too_many_pairs(const struct worker *k)
{
    return k->is_full || __atomic_load_n(k->n_all, __ATOMIC_RELAXED) > k->s->pairs_most;
}

static void keep_pair(struct worker *k, uint32_t positive, uint32_t negative)
{
    if (__atomic_add_fetch(k->n_all, 1, __ATOMIC_RELAXED) > k->s->pairs_most)
        return;
    if (k->n == k->capacity) {
        const int64_t capacity = 2 * k->capacity + 1024;
        struct rd_adjacent_pair *const pair = realloc(k->pair, (size_t)capacity * sizeof *pair);
        k->is_full = k->is_full || !pair;
        if (!pair)
            return;
        k->pair = pair;
        k->capacity = capacity;
    }
    k->pair[k->n++] = (struct rd_adjacent_pair){positive, negative};
}

static inline void take_leaf(struct leaf *l, const struct rd_pair_search *s,
                             const struct rd_bit_tree *t, const struct rd_bit_node *x,
                             const uint64_t *other, int n_words)
{
    l->n = 0;
    for (int64_t i = x->from; i < (int64_t)x->from + x->n; i++) {
        const uint64_t *const set = rd_bit_tree_set(t, i, n_words);
        if (is_hopeless(s, set, other, n_words))
            continue;
        for (int w = 0; w < n_words; w++)
            l->word[w][l->n] = set[w];
        l->at[l->n++] = i;
    }
}

/* Counts bits by sums of neighbours, which compilers do for many words at once. */
static inline uint64_t count_bits(uint64_t x)
{
    x -= (x >> 1) & UINT64_C(0x5555555555555555);
    x = (x & UINT64_C(0x3333333333333333)) + ((x >> 2) & UINT64_C(0x3333333333333333));
    x = (x + (x >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
    x += x >> 8;
    x += x >> 16;
    x += x >> 32;
    return x & 127;
}

/* Finds the rows of a leaf with which a row is not hopeless; returns them as bits. */
static inline uint32_t find_leaf_rows(const struct rd_pair_search *s, const uint64_t *a,
                                      const struct leaf *l, int n_words)
{
    uint64_t count[LEAF], opposite[LEAF];
    for (int j = 0; j < LEAF; j++)
        count[j] = opposite[j] = 0;
    for (int w = 0; w < n_words; w++)
        for (int j = 0; j < LEAF; j++) {
            const uint64_t b = l->word[w][j];
            count[j] += count_bits(a[w] | b);
            opposite[j] |= ((a[w] & (b >> 1)) | ((a[w] >> 1) & b)) & s->forward[w];
        }
    uint32_t hits = 0;
    for (int j = 0; j < LEAF; j++)
        hits |= (uint32_t)((count[j] <= (uint64_t)s->most) & (opposite[j] == 0)) << j;
    return l->n < LEAF ? hits & ((UINT32_C(1) << l->n) - 1) : hits;
}

/* Writes the pairs of two leaves that are not hopeless to hit, as bits of the second leaf for each
   row of the first. */
static inline void scan_leaf(const struct rd_pair_search *s, const struct node_pair *x,
                             struct leaf *p, struct leaf *q, uint32_t hit[LEAF], int n_words)
{
    take_leaf(p, s, s->positive, &s->positive->node[x->positive],
              rd_bit_tree_shared(s->negative, x->negative, n_words), n_words);
    q->n = 0;
    if (p->n == 0)
        return;
    take_leaf(q, s, s->negative, &s->negative->node[x->negative],
              rd_bit_tree_shared(s->positive, x->positive, n_words), n_words);
    for (int i = 0; i < p->n && q->n > 0; i++)
        hit[i] = find_leaf_rows(s, rd_bit_tree_set(s->positive, p->at[i], n_words), q, n_words);
}

RD_WIDE static void scan_leaves(const struct rd_pair_search *s, const struct node_pair *x,
                                struct leaf *p, struct leaf *q, uint32_t hit[LEAF])
{
    switch (s->all->n_words) {
    case 1:
        scan_leaf(s, x, p, q, hit, 1);
        break;
    case 2:
        scan_leaf(s, x, p, q, hit, 2);
        break;
    default:
        scan_leaf(s, x, p, q, hit, s->all->n_words);
    }
}

static void test_leaves(struct worker *k, const struct node_pair *x)
{
    const struct rd_pair_search *const s = k->s;
    const int n_words = s->all->n_words;
    uint32_t hit[LEAF];
    scan_leaves(s, x, k->leaf, k->leaf + 1, hit);
    for (int i = 0; i < k->leaf[0].n && k->leaf[1].n > 0; i++)
        for (uint32_t left = hit[i]; left; left &= left - 1) {
            const int64_t at = k->leaf[0].at[i], other = k->leaf[1].at[__builtin_ctz(left)];
            if (is_adjacent(k, rd_bit_tree_set(s->positive, at, n_words),
                            rd_bit_tree_set(s->negative, other, n_words)))
                keep_pair(k, s->positive->row[at], s->negative->row[other]);
        }
}

static bool is_leaf_pair(const struct rd_pair_search *s, struct node_pair x)
{
    return rd_bit_tree_is_leaf(s->positive, x.positive) &&
           rd_bit_tree_is_leaf(s->negative, x.negative);
}

/* Returns how many pairs of rows a pair of nodes has. */
static int64_t count_pairs(const struct rd_pair_search *s, struct node_pair x)
{
    return (int64_t)s->positive->node[x.positive].n * s->negative->node[x.negative].n;
}

/* Returns whether the positive node is the one to divide. */
static bool divides_positive(const struct rd_pair_search *s, struct node_pair x)
{
    return !rd_bit_tree_is_leaf(s->positive, x.positive) &&
           (rd_bit_tree_is_leaf(s->negative, x.negative) ||
            s->positive->node[x.positive].n >= s->negative->node[x.negative].n);
}

/* Replaces a pair of nodes by two on the stack. */
static void divide_pair(const struct rd_pair_search *s, struct node_pair x, struct node_pair *stack,
                        int64_t *n)
{
    const bool is_positive = divides_positive(s, x);
    for (int i = 1; i >= 0; i--)
        stack[(*n)++] =
            is_positive
                ? (struct node_pair){rd_bit_tree_child(s->positive, x.positive, i), x.negative}
                : (struct node_pair){x.positive, rd_bit_tree_child(s->negative, x.negative, i)};
}

RD_WIDE static bool is_hopeless_node(const struct rd_pair_search *s, struct node_pair x)
{
    const int n_words = s->all->n_words;
    return is_hopeless(s, rd_bit_tree_shared(s->positive, x.positive, n_words),
                       rd_bit_tree_shared(s->negative, x.negative, n_words), n_words);
}

/* Searches the pairs of rows of two nodes. Each level of a tree divides by another bit, which
   bounds the stack. */
static void search_pairs(struct worker *k, struct node_pair root)
{
    const struct rd_pair_search *const s = k->s;
    const int n_words = s->all->n_words;
    struct node_pair stack[STACK];
    int64_t n = 0;
    stack[n++] = root;
    while (n > 0 && !has_too_many_pairs(k)) {
        const struct node_pair x = stack[--n];
        if (is_hopeless_node(s, x))
            continue;
        if (count_pairs(s, x) >= NODE_PAIRS &&
            has_witness(k, rd_bit_tree_shared(s->positive, x.positive, n_words),
                        rd_bit_tree_shared(s->negative, x.negative, n_words)))
            continue;
        if (is_leaf_pair(s, x))
            test_leaves(k, &x);
        else
            divide_pair(s, x, stack, &n);
    }
}

/* Divides the pair of roots until there are enough tasks; returns how many. */
static int64_t make_tasks(const struct rd_pair_search *s, struct node_pair *task)
{
    struct node_pair *const next = task + 2 * TASKS;
    int64_t n = 1;
    task[0] = (struct node_pair){0, 0};
    for (bool is_divided = true; is_divided && n < TASKS;) {
        int64_t n_next = 0;
        is_divided = false;
        for (int64_t i = n - 1; i >= 0; i--) {
            if (is_hopeless_node(s, task[i]))
                continue;
            if (is_leaf_pair(s, task[i]))
                next[n_next++] = task[i];
            else {
                divide_pair(s, task[i], next, &n_next);
                is_divided = true;
            }
        }
        n = n_next;
        memcpy(task, next, (size_t)n * sizeof *task);
    }
    return n;
}

static bool open_worker(struct worker *k, const struct rd_pair_search *s, int64_t *n_all)
{
    const size_t bytes = (size_t)s->all->n_words * sizeof *k->witness;
    *k = (struct worker){.s = s, .n_witnesses = s->n_witnesses, .n_all = n_all};
    k->witness = malloc(RD_WITNESSES * bytes);
    if (k->witness)
        memset(k->witness, -1, RD_WITNESSES * bytes);
    for (int i = 0; k->witness && i < s->n_witnesses; i++)
        for (int w = 0; w < s->all->n_words; w++)
            witness_words(k, w)[i] = s->witness[i * s->all->n_words + w];
    k->leaf = calloc(2, sizeof *k->leaf);
    k->is_full = !k->witness || !k->leaf;
    return !k->is_full;
}

/* Puts the pairs of all workers into the order of the tasks. */
static void gather_pairs(struct rd_adjacent_pairs *p, struct worker *worker, int n_workers,
                         const struct pair_range *range, int64_t n_tasks)
{
    for (int i = 0; i < n_workers; i++)
        p->n += worker[i].n;
    p->pair = malloc(((size_t)p->n + 1) * sizeof *p->pair);
    p->is_full = p->lacks_memory = !p->pair;
    int64_t n = 0;
    for (int64_t i = 0; p->pair && i < n_tasks; i++) {
        if (range[i].n == 0)
            continue;
        memcpy(p->pair + n, worker[range[i].worker].pair + range[i].from,
               (size_t)range[i].n * sizeof *p->pair);
        n += range[i].n;
    }
}

void rd_pairs_find(struct rd_adjacent_pairs *p, const struct rd_pair_search *s)
{
    const int n_workers = s->n_threads > 0 ? s->n_threads : omp_get_max_threads();
    struct worker *const worker = calloc((size_t)n_workers, sizeof *worker);
    struct node_pair *const task = malloc(4 * TASKS * sizeof *task);
    struct pair_range *const range = calloc(2 * TASKS, sizeof *range);
    int64_t n_all = 0;
    *p = (struct rd_adjacent_pairs){.is_full = !worker || !task || !range};
    for (int i = 0; !p->is_full && i < n_workers; i++)
        p->is_full = !open_worker(&worker[i], s, &n_all);
    const int64_t n_tasks = p->is_full ? 0 : make_tasks(s, task);
#pragma omp parallel for schedule(dynamic) num_threads(n_workers)
    for (int64_t i = 0; i < n_tasks; i++) {
        const int at = omp_get_thread_num();
        struct worker *const k = &worker[at];
        const int64_t from = k->n;
        search_pairs(k, task[i]);
        range[i] = (struct pair_range){at, from, k->n - from};
    }
    p->lacks_memory = p->is_full;
    for (int i = 0; worker && i < n_workers; i++) {
        p->is_full = p->is_full || has_too_many_pairs(&worker[i]);
        p->lacks_memory = p->lacks_memory || worker[i].is_full;
    }
    if (!p->is_full)
        gather_pairs(p, worker, n_workers, range, n_tasks);
    for (int i = 0; worker && i < n_workers; i++) {
        free(worker[i].witness);
        free(worker[i].leaf);
        free(worker[i].pair);
    }
    free(worker);
    free(task);
    free(range);
}

int64_t rd_pairs_samples(int64_t n_positive, int64_t n_negative)
{
    const double n_pairs = (double)n_positive * (double)n_negative;
    return n_pairs < SAMPLES ? (int64_t)n_pairs : SAMPLES;
}

RD_WIDE double rd_pairs_estimate(const struct rd_pair_search *s, const uint64_t *sets,
                                 const uint32_t *positive, int64_t n_positive,
                                 const uint32_t *negative, int64_t n_negative)
{
    const int n_words = s->rank->n_words;
    const double n_pairs = (double)n_positive * (double)n_negative;
    const int64_t n_samples = rd_pairs_samples(n_positive, n_negative);
    uint64_t together[RD_PAIR_WORDS], random = 1;
    int64_t n_hits = 0;
    for (int64_t i = 0; i < n_samples; i++) {
        random = random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        const uint64_t *const a =
            sets + (int64_t)positive[(int64_t)(random >> 33) % n_positive] * n_words;
        random = random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        const uint64_t *const b =
            sets + (int64_t)negative[(int64_t)(random >> 33) % n_negative] * n_words;
        if (is_hopeless(s, a, b, n_words))
            continue;
        for (int w = 0; w < n_words; w++)
            together[w] = a[w] | b[w];
        n_hits += rd_rank_test_is_adjacent(s->rank, together, 0);
    }
    return n_samples == 0 ? 0 : n_pairs * ((double)n_hits + 0.1) / (double)n_samples;
}

void rd_pairs_free(struct rd_adjacent_pairs *p)
{
    free(p->pair);
    *p = (struct rd_adjacent_pairs){0};
}
