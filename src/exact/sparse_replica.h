/* sparse_replica - the state of one run in the exact solver if most voxels contain few species. */
#ifndef RD_EXACT_SPARSE_REPLICA_H
#define RD_EXACT_SPARSE_REPLICA_H

#include "exact/replica.h"

/* Returns whether the voxels of a run may be sparse. */
bool rd_sparse_replica_suits(const struct rd_world *w);
/* Returns whether the voxels of the run contain so few species that this is faster than full
   voxels, which take so many bytes. */
bool rd_sparse_replica_is_faster(const struct rd_world *w, int64_t run, size_t full_bytes);

/* Loads the counts of the run and computes the weights of voxels. Returns false with a fault. */
bool rd_sparse_replica_load(struct rd_replica *p);
void rd_sparse_replica_store(const struct rd_replica *p);

/* Packs the entries of a run that are in rows: those of the replica, or, if it is NULL, those of
   the world. Returns false if memory is short. */
bool rd_sparse_replica_pack(const struct rd_replica *p, const struct rd_world *w, int64_t run,
                            struct rd_packed_run *to);

/* Computes the weights of all voxels. Returns false, with a fault, if a propensity is impossible.
 */
bool rd_sparse_replica_refresh(struct rd_replica *p);
/* Changes counts and the weight of the voxel, as rd_replica_alter does. */
bool rd_sparse_replica_alter(struct rd_replica *p, int64_t site, const struct rd_reactant *change,
                             int32_t n, int32_t reaction);

/* Describes an event in a voxel: a hop of a molecule of the species, the face by u, uniform in
   [0, 1); or a reaction; or neither (-1). */
struct rd_chosen {
    int32_t species, reaction;
    double u;
};
/* Returns the event selected by aim, uniform in [0, weight of the site). It is neither a hop nor a
   reaction if aim passes all of them because of rounding. */
struct rd_chosen rd_sparse_replica_choose(const struct rd_replica *p, int64_t site, double aim);

#endif
