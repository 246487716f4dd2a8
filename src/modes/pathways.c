/* pathways - all elementary flux modes of a network: compression, the engine, and the way back to
   the network's reactions. */
#include "modes/pathways.h"

#include "modes/plain.h"

#include <stdlib.h>
#include <string.h>

/* Makes the core of a network. */
static bool compress(struct rd_core *c, const struct rd_network *n, struct rd_error *e)
{
    const size_t size = (size_t)n->n_reactions + 1;
    const struct rd_sparse **const column = malloc(size * sizeof *column);
    bool *const flags = malloc(2 * size * sizeof *flags);
    bool ok = (column && flags) || rd_fail(e, "there is no memory for the network");
    for (int i = 0; ok && i < n->n_reactions; i++) {
        column[i] = &n->reaction[i].net;
        flags[i] = n->reaction[i].is_reversible;
        flags[size + (size_t)i] = n->reaction[i].is_excluded;
    }
    const struct rd_system s = {n->n_species, n->n_reactions, column, flags, flags + size};
    ok = ok && rd_core_make(c, &s, e);
    free(column);
    free(flags);
    return ok;
}

/* Puts the reactions of a column into a mode's set. */
static void put_column(const struct rd_modes *m, uint64_t *set, const struct rd_core_column *x,
                       bool is_backward)
{
    for (int i = 0; i < x->origin.n; i++)
        rd_modes_put(m, set, x->origin.entry[i].at, (x->origin.entry[i].value < 0) != is_backward);
}

static bool has_bit(const uint64_t *set, int bit)
{
    return set[bit / 64] >> (bit % 64) & 1;
}

/* Adds the modes of the core, each once, and its loops. */
static bool expand(struct rd_pathways *p, const struct rd_elementary *v, const bool *is_reversible,
                   struct rd_error *e)
{
    const struct rd_core *const c = &p->core;
    struct rd_modes *const m = &p->modes;
    for (int i = 0; i < c->n_loops; i++) {
        uint64_t *const set = rd_modes_add(m, e);
        if (!set)
            return false;
        put_column(m, set, &c->loop[i], false);
        rd_modes_turn(m, set, is_reversible);
    }
    for (int64_t row = 0; row < v->n; row++) {
        const uint64_t *const from = v->set + row * v->n_words;
        uint64_t *const set = rd_modes_add(m, e);
        if (!set)
            return false;
        for (int i = 0; i < c->n; i++) {
            const bool is_backward = c->column[i].is_reversible && has_bit(from, v->bit[i] + 1);
            if (is_backward || has_bit(from, v->bit[i]))
                put_column(m, set, &c->column[i], is_backward);
        }
        rd_modes_turn(m, set, is_reversible);
    }
    return true;
}

/* Runs the engine on the core, if the compression left something of it. */
static bool run(struct rd_pathways *p, struct rd_elementary *v, const struct rd_engine_options *o,
                struct rd_error *e)
{
    if (p->core.n == 0)
        return true;
    if (!rd_kernel_make(&p->kernel, &p->core))
        return rd_fail(e, "the coefficients of the nullspace do not fit; scale the network");
    bool *const is_reversible = malloc((size_t)p->core.n * sizeof *is_reversible);
    if (!is_reversible)
        return rd_fail(e, "there is no memory for the network");
    for (int i = 0; i < p->core.n; i++)
        is_reversible[i] = p->core.column[i].is_reversible;
    const bool ok = rd_engine_run(v, &p->kernel, is_reversible, o, e);
    free(is_reversible);
    p->is_partial = v->is_partial;
    p->rows_needed = v->rows_needed;
    p->is_wide = v->is_wide;
    return ok;
}

bool rd_pathways_find(struct rd_pathways *p, const struct rd_network *n,
                      const struct rd_engine_options *o, struct rd_error *e)
{
    struct rd_elementary v = {0};
    *p = (struct rd_pathways){.network = n};
    rd_modes_begin(&p->modes, n->n_reactions);
    bool *const is_reversible = malloc(((size_t)n->n_reactions + 1) * sizeof *is_reversible);
    bool ok = is_reversible || rd_fail(e, "there is no memory for the network");
    for (int i = 0; ok && i < n->n_reactions; i++)
        is_reversible[i] = n->reaction[i].is_reversible;
    ok = ok && compress(&p->core, n, e) && run(p, &v, o, e) && expand(p, &v, is_reversible, e);
    rd_elementary_free(&v);
    free(is_reversible);
    return ok && rd_modes_sort(&p->modes, e);
}

bool rd_pathways_find_plain(struct rd_pathways *p, const struct rd_network *n, FILE *steps,
                            struct rd_error *e)
{
    *p = (struct rd_pathways){.network = n};
    bool ok = rd_plain_find(&p->modes, n, steps, e) && compress(&p->core, n, e);
    if (ok && p->core.n > 0 && !rd_kernel_make(&p->kernel, &p->core))
        ok = rd_fail(e, "the coefficients of the nullspace do not fit; scale the network");
    return ok && rd_modes_sort(&p->modes, e);
}

/* Returns the column's direction in a mode: 1, -1, or 0 if it does not run. */
static int direction(const struct rd_pathways *p, int64_t mode, const struct rd_core_column *x)
{
    if (!rd_modes_has(&p->modes, mode, x->witness))
        return 0;
    const bool is_backward = rd_modes_is_backward(&p->modes, mode, x->witness);
    return is_backward == (rd_sparse_at(&x->origin, x->witness) < 0) ? 1 : -1;
}

/* Finds the loop that a mode is; NULL if it is none. */
static const struct rd_core_column *loop_of(const struct rd_pathways *p, int64_t mode)
{
    for (int i = 0; i < p->core.n_loops; i++)
        if (direction(p, mode, &p->core.loop[i]) != 0)
            return &p->core.loop[i];
    return NULL;
}

/* Adds times copies of a column to the flux; false if that does not fit. */
static bool add_column(int64_t *flux, const struct rd_core_column *x, int64_t times)
{
    for (int i = 0; i < x->origin.n; i++) {
        const struct rd_entry *const origin = &x->origin.entry[i];
        int64_t more;
        if (__builtin_mul_overflow(origin->value, times, &more) ||
            __builtin_add_overflow(flux[origin->at], more, &flux[origin->at]))
            return false;
    }
    return true;
}

/* Sets the flux of a mode of the core. */
static bool solve(const struct rd_pathways *p, int64_t mode, int64_t *flux)
{
    const struct rd_core *const c = &p->core;
    int64_t *const core = malloc(((size_t)c->n + 1) * sizeof *core);
    signed char *const way = malloc((size_t)c->n + 1);
    bool ok = core && way;
    for (int i = 0; ok && i < c->n; i++)
        way[i] = (signed char)direction(p, mode, &c->column[i]);
    ok = ok && rd_kernel_flux(&p->kernel, way, core);
    for (int i = 0; ok && i < c->n; i++)
        ok = (core[i] > 0) - (core[i] < 0) == way[i] && add_column(flux, &c->column[i], core[i]);
    free(core);
    free(way);
    return ok;
}

/* Returns whether the flux uses the reactions of the mode in their directions. */
static bool agrees(const struct rd_pathways *p, int64_t mode, const int64_t *flux)
{
    for (int i = 0; i < p->network->n_reactions; i++) {
        const bool is_backward = rd_modes_is_backward(&p->modes, mode, i);
        if ((flux[i] != 0) != rd_modes_has(&p->modes, mode, i) || (flux[i] < 0) != is_backward ||
            (is_backward && !p->network->reaction[i].is_reversible))
            return false;
    }
    return true;
}

/* Returns whether the flux leaves all internal species as they are. change is 0 before and after.
 */
static bool is_steady(const struct rd_network *n, const int64_t *flux, rd_int128 *change)
{
    bool is_zero = true;
    for (int i = 0; i < n->n_reactions; i++)
        for (int k = 0; flux[i] != 0 && k < n->reaction[i].net.n; k++) {
            const struct rd_entry *const x = &n->reaction[i].net.entry[k];
            is_zero = !__builtin_add_overflow(change[x->at], (rd_int128)flux[i] * x->value,
                                              &change[x->at]) &&
                      is_zero;
        }
    for (int i = 0; i < n->n_species; i++) {
        is_zero = is_zero && change[i] == 0;
        change[i] = 0;
    }
    return is_zero;
}

bool rd_pathways_flux(const struct rd_pathways *p, int64_t mode, int64_t *flux, struct rd_error *e)
{
    const struct rd_network *const n = p->network;
    const struct rd_core_column *const loop = loop_of(p, mode);
    memset(flux, 0, (size_t)n->n_reactions * sizeof *flux);
    if (!(loop ? add_column(flux, loop, direction(p, mode, loop)) : solve(p, mode, flux)))
        return rd_fail(e, "the coefficients of a mode do not fit into 64 bits; scale the network");
    rd_sparse_reduce(flux, n->n_reactions);
    rd_int128 *const change = calloc((size_t)n->n_species + 1, sizeof *change);
    const bool is_right = change && agrees(p, mode, flux) && is_steady(n, flux, change);
    free(change);
    return is_right || rd_fail(e, "a mode is not a steady state; please report this");
}

void rd_pathways_free(struct rd_pathways *p)
{
    rd_modes_free(&p->modes);
    rd_kernel_free(&p->kernel);
    rd_core_free(&p->core);
    *p = (struct rd_pathways){0};
}
