/* voxel_events - the events of one voxel on the CPU: by the direct method with a dependency graph
   if the world has enough reactions, otherwise by the plain body. */
#ifndef RD_CPU_VOXEL_EVENTS_H
#define RD_CPU_VOXEL_EVENTS_H

#include "kernels/cpu/direct_method.h"
#include "kernels/passes/reactions/react.h"

struct rd_voxel_events {
    const struct rd_world *w;
    struct rd_direct *direct; /* owned; opened for the first voxel that needs it */
    bool is_plain;            /* the plain body simulates all */
};

static inline struct rd_voxel_events rd_voxel_events_begin(const struct rd_world *w)
{
    return (struct rd_voxel_events){.w = w, .is_plain = !rd_direct_suits(w)};
}

static inline void rd_voxel_events_end(struct rd_voxel_events *x)
{
    rd_direct_close(x->direct);
    x->direct = NULL;
}

/* Simulates the remaining events of the voxel, which involve no individuals. */
static inline void rd_voxel_events_go_on(struct rd_voxel_events *x, struct rd_ssa *ssa)
{
    if (!x->is_plain && !x->direct)
        x->direct = rd_direct_open(x->w);
    if (x->direct)
        rd_direct_react_on(x->direct, ssa);
    else
        rd_react_on(ssa);
}

/* Does the same as rd_react, to the bit. */
static inline void rd_voxel_events_react(struct rd_voxel_events *x, int64_t voxel)
{
    if (x->is_plain) {
        rd_react(x->w, voxel);
        return;
    }
    struct rd_ssa ssa;
    rd_ssa_open(&ssa, x->w, voxel);
    if (ssa.left > 0.0)
        rd_voxel_events_go_on(x, &ssa);
}

#endif
