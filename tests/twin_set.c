/* twin_set - tests that --set has the same effect as the value in the file. */
#include "lab.h"
#include "samples.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Returns the text of the first sample that contains the words, with others in their place; the
   caller frees it. */
static char *rewritten(const char **text, const char *words, const char *others)
{
    for (const struct sample *s = all_samples(); s->name; s++) {
        const char *const at = strstr(s->text, words);
        if (!at)
            continue;
        const size_t before = (size_t)(at - s->text);
        char *const changed = malloc(strlen(s->text) + strlen(others) + 1);
        assert_non_null(changed);
        memcpy(changed, s->text, before);
        strcpy(changed + before, others);
        strcat(changed, at + strlen(words));
        *text = s->text;
        return changed;
    }
    fail_msg("no sample has '%s'", words);
    return NULL;
}

static void set_is_written(void **state)
{
    (void)state;
    static const struct {
        const char *words, *others, *set;
    } cases[] = {
        {"seed = 11;", "seed = 281474976710655L;", "run.seed=281474976710655L"},
        {"runs = 3;", "runs = 2;", "run.runs=2"},
        {"k = 0.2;", "k = 0.35;", "parameters.k=0.35"},
        {"km = \"10 * k\";", "km = \"3 * k + w\";", "parameters.km=\"3 * k + w\""},
        {"diffusion = 0.02;", "diffusion = 0.2;", "species.C.diffusion=0.2"},
        {"diffusion = 0.3;", "diffusion = (0.3, 0.1, 0);", "species[0].diffusion=(0.3, 0.1, 0)"},
        {"rate = 0.06;", "rate = 0.5;", "reactions[0].rate=0.5"},
        {"splitting = \"lie\";", "splitting = \"strang\";", "splitting=strang"},
        {"time = { end = 3.0; };", "time = { end = 3.0; step = 0.02; };", "time.step=0.02"},
        {"probability = 0.3;", "probability = 0.9;", "grid.walls.xmax.probability=0.9"},
    };
    const struct lab one = {.threads = 1};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const char *text = NULL;
        char *const written = rewritten(&text, cases[i].words, cases[i].others);
        const char *const sets[] = {cases[i].set, NULL};
        const uint64_t set = lab_fingerprint(&one, text, sets);
        if (set != lab_fingerprint(&one, written, NULL))
            fail_msg("--set %s gives other bytes than the file", cases[i].set);
        if (set == lab_fingerprint(&one, text, NULL))
            fail_msg("--set %s changes nothing", cases[i].set);
        free(written);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(set_is_written)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
