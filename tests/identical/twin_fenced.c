/* twin_fenced - tests that a back end whose memory the host cannot reach gives the CPU's bytes, for
   every sample. Errors that would show only on a GPU fail here, too. The linker's --wrap replaces
   rd_backend_open (cmake/tests.cmake). */
#include "fenced.h"
#include "lab.h"
#include "record/record.h"
#include "samples.h"
#include "stage.h"

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
    const struct lab unverified = {.backend = "fenced", .unverified = true};
    for (struct sample s = {0}; sample_next(&s);) {
        printf("%s\n", s.name);
        const uint64_t right = lab_fingerprint(&cpu, s.text, NULL);
        assert_int_equal(lab_fingerprint(&far, s.text, NULL), right);
        assert_int_equal(lab_fingerprint(&unverified, s.text, NULL), right);
    }
}

static bool leaves_often(int64_t n_steps)
{
    return n_steps == 3 || n_steps == 11;
}

/* Tests that the functions of the back end also write and read a checkpoint. */
static void samples_are_resumed(void **state)
{
    (void)state;
    const struct lab whole = {.backend = "cpu"};
    const struct lab to_fenced = {.backend = "cpu", .then = "fenced", .leaves = leaves_often};
    const struct lab to_cpu = {.backend = "fenced", .then = "cpu", .leaves = leaves_often};
    for (struct sample s = {0}; sample_next(&s);) {
        const uint64_t right = lab_fingerprint(&whole, s.text, NULL);
        assert_int_equal(lab_fingerprint(&to_fenced, s.text, NULL), right);
        assert_int_equal(lab_fingerprint(&to_cpu, s.text, NULL), right);
    }
}

/* Returns the memory of a machine that is used up to the first step. */
static struct fenced_capacity capacity_taken(const char *text)
{
    struct stage s;
    struct rd_error e = {0};
    struct rd_recorder r = {0};
    stage_plan_text(&s, text);
    const struct rd_machine_of far = {.backend = "fenced", .aboard = rd_record_aboard(&s.plan)};
    if (!rd_sim_open(&s.sim, &s.plan, &far, &e) || !rd_plan_rates(&s.plan, s.model.value, &e) ||
        !rd_plan_step(&s.plan, 0.05, &e) || !rd_sim_take(&s.sim, &e) ||
        !rd_recorder_open(&r, &s.sim, RD_AS_DUE, &e))
        fail_msg("%s", e.text);
    const struct fenced_capacity capacity = fenced_capacity();
    rd_recorder_close(&r, &s.sim);
    stage_close(&s);
    return capacity;
}

/* Tests that the reported memory suffices, and that it is not much more than what is allocated
   (copies for output). */
static void reported_capacity_is_enough(void **state)
{
    (void)state;
    for (struct sample s = {0}; sample_next(&s);) {
        const struct fenced_capacity capacity = capacity_taken(s.text);
        printf("%s: %zu of %zu\n", s.name, capacity.taken, capacity.reported);
        assert_true(capacity.taken > 0 && capacity.taken <= capacity.reported);
        assert_true(capacity.reported < 2 * capacity.taken + RD_TABLES_GROW);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(samples_are_the_same),
                                       cmocka_unit_test(samples_are_resumed),
                                       cmocka_unit_test(reported_capacity_is_enough)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
