/* react - one cell: its reactions over the time of the pass. Where they concern individuals they
   are only counted here, and everything is left as it was: how much room the newborn will take;
   maintain goes through the same events, with the same draws, and then they happen. */
#ifndef RD_PASSES_REACTIONS_REACT_H
#define RD_PASSES_REACTIONS_REACT_H

#include "kernels/passes/reactions/apply_event.h"

/* How many an event makes, where it does not matter who it happens to. */
RD_FN void rd_count_newborn(struct rd_play *play, const struct rd_channel *c)
{
    const struct rd_world *const w = play->w;
    for (int32_t i = 0; i < c->n_roles; i++) {
        const struct rd_role *const role = &w->role[c->role + i];
        if (role->fate == RD_FATE_BECOME)
            w->births[w->list[role->becomes].cells + play->p.cell]++;
        play->n_notes += role->fate == RD_FATE_DIE && w->list[role->list].has_lineage;
    }
    for (int32_t i = 0; i < c->n_births; i++) {
        const struct rd_list *const l = &w->list[w->birth[c->birth + i].list];
        w->births[l->cells + play->p.cell]++;
        play->n_notes += l->has_lineage != 0;
    }
}

/* Keeps the counts of the cell aside in arrive, where nothing is while reactions happen. */
RD_FN void rd_keep_counts(const struct rd_play *play)
{
    const struct rd_world *const w = play->w;
    for (int64_t i = play->p.cell; i < w->n_count; i += w->n_cells)
        w->arrive[i] = w->count[i];
}

RD_FN void rd_restore_counts(const struct rd_play *play)
{
    const struct rd_world *const w = play->w;
    for (int64_t i = play->p.cell; i < w->n_count; i += w->n_cells) {
        w->count[i] = w->arrive[i];
        w->arrive[i] = 0;
    }
}

/* Goes through the events and leaves births[], touched[] and n_notes; gives how many newborn there
   are, or -1 if nothing happens. */
RD_FN int64_t rd_reckon(struct rd_play *play)
{
    const struct rd_world *const w = play->w;
    const bool is_keen = !RD_SIMPLE_ONLY && w->is_keen;
    bool is_touched = false;
    play->n_notes = 0;
    rd_none_born(w, play->p.cell);
    if (is_keen)
        rd_play_cast(play, false);
    for (int32_t which; rd_play_next(play, &which);) {
        if (!is_touched)
            rd_keep_counts(play);
        is_touched = true;
        if (!rd_can_fire(play, which) || (is_keen && !rd_enact(play, which)))
            break;
        if (!is_keen)
            rd_count_newborn(play, &w->channel[which]);
        rd_change_counts(play, which, !is_keen);
    }
    w->touched[play->p.cell] = is_touched;
    if (!is_touched)
        return -1;
    rd_restore_counts(play);
    int64_t n_newborn = 0;
    for (int64_t i = 0; i < w->n_list; i++)
        n_newborn += w->births[w->list[i].cells + play->p.cell];
    return n_newborn;
}

/* What the events of touched cells will take. */
RD_FN void rd_expect(const struct rd_world *w, int64_t touched, int64_t newborn, int64_t notes)
{
    if (touched > 0)
        rd_add_i64(&w->need->touched, touched);
    if (newborn > 0)
        rd_add_i64(&w->need->newborn, newborn);
    if (notes > 0)
        rd_add_i64(&w->need->notes, notes);
}

/* The events that are left, where they concern no individuals. */
RD_FN void rd_react_on(struct rd_play *play)
{
    for (int32_t which; rd_play_next(play, &which);) {
        if (!rd_can_fire(play, which))
            return;
        rd_change_counts(play, which, true);
        rd_count_fired(play, which);
    }
}

RD_FN void rd_react(const struct rd_world *w, int64_t cell)
{
    struct rd_play play;
    rd_play_open(&play, w, cell);
    if (w->n_maintained > 0) {
        const int64_t n_newborn = rd_reckon(&play);
        if (n_newborn >= 0)
            rd_expect(w, 1, n_newborn, play.n_notes);
        return;
    }
    rd_react_on(&play);
}

#endif
