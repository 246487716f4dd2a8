/* shared_reactions - a block's copy of the reactions; its own file because two kernels use it. */
#ifndef RD_CUDA_PASSES_SHARED_REACTIONS_CUH
#define RD_CUDA_PASSES_SHARED_REACTIONS_CUH

#include "kernels/core/world.h"
#include "kernels/passes/reactions/block_sums.h"

enum { RD_SHARED_CHANNELS = 2 * RD_REACTIONS_IN_BLOCK, RD_SHARED_REACTANTS = 128 };

/* Holds the reactions by mass action: rates, regions and reactants. */
struct rd_shared_reactions {
    double rate[RD_SHARED_CHANNELS];
    int32_t region[RD_SHARED_CHANNELS];
    int32_t end[RD_SHARED_CHANNELS]; /* of its reactants in reactant[] */
    struct rd_reactant reactant[RD_SHARED_REACTANTS];
    bool fits; /* false: whether a voxel is quiet cannot be decided here */
};

static inline __device__ void rd_find_near(struct rd_shared_reactions *r,
                                           const struct rd_reactions *reactions)
{
    r->fits = !reactions->has_expressions && reactions->n_reactions <= RD_SHARED_CHANNELS &&
              reactions->n_reactant <= RD_SHARED_REACTANTS;
    int32_t n = 0;
    for (int32_t k = 0; r->fits && k < reactions->n_reactions; k++) {
        const struct rd_channel *const c = &reactions->channel[k];
        r->rate[k] = c->rate;
        r->region[k] = c->region;
        for (int32_t i = 0; i < c->n_reactants; i++)
            r->reactant[n++] = reactions->reactant[c->reactant + i];
        r->end[k] = n;
    }
}

#endif
