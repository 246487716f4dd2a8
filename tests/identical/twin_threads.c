/* twin_threads - tests that any number of threads gives the same bytes, for every sample and both
   solvers. */
#include "lab.h"
#include "samples.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static void assert_same(const struct sample *s, const char *const *sets)
{
    static const int number[] = {2, 3, 7};
    const uint64_t single = lab_fingerprint(&(struct lab){.threads = 1}, s->text, sets);
    for (size_t i = 0; i < sizeof number / sizeof number[0]; i++)
        if (lab_fingerprint(&(struct lab){.threads = number[i]}, s->text, sets) != single)
            fail_msg("%s: %d threads give other bytes than 1", s->name, number[i]);
}

static void split(void **state)
{
    (void)state;
    for (struct sample s = {0}; sample_next(&s);)
        assert_same(&s, NULL);
}

static void exact(void **state)
{
    (void)state;
    for (struct sample s = {0}; sample_next(&s);)
        if (s.suits_exact)
            assert_same(&s, SETS("solver=exact"));
}

/* Checks that the fingerprints depend on the seed, without which a twin test could not fail. */
static void other_seeds_give_other_bytes(void **state)
{
    (void)state;
    const struct lab one = {.threads = 1};
    for (struct sample s = {0}; sample_next(&s);)
        assert_true(lab_fingerprint(&one, s.text, NULL) !=
                    lab_fingerprint(&one, s.text, SETS("run.seed=9")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(split),
        cmocka_unit_test(exact),
        cmocka_unit_test(other_seeds_give_other_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
