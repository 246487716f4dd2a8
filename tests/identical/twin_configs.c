/* twin_configs - tests that the first steps of every configuration in configs/ give the same state,
   to the byte, on one thread, on three, and on the GPU if there is one. */
#define _POSIX_C_SOURCE 200809L
#include "lab.h"

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static int steps; /* number of steps to make */

static bool leaves(int64_t n_steps)
{
    return n_steps == steps;
}

/* Runs n steps; returns false if the run ended before. */
static bool leave_after(int n, const struct lab *lab, const char *text)
{
    remove("lab.checkpoint");
    steps = n;
    lab_run(lab, text, NULL);
    return access("lab.checkpoint", F_OK) == 0;
}

/* Returns the checkpoint after a few steps: the whole state of a run, equal on every machine. */
static char *state_after(const struct lab *lab, const char *text, size_t *n)
{
    struct lab leaving = *lab;
    leaving.leaves = leaves;
    leaving.for_good = true;
    if (!leave_after(3, &leaving, text) && !leave_after(1, &leaving, text))
        fail_msg("a single step is all that was made");
    FILE *const file = fopen("lab.checkpoint", "rb");
    assert_non_null(file);
    fseek(file, 0, SEEK_END);
    *n = (size_t)ftell(file);
    rewind(file);
    char *const state = malloc(*n);
    assert_true(state && *n > 0 && fread(state, 1, *n, file) == *n);
    fclose(file);
    return state;
}

static void assert_same(const struct lab *one, const struct lab *other, const char *text)
{
    size_t n, n_other;
    char *const state = state_after(one, text, &n);
    char *const there = state_after(other, text, &n_other);
    assert_true(n == n_other && memcmp(state, there, n) == 0);
    free(state);
    free(there);
}

static void compare(const char *file)
{
    static const struct lab cpu = {.unverified = true};
    static const struct lab threads = {.threads = 3, .unverified = true};
    static const struct lab cuda = {.backend = "cuda", .unverified = true};
    char name[512];
    printf("%s\n", file);
    snprintf(name, sizeof name, CONFIGS "%s", file);
    char *const text = lab_model(name, SETS("run.runs=2"));
    assert_same(&cpu, &threads, text);
    if (lab_has_gpu() && !strstr(text, "solver = \"exact\""))
        assert_same(&cpu, &cuda, text);
    free(text);
}

static void configurations_are_the_same(void **state)
{
    (void)state;
    const char *const source = getenv("RDSIM_SOURCE");
    char path[4096];
    int n = 0;
    if (!source)
        skip();
    snprintf(path, sizeof path, "%s/configs", source);
    DIR *const folder = opendir(path);
    assert_non_null(folder);
    for (const struct dirent *d; (d = readdir(folder));)
        if (strstr(d->d_name, ".cfg")) {
            compare(d->d_name);
            n++;
        }
    closedir(folder);
    assert_true(n >= 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(configurations_are_the_same)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
