/* compress - makes a system smaller without losing an elementary vector. A merge of columns that
   does not fit into 64 bits is not made, and changes nothing. */
#include "cone/compress.h"

#include "cone/kernel.h"

#include <stdlib.h>
#include <string.h>

/* Holds the columns that change one row. */
struct balance {
    int *column; /* room for all */
    int n, n_produce, n_consume, n_both;
};

static void free_column(struct rd_core_column *x)
{
    rd_sparse_free(&x->net);
    rd_sparse_free(&x->origin);
}

static void drop_column(struct rd_core *c, int i)
{
    free_column(&c->column[i]);
    memmove(&c->column[i], &c->column[i + 1], (size_t)(--c->n - i) * sizeof *c->column);
}

static void block_column(struct rd_core *c, int i, enum rd_block_reason reason, int32_t row)
{
    const struct rd_sparse *const origin = &c->column[i].origin;
    for (int k = 0; k < origin->n; k++)
        c->block[origin->entry[k].at] = (struct rd_blocked){reason, row};
    drop_column(c, i);
}

static void negate(struct rd_sparse *v)
{
    for (int i = 0; i < v->n; i++)
        v->entry[i].value = -v->entry[i].value;
}

/* Sets *sum to multiples of two columns; false, and nothing is changed, if that does not fit or
   there is no memory. */
static bool merge_columns(struct rd_core *c, struct rd_core_column *sum,
                          const struct rd_core_column *a, int64_t times_a,
                          const struct rd_core_column *b, int64_t times_b)
{
    *sum = (struct rd_core_column){.own = b->own,
                                   .is_reversible = a->is_reversible && b->is_reversible};
    if (!rd_sparse_open_sum(&sum->net, &a->net, &b->net) ||
        !rd_sparse_open_sum(&sum->origin, &a->origin, &b->origin))
        c->lacks_memory = true;
    if (c->lacks_memory || !rd_sparse_combine(&sum->net, &a->net, times_a, &b->net, times_b) ||
        !rd_sparse_combine(&sum->origin, &a->origin, times_a, &b->origin, times_b)) {
        free_column(sum);
        return false;
    }
    const int64_t common =
        rd_sparse_gcd(rd_sparse_content(&sum->net), rd_sparse_content(&sum->origin));
    rd_sparse_divide(&sum->net, common);
    rd_sparse_divide(&sum->origin, common);
    return true;
}

/* Replaces columns i < k by one, in which i runs times_i and k times_k times. */
static bool couple(struct rd_core *c, int i, int64_t times_i, int k, int64_t times_k, int32_t row)
{
    struct rd_core_column *const a = &c->column[i], *const b = &c->column[k];
    struct rd_core_column sum;
    if (!a->is_reversible || (b->is_reversible && times_i < 0)) {
        times_k = times_i < 0 ? -times_k : times_k;
        times_i = times_i < 0 ? -times_i : times_i;
    } else if (!b->is_reversible && times_k < 0) {
        times_k = -times_k;
        times_i = -times_i;
    }
    if (!a->is_reversible && !b->is_reversible && times_k < 0) {
        block_column(c, k, RD_BLOCK_OPPOSITE, row);
        block_column(c, i, RD_BLOCK_OPPOSITE, row);
        return true;
    }
    if (!merge_columns(c, &sum, a, times_i, b, times_k))
        return false;
    free_column(a);
    *a = sum;
    drop_column(c, k);
    return true;
}

static void weigh_balance(const struct rd_core *c, int32_t row, struct balance *b)
{
    b->n = b->n_produce = b->n_consume = b->n_both = 0;
    for (int i = 0; i < c->n; i++) {
        const int64_t value = rd_sparse_at(&c->column[i].net, row);
        if (value == 0)
            continue;
        b->column[b->n++] = i;
        b->n_both += c->column[i].is_reversible;
        b->n_produce += !c->column[i].is_reversible && value > 0;
        b->n_consume += !c->column[i].is_reversible && value < 0;
    }
}

static void block_all(struct rd_core *c, int32_t row, const struct balance *b)
{
    const enum rd_block_reason reason = b->n_both == 1      ? RD_BLOCK_SINGLE
                                        : b->n_produce == 0 ? RD_BLOCK_SOURCE
                                                            : RD_BLOCK_SINK;
    for (int i = b->n - 1; i >= 0; i--)
        block_column(c, b->column[i], reason, row);
}

/* Gives the only reversible column the direction that the others leave to it. */
static void direct(struct rd_core *c, int32_t row, const struct balance *b)
{
    for (int i = 0; i < b->n; i++) {
        struct rd_core_column *const x = &c->column[b->column[i]];
        if (!x->is_reversible)
            continue;
        x->is_reversible = false;
        if ((rd_sparse_at(&x->net, row) > 0) == (b->n_consume > 0))
            return;
        negate(&x->net);
        negate(&x->origin);
    }
}

static bool couple_two(struct rd_core *c, int32_t row, const struct balance *b)
{
    const int64_t one = rd_sparse_at(&c->column[b->column[0]].net, row);
    const int64_t two = rd_sparse_at(&c->column[b->column[1]].net, row);
    const int64_t common = rd_sparse_gcd(one, two);
    return couple(c, b->column[0], two / common, b->column[1], -one / common, row);
}

/* Merges the only producer, or consumer, of a row with each of the columns at the other side. */
static bool distribute(struct rd_core *c, int32_t row, const struct balance *b)
{
    struct rd_core_column *const sum = calloc((size_t)b->n, sizeof *sum);
    const int sign = b->n_produce == 1 ? 1 : -1;
    int single = 0;
    bool ok = sum != NULL;
    c->lacks_memory = c->lacks_memory || !sum;
    while (rd_sparse_at(&c->column[b->column[single]].net, row) * sign < 0)
        single++;
    const struct rd_core_column *const a = &c->column[b->column[single]];
    const int64_t of_a = llabs(rd_sparse_at(&a->net, row));
    for (int i = 0; ok && i < b->n; i++) {
        const struct rd_core_column *const x = &c->column[b->column[i]];
        const int64_t of_x = llabs(rd_sparse_at(&x->net, row));
        const int64_t common = rd_sparse_gcd(of_a, of_x);
        ok = i == single || merge_columns(c, &sum[i], a, of_x / common, x, of_a / common);
    }
    for (int i = 0; sum && i < b->n; i++) {
        if (ok && i != single) {
            free_column(&c->column[b->column[i]]);
            c->column[b->column[i]] = sum[i];
        } else
            free_column(&sum[i]);
    }
    if (ok)
        drop_column(c, b->column[single]);
    free(sum);
    return ok;
}

/* Blocks the columns of a row that has no producer or no consumer, or directs the only reversible
   one; returns whether the core is changed. */
static bool resolve_end(struct rd_core *c, int32_t row, struct balance *b)
{
    weigh_balance(c, row, b);
    if (b->n == 0)
        return false;
    if (b->n == 1 || b->n_produce + b->n_both == 0 || b->n_consume + b->n_both == 0)
        block_all(c, row, b);
    else if (b->n_both == 1 && (b->n_produce == 0 || b->n_consume == 0))
        direct(c, row, b);
    else
        return false;
    return true;
}

/* Eliminates a row if its balance leaves no choice; returns whether the core is changed. */
static bool reduce_row(struct rd_core *c, int32_t row, struct balance *b)
{
    if (resolve_end(c, row, b))
        return true;
    if (b->n == 2)
        return couple_two(c, row, b);
    return b->n_both == 0 && (b->n_produce == 1 || b->n_consume == 1) && distribute(c, row, b);
}

/* Moves columns without net change away: each is a vector by itself. */
static bool take_loops(struct rd_core *c)
{
    for (int i = c->n - 1; i >= 0; i--) {
        if (c->column[i].net.n > 0)
            continue;
        struct rd_core_column *const more =
            realloc(c->loop, ((size_t)c->n_loops + 1) * sizeof *more);
        if (!more)
            return false;
        c->loop = more;
        c->loop[c->n_loops++] = c->column[i];
        memmove(&c->column[i], &c->column[i + 1], (size_t)(--c->n - i) * sizeof *c->column);
    }
    return true;
}

/* Couples two columns that are in proportion in every solution, or blocks one that is 0; returns
   whether the core is changed. */
static bool use_kernel(struct rd_core *c, const struct rd_kernel *k)
{
    bool is_changed = false;
    for (int i = c->n - 1; i >= 0; i--) {
        int64_t above, below;
        if (rd_kernel_is_zero(k, i)) {
            block_column(c, i, RD_BLOCK_BALANCE, -1);
            return true;
        }
        for (int j = i - 1; j >= 0; j--)
            if (rd_kernel_ratio(k, j, i, &above, &below))
                return couple(c, j, above, i, below, -1);
    }
    return is_changed;
}

/* Resolves all ends before columns are merged, so that the reason of each is a row of its own. */
static void resolve_ends(struct rd_core *c, struct balance *b)
{
    for (bool is_changed = true; is_changed;) {
        is_changed = false;
        for (int32_t row = 0; row < c->n_rows; row++)
            while (resolve_end(c, row, b))
                is_changed = true;
    }
}

static bool eliminate_row(struct rd_core *c, struct balance *b)
{
    bool is_changed = true, ok = take_loops(c);
    while (ok && is_changed) {
        is_changed = false;
        for (int32_t row = 0; ok && row < c->n_rows; row++)
            while (ok && reduce_row(c, row, b)) {
                is_changed = true;
                ok = take_loops(c);
            }
    }
    return ok && !c->lacks_memory;
}

/* Repeats until neither rows nor the kernel change anything. */
static bool compress(struct rd_core *c, struct rd_error *e)
{
    struct balance b = {.column = calloc((size_t)c->n_original + 1, sizeof *b.column)};
    bool ok = b.column != NULL, is_changed = true;
    const int before = e->n;
    if (ok)
        resolve_ends(c, &b);
    while (ok && is_changed) {
        struct rd_kernel k = {0};
        ok = eliminate_row(c, &b);
        is_changed = ok && c->n > 0 && rd_kernel_make(&k, c->column, c->n, c->n_rows, e) &&
                     use_kernel(c, &k);
        ok = ok && e->n == before && !c->lacks_memory;
        rd_kernel_free(&k);
    }
    free(b.column);
    return ok || rd_fail_memory(e, "out of memory for %d columns", c->n_original);
}

bool rd_core_make(struct rd_core *c, const struct rd_system *s, struct rd_error *e)
{
    *c = (struct rd_core){.n_rows = s->n_rows, .n_original = s->n_columns};
    c->column = calloc((size_t)s->n_columns + 1, sizeof *c->column);
    c->block = calloc((size_t)s->n_columns + 1, sizeof *c->block);
    bool ok = c->column && c->block;
    for (int i = 0; ok && i < s->n_columns; i++) {
        if (s->column[i].is_excluded) {
            c->block[i] = (struct rd_blocked){RD_BLOCK_EXCLUDED, -1};
            continue;
        }
        struct rd_entry one = {i, 1};
        const struct rd_sparse unit = {&one, 1};
        struct rd_core_column *const x = &c->column[c->n++];
        x->own = i;
        x->is_reversible = s->column[i].is_reversible;
        ok = rd_sparse_copy(&x->net, &s->column[i].net) && rd_sparse_copy(&x->origin, &unit);
    }
    if (!ok)
        return rd_fail_memory(e, "out of memory for %d columns", c->n_original);
    return compress(c, e);
}

void rd_core_free(struct rd_core *c)
{
    for (int i = 0; i < c->n; i++)
        free_column(&c->column[i]);
    for (int i = 0; i < c->n_loops; i++)
        free_column(&c->loop[i]);
    free(c->column);
    free(c->loop);
    free(c->block);
    *c = (struct rd_core){0};
}
