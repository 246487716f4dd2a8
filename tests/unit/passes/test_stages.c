/* test_stages - tests of the lists over many random steps against a plain reference.

   The reference builds arrays of individuals anew in each step, and sorts them with qsort. It draws
   events and individuals from the same streams, and shares nothing else with the lists. */
#include "kernels/passes/reactions/ssa.h"
#include "roll.h"
#include "sim/lists.h"
#include "sim/step.h"

#include <stdlib.h>
#include <string.h>

#define TEXT(more)                                                                                 \
    "grid = { voxels = (3, 2); edge = 1.0; walls = { xmin = \"absorb\"; y = \"periodic\"; }; };\n" \
    "species = (\n"                                                                                \
    "  { name = \"A\"; diffusion = 0.3; individuals = { max = 34; record = \"lineage\";\n"         \
    "      attributes = ( { name = \"gen\"; kind = \"integer\"; initial = 0;\n"                    \
    "                       birth = \"parent.gen + 1\"; orphan = 100; } ); }; },\n"                \
    "  { name = \"B\"; diffusion = 0.2; walls = { xmin = \"reflect\"; };\n"                        \
    "    individuals = { max = 34; record = \"lineage\"; attributes = (\n"                         \
    "      { name = \"heat\"; initial = 3; }, { name = \"gen\"; initial = 0; } ); }; },\n"         \
    "  { name = \"S\"; } );\n"                                                                     \
    "reactions = ( { equation = \"0 -> A\"; rate = 2; }, { equation = \"A -> 0\"; rate = 0.5; "    \
    "},\n"                                                                                         \
    "  { equation = \"A -> 2 A\"; rate = 0.2; }, { equation = \"A -> B\"; rate = 0.6; },\n"        \
    "  { equation = \"B -> A\"; rate = 0.5; }, { equation = \"B -> B + S\"; rate = 0.5; },\n"      \
    "  { equation = \"A + S -> A + B\"; rate = 0.1; }, { equation = \"2 A -> A\"; rate = 0.1; "    \
    "},\n"                                                                                         \
    "  { equation = \"2 B -> 0\"; rate = 0.1; }, { equation = \"A + B -> 2 A\"; rate = 0.1; "      \
    "}" more " );\n"                                                                               \
    "time = { end = 1000.0; }; run = { runs = 3; first = 7; };\n"

static const char plain[] = TEXT("");
/* The last reaction never fires, but its propensity depends on individuals. The same events are
   therefore counted one by one, together with their individuals. */
static const char keen[] = TEXT(", { equation = \"2 S -> 0\"; propensity = \"0 * sum(A.gen)\"; }");

enum { A, B, LISTS, NONE = -1, STAYS = -2, DIES = -3 };
enum {
    MOST = 3 * 34,
    VOXELS = 18,
    SPECIES = 3,
    RUNS = 3,
    N_DEEDS = 10,
    BORN_MOST = 2000,
    LIVES_MOST = 200000
};

/* Describes the reactions in the order of the text: the lists of the individuals that they take,
   the fate of each (or its new list), the list of the newborn, and the parent among those taken. */
static const struct deed {
    int taken[2], fate[2], born, parent;
} deeds[N_DEEDS] = {
    {{NONE, NONE}, {0, 0}, A, NONE},    {{A, NONE}, {DIES, 0}, NONE, NONE},
    {{A, NONE}, {STAYS, 0}, A, 0},      {{A, NONE}, {B, 0}, NONE, NONE},
    {{B, NONE}, {A, 0}, NONE, NONE},    {{NONE, NONE}, {0, 0}, NONE, NONE},
    {{A, NONE}, {STAYS, 0}, B, 0},      {{A, A}, {DIES, STAYS}, NONE, NONE},
    {{B, B}, {DIES, DIES}, NONE, NONE}, {{A, B}, {STAYS, A}, NONE, NONE},
};

/* Describes an individual. During its step a newborn has the id -2 - k, if it is birth k of the
   step. */
struct person {
    int64_t voxel, id, parent, slot;
    int order; /* position in its list, for qsort */
    bool is_newborn, is_gone;
    double born, gen;
};

struct people {
    struct person one[BORN_MOST];
    int n;
};

struct reference {
    struct people list[LISTS];
    int64_t pool[LISTS][MOST];
    int n_pool[LISTS];
    int32_t count[SPECIES * VOXELS];
    int64_t next_id[RUNS];

    struct person *members[LISTS][BORN_MOST]; /* living individuals of the current voxel */
    int n_members[LISTS];
    struct people newcomers; /* newborn of the step, in order of birth */
    struct {
        int list;
        int64_t run;
    } birth[BORN_MOST]; /* births of the step, in the order of their provisional ids */
    int n_births;

    struct rd_life life[LIVES_MOST];
    int n_lives, n_settled; /* lives, and those of them whose ids are final */
    int n_served;           /* slots that passed from the dead directly to the newborn */
};

struct race {
    struct stage stage;
    struct reference reference;
};

static void note(struct reference *r, const struct person *p, int list, double time, bool is_birth)
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
static void join(struct reference *r, int list, struct person p)
{
    assert_true(r->newcomers.n < BORN_MOST);
    struct person *const one = &r->newcomers.one[r->newcomers.n++];
    *one = p;
    one->is_newborn = true;
    one->is_gone = false;
    r->members[list][r->n_members[list]++] = one;
}

static void bear(struct reference *r, int list, const struct person *parent, int64_t voxel,
                 double t)
{
    struct person p = {.voxel = voxel, .id = -2 - r->n_births, .parent = -1, .born = t, .gen = 100};
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
static struct person *draw(struct reference *r, int list, int n_drawn, struct rd_stream *who)
{
    const int n = r->n_members[list] - n_drawn;
    struct person **const at = &r->members[list][rd_below(who, (uint64_t)n)];
    struct person *const p = *at;
    *at = r->members[list][n - 1];
    r->members[list][n - 1] = p;
    return p;
}

static void happen(struct reference *r, const struct deed *d, int64_t voxel, double t,
                   struct rd_stream *who)
{
    struct person *taken[2] = {NULL, NULL};
    for (int i = 0; i < 2 && d->taken[i] != NONE; i++)
        taken[i] = draw(r, d->taken[i], i > 0 && d->taken[i] == d->taken[0], who);
    for (int i = 0; i < 2 && d->taken[i] != NONE; i++)
        if (d->fate[i] != STAYS) {
            taken[i]->is_gone = true;
            r->n_members[d->taken[i]]--;
            if (d->fate[i] == DIES)
                note(r, taken[i], d->taken[i], t, false);
        }
    for (int i = 0; i < 2 && d->taken[i] != NONE; i++)
        if (d->fate[i] >= 0)
            join(r, d->fate[i], *taken[i]);
    if (d->born != NONE)
        bear(r, d->born, d->parent == NONE ? NULL : taken[d->parent], voxel, t);
}

/* Applies the events of the voxel; afterwards its newborn come before the old individuals. */
static void react_voxel(struct reference *r, const struct race *race, const struct rd_world *w,
                        int64_t voxel, struct people *then)
{
    struct rd_ssa ssa;
    rd_ssa_open(&ssa, w, voxel);
    struct rd_stream who = rd_stream_of(w->seed, w->first_run + ssa.p.run, w->step_clock->step,
                                        RD_FOR_INDIVIDUAL, w->part, ssa.p.site);
    for (int list = 0; list < LISTS; list++) {
        r->n_members[list] = 0;
        for (int i = 0; i < r->list[list].n; i++)
            if (r->list[list].one[i].voxel == voxel)
                r->members[list][r->n_members[list]++] = &r->list[list].one[i];
    }
    for (int32_t which; rd_ssa_next(&ssa, &which);) {
        happen(r, &deeds[race->stage.plan.reaction_of[which]], voxel,
               w->step_clock->time + w->dt / 2 - ssa.left, &who);
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
static void deal_slots(struct reference *r, int list, struct people *then)
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
static void number_births(struct reference *r, struct people *then)
{
    int64_t id[BORN_MOST];
    for (int list = 0; list < LISTS; list++)
        for (int i = 0; i < r->n_births; i++)
            if (r->birth[i].list == list)
                id[i] = r->next_id[r->birth[i].run]++;
    for (int list = 0; list < LISTS; list++)
        for (int i = 0; i < then[list].n; i++) {
            struct person *const p = &then[list].one[i];
            p->id = p->id < -1 ? id[-2 - p->id] : p->id;
            p->parent = p->parent < -1 ? id[-2 - p->parent] : p->parent;
        }
    for (; r->n_settled < r->n_lives; r->n_settled++) {
        struct rd_life *const life = &r->life[r->n_settled];
        life->id = life->id < -1 ? id[-2 - life->id] : life->id;
        life->parent = life->parent < -1 ? id[-2 - life->parent] : life->parent;
    }
}

static void react(struct race *race, const struct rd_world *w)
{
    struct reference *const r = &race->reference;
    struct people *const then = calloc(LISTS, sizeof *then);
    assert_non_null(then);
    struct rd_world own = *w;
    own.count = r->count;
    own.n_reactions = N_DEEDS;
    r->newcomers.n = r->n_births = 0;
    for (int64_t voxel = 0; voxel < VOXELS; voxel++)
        react_voxel(r, race, &own, voxel, then);
    number_births(r, then);
    for (int list = 0; list < LISTS; list++) {
        deal_slots(r, list, &then[list]);
        r->list[list] = then[list];
        for (int i = 0; i < then[list].n; i++)
            r->list[list].one[i].is_newborn = false;
    }
    free(then);
}

static int by_voxel(const void *a, const void *b)
{
    const struct person *const x = a, *const y = b;
    return x->voxel != y->voxel ? (x->voxel > y->voxel) - (x->voxel < y->voxel)
                                : x->order - y->order;
}

/* Moves the individuals to the voxels of the pass; slots of absorbed ones come first in the
   pool. */
static void move(struct reference *r, const struct rd_world *w)
{
    const int list = w->at_list;
    struct people *const p = &r->list[list];
    int64_t left[MOST];
    int n = 0, n_left = 0;
    for (int i = 0; i < p->n; i++) {
        struct person one = p->one[i];
        const uint32_t to = w->key[w->now.base + i];
        if (to == RD_KEY_NONE) {
            note(r, &one, list, w->step_clock->reacted, false);
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
    r->n_settled = r->n_lives;
    memset(r->count + list * VOXELS, 0, VOXELS * sizeof *r->count);
    for (int i = 0; i < n; i++)
        r->count[list * VOXELS + p->one[i].voxel]++;
}

/* Runs the pass on the CPU and in the reference; the world is the one of a race. */
static void run_both(rd_machine *m, const struct rd_world *w, enum rd_pass pass)
{
    struct race *const race =
        (struct race *)((uintptr_t)w - offsetof(struct race, stage.sim.world));
    if (pass == RD_MAINTAIN)
        react(race, w);
    rd_backend_cpu.run(m, w, pass);
    if (pass == RD_MOVE)
        move(&race->reference, w);
}

static void assert_list(const struct race *race, int list)
{
    const struct rd_world *const w = &race->stage.sim.world;
    const struct rd_list *const l = &w->list[list];
    const struct people *const p = &race->reference.list[list];
    assert_int_equal(w->live[list], p->n);
    for (int i = 0; i < p->n; i++) {
        const struct person *const one = &p->one[i];
        const int64_t slot = w->slot[l->base + i];
        assert_int_equal(w->key[l->base + i], one->voxel);
        assert_int_equal(slot, one->slot);
        assert_int_equal(w->id[l->base + slot], one->id);
        assert_int_equal(w->parent[l->base + slot], one->parent);
        assert_true(w->born[l->base + slot] == one->born);
        assert_true(w->trait[l->trait + (list == A ? 0 : l->most) + slot] == one->gen);
        assert_true(list == A || w->trait[l->trait + slot] == 3);
    }
    assert_int_equal(race->reference.n_pool[list], l->most - p->n);
    for (int i = 0; i < l->most - p->n; i++)
        assert_int_equal(w->slot[l->base + p->n + i], race->reference.pool[list][i]);
}

static void assert_lineage(const struct race *race)
{
    const struct reference *const r = &race->reference;
    assert_int_equal(race->stage.sim.n_lives, r->n_lives);
    for (int i = 0; i < r->n_lives; i++) {
        const struct rd_life *const a = &race->stage.sim.life[i], *const b = &r->life[i];
        assert_true(a->time == b->time && a->run == b->run && a->site == b->site);
        assert_true(a->id == b->id && a->parent == b->parent);
        assert_true(a->species == b->species && a->is_birth == b->is_birth);
    }
}

static void assert_race(const char *text)
{
    enum { STEPS = 300 };
    static const struct rd_stretch stretch = {
        .from = 0, .to = STEPS * 0.8, .n_steps = STEPS, .step = 0.8};
    struct rd_backend both = rd_backend_cpu;
    struct race *const race = calloc(1, sizeof *race);
    assert_non_null(race);
    both.run = run_both;
    stage_open(&race->stage, text, stretch.step);
    race->stage.sim.backend = &both;
    /* No run exceeds max with this seed; the reference has no such limit. */
    race->stage.sim.world.seed = 2;
    for (int list = 0; list < LISTS; list++) {
        roll_put(&race->stage, list, NULL, 0);
        for (int i = 0; i < MOST; i++)
            race->reference.pool[list][i] = MOST - 1 - i;
        race->reference.n_pool[list] = MOST;
    }
    for (int run = 0; run < RUNS; run++)
        race->reference.next_id[run] = ROLL_NEXT_ID;
    const struct rd_world *const w = &race->stage.sim.world;
    assert_true(w->has_attribute_rates == (text == keen));
    assert_true(text == plain || race->stage.plan.reaction_of[N_DEEDS] == N_DEEDS);
    for (int64_t j = 0; j < STEPS; j++) {
        rd_step(&race->stage.sim, &stretch, j);
        assert_sound(&race->stage);
        for (int list = 0; list < LISTS; list++)
            assert_list(race, list);
        assert_memory_equal(w->count, race->reference.count, sizeof race->reference.count);
        assert_memory_equal(w->id_base + LISTS * RUNS, race->reference.next_id,
                            sizeof race->reference.next_id);
    }
    assert_lineage(race);
    assert_true(race->reference.n_served > 20); /* the pool was sometimes used up */
    stage_close(&race->stage);
    free(race);
}

static void lists_are_those_of_a_plain_reference(void **state)
{
    (void)state;
    assert_race(plain);
}

static void they_are_so_where_rates_are_sums(void **state)
{
    (void)state;
    assert_race(keen);
}

int test_stages(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lists_are_those_of_a_plain_reference),
        cmocka_unit_test(they_are_so_where_rates_are_sums),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
