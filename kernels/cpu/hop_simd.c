/* hop_simd - the tuned version of hop for the CPU. Voxels with few molecules of each kind are drawn
   together: first the molecules that leave, then the destinations of many leavers, so that calls
   are made side by side. Voxels with many molecules, and those whose molecules walk by waiting
   times, are left to the plain body. */
#include "kernels/cpu/hop_simd.h"

#include "kernels/cpu/inner_arrivals.h"
#include "kernels/cpu/walk_simd.h"
#include "kernels/cpu/zeros.h"

enum { DRAWN_MOST = 4 * RD_BUNCH }; /* molecules of a voxel */

/* Sets the least species for which those present are listed for each block of voxels, and most. */
enum { MANY_SPECIES = 32, SPECIES_MOST = 4096 };

/* Holds voxels whose molecules are to be drawn, and the numbers of these molecules. */
struct undrawn {
    struct rd_calls stay;
    int n;
    int64_t voxel[RD_BUNCH];
    int32_t n_hopping[RD_BUNCH];
};

/* Holds leavers that move by displacement distributions; each has its number among the molecules of
   its voxel that were drawn. */
struct sent {
    struct rd_calls where;
    int64_t voxel[RD_BUNCH];
    int32_t species[RD_BUNCH];
    uint32_t number[RD_BUNCH];
    struct rd_hop_state from; /* voxel and species of the last one */
};

struct hops {
    const struct rd_world *w;
    struct undrawn undrawn;
    struct sent sent;
    struct rd_uniformised_walks uniformised_walks;
    bool is_listed; /* only the listed species are in the voxels to draw */
    int32_t n_present;
    int32_t present[SPECIES_MOST]; /* species in the block of voxels that hop, in their order */
};

/* Sends a leaver that arrives within the lattice, by the words of rd_send_one; returns false for
   any other. Most move along one axis, which a branch could not predict. */
static inline bool send_near(const struct rd_hop_state *h, const uint32_t word[4])
{
    int64_t voxel = h->p.voxel;
    for (uint32_t axes = rd_departure_axes(rd_way(h, word[0])); axes != 0; axes &= axes - 1) {
        const int axis = rd_lowest_axis(axes);
        if (!rd_step_near(h, axis, word[1 + axis], &voxel))
            return false;
    }
    rd_add_arrivals(rd_arrivals_at(h->w, h->species, voxel), 1); /* without rows */
    return true;
}

static void send_all_hops(struct hops *t)
{
    struct sent *const x = &t->sent;
    const int n = x->where.n;
    rd_calls_make(&x->where, &t->w->pass, RD_FOR_WHERE);
    for (int k = 0; k < n; k++) {
        const bool is_new = x->voxel[k] != x->from.p.voxel;
        if (is_new)
            rd_hop_state_begin(&x->from, t->w, x->voxel[k]);
        if (is_new || x->species[k] != x->from.species)
            rd_hop_state_aim(&x->from, x->species[k]);
        x->from.n_drawn = x->number[k];
        if (!send_near(&x->from, &x->where.word[4 * k]))
            rd_send_one(&x->from, &x->where.word[4 * k]);
    }
}

static void add_sent(struct hops *t, int64_t voxel, int32_t species, uint32_t number)
{
    struct sent *const x = &t->sent;
    if (x->where.n == RD_BUNCH)
        send_all_hops(t);
    x->voxel[x->where.n] = voxel;
    x->species[x->where.n] = species;
    x->number[x->where.n] = number;
    rd_calls_add(&x->where, t->w, voxel, number, 1);
}

/* Lists those of n molecules that leave by their words, as numbers in the voxel. There is no
   branch, since it could not be predicted, except for words that equal the threshold. */
static int32_t list_hop_leavers(struct rd_hop_state *h, const uint32_t *word, int32_t n,
                                uint32_t *leaver)
{
    const uint64_t threshold = rd_leave_threshold(h);
    const uint32_t high = (uint32_t)(threshold >> 32);
    int32_t n_leavers = 0;
    for (int32_t k = 0; k < n; k++, h->n_drawn++) {
        leaver[n_leavers] = h->n_drawn;
        n_leavers += word[h->n_drawn] < high;
        if (word[h->n_drawn] == high)
            n_leavers += rd_low_word(h, 0) < (uint32_t)threshold;
    }
    return n_leavers;
}

/* Draws the molecules of a species, by these words. Leavers that walk by waiting times are added to
   the walkers, of which it returns the number. */
static inline int32_t draw_species(struct hops *t, struct rd_hop_state *h, int32_t s,
                                   const uint32_t *word, int32_t *walker, int32_t n_walkers)
{
    const struct rd_world *const w = t->w;
    uint32_t leaver[DRAWN_MOST];
    int32_t *const count = &w->counts.count[s * w->lattice.n_voxels + h->p.voxel];
    if (*count == 0 || !rd_is_hopping(&w->movement.transport[s]))
        return n_walkers;
    rd_hop_state_aim(h, s);
    const int32_t n = list_hop_leavers(h, word, *count, leaver);
    *count -= n;
    for (int32_t k = 0; k < n; k++)
        if (h->transport->kind == RD_MOVE_WALK)
            walker[n_walkers++] = s;
        else
            add_sent(t, h->p.voxel, s, leaver[k]);
    return n_walkers;
}

/* Draws all molecules of the voxel that hop, by these words. */
static void draw_voxel(struct hops *t, int64_t voxel, const uint32_t *word)
{
    const struct rd_world *const w = t->w;
    int32_t walker[RD_WALKERS_MOST], n_walkers = 0;
    struct rd_hop_state h;
    rd_hop_state_begin(&h, w, voxel);
    if (t->is_listed)
        for (int32_t i = 0; i < t->n_present; i++)
            n_walkers = draw_species(t, &h, t->present[i], word, walker, n_walkers);
    else
        for (int32_t s = 0; s < w->counts.n_species; s++)
            n_walkers = draw_species(t, &h, s, word, walker, n_walkers);
    if (n_walkers > 0)
        rd_uniformised_walks_add(&t->uniformised_walks, w, voxel, walker, n_walkers);
}

static void draw_all(struct hops *t)
{
    struct undrawn *const a = &t->undrawn;
    const uint32_t *word = a->stay.word;
    rd_calls_make(&a->stay, &t->w->pass, RD_FOR_STAY);
    for (int i = 0; i < a->n; i++) {
        draw_voxel(t, a->voxel[i], word);
        word += (a->n_hopping[i] + 3) / 4 * 4;
    }
    a->n = 0;
}

static void add_drawn(struct hops *t, int64_t voxel, int32_t n)
{
    struct undrawn *const a = &t->undrawn;
    const int n_calls = (n + 3) / 4;
    if (a->stay.n + n_calls > RD_BUNCH)
        draw_all(t);
    a->voxel[a->n] = voxel;
    a->n_hopping[a->n++] = n;
    rd_calls_add(&a->stay, t->w, voxel, 0, n_calls);
}

/* Counts the molecules to draw in each of n voxels; more than DRAWN_MOST: the voxel is for the
   plain body. Lists the species that are present. */
static void count_hopping(struct hops *t, int64_t begin, int n, uint32_t all[RD_BUNCH])
{
    const struct rd_world *const w = t->w;
    memset(all, 0, RD_BUNCH * sizeof *all);
    t->n_present = 0;
    for (int32_t s = 0; s < w->counts.n_species; s++) {
        const struct rd_transport *const m = &w->movement.transport[s];
        const bool waits = m->kind == RD_MOVE_WALK && m->uniformised_walks < 0;
        const int32_t few = waits ? 1 : RD_BATCH_LEAST;
        const int32_t *const count = w->counts.count + s * w->lattice.n_voxels + begin;
        if (!rd_is_hopping(m) || (t->is_listed && !rd_has_any(count, n)))
            continue;
        if (t->is_listed)
            t->present[t->n_present++] = s;
        for (int k = 0; k < n; k++)
            all[k] += count[k] < few ? (uint32_t)count[k] : DRAWN_MOST + 1;
    }
}

/* Runs the plain body. It is not inlined, since the compiler then produces slower samplers. */
static __attribute__((noinline)) void hop_plainly(const struct rd_world *w, int64_t voxel)
{
    rd_hop(w, voxel);
}

static void hop_bunch(struct hops *t, int64_t begin, int n)
{
    uint32_t all[RD_BUNCH];
    count_hopping(t, begin, n, all);
    for (int k = 0; k < n; k++) {
        const int64_t voxel = begin + k;
        if (all[k] > DRAWN_MOST)
            hop_plainly(t->w, voxel);
        else if (all[k] > 0 &&
                 !rd_is_frozen(&t->w->runs, rd_place_apart(&t->w->lattice, voxel).run))
            add_drawn(t, voxel, (int32_t)all[k]);
    }
    if (t->is_listed) /* the next block has another list */
        draw_all(t);
}

void rd_hop_portion(const struct rd_world *w, int64_t begin, int64_t end)
{
    struct hops t;
    t.w = w;
    t.undrawn.n = 0;
    t.is_listed = w->counts.n_species >= MANY_SPECIES && w->counts.n_species <= SPECIES_MOST;
    rd_calls_begin(&t.undrawn.stay);
    rd_calls_begin(&t.sent.where);
    t.sent.from.p.voxel = -1;
    rd_uniformised_walks_begin(&t.uniformised_walks, &w->lattice);
    for (int64_t voxel = begin; voxel < end; voxel += RD_BUNCH)
        hop_bunch(&t, voxel, (int)(end - voxel < RD_BUNCH ? end - voxel : RD_BUNCH));
    draw_all(&t);
    send_all_hops(&t);
    rd_uniformised_walks_end(&t.uniformised_walks, w);
}

/* Adds the arrivals of a species to the counts of n voxels. Returns false, without a change, if a
   sum of arrivals or a count would pass INT32_MAX. */
static inline bool land_block(int32_t *restrict count, int32_t *restrict arrive, int64_t n)
{
    int32_t sign = 0;
    for (int64_t k = 0; k < n; k++)
        sign |= arrive[k] | (int32_t)((uint32_t)count[k] + (uint32_t)arrive[k]);
    if (sign < 0)
        return false;
    for (int64_t k = 0; k < n; k++) {
        count[k] += arrive[k];
        arrive[k] = 0;
    }
    return true;
}

void rd_land_portion(const struct rd_world *w, int64_t begin, int64_t end)
{
    for (int32_t s = 0; s < w->counts.n_species; s++)
        for (int64_t at = begin; at < end; at += RD_BUNCH) {
            const int64_t n = end - at < RD_BUNCH ? end - at : RD_BUNCH;
            const int64_t i = s * w->lattice.n_voxels + at;
            if (!rd_has_any(w->counts.arrive + i, n) ||
                land_block(w->counts.count + i, w->counts.arrive + i, n))
                continue;
            for (int64_t voxel = at; voxel < at + n; voxel++)
                rd_land_one(w, s, voxel);
        }
}
