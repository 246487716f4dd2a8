/* fused_passes - which requested passes, scans and sorts the GPU does at once. It is C, so that
   tests without a GPU check it.

   update lists   MAINTAIN and all that follows up to REINDEX, with the scans, for all lists: in the
                  place of MAINTAIN
   sort by voxel  the sort of a list after a movement, and its INDEX: in the place of INDEX
   move and sort  MOVE of a list, that sort, and its INDEX: in the place of INDEX
   fused step     LAND, REACT and HOP of counted species, or some of them in this order: in the
   place of the last one. Consecutive fused steps can be one kernel. */
#ifndef RD_CUDA_BACKEND_FUSED_PASSES_H
#define RD_CUDA_BACKEND_FUSED_PASSES_H

#include "kernels/core/passes.h"
#include "kernels/core/world.h"

/* Limits of SORT_BY_VOXEL: voxels per individual, and individuals per voxel. */
enum { RD_SORT_VOXELS_MOST = 8, RD_SORT_LOAD_MOST = 4096 };

/* ---- lists ---- */

/* Returns whether SORT_BY_VOXEL suits the selected list: walls remove no individuals, and the
   density is neither very low nor very high. */
static inline bool rd_is_nearly_sorted(const struct rd_world *w)
{
    return w->counts.n_lost == 0 && w->lattice.n_voxels <= INT32_MAX &&
           w->lattice.n_voxels <= RD_SORT_VOXELS_MOST * w->lists.reach &&
           w->lists.reach <= RD_SORT_LOAD_MOST * w->lattice.n_voxels;
}

/* Returns whether MOVE_AND_SORT suits the selected list. The answer is the same at its MOVE and at
   its INDEX, since the host takes in new bounds of lists between steps only. */
static inline bool rd_is_moved_and_sorted(const struct rd_world *w)
{
    return rd_is_nearly_sorted(w) && w->lists.now.moves_alike && w->runs.n_frozen == 0;
}

/* Returns whether the pass belongs to the update of lists that MAINTAIN begins. */
static inline bool rd_is_of_update(enum rd_pass pass)
{
    switch (pass) {
    case RD_COUNT_RUN:
    case RD_ROLL_BACK:
    case RD_EXPAND:
    case RD_CHECK_MAXIMUM:
    case RD_PLACE_BIRTHS:
    case RD_REDUCE:
    case RD_REFILL:
    case RD_FINISH_LINEAGE:
    case RD_REINDEX:
        return true;
    default:
        return false;
    }
}

/* Returns what runs in the place of a requested pass: a fused pass, the pass itself, or RD_NO_PASS
   if a fused pass did it or will do it. *updates holds between calls whether an update of lists was
   done at its MAINTAIN; the scans that are requested while it holds are done, too. */
static inline enum rd_pass rd_fuse(const struct rd_world *w, enum rd_pass pass, bool *updates)
{
    *updates = pass == RD_MAINTAIN || (*updates && rd_is_of_update(pass));
    if (*updates)
        return pass == RD_MAINTAIN ? RD_UPDATE_LISTS : RD_NO_PASS;
    if (pass == RD_MOVE && rd_is_moved_and_sorted(w))
        return RD_NO_PASS;
    if (pass == RD_INDEX && rd_is_nearly_sorted(w))
        return rd_is_moved_and_sorted(w) ? RD_MOVE_AND_SORT : RD_SORT_BY_VOXEL;
    return pass;
}

/* Returns whether a fused pass does the sort of the selected list. */
static inline bool rd_fuses_sort(const struct rd_world *w)
{
    return w && rd_is_nearly_sorted(w);
}

/* ---- the fused step ---- */

/* Returns whether a fused step can do the pass; `reacts`: it can do the reactions of this model. */
static inline bool rd_is_of_fused_step(const struct rd_world *w, enum rd_pass pass, bool reacts)
{
    return pass == RD_LAND || (pass == RD_HOP && !w->movement.has_uniformised_walks) ||
           (pass == RD_REACT && reacts);
}

/* Returns whether such a pass cannot follow those that are held in one fused step. */
static inline bool rd_begins_fused_step(bool has_land, bool has_react, enum rd_pass pass)
{
    return has_react ? pass != RD_HOP : has_land && pass == RD_LAND;
}

#endif
