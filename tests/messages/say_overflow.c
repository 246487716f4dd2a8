/* say_overflow - tests that a count above 2147483647 ends the run with a message that has the place
   and the time, on any number of threads. */
#include "lab.h"
#include "samples.h"

#include <stdlib.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

static void samples_fail_with_their_message(void **state)
{
    (void)state;
    static const int threads[] = {1, 3};
    for (const struct sample_failing *s = samples_failing; s->name; s++) {
        char *const text = sample_text(s->name);
        for (int i = 0; i < 2; i++) {
            char *const message = lab_try(&(struct lab){.threads = threads[i]}, text, NULL);
            printf("%s: %s\n", s->name, message);
            assert_string_equal(message, s->message);
            free(message);
        }
        free(text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(samples_fail_with_their_message)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
