/* roll - individuals and events that a test puts into the lists of a stage, and the lists that must
   result. */
#include "roll.h"

#include "kernels/passes/lists/maintain.h"
#include "kernels/passes/movement/move.h"
#include "sim/lists.h"
#include "sim/verify.h"

#include <stdlib.h>
#include <string.h>

static void put_one(const struct rd_world *w, const struct rd_list *l, int64_t i, int32_t voxel)
{
    const int64_t slot = l->most - 1 - i, at = l->base + slot;
    w->lists.key[l->base + i] = w->lists.key_next[l->base + i] = (uint32_t)voxel;
    w->lists.id[at] = 100 * (l - w->lists.list + 1) + i;
    w->lists.parent[at] = -1;
    w->lists.born[at] = 0;
    for (int32_t a = 0; a < l->n_traits; a++)
        w->lists.trait[l->trait + a * l->most + slot] = 0;
}

void roll_put(const struct stage *s, int64_t list, const int32_t *voxel, int64_t n)
{
    const struct rd_world *const w = &s->sim.world;
    const struct rd_list *const l = &w->lists.list[list];
    for (int64_t i = 0; i < l->most; i++) {
        w->lists.key[l->base + i] = w->lists.key_next[l->base + i] = RD_KEY_NONE;
        w->lists.slot[l->base + i] = w->lists.slot_next[l->base + i] = (uint32_t)(l->most - 1 - i);
    }
    for (int64_t i = 0; i < n; i++)
        put_one(w, l, i, voxel[i]);
    int32_t i = 0;
    for (int64_t c = 0; c <= w->lattice.n_voxels; c++) {
        while (i < n && voxel[i] < c)
            i++;
        w->lists.first[l->voxels + c] = i;
        if (c > 0)
            w->counts.count[l->species * w->lattice.n_voxels + c - 1] =
                i - w->lists.first[l->voxels + c - 1];
    }
    w->lists.live[list] = w->lists.coming[list] = n;
    for (int64_t run = 0; run < w->lattice.n_runs; run++)
        w->lists.id_base[w->lists.n_list * w->lattice.n_runs + run] = ROLL_NEXT_ID;
}

void roll_into_voxel(const struct stage *s, int64_t list, int32_t voxel, int64_t n)
{
    int32_t *const voxels = malloc((size_t)n * sizeof *voxels);
    assert_non_null(voxels);
    for (int64_t i = 0; i < n; i++)
        voxels[i] = voxel;
    roll_put(s, list, voxels, n);
    free(voxels);
}

void roll_give(const struct stage *s, int64_t list, int32_t a, double value)
{
    const struct rd_list *const l = &s->sim.world.lists.list[list];
    for (int64_t slot = 0; slot < l->most; slot++)
        s->sim.world.lists.trait[l->trait + a * l->most + slot] = value;
}

double roll_trait(const struct stage *s, int64_t list, int64_t i, int32_t a)
{
    const struct rd_world *const w = &s->sim.world;
    const struct rd_list *const l = &w->lists.list[list];
    return w->lists.trait[l->trait + a * l->most + w->lists.slot[l->base + i]];
}

void roll_open(const struct stage *s)
{
    const struct rd_world *const w = &s->sim.world;
    for (int64_t i = 0; i < w->lists.n_list; i++)
        for (int64_t c = 0; c < w->lattice.n_voxels; c++) {
            const int64_t at = w->lists.list[i].voxels + c;
            w->lists.flag[at + 1] = w->lists.first[at] < w->lists.first[at + 1];
        }
    memset(w->lists.births, 0, (size_t)w->lists.n_births * sizeof *w->lists.births);
    memset(w->lists.named, 0, (size_t)w->lists.n_named * sizeof *w->lists.named);
    memset(w->lists.offset, 0, (size_t)w->lists.n_offset * sizeof *w->lists.offset);
    *w->lists.need = (struct rd_need){.touched = 1};
}

void roll_kill(const struct stage *s, int64_t list, int64_t entry)
{
    const struct rd_world *const w = &s->sim.world;
    const struct rd_list *const l = &w->lists.list[list];
    w->lists.offset[l->base + entry] = -1;
    w->counts.count[l->species * w->lattice.n_voxels + w->lists.key[l->base + entry]]--;
}

void roll_bear(const struct stage *s, int64_t list, int64_t voxel, int32_t n)
{
    const struct rd_world *const w = &s->sim.world;
    const struct rd_list *const l = &w->lists.list[list];
    assert_true(w->lists.need->n_newborn + n <= w->lists.n_newborn);
    for (int32_t k = 0; k < n; k++)
        w->lists.newborn[w->lists.need->n_newborn++] =
            (struct rd_newborn){.id = w->lists.named[l->voxels + voxel]++,
                                .parent = -1,
                                .born = w->pass.step_clock->time,
                                .id_of = (int32_t)list,
                                .parent_of = -1,
                                .voxel = (uint32_t)voxel,
                                .list = (int32_t)list,
                                .place = w->lists.births[l->voxels + voxel]++};
    w->counts.count[l->species * w->lattice.n_voxels + voxel] += n;
}

int32_t roll_reaction(const struct stage *s, int32_t i)
{
    int32_t r = 0;
    while (s->plan.reaction_of[r] != i)
        r++;
    return r;
}

/* Applies the events as maintain does, except for where the events come from. */
void roll_happen(const struct stage *s, int64_t voxel, const int32_t *reaction)
{
    const struct rd_world *const w = &s->sim.world;
    struct rd_ssa ssa;
    int n = 0;
    rd_ssa_open(&ssa, w, voxel);
    ssa.n_notes = 0;
    for (; reaction[n] >= 0; n++)
        rd_count_newborn(&ssa, &w->reactions.channel[roll_reaction(s, reaction[n])]);
    for (int64_t i = 0; i < w->lists.n_list; i++) {
        const int64_t c = w->lists.list[i].voxels + voxel;
        w->lists.capacity[c] = (int32_t)w->lists.need->n_newborn;
        w->lists.need->n_newborn += w->lists.births[c];
    }
    assert_true(w->lists.need->n_newborn <= w->lists.n_newborn);
    rd_ssa_cast(&ssa, true);
    for (int k = 0; k < n; k++) {
        const int32_t r = roll_reaction(s, reaction[k]);
        ssa.left = w->pass.dt - w->pass.dt * (k + 1) / (n + 1);
        assert_true(rd_apply_event(&ssa, r));
        rd_change_counts(&ssa, r, false);
    }
    for (int64_t i = 0; i < w->lists.n_list; i++)
        rd_maintain_close(&ssa, &w->lists.list[i]);
}

void roll_move(struct stage *s, int64_t list)
{
    rd_lists_choose(&s->sim, list);
    for (int64_t i = 0; i < s->sim.world.lists.live[list]; i++)
        rd_move(&s->sim.world, i);
}

void assert_sound(struct stage *s)
{
    struct rd_error e = {0};
    if (!rd_sim_check(&s->sim, &e) || !rd_verify(&s->sim, &e))
        fail_msg("%s", e.text);
}

void assert_roll(struct stage *s, int64_t list, const struct roll_line *line, int64_t n)
{
    const struct rd_world *const w = &s->sim.world;
    const struct rd_list *const l = &w->lists.list[list];
    assert_sound(s);
    assert_int_equal(w->lists.live[list], n);
    for (int64_t i = 0; i < n; i++) {
        assert_int_equal(w->lists.key[l->base + i], line[i].voxel);
        assert_int_equal(w->lists.slot[l->base + i], line[i].slot);
        assert_int_equal(w->lists.id[l->base + w->lists.slot[l->base + i]], line[i].id);
    }
}

void assert_pool(const struct stage *s, int64_t list, const int32_t *slot, int64_t n)
{
    const struct rd_world *const w = &s->sim.world;
    const uint32_t *const pool = w->lists.slot + w->lists.list[list].base + w->lists.live[list];
    assert_true(w->lists.live[list] + n <= w->lists.list[list].most);
    for (int64_t i = 0; i < n; i++)
        assert_int_equal(pool[i], slot[i]);
}

static uint64_t hash(uint64_t h, const void *from, size_t bytes)
{
    const unsigned char *const b = from;
    for (size_t i = 0; i < bytes; i++)
        h = hash_step(h, b[i]);
    return h;
}

uint64_t roll_fingerprint(const struct stage *s)
{
    const struct rd_world *const w = &s->sim.world;
    uint64_t h = PROBABILITY_HASH_START;
#define HASH(part, name) h = hash(h, w->part.name, (size_t)w->part.n_##name * sizeof *w->part.name)
    HASH(lists, key);
    HASH(lists, slot);
    HASH(lists, id);
    HASH(lists, parent);
    HASH(lists, born);
    HASH(lists, trait);
    HASH(lists, first);
    HASH(lists, live);
    HASH(counts, count);
#undef HASH
    return h;
}

/* Births are 1 0 2 1 0 1 and the voxels 1, 3, 4 are occupied, so that sums restart in 2, 4, 5.
   Sums: 1 1 | 2 3 | 0 | 1 1. Entries 0, 3, 4 are the first of their voxels and get 1, 3, 0; entries
   1 and 3 lose one. Hence the living move on by 1, 0, 2, 2. The five newborn take the pool's slots
   3 2 1 0 and then, since the pool is empty, slot 8 of b; slot 6 of d is the new pool. */
const struct roll_example roll_example = {
    .voxel = {1, 1, 1, 3, 4, 4},
    .first = {0, 0, 3, 3, 4, 6, 6},
    .births = {1, 0, 2, 1, 0, 1, 0},
    .flag = {0, 0, 1, 0, 1, 1, 0},
    .offset = {0, -1, 0, -1, 0, 0},
    .capacity = {1, 1, 2, 3, 0, 1, 1},
    .expanded = {1, -1, 0, 2, 0, 0},
    .ranks = {0, 1, 1, 3, 4, 4, 5},
    .scanned = {1, 0, 0, 2, 2, 2},
    .standing = {0, 3, 4, 5, 8},
    .key = {0, 1, 1, 2, 2, 3, 4, 4, 5, RD_KEY_NONE},
    .slot = {3, 9, 7, 2, 1, 0, 5, 4, 8, 6},
    .first_then = {0, 1, 3, 5, 6, 8, 9},
};

void roll_example_open(struct stage *s)
{
    stage_open(s, "passes/list_example.cfg", NULL, 1.0);
    roll_put(s, 0, roll_example.voxel, ROLL_LIVE);
    rd_lists_choose(&s->sim, 0);
}

void roll_example_mark(const struct stage *s)
{
    roll_open(s);
    for (int64_t i = 0; i < ROLL_LIVE; i++)
        if (roll_example.offset[i] < 0)
            roll_kill(s, 0, i);
    for (int64_t c = ROLL_VOXELS - 1; c >= 0; c--) /* the newborn may be in any order */
        roll_bear(s, 0, c, roll_example.births[c]);
}

void roll_example_scan(const struct stage *s)
{
    const struct rd_world *const w = &s->sim.world;
    memcpy(w->lists.births, roll_example.ranks, sizeof roll_example.ranks);
    memcpy(w->lists.named, roll_example.ranks, sizeof roll_example.ranks);
    memcpy(w->lists.offset, roll_example.scanned, sizeof roll_example.scanned);
}
