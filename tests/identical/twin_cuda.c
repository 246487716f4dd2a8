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
    const struct lab unverified = {.backend = "cuda", .unverified = true};
    const struct lab scarce = {.backend = "cuda", .unverified = true, .far_capacity = 1};
    for (struct sample s = {0}; sample_next(&s);) {
        printf("%s\n", s.name);
        const uint64_t right = lab_fingerprint(&cpu, s.text, NULL);
        assert_int_equal(lab_fingerprint(&cuda, s.text, NULL), right);
        assert_int_equal(lab_fingerprint(&unverified, s.text, NULL), right);
        assert_int_equal(lab_fingerprint(&scarce, s.text, NULL), right);
    }
}

/* Tests an update of lists that has more passes than a queue of calls, also if the host waits for
   each of them. */
static void test_many_lists(void **state)
{
    (void)state;
    const struct lab machine[] = {
        {.backend = "cuda"},
        {.backend = "cuda", .unverified = true},
        {.backend = "cuda", .unverified = true, .timed = true},
    };
    char *const text = lab_model("identical/many_lists.cfg", NULL);
    const uint64_t right = lab_fingerprint(&(struct lab){.backend = "cpu"}, text, NULL);
    for (int i = 0; i < 3; i++)
        assert_int_equal(lab_fingerprint(&machine[i], text, NULL), right);
    free(text);
}

/* Tests lists that are too long to be moved and sorted beside each other. */
static void test_long_lists(void **state)
{
    (void)state;
    char *const text = lab_model("identical/long_lists.cfg", NULL);
    const uint64_t right = lab_fingerprint(&(struct lab){.backend = "cpu"}, text, NULL);
    const struct lab cuda = {.backend = "cuda", .unverified = true};
    assert_int_equal(lab_fingerprint(&cuda, text, NULL), right);
    free(text);
}

static void test_failing_samples(void **state)
{
    (void)state;
    const struct lab machine[] = {{.backend = "cuda"}, {.backend = "cuda", .unverified = true}};
    for (const struct sample_failing *s = samples_failing; s->name; s++) {
        printf("%s\n", s->name);
        char *const text = sample_text(s->name);
        for (int i = 0; i < 2; i++) {
            char *const message = lab_try(&machine[i], text, NULL);
            assert_string_equal(message, s->message);
            free(message);
        }
        free(text);
    }
}

int main(void)
{
    if (!lab_has_gpu()) {
        printf("skipped: this machine has no NVIDIA GPU, or the program was built without CUDA\n");
        return 77;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_samples), cmocka_unit_test(test_many_lists),
        cmocka_unit_test(test_long_lists), cmocka_unit_test(test_failing_samples)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
