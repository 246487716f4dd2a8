/* engine - the double-description method in the nullspace. The table begins with the kernel's
   basis; each step processes one column of the kernel: rows in which it has the wrong sign go,
   after adjacent rows of opposite sign were combined so that it cancels. */
#include "cone/engine.h"

#include "base/clock.h"
#include "cone/pairs.h"
#include "cone/table.h"

#include <stdlib.h>
#include <string.h>

/* Holds the rows of a table by the sign of one value. */
struct signs {
    uint32_t *positive, *negative, *zero; /* owned */
    int64_t n_positive, n_negative, n_zero;
};

struct engine {
    const struct rd_kernel *kernel;
    const bool *is_reversible;
    const int *weight; /* [column], 0 or above */
    const struct rd_engine_options *o;
    struct rd_engine_vectors *v;
    struct rd_row_table table;
    int *left; /* columns not yet processed, as in the table */
    uint64_t *forward;
    uint64_t *plane; /* [RD_PAIR_PLANES][n_words], owned: digits of the weights */
    struct rd_rank_test rank;
    double printed;  /* when the last line of progress was */
    double expected; /* rows after this step */
    double effort;
    bool overflows;
    struct rd_error *e;
};

static bool fail_memory(struct engine *g, int64_t rows)
{
    return rd_fail_memory(g->e, "out of memory for %lld rows", (long long)rows);
}

static void set_bit(uint64_t *set, int bit)
{
    set[bit / 64] |= UINT64_C(1) << (bit % 64);
}

/* Gives each column its bits: reversible ones first, two each. */
static bool place_bits(struct engine *g)
{
    const int n = g->kernel->n;
    int n_bits = 0;
    g->v->bit = malloc(((size_t)n + 1) * sizeof *g->v->bit);
    if (!g->v->bit)
        return fail_memory(g, n);
    for (int pass = 1; pass >= 0; pass--)
        for (int i = 0; i < n; i++)
            if (g->is_reversible[i] == pass) {
                g->v->bit[i] = n_bits;
                n_bits += 1 + pass;
            }
    g->v->n_words = n_bits > 0 ? (n_bits + 63) / 64 : 1;
    if (g->v->n_words > RD_PAIR_WORDS)
        return rd_fail(g->e, "%d directions of reactions are left; at most %d are possible", n_bits,
                       64 * RD_PAIR_WORDS);
    g->forward = calloc((size_t)g->v->n_words, sizeof *g->forward);
    for (int i = 0; g->forward && i < n; i++)
        if (g->is_reversible[i])
            g->forward[g->v->bit[i] / 64] |= UINT64_C(1) << (g->v->bit[i] % 64);
    return g->forward || fail_memory(g, n);
}

/* Writes the weights of columns as binary digits of their bits. A weight that has more digits
   becomes the largest one. */
static bool place_weights(struct engine *g)
{
    const int n_words = g->v->n_words, most = (1 << RD_PAIR_PLANES) - 1;
    g->plane = calloc((size_t)RD_PAIR_PLANES * (size_t)n_words, sizeof *g->plane);
    for (int i = 0; g->plane && i < g->kernel->n; i++)
        for (int digit = 0; digit < RD_PAIR_PLANES; digit++)
            for (int way = 0; way < 1 + g->is_reversible[i]; way++)
                if ((g->weight[i] < most ? g->weight[i] : most) >> digit & 1)
                    set_bit(g->plane + digit * n_words, g->v->bit[i] + way);
    return g->plane || fail_memory(g, g->kernel->n);
}

/* Writes the values of a vector of the basis, times sign, without what they share. What all vectors
   have in one column is of no matter, and is left out too. */
static void put_basis(struct engine *g, int64_t row, int b, int sign, const rd_int128 *content)
{
    const struct rd_kernel *const k = g->kernel;
    const rd_int128 *const value = k->value + b;
    rd_int128 common = 0;
    for (int i = 0; i < g->table.n_left && common != 1; i++)
        common = rd_sparse_gcd128(common, value[(int64_t)g->left[i] * k->n_basis] / content[i]);
    common = common > 1 ? common : 1;
    for (int i = 0; i < g->table.n_left; i++) {
        const rd_int128 x = value[(int64_t)g->left[i] * k->n_basis] / content[i] / common;
        g->overflows = !rd_table_put(&g->table, row, i, x * sign) || g->overflows;
    }
}

/* Sets content[i] to what the values of all vectors share in each column that is left. */
static void find_contents(const struct engine *g, rd_int128 *content)
{
    const struct rd_kernel *const k = g->kernel;
    for (int i = 0; i < g->table.n_left; i++) {
        content[i] = 0;
        for (int b = 0; b < k->n_basis && content[i] != 1; b++)
            content[i] =
                rd_sparse_gcd128(content[i], k->value[(int64_t)g->left[i] * k->n_basis + b]);
        content[i] = content[i] > 0 ? content[i] : 1;
    }
}

/* Begins with the vectors of the basis, and the negative ones of reversible columns. */
static bool begin_table(struct engine *g, bool is_wide)
{
    const struct rd_kernel *const k = g->kernel;
    struct rd_row_table *const t = &g->table;
    int64_t n = 0;
    *t = (struct rd_row_table){.n_words = g->v->n_words, .is_wide = is_wide};
    t->limit = g->o->narrow_limit > 0 ? g->o->narrow_limit : INT64_MAX;
    for (int i = 0; i < k->n; i++)
        if (k->basis_of[i] < 0)
            g->left[t->n_left++] = i;
    for (int b = 0; b < k->n_basis; b++)
        n += 1 + g->is_reversible[k->basis[b]];
    rd_int128 *const content = malloc(((size_t)t->n_left + 1) * sizeof *content);
    if (!content || !rd_table_open(t, n)) {
        free(content);
        return fail_memory(g, n);
    }
    find_contents(g, content);
    n = 0;
    for (int b = 0; b < k->n_basis; b++)
        for (int way = 0; way < (g->is_reversible[k->basis[b]] ? 2 : 1); way++, n++) {
            set_bit(rd_table_set(t, n), g->v->bit[k->basis[b]] + way);
            put_basis(g, n, b, way ? -1 : 1, content);
        }
    free(content);
    return true;
}

static void free_signs(struct signs *s)
{
    free(s->positive);
    free(s->negative);
    free(s->zero);
    *s = (struct signs){0};
}

static bool divide_rows(struct engine *g, int at, struct signs *s)
{
    const struct rd_row_table *const t = &g->table;
    const size_t bytes = ((size_t)t->n + 1) * sizeof *s->positive;
    *s = (struct signs){malloc(bytes), malloc(bytes), malloc(bytes), 0, 0, 0};
    if (!s->positive || !s->negative || !s->zero)
        return fail_memory(g, t->n);
    for (int64_t row = 0; row < t->n; row++) {
        const int sign = rd_table_sign(t, row, at);
        if (sign > 0)
            s->positive[s->n_positive++] = (uint32_t)row;
        else if (sign < 0)
            s->negative[s->n_negative++] = (uint32_t)row;
        else
            s->zero[s->n_zero++] = (uint32_t)row;
    }
    return true;
}

/* Returns what all pair searches of this step share. */
static struct rd_pair_search search_of(const struct engine *g)
{
    return (struct rd_pair_search){.rank = &g->rank,
                                   .forward = g->forward,
                                   .most = g->rank.n_rows + 2,
                                   .plane = g->plane,
                                   .longest = g->o->longest,
                                   .is_cut = &g->v->is_cut};
}

/* Returns about how many rows there are after a column is processed; -1 with a message. */
static double estimate_rows(struct engine *g, int at)
{
    const int column = g->left[at];
    struct signs s;
    if (!divide_rows(g, at, &s)) {
        free_signs(&s);
        return -1;
    }
    g->rank.current = column;
    const struct rd_pair_search search = search_of(g);
    const double n_new = s.n_positive > 0 && s.n_negative > 0
                             ? rd_pairs_estimate(&search, g->table.set, s.positive, s.n_positive,
                                                 s.negative, s.n_negative)
                             : 0;
    const double n_kept = (double)(g->table.n - (g->is_reversible[column] ? 0 : s.n_negative));
    g->effort += (double)rd_pairs_samples(s.n_positive, s.n_negative) * g->kernel->n_basis *
                 g->kernel->n_basis;
    free_signs(&s);
    return n_kept + n_new;
}

/* Returns the column whose processing leaves the fewest rows, the first of several; -1 with a
   message. */
static int choose_column(struct engine *g)
{
    int best = 0;
    double best_rows = 0;
    for (int i = 0; i < g->table.n_left; i++) {
        const double rows = estimate_rows(g, i);
        if (rows < 0)
            return -1;
        if (i > 0 && rows >= best_rows)
            continue;
        best = i;
        best_rows = rows;
    }
    g->expected = best_rows;
    return best;
}

/* Copies the shortest rows' sets into witness; returns how many. */
static int take_witnesses(const struct rd_row_table *t, uint64_t *witness)
{
    int n = 0;
    for (int length = 1; length <= 64 * t->n_words && n < RD_WITNESSES / 2 && length < 12; length++)
        for (int64_t row = 0; row < t->n && n < RD_WITNESSES / 2; row++) {
            int bits = 0;
            for (int w = 0; w < t->n_words; w++)
                bits += __builtin_popcountll(rd_table_set(t, row)[w]);
            if (bits == length)
                memcpy(witness + (int64_t)n++ * t->n_words, rd_table_set(t, row),
                       (size_t)t->n_words * sizeof *witness);
        }
    return n;
}

/* Returns the numbers of all rows of a table, owned by the caller. */
static uint32_t *all_rows(int64_t n)
{
    uint32_t *const row = malloc(((size_t)n + 1) * sizeof *row);
    for (int64_t i = 0; row && i < n; i++)
        row[i] = (uint32_t)i;
    return row;
}

/* Returns how many pairs may be kept, so that the next table has no more rows than it may have and
   the memory is enough for the search and for both tables. n_kept: rows that stay; trees: bytes of
   them. */
static int64_t room_for_pairs(const struct engine *g, int64_t n_kept, int64_t trees)
{
    struct rd_row_table next = g->table;
    next.n_left--;
    const int64_t row = rd_table_bytes(&next, 1);
    const int64_t rest = g->o->memory - rd_table_bytes(&g->table, g->table.n);
    const int64_t searched = (rest - trees) / RD_PAIR_BYTES;
    const int64_t made = (rest - n_kept * row) / (row + (int64_t)sizeof(struct rd_adjacent_pair));
    const int64_t rows = g->o->rows == 0 ? INT64_MAX : g->o->rows - n_kept;
    const int64_t fit = searched < made ? searched : made;
    return g->o->memory == 0 || rows < fit ? rows : fit;
}

/* Returns whether the memory is enough for the rows of all trees; it may not be for their nodes. */
static bool has_room_for_trees(const struct engine *g, const struct signs *s)
{
    const int64_t n = s->n_positive + s->n_negative + g->table.n;
    const int64_t row = (int64_t)sizeof *g->table.set * g->table.n_words + 4;
    return g->o->memory == 0 || n * row <= g->o->memory - rd_table_bytes(&g->table, g->table.n);
}

/* Finds the pairs to combine; the signs' lists go into trees and are freed. */
static bool find_pairs(struct engine *g, struct signs *s, int64_t n_kept,
                       struct rd_adjacent_pairs *p)
{
    struct rd_bit_tree tree[3] = {0};
    const struct rd_row_table *const t = &g->table;
    uint64_t *const witness = malloc(RD_WITNESSES * (size_t)t->n_words * sizeof *witness);
    bool ok = rd_bit_tree_make(&tree[0], s->positive, s->n_positive, t->set, t->n_words);
    ok = rd_bit_tree_make(&tree[1], s->negative, s->n_negative, t->set, t->n_words) && ok;
    s->positive = s->negative = NULL;
    ok = ok && witness && rd_bit_tree_make(&tree[2], all_rows(t->n), t->n, t->set, t->n_words);
    if (ok) {
        struct rd_pair_search search = search_of(g);
        search.positive = &tree[0];
        search.negative = &tree[1];
        search.all = &tree[2];
        search.witness = witness;
        search.n_witnesses = take_witnesses(t, witness);
        search.n_threads = g->o->n_threads;
        search.pairs_most =
            room_for_pairs(g, n_kept,
                           rd_bit_tree_bytes(&tree[0]) + rd_bit_tree_bytes(&tree[1]) +
                               rd_bit_tree_bytes(&tree[2]));
        rd_pairs_find(p, &search);
    }
    for (int i = 0; i < 3; i++)
        rd_bit_tree_free(&tree[i]);
    free(witness);
    return ok || fail_memory(g, t->n);
}

/* Returns whether a row is in the table of the next step as it is. If there is a limit of the
   length, rows above it are left out, and so are combinations whose union is above it. That is
   exact: the table is always that of a search without limit less the rows above the limit.
   - A row's set only grows: what is done to a row is that a bit is set, or that two sets are
   united. So all ancestors of a row within the limit are within the limit.
   - A third row that is part of a union within the limit, which is what makes two rows not
   adjacent, is within the limit, and so it is in the table. */
static bool stays(const struct engine *g, int64_t row, int at, int sign)
{
    const int column = g->left[at];
    if (sign < 0 && !g->is_reversible[column])
        return false;
    if (g->o->longest == 0)
        return true;
    const uint64_t *const set = rd_table_set(&g->table, row);
    const struct rd_pair_search s = search_of(g);
    const int weight = rd_pairs_weight(&s, set, set) + (sign != 0 ? g->weight[column] : 0);
    g->v->is_cut = g->v->is_cut || weight > g->o->longest;
    return weight <= g->o->longest;
}

static int64_t count_kept(const struct engine *g, int at)
{
    int64_t n = 0;
    for (int64_t row = 0; row < g->table.n; row++)
        n += stays(g, row, at, rd_table_sign(&g->table, row, at));
    return n;
}

/* Makes the table of the next step: rows that stay, then combinations. */
static bool make_next(struct engine *g, int at, int64_t n_kept, const struct rd_adjacent_pairs *p)
{
    const struct rd_row_table *const t = &g->table;
    const int column = g->left[at], bit = g->v->bit[column];
    int64_t n = 0;
    struct rd_row_table next = *t;
    next.n_left--;
    if (n_kept + p->n >= UINT32_MAX || !rd_table_open(&next, n_kept + p->n)) {
        rd_table_close(&next);
        return fail_memory(g, n_kept + p->n);
    }
    for (int64_t row = 0; row < t->n; row++) {
        const int sign = rd_table_sign(t, row, at);
        if (!stays(g, row, at, sign))
            continue;
        rd_table_copy(&next, n, t, row, at);
        if (sign != 0)
            set_bit(rd_table_set(&next, n), bit + (sign < 0));
        n++;
    }
    for (int64_t i = 0; i < p->n && !g->overflows; i++)
        g->overflows =
            !rd_table_combine(&next, n++, t, p->pair[i].positive, p->pair[i].negative, at);
    rd_table_close(&g->table);
    g->table = next;
    return true;
}

/* Prints a line at most once a second. */
static void print_step(struct engine *g)
{
    const double now = rd_clock();
    if (!g->o->progress || now - g->printed < 1)
        return;
    g->printed = now;
    fprintf(g->o->progress, "rdsim: %d rows left, %lld vectors, about %.3g after the next row\n",
            g->table.n_left, (long long)g->table.n, g->expected);
}

/* Processes one column. */
static bool step(struct engine *g)
{
    const int at = choose_column(g);
    if (at < 0)
        return false;
    const int column = g->left[at];
    struct signs s;
    print_step(g);
    struct rd_adjacent_pairs p = {.is_full = g->o->effort > 0 && g->effort > (double)g->o->effort};
    bool ok = divide_rows(g, at, &s);
    const int64_t n_kept = ok ? count_kept(g, at) : 0;
    g->rank.current = column;
    const bool has_pairs = s.n_positive > 0 && s.n_negative > 0;
    p.is_full = p.is_full || (ok && has_pairs && !has_room_for_trees(g, &s));
    if (ok && !p.is_full && has_pairs)
        ok = find_pairs(g, &s, n_kept, &p);
    free_signs(&s);
    p.is_full = p.is_full || p.n > room_for_pairs(g, n_kept, 0);
    if (ok && p.is_full) {
        g->v->is_partial = true;
        g->v->lacks_memory = p.lacks_memory;
        g->v->rows_needed = (int64_t)g->expected;
    }
    ok = ok && (g->v->is_partial || make_next(g, at, n_kept, &p));
    if (ok && !g->v->is_partial) {
        rd_rank_test_process(&g->rank, g->v->bit, g->is_reversible);
        memmove(g->left + at, g->left + at + 1, (size_t)(g->table.n_left - at) * sizeof *g->left);
    }
    rd_pairs_free(&p);
    return ok;
}

/* Keeps the rows of an unfinished table that are elementary vectors: what is left has the right
   sign in them. */
static void keep_finished(struct engine *g)
{
    struct rd_row_table *const t = &g->table;
    int64_t n = 0;
    for (int64_t row = 0; row < t->n; row++) {
        bool is_finished = true;
        for (int i = 0; i < t->n_left; i++)
            is_finished =
                is_finished && (g->is_reversible[g->left[i]] || rd_table_sign(t, row, i) >= 0);
        uint64_t *const set = rd_table_set(t, n);
        if (!is_finished)
            continue;
        memmove(set, rd_table_set(t, row), (size_t)t->n_words * sizeof *set);
        for (int i = 0; i < t->n_left; i++) {
            const int sign = rd_table_sign(t, row, i);
            if (sign != 0)
                set_bit(set, g->v->bit[g->left[i]] + (sign < 0));
        }
        n++;
    }
    t->n = n;
}

/* Runs with values of one width. */
static bool run_width(struct engine *g, bool is_wide)
{
    g->overflows = false;
    g->v->is_wide = is_wide;
    bool ok = rd_rank_test_open(&g->rank, g->kernel, g->v->bit, g->is_reversible, g->v->n_words) ||
              fail_memory(g, g->kernel->n);
    ok = ok && begin_table(g, is_wide);
    while (ok && g->table.n_left > 0 && !g->v->is_partial && !g->overflows)
        ok = step(g);
    if (ok && g->v->is_partial)
        keep_finished(g);
    if (ok && !g->overflows) {
        g->v->n = g->table.n;
        g->v->set = g->table.set;
        g->table.set = NULL;
    }
    rd_table_close(&g->table);
    rd_rank_test_close(&g->rank);
    return ok;
}

bool rd_engine_run(struct rd_engine_vectors *v, const struct rd_kernel *k,
                   const bool *is_reversible, const int *weight, const struct rd_engine_options *o,
                   struct rd_error *e)
{
    struct engine g = {
        .kernel = k, .is_reversible = is_reversible, .weight = weight, .o = o, .v = v, .e = e};
    *v = (struct rd_engine_vectors){0};
    g.printed = rd_clock();
    g.left = malloc(((size_t)k->n + 1) * sizeof *g.left);
    bool ok = g.left || fail_memory(&g, k->n);
    if (ok && k->n_basis > RD_BASIS_MOST)
        ok = rd_fail(e, "the nullspace has %d dimensions; at most %d are possible", k->n_basis,
                     RD_BASIS_MOST);
    ok = ok && place_bits(&g) && place_weights(&g) && run_width(&g, false);
    if (ok && g.overflows)
        ok = run_width(&g, true);
    if (ok && g.overflows)
        ok = rd_fail(e, "a coefficient does not fit into 128 bits; use fewer digits");
    free(g.left);
    free(g.forward);
    free(g.plane);
    return ok;
}

void rd_engine_vectors_free(struct rd_engine_vectors *v)
{
    free(v->bit);
    free(v->set);
    *v = (struct rd_engine_vectors){0};
}
