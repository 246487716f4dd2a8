/* twin_resume - tests that a run that is left after any step and continued by another simulator
   gives the same bytes: for every sample and both solvers, with other numbers of threads, and
   between back ends. */
#include "lab.h"
#include "samples.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

static int64_t n_left;

/* Returns true after each of the first steps, after some consecutive later ones, and then
   occasionally. */
static bool leaves(int64_t n_steps)
{
    const bool is_time =
        n_steps < 12 || (n_steps >= 60 && n_steps < 63) || n_steps % 64 == 0 || n_steps % 147 == 0;
    n_left += is_time;
    return is_time;
}

static void assert_same(const struct lab *lab, const struct sample *s, const char *const *sets)
{
    const uint64_t whole = lab_fingerprint(&(struct lab){.threads = 1}, s->text, sets);
    n_left = 0;
    if (lab_fingerprint(lab, s->text, sets) != whole)
        fail_msg("%s: a run that is left and continued gives other bytes", s->name);
    assert_true(n_left > 0);
}

static const struct lab one = {.leaves = leaves};
static const struct lab by_threads = {.threads = 1, .threads_then = 3, .leaves = leaves};

static void split(void **state)
{
    (void)state;
    for (struct sample s = {0}; sample_next(&s);)
        assert_same(&by_threads, &s, NULL);
}

static void lie(void **state)
{
    (void)state;
    for (struct sample s = {0}; sample_next(&s);)
        assert_same(&one, &s, SETS("splitting=lie"));
}

static void exact(void **state)
{
    (void)state;
    for (struct sample s = {0}; sample_next(&s);)
        if (s.suits_exact)
            assert_same(&by_threads, &s, SETS("solver=exact"));
}

/* Tests a host that synchronises rarely, with so little capacity that steps are repeated. */
static void far_host(void **state)
{
    (void)state;
    const struct lab far = {.leaves = leaves, .far_capacity = 1, .unverified = true};
    for (struct sample s = {0}; sample_next(&s);)
        assert_same(&far, &s, NULL);
}

static void between_machines(void **state)
{
    (void)state;
    const struct lab both = {.backend = "cpu", .then = "cuda", .leaves = leaves};
    const struct lab gpu = {.backend = "cuda", .leaves = leaves};
    if (!lab_has_gpu()) {
        printf("skipped: this machine has no NVIDIA GPU, or the program was built without CUDA\n");
        skip();
    }
    for (struct sample s = {0}; sample_next(&s);) {
        assert_same(&both, &s, NULL);
        assert_same(&gpu, &s, NULL);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(split),
        cmocka_unit_test(lie),
        cmocka_unit_test(exact),
        cmocka_unit_test(far_host),
        cmocka_unit_test(between_machines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
