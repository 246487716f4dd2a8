/* twin_cuda - the GPU gives the same bytes as the CPU, for every sample. */
#include "lab.h"
#include "samples.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

static void test_samples(void **state)
{
    (void)state;
    const struct lab cpu = {.backend = "cpu"}, cuda = {.backend = "cuda"};
    const struct lab seldom = {.backend = "cuda", .unverified = true}; /* whole graphs of steps */
    const struct lab scarce = {.backend = "cuda", .unverified = true, .far_room = 1};
    for (const struct sample *s = samples; s->name; s++) {
        printf("%s\n", s->name);
        const uint64_t right = lab_fingerprint(&cpu, s->text, NULL);
        assert_int_equal(lab_fingerprint(&cuda, s->text, NULL), right);
        assert_int_equal(lab_fingerprint(&seldom, s->text, NULL), right);
        assert_int_equal(lab_fingerprint(&scarce, s->text, NULL), right);
    }
}

int main(void)
{
    if (!lab_has_gpu()) {
        printf("skipped: this machine has no NVIDIA GPU, or the program was built without CUDA\n");
        return 77;
    }
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_samples)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
