/* row_targets - where molecules in rows go that move by displacements; for those that are sent when
   they are linked, and with the others of their voxel. */
#ifndef RD_CUDA_PASSES_ROW_TARGETS_CUH
#define RD_CUDA_PASSES_ROW_TARGETS_CUH

#include "kernels/cuda/passes/draw_leavers.cuh"

/* Holds the parameters that are the same for all blocks. */
struct rd_row_parameters {
    struct rd_draw_parameters draw;
    struct rd_keys where;
};

static inline struct rd_row_parameters rd_row_parameters_of(const struct rd_world *w)
{
    struct rd_row_parameters s;
    s.draw.by = rd_divided_of(w->lattice.size, w->lattice.n_sites);
    s.draw.stay = rd_keys_of(w->pass.seed, RD_FOR_STAY, w->pass.part);
    s.draw.walk = rd_keys_of(w->pass.seed, RD_FOR_WALK, w->pass.part);
    s.where = rd_keys_of(w->pass.seed, RD_FOR_WHERE, w->pass.part);
    return s;
}

/* Returns the voxel to which a leaver moves by displacements, or -1 if a wall takes it, which is
   then counted as lost. It is for all places. */
static __device__ __noinline__ int64_t find_target(const struct rd_world *w, uint32_t voxel,
                                                   int32_t species, uint32_t number)
{
    struct rd_hop_state h;
    uint32_t word[4];
    rd_hop_state_begin(&h, w, voxel);
    rd_hop_state_aim(&h, species);
    h.n_drawn = number;
    const struct rd_stream where = rd_hop_stream(w, &h.p, RD_FOR_WHERE);
    rd_stream_call(&where, number, word);
    return rd_target_of_one(&h, word);
}

/* Bounds the error of the thresholds below beside those of rd_departure_of. */
#define WAY_MARGIN 1e-12

/* Returns what rd_way does, if the probabilities of leaving along the axes are q; -1 if the word
   equals a threshold or is next to it. Nothing is divided. */
static __device__ __forceinline__ int choose_way(const double q[3], uint32_t word)
{
    const double all = rd_departure_probability(q);
    const double least = (double)word * all * (1.0 - WAY_MARGIN);
    const double most = ((double)word + 1.0) * all * (1.0 + WAY_MARGIN);
    double sum = 0.0;
    int n = 0, last = 0;
    bool is_near = false;
#pragma unroll
    for (int k = 0; k < RD_N_MOVES; k++) {
        const uint32_t bits = rd_departure_axes(k);
        double probability = 1.0;
        for (int axis = 0; axis < 3; axis++)
            probability *= bits >> axis & 1 ? q[axis] : 1.0 - q[axis];
        sum += probability;
        last = probability > 0.0 ? k : last;
        if (k == RD_N_MOVES - 1)
            break;
        const double threshold = sum * 4294967296.0;
        n += threshold < least;
        is_near = is_near || (threshold >= least && threshold <= most);
    }
    return is_near ? -1 : n < last ? n : last;
}

/* Returns what find_target does; -1 also if the first word is next to a threshold. Nothing is
   counted. */
static __device__ __forceinline__ int64_t find_near_target(const struct rd_world &w,
                                                           const struct rd_row_parameters &s,
                                                           const struct rd_drawn_voxel &from,
                                                           int3 at, int32_t species,
                                                           uint32_t number)
{
    const struct rd_transport *const m = &w.movement.transport[species];
    const struct rd_displacement *displacement[3];
    const uint4 words = rd_words_near(s.where, number, from.site, w.pass.step_clock->step,
                                      (uint32_t)w.lattice.first_run + from.run, 0);
    const uint32_t word[3] = {words.y, words.z, words.w};
    int32_t to[3] = {at.x, at.y, at.z};
    double q[3];
#pragma unroll
    for (int axis = 0; axis < 3; axis++) {
        displacement[axis] = rd_displacement_at(&w.movement, &m->axis_table[axis], to[axis]);
        q[axis] = displacement[axis]->leave;
    }
    const int way = choose_way(q, words.x);
    bool is_lost = way < 0;
    const uint32_t axes = is_lost ? 0 : rd_departure_axes(way);
#pragma unroll
    for (int axis = 0; axis < 3; axis++) {
        if ((axes >> axis & 1) == 0)
            continue;
        const int32_t shift = rd_shift(&w.movement, displacement[axis], word[axis]);
        const int32_t size = w.lattice.size[axis];
        is_lost = is_lost || rd_is_lost(shift);
        to[axis] += shift;
        if ((uint32_t)to[axis] >= (uint32_t)size && !is_lost)
            to[axis] = rd_wrap(to[axis], size);
    }
    if (is_lost)
        return -1;
    return (int64_t)from.run * w.lattice.n_sites + (uint32_t)to[2] * s.draw.by.stride[2] +
           (uint32_t)to[1] * s.draw.by.stride[1] + (uint32_t)to[0];
}

/* Returns the voxel to which a leaver moves, or -1 if a wall takes it, which is then counted as
   lost. */
static __device__ __forceinline__ int64_t rd_row_target(const struct rd_world &w,
                                                        const struct rd_row_parameters &s,
                                                        const struct rd_drawn_voxel &from, int3 at,
                                                        int32_t species, uint32_t number)
{
    const int64_t to = find_near_target(w, s, from, at, species, number);
    return to >= 0 ? to : find_target(&w, from.voxel, species, number);
}

#endif
