/* twin_set - tests that --set has the same effect as the value in the file. */
#include "lab.h"
#include "samples.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Returns the text with other words in place of these; the caller frees it. */
static char *replaced(const char *text, const char *words, const char *others)
{
    const char *const at = strstr(text, words);
    if (!at)
        fail_msg("the sample lacks '%s'", words);
    const size_t before = (size_t)(at - text);
    char *const changed = malloc(strlen(text) + strlen(others) + 1);
    assert_non_null(changed);
    memcpy(changed, text, before);
    strcpy(changed + before, others);
    strcat(changed, at + strlen(words));
    return changed;
}

static void set_equals_the_value_in_the_file(void **state)
{
    (void)state;
    static const struct {
        const char *sample, *words, *others, *set;
    } cases[] = {
        {"binding", "seed = 11;", "seed = 281474976710655L;", "run.seed=281474976710655L"},
        {"binding", "runs = 3;", "runs = 2;", "run.runs=2"},
        {"expressions", "k = 0.2;", "k = 0.35;", "parameters.k=0.35"},
        {"expressions", "km = \"10 * k\";", "km = \"3 * k + w\";", "parameters.km=3 * k + w"},
        {"binding", "diffusion = 0.02;", "diffusion = 0.2;", "species.C.diffusion=0.2"},
        {"binding", "diffusion = 0.3;", "diffusion = (0.3, 0.1, 0);",
         "species[0].diffusion=(0.3, 0.1, 0)"},
        {"binding", "rate = 0.06;", "rate = 0.5;", "reactions[0].rate=0.5"},
        {"lie_splitting", "splitting = \"lie\";", "splitting = \"strang\";", "splitting=strang"},
        {"binding", "end = 3.0;", "end = 3.0; step = 0.02;", "time.step=0.02"},
        {"many_per_voxel", "probability = 0.3;", "probability = 0.9;",
         "grid.walls.xmax.probability=0.9"},
    };
    const struct lab one = {.threads = 1};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char *const text = sample_text(cases[i].sample);
        char *const written = replaced(text, cases[i].words, cases[i].others);
        const uint64_t set = lab_fingerprint(&one, text, SETS(cases[i].set));
        if (set != lab_fingerprint(&one, written, NULL))
            fail_msg("--set %s gives other bytes than the file", cases[i].set);
        if (set == lab_fingerprint(&one, text, NULL))
            fail_msg("--set %s changes nothing", cases[i].set);
        free(text);
        free(written);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(set_equals_the_value_in_the_file)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
