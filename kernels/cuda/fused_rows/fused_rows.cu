/* fused_rows - decides which steps of rare species run as one kernel, and owns the memory that it
   needs in addition to the world's. */
#include "kernels/cuda/backend/fused_rows.cuh"

#include "kernels/cuda/backend/machine.cuh"
#include "kernels/cuda/fused_rows/steps_of_rows.cuh"

#include <stdlib.h>
#include <string.h>

/* Sets the least size of tiles, the shared memory of a block that its state takes, and the words
   and events per tile for which there is device memory. */
enum {
    VOXELS_BITS_LEAST = 8,
    VOXELS_BITS_MOST = 14,
    STATE_BYTES = 10 * 1024,
    OUTBOX_WORDS = 1024,
    FIRED_MOST = 2048
};
/* Sets the least words of a tile, and words for each entry that it has on average. */
enum { WORDS_LEAST = 512, SPARE_LEAST = 2, SPARE_MOST = 1 << 12 };
static_assert(sizeof(struct rd_row_tile) <= STATE_BYTES, "the state of a block fits");

struct rd_fused_rows {
    rd_machine *machine;
    char *capacity;          /* device memory */
    const struct rd_row *of; /* the rows that it was made for, and their number */
    int64_t n_of;
    bool fits;
    int32_t declined;          /* why the last steps were not fused */
    int spare;                 /* words of a tile for each entry that it has on average */
    struct rd_row_steps steps; /* without worlds and steps */
};

/* Returns whether the world has only what the kernel handles; large counts, and walks by rates that
   change, show later. */
static bool has_rows_only(const struct rd_world *w)
{
    return w->rows.n_row > 0 && w->rows.n_columned == 0 && w->lists.n_list == 0 &&
           !w->reactions.has_expressions && w->reactions.runs_per_vector == 0 &&
           !w->movement.has_uniformised_walks && w->counts.n_lost == 0 &&
           w->items.n_substepped == 0 && w->items.n_inlets == 0 && w->runs.n_frozen == 0 &&
           !w->runs.faults_are_separate && w->runs.n_first_faulting_pass > 0 &&
           w->lattice.n_voxels <= UINT32_MAX && w->counts.n_fired <= UINT32_MAX;
}

/* Returns the most bytes of shared memory for the data of a tile. */
static int64_t shared_bytes(const cudaDeviceProp *p)
{
    return (int64_t)p->sharedMemPerMultiprocessor / RD_ROW_BLOCKS_EACH -
           (int64_t)p->reservedSharedMemPerBlock - STATE_BYTES;
}

/* Sets the offsets of a tile's data in at most `bytes` bytes of shared memory, with room for so
   many words if possible: the rest caches tables. Returns false if it does not fit. */
static bool lay_out_tile(struct rd_row_steps *k, int64_t bytes, int64_t n_words)
{
    const int32_t voxels = 1 << k->tiling.voxels_bits;
    struct rd_row_layout *const l = &k->layout;
    const int64_t fixed = voxels * (int64_t)(sizeof(uint32_t) + sizeof(uint16_t)) + voxels / 8 +
                          RD_ROW_WARPS * (int64_t)sizeof(struct rd_row_possible);
    const int64_t most = (bytes - fixed) / 10; /* two words, and half a leaver */
    if (most < voxels / 4)
        return false;
    n_words = n_words < most ? n_words : most;
    n_words = n_words < 1 << RD_WORD_BITS ? n_words : 1 << RD_WORD_BITS;
    l->n_words = (uint32_t)(n_words / 32 * 32);
    l->n_leavers = l->n_words / 2;
    l->possible = (int32_t)(2 * l->n_words * sizeof(uint32_t));
    l->end = l->possible + RD_ROW_WARPS * (int32_t)sizeof(struct rd_row_possible);
    l->leaver = l->end + voxels * (int32_t)sizeof(uint32_t);
    l->is_candidate = l->leaver + (int32_t)(l->n_leavers * sizeof(uint32_t));
    l->candidate = l->is_candidate + voxels / 8;
    l->all = l->candidate + voxels * (int32_t)sizeof(uint16_t);
    return true;
}

/* Chooses the smallest tiles for which all blocks are resident together. Returns false if there are
   none. */
static bool choose_row_tiles(struct rd_row_steps *k, const struct rd_world *w,
                             const cudaDeviceProp *p, int spare)
{
    const int64_t n_blocks = (int64_t)RD_ROW_BLOCKS_EACH * p->multiProcessorCount;
    for (k->species_bits = 1; w->counts.n_species > 1 << k->species_bits;)
        k->species_bits++;
    for (int bits = VOXELS_BITS_LEAST; bits <= VOXELS_BITS_MOST; bits++) {
        k->tiling.voxels_bits = bits;
        rd_choose_tile_boxes(&k->tiling, &w->lattice);
        if (k->tiling.n_tiles <= n_blocks)
            return !k->tiling.is_line && bits + k->species_bits + RD_COUNT_BITS <= 32 &&
                   lay_out_tile(k, shared_bytes(p),
                                spare * w->rows.n_entry / k->tiling.n_tiles + WORDS_LEAST);
    }
    return false;
}

/* Sets the addresses of all arrays in the memory. Returns its size in bytes. */
static size_t lay_out_memory(struct rd_row_steps *k, char *capacity)
{
    const size_t tiles = (size_t)k->tiling.n_tiles;
    size_t at = 0;
    k->n_arrived = (uint32_t *)rd_arena_place(capacity, &at, sizeof *k->n_arrived);
    k->n_failed = (uint32_t *)rd_arena_place(capacity, &at, sizeof *k->n_failed);
    k->n_entries = (int64_t *)rd_arena_place(capacity, &at, sizeof *k->n_entries);
    for (int side = 0; side < 2; side++) {
        struct rd_row_outbox *const o = &k->outbox[side];
        o->capacity = OUTBOX_WORDS;
        o->n = (uint32_t *)rd_arena_place(capacity, &at, tiles * sizeof *o->n);
        o->word = (uint32_t *)rd_arena_place(capacity, &at, tiles * o->capacity * sizeof *o->word);
    }
    k->n_fired_most = FIRED_MOST;
    k->fired = (uint32_t *)rd_arena_place(capacity, &at, tiles * FIRED_MOST * sizeof *k->fired);
    return at;
}

/* Returns whether the kernel is possible for the world, and sets its tiles. */
static bool can_fuse_rows(struct rd_row_steps *k, const struct rd_world *w, const cudaDeviceProp *p,
                          int spare)
{
    return has_rows_only(w) && choose_row_tiles(k, w, p, spare);
}

size_t rd_fused_rows_capacity(const rd_machine *m, const struct rd_world *w)
{
    struct rd_row_steps *const k = (struct rd_row_steps *)calloc(1, sizeof *k);
    const size_t bytes =
        k && can_fuse_rows(k, w, &m->properties, SPARE_LEAST) ? lay_out_memory(k, NULL) : 0;
    free(k);
    return bytes;
}

rd_fused_rows *rd_fused_rows_open(rd_machine *m)
{
    rd_fused_rows *const f = (rd_fused_rows *)calloc(1, sizeof *f);
    if (f)
        f->machine = m;
    return f;
}

void rd_fused_rows_close(rd_fused_rows *f)
{
    if (f)
        rd_cuda_give(f->machine, f->capacity);
    free(f);
}

/* Takes the memory, and makes the kernel ready. Returns false if that is not possible. */
static bool take_tile_memory(rd_fused_rows *f)
{
    cudaError_t error;
    int n_blocks = 0;
    struct rd_row_steps *const k = &f->steps;
    const int64_t shared = shared_bytes(&f->machine->properties);
    const size_t bytes = lay_out_memory(k, NULL);
    if (cudaFuncSetAttribute(steps_of_rows, cudaFuncAttributeMaxDynamicSharedMemorySize,
                             (int)shared) != cudaSuccess ||
        cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n_blocks, steps_of_rows, RD_ROW_THREADS,
                                                      (size_t)shared) != cudaSuccess) {
        cudaGetLastError();
        return false;
    }
    if (n_blocks < RD_ROW_BLOCKS_EACH)
        return false;
    f->capacity = (char *)rd_cuda_take(f->machine, bytes, &error);
    if (!f->capacity)
        return false;
    lay_out_memory(k, f->capacity);
    return cudaMemsetAsync(f->capacity, 0, bytes, f->machine->stream) == cudaSuccess;
}

/* Gives the tiles more memory after steps could not be fused, and kernels fewer steps and so fewer
   events, for what may be the reason. */
static void make_spare(rd_fused_rows *f, const struct rd_world *w)
{
    if (f->declined == RD_DECLINED_STATE && !w->rows.declines && f->spare < SPARE_MOST) {
        f->spare *= 2;
        rd_queue_invalidate(f->machine);
        choose_row_tiles(&f->steps, w, &f->machine->properties, f->spare);
    }
    f->declined = w->rows.declines;
}

bool rd_fused_rows_load(rd_fused_rows *f, const struct rd_world *w)
{
    if (f->of == w->rows.row && f->n_of == w->rows.n_row) {
        if (f->fits)
            make_spare(f, w);
        return f->fits && has_rows_only(w); /* which may change during a run */
    }
    f->spare = SPARE_LEAST;
    f->declined = RD_DECLINED_NOT;
    rd_cuda_give(f->machine, f->capacity);
    f->capacity = NULL;
    f->of = w->rows.row;
    f->n_of = w->rows.n_row;
    memset(&f->steps, 0, sizeof f->steps);
    f->fits = can_fuse_rows(&f->steps, w, &f->machine->properties, f->spare) && take_tile_memory(f);
    return f->fits;
}

/* Returns the world without what differs between steps. */
static struct rd_world same_in_steps(const struct rd_world *w)
{
    struct rd_world same;
    memcpy(&same, w, sizeof same);
    same.pass.step_clock = NULL;
    same.pass.dt = 0.0;
    same.rows.entry = same.rows.entry_next = NULL;
    same.rows.n_entry = same.rows.n_entry_next = 0;
    return same;
}

static bool are_same_in_steps(const struct rd_world *a, const struct rd_world *b)
{
    const struct rd_world one = same_in_steps(a), other = same_in_steps(b);
    return memcmp(&one, &other, sizeof one) == 0;
}

/* Sets the world of the kernel, and what follows from it and the world of the last reactions. */
static void set_world(struct rd_row_steps *k, const struct rd_world *hop,
                      const struct rd_world *react)
{
    memcpy(&k->world, hop, sizeof k->world);
    k->stay = rd_keys_of(hop->pass.seed, RD_FOR_STAY, hop->pass.part);
    k->where = rd_keys_of(hop->pass.seed, RD_FOR_WHERE, hop->pass.part);
    k->event = rd_keys_of(react->pass.seed, RD_FOR_REACT, react->pass.part);
    k->pool = react->rows.entry;
    k->n_pool = react->rows.n_entry;
    k->first_clock = hop->pass.step_clock;
}

/* Returns the most steps of a kernel. */
static int steps_most(const rd_fused_rows *f)
{
    const int most = RD_ROW_STEPS_MOST * SPARE_LEAST / f->spare;
    return most > RD_FUSED_ROWS_LEAST ? most : RD_FUSED_ROWS_LEAST;
}

/* Returns how many of the n steps, of RD_ROW_STEP_PASSES calls each, differ in their clocks and the
   length of their reactions only. */
static int n_alike(const struct rd_call *c, int n)
{
    int i = 1;
    while (i < n && are_same_in_steps(&c[RD_ROW_STEP_PASSES * i].world, &c[0].world) &&
           are_same_in_steps(&c[RD_ROW_STEP_PASSES * (i + 1) - 1].world,
                             &c[RD_ROW_STEP_PASSES - 1].world))
        i++;
    return i;
}

int rd_fused_rows_run(rd_fused_rows *f, const struct rd_call *c, int n)
{
    struct rd_row_steps *const k = &f->steps;
    k->n = n_alike(c, n < steps_most(f) ? n : steps_most(f));
    if (k->n < RD_FUSED_ROWS_LEAST)
        return 0;
    set_world(k, &c[0].world, &c[RD_ROW_STEP_PASSES * k->n - 1].world);
    for (int i = 0; i < k->n; i++) {
        const struct rd_world *const hop = &c[RD_ROW_STEP_PASSES * i].world,
                                     *const react = &c[RD_ROW_STEP_PASSES * (i + 1) - 1].world;
        k->step[i].hop = (uint8_t)(hop->pass.step_clock - k->first_clock);
        k->step[i].react = (uint8_t)(react->pass.step_clock - k->first_clock);
        k->step[i].dt = react->pass.dt;
    }
    void *argument = (void *)k;
    cudaLaunchCooperativeKernel(steps_of_rows, (unsigned)k->tiling.n_tiles, RD_ROW_THREADS,
                                &argument, (size_t)k->layout.all, f->machine->stream);
    return k->n;
}
