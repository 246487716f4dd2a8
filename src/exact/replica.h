/* replica - one run as the exact solver keeps it: all that an event in a voxel needs lies together,
   and weights follow the counts. Alone knows how that lies in memory. */
#ifndef RD_EXACT_REPLICA_H
#define RD_EXACT_REPLICA_H

#include "exact/weighted_choice.h"
#include "kernels/core/rng.h"
#include "kernels/core/world.h"

/* Neighbouring sites; their weights fill a cache line. */
enum { RD_TILE = 8 };

/* One voxel. Its propensities follow the counts. */
struct rd_voxel {
    double reacts;    /* sum of the propensities */
    uint32_t at_face; /* bit f: it lies at face f of the box */
    int32_t count[];  /* of each species */
};

/* What the tables say, as all replicas need it. */
struct rd_scheme {
    double *leave;   /* [zone or site][species]: hops per molecule and time */
    uint64_t *reads; /* [species][word]: bit r: reaction r's propensity depends on its count */
    int32_t n_words;
};

struct rd_replica {
    const struct rd_scheme *scheme;
    const struct rd_world *w; /* while it runs */
    int64_t run;
    bool stopped;    /* by a fault, or for good */
    bool counts;     /* the run's totals follow its events, */
    bool is_counted; /* and the last one changed them */
    struct rd_stream stream;
    struct rd_lottery tiles;
    char *tile; /* owned: each tile's weights (events per time, 0 beyond the sites), then voxels */
    size_t tile_bytes, voxel_bytes, to_propensity;
};

/* The scheme has room for w's tables; note takes over what they say now. */
bool rd_scheme_open(struct rd_scheme *x, const struct rd_world *w);
void rd_scheme_note(struct rd_scheme *x, const struct rd_world *w);
void rd_scheme_close(struct rd_scheme *x);
size_t rd_scheme_memory(const struct rd_world *w);

/* False if memory is out. At most RD_TILE * INT32_MAX sites. */
bool rd_replica_open(struct rd_replica *p, const struct rd_scheme *scheme,
                     const struct rd_world *w);
void rd_replica_close(struct rd_replica *p);
size_t rd_replica_memory(const struct rd_world *w);

/* Brings in the run's counts and all that follows from them; store takes the counts back. False,
   with a fault, if a law fails. */
bool rd_replica_load(struct rd_replica *p, const struct rd_world *w, int64_t run);
void rd_replica_store(const struct rd_replica *p);

/* How often a molecule of each species leaves the site per time. */
const double *rd_replica_leave(const struct rd_replica *p, int64_t site);

/* The counts of the site change, and all that depends on them. False, with a fault, if they
   cannot: a count below 0 is blamed on the reaction. */
bool rd_replica_alter(struct rd_replica *p, int64_t site, const struct rd_reactant *change,
                      int32_t n, int32_t reaction);

/* The totals of the run, if somebody asks for them, follow an event. */
static inline void rd_replica_count(struct rd_replica *p, const struct rd_reactant *change,
                                    int32_t n)
{
    if (!p->counts)
        return;
    for (int32_t i = 0; i < n; i++)
        p->w->total[change[i].species * p->w->n_runs + p->run] += change[i].number;
    p->is_counted = true;
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

#endif
