/* test_sim - the state on a machine: sizes that are checked before allocation, copies of counts and
   tables in both directions, and a message for each kind of fault. */
#include "kernels/core/arena.h"
#include "kernels/core/lattice.h"
#include "sim/sim.h"

#include "lab.h"
#include "stage.h"

#include <string.h>

static const struct rd_machine_of cpu = {.backend = "cpu", .threads = 1};

#define MODEL "sim/conversions.cfg"

/* Checks the message with which a model does not open; the plan stays valid. */
static void assert_refused(const char *name, const char *const *sets,
                           const struct rd_machine_of *machine, const char *const *words)
{
    struct stage s;
    struct rd_error e = {0};
    stage_plan(&s, name, sets);
    assert_false(rd_sim_open(&s.sim, &s.plan, machine, &e));
    for (; *words; words++)
        assert_contains(e.text, *words);
    rd_error_free(&e);
    stage_close(&s);
}

/* Checks that too much memory is refused: 10^11 voxels take two arrays of 400 GB, more than
   any machine has that runs this test. */
static void too_much_memory_is_refused(void **state)
{
    (void)state;
    static const char *const words[] = {"2 runs of 50000000000 voxels and 1 species need 800 GB",
                                        "CPU has ", " GB free; take at most about ",
                                        "voxels over all runs", NULL};
    assert_refused("sim/too_much_memory.cfg", NULL, &cpu, words);
}

/* Checks that the message names individuals.max if individuals take most of the memory. */
static void too_many_individuals_are_refused(void **state)
{
    (void)state;
    static const char *const words[] = {
        " voxels and ", " GB free; reduce individuals.max, which is 2000000000 for 'C'", NULL};
    assert_refused("sim/ids.cfg", SETS("species.C.individuals.max=2000000000"), &cpu, words);
}

/* Checks that the number of runs that fit is returned, so that runs can go in batches. It leaves
   part of the memory free. */
static void number_of_runs_that_fit_is_computed(void **state)
{
    (void)state;
    struct stage s;
    struct rd_sim sim;
    struct rd_error e = {0};
    stage_plan(&s, "sim/many_runs.cfg", NULL);
    assert_false(rd_sim_open(&sim, &s.plan, &cpu, &e));
    const double each = rd_sim_memory(&s.plan, 1) / 2e7;
    const double has = (double)sim.backend->memory(sim.machine);
    const double share = (double)sim.n_fit * each / has;
    assert_true(share > 0.4 && share < 0.6);
    rd_sim_close(&sim);
    rd_error_free(&e);
    stage_close(&s);
}

static void missing_machines_are_refused(void **state)
{
    (void)state;
    static const char *const unknown[] = {"there is no back end 'abacus'", NULL};
    const struct rd_machine_of abacus = {.backend = "abacus"};
    assert_refused(MODEL, NULL, &abacus, unknown);
    static const char *const only_cpu[] = {"solver = \"exact\" runs on the CPU only", NULL};
    const struct rd_machine_of cuda = {.backend = "cuda"};
    assert_refused(MODEL, SETS("solver=exact"), &cuda, only_cpu);
}

/* Checks the memory of 5 runs of 12 voxels and 2 species: counts and arrivals on the machine, and
   counts for placing on the host. */
static void memory_is_the_size_of_the_arrays(void **state)
{
    (void)state;
    struct stage s;
    stage_plan(&s, MODEL, NULL);
    const double counts = 5 * 12 * 2 * 4, memory = rd_sim_memory(&s.plan, 1);
#define PADDING(part, type, name) +RD_ARENA_ALIGNED
    const double padding = 0 RD_TABLES(PADDING) RD_STATES(PADDING);
#undef PADDING
    assert_true(memory >= 3 * counts);
    assert_true(memory < 3 * counts + padding + 4000); /* tables, and sums in stripes */
    stage_close(&s);
}

/* Checks that tables for another step reuse the memory of earlier ones if they fit. */
static void tables_reuse_memory(void **state)
{
    (void)state;
    struct stage s;
    struct rd_error e = {0};
    stage_open(&s, "sim/diffusion.cfg", NULL, 0.01);
    struct rd_world *const w = &s.sim.world;
    const struct rd_jump *const at = w->movement.jump;
    const int64_t n = w->movement.n_jump;
    assert_true(rd_plan_step(&s.plan, 0.0001, &e) && rd_sim_take(&s.sim, &e));
    assert_true(w->movement.n_jump < n && w->movement.jump == at);
    assert_memory_equal(w->movement.jump, s.plan.world.movement.jump,
                        (size_t)w->movement.n_jump * sizeof *at);
    assert_true(rd_plan_step(&s.plan, 0.1, &e) && rd_sim_take(&s.sim, &e));
    assert_true(w->movement.n_jump > n);
    assert_int_equal(s.sim.capacity.jump, (size_t)w->movement.n_jump * sizeof *at * 3 / 2);
    assert_memory_equal(w->movement.jump, s.plan.world.movement.jump,
                        (size_t)w->movement.n_jump * sizeof *at);
    stage_close(&s);
}

static void exact_solver_opens_on_the_cpu(void **state)
{
    (void)state;
    struct stage s;
    struct rd_error e = {0};
    const struct rd_machine_of any = {.backend = "auto", .threads = 1};
    stage_plan(&s, MODEL, SETS("solver=exact"));
    assert_true(rd_sim_open(&s.sim, &s.plan, &any, &e));
    assert_ptr_equal(s.sim.backend, &rd_backend_cpu);
    assert_non_null(s.sim.exact);
    assert_int_equal(s.sim.world.counts.n_arrive, 0);
    stage_close(&s);
}

/* Checks that a run of few steps opens on the CPU, and a long one on the GPU if there is one. */
static void short_runs_open_on_the_cpu(void **state)
{
    (void)state;
    static const struct {
        double n_steps;
        bool is_short;
    } cases[] = {{1, true}, {1e3, true}, {1e9, false}, {0, false}};
    const char *const usual = lab_has_gpu() ? "cuda" : "cpu";
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct stage s;
        struct rd_error e = {0};
        const struct rd_machine_of any = {
            .backend = "auto", .threads = 1, .n_steps = cases[i].n_steps};
        stage_plan(&s, MODEL, NULL);
        assert_true(rd_sim_open(&s.sim, &s.plan, &any, &e));
        assert_string_equal(s.sim.backend->name, cases[i].is_short ? "cpu" : usual);
        rd_error_free(&e);
        stage_close(&s);
    }
}

/* Checks that the estimate for species in lists follows the molecules, not species times voxels:
   arrays of 66 species would take 66 * 25 ns for each voxel. */
static void lists_are_estimated_by_what_is_present(void **state)
{
    (void)state;
    struct stage s;
    stage_plan(&s, "identical/rare_species.cfg", SETS("grid.voxels=(300,300)"));
    assert_true(s.plan.world.rows.n_column > 0);
    const double seconds = rd_sim_core_seconds(&s.plan, 1.0);
    assert_true(seconds > 90000 * 20e-9 && seconds < 90000 * 100e-9);
    stage_close(&s);
}

static void counts_are_copied_to_and_from_the_machine(void **state)
{
    (void)state;
    enum { N = 2 * 60 };
    struct stage s;
    struct rd_error e = {0};
    int32_t in[N], out[N];
    stage_open(&s, MODEL, NULL, 0.1);
    for (int i = 0; i < N; i++)
        in[i] = 3 * i;
    struct rd_host_counts counts = rd_host_counts_of(&s.plan, in);
    assert_true(rd_host_counts_put(&counts, &s.sim, &e));
    assert_int_equal(*stage_count(&s, 4, 1, 11), in[N - 1]);
    counts = rd_host_counts_of(&s.plan, out);
    assert_true(rd_host_counts_get(&counts, &s.sim, &e));
    assert_memory_equal(in, out, sizeof in);
    stage_close(&s);
}

static void tables_are_copied_when_taken(void **state)
{
    (void)state;
    struct stage s;
    struct rd_error e = {0};
    stage_open(&s, MODEL, NULL, 0.1);
    const struct rd_world *const w = &s.sim.world;
    assert_ptr_not_equal(w->movement.transport, s.plan.transport);
    const double leave = w->movement.displacement[0].leave;
    assert_true(leave == s.plan.displacements.displacement[0].leave);
    assert_true(rd_plan_step(&s.plan, 0.3, &e));
    assert_true(w->movement.displacement[0].leave == leave &&
                s.plan.displacements.displacement[0].leave != leave);
    assert_true(rd_sim_take(&s.sim, &e));
    assert_memory_equal(w->movement.displacement, s.plan.displacements.displacement,
                        (size_t)s.plan.displacements.n_displacement *
                            sizeof *w->movement.displacement);
    assert_int_equal(w->movement.n_jump, s.plan.displacements.n_jump);
    stage_close(&s);
}

static void passes_have_time_and_part(void **state)
{
    (void)state;
    struct stage s;
    stage_open(&s, MODEL, NULL, 0.1);
    stage_pass(&s, RD_LAND, 3, 2, 0.5);
    assert_int_equal(s.sim.world.pass.part, 3);
    assert_true(s.sim.step_clock.time == 2.25 && s.sim.world.pass.dt == 0.5);
    assert_true(s.sim.seconds[RD_LAND] > 0 && s.sim.seconds[RD_HOP] == 0);
    stage_close(&s);
}

/* Checks that messages name species and reactions as in the file, voxels by position, and runs by
   number. */
static void fault_messages_use_names_of_the_model(void **state)
{
    (void)state;
    static const struct {
        int kind;
        int64_t what;
        const char *message;
    } cases[] = {
        {RD_FAULT_OVERFLOW, 1, "more than 2147483647 molecules of 'B' are in voxel"},
        {RD_FAULT_NEGATIVE, 0,
         "sim/conversions.cfg:12: reaction 'A -> B' happens without its reactants"},
        {RD_FAULT_PROPENSITY, 1,
         "sim/conversions.cfg:11: the propensity of reaction 'B -> A' is negative or not a"},
        {RD_FAULT_STUCK, 0, "a step needs more than 2^34 random numbers"},
        {RD_FAULT_EVENTS, 0,
         "sim/conversions.cfg:12: more than time.max_events = 268435456 reactions happen in one "
         "step, the last of them 'A -> B', in voxel"},
    };
    struct stage s;
    stage_open(&s, MODEL, NULL, 0.1);
    struct rd_error e = {0};
    s.sim.world.runs.faults_are_separate = 0; /* a fault ends all runs */
    assert_true(rd_sim_check(&s.sim, &e));
    for (int i = 0; i < 5; i++) {
        struct rd_fault *const f = &s.sim.world.runs.fault[cases[i].kind];
        *f = (struct rd_fault){.number = 9, .first = rd_fault_first(3 * 12 + 7, cases[i].what)};
        s.sim.step_clock.time = 1.75;
        s.sim.world.pass.dt = 0.5;
        assert_false(rd_sim_check(&s.sim, &e));
        assert_int_equal(e.n, 1);
        assert_contains(e.text, cases[i].message);
        assert_contains(e.text, "in voxel (3, 1) of run 103, before t = 2");
        f->number = 0;
        rd_error_free(&e);
    }
    for (int kind = 0; kind <= RD_FAULT_STUCK; kind++) /* the other kinds concern individuals */
        s.sim.world.runs.fault[kind] = (struct rd_fault){1, 0};
    assert_false(rd_sim_check(&s.sim, &e));
    assert_int_equal(e.n, 4);
    rd_error_free(&e);
    stage_close(&s);
}

static void closing_twice_is_allowed(void **state)
{
    (void)state;
    struct rd_sim s = {0};
    rd_sim_close(&s);
    rd_sim_close(&s);
    assert_null(s.machine);
}

int test_sim(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(too_much_memory_is_refused),
        cmocka_unit_test(too_many_individuals_are_refused),
        cmocka_unit_test(number_of_runs_that_fit_is_computed),
        cmocka_unit_test(missing_machines_are_refused),
        cmocka_unit_test(memory_is_the_size_of_the_arrays),
        cmocka_unit_test(exact_solver_opens_on_the_cpu),
        cmocka_unit_test(short_runs_open_on_the_cpu),
        cmocka_unit_test(lists_are_estimated_by_what_is_present),
        cmocka_unit_test(counts_are_copied_to_and_from_the_machine),
        cmocka_unit_test(tables_are_copied_when_taken),
        cmocka_unit_test(passes_have_time_and_part),
        cmocka_unit_test(fault_messages_use_names_of_the_model),
        cmocka_unit_test(tables_reuse_memory),
        cmocka_unit_test(closing_twice_is_allowed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
