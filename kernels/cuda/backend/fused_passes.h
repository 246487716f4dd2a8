/* fused_passes - the fused passes of the GPU; separate because tests without a GPU check it. */
#ifndef RD_CUDA_BACKEND_FUSED_PASSES_H
#define RD_CUDA_BACKEND_FUSED_PASSES_H

#include "kernels/core/passes.h"
#include "kernels/core/world.h"

/* Limits of SORT_BY_VOXEL: voxels per individual, and individuals per voxel. */
enum { RD_SORT_VOXELS_MOST = 8, RD_SORT_LOAD_MOST = 4096 };

/* Returns whether SORT_BY_VOXEL suits the selected list: walls remove no individuals, and the
   density is neither very low nor very high. */
static inline bool rd_is_nearly_sorted(const struct rd_world *w)
{
    return w->counts.n_lost == 0 && w->lattice.n_voxels <= INT32_MAX &&
           w->lattice.n_voxels <= RD_SORT_VOXELS_MOST * w->lists.reach &&
           w->lists.reach <= RD_SORT_LOAD_MOST * w->lattice.n_voxels;
}

/* Returns whether MOVE_AND_SORT suits the selected list, too: it moves by displacement
   distributions that are the same everywhere, and no run may be frozen. */
static inline bool rd_is_moved_alike(const struct rd_run_status *runs,
                                     const struct rd_transport *transport)
{
    bool is_alike = transport->kind == RD_MOVE_DISPLACEMENTS && runs->n_frozen == 0;
    for (int axis = 0; axis < 3; axis++)
        is_alike = is_alike && transport->axis_table[axis].reach == 0;
    return is_alike;
}

/* Returns the fused pass that includes this pass; see `fused` of struct rd_backend. */
static inline enum rd_pass rd_fused_pass(const struct rd_world *w,
                                         const struct rd_transport *transport, enum rd_pass pass)
{
    if (pass == RD_MAINTAIN)
        return RD_UPDATE_LISTS;
    if ((pass != RD_MOVE && pass != RD_INDEX) || !rd_is_nearly_sorted(w))
        return pass;
    if (rd_is_moved_alike(&w->runs, transport))
        return RD_MOVE_AND_SORT;
    return pass == RD_INDEX ? RD_SORT_BY_VOXEL : pass;
}

#endif
