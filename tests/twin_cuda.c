/* twin_cuda - tests that the GPU gives the same bytes as the CPU, for every sample. */
#include "lab.h"
#include "samples.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

static void test_samples(void **state)
{
    (void)state;
    const struct lab cpu = {.backend = "cpu"}, cuda = {.backend = "cuda"};
    /* whole graphs of steps, without verification in between */
    const struct lab seldom = {.backend = "cuda", .unverified = true};
    const struct lab scarce = {.backend = "cuda", .unverified = true, .far_capacity = 1};
    for (const struct sample *s = drawn_samples(); s->name; s++) {
        printf("%s\n", s->name);
        const uint64_t right = lab_fingerprint(&cpu, s->text, NULL);
        assert_int_equal(lab_fingerprint(&cuda, s->text, NULL), right);
        assert_int_equal(lab_fingerprint(&seldom, s->text, NULL), right);
        assert_int_equal(lab_fingerprint(&scarce, s->text, NULL), right);
    }
}

static void test_samples_that_end(void **state)
{
    (void)state;
    const struct lab cuda = {.backend = "cuda"}, seldom = {.backend = "cuda", .unverified = true};
    for (const struct sample_ended *s = samples_ended; s->name; s++) {
        printf("%s\n", s->name);
        char *const said = lab_try(&cuda, s->text, NULL);
        assert_string_equal(said, s->message);
        free(said);
        char *const later = lab_try(&seldom, s->text, NULL);
        assert_string_equal(later, s->message);
        free(later);
    }
}

int main(void)
{
    if (!lab_has_gpu()) {
        printf("skipped: this machine has no NVIDIA GPU, or the program was built without CUDA\n");
        return 77;
    }
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_samples),
                                       cmocka_unit_test(test_samples_that_end)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
