/* lists - arrays of individuals between passes: sizes, scans and the sort. */
#include "sim/lists.h"

#include "base/clock.h"
#include "kernels/passes/lists/expand.h"

#include <stdlib.h>

/* Initial capacity for newborn: a share of the individuals that can live, and a least number. */
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
    w->lists.n_of_run =
        w->lattice.n_runs > 1 || w->runs.faults_alone ? w->lists.n_list * w->lattice.n_runs : 0;
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

/* Adds the time since `begin` to the time of a scan or sort. */
static void clock_verb(struct rd_sim *s, int which, double begin)
{
    struct rd_error ignored = {0}; /* the next check reports a failure */
    if (s->is_timed && s->backend->sync(s->machine, &ignored))
        s->seconds[which] += rd_clock() - begin;
    rd_error_free(&ignored);
}

void rd_lists_scan_births(struct rd_sim *s)
{
    if (rd_sim_is_done(s))
        return;
    const struct rd_world *const w = &s->world;
    const double begin = rd_clock();
    const int64_t c = w->lists.now.voxels, n = w->lattice.n_voxels + 1;
    s->backend->scan_segments(s->machine, w->lists.capacity + c, w->lists.births + c,
                              w->lists.flag + c, n);
    s->backend->scan(s->machine, w->lists.births + c, NULL, n, false);
    s->backend->scan(s->machine, w->lists.named + c, NULL, n, false);
    clock_verb(s, RD_TIME_SCAN, begin);
}

void rd_lists_scan_offsets(struct rd_sim *s)
{
    if (rd_sim_is_done(s))
        return;
    const struct rd_world *const w = &s->world;
    const double begin = rd_clock();
    s->backend->scan(s->machine, w->lists.offset + w->lists.now.base,
                     w->lists.live + w->lists.at_list, w->lists.reach, true);
    clock_verb(s, RD_TIME_SCAN, begin);
}

/* Returns the number of bits to sort by: enough to distinguish the voxels and, if walls remove
   individuals, RD_KEY_NONE. If walls remove none, the pool already follows all others. */
static int key_bits(const struct rd_sim *s)
{
    const int64_t last =
        s->plan->has_lost ? s->world.lattice.n_voxels : s->world.lattice.n_voxels - 1;
    int bits = 1;
    while (last >> bits > 0)
        bits++;
    return bits;
}

void rd_lists_sort(struct rd_sim *s)
{
    if (rd_sim_is_done(s))
        return;
    const struct rd_world *const w = &s->world;
    const double begin = rd_clock();
    const int64_t base = w->lists.now.base;
    s->backend->sort(s->machine, w, w->lists.key + base, w->lists.slot + base,
                     w->lists.key_next + base, w->lists.slot_next + base,
                     w->lists.live + w->lists.at_list, w->lists.reach, key_bits(s));
    clock_verb(s, RD_TIME_SORT, begin);
}

static void swap(uint32_t **a, uint32_t **b)
{
    uint32_t *const old = *a;
    *a = *b;
    *b = old;
}

void rd_lists_swap(struct rd_sim *s)
{
    swap(&s->world.lists.key, &s->world.lists.key_next);
    swap(&s->world.lists.slot, &s->world.lists.slot_next);
}
