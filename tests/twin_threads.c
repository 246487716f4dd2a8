/* twin_threads - any number of threads gives the same bytes, for every sample and both solvers. */
#include "lab.h"
#include "samples.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

static void assert_same(const char *const *sets)
{
    for (const struct sample *s = samples; s->name; s++) {
        const struct lab one = {.threads = 1}, two = {.threads = 2}, five = {.threads = 5};
        const uint64_t alone = lab_fingerprint(&one, s->text, sets);
        if (lab_fingerprint(&two, s->text, sets) != alone ||
            lab_fingerprint(&five, s->text, sets) != alone)
            fail_msg("%s: 2 or 5 threads give other bytes than 1", s->name);
    }
}

static void split(void **state)
{
    (void)state;
    assert_same(NULL);
}

static void exact(void **state)
{
    (void)state;
    assert_same((const char *const[]){"solver=exact", NULL});
}

/* A twin test is worth nothing if everything is alike. */
static void other_seeds_give_other_bytes(void **state)
{
    (void)state;
    const struct lab one = {.threads = 1};
    for (const struct sample *s = samples; s->name; s++)
        assert_true(lab_fingerprint(&one, s->text, NULL) !=
                    lab_fingerprint(&one, s->text, (const char *const[]){"run.seed=9", NULL}));
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
