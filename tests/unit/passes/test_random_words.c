/* test_random_words - tests that the pass which measures the speed of random words draws all of
   them, on every available machine. */
#include "kernels/core/backend.h"
#include "kernels/cpu/philox_simd.h"
#include "kernels/passes/totals/random_words.h"
#include "probability.h"

#include <stdio.h>
#include <stdlib.h>

enum { ITEMS = 300 };

/* Returns the sum of the words of an item, drawn one by one. */
static int32_t sum_of(uint64_t seed, int64_t item)
{
    struct rd_stream s = rd_stream_of(seed, 0, 0, RD_FOR_BENCH, 0, item);
    uint32_t sum = 0;
    for (int i = 0; i < 4 * RD_WORDS_CALLS; i++)
        sum ^= rd_word(&s);
    return (int32_t)sum;
}

static void draw_on(const struct rd_backend *backend, int threads)
{
    struct rd_error e = {0};
    rd_machine *m = NULL;
    assert_true(backend->open(&m, threads, 0, &e));
    const struct rd_step_clock step_clock = {0};
    struct rd_world w = {
        .pass.seed = seed_of("words"), .counts.n_count = ITEMS, .pass.step_clock = &step_clock};
    int32_t found[ITEMS];
    assert_non_null(w.counts.count = backend->alloc(m, sizeof found, &e));
    backend->run(m, &w, RD_RANDOM_WORDS);
    if (!backend->sync(m, &e) || !backend->get(m, found, w.counts.count, sizeof found, &e))
        fail_msg("%s", e.text);
    for (int64_t i = 0; i < ITEMS; i++)
        assert_int_equal(found[i], sum_of(w.pass.seed, i));
    backend->free(m, w.counts.count);
    backend->close(m);
}

static void every_machine_draws_all_words(void **state)
{
    (void)state;
    draw_on(&rd_backend_cpu, 1);
    draw_on(&rd_backend_cpu, 3);
#ifdef RD_HAS_CUDA
    if (rd_cuda_devices() > 0)
        draw_on(&rd_backend_cuda, 1);
    else
        printf("left out for CUDA: there is no NVIDIA GPU here\n");
#endif
}

static void simd_version_draws_the_same_words(void **state)
{
    (void)state;
    int32_t one[10] = {0}, many[10] = {0};
    struct rd_world w = {.pass.seed = seed_of("twin"), .counts.count = one};
    for (int64_t i = 2; i < 9; i++)
        rd_random_words(&w, i);
    w.counts.count = many;
    rd_random_words_portion(&w, 2, 9);
    assert_memory_equal(one, many, sizeof one);
    assert_true(one[1] == 0 && one[2] != 0 && one[2] != one[3] && one[9] == 0);
}

int test_random_words(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_machine_draws_all_words),
        cmocka_unit_test(simd_version_draws_the_same_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
