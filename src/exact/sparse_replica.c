/* sparse_replica - the state of one run in the exact solver if most voxels contain few species.
   Propensities are computed from the molecules whenever they are needed, for reactions with a
   reactant in the voxel; the results are those of voxels with all counts, bit for bit. */
#include "exact/sparse_replica.h"

#include "kernels/passes/reactions/react.h"
#include "kernels/passes/reactions/row_propensities.h"

#include <stdlib.h>

bool rd_sparse_replica_suits(const struct rd_world *w)
{
    return w->rows.n_keyed_first > 0 && w->lattice.n_sites > 1 && w->reactions.n_vector_rate == 0 &&
           w->counts.n_species <= 1 << 16;
}

/* Voxels that list their species are faster if there is at most one species in so many voxels, and
   if full voxels fill the caches of a core or have so many species and reactions. */
enum { VOXELS_OF_SPECIES = 2, CACHE_BYTES = 1 << 22, MANY_ITEMS = 32 };

bool rd_sparse_replica_is_faster(const struct rd_world *w, int64_t run, size_t full_bytes)
{
    if (rd_has_rows(w))
        return true;
    if (full_bytes < CACHE_BYTES && w->counts.n_species + w->reactions.n_reactions < MANY_ITEMS)
        return false;
    const int64_t most = w->lattice.n_sites / VOXELS_OF_SPECIES;
    int64_t n = 0;
    for (int32_t s = 0; n <= most && s < w->counts.n_species; s++) {
        const int32_t *const count =
            w->counts.count + s * w->lattice.n_voxels + run * w->lattice.n_sites;
        for (int64_t site = 0; site < w->lattice.n_sites; site++)
            n += count[site] != 0;
    }
    return n <= most;
}

/* Holds the molecules of a voxel, and all else that its expressions may need. */
struct here {
    struct rd_row_entry one;
    struct rd_eval_context at;
};

static void look_at_voxel(const struct rd_replica *p, int64_t site, struct here *here)
{
    const struct rd_world *const w = p->w;
    if (w->reactions.has_expressions) {
        const struct rd_place place = rd_place_of(&w->lattice, p->run * w->lattice.n_sites + site);
        here->at = rd_eval_context_of(w, &place);
        here->at.t = p->now;
    }
    here->at.row = rd_sparse_voxels_row(&p->sparse, site, &here->one, &here->at.n_row);
    here->at.column = NULL;
}

/* Goes through the reactions that may happen in a voxel, in canonical order. */
struct visit {
    uint64_t bits;
    struct rd_keys_here keys;
    int32_t reaction;
};

static void begin_visit(const struct rd_replica *p, const struct rd_eval_context *here,
                        struct visit *v)
{
    const uint64_t *const keyed = p->scheme->keyed;
    if (!keyed) {
        rd_keys_begin(p->w, here, 0, &v->keys);
        return;
    }
    v->bits = keyed[p->w->counts.n_species];
    for (int32_t i = 0; i < here->n_row; i++)
        v->bits |= keyed[here->row[i].species];
}

static bool next_visited(const struct rd_replica *p, struct visit *v)
{
    if (!p->scheme->keyed) {
        const bool is_there = rd_next_keyed(&v->keys, p->w->reactions.n_reactions);
        v->reaction = v->keys.reaction;
        return is_there;
    }
    if (v->bits == 0)
        return false;
    v->reaction = __builtin_ctzll(v->bits);
    v->bits &= v->bits - 1;
    return true;
}

static double sparse_propensity(const struct rd_replica *p, const struct rd_eval_context *here,
                                int64_t site, int32_t reaction)
{
    struct rd_channel copy;
    const struct rd_channel *const c = rd_replica_channel(p, reaction, &copy);
    return rd_is_in(&p->w->lattice, c->region, site) ? rd_row_propensity(p->w, c, here) : 0.0;
}

/* Sets the weight of the voxel. Reactions that are not visited have propensity 0, so that the sum
   is that over all reactions and species, bit for bit. */
static bool weigh_sparse(struct rd_replica *p, int64_t site)
{
    const double *const leave = rd_replica_leave(p, site);
    struct here around;
    struct visit v;
    look_at_voxel(p, site, &around);
    const struct rd_eval_context *const here = &around.at;
    double sum = 0.0;
    begin_visit(p, here, &v);
    while (next_visited(p, &v)) {
        const double a = sparse_propensity(p, here, site, v.reaction);
        if (!(a >= 0.0 && rd_is_finite(a)))
            return rd_replica_stop(p, RD_FAULT_PROPENSITY, site, v.reaction);
        sum += a;
    }
    for (int32_t i = 0; i < here->n_row; i++)
        sum += here->row[i].count * leave[here->row[i].species];
    rd_replica_weights(p, site / RD_TILE)[site % RD_TILE] = sum;
    return true;
}

struct rd_chosen rd_sparse_replica_choose(const struct rd_replica *p, int64_t site, double aim)
{
    const double *const leave = rd_replica_leave(p, site);
    struct here around;
    struct visit v;
    look_at_voxel(p, site, &around);
    const struct rd_eval_context *const here = &around.at;
    for (int32_t i = 0; i < here->n_row; i++) {
        const double share = here->row[i].count * leave[here->row[i].species];
        if (aim < share)
            return (struct rd_chosen){here->row[i].species, -1, aim / share};
        aim -= share;
    }
    begin_visit(p, here, &v);
    while (next_visited(p, &v)) {
        const double a = sparse_propensity(p, here, site, v.reaction);
        if (aim < a)
            return (struct rd_chosen){-1, v.reaction, 0.0};
        aim -= a;
    }
    return (struct rd_chosen){-1, -1, 0.0};
}

/* Adds molecules to a voxel, or removes them. */
static bool add_sparse(struct rd_replica *p, int64_t site, int32_t species, int32_t number)
{
    return rd_sparse_voxels_add(&p->sparse, site, species, number) ||
           rd_replica_stop(p, RD_FAULT_MEMORY, site, 0);
}

bool rd_sparse_replica_alter(struct rd_replica *p, int64_t site, const struct rd_reactant *change,
                             int32_t n, int32_t reaction)
{
    for (int32_t i = 0; i < n; i++) {
        const int64_t after =
            (int64_t)rd_sparse_voxels_count(&p->sparse, site, change[i].species) + change[i].number;
        if (after < 0)
            return rd_replica_stop(p, RD_FAULT_NEGATIVE, site, reaction);
        if (after > INT32_MAX)
            return rd_replica_stop(p, RD_FAULT_OVERFLOW, site, change[i].species);
    }
    for (int32_t i = 0; i < n; i++)
        if (!add_sparse(p, site, change[i].species, change[i].number))
            return false;
    return weigh_sparse(p, site);
}

/* Adds the molecules of arrays over all voxels. */
static bool add_world_arrays(struct rd_replica *p)
{
    const struct rd_world *const w = p->w;
    const int64_t base = p->run * w->lattice.n_sites;
    for (int32_t s = 0; s < w->counts.n_species; s++) {
        const int32_t column = rd_column_of(w, s);
        if (column < 0)
            continue;
        const int32_t *const count = w->counts.count + column * w->lattice.n_voxels + base;
        for (int64_t site = 0; site < w->lattice.n_sites; site++)
            if (count[site] != 0 && !add_sparse(p, site, s, count[site]))
                return false;
    }
    return true;
}

/* Adds the molecules of rows. */
static bool add_world_rows(struct rd_replica *p)
{
    const struct rd_world *const w = p->w;
    const struct rd_row *const row = w->rows.row + p->run * w->lattice.n_sites;
    for (int64_t site = 0; site < w->lattice.n_sites; site++)
        for (int32_t i = 0; i < row[site].n; i++) {
            const struct rd_row_entry x = w->rows.entry[row[site].begin + i];
            if (x.count != 0 && !add_sparse(p, site, x.species, x.count))
                return false;
        }
    return true;
}

bool rd_sparse_replica_load(struct rd_replica *p)
{
    rd_sparse_voxels_clear(&p->sparse);
    if (!add_world_arrays(p) || (rd_has_rows(p->w) && !add_world_rows(p)))
        return false;
    for (int64_t site = 0; site < p->w->lattice.n_sites; site++) {
        if (rd_sparse_voxels_at(&p->sparse, site)->size == 0 && !p->scheme->has_sources)
            rd_replica_weights(p, site / RD_TILE)[site % RD_TILE] = 0.0;
        else if (!weigh_sparse(p, site))
            return false;
    }
    return true;
}

void rd_sparse_replica_store(const struct rd_replica *p)
{
    const struct rd_world *const w = p->w;
    int32_t *const count = w->counts.count + p->run * w->lattice.n_sites;
    const int64_t n_columns = rd_has_rows(w) ? w->rows.n_columned : w->counts.n_species;
    for (int64_t column = 0; column < n_columns; column++)
        memset(count + column * w->lattice.n_voxels, 0, (size_t)w->lattice.n_sites * sizeof *count);
    for (int64_t site = 0; n_columns > 0 && site < w->lattice.n_sites; site++) {
        struct rd_row_entry one;
        int32_t n;
        const struct rd_row_entry *const row = rd_sparse_voxels_row(&p->sparse, site, &one, &n);
        for (int32_t i = 0; i < n; i++)
            if (rd_column_of(w, row[i].species) >= 0)
                count[rd_column_of(w, row[i].species) * w->lattice.n_voxels + site] = row[i].count;
    }
}

/* Appends the entries of a voxel that are in rows. */
static bool pack_voxel(const struct rd_world *w, int64_t voxel, const struct rd_row_entry *row,
                       int32_t n, struct rd_packed_run *to)
{
    if (to->n + n > to->capacity) {
        const int64_t capacity = to->n + to->n / 2 + n + 64;
        struct rd_outbox_entry *const more = realloc(to->entry, (size_t)capacity * sizeof *more);
        if (!more)
            return false;
        to->entry = more;
        to->capacity = capacity;
    }
    for (int32_t i = 0; i < n; i++)
        if (row[i].count != 0 && rd_column_of(w, row[i].species) < 0)
            to->entry[to->n++] =
                (struct rd_outbox_entry){(uint32_t)voxel, row[i].species, row[i].count};
    return true;
}

bool rd_sparse_replica_pack(const struct rd_replica *p, const struct rd_world *w, int64_t run,
                            struct rd_packed_run *to)
{
    bool ok = true;
    to->n = 0;
    for (int64_t site = 0; ok && site < w->lattice.n_sites; site++) {
        const int64_t voxel = run * w->lattice.n_sites + site;
        struct rd_row_entry one;
        int32_t n = w->rows.row[voxel].n;
        const struct rd_row_entry *const row =
            p->is_loaded ? rd_sparse_voxels_row(&p->sparse, site, &one, &n)
                         : w->rows.entry + w->rows.row[voxel].begin;
        ok = n == 0 || pack_voxel(w, voxel, row, n, to);
    }
    return ok;
}

bool rd_sparse_replica_refresh(struct rd_replica *p)
{
    for (int64_t site = 0; site < p->w->lattice.n_sites; site++)
        if ((rd_sparse_voxels_at(&p->sparse, site)->size > 0 || p->scheme->has_sources) &&
            !weigh_sparse(p, site))
            return false;
    return true;
}
