/* twin_fenced - a machine whose memory the host cannot reach gives the CPU's bytes, for every
   sample: what would fail on a GPU only fails here, too. It takes the CPU's place by the linker's
   --wrap (cmake/tests.cmake). */
#include "fenced.h"
#include "lab.h"
#include "samples.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

const struct rd_backend *__real_rd_backend_open(const char *name, rd_machine **m, int threads,
                                                int device, struct rd_error *why_not,
                                                struct rd_error *e);
const struct rd_backend *__wrap_rd_backend_open(const char *name, rd_machine **m, int threads,
                                                int device, struct rd_error *why_not,
                                                struct rd_error *e);

const struct rd_backend *__wrap_rd_backend_open(const char *name, rd_machine **m, int threads,
                                                int device, struct rd_error *why_not,
                                                struct rd_error *e)
{
    if (strcmp(name, fenced.name) != 0)
        return __real_rd_backend_open(name, m, threads, device, why_not, e);
    return fenced.open(m, threads, device, e) ? &fenced : NULL;
}

static void samples_are_the_same(void **state)
{
    (void)state;
    const struct lab cpu = {.backend = "cpu"}, far = {.backend = "fenced"};
    const struct lab seldom = {.backend = "fenced", .unverified = true};
    for (const struct sample *s = samples; s->name; s++) {
        printf("%s\n", s->name);
        const uint64_t right = lab_fingerprint(&cpu, s->text, NULL);
        assert_int_equal(lab_fingerprint(&far, s->text, NULL), right);
        assert_int_equal(lab_fingerprint(&seldom, s->text, NULL), right);
    }
}

static bool leaves_often(int64_t n_steps)
{
    return n_steps == 3 || n_steps == 11;
}

/* A checkpoint is written and read by its verbs as well. */
static void samples_go_on(void **state)
{
    (void)state;
    const struct lab whole = {.backend = "cpu"};
    const struct lab parted = {.backend = "cpu", .then = "fenced", .leaves = leaves_often};
    const struct lab back = {.backend = "fenced", .then = "cpu", .leaves = leaves_often};
    for (const struct sample *s = samples; s->name; s++) {
        const uint64_t right = lab_fingerprint(&whole, s->text, NULL);
        assert_int_equal(lab_fingerprint(&parted, s->text, NULL), right);
        assert_int_equal(lab_fingerprint(&back, s->text, NULL), right);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(samples_are_the_same),
                                       cmocka_unit_test(samples_go_on)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
