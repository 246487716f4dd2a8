/* small_voxels - the events of simple worlds on the GPU: mass action only, and individuals without
   attributes, weights and lineage. The plain bodies compile to less code for them. Voxels with few
   individuals and few events have all their data in shared memory; the plain bodies handle a voxel
   with more, or with a fault. */
#define RD_SIMPLE_ONLY 1
#include "kernels/cuda/passes/small_voxels.cuh"

enum {
    BLOCKS_EACH = 8, /* resident on a multiprocessor */
    LOAD_MOST = 12   /* mean number of entries in a voxel */
};

/* Counts one more individual born into the list, or joining it. Returns false if there are more
   than fit. */
static __device__ __forceinline__ bool bear(const struct rd_small_voxel &f, int32_t list)
{
    return f.all.born[list][threadIdx.x]++ < 2 * RD_SMALL_MEMBERS;
}

/* Counts the births of the voxel's events as rd_count_events does. Returns -1 if there are no
   events, -2 if the plain body must handle the voxel. */
static __device__ __forceinline__ int64_t count_events(struct rd_small_voxel &f, int64_t voxel)
{
    const struct rd_world &w = f.w;
    int32_t which;
    enum rd_next next;
    rd_small_open(f, voxel);
    while ((next = rd_small_next(f, &which)) == RD_NEXT_EVENT) {
        const struct rd_channel *const c = &w.reactions.channel[which];
        bool fits = true;
        for (int32_t i = 0; i < c->n_participants; i++) {
            const struct rd_participant *const participant =
                &w.reactions.participant[c->participant + i];
            if (participant->fate == RD_FATE_BECOME)
                fits = bear(f, participant->becomes) && fits;
        }
        for (int32_t i = 0; i < c->n_births; i++)
            fits = bear(f, w.reactions.birth[c->birth + i].list) && fits;
        if (!fits)
            return -2;
        rd_small_change(f, which, true);
    }
    if (next == RD_NEXT_ODD)
        return -2;
    w.lists.touched[voxel] = f.n_events > 0;
    int64_t n_newborn = 0;
    for (int32_t i = 0; i < (int32_t)w.lists.n_list; i++) {
        const int32_t born = f.all.born[i][threadIdx.x];
        w.lists.births[w.lists.list[i].voxels + voxel] = born;
        w.lists.named[w.lists.list[i].voxels + voxel] = 0;
        n_newborn += born;
    }
    return f.n_events > 0 ? n_newborn : -1;
}

/* Returns a number below n from the stream that draws individuals, as rd_below does. */
static __device__ __forceinline__ uint32_t below(struct rd_small_voxel &f, uint32_t n)
{
    for (;;) {
        const uint4 call = rd_small_words(f, f.individual_keys, f.n_individual / 2);
        const uint64_t word = f.n_individual % 2 == 0 ? (uint64_t)call.x << 32 | call.y
                                                      : (uint64_t)call.z << 32 | call.w;
        const uint64_t low = word * n;
        f.n_individual++;
        if (low >= n || low >= (UINT64_C(0) - n) % n)
            return (uint32_t)__umul64hi(word, n);
    }
}

/* Draws the participants of a reaction, and removes those that leave, as rd_draw_participants and
   rd_leave_participants do. Returns false if the plain body must handle the voxel. */
static __device__ __forceinline__ bool take_participants(struct rd_small_voxel &f,
                                                         const struct rd_channel *c)
{
    const unsigned t = threadIdx.x;
    const struct rd_participant *const participant = &f.w.reactions.participant[c->participant];
    for (int32_t i = 0, n_drawn = 0; i < c->n_participants; i++, n_drawn++) {
        if (i > 0 && participant[i].list != participant[i - 1].list)
            n_drawn = 0;
        const int32_t n = rd_small_alive(f, participant[i].list) - n_drawn;
        if (n <= 0)
            return false;
        uint8_t(*const members)[RD_DEFERRED_THREADS] = f.all.members[participant[i].list];
        const uint32_t k = below(f, (uint32_t)n);
        const uint8_t member = members[k][t];
        members[k][t] = members[n - 1][t];
        members[n - 1][t] = member;
        f.all.member[i][t] = member;
    }
    for (int32_t i = 0; i < c->n_participants; i++) {
        if (participant[i].fate == RD_FATE_STAY)
            continue;
        const uint8_t member = f.all.member[i][t];
        rd_small_alive(f, participant[i].list)--;
        if (!(member & RD_SMALL_NEWBORN))
            f.all.dead[participant[i].list][t] |= 1u << member;
    }
    return true;
}

/* Returns the name of a member as rd_name_of does. */
static __device__ __forceinline__ struct rd_name name_of_member(const struct rd_small_voxel &f,
                                                                int32_t list, uint8_t member)
{
    const unsigned t = threadIdx.x;
    if (member & RD_SMALL_NEWBORN)
        return rd_name_of_newborn(
            &f.w.lists.newborn[f.all.capacity[list][t] + (member & ~RD_SMALL_NEWBORN)]);
    const struct rd_list *const l = &f.w.lists.list[list];
    return rd_name_of_entry(&f.w.lists, l, l->base + f.all.first[list][t] + member);
}

/* Adds a newborn to the list as rd_join does; its parent, or its former self (is_same), is member
   `other` of the list `from` (-1: none). Returns false if the plain body must handle the voxel. */
static __device__ __forceinline__ bool add_newborn(const struct rd_small_voxel &f, int32_t list,
                                                   int32_t from, uint8_t other, bool is_same)
{
    const struct rd_world &w = f.w;
    const unsigned t = threadIdx.x;
    const uint8_t number = f.all.born[list][t];
    struct rd_name name = {-1, -1, f.w.pass.step_clock->time + w.pass.dt / 2.0 - f.left, -1, -1};
    int32_t &alive = rd_small_alive(f, list);
    if (alive >= RD_SMALL_MEMBERS || !bear(f, list))
        return false;
    if (from >= 0) {
        const struct rd_name known = name_of_member(f, from, other);
        name.parent = known.id;
        name.parent_of = known.id_of;
        if (is_same)
            name = known;
    }
    if (!is_same) {
        name.id = f.all.named[list][t]++;
        name.id_of = list;
    }
    rd_newborn_begin(&w.lists.newborn[f.all.capacity[list][t] + number], &name, f.p.voxel, list);
    f.all.members[list][alive++][t] = (uint8_t)(RD_SMALL_NEWBORN | number);
    return true;
}

/* Applies an event as rd_apply_event does. Returns false if the plain body must handle the
   voxel. */
static __device__ __forceinline__ bool apply_small_event(struct rd_small_voxel &f, int32_t reaction)
{
    const struct rd_world &w = f.w;
    const struct rd_channel *const c = &w.reactions.channel[reaction];
    if (!take_participants(f, c))
        return false;
    for (int32_t i = 0; i < c->n_participants; i++) {
        const struct rd_participant *const participant =
            &w.reactions.participant[c->participant + i];
        if (participant->fate == RD_FATE_BECOME &&
            !add_newborn(f, participant->becomes, participant->list, f.all.member[i][threadIdx.x],
                         true))
            return false;
    }
    for (int32_t i = 0; i < c->n_births; i++) {
        const struct rd_birth *const b = &w.reactions.birth[c->birth + i];
        const bool has_parent = b->parent >= 0;
        if (!add_newborn(f, b->list,
                         has_parent ? w.reactions.participant[c->participant + b->parent].list : -1,
                         has_parent ? f.all.member[b->parent][threadIdx.x] : 0, false))
            return false;
    }
    return true;
}

/* Loads the members of the voxel. Returns false if there are too many. */
static __device__ __forceinline__ bool cast(const struct rd_small_voxel &f, int64_t voxel)
{
    const unsigned t = threadIdx.x;
    for (int32_t i = 0; i < (int32_t)f.w.lists.n_list; i++) {
        const int64_t c = f.w.lists.list[i].voxels + voxel;
        const int32_t first = f.w.lists.first[c], old = f.w.lists.first[c + 1] - first;
        if (old > RD_SMALL_MEMBERS)
            return false;
        f.all.first[i][t] = first;
        f.all.old[i][t] = (uint8_t)old;
        f.all.capacity[i][t] = f.w.lists.capacity[c];
        for (int32_t k = 0; k < old; k++)
            f.all.members[i][k][t] = (uint8_t)k;
    }
    return true;
}

/* Sets the places of the living newborn as rd_maintain_close does. Returns their number. */
static __device__ __forceinline__ int32_t place_newborn(const struct rd_small_voxel &f,
                                                        int32_t list)
{
    const unsigned t = threadIdx.x;
    const int32_t n = f.all.born[list][t] > 0 ? rd_small_alive(f, list) : 0;
    int32_t n_newborn = 0;
    for (int32_t k = 0; k < n; k++) {
        const uint8_t member = f.all.members[list][k][t];
        if (member & RD_SMALL_NEWBORN)
            f.w.lists.newborn[f.all.capacity[list][t] + (member & ~RD_SMALL_NEWBORN)].place =
                n_newborn++;
    }
    return n_newborn;
}

/* Writes the results of the voxel's events to the world. Sums over voxels are left in its
   columns. */
static __device__ __forceinline__ void report_events(const struct rd_small_voxel &f, int64_t voxel)
{
    const struct rd_world &w = f.w;
    const unsigned t = threadIdx.x;
    for (int32_t i = 0; i < (int32_t)w.lists.n_list; i++) {
        const struct rd_list *const l = &w.lists.list[i];
        const int32_t old = f.all.old[i][t];
        const uint32_t dead = f.all.dead[i][t];
        f.all.born[i][t] = (uint8_t)place_newborn(f, i);
        for (int32_t k = 0; k < old; k++)
            w.lists.offset[l->base + f.all.first[i][t] + k] = -(int32_t)(dead >> k & 1);
        w.lists.births[l->voxels + voxel] = f.all.born[i][t];
        w.lists.named[l->voxels + voxel] = f.all.named[i][t];
    }
    for (int32_t s = 0; s < w.counts.n_species; s++)
        w.counts.count[s * w.lattice.n_voxels + voxel] = rd_small_count(f, s);
}

/* Adds to sums[at]. Of all lanes with the same `at`, one adds their total; -1: the lane adds
   nothing. */
static __device__ __forceinline__ void add_together(struct rd_portion *sums, int32_t at,
                                                    int32_t net, int32_t births, int32_t named)
{
    const unsigned group = __match_any_sync(~0u, at);
    net = __reduce_add_sync(group, net);
    births = __reduce_add_sync(group, births);
    named = __reduce_add_sync(group, named);
    if (at >= 0 && (int)threadIdx.x % 32 == __ffs((int)group) - 1)
        rd_add_to(&sums[at], net, births, named);
}

/* Adds the changes and fired reactions of all voxels that are done. Neighbouring voxels share sums,
   so the lanes of a warp add them up first. All lanes of a warp call it. */
static __device__ __forceinline__ void add_event_sums(const struct rd_small_voxel &f, bool is_done)
{
    const struct rd_world &w = f.w;
    const unsigned t = threadIdx.x;
    for (int32_t i = 0; i < (int32_t)w.lists.n_list; i++) {
        const struct rd_list *const l = &w.lists.list[i];
        const int32_t births = is_done ? f.all.born[i][t] : 0;
        const int32_t named = is_done ? f.all.named[i][t] : 0;
        const int32_t net = is_done ? rd_small_alive(f, i) - f.all.old[i][t] : 0;
        add_together(w.lists.portion + l->portions,
                     is_done ? (int32_t)(f.p.voxel / l->portion) : -1, net, births, named);
        if (w.lists.n_of_run > 0)
            add_together(w.lists.of_run + i * w.lattice.n_runs, is_done ? (int32_t)f.p.run : -1,
                         net, births, named);
    }
    const uint32_t n = is_done ? f.n_events : 0;
    for (uint32_t k = 0; __any_sync(~0u, k < n); k++) {
        const int64_t sums = rd_sums_of(&w.lattice, f.p.run, f.p.site) * w.reactions.n_reactions;
        const int64_t at = k < n ? sums + f.all.fired[k][t] : -1;
        const unsigned group = __match_any_sync(~0u, at);
        if (at >= 0 && (int)t % 32 == __ffs((int)group) - 1)
            rd_add_i64(&w.counts.fired[at], __popc(group));
    }
}

/* Applies the events of the voxel as rd_maintain_events does. Returns false, with nothing written
   to the list, if the plain body must handle the voxel. */
static __device__ __forceinline__ bool maintain(struct rd_small_voxel &f, int64_t voxel)
{
    int32_t which;
    enum rd_next next;
    rd_small_open(f, voxel);
    if (!cast(f, voxel))
        return false;
    while ((next = rd_small_next(f, &which)) == RD_NEXT_EVENT) {
        if (!apply_small_event(f, which))
            return false;
        rd_small_change(f, which, false);
        f.all.fired[f.n_events - 1][threadIdx.x] = (uint8_t)which;
    }
    if (next == RD_NEXT_ODD)
        return false;
    report_events(f, voxel);
    return true;
}

static __device__ __noinline__ void maintain_plainly(const struct rd_world *w, int64_t voxel)
{
    for (int64_t i = 0; i < w->lists.n_list; i++)
        rd_maintain_open(w, &w->lists.list[i], voxel);
    rd_maintain_events(w, voxel);
    rd_sum_voxel(w, voxel, 1);
}

static __device__ __noinline__ int64_t count_events_plainly(const struct rd_world *w, int64_t voxel)
{
    struct rd_ssa ssa;
    rd_ssa_open(&ssa, w, voxel);
    return rd_count_events(&ssa);
}

static __global__ void __launch_bounds__(RD_DEFERRED_THREADS, BLOCKS_EACH)
    react_small(const __grid_constant__ struct rd_world w,
                const __grid_constant__ struct rd_keys event_keys, struct rd_deferred deferred)
{
    __shared__ struct rd_columns all;
    struct rd_small_voxel f = {w, event_keys, event_keys, all};
    const uint32_t n = *deferred.n, stride = gridDim.x * RD_DEFERRED_THREADS;
    int32_t touched = 0, newborn = 0;
    rd_small_bring(all, w);
    for (uint32_t i = blockIdx.x * RD_DEFERRED_THREADS + threadIdx.x; i < n; i += stride) {
        int64_t n_newborn = count_events(f, deferred.voxel[i]);
        if (n_newborn == -2)
            n_newborn = count_events_plainly(&w, deferred.voxel[i]);
        touched += n_newborn >= 0;
        rd_hold_newborn(&w.lists, &newborn, n_newborn);
    }
    rd_expect_of_warp(&w.lists, touched, newborn);
}

static __global__ void __launch_bounds__(RD_DEFERRED_THREADS, BLOCKS_EACH)
    maintain_small(const __grid_constant__ struct rd_world w,
                   const __grid_constant__ struct rd_keys event_keys,
                   const __grid_constant__ struct rd_keys individual_keys,
                   struct rd_deferred deferred)
{
    __shared__ struct rd_columns all;
    struct rd_small_voxel f = {w, event_keys, individual_keys, all, {0}};
    if (rd_is_halted(&w))
        return;
    const uint32_t n = *deferred.n, stride = gridDim.x * RD_DEFERRED_THREADS;
    rd_small_bring(all, w);
    for (uint32_t begin = blockIdx.x * RD_DEFERRED_THREADS; begin < n; begin += stride) {
        const bool is_one = begin + threadIdx.x < n;
        const int64_t voxel = is_one ? deferred.voxel[begin + threadIdx.x] : 0;
        rd_make_capacity(&w, voxel, is_one);
        const bool is_done = is_one && maintain(f, voxel);
        __syncwarp();
        add_event_sums(f, is_done);
        if (is_one && !is_done)
            maintain_plainly(&w, voxel);
        __syncwarp();
    }
}

/* Returns whether most voxels of the world fit in columns of shared memory. */
static bool is_small(const struct rd_world *w)
{
    return w->reactions.is_simple && w->items.n_maintained > 0 && w->runs.n_frozen == 0 &&
           w->counts.n_species <= RD_SMALL_SPECIES && w->lists.n_list <= RD_SMALL_LISTS &&
           w->reactions.n_reactions <= RD_REACTIONS_IN_BLOCK &&
           w->reactions.n_reactant <= RD_SHARED_REACTANTS &&
           w->lists.n_key <= LOAD_MOST * w->lattice.n_voxels;
}

static void react_all_small(const struct rd_world *w, struct rd_deferred deferred,
                            cudaStream_t stream)
{
    const struct rd_keys keys = rd_keys_of(w->pass.seed, RD_FOR_REACT, w->pass.part);
    react_small<<<RD_EVENT_BLOCKS, RD_DEFERRED_THREADS, 0, stream>>>(*w, keys, deferred);
}

static void maintain_all_small(const struct rd_world *w, struct rd_deferred deferred,
                               cudaStream_t stream)
{
    const struct rd_keys keys = rd_keys_of(w->pass.seed, RD_FOR_REACT, w->pass.part);
    const struct rd_keys individual = rd_keys_of(w->pass.seed, RD_FOR_INDIVIDUAL, w->pass.part);
    maintain_small<<<rd_blocks_for(BLOCKS_EACH), RD_DEFERRED_THREADS, 0, stream>>>(
        *w, keys, individual, deferred);
}

/* Does the same as rd_react for each voxel, but a warp adds the needs of all its voxels
   together. */
static __global__ void __launch_bounds__(RD_DEFERRED_THREADS)
    react_deferred(const __grid_constant__ struct rd_world w, struct rd_deferred deferred)
{
    const uint32_t n = *deferred.n, stride = gridDim.x * blockDim.x;
    int32_t touched = 0, newborn = 0;
    for (uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
        if (w.items.n_maintained == 0) {
            rd_react(&w, deferred.voxel[i]);
            continue;
        }
        struct rd_ssa ssa;
        rd_ssa_open(&ssa, &w, deferred.voxel[i]);
        const int64_t n_newborn = rd_count_events(&ssa);
        touched += n_newborn >= 0;
        rd_hold_newborn(&w.lists, &newborn, n_newborn);
    }
    rd_expect_of_warp(&w.lists, touched, newborn);
}

void rd_simple_react(const struct rd_world *w, struct rd_deferred deferred, cudaStream_t stream)
{
    if (is_small(w))
        react_all_small(w, deferred, stream);
    else
        react_deferred<<<RD_EVENT_BLOCKS, RD_DEFERRED_THREADS, 0, stream>>>(*w, deferred);
}

void rd_simple_maintain(const struct rd_world *w, struct rd_deferred deferred, cudaStream_t stream)
{
    if (is_small(w))
        maintain_all_small(w, deferred, stream);
    else
        rd_maintain_deferred<<<RD_EVENT_BLOCKS, RD_DEFERRED_THREADS, 0, stream>>>(*w, deferred);
}
