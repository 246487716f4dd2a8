/* twin_again - tests that the program repeats every sample from its result only, on more threads,
   with the same data. */
#define _POSIX_C_SOURCE 200809L
#include "samples.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>

#include <cmocka.h>

static void run_command(const char *command, const char *sample)
{
    const int status = system(command);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
        fail_msg("%s: '%s' ended with status %d", sample, command, WEXITSTATUS(status));
}

static void every_sample_is_repeated(void **state)
{
    (void)state;
    if (!getenv("RDSIM_PROGRAM"))
        skip();
    for (struct sample s = {0}; sample_next(&s);) {
        FILE *const out = fopen("sample.cfg", "w");
        assert_non_null(out);
        fputs(s.text, out);
        assert_int_equal(fclose(out), 0);
        run_command("$RDSIM_PROGRAM sample.cfg --output sample.h5 --backend cpu --threads 1 "
                    "--progress none --force >sample.log 2>sample.err || "
                    "grep -q ' runs faulted' sample.err",
                    s.name);
        run_command("$RDSIM_PROGRAM again sample.h5 --backend cpu --threads 3 --progress none "
                    ">sample.log 2>sample.err",
                    s.name);
        run_command("grep -q '^identical: ' sample.log", s.name);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_sample_is_repeated)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
