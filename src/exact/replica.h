/* replica - the state of one run in the exact solver. All data that an event in a voxel needs lie
   together in memory, or in rows if most voxels contain few species; weights are updated with the
   counts. No other file depends on the layout. */
#ifndef RD_EXACT_REPLICA_H
#define RD_EXACT_REPLICA_H

#include "exact/scheme.h"
#include "exact/sparse_voxels.h"
#include "exact/weighted_choice.h"
#include "kernels/core/rng.h"
#include "kernels/core/world.h"

/* Describes one voxel; its propensities follow the counts in memory. */
struct rd_voxel {
    double reacts;    /* sum of the propensities */
    uint32_t at_face; /* bit f: the voxel lies at face f of the lattice */
    int32_t count[];  /* [species] */
};

struct rd_replica {
    const struct rd_scheme *scheme;
    const struct rd_world *w; /* valid while a run is loaded */
    int64_t run;
    double *bound;   /* owned: [exchange]: at least the factor of its reactants in compartments */
    bool has_faces;  /* the tiles have them */
    bool is_loaded;  /* it has simulated the run that it took last */
    bool stopped;    /* by a fault, or by the stop condition */
    bool counts;     /* the totals of the run are updated with events */
    bool is_counted; /* the last event changed them, or may have */
    bool is_stale;   /* it changed one that propensities depend on */
    double now;      /* time of evaluation of expressions */
    int32_t invalid; /* a reaction whose propensity was negative or not finite as rd_replica_vary
                        found it; or -1 */
    struct rd_stream stream;
    struct rd_weighted_choice tiles;
    int32_t *choice; /* owned: memory of tiles */
    char *tile; /* for each tile its weights (events per time, 0 beyond the sites), then its voxels,
                   unless they are sparse */
    size_t tile_bytes, voxel_bytes, to_propensity;
    char *dense;    /* owned: memory for tiles with all counts and propensities */
    bool is_sparse; /* most voxels contain few species, or none */
    struct rd_sparse_voxels sparse;
};

/* Returns false if there is no memory. At most RD_TILE * INT32_MAX sites are possible. */
bool rd_replica_open(struct rd_replica *p, const struct rd_scheme *scheme,
                     const struct rd_world *w);
void rd_replica_close(struct rd_replica *p);
size_t rd_replica_memory(const struct rd_world *w);

/* Loads the counts of the run and computes propensities and weights; rd_replica_store writes the
   counts back. Expressions have the time `now`. Returns false, with a fault, if a propensity is not
   finite or negative. */
bool rd_replica_load(struct rd_replica *p, const struct rd_world *w, int64_t run, double now);
void rd_replica_store(const struct rd_replica *p);

/* Returns the hops per molecule and time out of the site, [species]. */
const double *rd_replica_leave(const struct rd_replica *p, int64_t site);

/* Changes the counts of the site, and updates propensities and weights that depend on them. Returns
   false, with a fault, if that is impossible. A count below 0 is a fault of the reaction. */
bool rd_replica_alter(struct rd_replica *p, int64_t site, const struct rd_reactant *change,
                      int32_t n, int32_t reaction);

/* Computes the propensities in the only voxel that vary with time or ODEs, and the sum of all that
   can happen in it. Negative ones count as 0. Returns false if one is not finite. */
bool rd_replica_vary(struct rd_replica *p, double *sum);

/* Stops the run with a fault; returns false. */
bool rd_replica_stop(struct rd_replica *p, int kind, int64_t site, int64_t what);

/* Returns the factor of the reactants in compartments of an exchange. Its propensities in voxels
   have the bound in its place. */
double rd_replica_factor(const struct rd_replica *p, const struct rd_exchange *x);
/* Renews the bounds that a change of the compartments has made too low or too high, and the
   propensities that depend on them. Returns false with a fault if that is impossible. */
bool rd_replica_renew_bounds(struct rd_replica *p);

/* Adds the changes of an event at the site to the totals of the run, if these are needed. It comes
   before rd_replica_alter, so that propensities are computed from the new totals. */
void rd_replica_count(struct rd_replica *p, int64_t site, const struct rd_reactant *change,
                      int32_t n);
/* Does the same for a hop from one site to another, which changes totals of regions only. */
void rd_replica_count_hop(struct rd_replica *p, int64_t from, int64_t to, int32_t species);
/* Computes all propensities that depend on totals again, if such a total has changed. Returns
   false, with a fault, if one is not finite or negative. */
bool rd_replica_refresh(struct rd_replica *p);

/* Returns the channel of a reaction in voxels; that of an exchange is copied to *copy, with a rate
   that contains the bound. */
static inline const struct rd_channel *rd_replica_channel(const struct rd_replica *p,
                                                          int32_t reaction, struct rd_channel *copy)
{
    const struct rd_channel *const channel = &p->w->reactions.channel[reaction];
    const int32_t exchange = p->w->exchanges.n_exchange > 0 ? p->scheme->exchange_of[reaction] : -1;
    if (exchange < 0)
        return channel;
    *copy = *channel;
    copy->rate = p->w->exchanges.exchange[exchange].rate * p->bound[exchange];
    return copy;
}

static inline double *rd_replica_weights(const struct rd_replica *p, int64_t tile)
{
    return (double *)(p->tile + (size_t)tile * p->tile_bytes);
}

static inline struct rd_voxel *rd_replica_voxel(const struct rd_replica *p, int64_t site)
{
    double *const weights = rd_replica_weights(p, site / RD_TILE);
    return (struct rd_voxel *)((char *)(weights + RD_TILE) +
                               (size_t)(site % RD_TILE) * p->voxel_bytes);
}

static inline double *rd_replica_propensities(const struct rd_replica *p, struct rd_voxel *c)
{
    return (double *)((char *)c + p->to_propensity);
}

/* Returns whether the site lies at the face of the lattice. */
static inline bool rd_replica_is_at(const struct rd_replica *p, int64_t site, int face)
{
    const uint32_t faces = p->is_sparse ? rd_sparse_voxels_at(&p->sparse, site)->at_face
                                        : rd_replica_voxel(p, site)->at_face;
    return (faces >> face & 1) != 0;
}

/* Prefetches the memory of a voxel. */
static inline void rd_replica_fetch(const struct rd_replica *p, int64_t site)
{
    __builtin_prefetch(&p->tiles.group[site / RD_TILE]);
    __builtin_prefetch(rd_replica_weights(p, site / RD_TILE));
    __builtin_prefetch(p->is_sparse ? (void *)rd_sparse_voxels_at(&p->sparse, site)
                                    : (void *)rd_replica_voxel(p, site));
}

#endif
