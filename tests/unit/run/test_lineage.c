/* test_lineage - births and deaths of whole runs: those born and not dead are alive, parents exist,
   time increases in each voxel, and individuals that a wall absorbs die there. */
#include "run/run.h"

#include "placed.h"

#include <stdlib.h>
#include <string.h>

enum { RUNS = 3, SITES = 48, IDS_MOST = 4000 };

/* Describes the facts about one individual, from the lineage. */
struct facts {
    bool is_born, is_dead;
    double born, died;
    int64_t parent;
};

struct history {
    struct stage s;
    struct facts of[RUNS][IDS_MOST];
    double last[RUNS][SITES]; /* time of the last row of a voxel */
    int64_t n_read;
    int64_t n_dead, n_taken; /* deaths in all runs; absorbed by walls, from the counters */
};

static void read_row(struct history *h, const struct rd_life *row)
{
    assert_in_range(row->id, 0, IDS_MOST - 1);
    struct facts *const one = &h->of[row->run][row->id];
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
    *one = (struct facts){.is_born = true, .born = row->time, .parent = row->parent};
    if (row->parent < 0)
        return;
    const struct facts *const parent = &h->of[row->run][row->parent];
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
        const struct facts *const facts = &h->of[one.voxel / SITES][one.id];
        assert_true(facts->is_born && !facts->is_dead);
        assert_true(facts->born == one.born);
        assert_int_equal(facts->parent, one.parent);
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
static int64_t deaths_in_run(const char *const *sets, int64_t *taken)
{
    struct history *const h = calloc(1, sizeof *h);
    assert_non_null(h);
    struct rd_error e = {0};
    const struct rd_machine_of cpu = {.backend = "cpu", .threads = 1, .verify = true};
    const struct rd_watch watch = {.record = record, .record_to = h};
    double stopped;
    stage_plan(&h->s, "run/lineage_of_two_species.cfg", sets);
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
static void lineage_matches_lists(void **state)
{
    (void)state;
    static const char *const splitting[] = {"splitting=strang", "splitting=lie"};
    for (int i = 0; i < 2; i++) {
        int64_t taken;
        assert_true(deaths_in_run(SETS(splitting[i]), &taken) > 500);
        assert_int_equal(taken, 0);
    }
}

/* Checks that individuals which a wall absorbs die in the lineage, also if a step has several
   movements. */
static void absorbed_individuals_die_in_the_lineage(void **state)
{
    (void)state;
    static const char *const splitting[] = {"splitting=strang", "splitting=lie"};
    for (int i = 0; i < 4; i++) {
        int64_t taken;
        const char *const *const sets =
            i < 2 ? SETS("grid.walls.x=absorb", splitting[i])
                  : SETS("grid.walls.x={ kind = \"absorb\"; probability = 0.001; }",
                         "species.W.diffusion=800.0", splitting[i - 2]);
        const int64_t dead = deaths_in_run(sets, &taken);
        assert_true(taken > 100 && dead > taken + 100);
    }
}

int test_lineage(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lineage_matches_lists),
        cmocka_unit_test(absorbed_individuals_die_in_the_lineage),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
