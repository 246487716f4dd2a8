/* lists - arrays of individuals between passes: sizes, and the selected list. */
#include "sim/lists.h"

#include "kernels/passes/lists/expand.h"

#include <stdlib.h>

/* Sets the initial capacity for newborn: a share of the individuals that can live, and a least
 * number. */
enum { NEWBORN_SHARE = 16, NEWBORN_LEAST = 256 };

static bool has_lineage(const struct rd_plan *p)
{
    for (int64_t i = 0; i < p->world.lists.n_list; i++)
        if (p->list[i].has_lineage)
            return true;
    return false;
}

void rd_lists_size(const struct rd_plan *p, struct rd_world *w)
{
    if (w->lists.n_list == 0)
        return;
    const struct rd_list *const last = &p->list[w->lists.n_list - 1];
    const int64_t entries = last->base + last->most,
                  voxels = w->lists.n_list * (w->lattice.n_voxels + 1);
    w->lists.n_key = w->lists.n_slot = w->lists.n_key_next = w->lists.n_slot_next =
        w->lists.n_offset = entries;
    w->lists.n_id = w->lists.n_parent = w->lists.n_born = entries;
    w->lists.n_trait = last->trait + last->most * last->n_traits;
    w->lists.n_first = w->lists.n_births = w->lists.n_named = w->lists.n_capacity =
        w->lists.n_flag = voxels;
    w->lists.n_touched = w->lattice.n_voxels;
    w->lists.n_live = w->lists.n_coming = w->lists.n_taken = w->lists.n_rank_base = w->lists.n_list;
    w->lists.n_id_base = (w->lists.n_list + 1) * w->lattice.n_runs;
    w->lists.n_portion = w->lists.n_before = last->portions + rd_n_portions(&w->lattice, last) + 1;
    w->lists.n_of_run = w->lattice.n_runs > 1 || w->runs.faults_are_separate
                            ? w->lists.n_list * w->lattice.n_runs
                            : 0;
    w->lists.n_newborn = w->lists.n_members = w->lists.n_standing =
        entries / NEWBORN_SHARE + NEWBORN_LEAST;
    w->lists.n_newborn_trait = w->lists.n_newborn * w->lists.most_traits;
    /* walls may remove all individuals in one step */
    w->lists.n_note = !has_lineage(p) ? 0 : w->lists.n_newborn + (p->has_lost ? entries : 0);
    w->lists.n_need = 1;
}

bool rd_lists_open(struct rd_sim *s, struct rd_error *e)
{
    const struct rd_world *const w = &s->world;
    uint32_t *const capacity = malloc((size_t)w->lists.n_key * sizeof *capacity + 1);
    s->reach = malloc((size_t)w->lists.n_list * sizeof *s->reach + 1);
    if (!capacity || !s->reach)
        return rd_fail(e, "out of memory for %lld individuals", (long long)w->lists.n_key);
    const size_t bytes = (size_t)w->lists.n_key * sizeof *capacity;
    for (int64_t i = 0; i < w->lists.n_key; i++)
        capacity[i] = RD_KEY_NONE;
    bool ok = s->backend->put(s->machine, w->lists.key, capacity, bytes, e) &&
              s->backend->put(s->machine, w->lists.key_next, capacity, bytes, e);
    for (int64_t l = 0; l < w->lists.n_list; l++) {
        s->reach[l] = s->plan->list[l].most;
        for (int64_t i = 0; i < s->plan->list[l].most; i++)
            capacity[s->plan->list[l].base + i] = (uint32_t)i;
    }
    ok = ok && s->backend->put(s->machine, w->lists.slot, capacity, bytes, e) &&
         s->backend->put(s->machine, w->lists.slot_next, capacity, bytes, e);
    free(capacity);
    return ok;
}

void rd_lists_choose(struct rd_sim *s, int64_t i)
{
    s->world.lists.at_list = (int32_t)i;
    s->world.lists.now = s->plan->list[i];
    s->world.lists.reach = s->reach[i];
}

static void swap_arrays(uint32_t **a, uint32_t **b)
{
    uint32_t *const old = *a;
    *a = *b;
    *b = old;
}

void rd_lists_swap(struct rd_sim *s)
{
    swap_arrays(&s->world.lists.key, &s->world.lists.key_next);
    swap_arrays(&s->world.lists.slot, &s->world.lists.slot_next);
}
