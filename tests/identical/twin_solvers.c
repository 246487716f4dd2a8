/* twin_solvers - tests that both solvers give the same bytes for a model of one voxel in which only
   reactions happen, with few and with many reactions, and that only one of them has a limit of
   events. */
#define _POSIX_C_SOURCE 200809L
#include "lab.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Returns a model of reversible reactions among 20 species, which the caller frees. */
static char *make_network(int n_reactions)
{
    char *text = NULL;
    size_t length = 0;
    FILE *const out = open_memstream(&text, &length);
    assert_non_null(out);
    fputs("grid = { voxels = 1; edge = 2.0; };\nspecies = (", out);
    for (int s = 0; s < 20; s++)
        fprintf(out, "%s{ name = \"s%d\"; }", s ? ", " : "", s);
    fputs(");\nreactions = (", out);
    for (int r = 0; r < n_reactions; r++)
        fprintf(out,
                r % 4 == 3 ? "%s{ equation = \"s%d + s%d -> s%d\"; propensity = \"0.01 * s%d * s%d "
                             "/ (1 + s%d)\"; }"
                           : "%s{ equation = \"s%d + s%d <-> s%d\"; rate = 0.0%d; back = 0.%d%d; }",
                r ? ",\n" : "", r % 20, (3 * r + 1) % 20, (7 * r + r / 20 + 2) % 20, r % 9 + 1,
                r % 7 + 1, r % 5);
    fputs(");\ninitial = (", out);
    for (int s = 0; s < 20; s++)
        fprintf(out, "%s{ species = \"s%d\"; count = %d; }", s ? ", " : "", s, 5 + s);
    fputs(");\ntime = { end = 4; };\noutput = { every = 1; };\nrun = { runs = 5; };\n", out);
    assert_int_equal(fclose(out), 0);
    return text;
}

static void assert_same(int n_reactions)
{
    char *const text = make_network(n_reactions);
    const struct lab one = {.threads = 1}, three = {.threads = 3};
    const char *const exact[] = {"solver=exact", NULL};
    const char *const limited[] = {"solver=exact", "time.max_events=3", NULL};
    const uint64_t split = lab_fingerprint(&one, text, NULL);
    assert_true(split == lab_fingerprint(&one, text, exact));
    assert_true(split == lab_fingerprint(&three, text, exact));
    assert_true(split == lab_fingerprint(&one, text, limited));
    char *const message = lab_try(&one, text, limited + 1);
    assert_non_null(strstr(message, "time.max_events"));
    free(message);
    free(text);
}

static void solvers_agree(void **state)
{
    (void)state;
    assert_same(4); /* too few for the dependency graph */
    assert_same(30);
    assert_same(400);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(solvers_agree)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
