/* uniformised_walk - molecules that hop through a step where their rates are the same everywhere,
   or in each zone. Hops are attempted at one rate, the highest of all zones; attempts fail with the
   probability that makes slower rates right (uniformisation, Jensen 1953). The number of attempts
   after the first one comes from a table, so that no times are drawn, and many molecules move in
   batches. The method is exact, except that probabilities are rounded to 2^-32. */
#ifndef RD_PASSES_MOVEMENT_UNIFORMISED_WALK_H
#define RD_PASSES_MOVEMENT_UNIFORMISED_WALK_H

#include "kernels/passes/movement/departure.h"
#include "kernels/passes/movement/walk.h"

/* Sets limits. RD_BATCH: least number of molecules of one kind and place that are divided by
   binomial numbers; fewer take one word each. RD_BATCH_DEEP: most such divisions in succession.
   Both belong to the stream version. */
enum { RD_BATCH = 32, RD_BATCH_DEEP = 5 };

/* Calls of a stream for the uniformised walks from one voxel. */
#define RD_UNIFORMISED_WALK_CALLS (UINT32_MAX - 1024)

RD_FN const struct rd_uniformised_walk *
rd_uniformised_walk_at(const struct rd_world *w, const struct rd_transport *m, const int32_t at[3])
{
    const bool is_zoned = m->hop_rate_kind == RD_HOP_RATE_BY_ZONE;
    return &w->movement
                .uniformised_walk[m->uniformised_walks +
                                  (is_zoned ? w->lattice.zone[rd_site_number(&w->lattice, at)]
                                            : 0)];
}

/* Returns the face towards which the word leads; RD_N_FACES: none. */
RD_FN int rd_uniformised_walk_way(const uint32_t below[RD_N_FACES], int32_t last, uint32_t word)
{
    int way = 0;
    for (int face = 0; face < RD_N_FACES; face++)
        way += word >= below[face];
    return way < last ? way : last;
}

/* Moves one molecule of species s, which started at p and is at `from`, by `tries` more attempts,
   until it arrives or is lost. */
RD_FN void rd_uniformised_walk_on(const struct rd_world *w, int32_t s, const struct rd_place *p,
                                  const int32_t from[3], int32_t tries, struct rd_stream *stream)
{
    const struct rd_transport *const m = &w->movement.transport[s];
    int32_t at[3] = {from[0], from[1], from[2]};
    if (stream->counter[0] > RD_UNIFORMISED_WALK_CALLS) {
        rd_fault_at(w, RD_FAULT_STUCK, p->voxel, s);
        tries = 0;
    }
    while (tries-- > 0) {
        const struct rd_uniformised_walk *const t = rd_uniformised_walk_at(w, m, at);
        const int way = rd_uniformised_walk_way(t->next, t->next_last, rd_word(stream));
        if (way < RD_N_FACES && !rd_hop_once(w, m, way, at, stream)) {
            rd_lose(w, s, p, way, 1);
            return;
        }
    }
    rd_arrive(w, s, p->run * w->lattice.n_sites + rd_site_number(&w->lattice, at), 1);
}

/* Moves one molecule from p by a first hop and `tries` more attempts. */
RD_FN void rd_uniformised_walk_one(const struct rd_world *w, int32_t s, const struct rd_place *p,
                                   int32_t tries, struct rd_stream *stream)
{
    const struct rd_transport *const m = &w->movement.transport[s];
    const struct rd_uniformised_walk *const t = rd_uniformised_walk_at(w, m, p->at);
    const int way = rd_uniformised_walk_way(t->first, t->first_last, rd_word(stream));
    int32_t at[3] = {p->at[0], p->at[1], p->at[2]};
    if (rd_hop_once(w, m, way, at, stream))
        rd_uniformised_walk_on(w, s, p, at, tries, stream);
    else
        rd_lose(w, s, p, way, 1);
}

/* Holds molecules in one place that attempt a hop and have the same number of attempts after it. */
struct rd_hop_batch {
    int32_t at[3], tries; /* after this attempt */
    const uint32_t *below;
    int32_t last;
    int32_t way;       /* direction that comes next */
    uint32_t assigned; /* words below this are assigned */
    int64_t rest;      /* molecules not yet assigned */
    int64_t stay;      /* molecules whose attempt failed */
};

RD_FN struct rd_hop_batch rd_hop_batch_of(const uint32_t below[RD_N_FACES], int32_t last,
                                          const int32_t at[3], int32_t tries, int64_t n)
{
    struct rd_hop_batch a;
    for (int axis = 0; axis < 3; axis++)
        a.at[axis] = at[axis];
    a.tries = tries;
    a.below = below;
    a.last = last;
    a.way = 0;
    a.assigned = 0;
    a.rest = n;
    a.stay = 0;
    return a;
}

/* Returns the number of molecules of the batch that go in the next direction, to the place `at`; at
   last, the number of those that stay. */
RD_FN int64_t rd_hop_batch_part(const struct rd_world *w, int32_t s, const struct rd_place *p,
                                struct rd_hop_batch *a, int32_t at[3], struct rd_stream *stream)
{
    const struct rd_transport *const m = &w->movement.transport[s];
    for (int axis = 0; axis < 3; axis++)
        at[axis] = a->at[axis];
    if (a->rest == 0 || a->way == RD_N_FACES) {
        const int64_t all = a->rest + a->stay;
        a->rest = a->stay = 0;
        return all;
    }
    const int way = a->way++;
    const int64_t n =
        way == a->last ? a->rest : rd_share(stream, a->rest, a->assigned, a->below[way]);
    const struct rd_crossing c = rd_crossing_of(w, m, way, a->at);
    const int64_t cross = rd_binomial(stream, n, c.probability);
    a->assigned = a->below[way];
    a->rest -= n;
    a->stay += n - cross;
    at[way / 2] = c.to;
    if (!c.is_out)
        return cross;
    if (cross > 0)
        rd_lose(w, s, p, way, cross);
    return 0;
}

/* Moves n molecules from p by a first hop and `tries` more attempts. It divides them by direction,
   and each part again while it is large. */
RD_FN void rd_uniformised_walk_many(const struct rd_world *w, int32_t s, const struct rd_place *p,
                                    int32_t tries, int64_t n, struct rd_stream *stream)
{
    const struct rd_transport *const m = &w->movement.transport[s];
    const struct rd_uniformised_walk *t = rd_uniformised_walk_at(w, m, p->at);
    struct rd_hop_batch batch[RD_BATCH_DEEP];
    batch[0] = rd_hop_batch_of(t->first, t->first_last, p->at, tries, n);
    for (int deep = 0; deep >= 0;) {
        struct rd_hop_batch *const a = &batch[deep];
        if (a->rest + a->stay == 0) {
            deep--;
            continue;
        }
        int32_t at[3];
        int64_t k = rd_hop_batch_part(w, s, p, a, at, stream);
        if (k > 0 && a->tries == 0) {
            rd_arrive(w, s, p->run * w->lattice.n_sites + rd_site_number(&w->lattice, at),
                      (int32_t)k);
        } else if (k >= RD_BATCH && deep + 1 < RD_BATCH_DEEP) {
            t = rd_uniformised_walk_at(w, m, at);
            batch[++deep] = rd_hop_batch_of(t->next, t->next_last, at, a->tries - 1, k);
        } else {
            while (k-- > 0)
                rd_uniformised_walk_on(w, s, p, at, a->tries, stream);
        }
    }
}

/* Moves n molecules of species s from p, given that they attempt a hop. */
RD_FN void rd_uniformised_walk(const struct rd_world *w, int32_t s, const struct rd_place *p,
                               int64_t n, struct rd_stream *stream)
{
    const struct rd_displacement *const displacement =
        &w->movement
             .displacement[rd_uniformised_walk_at(w, &w->movement.transport[s], p->at)->tries];
    if (n < RD_BATCH) {
        while (n-- > 0)
            rd_uniformised_walk_one(w, s, p, rd_shift(&w->movement, displacement, rd_word(stream)),
                                    stream);
        return;
    }
    uint32_t assigned = 0;
    for (int32_t k = 0; n > 0; k++) {
        const struct rd_jump *const o = &w->movement.jump[displacement->first + k];
        int64_t share = k + 1 == displacement->n ? n : rd_share(stream, n, assigned, o->below);
        assigned = o->below;
        n -= share;
        if (share >= RD_BATCH)
            rd_uniformised_walk_many(w, s, p, o->shift, share, stream);
        else
            while (share-- > 0)
                rd_uniformised_walk_one(w, s, p, o->shift, stream);
    }
}

#endif
