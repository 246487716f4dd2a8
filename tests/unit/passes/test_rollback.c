/* test_rollback - tests that a run keeps its old individuals if its lists are full, or if it
   faulted during its events.

   The other runs of the ensemble continue as if it did not exist. */
#include "kernels/passes/lists/rollback.h"

#include "kernels/passes/lists/update_lists.h"
#include "roll.h"
#include "sim/step.h"

enum { ROW = 6, RUNS = 4, MOST = 3 };

static void open_runs(struct stage *s)
{
    stage_open(s, "passes/rollback.cfg", NULL, 1.0);
    rd_sim_aim(&s->sim, 0, 0, 1);
    s->sim.step_clock.pass = 7;
}

/* Applies events: in each run but the first, the individual at entry dead[i] dies, and two are born
   in its voxel. */
static void apply_events(const struct stage *s)
{
    const struct rd_world *const w = &s->sim.world;
    roll_put(s, 0, (const int32_t[]){2, 6, 7, 8, 12, 13, 23}, 7);
    roll_open(s);
    static const int64_t dead[] = {1, 4, 6}, voxel[] = {6, 12, 23};
    for (int i = 0; i < 3; i++) {
        roll_kill(s, 0, dead[i]);
        roll_bear(s, 0, voxel[i], 2);
        w->lists.touched[voxel[i]] = 1;
        rd_count_in(w, voxel[i]);
    }
    w->lists.need->touched = 3;
}

static void roll_back(const struct stage *s)
{
    const struct rd_world *const w = &s->sim.world;
    for (int64_t run = 0; run < RUNS; run++)
        rd_count_run(w, run);
    for (int64_t voxel = 0; voxel < RUNS * ROW; voxel++)
        rd_roll_back(w, voxel);
}

static int64_t live_of(const struct stage *s, int64_t run)
{
    const struct rd_world *const w = &s->sim.world;
    return w->lists.first[(run + 1) * ROW] - w->lists.first[run * ROW];
}

/* Tests run 41, which has three individuals: two births for one death exceed max by one. Run 42 has
   two. */
static void run_above_max_is_rolled_back(void **state)
{
    (void)state;
    struct stage s;
    open_runs(&s);
    const struct rd_world *const w = &s.sim.world;
    apply_events(&s);
    roll_back(&s);
    for (int64_t run = 0; run < RUNS; run++)
        assert_true((w->runs.run_fault[run].since == 7) == (run == 1));
    assert_int_equal(w->runs.fault[RD_FAULT_FULL].number, 1);
    assert_int_equal(*w->runs.first_faulting_pass, INT64_MAX);
    rd_step_update_lists(&s.sim);
    static const int64_t live[RUNS] = {1, 3, 3, 2};
    for (int64_t run = 0; run < RUNS; run++)
        assert_int_equal(live_of(&s, run), live[run]);
    static const int64_t id[] = {100, 101, 102, 103};
    for (int i = 0; i < 4; i++)
        assert_int_equal(w->lists.id[w->lists.slot[i]], id[i]);
    assert_int_equal(w->lists.id_base[RUNS + 1], ROLL_NEXT_ID);
    assert_int_equal(w->lists.id_base[RUNS + 2], ROLL_NEXT_ID + 2);
    assert_int_equal(w->counts.count[6], 1);
    stage_close(&s);
}

/* Tests that a run which faulted in an earlier pass keeps its individuals, too. The sums of all
   runs return to zero. */
static void run_that_failed_before_is_rolled_back(void **state)
{
    (void)state;
    struct stage s;
    open_runs(&s);
    const struct rd_world *const w = &s.sim.world;
    w->runs.run_fault[3].since = 5;
    apply_events(&s);
    roll_back(&s);
    for (int64_t run = 0; run < RUNS; run++)
        assert_true(w->lists.of_run[run].net == 0 && w->lists.of_run[run].named == 0);
    rd_step_update_lists(&s.sim);
    assert_int_equal(live_of(&s, 3), 1);
    assert_int_equal(w->lists.id[w->lists.slot[w->lists.first[23]]], 106);
    assert_sound(&s);
    stage_close(&s);
}

/* Tests that newborn of such a run have no place, although they were counted, and that its lineage
   entries are not reported. */
static void rolled_back_run_has_no_births_or_lineage(void **state)
{
    (void)state;
    struct stage s;
    open_runs(&s);
    const struct rd_world *const w = &s.sim.world;
    struct rd_newborn b = {.voxel = 13, .place = 0};
    struct rd_note note[2] = {{.voxel = 13, .list = 0}, {.voxel = 5, .list = 0}};
    assert_true(rd_has_place(w, &b));
    w->runs.run_fault[2].since = 7;
    assert_false(rd_has_place(w, &b));
    b.voxel = 5;
    assert_true(rd_has_place(w, &b));
    struct rd_world telling = *w;
    telling.lists.note = note;
    for (int64_t i = 0; i < 2; i++)
        rd_finish_lineage(&telling, i);
    assert_int_equal(note[0].list, -1);
    assert_int_equal(note[1].list, 0);
    stage_close(&s);
}

int test_rollback(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(run_above_max_is_rolled_back),
        cmocka_unit_test(run_that_failed_before_is_rolled_back),
        cmocka_unit_test(rolled_back_run_has_no_births_or_lineage),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
