/* move_simd - the tuned version of move for the CPU. The calls of a bunch of individuals are made
   side by side, so that the compiler can use wide registers; those of one voxel look up its tables
   once. */
#include "kernels/cpu/move_simd.h"

#include "kernels/cpu/inner_arrivals.h"
#include "kernels/cpu/philox_simd.h"
#include "kernels/passes/movement/move.h"

/* Sets the counter of each entry's call, in the layout of rd_stream_of; columns behind the last
   entry use voxel 0. */
static void count_bunch(const struct rd_world *w, int64_t begin, int n, struct rd_bunch *c)
{
    const uint32_t *const key = w->lists.key + w->lists.now.base + begin;
    const int32_t *const first = w->lists.first + w->lists.now.voxels;
    for (int k = 0; k < RD_BUNCH; k++) {
        const int64_t voxel = k < n ? (int64_t)key[k] : 0;
        const int64_t run = w->lattice.n_runs == 1 ? 0 : voxel / w->lattice.n_sites;
        const struct rd_stream s =
            rd_stream_of(w->pass.seed, w->lattice.first_run + run, w->pass.step_clock->step,
                         RD_FOR_MOVE + (uint32_t)w->lists.at_list, w->pass.part,
                         RD_MOVE_ITEM(RD_MOVE_VOXEL, voxel - run * w->lattice.n_sites));
        c->w[0][k] = (uint32_t)(begin + k - first[voxel]);
        for (int i = 1; i < 4; i++)
            c->w[i][k] = s.counter[i];
    }
}

/* Returns the high half of the threshold of leaving a place, if it is the same for all; else
   UINT32_MAX. */
static uint32_t most_to_leave(const struct rd_transport *m)
{
    if (m->kind != RD_MOVE_DISPLACEMENTS)
        return m->hop_rate_kind == RD_HOP_RATE_ALIKE
                   ? (uint32_t)(rd_threshold(m->hop_rate.probability) >> 32)
                   : UINT32_MAX;
    const bool is_uniform =
        m->axis_table[0].reach == 0 && m->axis_table[1].reach == 0 && m->axis_table[2].reach == 0;
    return is_uniform ? (uint32_t)(m->inner.leave >> 32) : UINT32_MAX;
}

/* Lists the numbers in the bunch of individuals that may leave: not those whose first word excludes
   it at every place. There is no branch, since it could not be predicted. */
static int list_move_leavers(const struct rd_transport *m, const struct rd_bunch *words, int n,
                             uint8_t *leaver)
{
    const uint32_t high = most_to_leave(m);
    int n_leavers = 0;
    for (int k = 0; k < n; k++) {
        leaver[n_leavers] = (uint8_t)k;
        n_leavers += words->w[0][k] <= high;
    }
    return n_leavers;
}

/* Moves an individual by displacement distributions within the lattice, along two axes at most, by
   the words of rd_move_by_displacements; returns false for any other. */
static inline bool move_near(struct rd_transport_of *h, const uint32_t word[4])
{
    enum { ALL_AXES = 7 };
    int64_t voxel = h->hop.p.voxel;
    h->hop.n_drawn = (uint32_t)h->number;
    if (h->hop.transport->kind != RD_MOVE_DISPLACEMENTS ||
        word[0] >= (uint32_t)(h->hop.departure->leave >> 32))
        return false;
    uint32_t axes = rd_departure_axes(rd_way(&h->hop, word[1]));
    if (axes == ALL_AXES)
        return false;
    for (int n = 2; axes != 0; axes &= axes - 1, n++)
        if (!rd_step_near(&h->hop, rd_lowest_axis(axes), word[n], &voxel))
            return false;
    h->hop.w->lists.key[h->entry] = (uint32_t)voxel;
    return true;
}

/* Moves a bunch of n entries whose species uses words of their voxel. */
static void move_bunch(const struct rd_world *w, int64_t begin, int n)
{
    struct rd_bunch words;
    const struct rd_stream s =
        rd_stream_of(w->pass.seed, 0, 0, RD_FOR_MOVE + (uint32_t)w->lists.at_list, w->pass.part, 0);
    count_bunch(w, begin, n, &words);
    uint32_t number[RD_BUNCH];
    memcpy(number, words.w[0], sizeof number);
    rd_bunch_call(&words, s.key);
    uint8_t leaver[RD_BUNCH];
    const int n_leavers =
        list_move_leavers(&w->movement.transport[w->lists.now.species], &words, n, leaver);
    struct rd_transport_of h;
    int64_t at = -1;
    for (int i = 0; i < n_leavers; i++) {
        const int k = leaver[i];
        h.entry = w->lists.now.base + begin + k;
        h.number = (int32_t)number[k];
        if (w->lists.key[h.entry] != at) {
            at = w->lists.key[h.entry];
            rd_move_aim(&h, w, at);
        }
        const uint32_t word[4] = {words.w[0][k], words.w[1][k], words.w[2][k], words.w[3][k]};
        if (!move_near(&h, word))
            rd_move_by_words(&h, word);
    }
}

void rd_move_portion(const struct rd_world *w, int64_t begin, int64_t end)
{
    if (!rd_moves_by_words(&w->movement.transport[w->lists.now.species]) || w->runs.n_frozen > 0) {
        for (int64_t i = begin; i < end; i++)
            rd_move(w, i);
        return;
    }
    for (int64_t i = begin; i < end; i += RD_BUNCH)
        move_bunch(w, i, (int)(end - i < RD_BUNCH ? end - i : RD_BUNCH));
}
