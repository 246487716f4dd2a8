/* elementary - the elementary vectors of a system: compression, components, the engine, and the way
   back to the columns of the system. */
#include "cone/elementary.h"

#include <stdlib.h>
#include <string.h>

/* Returns the component that a row belongs to, which is one of its rows. */
static int root_of(int *root, int row)
{
    while (root[row] != row)
        row = root[row] = root[root[row]];
    return row;
}

/* Sets the columns of the core into the order of their components; component[column] is its number,
   and those of early columns come first. */
static void sort_columns(struct rd_core *c, const int *component, int n_components,
                         struct rd_core_column *sorted)
{
    int n = 0;
    for (int k = 0; k < n_components; k++)
        for (int i = 0; i < c->n; i++)
            if (component[i] == k)
                sorted[n++] = c->column[i];
    memcpy(c->column, sorted, (size_t)n * sizeof *sorted);
}

/* Numbers the components of the core: two columns that share a row are in one. Returns how many. */
static int number_components(const struct rd_core *c, int *root, int *number, int *component)
{
    int n_components = 0;
    for (int row = 0; row < c->n_rows; row++) {
        root[row] = row;
        number[row] = -1;
    }
    for (int i = 0; i < c->n; i++)
        for (int k = 1; k < c->column[i].net.n; k++)
            root[root_of(root, c->column[i].net.entry[k].at)] =
                root_of(root, c->column[i].net.entry[0].at);
    for (int i = 0; i < c->n; i++) {
        int *const at = &number[root_of(root, c->column[i].net.entry[0].at)];
        *at = *at < 0 ? n_components++ : *at;
        component[i] = *at;
    }
    return n_components;
}

/* Divides the core into components. */
static bool divide_core(struct rd_elementary *v)
{
    struct rd_core *const c = &v->core;
    int *const root = malloc(2 * ((size_t)c->n_rows + 1) * sizeof *root);
    int *const component = malloc(((size_t)c->n + 1) * sizeof *component);
    struct rd_core_column *const sorted = malloc(((size_t)c->n + 1) * sizeof *sorted);
    bool ok = root && component && sorted;
    if (ok) {
        v->n_components = number_components(c, root, root + c->n_rows + 1, component);
        v->component = calloc((size_t)v->n_components + 1, sizeof *v->component);
        ok = v->component != NULL;
    }
    for (int i = 0; ok && i < c->n; i++)
        v->component[component[i]].n++;
    for (int k = 1; ok && k < v->n_components; k++)
        v->component[k].from = v->component[k - 1].from + v->component[k - 1].n;
    if (ok)
        sort_columns(c, component, v->n_components, sorted);
    free(root);
    free(component);
    free(sorted);
    return ok;
}

bool rd_elementary_begin(struct rd_elementary *v, struct rd_system *s, struct rd_error *e)
{
    *v = (struct rd_elementary){.system = *s};
    *s = (struct rd_system){0};
    rd_supports_begin(&v->support, v->system.n_columns);
    if (!rd_core_make(&v->core, &v->system, e))
        return false;
    if (!divide_core(v))
        return rd_fail_memory(e, "out of memory for %d columns", v->core.n);
    for (int k = 0; k < v->n_components; k++) {
        struct rd_component *const p = &v->component[k];
        const int before = e->n;
        if (!rd_kernel_make(&p->kernel, v->core.column + p->from, p->n, v->core.n_rows, e))
            return e->n == before &&
                   rd_fail(e,
                           "the coefficients of the nullspace are too large; use fewer digits, or "
                           "divide the network");
    }
    return true;
}

/* Puts the columns of the system that a column of the core is made of into a set. */
static void put_column(const struct rd_supports *m, uint64_t *set, const struct rd_core_column *x,
                       bool is_negative)
{
    for (int i = 0; i < x->origin.n; i++)
        rd_supports_put(m, set, x->origin.entry[i].at,
                        (x->origin.entry[i].value < 0) != is_negative);
}

static bool has_bit(const uint64_t *set, int bit)
{
    return set[bit / 64] >> (bit % 64) & 1;
}

/* Adds the vectors that the engine found for some columns of the core. */
static bool expand_vectors(struct rd_supports *m, const struct rd_engine_vectors *found,
                           const struct rd_core_column *column, int n, const bool *is_reversible,
                           struct rd_error *e)
{
    for (int64_t row = 0; row < found->n; row++) {
        const uint64_t *const from = found->set + row * found->n_words;
        uint64_t *const set = rd_supports_add(m, e);
        if (!set)
            return false;
        for (int i = 0; i < n; i++) {
            const bool is_negative = column[i].is_reversible && has_bit(from, found->bit[i] + 1);
            if (is_negative || has_bit(from, found->bit[i]))
                put_column(m, set, &column[i], is_negative);
        }
        rd_supports_turn(m, set, is_reversible);
    }
    return true;
}

/* Adds the columns that change nothing: each is a vector. */
static bool expand_loops(struct rd_elementary *v, const bool *is_reversible, struct rd_error *e)
{
    for (int i = 0; i < v->core.n_loops; i++) {
        uint64_t *const set = rd_supports_add(&v->support, e);
        if (!set)
            return false;
        put_column(&v->support, set, &v->core.loop[i], false);
        rd_supports_turn(&v->support, set, is_reversible);
    }
    return true;
}

/* Counts how many columns of the system each column of the core stands for alone. */
static void weigh_columns(const struct rd_core *c, int *weight, int *count)
{
    memset(count, 0, (size_t)c->n_original * sizeof *count);
    for (int i = 0; i < c->n; i++)
        for (int k = 0; k < c->column[i].origin.n; k++)
            count[c->column[i].origin.entry[k].at]++;
    for (int i = 0; i < c->n; i++) {
        weight[i] = 0;
        for (int k = 0; k < c->column[i].origin.n; k++)
            weight[i] += count[c->column[i].origin.entry[k].at] == 1;
    }
}

/* Leaves out the vectors of a component for which the memory is not enough. */
static void limit(struct rd_elementary *v, struct rd_engine_vectors *found, int64_t memory)
{
    const int64_t bytes = rd_supports_bytes(&v->support);
    const int64_t sets = (int64_t)sizeof *found->set * found->n_words * found->n;
    const int64_t most = (memory - sets) / bytes - v->support.n;
    if (memory == 0 || found->n <= most)
        return;
    v->is_partial = true;
    v->rows_needed = v->rows_needed > found->n ? v->rows_needed : found->n;
    found->n = most > 0 ? most : 0;
}

/* Runs the engine on a component. */
static bool run_component(struct rd_elementary *v, const struct rd_component *p, const int *weight,
                          const struct rd_engine_options *o, const bool *is_reversible,
                          struct rd_error *e)
{
    struct rd_engine_vectors found = {0};
    const struct rd_core_column *const column = v->core.column + p->from;
    bool *const flags = malloc((size_t)p->n + 1);
    for (int i = 0; flags && i < p->n; i++)
        flags[i] = column[i].is_reversible;
    const bool ok = (flags || rd_fail_memory(e, "out of memory for %d columns", p->n)) &&
                    rd_engine_run(&found, &p->kernel, flags, weight + p->from, o, e);
    v->is_partial = v->is_partial || found.is_partial;
    v->lacks_memory = v->lacks_memory || found.lacks_memory;
    v->rows_needed = v->rows_needed > found.rows_needed ? v->rows_needed : found.rows_needed;
    v->is_wide = v->is_wide || found.is_wide;
    v->is_cut = v->is_cut || found.is_cut;
    limit(v, &found, o->memory);
    const bool is_done = ok && rd_supports_reserve(&v->support, found.n, e) &&
                         expand_vectors(&v->support, &found, column, p->n, is_reversible, e);
    free(flags);
    rd_engine_vectors_free(&found);
    return is_done;
}

/* Lists what all searches of a system share. */
struct shared {
    bool *is_reversible; /* [column of the system], owned */
    int *weight;         /* [column of the core], owned, with room to count */
};

static bool open_shared(struct shared *x, const struct rd_elementary *v, struct rd_error *e)
{
    const size_t n = (size_t)v->system.n_columns + 1;
    x->is_reversible = malloc(n * sizeof *x->is_reversible);
    x->weight = malloc(2 * n * sizeof *x->weight);
    if (!x->is_reversible || !x->weight)
        return rd_fail_memory(e, "out of memory for %d columns", v->system.n_columns);
    for (int i = 0; i < v->system.n_columns; i++)
        x->is_reversible[i] = v->system.column[i].is_reversible;
    weigh_columns(&v->core, x->weight, x->weight + n);
    return true;
}

/* Returns whether the columns of a component stand for a column of the system. */
static bool has_column(const struct rd_elementary *v, const struct rd_component *p, int column)
{
    for (int i = p->from; i < p->from + p->n; i++)
        if (rd_sparse_at(&v->core.column[i].origin, column) != 0)
            return true;
    return false;
}

/* Finds the vectors of at most so many columns, and some that are longer. longest 0: all. */
static bool search_vectors(struct rd_elementary *v, const struct shared *x,
                           const struct rd_engine_options *o, int longest, struct rd_error *e)
{
    struct rd_engine_options limited = *o;
    limited.longest = longest;
    v->support.n = 0;
    v->is_partial = v->lacks_memory = v->is_cut = false;
    bool ok = expand_loops(v, x->is_reversible, e);
    for (int k = 0; ok && k < v->n_components; k++)
        if (o->through == 0 || has_column(v, &v->component[k], o->through - 1))
            ok = run_component(v, &v->component[k], x->weight, &limited, x->is_reversible, e);
    return ok && rd_supports_sort(&v->support, e);
}

/* Returns whether the shortest vectors that are needed are there, and one more: all of at most
   `whole` columns are there, and some that are longer. */
static bool has_enough(const struct rd_elementary *v, const struct rd_engine_options *o, int whole)
{
    int64_t n = 0, n_longer = 0;
    for (int64_t i = 0; i < v->support.n; i++) {
        const int length = rd_supports_length(&v->support, i);
        if ((o->through > 0 && !rd_supports_has(&v->support, i, o->through - 1)) ||
            (o->longest > 0 && length > o->longest))
            continue;
        n += length <= whole;
        n_longer += length > whole;
    }
    return n >= o->most && n + n_longer > o->most;
}

enum { FIRST_LENGTH = 4 };

/* Finds the shortest vectors that are needed. If the memory is not enough, those of the last search
   for which it was are found again: they are the shortest. */
static bool search_shortest(struct rd_elementary *v, const struct shared *x,
                            const struct rd_engine_options *o, struct rd_error *e)
{
    const int most = o->longest > 0 ? o->longest : v->system.n_columns;
    int length = FIRST_LENGTH, last = 0;
    bool ok = true;
    for (bool goes_on = true; ok && goes_on; length += length / 2) {
        const bool is_last = length >= most;
        ok = search_vectors(v, x, o, is_last ? o->longest : length, e);
        goes_on = ok && !is_last && !v->is_partial && v->is_cut && !has_enough(v, o, length);
        last = goes_on ? length : last;
    }
    if (!ok || !v->is_partial || last == 0)
        return ok;
    const int64_t rows_needed = v->rows_needed;
    ok = search_vectors(v, x, o, last, e);
    v->is_partial = true;
    v->rows_needed = rows_needed;
    return ok;
}

bool rd_elementary_find(struct rd_elementary *v, struct rd_system *s,
                        const struct rd_engine_options *o, struct rd_error *e)
{
    struct shared x = {0};
    const bool ok =
        rd_elementary_begin(v, s, e) && open_shared(&x, v, e) &&
        (o->most > 0 ? search_shortest(v, &x, o, e) : search_vectors(v, &x, o, o->longest, e));
    free(x.is_reversible);
    free(x.weight);
    return ok;
}

/* Returns the sign of a column of the core in a vector, 0 if it is 0. */
static int sign_of(const struct rd_elementary *v, int64_t support, const struct rd_core_column *x)
{
    if (!rd_supports_has(&v->support, support, x->own))
        return 0;
    const bool is_negative = rd_supports_is_negative(&v->support, support, x->own);
    return is_negative == (rd_sparse_at(&x->origin, x->own) < 0) ? 1 : -1;
}

/* Returns the column without net change that a vector is; NULL if it is none. */
static const struct rd_core_column *loop_of(const struct rd_elementary *v, int64_t support)
{
    for (int i = 0; i < v->core.n_loops; i++)
        if (sign_of(v, support, &v->core.loop[i]) != 0)
            return &v->core.loop[i];
    return NULL;
}

/* Returns the component that a vector is in. */
static const struct rd_component *component_of(const struct rd_elementary *v, int64_t support)
{
    const struct rd_component *p = v->component;
    for (int k = 0; k < v->n_components; k++)
        for (int i = 0; i < v->component[k].n; i++)
            if (sign_of(v, support, &v->core.column[v->component[k].from + i]) != 0)
                return &v->component[k];
    return p;
}

/* Adds times copies of a column to the values; false if that does not fit. */
static bool add_column_times(rd_int128 *value, const struct rd_core_column *x, rd_int128 times)
{
    for (int i = 0; i < x->origin.n; i++) {
        const struct rd_entry *const origin = &x->origin.entry[i];
        rd_int128 more;
        if (__builtin_mul_overflow((rd_int128)origin->value, times, &more) ||
            __builtin_add_overflow(value[origin->at], more, &value[origin->at]))
            return false;
    }
    return true;
}

/* Sets the values of a vector of a component. Returns false if they do not fit, or with a message.
 */
static bool solve_vector(const struct rd_elementary *v, int64_t support, rd_int128 *value,
                         struct rd_error *e)
{
    const struct rd_component *const p = component_of(v, support);
    const struct rd_core_column *const column = v->core.column + p->from;
    rd_int128 *const times = malloc(((size_t)p->n + 1) * sizeof *times);
    signed char *const sign = malloc((size_t)p->n + 1);
    bool ok = (times && sign) || rd_fail_memory(e, "out of memory for a result");
    for (int i = 0; ok && i < p->n; i++)
        sign[i] = (signed char)sign_of(v, support, &column[i]);
    ok = ok && rd_kernel_flux(&p->kernel, sign, times, e);
    for (int i = 0; ok && i < p->n; i++)
        ok = (times[i] > 0) - (times[i] < 0) == sign[i] &&
             add_column_times(value, &column[i], times[i]);
    free(times);
    free(sign);
    return ok;
}

/* Sets value to the smallest integers of a vector; false if they do not fit into 64 bits,
   or with a message. wide is room for as many wide numbers. */
static bool find_smallest_value(const struct rd_elementary *v, int64_t support, int64_t *value,
                                rd_int128 *wide, struct rd_error *e)
{
    const int n = v->system.n_columns;
    const struct rd_core_column *const loop = loop_of(v, support);
    if (!(loop ? add_column_times(wide, loop, sign_of(v, support, loop))
               : solve_vector(v, support, wide, e)))
        return false;
    rd_int128 common = 0;
    for (int i = 0; i < n && common != 1; i++)
        common = wide[i] != 0 ? rd_sparse_gcd128(common, wide[i]) : common;
    for (int i = 0; i < n; i++) {
        const rd_int128 reduced = common > 1 ? wide[i] / common : wide[i];
        if (!rd_sparse_fits(reduced))
            return false;
        value[i] = (int64_t)reduced;
    }
    return true;
}

/* Returns whether the values have the support and the signs that they should have. */
static bool agrees(const struct rd_elementary *v, int64_t support, const int64_t *value)
{
    for (int i = 0; i < v->system.n_columns; i++) {
        const bool is_negative = rd_supports_is_negative(&v->support, support, i);
        if ((value[i] != 0) != rd_supports_has(&v->support, support, i) ||
            (value[i] < 0) != is_negative || (is_negative && !v->system.column[i].is_reversible))
            return false;
    }
    return true;
}

/* Returns whether the values solve all equations. sum is room for one number per row. */
static bool is_solution(const struct rd_system *s, const int64_t *value, rd_int128 *sum)
{
    bool is_zero = true;
    for (int i = 0; i < s->n_columns; i++)
        for (int k = 0; value[i] != 0 && k < s->column[i].net.n; k++) {
            const struct rd_entry *const x = &s->column[i].net.entry[k];
            is_zero =
                !__builtin_add_overflow(sum[x->at], (rd_int128)value[i] * x->value, &sum[x->at]) &&
                is_zero;
        }
    for (int row = 0; row < s->n_rows; row++)
        is_zero = is_zero && sum[row] == 0;
    return is_zero;
}

bool rd_elementary_value(const struct rd_elementary *v, int64_t support, int64_t *value,
                         struct rd_error *e)
{
    const struct rd_system *const s = &v->system;
    rd_int128 *const wide = calloc((size_t)s->n_columns + (size_t)s->n_rows + 1, sizeof *wide);
    if (!wide)
        return rd_fail_memory(e, "out of memory for a result");
    const int before = e->n;
    const bool fits = find_smallest_value(v, support, value, wide, e);
    const bool is_right =
        fits && agrees(v, support, value) && is_solution(s, value, wide + s->n_columns);
    free(wide);
    if (!fits && e->n > before)
        return false;
    if (!fits)
        return rd_fail(e, "the coefficients of a result do not fit into 64 bits; use fewer digits");
    return is_right || rd_fail(e, "a result does not solve the equations; please report this");
}

/* Gives what is known of a column of the core to the columns of the system that it is made of. */
static void spread_feasibility(const struct rd_core_column *x, enum rd_feasible known,
                               enum rd_feasible *state)
{
    for (int i = 0; i < x->origin.n; i++) {
        enum rd_feasible *const at = &state[x->origin.entry[i].at];
        *at = known > *at ? known : *at;
    }
}

bool rd_elementary_feasible(const struct rd_elementary *v, enum rd_feasible *state, int64_t effort,
                            struct rd_error *e)
{
    const struct rd_core *const c = &v->core;
    enum rd_feasible *const known = malloc(((size_t)c->n + 1) * sizeof *known);
    bool *const is_reversible = malloc((size_t)c->n + 1);
    bool ok = (known && is_reversible) || rd_fail_memory(e, "out of memory for %d columns", c->n);
    for (int i = 0; i < v->system.n_columns; i++)
        state[i] = RD_FEASIBLE_NO;
    for (int i = 0; i < c->n_loops; i++)
        spread_feasibility(&c->loop[i], RD_FEASIBLE_YES, state);
    for (int i = 0; ok && i < c->n; i++)
        is_reversible[i] = c->column[i].is_reversible;
    for (int k = 0; ok && k < v->n_components; k++) {
        const struct rd_component *const p = &v->component[k];
        ok = rd_feasible_find(known + p->from, &p->kernel, is_reversible + p->from, &effort, e);
    }
    for (int i = 0; ok && i < c->n; i++)
        spread_feasibility(&c->column[i], known[i], state);
    free(known);
    free(is_reversible);
    return ok;
}

void rd_elementary_free(struct rd_elementary *v)
{
    for (int k = 0; k < v->n_components && v->component; k++)
        rd_kernel_free(&v->component[k].kernel);
    free(v->component);
    rd_supports_free(&v->support);
    rd_core_free(&v->core);
    rd_system_free(&v->system);
    *v = (struct rd_elementary){0};
}
