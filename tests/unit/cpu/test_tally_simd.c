/* test_tally_simd - tests that tally for portions of voxels sets the same counts as the plain body,
   for lists of few and of many individuals. */
#include "kernels/cpu/tally_simd.h"
#include "kernels/cpu/zeros.h"
#include "kernels/passes/lists/update_lists.h"
#include "placed.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

/* Opens a stage with individuals in a part of the voxels, and with outdated counts: 0 in three of
   four blocks of 300. */
static void open_stage(struct stage *s)
{
    placed_start(s, "cpu/tally.cfg", NULL, 0.6);
    for (int64_t i = 0; i < s->sim.world.counts.n_count; i++)
        s->sim.world.counts.count[i] = i / 300 % 4 == 0 ? (int32_t)(i % 3) : 0;
}

static void assert_portions(int64_t portion)
{
    struct stage one, many;
    open_stage(&one);
    open_stage(&many);
    const struct rd_world *const a = &one.sim.world, *const b = &many.sim.world;
    const int64_t n = a->lattice.n_voxels;
    assert_int_equal(a->lists.n_list, 2);
    for (int64_t i = 0; i < n; i++)
        rd_tally(a, i);
    for (int64_t i = 0; i < n; i += portion)
        rd_tally_portion(b, i, i + portion < n ? i + portion : n);
    assert_memory_equal(a->counts.count, b->counts.count,
                        (size_t)a->counts.n_count * sizeof *a->counts.count);
    for (int64_t run = 0; run < 2; run++) {
        assert_int_equal(stage_total(&one, run, (int)a->lists.list[0].species), 30);
        assert_int_equal(stage_total(&one, run, (int)a->lists.list[1].species), 3000);
    }
    stage_close(&one);
    stage_close(&many);
}

static void portions_match_plain_body(void **state)
{
    (void)state;
    static const int64_t portions[] = {1, 7, 300, 1024, 1025, 100000};
    for (size_t i = 0; i < sizeof portions / sizeof *portions; i++)
        assert_portions(portions[i]);
}

static void only_these_numbers_are_cleared(void **state)
{
    (void)state;
    enum { N = 5000 };
    int32_t *const x = calloc(N, sizeof *x);
    assert_non_null(x);
    for (int at = 0; at < N; at += 997) {
        x[0] = x[at] = x[N - 1] = 7;
        rd_clear_numbers(x + 1, N - 2);
        for (int i = 0; i < N; i++)
            assert_int_equal(x[i], i == 0 || i == N - 1 ? 7 : 0);
    }
    free(x);
}

int test_tally_simd(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(portions_match_plain_body),
        cmocka_unit_test(only_these_numbers_are_cleared),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
