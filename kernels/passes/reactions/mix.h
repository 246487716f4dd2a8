/* mix - species in voxels and in a compartment that exchange molecules infinitely fast: each step
   places their molecules anew.

   Each molecule is in the compartment with the same probability, and otherwise in a voxel with a
   probability in proportion to its volume or area. The numbers are exact: a binomial number for the
   compartment, then binomial numbers for blocks of voxels, then for the voxels of each block
   (conditional binomials: Devroye, Non-Uniform Random Variate Generation, 1986, XI.1.4). */
#ifndef RD_PASSES_REACTIONS_MIX_H
#define RD_PASSES_REACTIONS_MIX_H

#include "kernels/core/draw.h"
#include "kernels/passes/reactions/ssa.h"

/* Sets the voxels of a block; below this many molecules for each voxel they are placed one by
   one. */
enum { RD_MIX_BLOCK = 1024, RD_MIX_FEW = 2 };

RD_FN int64_t rd_mix_blocks(const struct rd_lattice *lattice)
{
    return (lattice->n_sites + RD_MIX_BLOCK - 1) / RD_MIX_BLOCK;
}

/* Describes a block of the voxels of a mixing in a run. */
struct rd_mix_block {
    const struct rd_mixing *mixing;
    const struct rd_landing *landing; /* all voxels of the mixing */
    int64_t run, item;                /* item: mixing and block */
    int64_t begin, end;               /* its voxels */
};

/* Returns the block with this number among all runs and mixings; it may have no voxels. */
RD_FN struct rd_mix_block rd_mix_block_of(const struct rd_world *w, int64_t number)
{
    const int64_t blocks = rd_mix_blocks(&w->lattice), in_run = w->exchanges.n_mixing * blocks;
    struct rd_mix_block b;
    b.run = number / in_run;
    b.item = number % in_run;
    b.mixing = &w->exchanges.mixing[b.item / blocks];
    b.landing = w->exchanges.landing + b.mixing->landing;
    b.begin = b.item % blocks * RD_MIX_BLOCK;
    b.end =
        b.begin + RD_MIX_BLOCK < b.mixing->n_landing ? b.begin + RD_MIX_BLOCK : b.mixing->n_landing;
    return b;
}

/* Returns the volume or area of the first n voxels. */
RD_FN double rd_mix_upto(const struct rd_landing *landing, int64_t n)
{
    return n > 0 ? landing[n - 1].upto : 0.0;
}

/* Returns the counts of a mixed species in the run; it has a column. */
RD_FN int32_t *rd_mix_counts(const struct rd_world *w, int32_t species, int64_t run)
{
    return w->counts.count + rd_column_of(w, species) * w->lattice.n_voxels +
           run * w->lattice.n_sites;
}

/* Returns the number of `n` molecules that are in the voxels from begin to end, if they are in
   those from begin on. */
RD_FN int64_t rd_mix_draw(struct rd_stream *stream, const struct rd_mixing *m,
                          const struct rd_landing *landing, int64_t begin, int64_t end, int64_t n)
{
    const double before = rd_mix_upto(landing, begin), here = rd_mix_upto(landing, end) - before,
                 left = rd_mix_upto(landing, m->n_landing) - before;
    return end == m->n_landing || !(here < left) ? n : rd_binomial(stream, n, here / left);
}

/* Counts the molecules in a block. */
RD_FN void rd_mix_count(const struct rd_world *w, int64_t number)
{
    const struct rd_mix_block b = rd_mix_block_of(w, number);
    const int32_t *const count = rd_mix_counts(w, b.mixing->placed, b.run);
    int64_t n = 0;
    for (int64_t i = b.begin; i < b.end; i++)
        n += count[b.landing[i].site];
    w->exchanges.mixed_number[number] = n;
}

/* Draws the numbers of a mixing: of the compartment, and of each block. */
RD_FN void rd_mix_share(const struct rd_world *w, int64_t item)
{
    const int64_t blocks = rd_mix_blocks(&w->lattice), run = item / w->exchanges.n_mixing,
                  which = item % w->exchanges.n_mixing;
    const struct rd_mixing *const m = &w->exchanges.mixing[which];
    int64_t *const in_block = w->exchanges.mixed_number + item * blocks;
    int32_t *const mixed = rd_mix_counts(w, m->mixed, run) + RD_MIXED_SITE;
    if (rd_is_frozen(&w->runs, run))
        return;
    struct rd_stream stream = rd_stream_of(w->pass.seed, w->lattice.first_run + run,
                                           w->pass.step_clock->step, RD_FOR_MIX, 0, which);
    int64_t all = *mixed;
    for (int64_t k = 0; k < blocks; k++)
        all += in_block[k];
    const int64_t now = rd_binomial(&stream, all, m->share), gained = now - *mixed;
    if (now > INT32_MAX)
        rd_fault_of_count(w, run * w->lattice.n_sites + RD_MIXED_SITE, m->reaction, m->mixed, now);
    int64_t left = all - now;
    for (int64_t k = 0; k < blocks; k++) {
        const struct rd_mix_block b = rd_mix_block_of(w, item * blocks + k);
        in_block[k] =
            b.begin < b.end ? rd_mix_draw(&stream, m, b.landing, b.begin, b.end, left) : 0;
        left -= in_block[k];
    }
    *mixed = (int32_t)(now > INT32_MAX ? INT32_MAX : now);
    rd_add_i64(
        &w->counts.fired[rd_sums_of(&w->lattice, run, RD_MIXED_SITE) * w->reactions.n_reactions +
                         (gained > 0 ? m->reaction : m->back)],
        gained > 0 ? gained : -gained);
}

/* Adds a molecule to a voxel of the block; u is uniform. */
RD_FN void rd_mix_put(const struct rd_mix_block *b, int32_t *count, double u)
{
    const double before = rd_mix_upto(b->landing, b->begin),
                 aim = before + u * (rd_mix_upto(b->landing, b->end) - before);
    int64_t low = b->begin, high = b->end - 1;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (aim < b->landing[middle].upto)
            high = middle;
        else
            low = middle + 1;
    }
    count[b->landing[low].site]++;
}

/* Places the molecules of a block in its voxels. */
RD_FN void rd_mix_place(const struct rd_world *w, int64_t number)
{
    const struct rd_mix_block b = rd_mix_block_of(w, number);
    int32_t *const count = rd_mix_counts(w, b.mixing->placed, b.run);
    int64_t left = w->exchanges.mixed_number[number];
    if (b.begin >= b.end || rd_is_frozen(&w->runs, b.run))
        return;
    struct rd_stream stream = rd_stream_of(w->pass.seed, w->lattice.first_run + b.run,
                                           w->pass.step_clock->step, RD_FOR_MIX, 1, b.item);
    for (int64_t i = b.begin; i < b.end; i++)
        count[b.landing[i].site] = 0;
    if (left < RD_MIX_FEW * (b.end - b.begin)) {
        for (; left > 0; left--)
            rd_mix_put(&b, count, rd_uniform(&stream));
        return;
    }
    struct rd_mixing block = *b.mixing; /* its voxels end with the block */
    block.n_landing = b.end;
    for (int64_t i = b.begin; i < b.end; i++) {
        const int64_t n = rd_mix_draw(&stream, &block, b.landing, i, i + 1, left);
        if (n > INT32_MAX) {
            rd_fault_of_count(w, b.run * w->lattice.n_sites + b.landing[i].site, block.back,
                              block.placed, n);
            return;
        }
        count[b.landing[i].site] = (int32_t)n;
        left -= n;
    }
}

#endif
