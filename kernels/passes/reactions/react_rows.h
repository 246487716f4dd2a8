/* react_rows - the reactions of one voxel where rare species are in rows. The first event copies
   the counts of the voxel, and after the last one they are written back. If the memory for a longer
   row is missing, nothing has changed, and the voxel is marked. */
#ifndef RD_PASSES_REACTIONS_REACT_ROWS_H
#define RD_PASSES_REACTIONS_REACT_ROWS_H

#include "kernels/passes/reactions/react.h"
#include "kernels/passes/reactions/row_ssa.h"

/* Sets the entries of a copy that needs no memory of the pool. */
enum { RD_ROW_OWN = 32 };

/* Holds the progress of the events of a voxel. */
struct rd_row_events {
    const struct rd_world *w;
    struct rd_ssa ssa; /* its counts are those of the world, or of the copy */
    uint32_t n_events;
    bool is_short;  /* memory is missing */
    bool is_copied; /* the counts are those of the copy, from the first event on */
    struct rd_row_entry *copy;
    int32_t n, capacity;
    int64_t begin; /* of the copy in the pool, or -1 */
    struct rd_row_entry own[RD_ROW_OWN];
};

/* Begins the events of the voxel. Coordinates are needed for expressions only. */
RD_FN void rd_row_ssa_open(struct rd_ssa *ssa, const struct rd_world *w, int64_t voxel)
{
    if (w->reactions.has_expressions) {
        rd_ssa_open(ssa, w, voxel);
        return;
    }
    ssa->w = w;
    ssa->p = rd_place_apart(&w->lattice, voxel);
    rd_aim_counts(w, voxel, &ssa->eval_context);
    rd_ssa_begin(ssa);
}

/* Provides a copy with at least `capacity` entries, with the content of the present one. */
RD_FN bool rd_grow_copy(struct rd_row_events *x, int32_t capacity)
{
    struct rd_row_entry *to = x->own;
    int64_t begin = -1;
    if (capacity <= x->capacity)
        return true;
    if (capacity > RD_ROW_OWN) {
        capacity += capacity / 2;
        begin = rd_take_entries(x->w, capacity);
        if (begin < 0) {
            x->is_short = true;
            return false;
        }
        to = x->w->rows.entry + begin;
    }
    if (x->n > 0)
        memcpy(to, x->copy, (size_t)x->n * sizeof *to);
    x->copy = to;
    x->capacity = capacity > RD_ROW_OWN ? capacity : RD_ROW_OWN;
    x->begin = begin;
    return true;
}

/* Copies the counts of the voxel, with room for `more` further species. Those that are 0 are left
   out. */
RD_FN bool rd_copy_row(struct rd_row_events *x, int32_t more)
{
    const struct rd_world *const w = x->w;
    x->n = 0;
    if (!rd_grow_copy(x, w->rows.row[x->ssa.p.voxel].n + (int32_t)w->rows.n_columned + more))
        return false;
    for (struct rd_present p = rd_present_in(w, x->ssa.p.voxel); rd_next_present(&p);)
        if (*p.count > 0) {
            x->copy[x->n].species = p.species;
            x->copy[x->n++].count = *p.count;
        }
    x->ssa.eval_context.column = NULL;
    return true;
}

/* Ensures that the copy exists and has room for the products of the reaction. */
RD_FN bool rd_prepare_copy(struct rd_row_events *x, const struct rd_channel *c)
{
    const bool ok =
        x->is_copied ? rd_grow_copy(x, x->n + c->n_changes) : rd_copy_row(x, c->n_changes);
    x->is_copied = true;
    x->ssa.eval_context.row = x->copy;
    x->ssa.eval_context.n_row = x->n;
    return ok;
}

/* Changes the counts of the copy by the reaction. */
RD_FN void rd_change_copy(struct rd_row_events *x, const struct rd_channel *c)
{
    for (int32_t i = 0; i < c->n_changes; i++) {
        const struct rd_reactant *const change = &x->w->reactions.change[c->change + i];
        rd_add_to_entries(x->copy, &x->n, change->species, change->number);
    }
    x->ssa.eval_context.n_row = x->n;
}

/* Simulates at most so many events, and adds `times` for each to the numbers of firings. */
RD_FN void rd_run_row_events(struct rd_row_events *x, uint32_t most, int64_t times)
{
    const struct rd_world *const w = x->w;
    const int64_t sums = rd_sums_of(&w->lattice, x->ssa.p.run, x->ssa.p.site);
    x->n_events = 0;
    x->is_copied = false;
    for (int32_t which; x->n_events < most && rd_row_ssa_next(&x->ssa, &which);) {
        const struct rd_channel *const c = &w->reactions.channel[which];
        if (!rd_can_fire(&x->ssa, which) || !rd_prepare_copy(x, c))
            return;
        rd_change_copy(x, c);
        rd_add_i64(&w->counts.fired[sums * w->reactions.n_reactions + which], times);
        x->n_events++;
    }
}

/* Chooses the memory of the row that replaces that of the voxel: the old one, the copy itself, or
   new entries. Returns false if memory is missing. */
RD_FN bool rd_choose_memory(struct rd_row_events *x, int32_t n, struct rd_row *row)
{
    const struct rd_world *const w = x->w;
    *row = w->rows.row[x->ssa.p.voxel];
    if (n > row->capacity && x->begin >= 0) {
        row->begin = (int32_t)x->begin;
        row->capacity = x->capacity;
    } else if (n > row->capacity) {
        const int64_t begin = rd_take_entries(w, n);
        x->is_short = begin < 0;
        row->begin = (int32_t)begin;
        row->capacity = n;
    }
    row->n = n;
    return !x->is_short;
}

/* Writes the copy back, without species that have no molecules; returns false if memory is
   missing. */
RD_FN bool rd_write_row(struct rd_row_events *x)
{
    const struct rd_world *const w = x->w;
    struct rd_row row;
    int32_t n = 0;
    for (int32_t i = 0; i < x->n; i++)
        n += w->rows.column[x->copy[i].species] < 0 && x->copy[i].count > 0;
    if (!rd_choose_memory(x, n, &row))
        return false;
    for (int32_t k = 0; k < w->rows.n_columned; k++)
        w->counts.count[k * w->lattice.n_voxels + x->ssa.p.voxel] =
            rd_entry_count(x->copy, x->n, w->rows.columned[k]);
    struct rd_row_entry *to = w->rows.entry + row.begin;
    for (int32_t i = 0; i < x->n; i++)
        if (w->rows.column[x->copy[i].species] < 0 && x->copy[i].count > 0)
            *to++ = x->copy[i];
    w->rows.row[x->ssa.p.voxel] = row;
    return true;
}

/* Returns whether no reaction happens in the voxel in the pass, as most voxels show before their
   coordinates are needed. Expressions are not evaluated for that. */
RD_FN bool rd_is_row_quiet(const struct rd_world *w, const struct rd_place *p)
{
    struct rd_eval_context here;
    rd_aim_counts(w, p->voxel, &here);
    if (w->reactions.has_expressions) {
        struct rd_keys_here keys;
        rd_keys_begin(w, &here, 0, &keys);
        return keys.n == 0;
    }
    const double sum = rd_row_mass_action_sum(w, p, &here);
    if (sum == 0.0)
        return true;
    struct rd_stream event =
        rd_stream_of(w->pass.seed, w->lattice.first_run + p->run, w->pass.step_clock->step,
                     RD_FOR_REACT, w->pass.part, p->site);
    return rd_is_quiet(sum, rd_uniform(&event), w->pass.dt);
}

/* Returns whether a reaction without reactants happens in the voxel. */
RD_FN bool rd_has_source(const struct rd_world *w, int64_t voxel)
{
    const uint64_t regions = w->rows.source_regions;
    return regions == UINT64_MAX ||
           (regions != 0 && (w->lattice.mask[voxel % w->lattice.n_sites] & regions) != 0);
}

/* Returns whether nothing can happen in the voxel: it is empty, or not marked in a repetition. */
RD_FN bool rd_has_no_row_events(const struct rd_world *w, int64_t voxel)
{
    return (w->rows.repeats && !w->rows.marked[voxel]) ||
           (w->rows.row[voxel].n == 0 && w->rows.n_columned == 0 && !rd_has_source(w, voxel));
}

/* Returns whether some reaction may happen in the voxel, which is then no longer marked. */
RD_FN bool rd_may_row_react(const struct rd_world *w, int64_t voxel)
{
    if (rd_has_no_row_events(w, voxel))
        return false;
    const struct rd_place p = rd_place_apart(&w->lattice, voxel);
    w->rows.marked[voxel] = false;
    if (w->items.n_maintained > 0) {
        w->lists.touched[voxel] = 0;
        rd_none_born(&w->lists, voxel);
    }
    return !rd_is_frozen(&w->runs, p.run) && !rd_is_row_quiet(w, &p);
}

/* Simulates the reactions of a voxel that is not quiet. If memory is missing, it counts the firings
   back. */
RD_FN void rd_do_row_events(const struct rd_world *w, int64_t voxel)
{
    struct rd_row_events x;
    x.w = w;
    x.n = x.capacity = 0;
    x.begin = -1;
    x.copy = NULL;
    x.is_short = false;
    rd_row_ssa_open(&x.ssa, w, voxel);
    rd_run_row_events(&x, UINT32_MAX, 1);
    if (!x.is_short && x.n_events > 0)
        rd_write_row(&x);
    w->rows.marked[voxel] = x.is_short;
    if (!x.is_short || x.n_events == 0)
        return;
    rd_row_ssa_open(&x.ssa, w, voxel);
    rd_run_row_events(&x, x.n_events, -1);
}

/* Simulates the reactions of a voxel that is not quiet, or counts them if they involve
   individuals. */
RD_FN void rd_do_or_count_row(const struct rd_world *w, int64_t voxel)
{
    if (w->items.n_maintained > 0)
        rd_count_reactions(w, voxel);
    else
        rd_do_row_events(w, voxel);
}

/* Does the reactions of the voxel. */
RD_FN void rd_react_row(const struct rd_world *w, int64_t voxel)
{
    if (rd_may_row_react(w, voxel))
        rd_do_or_count_row(w, voxel);
}

#endif
