/* shared_reactions - a block's copy of the reactions; its own file because two kernels use it. */
#ifndef RD_CUDA_PASSES_SHARED_REACTIONS_CUH
#define RD_CUDA_PASSES_SHARED_REACTIONS_CUH

#include "kernels/core/world.h"
#include "kernels/passes/reactions/block_sums.h"

enum { RD_SHARED_CHANNELS = 2 * RD_REACTIONS_IN_BLOCK, RD_SHARED_REACTANTS = 128 };

/* Holds the reactions: rates, regions, and reactants: those that multiply the rate, then those that
   only must be there. */
struct rd_shared_reactions {
    double rate[RD_SHARED_CHANNELS];
    int32_t region[RD_SHARED_CHANNELS];
    bool has_expression[RD_SHARED_CHANNELS];
    int32_t begin[RD_SHARED_CHANNELS], required[RD_SHARED_CHANNELS],
        end[RD_SHARED_CHANNELS]; /* in reactant[] */
    struct rd_reactant reactant[RD_SHARED_REACTANTS];
    bool fits; /* false: whether a voxel is quiet cannot be decided here */
};

/* Copies the reactions. All threads of the block call it. */
static inline __device__ void rd_share_reactions(struct rd_shared_reactions *r,
                                                 const struct rd_reactions *reactions)
{
    const bool fits = reactions->n_reactions <= RD_SHARED_CHANNELS &&
                      reactions->n_reactant <= RD_SHARED_REACTANTS;
    const int32_t n_reactant = (int32_t)reactions->n_reactant, stride = (int32_t)blockDim.x;
    if (threadIdx.x == 0)
        r->fits = fits;
    for (int32_t k = (int32_t)threadIdx.x; fits && k < reactions->n_reactions; k += stride) {
        const struct rd_channel *const c = &reactions->channel[k];
        r->rate[k] = c->rate;
        r->region[k] = c->region;
        r->has_expression[k] = c->expression_kind != RD_EXPRESSION_NONE;
        r->begin[k] = c->reactant;
        r->required[k] = c->required;
        r->end[k] = c->required + c->n_required;
    }
    for (int32_t i = (int32_t)threadIdx.x; fits && i < n_reactant; i += stride)
        r->reactant[i] = reactions->reactant[i];
}

#endif
