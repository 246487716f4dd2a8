/* twin_pauses - tests that a host that synchronises rarely, with so little capacity that runs pause
   in every pass, gives the same bytes as one that synchronises after every pass. It runs on the
   CPU; the mechanism is the GPU's. */
#include "lab.h"
#include "samples.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static void assert_same(const char *name, const char *text)
{
    const struct lab near = {.backend = "cpu"};
    const uint64_t right = lab_fingerprint(&near, text, NULL);
    for (int64_t capacity = 1; capacity <= 300; capacity *= 300) {
        const struct lab far = {.backend = "cpu", .far_capacity = capacity, .unverified = true};
        printf("%s, room for %d at first\n", name, (int)capacity);
        assert_int_equal(lab_fingerprint(&far, text, NULL), right);
    }
}

static void test_samples(void **state)
{
    (void)state;
    int n = 0;
    for (const struct sample *s = drawn_samples(); s->name; s++) {
        const bool pauses = strstr(s->text, "individuals") || strstr(s->name, "what changes");
        if (!pauses || strstr(s->name, "very many"))
            continue;
        assert_same(s->name, s->text);
        n++;
    }
    assert_true(samples_are_drawn() || n > 5);
}

/* Defines growth by tenfold and more between synchronisations, deaths at walls, and lineage of all;
   two lists, of which one converts to the other. */
#define GROWTH(walls, bulk, step, splitting)                                                       \
    "grid = { voxels = (6, 5); edge = 1.0; walls = { x = \"" walls "\"; }; };\n"                   \
    "species = ( { name = \"A\"; diffusion = 0.3; individuals = { max = 6000;\n"                   \
    "  record = \"lineage\"; attributes = ( { name = \"w\"; initial = 1;\n"                        \
    "  birth = \"parent.w + normal(0, 0.1)\"; orphan = 2; } ); }; },\n"                            \
    "  { name = \"B\"; diffusion = 0.2; individuals = { max = 4000; }; }, { name = \"m\";\n"       \
    "  diffusion = " bulk "; } );\n"                                                               \
    "reactions = ( { equation = \"A -> 2 A\"; rate = 0.9; }, { equation = \"A -> B\"; rate = 0.3;" \
    " }, { equation = \"B -> m\"; rate = 0.5; }, { equation = \"A + A -> A\"; rate = 0.01; } );\n" \
    "initial = ( { species = \"A\"; count = 20; } );\n"                                            \
    "time = { end = 16.0; step = " step "; }; run = { runs = 2; };\n"                              \
    "output = { every = 4.0; };\n" splitting

static void test_growth(void **state)
{
    (void)state;
    assert_same("growth", GROWTH("absorb", "1.0", "0.1", ""));
    assert_same("growth, Lie", GROWTH("absorb", "1.0", "0.1", "splitting = \"lie\";\n"));
    assert_same("growth, Lie, more than one movement a step",
                GROWTH("reflect", "200.0", "0.5", "splitting = \"lie\";\n"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_samples),
        cmocka_unit_test(test_growth),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
