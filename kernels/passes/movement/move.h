/* move - the movement of one individual in a step. If its diffusion rate and drift are uniform, it
   uses the same displacement distributions as counted species. It then takes one call of four words
   for all axes, addressed by (list, voxel, number in the voxel). In an irregular region and across
   borders it makes a uniformised walk. Otherwise it walks hop by hop with a stream of its own. All
   are exact, except that rates use the time and the counts of the pass. */
#ifndef RD_PASSES_MOVEMENT_MOVE_H
#define RD_PASSES_MOVEMENT_MOVE_H

#include "kernels/passes/lists/expand.h"
#include "kernels/passes/movement/hop.h"
#include "kernels/passes/movement/hop_rates.h"

/* Holds the data of one moving individual: its voxel, its tables, and its entry. */
struct rd_transport_of {
    struct rd_hop_state hop;
    const struct rd_list *l;
    int64_t entry;  /* of all lists */
    int32_t number; /* in its voxel */
    struct rd_stream walk;
    double rate[RD_N_FACES], total;
};

RD_FN struct rd_stream rd_move_stream(const struct rd_transport_of *h, int kind, int64_t item)
{
    const struct rd_world *const w = h->hop.w;
    return rd_stream_of(w->pass.seed, w->lattice.first_run + h->hop.p.run, w->pass.step_clock->step,
                        RD_FOR_MOVE + (uint32_t)w->lists.at_list, w->pass.part,
                        RD_MOVE_ITEM(kind, item));
}

/* Sets the data that all individuals of a voxel have in common. */
RD_FN void rd_move_aim(struct rd_transport_of *h, const struct rd_world *w, int64_t voxel)
{
    h->l = &w->lists.now;
    h->hop.w = w;
    h->hop.p = rd_place_of(&w->lattice, voxel);
    h->hop.tie_purpose = RD_FOR_MOVE + (uint32_t)w->lists.at_list;
    h->hop.tie_item = RD_MOVE_ITEM(RD_MOVE_MORE, h->hop.p.site);
    rd_hop_state_aim(&h->hop, w->lists.now.species);
}

RD_FN int64_t rd_slot_of(const struct rd_transport_of *h)
{
    return h->l->base + h->hop.w->lists.slot[h->entry];
}

/* Moves the individual to another voxel. */
RD_FN void rd_move_to(const struct rd_transport_of *h, const int32_t at[3])
{
    const struct rd_world *const w = h->hop.w;
    w->lists.key[h->entry] =
        (uint32_t)(h->hop.p.run * w->lattice.n_sites + rd_site_number(&w->lattice, at));
}

/* Records the death of an individual that a wall takes. In the lineage it lies between the
   reactions before and after the movement, so that no death comes before its birth. */
RD_FN void rd_move_out(const struct rd_transport_of *h, int face)
{
    const struct rd_world *const w = h->hop.w;
    rd_lose(w, h->l->species, &h->hop.p, face, 1);
    w->lists.key[h->entry] = RD_KEY_NONE;
    rd_add_i64(&w->lists.coming[w->lists.at_list], -1);
    if (!h->l->has_lineage || rd_has_run_fault(w, h->hop.p.run))
        return;
    struct rd_note *const note = &w->lists.note[rd_add_i64(&w->lists.need->n_notes, 1)];
    note->id = w->lists.id[rd_slot_of(h)];
    note->parent = w->lists.parent[rd_slot_of(h)];
    note->time = w->pass.step_clock->reacted;
    note->id_of = note->parent_of = -1;
    note->voxel = (uint32_t)h->hop.p.voxel;
    note->order = h->number;
    note->list = w->lists.at_list;
    note->is_birth = 0;
    note->order_key = w->pass.step_clock->order_key;
}

/* Returns whether individuals with this transport use words of their voxel, and not rates of their
   own. */
RD_FN bool rd_moves_by_words(const struct rd_transport *m)
{
    return m->kind == RD_MOVE_DISPLACEMENTS || m->uniformised_walks >= 0;
}

/* Makes a uniformised walk by four words: the first decides whether it hops, the second gives the
   number of attempts after the first hop, the third the direction of the first hop. The fourth, and
   then a stream of its own, give all else. */
RD_FN void rd_move_on_uniformised_walk(struct rd_transport_of *h, const uint32_t word[4])
{
    const struct rd_world *const w = h->hop.w;
    const struct rd_transport *const m = h->hop.transport;
    const uint64_t threshold = rd_threshold(h->hop.hop_rate->probability);
    if (word[0] > (uint32_t)(threshold >> 32))
        return;
    h->hop.n_drawn = (uint32_t)h->number;
    if (word[0] == (uint32_t)(threshold >> 32) && rd_low_word(&h->hop, 0) >= (uint32_t)threshold)
        return;
    h->walk = rd_move_stream(h, RD_MOVE_SELF, w->lists.id[rd_slot_of(h)]);
    h->walk.word[0] = word[3];
    h->walk.left = 1;
    int32_t at[3] = {h->hop.p.at[0], h->hop.p.at[1], h->hop.p.at[2]};
    const struct rd_uniformised_walk *t = rd_uniformised_walk_at(w, m, at);
    int way = rd_uniformised_walk_way(t->first, t->first_last, word[2]);
    for (int32_t tries = rd_shift(&w->movement, &w->movement.displacement[t->tries], word[1]);;
         tries--) {
        if (way < RD_N_FACES && !rd_hop_once(w, m, way, at, &h->walk)) {
            rd_move_out(h, way);
            return;
        }
        if (tries == 0)
            break;
        t = rd_uniformised_walk_at(w, m, at);
        way = rd_uniformised_walk_way(t->next, t->next_last, rd_word(&h->walk));
    }
    rd_move_to(h, at);
}

/* Moves it by displacement distributions and four words: the first decides whether it leaves, the
   second selects the axes, the others the shifts along them. A third axis and low words use a
   second call. */
RD_FN void rd_move_by_displacements(struct rd_transport_of *h, const uint32_t word[4])
{
    struct rd_hop_state *const hop = &h->hop;
    const uint32_t high = (uint32_t)(hop->departure->leave >> 32);
    if (word[0] > high)
        return;
    hop->n_drawn = (uint32_t)h->number;
    if (word[0] == high && rd_low_word(hop, 0) >= (uint32_t)hop->departure->leave)
        return;
    const uint32_t axes = rd_departure_axes(rd_way(hop, word[1]));
    int32_t shift[3] = {0, 0, 0}, at[3];
    for (int axis = 0, n = 2; axis < 3; axis++)
        if (axes >> axis & 1) {
            shift[axis] = rd_shift(&hop->w->movement, hop->displacement[axis],
                                   n < 4 ? word[n] : rd_low_word(hop, 2));
            n++;
        }
    int face = 0;
    const int n_lost = rd_shift_place(hop, shift, at, &face);
    if (n_lost == 0) {
        rd_move_to(h, at);
        return;
    }
    if (n_lost > 1) {
        hop->is_open = true;
        hop->first = rd_move_stream(h, RD_MOVE_SELF, hop->w->lists.id[rd_slot_of(h)]);
        face = rd_first_face(hop, shift);
    }
    rd_move_out(h, face);
}

/* Moves an individual by its four words of the voxel. */
RD_FN void rd_move_by_words(struct rd_transport_of *h, const uint32_t word[4])
{
    if (h->hop.transport->kind == RD_MOVE_DISPLACEMENTS)
        rd_move_by_displacements(h, word);
    else
        rd_move_on_uniformised_walk(h, word);
}

/* Computes its own hop rates in the voxel p; returns false with a fault. */
RD_FN bool rd_own_rates(struct rd_transport_of *h, const struct rd_place *p)
{
    const struct rd_world *const w = h->hop.w;
    const struct rd_transport *const m = h->hop.transport;
    struct rd_eval_context eval_context = rd_eval_context_at(w, p);
    struct rd_sight sight;
    eval_context.t = w->pass.step_clock->time;
    rd_aim_counts(w, p->voxel, &eval_context);
    eval_context.own = w->lists.trait + h->l->trait + w->lists.slot[h->entry];
    eval_context.own_stride = h->l->most;
    if (h->l->uses_neighbours) {
        sight = rd_sight_at(&w->lattice, m, p->at);
        eval_context.sight = &sight;
    }
    if (!rd_motion_rates(w, m, h->l->motion, &eval_context, h->rate)) {
        rd_fault_at(w, RD_FAULT_MOTION, p->voxel, w->lists.at_list);
        return false;
    }
    h->total = 0.0;
    for (int axis = 0; axis < 3; axis++)
        h->total += h->rate[2 * axis] + h->rate[2 * axis + 1];
    return true;
}

/* Reverses the drift of an individual that moves against the face; returns whether it did. */
RD_FN bool rd_reverse_drift(const struct rd_transport_of *h, int face)
{
    const int32_t a = h->l->reversed[face];
    if (a < 0)
        return false;
    const struct rd_world *const w = h->hop.w;
    double *const drift = &w->lists.trait[h->l->trait + a * h->l->most + w->lists.slot[h->entry]];
    if (face % 2 ? *drift <= 0.0 : *drift >= 0.0)
        return false;
    *drift = -*drift;
    return true;
}

/* Moves it hop by hop through the time of the pass, at rates of its own. */
RD_FN void rd_move_walking(struct rd_transport_of *h)
{
    const struct rd_world *const w = h->hop.w;
    const struct rd_transport *const m = h->hop.transport;
    struct rd_place p = h->hop.p;
    h->walk = rd_move_stream(h, RD_MOVE_SELF, w->lists.id[rd_slot_of(h)]);
    bool is_changed = true;
    for (double left = w->pass.dt;;) {
        if (is_changed && !rd_own_rates(h, &p))
            return;
        if (h->walk.counter[0] > UINT32_MAX - 8) {
            rd_fault_at(w, RD_FAULT_STUCK, h->hop.p.voxel, h->l->species);
            return;
        }
        left -= h->total > 0.0 ? rd_exponential(&h->walk) / h->total : INFINITY;
        if (!(left > 0.0))
            break;
        const int face = rd_direction(h->rate, h->total, rd_uniform(&h->walk));
        const int32_t before = p.at[face / 2], end = face % 2 ? w->lattice.size[face / 2] - 1 : 0;
        if (!rd_hop_once(w, m, face, p.at, &h->walk)) {
            rd_move_out(h, face);
            return;
        }
        is_changed = h->l->is_by_position && p.at[face / 2] != before;
        if (before == end && p.at[face / 2] == before && rd_reverse_drift(h, face))
            is_changed = true;
        p.site = rd_site_number(&w->lattice, p.at);
        p.voxel = p.run * w->lattice.n_sites + p.site;
    }
    rd_move_to(h, p.at);
}

/* Moves the individual at entry i of the list. */
RD_FN void rd_move(const struct rd_world *w, int64_t i)
{
    struct rd_transport_of h;
    h.entry = w->lists.now.base + i;
    const int64_t voxel = w->lists.key[h.entry];
    rd_move_aim(&h, w, voxel);
    if (rd_is_frozen(&w->runs, h.hop.p.run))
        return;
    h.number = (int32_t)(i - w->lists.first[w->lists.now.voxels + voxel]);
    if (h.hop.transport->kind == RD_MOVE_OWN)
        rd_move_walking(&h);
    if (!rd_moves_by_words(h.hop.transport))
        return;
    const struct rd_stream words = rd_move_stream(&h, RD_MOVE_VOXEL, h.hop.p.site);
    uint32_t word[4];
    rd_stream_call(&words, (uint32_t)h.number, word);
    rd_move_by_words(&h, word);
}

#endif
