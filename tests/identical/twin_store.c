/* twin_store - tests that lists of rare species give the same bytes as arrays over all voxels: for
   every sample in which species can be in lists, all of them or every second one, with several
   threads, and when a run is continued with the other storage. */
#include "lab.h"
#include "samples.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const struct lab grid = {.threads = 1, .store = "grid"};

/* Compares all suitable samples with runs in which all species have arrays. */
static void compare(const struct lab *lab, const char *const *sets)
{
    int n = 0;
    for (struct sample s = {0}; sample_next(&s);) {
        if (lab_n_listed(s.text, sets) == 0)
            continue;
        n++;
        if (lab_fingerprint(lab, s.text, sets) != lab_fingerprint(&grid, s.text, sets))
            fail_msg("%s: lists give other bytes than arrays", s.name);
    }
    assert_true(n >= 20 || samples_are_drawn());
}

static void lists(void **state)
{
    (void)state;
    compare(&(struct lab){.threads = 1, .store = "list"}, NULL);
}

static void lists_beside_arrays(void **state)
{
    (void)state;
    compare(&(struct lab){.threads = 1, .store = "mixed"}, NULL);
}

static void threads(void **state)
{
    (void)state;
    compare(&(struct lab){.threads = 3, .store = "list"}, NULL);
    compare(&(struct lab){.threads = 7, .store = "mixed"}, SETS("splitting=lie"));
}

static bool leaves(int64_t n_steps)
{
    return n_steps < 5 || n_steps % 37 == 0;
}

/* Compares a model for which `auto` takes lists: on one and several threads, with little memory, on
   a machine that pauses, and continued with the other storage. */
static void compare_rare(const char *name)
{
    static const struct lab labs[] = {
        {.threads = 1},
        {.store = "list"},
        {.store = "mixed"},
        {.threads = 3, .row_capacity = 1},
        {.far_capacity = 1, .unverified = true},
        {.far_capacity = 1, .unverified = true, .row_capacity = 1},
        {.far_capacity = 1, .store = "mixed", .row_capacity = 1, .leaves = leaves},
        {.store_then = "grid", .leaves = leaves},
        {.store = "grid", .store_then = "mixed", .leaves = leaves},
        {.backend = "cuda"},
        {.backend = "cuda", .store = "mixed", .row_capacity = 1},
    };
    char *const text = lab_model(name, NULL);
    const uint64_t right = lab_fingerprint(&grid, text, NULL);
    assert_true(lab_n_listed(text, NULL) > 50);
    for (size_t i = 0; i < sizeof labs / sizeof *labs; i++)
        if ((!labs[i].backend || lab_has_gpu()) && lab_fingerprint(&labs[i], text, NULL) != right)
            fail_msg("%s: way %d gives other bytes than arrays", name, (int)i);
    assert_true(lab_fingerprint(&grid, text, SETS("run.seed=18")) != right);
    free(text);
}

/* Tests models with more reactions than a block, and voxels with more species than have their
   reactions merged; alone, and beside species that need columns. */
static void many_species(void **state)
{
    (void)state;
    compare_rare("identical/rare_species.cfg");
    compare_rare("identical/rare_means.cfg");
    compare_rare("identical/rare_rates.cfg");
    compare_rare("identical/rare_mixing.cfg");
    compare_rare("identical/rare_individuals.cfg");
}

/* Passes repeat for voxels for which memory was missing. */
static void missing_memory(void **state)
{
    (void)state;
    compare(&(struct lab){.threads = 1, .store = "list", .row_capacity = 1}, NULL);
    compare(&(struct lab){.threads = 3, .store = "mixed", .row_capacity = 1}, NULL);
}

/* Tests a host that synchronises rarely, so that steps are repeated from passes that lacked
   memory. */
static void far_host(void **state)
{
    (void)state;
    const struct lab far = {
        .store = "list", .row_capacity = 1, .far_capacity = 1, .unverified = true};
    struct lab mixed = far, stopped = far;
    mixed.store = "mixed";
    mixed.threads = 3;
    stopped.leaves = leaves;
    compare(&far, NULL);
    compare(&mixed, SETS("splitting=lie"));
    compare(&stopped, NULL);
}

/* Compares lists with arrays in the exact solver. */
static void compare_exact(const char *name, const char *text)
{
    const char *const *const sets = SETS("solver=exact");
    const uint64_t right = lab_fingerprint(&grid, text, sets);
    if (lab_fingerprint(&(struct lab){.store = "list"}, text, sets) != right ||
        lab_fingerprint(&(struct lab){.threads = 3, .store = "mixed"}, text, sets) != right)
        fail_msg("%s: lists give other bytes than arrays", name);
}

/* Tests the exact solver, in which lists have another layout of voxels than full arrays. */
static void exact(void **state)
{
    (void)state;
    int n = 0;
    for (struct sample s = {0}; sample_next(&s);) {
        if (!s.suits_exact || lab_n_listed(s.text, SETS("solver=exact")) == 0)
            continue;
        n++;
        compare_exact(s.name, s.text);
    }
    assert_true(n >= 10 || samples_are_drawn());
}

/* Tests models with more than 64 reactions, alone and beside compartments, whose molecules all
   propensities of an exchange depend on. */
static void exact_with_many_species(void **state)
{
    (void)state;
    static const char *const names[] = {"identical/rare_species.cfg",
                                        "identical/rare_compartments.cfg"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char *const text = lab_model(names[i], NULL);
        assert_true(lab_n_listed(text, SETS("solver=exact")) > 50);
        compare_exact(names[i], text);
        free(text);
    }
}

static void gpu(void **state)
{
    (void)state;
    if (!lab_has_gpu()) {
        printf("skipped: this machine has no NVIDIA GPU, or the program was built without CUDA\n");
        skip();
    }
    compare(&(struct lab){.backend = "cuda", .store = "list"}, NULL);
    compare(&(struct lab){.backend = "cuda", .store = "list", .unverified = true},
            SETS("splitting=lie"));
    compare(&(struct lab){.backend = "cuda", .store = "mixed"}, NULL);
    compare(&(struct lab){.backend = "cuda", .store = "list", .row_capacity = 1}, NULL);
    compare(&(struct lab){.backend = "cpu", .then = "cuda", .store = "list", .leaves = leaves},
            NULL);
}

/* Runs steps of rows in which a back end may fuse them, and fails if the bytes differ from those of
   arrays. Returns whether it declined some. */
static bool declines_steps(const struct lab *way, const char *const *sets)
{
    int64_t declines = 0;
    struct lab lab = *way;
    char *const text = lab_model("identical/rare_steps.cfg", sets);
    lab.store = "list";
    lab.unverified = true;
    lab.declines = &declines;
    assert_int_equal(lab_fingerprint(&lab, text, NULL), lab_fingerprint(&grid, text, NULL));
    free(text);
    return declines > 0;
}

/* Tests a machine that declines some steps, so that the host requests their plain passes. */
static void declined_steps(void **state)
{
    (void)state;
    assert_true(declines_steps(&(struct lab){.far_capacity = 1}, NULL));
    assert_true(declines_steps(&(struct lab){.far_capacity = 1}, SETS("splitting=lie")));
    assert_true(declines_steps(&(struct lab){.far_capacity = 1, .leaves = leaves}, NULL));
    assert_false(declines_steps(&(struct lab){.threads = 1}, NULL));
}

/* Tests that a GPU fuses steps, also with many molecules in a part of the lattice, and declines
   them with many of a species in one voxel. */
static void fused_steps(void **state)
{
    (void)state;
    const struct lab cuda = {.backend = "cuda"};
    if (!lab_has_gpu()) {
        printf("skipped: this machine has no NVIDIA GPU, or the program was built without CUDA\n");
        skip();
    }
    assert_false(declines_steps(&cuda, NULL));
    assert_false(declines_steps(&cuda, SETS("splitting=lie")));
    assert_false(declines_steps(&cuda, SETS("run.runs=3", "time.end=3")));
    assert_false(declines_steps(&(struct lab){.backend = "cuda", .leaves = leaves}, NULL));
    declines_steps(&cuda, SETS("parameters.heap=4000", "time.end=3"));
    assert_true(declines_steps(&cuda, SETS("parameters.crowd=500")));
}

static void resume(void **state)
{
    (void)state;
    compare(&(struct lab){.store = "list", .store_then = "grid", .leaves = leaves}, NULL);
    compare(&(struct lab){.store = "grid", .store_then = "mixed", .leaves = leaves}, NULL);
}

/* The message about a propensity names a divisor that is 0, by the counts of the voxel. */
static void messages_name_counts(void)
{
    const char *const *const sets = SETS("run.runs=1", "reactions.r1.rate=1 / (S06 - 1)");
    char *const text = lab_model("identical/rare_species.cfg", sets);
    char *const right = lab_try(&grid, text, NULL);
    assert_non_null(strstr(right, "divides by (S06 - 1), which is 0"));
    for (int i = 0; i < 2; i++) {
        const struct lab lab = {.threads = 1, .store = i == 0 ? "list" : "mixed"};
        char *const message = lab_try(&lab, text, NULL);
        assert_string_equal(message, right);
        free(message);
    }
    free(right);
    free(text);
}

/* Runs that end with a fault report the same one, also if the host synchronises rarely. The model
   with borders sends billions of molecules one by one, for which lists have no memory. */
static void faults(void **state)
{
    (void)state;
    for (const struct sample_failing *f = samples_failing; f->name; f++) {
        if (strcmp(f->name, "overflow_by_regions") == 0)
            continue;
        char *const text = sample_text(f->name);
        for (int far_capacity = 0; far_capacity < 2; far_capacity++) {
            const struct lab lab = {
                .store = "list", .row_capacity = far_capacity, .far_capacity = far_capacity};
            char *const message = lab_try(&lab, text, NULL);
            assert_string_equal(message, f->message);
            free(message);
        }
        free(text);
    }
    messages_name_counts();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lists),
        cmocka_unit_test(lists_beside_arrays),
        cmocka_unit_test(threads),
        cmocka_unit_test(many_species),
        cmocka_unit_test(missing_memory),
        cmocka_unit_test(far_host),
        cmocka_unit_test(resume),
        cmocka_unit_test(exact),
        cmocka_unit_test(exact_with_many_species),
        cmocka_unit_test(faults),
        cmocka_unit_test(declined_steps),
        cmocka_unit_test(fused_steps),
        cmocka_unit_test(gpu),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
