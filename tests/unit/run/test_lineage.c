/* test_lineage - births and deaths of whole runs: those born and not dead are alive, parents exist,
   time increases in each voxel, and individuals that a wall absorbs die there. */
#include "run/run.h"

#include "placed.h"

#include <stdlib.h>
#include <string.h>

/* W and V record their lineage and turn into each other. */
#define CONFIG(wall, diffusion, rest)                                                              \
    "grid = { voxels = (8, 6); edge = 1.0; walls = { x = { " wall " }; }; };\n"                    \
    "species = ( { name = \"W\"; diffusion = " diffusion "; individuals = { max = 2000; record = " \
    "\"lineage\"; attributes = ( { name = \"s\"; initial = 1.0; } ); }; },\n"                      \
    "{ name = \"A\"; diffusion = 0.2; },\n"                                                        \
    "{ name = \"V\"; diffusion = \"0.1 * s\"; individuals = { max = 300; record = \"lineage\"; "   \
    "attributes = ( { name = \"s\"; initial = 2.0; } ); }; } );\n"                                 \
    "reactions = ( { equation = \"W -> 2 W\"; rate = 0.8; }, { equation = \"W -> 0\"; rate = "     \
    "0.5; }, { equation = \"0 -> W\"; rate = 0.1; }, { equation = \"W + A -> V\"; rate = 0.5; }, " \
    "{ equation = \"2 V -> W + A\"; rate = 0.5; }, { equation = \"0 -> A\"; rate = 0.2; }, { "     \
    "equation = \"V -> V + W\"; rate = 0.2; } );\n"                                                \
    "initial = ( { species = \"W\"; count = 100; }, { species = \"V\"; count = 9; } );\n"          \
    "events = ( { time = 2; add = { species = \"W\"; count = 20; }; remove = { species = \"W\"; "  \
    "count = 15; }; } );\n"                                                                        \
    "time = { end = 4.0; step = 0.5; }; output = { every = 1.0; }; run = { runs = 3; };\n" rest

enum { RUNS = 3, SITES = 48, IDS_MOST = 4000 };

/* The facts about one individual, from the lineage. */
struct known {
    bool is_born, is_dead;
    double born, died;
    int64_t parent;
};

struct history {
    struct stage s;
    struct known of[RUNS][IDS_MOST];
    double last[RUNS][SITES]; /* time of the last row of a voxel */
    int64_t n_read;
    int64_t n_dead, n_taken; /* deaths in all runs; absorbed by walls, from the counters */
};

static void read_row(struct history *h, const struct rd_life *row)
{
    assert_in_range(row->id, 0, IDS_MOST - 1);
    struct known *const one = &h->of[row->run][row->id];
    double *const last = &h->last[row->run][row->site];
    assert_true(row->time >= *last);
    *last = row->time;
    if (!row->is_birth) {
        assert_true(one->is_born && !one->is_dead && one->born <= row->time);
        one->is_dead = true;
        one->died = row->time;
        h->n_dead++;
        return;
    }
    assert_false(one->is_born);
    *one = (struct known){.is_born = true, .born = row->time, .parent = row->parent};
    if (row->parent < 0)
        return;
    const struct known *const parent = &h->of[row->run][row->parent];
    assert_true(parent->is_born && parent->born <= row->time);
    assert_true(!parent->is_dead || parent->died >= row->time);
}

/* Checks that each individual of the list is alive in the lineage, with the same parent and time of
   birth. Returns their number. */
static int64_t check_alive(const struct history *h, int list)
{
    const int64_t n = placed_live(&h->s, list);
    for (int64_t i = 0; i < n; i++) {
        const struct placed_one one = placed_one(&h->s, list, i);
        const struct known *const known = &h->of[one.voxel / SITES][one.id];
        assert_true(known->is_born && !known->is_dead);
        assert_true(known->born == one.born);
        assert_int_equal(known->parent, one.parent);
    }
    return n;
}

static bool record(void *to, struct rd_sim *sim, double time, struct rd_error *e)
{
    struct history *const h = to;
    (void)e;
    for (; h->n_read < sim->n_lives; h->n_read++) {
        assert_true(sim->life[h->n_read].time <= time);
        read_row(h, &sim->life[h->n_read]);
    }
    int64_t alive = 0;
    for (int run = 0; run < RUNS; run++)
        for (int64_t id = 0; id < IDS_MOST; id++)
            alive += h->of[run][id].is_born && !h->of[run][id].is_dead;
    assert_int_equal(alive, check_alive(h, 0) + check_alive(h, 1));
    return true;
}

/* Runs the whole configuration; returns the number of deaths, and in TAKEN the number absorbed by
   walls. */
static int64_t live_through(const char *text, int64_t *taken)
{
    struct history *const h = calloc(1, sizeof *h);
    assert_non_null(h);
    struct rd_error e = {0};
    const struct rd_machine_of cpu = {.backend = "cpu", .threads = 1, .verify = true};
    const struct rd_watch watch = {.record = record, .record_to = h};
    double stopped;
    stage_plan(&h->s, text);
    assert_true(rd_sim_open(&h->s.sim, &h->s.plan, &cpu, &e));
    if (!rd_run(&h->s.plan, &h->s.sim, &watch, &stopped, &e))
        fail_msg("%s", e.text);
    *taken = 0;
    for (int run = 0; run < RUNS; run++)
        for (int species = 1; species < 3; species++) /* V and W, after A */
            for (int face = 0; face < 2 && h->s.plan.has_lost; face++)
                *taken += stage_lost(&h->s, run, species, face);
    const int64_t n_dead = h->n_dead;
    stage_close(&h->s);
    free(h);
    return n_dead;
}

/* Compares lineage and lists; the walls reflect. */
static void lineage_and_lists_agree(void **state)
{
    (void)state;
    static const char *const text[] = {
        CONFIG("kind = \"reflect\";", "0.5", ""),
        CONFIG("kind = \"reflect\";", "0.5", "splitting = \"lie\";")};
    for (int i = 0; i < 2; i++) {
        int64_t taken;
        assert_true(live_through(text[i], &taken) > 500);
        assert_int_equal(taken, 0);
    }
}

/* Checks that individuals which a wall absorbs die in the lineage, also if a step has several
   movements. */
static void whom_a_wall_takes_dies(void **state)
{
    (void)state;
#define OPEN  "kind = \"absorb\";"
#define LEAKY "kind = \"absorb\"; probability = 0.001;"
#define FAR   "800.0"
    static const char *const text[] = {
        CONFIG(OPEN, "0.5", ""), CONFIG(OPEN, "0.5", "splitting = \"lie\";"),
        CONFIG(LEAKY, FAR, ""), CONFIG(LEAKY, FAR, "splitting = \"lie\";")};
    for (int i = 0; i < 4; i++) {
        int64_t taken;
        const int64_t dead = live_through(text[i], &taken);
        assert_true(taken > 100 && dead > taken + 100);
    }
}

int test_lineage(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lineage_and_lists_agree),
        cmocka_unit_test(whom_a_wall_takes_dies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
