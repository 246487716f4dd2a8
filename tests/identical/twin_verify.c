/* twin_verify - tests that the verification of the lists of individuals after each step changes
   nothing, for every sample. */
#include "lab.h"
#include "samples.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void verification_changes_nothing(void **state)
{
    (void)state;
    const struct lab verified = {.threads = 1}, unverified = {.threads = 1, .unverified = true};
    for (struct sample s = {0}; sample_next(&s);)
        if (lab_fingerprint(&verified, s.text, NULL) != lab_fingerprint(&unverified, s.text, NULL))
            fail_msg("%s: other bytes with verified lists", s.name);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(verification_changes_nothing)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
