/* steps_of_rows - the kernel that does consecutive steps of rare species: each block keeps the
   molecules of its tile in shared memory, and waits for all others between movement and arrival. If
   a block cannot do a step, nothing has changed in the end, and the passes pause. */
#ifndef RD_CUDA_FUSED_ROWS_STEPS_OF_ROWS_CUH
#define RD_CUDA_FUSED_ROWS_STEPS_OF_ROWS_CUH

#include "kernels/cuda/fused_rows/leave_row_tile.cuh"
#include "kernels/cuda/fused_rows/row_tile_events.cuh"
#include "kernels/cuda/fused_step/grid_barrier.cuh"

/* ---- rows ---- */

/* Appends the words of all rows of the tile. */
static __device__ __forceinline__ void load_rows(const struct rd_row_steps &k,
                                                 struct rd_row_tile *t)
{
    for (uint32_t c = threadIdx.x; c < 1u << k.tiling.voxels_bits; c += RD_ROW_THREADS) {
        const struct rd_spot p = rd_row_spot(k, *t, c);
        if (!rd_is_in_lattice(k, p))
            continue;
        const struct rd_row row = k.world.rows.row[rd_row_voxel(k, p)];
        const uint32_t at = row.n > 0 ? rd_claim_words(k, t, (uint32_t)row.n) : UINT32_MAX;
        for (int32_t i = 0; at != UINT32_MAX && i < row.n; i++) {
            const struct rd_row_entry x = k.world.rows.entry[row.begin + i];
            if (x.count >= RD_BATCH_LEAST)
                t->fails = 1;
            rd_row_words(k, t->side)[at + (uint32_t)i] =
                rd_row_word(k, c, x.species, x.count < RD_BATCH_LEAST ? (uint32_t)x.count : 0);
        }
    }
}

/* Returns the number of words of voxel c that are not 0, after a sort. */
static __device__ __forceinline__ uint32_t count_words(const struct rd_row_steps &k,
                                                       const struct rd_row_tile *t, uint32_t c)
{
    const uint32_t *const word = rd_row_words(k, t->side);
    uint32_t n = 0;
    for (uint32_t i = c > 0 ? rd_row_end(k)[c - 1] : 0; i < rd_row_end(k)[c]; i++)
        n += rd_word_count(word[i]) > 0;
    return n;
}

/* Writes the row of voxel c, of n entries, to the pool at `begin`. */
static __device__ __forceinline__ void store_row(const struct rd_row_steps &k,
                                                 const struct rd_row_tile *t, uint32_t c,
                                                 int64_t begin, uint32_t n)
{
    const uint32_t *const word = rd_row_words(k, t->side);
    const struct rd_spot p = rd_row_spot(k, *t, c);
    if (!rd_is_in_lattice(k, p))
        return;
    k.world.rows.row[rd_row_voxel(k, p)] = {(int32_t)begin, (int32_t)n, (int32_t)n};
    for (uint32_t i = c > 0 ? rd_row_end(k)[c - 1] : 0; i < rd_row_end(k)[c]; i++)
        if (rd_word_count(word[i]) > 0)
            k.pool[begin++] = {rd_word_species(k, word[i]), (int32_t)rd_word_count(word[i])};
}

/* ---- steps ---- */

/* Sets what the next round needs: the movement of step i, if there is one. */
static __device__ __forceinline__ void set_row_step(const struct rd_row_steps &k,
                                                    struct rd_row_tile *t, int i)
{
    if (i < k.n) {
        t->world.pass.step_clock = k.first_clock + k.step[i].hop;
        t->hop_step = t->world.pass.step_clock->step;
    }
    t->n_leavers = t->n_taken = 0;
}

/* Sets the reactions after step i. */
static __device__ __forceinline__ void set_reactions(const struct rd_row_steps &k,
                                                     struct rd_row_tile *t, int i)
{
    t->react_step = k.first_clock[k.step[i].react].step;
    t->react_dt = k.step[i].dt;
    t->n_candidates = t->n_leavers = 0;
}

/* Opens the tile with the molecules of its rows. All threads of the block call it. */
static __device__ __forceinline__ void open_tile(const struct rd_row_steps &k,
                                                 struct rd_row_tile *t)
{
    rd_copy_by_block(&t->world, k.world, RD_ROW_THREADS);
    if (threadIdx.x == 0) {
        t->number = blockIdx.x;
        t->run = rd_box_corner(k.tiling, t->number, t->corner);
        t->side = 0;
        t->n_valid = k.layout.n_words;
        t->n_words = t->n_fired = t->n_candidates = t->n_leavers = 0;
        t->fails = 0;
        t->all_hop = 1;
    }
    __syncthreads();
    rd_inspect_movement(k, t);
    load_rows(k, t);
    __syncthreads();
}

/* Takes the next item of work for the warp: a candidate, or 32 words. */
static __device__ __forceinline__ uint32_t take_item(struct rd_row_tile *t)
{
    uint32_t i = 0;
    if (threadIdx.x % 32 == 0)
        i = atomicAdd(&t->n_taken, 1u);
    return __shfl_sync(~0u, i, 0);
}

/* Simulates the reactions of the candidates and beside that, if the movement follows, draws the
   molecules that leave other voxels; then, behind a barrier, those of the candidates. All threads
   of the block call it. */
static __device__ __forceinline__ void react_and_draw(const struct rd_row_steps &k,
                                                      struct rd_row_tile *t, bool moves)
{
    const uint32_t *const word = rd_row_words(k, t->side), lane = threadIdx.x % 32;
    uint32_t n_candidates = t->n_candidates, begin = 0, end = t->n_sorted;
#pragma unroll 1
    for (bool is_behind = false;; is_behind = true) {
        const uint32_t n = n_candidates + (moves ? (end - begin + 31) / 32 : 0);
#pragma unroll 1
        for (uint32_t item = take_item(t); item < n; item = take_item(t)) {
            if (item < n_candidates) {
                rd_react_candidate(k, t, item);
                continue;
            }
            const uint32_t i = begin + (item - n_candidates) * 32 + lane;
            rd_leave_word(k, t, i,
                          i < end &&
                              (is_behind || !rd_is_row_candidate(k, rd_word_voxel(k, word[i]))));
        }
        __syncthreads();
        if (is_behind)
            break;
        n_candidates = 0;
        begin = end;
        end = rd_n_words(t);
        if (threadIdx.x == 0)
            t->n_taken = 0;
        __syncthreads();
    }
}

/* Counts the block as arrived, and waits for all others. */
static __device__ __forceinline__ void wait_for_all(const struct rd_row_steps &k,
                                                    uint32_t *n_expected)
{
    __syncthreads();
    *n_expected += gridDim.x;
    if (threadIdx.x == 0) {
        rd_count_block(k.n_arrived);
        rd_wait_for_blocks(k.n_arrived, *n_expected);
    }
    __syncthreads();
}

/* Appends the words that other tiles sent, and empties the inbox. */
static __device__ __forceinline__ void
take_inbox(const struct rd_row_steps &k, struct rd_row_tile *t, const struct rd_row_outbox &in)
{
    const uint32_t sent = in.n[t->number], n = sent < in.capacity ? sent : in.capacity;
    const uint32_t begin = rd_n_words(t);
    const bool fits = begin + n <= k.layout.n_words;
    uint32_t *const word = rd_row_words(k, t->side);
#pragma unroll 1
    for (uint32_t i = threadIdx.x; fits && i < n; i += RD_ROW_THREADS)
        word[begin + i] = in.word[(size_t)t->number * in.capacity + i];
    __syncthreads();
    if (threadIdx.x == 0) {
        in.n[t->number] = 0;
        t->n_words = fits ? begin + n : begin;
        t->fails = t->fails || !fits;
    }
    __syncthreads();
}

/* Does the steps, and sorts the words at the begin, after each step and in the end, so that each
   part of the code stands in one place: the cache of instructions is small. Returns the arrivals of
   all blocks up to then. */
static __device__ __forceinline__ uint32_t do_row_steps(const struct rd_row_steps &k,
                                                        struct rd_row_tile *t)
{
    uint32_t n_expected = 0;
#pragma unroll 1
    for (int i = -1; i <= k.n; i++) {
        const bool moves = i >= 0 && i < k.n;
        if (i >= 0)
            react_and_draw(k, t, moves);
        if (moves) {
            rd_send_row_leavers(k, t, k.outbox[i % 2]);
            wait_for_all(k, &n_expected);
            if (threadIdx.x == 0)
                set_reactions(k, t, i);
            take_inbox(k, t, k.outbox[i % 2]);
        }
        rd_clear_voxels(k);
        __syncthreads();
        rd_sort_by_voxel_here(k, t);
        rd_order_voxels(k, t, moves && k.world.items.n_reacting > 0);
        rd_choose_candidates(k, t);
        __syncthreads();
        if (threadIdx.x == 0)
            set_row_step(k, t, i + 1);
        __syncthreads();
    }
    return n_expected;
}

/* ---- end ---- */

/* Decides, after all blocks have ended their steps, whether the rows are replaced. */
static __device__ __forceinline__ bool are_steps_done(const struct rd_row_steps &k)
{
    return *k.n_failed == 0 && *k.n_entries <= k.n_pool;
}

/* Completes the steps for the passes that follow, or pauses at the first of them. */
static __device__ __forceinline__ void close_steps(const struct rd_row_steps &k, bool are_done)
{
    struct rd_rows_capacity *const capacity = k.world.rows.capacity;
    if (are_done) {
        capacity->top = capacity->needed = *k.n_entries;
        capacity->n_landings += k.n;
    } else {
        capacity->declined = *k.n_failed > 0 ? RD_DECLINED_STATE : RD_DECLINED_POOL;
        rd_min_i64(k.world.runs.first_faulting_pass, (k.first_clock + k.step[0].hop)->pass);
    }
    *k.n_entries = 0;
    *k.n_failed = *k.n_arrived = 0;
}

/* Writes the rows of the tile, and counts its events. */
static __device__ __forceinline__ void store_tile(const struct rd_row_steps &k,
                                                  const struct rd_row_tile *t, uint32_t before)
{
    uint32_t begin;
    const uint32_t each = rd_voxels_of_thread(k, &begin);
    for (uint32_t c = begin; c < begin + each; c++) {
        const uint32_t n = count_words(k, t, c);
        store_row(k, t, c, t->begin + before, n);
        before += n;
    }
    for (uint32_t i = threadIdx.x; i < t->n_fired; i += RD_ROW_THREADS)
        rd_add_i64(&k.world.counts.fired[k.fired[(size_t)t->number * k.n_fired_most + i]], 1);
}

/* Ends the steps: if all blocks did them, writes the rows. */
static __device__ __forceinline__ void close_tile(const struct rd_row_steps &k,
                                                  struct rd_row_tile *t, uint32_t n_expected)
{
    uint32_t begin, all, n = 0;
    const uint32_t each = rd_voxels_of_thread(k, &begin);
    for (uint32_t c = begin; c < begin + each; c++)
        n += count_words(k, t, c);
    const uint32_t before = rd_sum_before(t, n, &all);
    if (threadIdx.x == 0) {
        t->begin = rd_add_i64(k.n_entries, all);
        if (t->fails)
            atomicAdd(k.n_failed, 1u);
    }
    wait_for_all(k, &n_expected);
    if (threadIdx.x == 0)
        t->is_committed = are_steps_done(k);
    __syncthreads();
    if (t->is_committed)
        store_tile(k, t, before);
    __syncthreads();
    if (threadIdx.x == 0 && rd_count_block(k.n_arrived) == n_expected + gridDim.x - 1)
        close_steps(k, t->is_committed);
}

static __global__ void __launch_bounds__(RD_ROW_THREADS, RD_ROW_BLOCKS_EACH)
    steps_of_rows(const __grid_constant__ struct rd_row_steps k)
{
    __shared__ struct rd_row_tile t;
    if (*k.world.runs.first_faulting_pass < (k.first_clock + k.step[0].hop)->pass)
        return;
    open_tile(k, &t);
    close_tile(k, &t, do_row_steps(k, &t));
}

#endif
