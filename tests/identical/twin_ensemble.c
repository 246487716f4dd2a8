/* twin_ensemble - tests that each run of an ensemble is the same as when it runs separately, for
   every sample and both solvers. */
#include "prints.h"
#include "samples.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Returns whether the run with this number has the same snapshots and the same fault when it runs
   separately. */
static bool is_same_separately(const struct prints *p, int64_t run, const char *text,
                               int64_t number, const char *solver)
{
    char first[64];
    struct prints separate;
    const struct lab one = {.threads = 1};
    snprintf(first, sizeof first, "run.first=%lld", (long long)number);
    prints_take_one(&separate, &one, text, SETS(first, "run.runs=1", solver));
    return separate.run[0] == p->run[run] && separate.fault[0] == p->fault[run];
}

static int64_t first_of(const char *text)
{
    const char *const at = strstr(text, "first = ");
    return at ? strtoll(at + strlen("first = "), NULL, 10) : 0;
}

static void assert_same_runs(const char *solver)
{
    const bool is_exact = strcmp(solver, "solver=exact") == 0;
    for (struct sample s = {0}; sample_next(&s);) {
        if (is_exact && !s.suits_exact)
            continue;
        struct prints p;
        const struct lab two = {.threads = 2};
        prints_take(&p, &two, s.text, SETS(solver));
        for (int64_t run = 0; run < p.n_runs; run++) {
            const int64_t number = first_of(s.text) + run;
            if (!is_same_separately(&p, run, s.text, number, solver))
                fail_msg("%s: run %lld differs when it runs separately", s.name, (long long)number);
            assert_true(run == 0 || p.run[run] != p.run[run - 1] || p.fault[run]);
        }
    }
}

static void split(void **state)
{
    (void)state;
    assert_same_runs("solver=split");
}

static void exact(void **state)
{
    (void)state;
    assert_same_runs("solver=exact");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(split), cmocka_unit_test(exact)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
