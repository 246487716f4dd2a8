/* test_stages - tests of the lists over many random steps against a plain reference.

   The reference builds arrays of individuals anew in each step, and sorts them with qsort. It draws
   events and individuals from the same streams, and shares nothing else with the lists. */
#include "kernels/passes/reactions/ssa.h"
#include "roll.h"
#include "sim/lists.h"
#include "sim/step.h"

#include <stdlib.h>
#include <string.h>

enum { A, B, LISTS, NONE = -1, STAY = -2, DIE = -3 };
enum {
    MOST = 3 * 34,
    VOXELS = 18,
    SPECIES = 3,
    RUNS = 3,
    N_REACTIONS = 10,
    BORN_MOST = 2000,
    LIVES_MOST = 200000
};

/* Describes the reactions in the order of the text: the lists of the individuals that they take,
   the fate of each (or its new list), the list of the newborn, and the parent among those taken. */
static const struct reaction {
    int taken[2], fate[2], born, parent;
} reactions[N_REACTIONS] = {
    {{NONE, NONE}, {0, 0}, A, NONE},  {{A, NONE}, {DIE, 0}, NONE, NONE},
    {{A, NONE}, {STAY, 0}, A, 0},     {{A, NONE}, {B, 0}, NONE, NONE},
    {{B, NONE}, {A, 0}, NONE, NONE},  {{NONE, NONE}, {0, 0}, NONE, NONE},
    {{A, NONE}, {STAY, 0}, B, 0},     {{A, A}, {DIE, STAY}, NONE, NONE},
    {{B, B}, {DIE, DIE}, NONE, NONE}, {{A, B}, {STAY, A}, NONE, NONE},
};

/* Describes an individual. During its step a newborn has the id -2 - k, if it is birth k of the
   step. */
struct individual {
    int64_t voxel, id, parent, slot;
    int order; /* position in its list, for qsort */
    bool is_newborn, is_gone;
    double born, gen;
};

struct list_of_individuals {
    struct individual one[BORN_MOST];
    int n;
};

struct reference {
    struct list_of_individuals list[LISTS];
    int64_t pool[LISTS][MOST];
    int n_pool[LISTS];
    int32_t count[SPECIES * VOXELS];
    int64_t next_id[RUNS];

    struct individual *members[LISTS][BORN_MOST]; /* living individuals of the current voxel */
    int n_members[LISTS];
    struct list_of_individuals newcomers; /* newborn of the step, in order of birth */
    struct {
        int list;
        int64_t run;
    } birth[BORN_MOST]; /* births of the step, in the order of their provisional ids */
    int n_births;

    struct rd_life life[LIVES_MOST];
    int n_lives, n_final; /* lives, and those of them whose ids are final */
    int n_served;         /* slots that passed from the dead directly to the newborn */
};

struct stage_comparison {
    struct stage stage;
    struct reference reference;
};

static void note(struct reference *r, const struct individual *p, int list, double time,
                 bool is_birth)
{
    assert_true(r->n_lives < LIVES_MOST);
    r->life[r->n_lives++] = (struct rd_life){.time = time,
                                             .run = p->voxel / 6,
                                             .site = p->voxel % 6,
                                             .id = p->id,
                                             .parent = p->parent,
                                             .species = list,
                                             .is_birth = is_birth};
}

/* Adds a new entry, which may be a copy of another individual, to the members of the list. */
static void join(struct reference *r, int list, struct individual p)
{
    assert_true(r->newcomers.n < BORN_MOST);
    struct individual *const one = &r->newcomers.one[r->newcomers.n++];
    *one = p;
    one->is_newborn = true;
    one->is_gone = false;
    r->members[list][r->n_members[list]++] = one;
}

static void add_newborn(struct reference *r, int list, const struct individual *parent,
                        int64_t voxel, double t)
{
    struct individual p = {
        .voxel = voxel, .id = -2 - r->n_births, .parent = -1, .born = t, .gen = 100};
    if (parent) {
        p.parent = parent->id;
        p.gen = list == A ? parent->gen + 1 : parent->gen;
    }
    r->birth[r->n_births].list = list;
    r->birth[r->n_births++].run = voxel / 6;
    note(r, &p, list, t, true);
    join(r, list, p);
}

/* Draws one of the members, and moves it to their end, before those that were drawn earlier. */
static struct individual *draw(struct reference *r, int list, int n_drawn, struct rd_stream *stream)
{
    const int n = r->n_members[list] - n_drawn;
    struct individual **const at = &r->members[list][rd_below(stream, (uint64_t)n)];
    struct individual *const p = *at;
    *at = r->members[list][n - 1];
    r->members[list][n - 1] = p;
    return p;
}

static void apply_event(struct reference *r, const struct reaction *d, int64_t voxel, double t,
                        struct rd_stream *stream)
{
    struct individual *taken[2] = {NULL, NULL};
    for (int i = 0; i < 2 && d->taken[i] != NONE; i++)
        taken[i] = draw(r, d->taken[i], i > 0 && d->taken[i] == d->taken[0], stream);
    for (int i = 0; i < 2 && d->taken[i] != NONE; i++)
        if (d->fate[i] != STAY) {
            taken[i]->is_gone = true;
            r->n_members[d->taken[i]]--;
            if (d->fate[i] == DIE)
                note(r, taken[i], d->taken[i], t, false);
        }
    for (int i = 0; i < 2 && d->taken[i] != NONE; i++)
        if (d->fate[i] >= 0)
            join(r, d->fate[i], *taken[i]);
    if (d->born != NONE)
        add_newborn(r, d->born, d->parent == NONE ? NULL : taken[d->parent], voxel, t);
}

/* Applies the events of the voxel; afterwards its newborn come before the old individuals. */
static void react_voxel(struct reference *r, const struct stage_comparison *comparison,
                        const struct rd_world *w, int64_t voxel, struct list_of_individuals *then)
{
    struct rd_ssa ssa;
    rd_ssa_open(&ssa, w, voxel);
    struct rd_stream stream =
        rd_stream_of(w->pass.seed, w->lattice.first_run + ssa.p.run, w->pass.step_clock->step,
                     RD_FOR_INDIVIDUAL, w->pass.part, ssa.p.site);
    for (int list = 0; list < LISTS; list++) {
        r->n_members[list] = 0;
        for (int i = 0; i < r->list[list].n; i++)
            if (r->list[list].one[i].voxel == voxel)
                r->members[list][r->n_members[list]++] = &r->list[list].one[i];
    }
    for (int32_t which; rd_ssa_next(&ssa, &which);) {
        apply_event(r, &reactions[comparison->stage.plan.reaction_of[which]], voxel,
                    w->pass.step_clock->time + w->pass.dt / 2 - ssa.left, &stream);
        rd_change_counts(&ssa, which, true);
    }
    for (int list = 0; list < LISTS; list++) {
        for (int k = 0; k < r->n_members[list]; k++)
            if (r->members[list][k]->is_newborn)
                then[list].one[then[list].n++] = *r->members[list][k];
        for (int i = 0; i < r->list[list].n; i++)
            if (r->list[list].one[i].voxel == voxel && !r->list[list].one[i].is_gone)
                then[list].one[then[list].n++] = r->list[list].one[i];
    }
}

/* Assigns slots: the newborn take those of the pool, then those of the dead. Slots of the dead come
   first in the new pool. */
static void assign_slots(struct reference *r, int list, struct list_of_individuals *then)
{
    int64_t left[MOST], pool[MOST];
    int n_left = 0, n_taken = 0, n_pool = 0;
    for (int i = 0; i < r->list[list].n; i++)
        if (r->list[list].one[i].is_gone)
            left[n_left++] = r->list[list].one[i].slot;
    for (int i = 0; i < then->n; i++)
        if (then->one[i].is_newborn) {
            const int beyond = n_taken - r->n_pool[list];
            then->one[i].slot = beyond < 0 ? r->pool[list][n_taken] : left[beyond];
            n_taken++;
        }
    const int n_served = n_taken > r->n_pool[list] ? n_taken - r->n_pool[list] : 0;
    for (int i = n_served; i < n_left; i++)
        pool[n_pool++] = left[i];
    for (int i = n_taken; i < r->n_pool[list]; i++)
        pool[n_pool++] = r->pool[list][i];
    memcpy(r->pool[list], pool, (size_t)n_pool * sizeof *pool);
    r->n_pool[list] = n_pool;
    r->n_served += n_served;
}

/* Numbers the births by list, then voxel, then birth. */
static void number_births(struct reference *r, struct list_of_individuals *then)
{
    int64_t id[BORN_MOST];
    for (int list = 0; list < LISTS; list++)
        for (int i = 0; i < r->n_births; i++)
            if (r->birth[i].list == list)
                id[i] = r->next_id[r->birth[i].run]++;
    for (int list = 0; list < LISTS; list++)
        for (int i = 0; i < then[list].n; i++) {
            struct individual *const p = &then[list].one[i];
            p->id = p->id < -1 ? id[-2 - p->id] : p->id;
            p->parent = p->parent < -1 ? id[-2 - p->parent] : p->parent;
        }
    for (; r->n_final < r->n_lives; r->n_final++) {
        struct rd_life *const life = &r->life[r->n_final];
        life->id = life->id < -1 ? id[-2 - life->id] : life->id;
        life->parent = life->parent < -1 ? id[-2 - life->parent] : life->parent;
    }
}

static void react(struct stage_comparison *comparison, const struct rd_world *w)
{
    struct reference *const r = &comparison->reference;
    struct list_of_individuals *const then = calloc(LISTS, sizeof *then);
    assert_non_null(then);
    struct rd_world own = *w;
    own.counts.count = r->count;
    own.reactions.n_reactions = N_REACTIONS;
    r->newcomers.n = r->n_births = 0;
    for (int64_t voxel = 0; voxel < VOXELS; voxel++)
        react_voxel(r, comparison, &own, voxel, then);
    number_births(r, then);
    for (int list = 0; list < LISTS; list++) {
        assign_slots(r, list, &then[list]);
        r->list[list] = then[list];
        for (int i = 0; i < then[list].n; i++)
            r->list[list].one[i].is_newborn = false;
    }
    free(then);
}

static int by_voxel(const void *a, const void *b)
{
    const struct individual *const x = a, *const y = b;
    return x->voxel != y->voxel ? (x->voxel > y->voxel) - (x->voxel < y->voxel)
                                : x->order - y->order;
}

/* Moves the individuals to the voxels of the pass; slots of absorbed ones come first in the
   pool. */
static void move(struct reference *r, const struct rd_world *w)
{
    const int list = w->lists.at_list;
    struct list_of_individuals *const p = &r->list[list];
    int64_t left[MOST];
    int n = 0, n_left = 0;
    for (int i = 0; i < p->n; i++) {
        struct individual one = p->one[i];
        const uint32_t to = w->lists.key[w->lists.now.base + i];
        if (to == RD_KEY_NONE) {
            note(r, &one, list, w->pass.step_clock->reacted, false);
            left[n_left++] = one.slot;
            continue;
        }
        one.voxel = to;
        one.order = n;
        p->one[n++] = one;
    }
    p->n = n;
    qsort(p->one, (size_t)n, sizeof *p->one, by_voxel);
    memmove(r->pool[list] + n_left, r->pool[list], (size_t)r->n_pool[list] * sizeof *left);
    memcpy(r->pool[list], left, (size_t)n_left * sizeof *left);
    r->n_pool[list] += n_left;
    r->n_final = r->n_lives;
    memset(r->count + list * VOXELS, 0, VOXELS * sizeof *r->count);
    for (int i = 0; i < n; i++)
        r->count[list * VOXELS + p->one[i].voxel]++;
}

/* Runs the pass on the CPU and in the reference; the world is the one of a comparison. */
static void run_both(rd_machine *m, const struct rd_world *w, enum rd_pass pass)
{
    struct stage_comparison *const comparison =
        (struct stage_comparison *)((uintptr_t)w -
                                    offsetof(struct stage_comparison, stage.sim.world));
    if (pass == RD_MAINTAIN)
        react(comparison, w);
    rd_backend_cpu.run(m, w, pass);
    if (pass == RD_MOVE)
        move(&comparison->reference, w);
}

static void assert_list(const struct stage_comparison *comparison, int list)
{
    const struct rd_world *const w = &comparison->stage.sim.world;
    const struct rd_list *const l = &w->lists.list[list];
    const struct list_of_individuals *const p = &comparison->reference.list[list];
    assert_int_equal(w->lists.live[list], p->n);
    for (int i = 0; i < p->n; i++) {
        const struct individual *const one = &p->one[i];
        const int64_t slot = w->lists.slot[l->base + i];
        assert_int_equal(w->lists.key[l->base + i], one->voxel);
        assert_int_equal(slot, one->slot);
        assert_int_equal(w->lists.id[l->base + slot], one->id);
        assert_int_equal(w->lists.parent[l->base + slot], one->parent);
        assert_true(w->lists.born[l->base + slot] == one->born);
        assert_true(w->lists.trait[l->trait + (list == A ? 0 : l->most) + slot] == one->gen);
        assert_true(list == A || w->lists.trait[l->trait + slot] == 3);
    }
    assert_int_equal(comparison->reference.n_pool[list], l->most - p->n);
    for (int i = 0; i < l->most - p->n; i++)
        assert_int_equal(w->lists.slot[l->base + p->n + i], comparison->reference.pool[list][i]);
}

static void assert_lineage(const struct stage_comparison *comparison)
{
    const struct reference *const r = &comparison->reference;
    assert_int_equal(comparison->stage.sim.n_lives, r->n_lives);
    for (int i = 0; i < r->n_lives; i++) {
        const struct rd_life *const a = &comparison->stage.sim.life[i], *const b = &r->life[i];
        assert_true(a->time == b->time && a->run == b->run && a->site == b->site);
        assert_true(a->id == b->id && a->parent == b->parent);
        assert_true(a->species == b->species && a->is_birth == b->is_birth);
    }
}

static void assert_same(const char *const *sets)
{
    enum { STEPS = 300 };
    static const struct rd_stretch stretch = {
        .from = 0, .to = STEPS * 0.8, .n_steps = STEPS, .step = 0.8};
    struct rd_backend both = rd_backend_cpu;
    struct stage_comparison *const comparison = calloc(1, sizeof *comparison);
    assert_non_null(comparison);
    both.run = run_both;
    stage_open(&comparison->stage, "passes/stages.cfg", sets, stretch.step);
    comparison->stage.sim.backend = &both;
    /* No run exceeds max with this seed; the reference has no such limit. */
    comparison->stage.sim.world.pass.seed = 2;
    for (int list = 0; list < LISTS; list++) {
        roll_put(&comparison->stage, list, NULL, 0);
        for (int i = 0; i < MOST; i++)
            comparison->reference.pool[list][i] = MOST - 1 - i;
        comparison->reference.n_pool[list] = MOST;
    }
    for (int run = 0; run < RUNS; run++)
        comparison->reference.next_id[run] = ROLL_NEXT_ID;
    const struct rd_world *const w = &comparison->stage.sim.world;
    assert_true(w->reactions.has_attribute_rates == (sets == NULL));
    assert_int_equal(comparison->stage.plan.reaction_of[N_REACTIONS], N_REACTIONS);
    for (int64_t j = 0; j < STEPS; j++) {
        rd_step(&comparison->stage.sim, &stretch, j);
        assert_sound(&comparison->stage);
        for (int list = 0; list < LISTS; list++)
            assert_list(comparison, list);
        assert_memory_equal(w->counts.count, comparison->reference.count,
                            sizeof comparison->reference.count);
        assert_memory_equal(w->lists.id_base + LISTS * RUNS, comparison->reference.next_id,
                            sizeof comparison->reference.next_id);
    }
    assert_lineage(comparison);
    assert_true(comparison->reference.n_served > 20); /* the pool was sometimes used up */
    stage_close(&comparison->stage);
    free(comparison);
}

/* Tests that events are counted one by one, together with their individuals, if a rate depends on
   attributes. The last reaction never fires. */
static void lists_match_reference_with_rates_by_attributes(void **state)
{
    (void)state;
    assert_same(NULL);
}

static void lists_match_reference(void **state)
{
    (void)state;
    assert_same(SETS("reactions[10].propensity=0 * S"));
}

int test_stages(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lists_match_reference),
        cmocka_unit_test(lists_match_reference_with_rates_by_attributes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
