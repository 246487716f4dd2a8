/* test_backend - tests of each function of the CPU back end, and of the selection of a back end by
   name. */
#include "kernels/core/backend.h"

#include "handmade.h"
#include "stage.h"

#include <stdlib.h>

static const struct rd_backend *const cpu = &rd_backend_cpu;

static rd_machine *opened(int threads)
{
    struct rd_error e = {0};
    rd_machine *m = NULL;
    assert_true(cpu->open(&m, threads, 0, &e));
    return m;
}

static void back_ends_are_selected_by_name(void **state)
{
    (void)state;
    struct rd_error e = {0};
    assert_ptr_equal(rd_backend_named("cpu", &e), cpu);
    assert_non_null(rd_backend_named("auto", &e));
    assert_int_equal(e.n, 0);
    assert_null(rd_backend_named("gpu", &e));
    assert_contains(e.text, "there is no back end 'gpu'; there are auto, cpu and cuda");
    assert_null(rd_backend_named("", &e));
    rd_error_free(&e);
}

static void absent_back_ends_are_refused(void **state)
{
    (void)state;
#ifdef RD_HAS_CUDA
    skip(); /* this program contains it */
#else
    struct rd_error e = {0};
    assert_null(rd_backend_named("cuda", &e));
    assert_contains(e.text, "built without CUDA");
    assert_ptr_equal(rd_backend_named("auto", &e), cpu);
    rd_error_free(&e);
#endif
}

static const struct rd_backend *open_named(const char *name, int device, rd_machine **m,
                                           struct rd_error *e)
{
    struct rd_error why_not = {0};
    *m = NULL;
    const struct rd_backend *const b = rd_backend_open(name, m, 1, device, &why_not, e);
    assert_true((b != NULL) == (*m != NULL) && (b != NULL) == (e->n == 0));
    rd_error_free(&why_not);
    return b;
}

/* Tests machines without a GPU, and machines that have some. */
static void machines_are_opened_by_name(void **state)
{
    (void)state;
    struct rd_error e = {0};
    rd_machine *m;
    assert_ptr_equal(open_named("cpu", 0, &m, &e), cpu);
    cpu->close(m);
    const struct rd_backend *const b = open_named("auto", 0, &m, &e);
    assert_non_null(b);
    b->close(m);
    assert_null(open_named("auto", 1000, &m, &e));
    assert_contains(e.text, "there is no GPU number 1000");
    rd_error_free(&e);
    assert_null(open_named("gpu", 0, &m, &e));
    assert_contains(e.text, "there is no back end 'gpu'");
    rd_error_free(&e);
    assert_null(open_named("cuda", 1000, &m, &e));
    rd_error_free(&e);
}

static void machine_is_described(void **state)
{
    (void)state;
    rd_machine *const m = opened(3), *const all = opened(0);
    assert_string_equal(cpu->name, "cpu");
    assert_string_equal(cpu->device(m), "CPU");
    assert_int_equal(cpu->threads(m), 3);
    assert_true(cpu->threads(all) >= 1);
    const int64_t memory = cpu->memory(m);
    assert_true(memory == -1 || memory > 1000000);
    cpu->close(m);
    cpu->close(all);
}

static void memory_is_zeroed_and_copied(void **state)
{
    (void)state;
    struct rd_error e = {0};
    rd_machine *const m = opened(1);
    int32_t *const p = cpu->alloc(m, 100 * sizeof *p, &e), out[3] = {0};
    assert_non_null(p);
    for (int i = 0; i < 100; i++)
        assert_int_equal(p[i], 0);
    const int32_t in[] = {7, -8, 9};
    assert_true(cpu->put(m, p + 50, in, sizeof in, &e));
    assert_true(cpu->get(m, out, p + 50, sizeof out, &e));
    assert_memory_equal(out, in, sizeof in);
    assert_true(cpu->zero(m, p + 51, sizeof *p, &e));
    assert_true(p[50] == 7 && p[51] == 0 && p[52] == 9);
    assert_true(cpu->put(m, p, NULL, 0, &e)); /* the table is empty */
    void *const empty = cpu->alloc(m, 0, &e);
    assert_non_null(empty);
    assert_true(cpu->sync(m, &e));
    cpu->free(m, empty);
    cpu->free(m, p);
    cpu->free(m, NULL);
    cpu->close(m);
}

static void sums_hold_more_than_32_bits(void **state)
{
    (void)state;
    for (int threads = 1; threads < 4; threads++) {
        rd_machine *const m = opened(threads);
        int32_t from[5 * 7];
        int64_t to[5];
        for (int i = 0; i < 5 * 7; i++)
            from[i] = INT32_MAX - i;
        cpu->sum(m, to, from, 5, 7);
        for (int64_t i = 0; i < 5; i++)
            assert_int_equal(to[i], INT64_C(7) * INT32_MAX - (7 * i * 7 + 21));
        cpu->close(m);
    }
}

/* Tests 700 voxels in 3 runs: each run has one A, which dies within the pass; arrivals are added to
   the counts. */
static void passes_process_each_item_once(void **state)
{
    (void)state;
    enum { SITES = 700, VOXELS = 3 * SITES };
    for (int threads = 1; threads <= 5; threads += 2) {
        rd_machine *const m = opened(threads);
        static int32_t arrive[HANDMADE_SPECIES * VOXELS];
        struct handmade h;
        handmade_open(&h, "passes", (const int32_t[]){SITES, 1, 1}, 3);
        for (int i = 0; i < VOXELS; i++)
            arrive[i] = 1;
        h.world.counts.arrive = arrive;
        h.world.items.n_moving = h.world.items.n_reacting = VOXELS;
        h.world.pass.dt = 1e9;
        handmade_react(&h, "A", "B", 1);
        cpu->run(m, &h.world, RD_LAND);
        cpu->run(m, &h.world, RD_LAND);
        for (int i = 0; i < VOXELS; i++)
            assert_int_equal(h.count[i], 1);
        cpu->run(m, &h.world, RD_HOP); /* no species moves */
        cpu->run(m, &h.world, RD_ENTER);
        cpu->run(m, &h.world, RD_REACT);
        for (int64_t run = 0; run < 3; run++) {
            assert_int_equal(h.fired[run], SITES);
            assert_int_equal(handmade_total(&h, run, 'A'), 0);
            assert_int_equal(handmade_total(&h, run, 'B'), SITES);
        }
        handmade_close(&h);
        cpu->close(m);
    }
}

/* Tests that a pass without items does nothing: neither the items nor their number are
   allocated. */
static void passes_without_items_do_nothing(void **state)
{
    (void)state;
    rd_machine *const m = opened(2);
    const struct rd_world nowhere = {0}, *const w = &nowhere;
    const bool has_none[] = {
#define HAS_NONE(NUMBER, function, items, most) (most) == 0,
        RD_PASSES(HAS_NONE)
#undef HAS_NONE
    };
    assert_true(has_none[RD_REACT] && has_none[RD_LAND]);
    for (size_t pass = 0; pass < sizeof has_none / sizeof *has_none; pass++)
        if (has_none[pass])
            cpu->run(m, w, (enum rd_pass)pass);
    cpu->close(m);
}

/* Tests that every machine finishes the pass in which a fault occurs, and does not begin the next
   one. */
static void passes_do_nothing_after_a_fault(void **state)
{
    (void)state;
    rd_machine *const m = opened(2);
    int32_t arrive[HANDMADE_SPECIES * 4] = {3, 0, 1};
    int64_t first_faulting_pass = 6;
    struct handmade h;
    handmade_open(&h, "halted", (const int32_t[]){4, 1, 1}, 1);
    h.world.counts.arrive = arrive;
    h.world.items.n_moving = 4;
    h.world.runs.first_faulting_pass = &first_faulting_pass;
    h.world.runs.n_first_faulting_pass = 1;
    h.step_clock.pass = 7;
    h.world.runs.n_first_faulting_pass = 1;
    h.step_clock.pass = 7;
    cpu->run(m, &h.world, RD_LAND);
    assert_true(h.count[0] == 0 && arrive[0] == 3);
    h.step_clock.pass = 6;
    cpu->run(m, &h.world, RD_LAND);
    assert_true(h.count[0] == 3 && arrive[0] == 0 && h.count[2] == 1);
    handmade_close(&h);
    cpu->close(m);
}

int test_backend(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(back_ends_are_selected_by_name),
        cmocka_unit_test(absent_back_ends_are_refused),
        cmocka_unit_test(machines_are_opened_by_name),
        cmocka_unit_test(machine_is_described),
        cmocka_unit_test(memory_is_zeroed_and_copied),
        cmocka_unit_test(sums_hold_more_than_32_bits),
        cmocka_unit_test(passes_process_each_item_once),
        cmocka_unit_test(passes_without_items_do_nothing),
        cmocka_unit_test(passes_do_nothing_after_a_fault),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
