/* react_rows_cpu - the plain body visits the reactions with a reactant in the voxel anew for each
   event. A voxel with many species or events is simulated by the direct method instead, with the
   counts of all species. */
#include "kernels/cpu/react_rows_cpu.h"

#include "kernels/cpu/direct_method.h"
#include "kernels/passes/reactions/react_rows.h"

/* Sets how many species and reactions the direct method can load in the time in which the plain
   body visits one reaction. */
enum { LOADED_IN_A_VISIT = 16 };

/* Returns the number of reactions that the plain body visits for an event. */
static int64_t n_visited(const struct rd_world *w, const struct rd_eval_context *here)
{
    struct rd_keys_here keys;
    int64_t n = 0;
    rd_keys_begin(w, here, 0, &keys);
    if (keys.n > RD_ROW_KEYS)
        return w->reactions.n_reactions;
    for (int32_t k = 0; k < keys.n; k++)
        n += keys.end[k] - keys.next[k];
    return n;
}

/* Returns whether the direct method takes less time for the voxel. Expressions are not evaluated
   for that; with them one event is expected. */
static bool is_crowded(const struct rd_world *w, int64_t voxel)
{
    const struct rd_place p = rd_place_apart(&w->lattice, voxel);
    struct rd_eval_context here = {0};
    rd_aim_counts(w, voxel, &here);
    const double visits = (double)n_visited(w, &here) * LOADED_IN_A_VISIT;
    const double loads = (double)w->counts.n_species + 2.0 * (double)w->reactions.n_reactions;
    if (2.0 * visits > loads)
        return true;
    const double events =
        w->reactions.has_expressions ? 1.0 : rd_row_mass_action_sum(w, &p, &here) * w->pass.dt;
    return (1.0 + events) * visits > loads;
}

/* Copies the counts after the events to the copy of the voxel. Returns false if memory is
   missing. */
static bool fill_copy(struct rd_row_events *x, const int32_t *count)
{
    const int32_t n_species = x->w->counts.n_species;
    int32_t n = 0;
    for (int32_t s = 0; s < n_species; s++)
        n += count[s] > 0;
    if (!rd_grow_copy(x, n))
        return false;
    for (int32_t s = 0; s < n_species; s++)
        if (count[s] > 0) {
            x->copy[x->n].species = s;
            x->copy[x->n++].count = count[s];
        }
    return true;
}

/* Simulates a voxel by the direct method; an exceptional one from its start by the plain body. If
   memory is missing, nothing has changed, and the voxel is marked. */
static void react_crowded(struct rd_direct *d, const struct rd_world *w, int64_t voxel)
{
    struct rd_row_events x = {.w = w, .begin = -1};
    rd_ssa_open(&x.ssa, w, voxel);
    if (!rd_direct_run(d, &x.ssa)) {
        rd_direct_take_fired(d, false);
        rd_do_row_events(w, voxel);
        return;
    }
    const bool is_written = fill_copy(&x, rd_direct_counts(d)) && rd_write_row(&x);
    rd_direct_take_fired(d, is_written);
    w->rows.marked[voxel] = !is_written;
}

void rd_react_rows_portion(const struct rd_world *w, int64_t begin, int64_t end)
{
    struct rd_direct *d = NULL;
    bool may = rd_direct_suits(w);
    for (int64_t voxel = begin; voxel < end; voxel++) {
        if (!rd_may_row_react(w, voxel))
            continue;
        const bool is_direct = may && is_crowded(w, voxel);
        if (is_direct && !d)
            may = (d = rd_direct_open(w)) != NULL;
        if (is_direct && d)
            react_crowded(d, w, voxel);
        else
            rd_do_or_count_row(w, voxel);
    }
    rd_direct_close(d);
}
