/* hop - one voxel: how many of its molecules leave in a step, and where they go. The probabilities
   of the walk after the step are exact (src/plan/displacement.c): there is no error for any length
   of the step. Molecules of a voxel stand in canonical order (species by name, then number). Each
   takes one word to stay or leave, and a leaver one call more; RD_BATCH_LEAST or more of a kind are
   drawn as a binomial batch. */
#ifndef RD_PASSES_MOVEMENT_HOP_H
#define RD_PASSES_MOVEMENT_HOP_H

#include "kernels/core/draw.h"
#include "kernels/core/lattice.h"
#include "kernels/passes/movement/binomial_batch.h"
#include "kernels/passes/movement/departure.h"
#include "kernels/passes/movement/uniformised_walk.h"

/* The next functions find the wall that a molecule met first, if its walks along two or three axes
   were all absorbed in one step. Each walk is uniformised: jumps come at a constant rate, and the
   table gives the number of the jump that was absorbed. The time of the m-th of N jumps in a step
   is the m-th smallest of N uniform numbers. The method is exact. */

/* Returns a Poisson number with the mean, given that it is at least m. */
RD_FN int64_t rd_jumps_from(double mean, int64_t m, struct rd_stream *s)
{
    double total = 0.0, term = 1.0;
    for (int64_t n = m + 1; term > 1e-20 * total; n++) {
        total += term;
        term *= mean / (double)n;
    }
    double aim = rd_uniform(s) * total;
    term = 1.0;
    for (int64_t n = m;; n++) {
        aim -= term;
        term *= mean / (double)(n + 1);
        if (aim <= 0.0 ||
            ((double)n > mean && term < 1e-20 * total)) /* terms rise up to the mean */
            return n;
    }
}

/* Returns the time in the step (0 to 1) at which an absorbed walk was absorbed. */
RD_FN double rd_when_lost(const struct rd_movement *movement, int32_t when, struct rd_stream *s)
{
    const struct rd_when *const t = &movement->when[when];
    const uint32_t word = rd_word(s);
    int32_t i = 0;
    while (i < t->n - 1 && word >= movement->when_below[t->first + i])
        i++;
    const int64_t m = i + 1, n_jumps = rd_jumps_from(t->mean, m, s);
    double time = 0.0;
    for (int64_t j = 0; j < m; j++)
        time += (1.0 - time) * -rd_expm1(rd_log(rd_uniform(s)) / (double)(n_jumps - j));
    return time;
}

/* Holds the data of one voxel while its molecules are sent. */
struct rd_hop_state {
    const struct rd_world *w;
    struct rd_place p;
    struct rd_stream stay;
    struct rd_stream many, walk, first; /* rarely used: rd_hop_state_open opens them */
    bool is_open;
    uint32_t n_drawn;     /* molecules that took a word to stay or leave */
    uint32_t tie_purpose; /* purpose and item of the stream of low words */
    int64_t tie_item;

    int32_t species;
    const struct rd_transport *transport;
    const struct rd_hop_rate *hop_rate; /* unless RD_MOVE_DISPLACEMENTS */
    const struct rd_displacement *displacement[3];
    const struct rd_departure *departure;
    struct rd_departure own_departure; /* of a voxel near an end */
};

RD_FN struct rd_stream rd_hop_stream(const struct rd_world *w, const struct rd_place *p,
                                     uint32_t purpose)
{
    return rd_stream_of(w->pass.seed, w->lattice.first_run + p->run, w->pass.step_clock->step,
                        purpose, w->pass.part, p->site);
}

/* Opens the streams that most voxels do not need. */
RD_FN void rd_hop_state_open(struct rd_hop_state *h)
{
    if (h->is_open)
        return;
    h->is_open = true;
    h->many = rd_hop_stream(h->w, &h->p, RD_FOR_MANY);
    h->walk = rd_hop_stream(h->w, &h->p, RD_FOR_WALK);
    h->first = rd_hop_stream(h->w, &h->p, RD_FOR_FIRST);
}

/* Returns the displacement distribution of place i in the axis table. */
RD_FN const struct rd_displacement *rd_displacement_at(const struct rd_movement *movement,
                                                       const struct rd_axis_table *t, int32_t i)
{
    const int32_t from_low = i - t->lo, from_high = t->hi - 1 - i;
    int32_t r = t->reach;
    if (from_low < t->reach)
        r = from_low;
    else if (from_high < t->reach)
        r = 2 * t->reach - from_high;
    return &movement->displacement[t->first + r];
}

RD_FN bool rd_is_lost(int32_t shift)
{
    return shift == RD_LOST_LOW || shift == RD_LOST_HIGH;
}

/* Returns the face that took a molecule whose walks along several axes were absorbed: the first in
   time. */
RD_FN int rd_first_face(struct rd_hop_state *h, const int32_t shift[3])
{
    double earliest = 2.0;
    int face = 0;
    rd_hop_state_open(h);
    for (int axis = 0; axis < 3; axis++) {
        if (!rd_is_lost(shift[axis]))
            continue;
        const int high = shift[axis] == RD_LOST_HIGH;
        const double time =
            rd_when_lost(&h->w->movement, h->displacement[axis]->lost[high], &h->first);
        if (time < earliest) {
            earliest = time;
            face = 2 * axis + high;
        }
    }
    return face;
}

/* Returns place i on a periodic axis, for any number of turns of the walk. */
RD_FN int32_t rd_wrap(int32_t i, int32_t size)
{
    const int32_t rest = i % size;
    return rest < 0 ? rest + size : rest;
}

/* Sets at[] to the place shift[axis] voxels away along each axis. It returns the number of axes
   along which the molecule is lost, and in *face the face of the last of them. */
RD_FN int rd_shift_place(const struct rd_hop_state *h, const int32_t shift[3], int32_t at[3],
                         int *face)
{
    int n_lost = 0;
    for (int axis = 0; axis < 3; axis++) {
        at[axis] = 0;
        if (rd_is_lost(shift[axis])) {
            n_lost++;
            *face = 2 * axis + (shift[axis] == RD_LOST_HIGH);
            continue;
        }
        const int32_t to = h->p.at[axis] + shift[axis], size = h->w->lattice.size[axis];
        at[axis] = to < 0 || to >= size ? rd_wrap(to, size) : to;
    }
    return n_lost;
}

/* Records n molecules that walls took, along n_lost axes; with one axis the face is known. */
RD_FN void rd_lose_at_walls(struct rd_hop_state *h, const int32_t shift[3], int n_lost, int face,
                            int64_t n)
{
    if (n_lost == 1)
        rd_lose(h->w, h->species, &h->p, face, n);
    else
        for (int64_t k = 0; k < n; k++)
            rd_lose(h->w, h->species, &h->p, rd_first_face(h, shift), 1);
}

/* Returns the voxel at these coordinates in the same run. */
RD_FN int64_t rd_neighbour_of_place(const struct rd_hop_state *h, const int32_t at[3])
{
    return h->p.run * h->w->lattice.n_sites + rd_site_number(&h->w->lattice, at);
}

/* Sends n molecules of a batch shift[axis] voxels away, or records their loss at walls. */
RD_FN void rd_send(struct rd_hop_state *h, const int32_t shift[3], int64_t n)
{
    int32_t at[3];
    int face = 0;
    const int n_lost = rd_shift_place(h, shift, at, &face);
    if (n_lost == 0)
        rd_arrive(h->w, h->species, rd_neighbour_of_place(h, at), (int32_t)n);
    else
        rd_lose_at_walls(h, shift, n_lost, face, n);
}

/* Returns the low half of a random number whose high half equals a threshold. It comes from the
   molecule's call in the stream of ties: word 0 to stay or leave, word 1 for the axes. */
RD_FN uint32_t rd_low_word(const struct rd_hop_state *h, int which)
{
    uint32_t word[4];
    const struct rd_stream tie =
        rd_stream_of(h->w->pass.seed, h->w->lattice.first_run + h->p.run,
                     h->w->pass.step_clock->step, h->tie_purpose, h->w->pass.part, h->tie_item);
    rd_stream_call(&tie, h->n_drawn, word);
    return word[which];
}

/* Returns the combination of axes that the word selects. The thresholds rise, so that those below
   the word are only counted, without a branch; a tie takes the low word. */
RD_FN int rd_way(const struct rd_hop_state *h, uint32_t high)
{
    const struct rd_departure *const g = h->departure;
    int k = 0, ties = 0;
    for (int i = 0; i < RD_N_MOVES - 1; i++) {
        k += high > (uint32_t)(g->axes[i] >> 32);
        ties += high == (uint32_t)(g->axes[i] >> 32);
    }
    if (ties > 0) {
        const uint64_t number = (uint64_t)high << 32 | rd_low_word(h, 1);
        while (k < g->last && number >= g->axes[k])
            k++;
    }
    return k < g->last ? k : g->last;
}

/* Computes the displacement of one leaver from its own four words: the axes, and the shift along
   each. */
RD_FN void rd_shift_one(const struct rd_hop_state *h, const uint32_t word[4], int32_t shift[3])
{
    const uint32_t axes = rd_departure_axes(rd_way(h, word[0]));
    for (int axis = 0; axis < 3; axis++)
        shift[axis] =
            axes >> axis & 1 ? rd_shift(&h->w->movement, h->displacement[axis], word[1 + axis]) : 0;
}

/* Returns the voxel to which one leaver moves, by its own four words; -1 if a wall took it, which
   is then counted as lost. */
RD_FN int64_t rd_target_of_one(struct rd_hop_state *h, const uint32_t word[4])
{
    int32_t shift[3], at[3];
    int face = 0;
    rd_shift_one(h, word, shift);
    const int n_lost = rd_shift_place(h, shift, at, &face);
    if (n_lost == 0)
        return rd_neighbour_of_place(h, at);
    rd_lose_at_walls(h, shift, n_lost, face, 1);
    return -1;
}

/* Sends one of fewer than RD_BATCH_LEAST molecules by its own four words. */
RD_FN void rd_send_one(struct rd_hop_state *h, const uint32_t word[4])
{
    const int64_t to = rd_target_of_one(h, word);
    if (to >= 0)
        rd_arrive_one_of_small(h->w, h->species, to);
}

/* Returns the success probability of the next binomial draw, of rest[level] molecules. */
RD_FN double rd_binomial_batch_probability(const struct rd_binomial_batch *t,
                                           const struct rd_hop_state *h)
{
    if (t->level == RD_BINOMIAL_BATCH_LEAVES)
        return h->transport->kind == RD_MOVE_WALK ? h->hop_rate->probability
                                                  : h->departure->probability;
    const int32_t k = t->next[t->level];
    if (t->level == RD_BINOMIAL_BATCH_AXES)
        return rd_way_probability(h->departure, k);
    const struct rd_displacement *const displacement = h->displacement[t->axis];
    return rd_jump_probability(&h->w->movement.jump[displacement->first], displacement->n, k);
}

/* Applies the result of the draw, k successes, and sends the molecules whose displacement is
   complete. */
RD_FN void rd_binomial_batch_store(struct rd_binomial_batch *t, struct rd_hop_state *h, int32_t k)
{
    if (t->level == RD_BINOMIAL_BATCH_LEAVES) {
        t->left = k;
        t->rest[t->level] = 0;
        if (h->transport->kind == RD_MOVE_DISPLACEMENTS)
            rd_binomial_batch_send_on(t, k);
    } else {
        const int32_t which = t->next[t->level]++;
        t->rest[t->level] -= k;
        if (t->level == RD_BINOMIAL_BATCH_AXES) {
            t->axes = rd_departure_axes(which);
            t->shift[0] = t->shift[1] = t->shift[2] = 0;
            rd_binomial_batch_send_on(t, k);
        } else {
            t->shift[t->axis] = h->w->movement.jump[h->displacement[t->axis]->first + which].shift;
            if (rd_axis_from(t->axes, t->axis + 1) < 3)
                rd_binomial_batch_send_on(t, k);
            else if (k > 0)
                rd_send(h, t->shift, k);
        }
    }
    rd_binomial_batch_return(t);
}

/* Sends n molecules that attempt a hop in the step, and possibly others after it. */
RD_SELDOM void rd_send_walkers(struct rd_hop_state *h, int64_t n)
{
    if (n == 0)
        return;
    rd_hop_state_open(h);
    if (h->transport->uniformised_walks >= 0)
        rd_uniformised_walk(h->w, h->species, &h->p, n, &h->walk);
    else
        for (int64_t k = 0; k < n; k++)
            rd_set_off(h->w, h->species, h->hop_rate, h->hop_rate->probability, &h->p,
                       h->w->pass.dt, &h->walk);
}

/* Returns whether the next molecule leaves: by one word, and a second only if the first equals the
   threshold. */
RD_FN bool rd_leaves(struct rd_hop_state *h, uint64_t threshold)
{
    const uint32_t word = rd_word(&h->stay), high = (uint32_t)(threshold >> 32);
    return word == high ? rd_low_word(h, 0) < (uint32_t)threshold : word < high;
}

/* Returns the threshold of leaving, for molecules that are drawn one by one. */
RD_FN uint64_t rd_leave_threshold(const struct rd_hop_state *h)
{
    return h->transport->kind == RD_MOVE_WALK ? rd_threshold(h->hop_rate->probability)
                                              : h->departure->leave;
}

/* Draws one molecule and returns whether it left. Those of RD_MOVE_WALK are sent later, all
   together. */
RD_FN bool rd_draw_one(struct rd_hop_state *h, uint64_t threshold)
{
    const bool leaves = rd_leaves(h, threshold);
    if (leaves && h->transport->kind != RD_MOVE_WALK) {
        uint32_t word[4];
        const struct rd_stream where = rd_hop_stream(h->w, &h->p, RD_FOR_WHERE);
        rd_stream_call(&where, h->n_drawn, word);
        rd_send_one(h, word);
    }
    h->n_drawn++;
    return leaves;
}

/* Draws fewer than RD_BATCH_LEAST molecules of a kind; returns how many left. */
RD_FN int64_t rd_leave_few(struct rd_hop_state *h, int64_t n)
{
    const uint64_t threshold = rd_leave_threshold(h);
    int64_t left = 0;
    for (int64_t k = 0; k < n; k++)
        left += rd_draw_one(h, threshold);
    if (h->transport->kind == RD_MOVE_WALK)
        rd_send_walkers(h, left);
    return left;
}

/* Draws many molecules of a kind as a binomial batch; returns how many left. */
RD_FN int64_t rd_leave_many(struct rd_hop_state *h, int64_t n)
{
    struct rd_binomial_batch t;
    rd_hop_state_open(h);
    rd_binomial_batch_begin(&t, (int32_t)n);
    while (t.level >= 0)
        rd_binomial_batch_store(
            &t, h,
            (int32_t)rd_binomial(&h->many, t.rest[t.level], rd_binomial_batch_probability(&t, h)));
    if (h->transport->kind == RD_MOVE_WALK)
        rd_send_walkers(h, t.left);
    return t.left;
}

/* Looks up the displacement distributions and departure probabilities, or the hop rates, of the
   species in this voxel. */
RD_FN void rd_hop_state_aim(struct rd_hop_state *h, int32_t species)
{
    const struct rd_world *const w = h->w;
    h->species = species;
    h->transport = &w->movement.transport[species];
    if (h->transport->kind != RD_MOVE_DISPLACEMENTS) {
        h->hop_rate = rd_hop_rate_at(w, h->transport, h->p.run, h->p.site);
        return;
    }
    bool is_inner = true;
    for (int axis = 0; axis < 3; axis++) {
        const struct rd_axis_table *const t = &h->transport->axis_table[axis];
        h->displacement[axis] = rd_displacement_at(&w->movement, t, h->p.at[axis]);
        is_inner =
            is_inner && h->displacement[axis] == &w->movement.displacement[t->first + t->reach];
    }
    h->departure = &h->transport->inner;
    if (is_inner)
        return;
    const double q[3] = {h->displacement[0]->leave, h->displacement[1]->leave,
                         h->displacement[2]->leave};
    h->own_departure = rd_departure_of(q);
    h->departure = &h->own_departure;
}

/* Returns whether this pass moves the species: not if it rests, consists of individuals, or moves
   in substeps. */
RD_FN bool rd_is_hopping(const struct rd_transport *m)
{
    return (m->kind == RD_MOVE_DISPLACEMENTS || m->kind == RD_MOVE_WALK) && !m->is_listed;
}

/* Initialises the state for a voxel, before any of its molecules is drawn. */
RD_FN void rd_hop_state_begin(struct rd_hop_state *h, const struct rd_world *w, int64_t voxel)
{
    h->w = w;
    h->p = rd_place_of(&w->lattice, voxel);
    h->stay = rd_hop_stream(w, &h->p, RD_FOR_STAY);
    h->is_open = false;
    h->n_drawn = 0;
    h->tie_purpose = RD_FOR_TIE;
    h->tie_item = h->p.site;
}

/* Moves n molecules of the species; returns how many left. */
RD_FN int64_t rd_hop_species(struct rd_hop_state *h, int32_t species, int64_t n)
{
    rd_hop_state_aim(h, species);
    return n < RD_BATCH_LEAST ? rd_leave_few(h, n) : rd_leave_many(h, n);
}

/* Moves the molecules of all counted species of the voxel that hop in this pass. */
RD_FN void rd_hop(const struct rd_world *w, int64_t voxel)
{
    struct rd_hop_state h;
    bool is_aimed = false;
    for (int32_t s = 0; s < w->counts.n_species; s++) {
        const int64_t n = w->counts.count[s * w->lattice.n_voxels + voxel];
        if (n == 0 || !rd_is_hopping(&w->movement.transport[s]))
            continue;
        if (!is_aimed) {
            is_aimed = true;
            rd_hop_state_begin(&h, w, voxel);
            if (rd_is_frozen(&w->runs, h.p.run))
                return;
        }
        w->counts.count[s * w->lattice.n_voxels + voxel] -= (int32_t)rd_hop_species(&h, s, n);
    }
}

#endif
