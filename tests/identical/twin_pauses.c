/* twin_pauses - tests that a host that synchronises rarely, with so little capacity that runs pause
   in every pass, gives the same bytes as one that synchronises after every pass; and that passes
   may run in the places of the fused passes that a GPU runs for them. It runs on the CPU; the
   mechanisms are the GPU's. */
#include "lab.h"
#include "samples.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

static void assert_same(const char *name, const char *text, const char *const *sets)
{
    const struct lab near = {.backend = "cpu"};
    const uint64_t right = lab_fingerprint(&near, text, sets);
    for (int64_t capacity = 1; capacity <= 300; capacity *= 300) {
        const struct lab far = {.backend = "cpu", .far_capacity = capacity, .unverified = true};
        printf("%s, initial capacity %d\n", name, (int)capacity);
        assert_int_equal(lab_fingerprint(&far, text, sets), right);
    }
}

static void test_samples(void **state)
{
    (void)state;
    int n = 0;
    for (struct sample s = {0}; sample_next(&s);)
        if (s.can_pause) {
            assert_same(s.name, s.text, NULL);
            n++;
        }
    assert_true(samples_are_drawn() || n > 5);
}

/* Tests samples that never pause, such as those of counted species. */
static void test_places_of_fused_passes(void **state)
{
    (void)state;
    int n = 0;
    for (struct sample s = {0}; sample_next(&s);) {
        if (s.can_pause)
            continue;
        const struct lab near = {.backend = "cpu"}, far = {.far_capacity = 1, .unverified = true};
        printf("%s\n", s.name);
        assert_int_equal(lab_fingerprint(&far, s.text, NULL), lab_fingerprint(&near, s.text, NULL));
        n++;
    }
    assert_true(samples_are_drawn() || n > 5);
}

static void test_growth(void **state)
{
    (void)state;
    char *const text = model_text("identical/growth.cfg");
    assert_same("growth", text, NULL);
    assert_same("growth, Lie", text, SETS("splitting=lie"));
    assert_same(
        "growth, Lie, more than one movement a step", text,
        SETS("splitting=lie", "grid.walls.x=reflect", "species.m.diffusion=200", "time.step=0.5"));
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_samples),
        cmocka_unit_test(test_places_of_fused_passes),
        cmocka_unit_test(test_growth),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
