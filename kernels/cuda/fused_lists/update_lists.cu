/* update_lists - the tuned version of maintain and all stages up to the index, for the GPU. Events
   are applied only in touched voxels. Their effects are summed up over portions of neighbouring
   voxels, and then over portions. So each block can compute the destination of its portion, and
   reads the list only once. */
#include "kernels/cuda/passes/deferred_events.cuh"
#include "kernels/passes/lists/rollback.h"
#include "kernels/passes/lists/update_lists.h"

enum {
    THREADS = 256,
    WARPS = THREADS / 32,
    WORDS = RD_PORTION_MOST / 32,
    ENTRIES_EACH = 4,
    CHUNK = THREADS * ENTRIES_EACH,
    TESTED_EACH = 16, /* voxels that a thread tests */
    SUM_THREADS = 1024,
    BLOCKS = 2048,
    BLOCKS_MOST = 65535,
    BLOCKS_EACH = 6 /* resident on a multiprocessor */
};

/* Returns whether there was a fault in this pass or an earlier one. */
static __device__ bool is_stopped(const struct rd_world *w)
{
    return w->runs.n_first_faulting_pass > 0 &&
           *w->runs.first_faulting_pass <= w->pass.step_clock->pass;
}

static __global__ void __launch_bounds__(THREADS)
    list_touched(const __grid_constant__ struct rd_world w, struct rd_deferred deferred)
{
    __shared__ uint32_t voxel[THREADS * TESTED_EACH];
    __shared__ uint32_t n, at;
    if (rd_is_halted(&w))
        return;
    if (threadIdx.x == 0)
        n = 0;
    __syncthreads();
    const int64_t begin = ((int64_t)blockIdx.x * THREADS + threadIdx.x) * TESTED_EACH;
    for (int64_t c = begin; c < begin + TESTED_EACH && c < w.items.n_maintained; c++)
        if (w.lists.touched[c])
            voxel[atomicAdd(&n, 1)] = (uint32_t)c;
    __syncthreads();
    if (threadIdx.x == 0)
        at = atomicAdd(deferred.n, n);
    __syncthreads();
    for (uint32_t i = threadIdx.x; i < n; i += THREADS)
        deferred.voxel[at + i] = voxel[i];
}

static __device__ void add_portion(struct rd_portion *a, const struct rd_portion *b)
{
    a->net += b->net;
    a->births += b->births;
    a->named += b->named;
}

/* Returns the struct of lane `from` of the warp. */
static __device__ struct rd_portion of_lane(const struct rd_portion *own, int from)
{
    struct rd_portion other = {0};
    other.net = __shfl_sync(~0u, own->net, from);
    other.births = __shfl_sync(~0u, own->births, from);
    other.named = __shfl_sync(~0u, own->named, from);
    return other;
}

/* Returns the sum over the lanes of the warp up to this one. */
static __device__ struct rd_portion sum_of_lanes(struct rd_portion sum)
{
    const int lane = (int)threadIdx.x % 32;
    for (int d = 1; d < 32; d *= 2) {
        const struct rd_portion other = of_lane(&sum, lane >= d ? lane - d : lane);
        if (lane >= d)
            add_portion(&sum, &other);
    }
    return sum;
}

/* Returns the sum over the N threads of the block before this one; *all becomes the sum over the
   block. */
template <int N>
static __device__ struct rd_portion sum_before(const struct rd_portion *own, struct rd_portion *all)
{
    __shared__ struct rd_portion of_warp[N / 32];
    const int lane = (int)threadIdx.x % 32, warp = (int)threadIdx.x / 32;
    struct rd_portion sum = sum_of_lanes(*own), warps = {0};
    __syncthreads(); /* of_warp may still be read for the last sum */
    if (lane == 31)
        of_warp[warp] = sum;
    __syncthreads();
    if (lane < N / 32)
        warps = of_warp[lane];
    warps = sum_of_lanes(warps);
    *all = of_lane(&warps, 31);
    const struct rd_portion before = of_lane(&warps, warp > 0 ? warp - 1 : 0);
    if (warp > 0)
        add_portion(&sum, &before);
    sum.net -= own->net;
    sum.births -= own->births;
    sum.named -= own->named;
    return sum;
}

/* Computes for each portion of list number blockIdx.y the sum over the portions before it, and its
   first entry. A block sums up all portions before its own. */
static __global__ void __launch_bounds__(SUM_THREADS)
    sum_portions(const __grid_constant__ struct rd_world w)
{
    const struct rd_list *const l = &w.lists.list[blockIdx.y];
    const struct rd_portion *const portion = w.lists.portion + l->portions;
    const int64_t n = rd_n_portions(&w.lattice, l), begin = (int64_t)blockIdx.x * SUM_THREADS;
    const int64_t i = begin + threadIdx.x;
    if (is_stopped(&w) || begin > n)
        return;
    struct rd_portion before = {0}, own = {0}, all, none;
    for (int64_t k = threadIdx.x; k < begin; k += SUM_THREADS)
        add_portion(&before, &portion[k]);
    sum_before<SUM_THREADS>(&before, &all);
    if (i < n)
        own = portion[i];
    struct rd_portion sum = sum_before<SUM_THREADS>(&own, &none);
    add_portion(&sum, &all);
    const int64_t voxel = i * l->portion;
    sum.first =
        w.lists.first[l->voxels + (voxel < w.lattice.n_voxels ? voxel : w.lattice.n_voxels)];
    if (i <= n)
        w.lists.before[l->portions + i] = sum;
}

/* Returns the sum over all portions of a list. */
static __device__ const struct rd_portion *total_of_portions(const struct rd_world *w,
                                                             const struct rd_list *l)
{
    return &w->lists.before[l->portions + rd_n_portions(&w->lattice, l)];
}

static __device__ void check_run(const struct rd_world *w, int64_t run)
{
    int64_t *const next_id = &w->lists.id_base[w->lists.n_list * w->lattice.n_runs + run];
    for (int32_t i = 0; i < (int32_t)w->lists.n_list; i++) {
        const struct rd_list *const l = &w->lists.list[i];
        const struct rd_portion *const sum = w->lists.n_of_run > 0
                                                 ? &w->lists.of_run[i * w->lattice.n_runs + run]
                                                 : total_of_portions(w, l);
        rd_check_living(w, run, i, rd_living_then(w, l, run, sum));
        w->lists.id_base[i * w->lattice.n_runs + run] = *next_id;
        *next_id += sum->named;
    }
    rd_check_names(w, run, *next_id);
}

static __device__ void check_updated_lists(const struct rd_world *w)
{
    int64_t rank_base = 0;
    for (int64_t i = 0; i < w->lists.n_list; i++) {
        const struct rd_list *const l = &w->lists.list[i];
        const struct rd_portion *const all = total_of_portions(w, l);
        const int64_t pool = l->most - w->lists.live[i];
        w->lists.coming[i] = w->lists.live[i] + all->net;
        w->lists.taken[i] = all->births < pool ? all->births : pool;
        w->lists.rank_base[i] = rank_base;
        rank_base += all->births;
    }
}

/* Checks maxima and assigns ids as rd_check_maximum does. The first ids of a run still include the
   names given in earlier runs; find_way subtracts these at the first voxel of the run. */
static __global__ void __launch_bounds__(RD_DEFERRED_THREADS)
    check_maxima(const __grid_constant__ struct rd_world w)
{
    const int64_t run = (int64_t)blockIdx.x * RD_DEFERRED_THREADS + threadIdx.x;
    if (is_stopped(&w) || run >= w.lattice.n_runs)
        return;
    check_run(&w, run);
    if (run == 0)
        check_updated_lists(&w);
}

/* Checks the runs as rd_count_run does, if a fault ends only its own run (faults_are_separate).
   roll_back then subtracts the sums of faulted runs, and restores their voxels as rd_roll_back
   does. */
static __global__ void __launch_bounds__(RD_DEFERRED_THREADS)
    check_runs_of_step(const __grid_constant__ struct rd_world w)
{
    const int64_t run = (int64_t)blockIdx.x * RD_DEFERRED_THREADS + threadIdx.x;
    if (!is_stopped(&w) && run < w.lattice.n_runs)
        rd_judge(&w, run);
}

static __global__ void __launch_bounds__(RD_DEFERRED_THREADS)
    roll_back(const __grid_constant__ struct rd_world w, struct rd_deferred deferred)
{
    const uint32_t n = *deferred.n, stride = gridDim.x * blockDim.x;
    if (is_stopped(&w) || rd_n_rolled_back(&w) == 0)
        return;
    for (uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
        const int64_t voxel = deferred.voxel[i];
        if (!rd_is_rolled_back(&w, voxel / w.lattice.n_sites))
            continue;
        rd_sum_voxel(&w, voxel, -1);
        rd_roll_back(&w, voxel);
    }
}

/* Holds the move of a portion of a list. Its arrays are by voxel of the portion. */
struct way {
    uint32_t first[RD_PORTION_MOST + 1];
    uint32_t
        shift[RD_PORTION_MOST]; /* shift of its living entries, except for the dead of the voxel */
    uint32_t dead[RD_PORTION_MOST]; /* deaths before the voxel, if it is touched */
    uint8_t touched[RD_PORTION_MOST];
    uint32_t word[WORDS], before[WORDS]; /* touched[] as bits; their number in the words before */
    uint32_t n_touched;
    uint16_t voxel[RD_PORTION_MOST];                      /* the touched ones, in their order */
    int32_t net[RD_PORTION_MOST], named[RD_PORTION_MOST]; /* sums up to and including each */
};

/* Returns how many of the voxels before k are touched. */
static __device__ __forceinline__ uint32_t touched_before(const struct way *way, int k)
{
    return way->before[k / 32] + (uint32_t)__popc(way->word[k / 32] & ((1u << k % 32) - 1));
}

/* Loads the first entries of the voxels, and lists the touched ones. */
static __device__ __forceinline__ void list_voxels(struct way *way, const struct rd_lists *lists,
                                                   const struct rd_list *l, int64_t begin, int n,
                                                   uint32_t end)
{
    for (int k = threadIdx.x; k < RD_PORTION_MOST; k += THREADS) {
        const bool is_touched = k < n && lists->touched[begin + k];
        const unsigned word = __ballot_sync(~0u, is_touched);
        if (k < n) {
            way->first[k] = (uint32_t)lists->first[l->voxels + begin + k];
            way->touched[k] = is_touched;
        }
        if (k % 32 == 0)
            way->word[k / 32] = word;
    }
    if (threadIdx.x == 0)
        way->first[n] = end;
    __syncthreads();
    if (threadIdx.x < WORDS) {
        const uint32_t own = (uint32_t)__popc(way->word[threadIdx.x]);
        uint32_t sum = own;
        for (int d = 1; d < WORDS; d *= 2) {
            const uint32_t other = __shfl_up_sync(~0u, sum, d);
            sum += (int)threadIdx.x >= d ? other : 0;
        }
        way->before[threadIdx.x] = sum - own;
        if (threadIdx.x == WORDS - 1)
            way->n_touched = sum;
    }
    __syncthreads();
    for (int k = threadIdx.x; k < n; k += THREADS)
        if (way->touched[k])
            way->voxel[touched_before(way, k)] = (uint16_t)k;
    __syncthreads();
}

/* Computes the sums over touched voxels, and the shifts of their entries. */
static __device__ __forceinline__ void sum_touched(struct way *way, const struct rd_world *w,
                                                   const struct rd_list *l, int64_t begin,
                                                   struct rd_portion before)
{
    const int64_t c = l->voxels + begin;
    struct rd_portion all;
    for (uint32_t from = 0; from < way->n_touched; from += THREADS) {
        const uint32_t i = from + threadIdx.x;
        const int k = i < way->n_touched ? way->voxel[i] : 0;
        struct rd_portion own = {0};
        if (i < way->n_touched)
            own = rd_voxel_sum(w, l, begin + k);
        struct rd_portion sum = sum_before<THREADS>(&own, &all);
        add_portion(&sum, &before);
        add_portion(&before, &all);
        if (i >= way->n_touched)
            continue;
        w->lists.births[c + k] = sum.births;
        w->lists.named[c + k] = sum.named;
        way->shift[k] = (uint32_t)(sum.net + own.births);
        way->dead[k] = (uint32_t)(sum.births - sum.net);
        way->net[i] = sum.net + own.net;
        way->named[i] = sum.named + own.named;
    }
    __syncthreads();
}

/* Computes the first entry of each voxel after the update, and the shifts of its entries. */
static __device__ __forceinline__ void find_way(struct way *way, const struct rd_world *w,
                                                int64_t list, const struct rd_portion *portion,
                                                int64_t begin, int n)
{
    const struct rd_list *const l = &w->lists.list[list];
    list_voxels(way, &w->lists, l, begin, n, (uint32_t)portion[1].first);
    sum_touched(way, w, l, begin, portion[0]);
    for (int k = threadIdx.x; k < n; k += THREADS) {
        const uint32_t i = touched_before(way, k);
        const int32_t net = i > 0 ? way->net[i - 1] : portion->net;
        w->lists.first[l->voxels + begin + k] = (int32_t)way->first[k] + net;
        if (!way->touched[k])
            way->shift[k] = (uint32_t)net;
        if (w->lattice.n_runs > 1 && (begin + k) % w->lattice.n_sites == 0)
            w->lists.id_base[list * w->lattice.n_runs + (begin + k) / w->lattice.n_sites] -=
                i > 0 ? way->named[i - 1] : portion->named;
    }
    if (threadIdx.x == 0 && begin + n == w->lattice.n_voxels)
        w->lists.first[l->voxels + begin + n] = portion[1].first + portion[1].net;
    __syncthreads();
}

/* Describes the places for the slots of the individuals of a list that die. */
struct grave {
    int64_t served;  /* the first ones serve newborn that exceeded the pool */
    int64_t waiting; /* these stand from here on in standing[] */
    int64_t to;      /* the others stand from here on behind the living */
};

static __device__ __forceinline__ struct grave grave_of(const struct rd_lists *lists, int64_t list,
                                                        const struct rd_portion *all)
{
    const struct rd_list *const l = &lists->list[list];
    struct grave g;
    g.served = all->births - lists->taken[list];
    g.waiting = lists->rank_base[list];
    g.to = l->base + lists->coming[list] - g.served;
    return g;
}

/* Stores the slot of the dead individual with number d. */
static __device__ __forceinline__ void put_dead(const struct rd_lists *lists, const struct grave &g,
                                                uint32_t d, uint32_t slot)
{
    if (d < g.served) {
        lists->standing[g.waiting + d] = (int32_t)slot;
        return;
    }
    lists->key_next[g.to + d] = RD_KEY_NONE;
    lists->slot_next[g.to + d] = slot;
}

/* Returns how many dead entries of the voxel stand before entry i. The entry is lane `lane` of a
   row of 32, whose dead are the bits of `dead`. */
static __device__ __forceinline__ uint32_t dead_before(const struct rd_lists *lists, int64_t base,
                                                       uint32_t first, uint32_t i, unsigned dead)
{
    const uint32_t lane = threadIdx.x % 32, row = i - lane;
    const unsigned before = (1u << lane) - 1;
    if (first >= row)
        return (uint32_t)__popc(dead & before & ~0u << (first - row));
    uint32_t n = (uint32_t)__popc(dead & before);
    for (uint32_t k = first; k < row; k++)
        n += lists->offset[base + k] < 0;
    return n;
}

/* Moves one entry of a row of 32, if is_one. All lanes of a warp call it. */
static __device__ __forceinline__ void
send_entry(const struct way *way, const struct rd_lists *lists, const struct grave &g, int64_t base,
           uint32_t voxel, uint32_t i, bool is_one, uint32_t key, uint32_t slot)
{
    const bool is_touched = is_one && way->touched[voxel];
    const bool dies = is_touched && lists->offset[base + i] < 0;
    const unsigned dead = __ballot_sync(~0u, dies);
    if (!is_one)
        return;
    uint32_t n = 0;
    if (is_touched)
        n = dead_before(lists, base, way->first[voxel], i, dead);
    if (dies) {
        put_dead(lists, g, way->dead[voxel] + n, slot);
        return;
    }
    const int64_t to = base + (uint32_t)(i + way->shift[voxel] - n);
    lists->key_next[to] = key;
    lists->slot_next[to] = slot;
}

/* Moves the entries from `begin` to `end` of the list, which belong to the voxels from `low` on. */
static __device__ __forceinline__ void send_entries(const struct way *way,
                                                    const struct rd_lists *lists,
                                                    const struct grave &g, int64_t base,
                                                    int64_t low, uint32_t begin, uint32_t end)
{
    const uint32_t *const keys = lists->key + base, *const slots = lists->slot + base;
    for (uint32_t i = begin + threadIdx.x; i - threadIdx.x % 32 < end; i += CHUNK) {
        uint32_t key[ENTRIES_EACH], slot[ENTRIES_EACH];
#pragma unroll
        for (int r = 0; r < ENTRIES_EACH; r++) {
            const bool is_one = i + r * THREADS < end;
            key[r] = is_one ? keys[i + r * THREADS] : 0;
            slot[r] = is_one ? slots[i + r * THREADS] : 0;
        }
#pragma unroll
        for (int r = 0; r < ENTRIES_EACH; r++)
            send_entry(way, lists, g, base, key[r] - (uint32_t)low, i + r * THREADS,
                       i + r * THREADS < end, key[r], slot[r]);
    }
}

static __global__ void __launch_bounds__(THREADS, BLOCKS_EACH)
    send_portions(const __grid_constant__ struct rd_world w)
{
    __shared__ struct way way;
    __shared__ int64_t n; /* costs a division, which one thread does */
    const int64_t list = blockIdx.y;
    const struct rd_list *const l = &w.lists.list[list];
    if (is_stopped(&w))
        return;
    if (threadIdx.x == 0)
        n = rd_n_portions(&w.lattice, l);
    __syncthreads();
    const struct grave g = grave_of(&w.lists, list, &w.lists.before[l->portions + n]);
    for (int64_t p = blockIdx.x; p < n; p += gridDim.x) {
        const struct rd_portion *const portion = w.lists.before + l->portions + p;
        const int64_t low = p * l->portion, rest = w.lattice.n_voxels - low;
        const uint32_t begin = (uint32_t)portion[0].first, end = (uint32_t)portion[1].first;
        find_way(&way, &w, list, portion, low, (int)(rest < l->portion ? rest : l->portion));
        send_entries(&way, &w.lists, g, l->base, low, begin, end);
        __syncthreads();
    }
}

/* Gives a newborn its entry and slot as rd_refill does; the new list has its index already. */
static __device__ void take_in(const struct rd_world *w, int64_t number)
{
    const struct rd_newborn *const b = &w->lists.newborn[number];
    if (!rd_has_place(w, b))
        return;
    const struct rd_list *const l = &w->lists.list[b->list];
    const int64_t rank = rd_rank_of(&w->lists, b), taken = w->lists.taken[b->list];
    const int64_t to = l->base + w->lists.first[l->voxels + b->voxel] + b->place;
    const uint32_t slot =
        rank < taken ? w->lists.slot[l->base + w->lists.live[b->list] + rank]
                     : (uint32_t)w->lists.standing[w->lists.rank_base[b->list] + rank - taken];
    rd_write_newborn(w, number, to, slot);
}

static __global__ void __launch_bounds__(RD_DEFERRED_THREADS)
    take_in_newborn(const __grid_constant__ struct rd_world w)
{
    const int64_t n = rd_n_newborn(&w.lists), stride = (int64_t)gridDim.x * blockDim.x;
    const int64_t begin = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (is_stopped(&w))
        return;
    for (int64_t i = begin; i < n; i += stride)
        take_in(&w, i);
    for (int64_t i = begin; i < rd_n_notes(&w.lists); i += stride)
        rd_finish_lineage(&w, i);
}

void rd_update_lists_portions(const struct rd_world *w, struct rd_deferred deferred,
                              cudaStream_t stream)
{
    const int64_t tested = THREADS * TESTED_EACH, n = (w->items.n_maintained + tested - 1) / tested;
    if (n == 0)
        return;
    const int64_t portions = (w->lists.n_portion + w->lists.n_list - 1) / w->lists.n_list;
    const unsigned lists = (unsigned)w->lists.n_list;
    const unsigned sums = (unsigned)((w->lists.n_portion + SUM_THREADS - 1) / SUM_THREADS);
    const int64_t runs = (w->lattice.n_runs + RD_DEFERRED_THREADS - 1) / RD_DEFERRED_THREADS;
    const unsigned senders = portions < BLOCKS_MOST ? (unsigned)portions : BLOCKS_MOST;
    cudaMemsetAsync(w->lists.portion, 0, (size_t)w->lists.n_portion * sizeof *w->lists.portion,
                    stream);
    cudaMemsetAsync(w->lists.of_run, 0, (size_t)w->lists.n_of_run * sizeof *w->lists.of_run,
                    stream);
    list_touched<<<(unsigned)n, THREADS, 0, stream>>>(*w, deferred);
    if (w->reactions.is_simple)
        rd_simple_maintain(w, deferred, stream);
    else
        rd_maintain_deferred<<<RD_EVENT_BLOCKS, RD_DEFERRED_THREADS, 0, stream>>>(*w, deferred);
    if (w->runs.faults_are_separate) {
        check_runs_of_step<<<(unsigned)runs, RD_DEFERRED_THREADS, 0, stream>>>(*w);
        roll_back<<<RD_EVENT_BLOCKS, RD_DEFERRED_THREADS, 0, stream>>>(*w, deferred);
    }
    sum_portions<<<dim3(sums, lists), SUM_THREADS, 0, stream>>>(*w);
    check_maxima<<<(unsigned)runs, RD_DEFERRED_THREADS, 0, stream>>>(*w);
    send_portions<<<dim3(senders, lists), THREADS, 0, stream>>>(*w);
    take_in_newborn<<<BLOCKS, RD_DEFERRED_THREADS, 0, stream>>>(*w);
}
