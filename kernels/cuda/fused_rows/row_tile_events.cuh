/* row_tile_events - the reactions in the voxels of a tile, for fused steps of rare species. A lane
   decides by a bound whether reactions may happen in a voxel; then a warp simulates the voxel. */
#ifndef RD_CUDA_FUSED_ROWS_ROW_TILE_EVENTS_CUH
#define RD_CUDA_FUSED_ROWS_ROW_TILE_EVENTS_CUH

#include "kernels/cuda/fused_rows/row_tile.cuh"
#include "kernels/cuda/passes/row_events.cuh"
#include "kernels/passes/reactions/react_rows.h"

/* ---- candidates ---- */

/* Returns rd_row_propensity_bound of the voxel with these words. */
static __device__ __forceinline__ double
rd_bound_words(const struct rd_row_steps &k, const uint32_t *word, uint32_t begin, uint32_t end)
{
    const struct rd_row_bound *const bound = k.world.rows.bound;
    double alone = bound[k.world.counts.n_species].alone, together = 0.0;
    uint32_t all = 0;
#pragma unroll 1
    for (uint32_t i = begin; i < end; i++) {
        const uint32_t n = rd_word_count(word[i]);
        if (n == 0)
            continue;
        const struct rd_row_bound b = bound[rd_word_species(k, word[i])];
        alone += n * b.alone;
        together += n * b.together;
        all += n;
    }
    return all > 1 ? alone + together * (double)(all - 1) : alone;
}

/* Returns the count of the species in a voxel with these words. */
static __device__ __forceinline__ double rd_count_in_words(const struct rd_row_steps &k,
                                                           const uint32_t *word, uint32_t begin,
                                                           uint32_t end, int32_t species)
{
    uint32_t n = 0;
#pragma unroll 1
    for (uint32_t i = begin; i < end; i++)
        n += rd_word_species(k, word[i]) == species ? rd_word_count(word[i]) : 0;
    return (double)n;
}

/* Returns the sum over the reactions in the list of the species; INFINITY if one of them is no
   product of two counts. */
static __device__ __forceinline__ double rd_sum_listed(const struct rd_row_steps &k, uint32_t site,
                                                       const uint32_t *word, uint32_t begin,
                                                       uint32_t end, int32_t species)
{
    const int32_t last = k.world.rows.keyed_first[species + 1];
    double sum = 0.0;
#pragma unroll 1
    for (int32_t i = k.world.rows.keyed_first[species]; i < last; i++) {
        const struct rd_row_key key = k.world.rows.keyed[i];
        if (!rd_is_in(&k.world.lattice, key.region, site))
            continue;
        double a = key.species[0] == RD_NO_PRODUCT ? INFINITY : key.rate;
        if (key.species[0] >= 0) {
            const double n = rd_count_in_words(k, word, begin, end, key.species[0]);
            a *= n;
            if (key.species[1] >= 0)
                a *= key.species[1] == key.species[0]
                         ? n - 1.0
                         : rd_count_in_words(k, word, begin, end, key.species[1]);
        }
        sum += a;
    }
    return sum;
}

/* Returns the sum over all reactions of the voxel, in any order. */
static __device__ __forceinline__ double rd_sum_words(const struct rd_row_steps &k, uint32_t site,
                                                      const uint32_t *word, uint32_t begin,
                                                      uint32_t end)
{
    double sum = rd_sum_listed(k, site, word, begin, end, k.world.counts.n_species);
#pragma unroll 1
    for (uint32_t i = begin; i < end; i++)
        if (rd_word_count(word[i]) > 0)
            sum += rd_sum_listed(k, site, word, begin, end, rd_word_species(k, word[i]));
    return sum;
}

/* Returns whether no reaction happens in the voxel, as the sum, or a bound of it, shows. */
static __device__ __forceinline__ bool rd_is_quiet_voxel(const struct rd_row_steps &k,
                                                         const struct rd_row_tile *t,
                                                         const struct rd_spot &p, double sum)
{
    if (sum == 0.0)
        return true;
    const uint4 words = rd_words_near(k.event, 0, p.site, t->react_step,
                                      (uint32_t)k.world.lattice.first_run + p.run, 0);
    return rd_is_quiet(sum * SUM_MARGIN, rd_uniform_of(words.x, words.y), t->react_dt);
}

/* Lists the voxel, in place of a leaver, if its bound does not show that it is quiet. */
static __device__ __forceinline__ void rd_list_by_bound(const struct rd_row_steps &k,
                                                        struct rd_row_tile *t, uint32_t c,
                                                        const uint32_t *word, uint32_t begin,
                                                        uint32_t end)
{
    if (rd_is_quiet_voxel(k, t, rd_row_spot(k, *t, c), rd_bound_words(k, word, begin, end)))
        return;
    const uint32_t at = atomicAdd(&t->n_leavers, 1u);
    if (at < k.layout.n_leavers)
        rd_row_leaver(k)[at] = c;
    else
        t->fails = 1;
}

/* Makes those of the listed voxels candidates whose sum does not show that they are quiet. All
   threads of the block call it, after a barrier. */
static __device__ __forceinline__ void rd_choose_candidates(const struct rd_row_steps &k,
                                                            struct rd_row_tile *t)
{
    const uint32_t *const word = rd_row_words(k, t->side);
    const uint32_t n = t->n_leavers < k.layout.n_leavers ? t->n_leavers : k.layout.n_leavers;
#pragma unroll 1
    for (uint32_t i = threadIdx.x; i < n; i += RD_ROW_THREADS) {
        const uint32_t c = rd_row_leaver(k)[i], end = rd_row_end(k)[c];
        const uint32_t begin = c > 0 ? rd_row_end(k)[c - 1] : 0;
        const struct rd_spot p = rd_row_spot(k, *t, c);
        if (rd_is_quiet_voxel(k, t, p, rd_sum_words(k, p.site, word, begin, end)))
            continue;
        rd_row_candidate(k)[atomicAdd(&t->n_candidates, 1u)] = (uint16_t)c;
        atomicOr(&rd_row_is_candidate(k)[c / 32], 1u << c % 32);
    }
}

/* Sorts the words of each voxel by species, and lists the voxels in which reactions may happen by
   their bound. All threads of the block call it, after a barrier; it ends with one. */
static __device__ __forceinline__ void rd_order_voxels(const struct rd_row_steps &k,
                                                       struct rd_row_tile *t, bool reacts)
{
    uint32_t *const word = rd_row_words(k, t->side);
    const bool has_sources = reacts && k.world.rows.source_regions != 0;
#pragma unroll 1
    for (uint32_t i = threadIdx.x; i < t->n_sorted; i += RD_ROW_THREADS) {
        if (!rd_is_first_of_voxel(k, word, i))
            continue;
        const uint32_t c = rd_word_voxel(k, word[i]), end = rd_row_end(k)[c];
        if (!rd_order_voxel(word, i, end))
            t->fails = 1;
        if (reacts)
            rd_list_by_bound(k, t, c, word, i, end);
    }
#pragma unroll 1
    for (uint32_t c = threadIdx.x; has_sources && c < 1u << k.tiling.voxels_bits;
         c += RD_ROW_THREADS) {
        const uint32_t end = rd_row_end(k)[c];
        const struct rd_spot p = rd_row_spot(k, *t, c);
        if (end == (c > 0 ? rd_row_end(k)[c - 1] : 0) && rd_is_in_lattice(k, p) &&
            rd_has_source(&k.world, rd_row_voxel(k, p)))
            rd_list_by_bound(k, t, c, word, end, end);
    }
    __syncthreads();
}

/* ---- possible reactions ---- */

/* Holds an entry of the voxel that a warp simulates, one in each lane. */
struct rd_lane_entry {
    int32_t species, count;
};

/* Returns the number of molecules of the species in the first n lanes, which is the same for all
   lanes. All lanes of a warp call it. */
static __device__ __forceinline__ int32_t rd_count_in_lanes(const struct rd_lane_entry &own,
                                                            int32_t n, int32_t species)
{
    const unsigned all = __ballot_sync(~0u, own.species == species && (int)threadIdx.x % 32 < n);
    return all == 0 ? 0 : __shfl_sync(~0u, own.count, __ffs((int)all) - 1);
}

/* Returns the propensity of a reaction of mass action that is no product of two counts. All lanes
   of a warp call it. */
static __device__ __noinline__ double rd_other_propensity(const struct rd_reactions *reactions,
                                                          int32_t reaction,
                                                          struct rd_lane_entry own, int32_t n)
{
    const struct rd_channel *const c = &reactions->channel[reaction];
    double a = c->rate;
    for (int32_t i = 0; i < c->n_reactants; i++) {
        const struct rd_reactant r = reactions->reactant[c->reactant + i];
        const double number = (double)rd_count_in_lanes(own, n, r.species);
        for (int32_t k = 0; k < r.number; k++)
            a *= number - (double)k;
    }
    return a;
}

/* Returns rd_key_product of each lane's reaction, with the entries in the first n lanes. All lanes
   of a warp call it. */
static __device__ __forceinline__ double
rd_product_in_lanes(const struct rd_row_key &key, const struct rd_lane_entry &own, int32_t n)
{
    int32_t first = 0, second = 0;
#pragma unroll 1
    for (int32_t i = 0; i < n; i++) {
        const int32_t species = __shfl_sync(~0u, own.species, i);
        const int32_t count = __shfl_sync(~0u, own.count, i);
        first = species == key.species[0] ? count : first;
        second = species == key.species[1] ? count : second;
    }
    if (key.species[0] == RD_NO_REACTANT)
        return key.rate;
    const double a = key.rate * (double)first;
    if (key.species[1] == RD_NO_REACTANT)
        return a;
    return a * (key.species[1] == key.species[0] ? (double)first - 1.0 : (double)second);
}

/* Returns the propensity of each lane's reaction, 0 for lanes without one. All lanes of a warp call
   it. */
static __device__ __forceinline__ double
rd_propensity_in_lanes(const struct rd_row_steps &k, uint32_t site, const struct rd_row_key &key,
                       bool is_one, const struct rd_lane_entry &own, int32_t n)
{
    const bool is_here = is_one && rd_is_in(&k.world.lattice, key.region, site);
    double a = rd_product_in_lanes(key, own, n);
    unsigned others = __ballot_sync(~0u, is_here && key.species[0] == RD_NO_PRODUCT);
    for (; others != 0; others &= others - 1) {
        const int lane = __ffs((int)others) - 1;
        const double other =
            rd_other_propensity(&k.world.reactions, __shfl_sync(~0u, key.reaction, lane), own, n);
        a = (int)threadIdx.x % 32 == lane ? other : a;
    }
    return is_here ? a : 0.0;
}

/* Returns the place of item f in the lists of the lanes, which one after another take the items
   up_to - n ... up_to - 1 and begin at `first`. All lanes of a warp call it. */
static __device__ __forceinline__ int32_t rd_find_item(int32_t f, int32_t first, int32_t n,
                                                       int32_t up_to, int32_t n_lists)
{
    const int32_t begin = up_to - n;
    int32_t at = 0;
#pragma unroll 1
    for (int32_t i = 0; i < n_lists; i++) {
        const int32_t from = __shfl_sync(~0u, first - begin, i);
        at = f >= __shfl_sync(~0u, begin, i) ? from + f : at;
    }
    return at;
}

/* Appends the possible reactions of the lanes, whose propensity is a, or 0, to the n listed ones.
   Returns their number then, or -1 if they are too many, or something is invalid. All lanes of a
   warp call it. */
static __device__ __forceinline__ int32_t rd_append_possible(struct rd_row_possible *possible,
                                                             int32_t n, int32_t reaction, double a)
{
    const unsigned all = __ballot_sync(~0u, a != 0.0), lane = threadIdx.x % 32;
    const int32_t at = n + __popc(all & ((1u << lane) - 1));
    n += __popc(all);
    if (__any_sync(~0u, a != 0.0 && !(a > 0.0 && a < INFINITY)) || n > RD_ROW_POSSIBLE)
        return -1;
    if (a != 0.0) {
        possible->reaction[at] = reaction;
        possible->propensity[at] = a;
    }
    return n;
}

/* Sorts the n possible reactions in canonical order. All lanes of a warp call it. */
static __device__ __forceinline__ void rd_sort_possible(struct rd_row_possible *possible, int32_t n)
{
    const int32_t lane = (int32_t)threadIdx.x % 32;
    const int32_t reaction = lane < n ? possible->reaction[lane] : INT32_MAX;
    const double a = lane < n ? possible->propensity[lane] : 0.0;
    int32_t rank = 0;
#pragma unroll 1
    for (int32_t i = 0; i < n; i++)
        rank += __shfl_sync(~0u, reaction, i) < reaction;
    __syncwarp();
    if (lane < n) {
        possible->reaction[rank] = reaction;
        possible->propensity[rank] = a;
    }
    __syncwarp();
}

/* Lists the possible reactions of the voxel in canonical order, as rd_find_possible does. Returns
   their number, or -1 if they are too many, or something is invalid. All lanes of a warp call
   it. */
static __device__ __forceinline__ int32_t rd_list_possible(const struct rd_row_steps &k,
                                                           struct rd_row_possible *possible,
                                                           uint32_t site,
                                                           const struct rd_lane_entry &own,
                                                           int32_t n)
{
    const struct rd_rows &rows = k.world.rows;
    const int32_t lane = (int32_t)threadIdx.x % 32;
    int32_t first = 0, length = 0, n_possible = 0;
    if (lane == n || (lane < n && own.count > 0)) {
        const int32_t species = lane == n ? k.world.counts.n_species : own.species;
        first = rows.keyed_first[species];
        length = rows.keyed_first[species + 1] - first;
    }
    const int32_t up_to = rd_sum_up_to_lane(length), all = __shfl_sync(~0u, up_to, 31);
#pragma unroll 1
    for (int32_t begin = 0; begin < all && n_possible >= 0; begin += 32) {
        const int32_t at = rd_find_item(begin + lane, first, length, up_to, n + 1);
        const bool is_one = begin + lane < all;
        const struct rd_row_key key = rows.keyed[is_one ? at : 0];
        n_possible = rd_append_possible(possible, n_possible, key.reaction,
                                        rd_propensity_in_lanes(k, site, key, is_one, own, n));
    }
    __syncwarp();
    if (n_possible > 1)
        rd_sort_possible(possible, n_possible);
    possible->n = n_possible; /* the same for all lanes */
    return n_possible;
}

/* ---- events ---- */

/* Returns the sum of the propensities of the listed reactions. */
static __device__ __forceinline__ double rd_sum_possible(const struct rd_row_possible *possible)
{
    if (possible->n == 1)
        return possible->propensity[0];
    struct rd_block_sums tree = rd_block_sums_begin(0);
#pragma unroll 1
    for (int32_t i = 0; i < possible->n; i++)
        rd_block_sums_add(&tree, possible->reaction[i], possible->propensity[i]);
    return rd_block_sums_end(&tree);
}

/* Draws event `number` of the voxel, as rd_row_ssa_next does, with the listed reactions. Returns
   its reaction, or -1 if it comes after the time that is left. */
static __device__ __forceinline__ int32_t rd_draw_event(const struct rd_row_steps &k,
                                                        const struct rd_row_tile &t,
                                                        const struct rd_row_possible *possible,
                                                        const struct rd_spot &p, uint32_t number,
                                                        double *left)
{
    const double sum = rd_sum_possible(possible);
    const uint4 words = rd_words_near(k.event, number, p.site, t.react_step,
                                      (uint32_t)k.world.lattice.first_run + p.run, 0);
    const double u = rd_uniform_of(words.x, words.y);
    if (rd_is_quiet(sum, u, *left))
        return -1;
    *left += rd_log(u) / sum;
    if (*left <= 0.0)
        return -1;
    if (possible->n == 1)
        return possible->reaction[0];
    return rd_choose_possible(possible, k.world.reactions.n_reactions,
                              rd_aim_below(rd_uniform_of(words.z, words.w) * sum, sum));
}

/* Changes the entries in the first n lanes by the reaction, and notes it. Returns their number
   then, or -1 if there is no room. All lanes of a warp call it. */
static __device__ __forceinline__ int32_t rd_fire_in_lanes(const struct rd_row_steps &k,
                                                           struct rd_row_tile *t,
                                                           const struct rd_spot &p, int32_t which,
                                                           struct rd_lane_entry *own, int32_t n)
{
    const struct rd_reactions &reactions = k.world.reactions;
    const struct rd_channel *const c = &reactions.channel[which];
    const int32_t lane = (int32_t)threadIdx.x % 32, n_changes = c->n_changes;
    if (n + n_changes >= RD_EVENT_ENTRIES)
        return -1;
#pragma unroll 1
    for (int32_t i = 0; i < n_changes; i++) {
        const struct rd_reactant change = reactions.change[c->change + i];
        const unsigned all = __ballot_sync(~0u, lane < n && own->species == change.species);
        if (all == 0 && lane == n)
            *own = {change.species, 0};
        if (lane == (all == 0 ? n : __ffs((int)all) - 1))
            own->count += change.number;
        n += all == 0;
    }
    uint32_t at = 0;
    if (lane == 0)
        at = atomicAdd(&t->n_fired, 1u);
    if (lane == 0 && at < k.n_fired_most)
        k.fired[(size_t)t->number * k.n_fired_most + at] =
            (uint32_t)rd_sums_of(&k.world.lattice, p.run, p.site) *
                (uint32_t)reactions.n_reactions +
            (uint32_t)which;
    const bool is_wrong = at >= k.n_fired_most || (lane < n && own->count < 0);
    return __any_sync(~0u, is_wrong) ? -1 : n;
}

/* Simulates the events of the voxel with entries in the first n lanes. Returns their number then,
   or -1 if that is not possible here. All lanes of a warp call it. */
static __device__ __forceinline__ int32_t rd_run_events(const struct rd_row_steps &k,
                                                        struct rd_row_tile *t,
                                                        struct rd_row_possible *possible,
                                                        const struct rd_spot &p,
                                                        struct rd_lane_entry *own, int32_t n)
{
    double left = t->react_dt;
#pragma unroll 1
    for (uint32_t number = 0; n >= 0; number++) {
        const int32_t n_possible = rd_list_possible(k, possible, p.site, *own, n);
        if (n_possible <= 0)
            return n_possible < 0 ? -1 : n;
        const int32_t which = rd_draw_event(k, *t, possible, p, number, &left);
        if (which < 0)
            return n;
        if (number >= k.world.reactions.max_events || which == k.world.reactions.n_reactions)
            return -1;
        n = rd_fire_in_lanes(k, t, p, which, own, n);
    }
    return -1;
}

/* Appends the entries in the first n lanes behind all words, in canonical order. All lanes of a
   warp call it. */
static __device__ __forceinline__ void rd_append_entries(const struct rd_row_steps &k,
                                                         struct rd_row_tile *t, uint32_t c,
                                                         const struct rd_lane_entry &own, int32_t n)
{
    const int32_t lane = (int32_t)threadIdx.x % 32;
    const bool is_one = lane < n && own.count > 0;
    const int32_t species = is_one ? own.species : INT32_MAX;
    const uint32_t n_words = (uint32_t)__popc(__ballot_sync(~0u, is_one));
    uint32_t at = 0;
    if (lane == 0)
        at = rd_claim_words(k, t, n_words);
    at = __shfl_sync(~0u, at, 0);
    if (at == UINT32_MAX || (is_one && own.count >= RD_BATCH_LEAST))
        t->fails = 1;
#pragma unroll 1
    for (int32_t i = 0; i < n; i++)
        at += at != UINT32_MAX && __shfl_sync(~0u, species, i) < species;
    if (is_one && at != UINT32_MAX && own.count < RD_BATCH_LEAST)
        rd_row_words(k, t->side)[at] = rd_row_word(k, c, own.species, (uint32_t)own.count);
}

/* Simulates the reactions of candidate i, whose words then stand behind all others. All lanes of a
   warp call it. */
static __device__ __forceinline__ void rd_react_candidate(const struct rd_row_steps &k,
                                                          struct rd_row_tile *t, uint32_t i)
{
    uint32_t *const word = rd_row_words(k, t->side);
    const uint32_t c = rd_row_candidate(k)[i], end = rd_row_end(k)[c], lane = threadIdx.x % 32;
    const uint32_t begin = c > 0 ? rd_row_end(k)[c - 1] : 0;
    int32_t n = (int32_t)(end - begin);
    if (n >= RD_EVENT_ENTRIES) {
        t->fails = 1;
        return;
    }
    const uint32_t here = begin + lane < end ? word[begin + lane] : 0;
    const int32_t count = (int32_t)rd_word_count(here);
    struct rd_lane_entry own = {count > 0 ? rd_word_species(k, here) : -1, count};
    if (begin + lane < end)
        word[begin + lane] = here - (uint32_t)count;
    n = rd_run_events(k, t, &rd_row_possible(k)[threadIdx.x / 32], rd_row_spot(k, *t, c), &own, n);
    if (n < 0)
        t->fails = 1;
    else
        rd_append_entries(k, t, c, own, n);
}

#endif
