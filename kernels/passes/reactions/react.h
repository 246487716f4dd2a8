/* react - the reactions of one voxel over the time of the pass. If they involve individuals, they
   are only counted here, to find the room that newborn need, and the state is restored. The pass
   maintain then repeats the same events with the same draws and applies them. */
#ifndef RD_PASSES_REACTIONS_REACT_H
#define RD_PASSES_REACTIONS_REACT_H

#include "kernels/passes/reactions/apply_event.h"

/* Counts the newborn and the lineage entries of an event, if rates do not depend on attributes. */
RD_FN void rd_count_newborn(struct rd_ssa *ssa, const struct rd_channel *c)
{
    const struct rd_world *const w = ssa->w;
    for (int32_t i = 0; i < c->n_participants; i++) {
        const struct rd_participant *const participant =
            &w->reactions.participant[c->participant + i];
        if (participant->fate == RD_FATE_BECOME)
            w->lists.births[w->lists.list[participant->becomes].voxels + ssa->p.voxel]++;
        ssa->n_notes +=
            participant->fate == RD_FATE_DIE && w->lists.list[participant->list].has_lineage;
    }
    for (int32_t i = 0; i < c->n_births; i++) {
        const struct rd_list *const l = &w->lists.list[w->reactions.birth[c->birth + i].list];
        w->lists.births[l->voxels + ssa->p.voxel]++;
        ssa->n_notes += l->has_lineage != 0;
    }
}

/* Moves the row of the voxel to new memory, in which it can grow. Returns false if memory is
   missing. */
RD_FN bool rd_move_row(struct rd_ssa *ssa, int32_t capacity)
{
    const struct rd_rows *const rows = &ssa->w->rows;
    struct rd_row *const row = &rows->row[ssa->p.voxel];
    const int64_t begin = rd_take_entries(ssa->w, capacity);
    if (begin < 0)
        return false;
    if (row->n > 0)
        memcpy(rows->entry + begin, rows->entry + row->begin, (size_t)row->n * sizeof *rows->entry);
    row->begin = (int32_t)begin;
    row->capacity = capacity;
    rd_aim_counts(ssa->w, ssa->p.voxel, &ssa->eval_context);
    return true;
}

/* Makes room in the row for the products of the reaction, while events are counted. The first event
   leaves the old entries as they are, so that they can be restored. Returns false if memory is
   missing; the voxel is marked then. */
RD_FN bool rd_make_row_room(struct rd_ssa *ssa, const struct rd_channel *c, bool is_first)
{
    const struct rd_world *const w = ssa->w;
    if (!rd_has_rows(w))
        return true;
    const struct rd_row row = w->rows.row[ssa->p.voxel];
    const int32_t need = row.n + c->n_changes;
    if (!is_first && need <= row.capacity)
        return true;
    w->rows.marked[ssa->p.voxel] = !rd_move_row(ssa, need + (is_first ? 0 : need / 2));
    return !w->rows.marked[ssa->p.voxel];
}

/* Restores the old entries of the row, in its new memory. If memory was missing, nothing has
   changed. */
RD_FN void rd_restore_row(const struct rd_ssa *ssa)
{
    const struct rd_world *const w = ssa->w;
    struct rd_row *const row = &w->rows.row[ssa->p.voxel];
    if (w->rows.marked[ssa->p.voxel])
        *row = ssa->kept;
    row->n = ssa->kept.n;
    if (row->n > 0 && row->begin != ssa->kept.begin)
        memcpy(w->rows.entry + row->begin, w->rows.entry + ssa->kept.begin,
               (size_t)row->n * sizeof *w->rows.entry);
}

/* Saves the counts of the voxel in arrive[], which is unused during reactions. */
RD_FN void rd_keep_counts(struct rd_ssa *ssa)
{
    const struct rd_world *const w = ssa->w;
    if (rd_has_rows(w))
        ssa->kept = w->rows.row[ssa->p.voxel];
    for (int64_t i = ssa->p.voxel; i < w->counts.n_count; i += w->lattice.n_voxels)
        w->counts.arrive[i] = w->counts.count[i];
}

RD_FN void rd_restore_counts(const struct rd_ssa *ssa)
{
    const struct rd_world *const w = ssa->w;
    if (rd_has_rows(w))
        rd_restore_row(ssa);
    for (int64_t i = ssa->p.voxel; i < w->counts.n_count; i += w->lattice.n_voxels) {
        w->counts.count[i] = w->counts.arrive[i];
        w->counts.arrive[i] = 0;
    }
}

/* Simulates the events and sets births[], touched[] and n_notes. It returns the number of newborn,
   or -1 if there is no event or too little memory for the row. */
RD_FN int64_t rd_count_events(struct rd_ssa *ssa)
{
    const struct rd_world *const w = ssa->w;
    const bool has_attribute_rates = !RD_SIMPLE_ONLY && w->reactions.has_attribute_rates;
    bool is_touched = false;
    ssa->n_notes = 0;
    rd_none_born(&w->lists, ssa->p.voxel);
    if (has_attribute_rates)
        rd_ssa_cast(ssa, false);
    for (int32_t which; rd_next_event(ssa, &which);) {
        const struct rd_channel *const c = &w->reactions.channel[which];
        const bool is_first = !is_touched;
        is_touched = true;
        if (is_first)
            rd_keep_counts(ssa);
        if (!rd_can_fire(ssa, which) || !rd_make_row_room(ssa, c, is_first) ||
            (has_attribute_rates && !rd_apply_event(ssa, which)))
            break;
        if (!has_attribute_rates)
            rd_count_newborn(ssa, c);
        rd_change_counts(ssa, which, !has_attribute_rates);
    }
    if (is_touched)
        rd_restore_counts(ssa);
    is_touched = is_touched && !(rd_has_rows(w) && w->rows.marked[ssa->p.voxel]);
    w->lists.touched[ssa->p.voxel] = is_touched;
    if (!is_touched)
        return -1;
    int64_t n_newborn = 0;
    for (int64_t i = 0; i < w->lists.n_list; i++)
        n_newborn += w->lists.births[w->lists.list[i].voxels + ssa->p.voxel];
    return n_newborn;
}

/* Adds the requirements of touched voxels to `need`. */
RD_FN void rd_expect(const struct rd_lists *lists, int64_t touched, int64_t newborn, int64_t notes)
{
    if (touched > 0)
        rd_add_i64(&lists->need->touched, touched);
    if (newborn > 0)
        rd_add_i64(&lists->need->newborn, newborn);
    if (notes > 0)
        rd_add_i64(&lists->need->notes, notes);
}

/* Simulates the remaining events, if they involve no individuals. */
RD_FN void rd_react_on(struct rd_ssa *ssa)
{
    int32_t which;
    while (rd_ssa_next(ssa, &which) && rd_fire(ssa, which))
        continue;
}

/* Counts the reactions of the voxel, which involve individuals. */
RD_FN void rd_count_reactions(const struct rd_world *w, int64_t voxel)
{
    struct rd_ssa ssa;
    rd_ssa_open(&ssa, w, voxel);
    const int64_t n_newborn = rd_count_events(&ssa);
    if (n_newborn >= 0)
        rd_expect(&w->lists, 1, n_newborn, ssa.n_notes);
}

/* Simulates the reactions of the voxel, or counts them if they involve individuals. */
RD_FN void rd_react(const struct rd_world *w, int64_t voxel)
{
    struct rd_ssa ssa;
    if (w->items.n_maintained > 0) {
        rd_count_reactions(w, voxel);
        return;
    }
    rd_ssa_open(&ssa, w, voxel);
    rd_react_on(&ssa);
}

#endif
