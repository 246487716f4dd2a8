/* direct_method - Gillespie's direct method with a dependency graph for one voxel with several
   reactions, on the CPU: after an event, only the propensities that depend on a changed count are
   computed again, and the sums of the blocks that contain them; all, if they are few products
   (few_products.h). The bytes are those of rd_react. */
#ifndef RD_CPU_DIRECT_METHOD_H
#define RD_CPU_DIRECT_METHOD_H

#include "kernels/passes/reactions/react.h"

struct rd_direct;

/* Sets the blocks of a group, whose sums are computed side by side, and its reactions. */
enum { RD_DIRECT_LANES = 8, RD_DIRECT_GROUP = RD_DIRECT_LANES * RD_REACTIONS_IN_BLOCK };

/* Returns the place of the propensity of a reaction: [group][place in block][block of the group].
 */
static inline int32_t rd_direct_place(int32_t reaction)
{
    return (reaction & ~(RD_DIRECT_GROUP - 1)) |
           reaction % RD_REACTIONS_IN_BLOCK * RD_DIRECT_LANES |
           reaction / RD_REACTIONS_IN_BLOCK % RD_DIRECT_LANES;
}

/* Returns whether voxels of the world can be simulated like this, and it is faster. */
bool rd_direct_suits(const struct rd_world *w);
/* Returns memory for one voxel after another, or NULL if there is none. */
struct rd_direct *rd_direct_open(const struct rd_world *w);
void rd_direct_close(struct rd_direct *d);
/* Drops the version for wide registers, as on a processor without them; for tests of the other. */
void rd_direct_use_narrow(struct rd_direct *d);
/* Does the same as rd_react_on, to the bit. */
void rd_direct_react_on(struct rd_direct *d, struct rd_ssa *ssa);
/* Simulates events of the voxel until the end of the pass; returns false before an event that is
   left to the plain body, for example since the largest number of events is reached. */
bool rd_direct_advance(struct rd_direct *d, struct rd_ssa *ssa);

/* Loads the counts of the voxel and simulates its events, without a change of the world. Returns
   false before an event that is left to the plain body. */
bool rd_direct_run(struct rd_direct *d, const struct rd_ssa *ssa);
/* Returns the counts of all species after the events. */
const int32_t *rd_direct_counts(const struct rd_direct *d);
/* Adds the numbers of events to those of the world, or drops them. */
void rd_direct_take_fired(struct rd_direct *d, bool adds);

/* Describes the events of one voxel after another: by the direct method if the world has enough
   reactions, otherwise by the plain body. */
struct rd_voxel_events {
    const struct rd_world *w;
    struct rd_direct *direct;   /* owned; opened for the first voxel that needs it */
    bool is_plain;              /* the plain body simulates all */
    struct rd_channel *channel; /* those of w, with the rates of the voxel's run; NULL: all runs
                                   have the same rates */
};

/* Returns the rates of a run, if these depend on the run. */
static inline const double *rd_vector_rates(const struct rd_world *w, int64_t run)
{
    const struct rd_reactions *const all = &w->reactions;
    return all->vector_rate + (run + all->runs_before) / all->runs_per_vector * all->n_reactions;
}

/* Sets the rates for the voxel that is simulated next. */
static inline void rd_voxel_events_aim(struct rd_voxel_events *x, int64_t voxel)
{
    if (!x->channel)
        return;
    const double *const rate = rd_vector_rates(x->w, rd_place_apart(&x->w->lattice, voxel).run);
    for (int32_t r = 0; r < x->w->reactions.n_reactions; r++)
        x->channel[r].rate = rate[r];
}

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
    rd_voxel_events_aim(x, voxel);
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
