/* maintain - maintain population: applies the events of one voxel to its individuals, in their
   order. It marks the dead and stores the newborn; the list itself does not change yet. */
#ifndef RD_PASSES_LISTS_MAINTAIN_H
#define RD_PASSES_LISTS_MAINTAIN_H

#include "kernels/passes/lists/rollback.h"
#include "kernels/passes/reactions/react.h"

/* Clears death marks; sets the segment flag of the voxel for the scan over voxels. */
RD_FN void rd_maintain_open(const struct rd_world *w, const struct rd_list *l, int64_t voxel)
{
    const int64_t c = l->voxels + voxel;
    const int64_t begin = l->base + w->lists.first[c], end = l->base + w->lists.first[c + 1];
    for (int64_t i = begin; i < end; i++)
        w->lists.offset[i] = 0;
    w->lists.flag[c + 1] = begin < end;
    if (voxel == w->lattice.n_voxels - 1) /* the end behind the last voxel */
        w->lists.births[c + 1] = w->lists.named[c + 1] = 0;
}

/* Numbers the newborn that are alive at the end, in the order of the members. */
RD_FN void rd_maintain_close(const struct rd_ssa *ssa, const struct rd_list *l)
{
    const struct rd_world *const w = ssa->w;
    const int64_t c = l->voxels + ssa->p.voxel;
    if (w->lists.births[c] == 0)
        return;
    const int64_t n = *rd_alive(ssa, l);
    int32_t n_newborn = 0;
    for (int64_t k = 0; k < n; k++) {
        const uint32_t member = *rd_members_at(&w->lists, l, ssa->p.voxel, k);
        if (rd_is_newborn(member))
            rd_newborn_of(&w->lists, l, ssa->p.voxel, member)->place = n_newborn++;
    }
    w->lists.births[c] = n_newborn;
}

/* Applies the events of a touched voxel to its members. */
RD_FN void rd_maintain_events(const struct rd_world *w, int64_t voxel)
{
    struct rd_ssa ssa;
    rd_ssa_open(&ssa, w, voxel);
    rd_ssa_cast(&ssa, true);
    for (int32_t which; rd_next_event(&ssa, &which);) {
        if (!rd_can_fire(&ssa, which) || !rd_apply_event(&ssa, which))
            return;
        rd_change_counts(&ssa, which, false);
        rd_count_fired(&ssa, which);
    }
    for (int64_t i = 0; i < w->lists.n_list; i++)
        rd_maintain_close(&ssa, &w->lists.list[i]);
}

/* Assigns room for the newborn of the list in the voxel. If faults_are_separate is set, they are
   marked as not alive until they are born, since some may not be. */
RD_FN void rd_maintain_capacity(const struct rd_world *w, const struct rd_list *l, int64_t voxel,
                                int64_t from)
{
    const int64_t c = l->voxels + voxel;
    w->lists.capacity[c] = (int32_t)from;
    for (int64_t k = 0; w->runs.faults_are_separate && k < w->lists.births[c]; k++)
        w->lists.newborn[from + k].place = -1;
}

/* Prepares a voxel and, if it is touched, applies its events to its individuals. */
RD_FN void rd_maintain(const struct rd_world *w, int64_t voxel)
{
    for (int64_t i = 0; i < w->lists.n_list; i++)
        rd_maintain_open(w, &w->lists.list[i], voxel);
    if (!w->lists.touched[voxel])
        return;
    for (int64_t i = 0; i < w->lists.n_list; i++) {
        const int32_t n = w->lists.births[w->lists.list[i].voxels + voxel];
        if (n > 0)
            rd_maintain_capacity(w, &w->lists.list[i], voxel,
                                 rd_add_i64(&w->lists.need->n_newborn, n));
    }
    rd_maintain_events(w, voxel);
    if (w->runs.faults_are_separate)
        rd_count_in(w, voxel);
}

#endif
