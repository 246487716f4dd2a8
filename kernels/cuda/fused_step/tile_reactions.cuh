/* tile_reactions - the reactions in the voxels of a tile: finds the voxels whose first event comes
   before the end of the pass, and applies the events. */
#ifndef RD_CUDA_FUSED_STEP_TILE_REACTIONS_CUH
#define RD_CUDA_FUSED_STEP_TILE_REACTIONS_CUH

#include "kernels/cuda/fused_step/tile.cuh"
#include "kernels/passes/reactions/ssa.h"

/* Returns the sum of propensities of a block as rd_propensity_sum does, if all propensities are
   products, up to the channel where it exceeds aim. It checks for faults only with REPORTS. */
template <bool REPORTS>
static __device__ __forceinline__ double
rd_tile_sum(const struct rd_fused_step &s, const struct rd_world &w, const struct rd_spot &p,
            uint32_t c, int32_t begin, int32_t end, double aim, int32_t *which)
{
    const struct rd_product *product = rd_tile_product(s) + begin;
    const int32_t *const count = rd_tile_count(s, 0, c);
    const int32_t bits = s.tiling.voxels_bits;
    double sum = 0.0;
    int32_t r;
#pragma unroll 1
    for (r = begin; r < end; r++, product++) {
        if (product->region >= 0 && !rd_is_in(&w.lattice, product->region, p.site))
            continue;
        double a = product->rate;
        const int32_t n = product->n_factors; /* seldom more than two; these are read together */
        const struct rd_factor f = product->factor[0], g = product->factor[1];
        const int32_t n_f = count[f.species << bits], n_g = count[g.species << bits];
        if (n > 0)
            a *= (double)n_f - f.less;
        if (n > 1)
            a *= (double)n_g - g.less;
#pragma unroll 1
        for (int32_t i = 2; i < n; i++) {
            const struct rd_factor more = product->factor[i];
            a *= (double)count[more.species << bits] - more.less;
        }
        if (REPORTS && !(a >= 0.0 && sum + a < INFINITY)) {
            rd_fault_at(&w, RD_FAULT_PROPENSITY, p.run * w.lattice.n_sites + p.site, r);
            continue;
        }
        sum += a;
        if (sum > aim)
            break;
    }
    *which = r;
    return sum;
}

/* Returns the sum of the propensities of two blocks. */
static __device__ __noinline__ double rd_tile_sum_of_two(const struct rd_fused_step *s,
                                                         const struct rd_world *w,
                                                         const struct rd_spot *p, uint32_t c)
{
    const int32_t n = w->reactions.n_reactions, end = rd_block_end(0, 1, n);
    int32_t none;
    const double first = rd_tile_sum<false>(*s, *w, *p, c, 0, end, INFINITY, &none);
    return first + rd_tile_sum<false>(*s, *w, *p, c, end, n, INFINITY, &none);
}

/* Returns whether an event happens in the voxel before the end of the pass, or a fault. */
template <bool LINE>
static __device__ __forceinline__ bool rd_tile_is_eventful(const struct rd_tile &t,
                                                           const struct rd_fused_step &s,
                                                           const struct rd_world &w, uint32_t c)
{
    const struct rd_spot p = rd_tile_spot<LINE>(t, s, w.lattice, c);
    const int32_t n = w.reactions.n_reactions;
    int32_t none;
    const double sum = n > RD_REACTIONS_IN_BLOCK
                           ? rd_tile_sum_of_two(&s, &w, &p, c)
                           : rd_tile_sum<false>(s, w, p, c, 0, n, INFINITY, &none);
    if (sum == 0.0)
        return false;
    const struct rd_tile_words words = rd_spot_call(w.lattice, s.react_keys, t.react_step, p, 0);
    return !rd_is_quiet(sum, rd_uniform_of(words.word[0], words.word[1]), w.pass.dt);
}

/* Changes the counts of the voxel by the reaction. Returns false, and records a fault, if a count
   would leave its range. */
static __device__ __forceinline__ bool rd_tile_fire(const struct rd_fused_step &s,
                                                    const struct rd_world &w,
                                                    const struct rd_spot &p, uint32_t c,
                                                    int32_t reaction)
{
    const struct rd_product *const product = &rd_tile_product(s)[reaction];
    int32_t *const count = rd_tile_count(s, 0, c);
    const int32_t bits = s.tiling.voxels_bits, n_changes = product->n_changes;
    for (int32_t i = 0; i < n_changes; i++) {
        const struct rd_reactant change = product->change[i];
        const int64_t n = (int64_t)count[change.species << bits] + change.number;
        if (n < 0 || n > INT32_MAX) {
            rd_fault_at(&w, n < 0 ? RD_FAULT_NEGATIVE : RD_FAULT_OVERFLOW,
                        p.run * w.lattice.n_sites + p.site, n < 0 ? reaction : change.species);
            return false;
        }
    }
    for (int32_t i = 0; i < n_changes; i++)
        count[product->change[i].species << bits] += product->change[i].number;
    rd_add_i64(
        &w.counts.fired[rd_sums_of(&w.lattice, p.run, p.site) * w.reactions.n_reactions + reaction],
        1);
    return true;
}

/* Draws the time of the next event from the sum of propensities, and the aim that selects its
   reaction. Returns false if there is none before the end of the pass, or with a fault. */
static __device__ __forceinline__ bool
rd_tile_draw_event(const struct rd_tile &t, const struct rd_fused_step &s, const struct rd_world &w,
                   const struct rd_spot &p, uint32_t draw, double sum, double *left, double *aim)
{
    if (!(sum > 0.0))
        return false;
    if (!(sum < INFINITY)) {
        rd_fault_at(&w, RD_FAULT_PROPENSITY, p.run * w.lattice.n_sites + p.site,
                    w.reactions.n_reactions - 1);
        return false;
    }
    const struct rd_tile_words words = rd_spot_call(w.lattice, s.react_keys, t.react_step, p, draw);
    const double u = rd_uniform_of(words.word[0], words.word[1]);
    if (rd_is_quiet(sum, u, *left))
        return false;
    *left += rd_log(u) / sum;
    *aim = rd_aim_below(rd_uniform_of(words.word[2], words.word[3]) * sum, sum);
    return *left > 0.0;
}

/* Finds the next event: sums each block, then sums the block of the event up to its reaction. The
   three sums share one piece of code, since instructions must be fetched in time. *which becomes
   the number of reactions if rounding finds none. Returns false if there is no event, or with a
   fault. */
static __device__ __forceinline__ bool
rd_tile_next_event(const struct rd_tile &t, const struct rd_fused_step &s, const struct rd_world &w,
                   const struct rd_spot &p, uint32_t c, uint32_t draw, double *left, int32_t *which)
{
    const int32_t n = w.reactions.n_reactions;
    struct rd_two_blocks sums = {0.0, 0.0, 0.0};
    double aim = INFINITY;
    for (int32_t begin = 0, end = rd_block_end(0, 1, n);;) {
        sums.last = rd_tile_sum<true>(s, w, p, c, begin, end, aim, which);
        if (aim < INFINITY) {
            *which = *which < end ? *which : n;
            return true;
        }
        sums.first = begin == 0 ? sums.last : sums.first;
        sums.all += sums.last;
        if (end < n) {
            begin = end;
            end = n;
            continue;
        }
        if (!rd_tile_draw_event(t, s, w, p, draw, sums.all, left, &aim))
            return false;
        begin = rd_is_in_first_block(&sums, &aim) ? 0 : RD_REACTIONS_IN_BLOCK;
        end = rd_block_end(begin, 1, n);
    }
}

/* Applies the events of a voxel that is kept apart, as rd_react does; each event takes the four
   words of a call. */
static __device__ __forceinline__ void rd_tile_ssa(const struct rd_tile &t,
                                                   const struct rd_fused_step &s,
                                                   const struct rd_world &w,
                                                   const struct rd_spot &p, uint32_t c)
{
    double left = w.pass.dt;
    int32_t which;
    for (uint32_t draw = 0; rd_tile_next_event(t, s, w, p, c, draw, &left, &which); draw++) {
        if (draw >= w.reactions.max_events) {
            rd_fault_at(&w, RD_FAULT_EVENTS, p.run * w.lattice.n_sites + p.site, which);
            return;
        }
        if (which == w.reactions.n_reactions || !rd_tile_fire(s, w, p, c, which))
            return;
    }
}

/* Lists the occupied voxels with events, and keeps them apart. */
template <bool LINE>
static __device__ __forceinline__ void rd_tile_find_events(const struct rd_tile &t,
                                                           const struct rd_fused_step &s,
                                                           const struct rd_world &w, int *n)
{
    const int lane = (int)threadIdx.x % 32, n_all = n[RD_N_OCCUPIED] + n[RD_N_SPECIAL];
#pragma unroll 1
    for (int i = (int)threadIdx.x; i - lane < n_all; i += RD_TILE_THREADS) {
        const bool is_one = i < n_all;
        const uint32_t c = is_one ? rd_tile_one_of_all(s, n, i) : 0;
        const bool is_eventful = is_one && rd_tile_is_eventful<LINE>(t, s, w, c);
        const bool is_deferred = is_eventful && rd_tile_is_apart(s, c);
        if (is_eventful)
            rd_tile_keep_apart(s, c);
        rd_tile_list(rd_tile_eventful(s), &n[RD_N_EVENTFUL], is_eventful,
                     is_deferred ? c | RD_IS_DEFERRED : c);
    }
}

#endif
