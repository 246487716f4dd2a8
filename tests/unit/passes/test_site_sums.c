/* test_site_sums - tests of sums, squares and ranges of counts over the runs, on every available
   machine, against sums of 128 bits. */
#include "kernels/core/backend.h"
#include "kernels/passes/totals/totals.h"
#include "probability.h"

#include <stdlib.h>

__extension__ typedef unsigned __int128 u128;

enum { SPECIES = 4, SURVEYED = 2, SITES = 75 };

static const int32_t surveyed_species[SURVEYED] = {3, 1};

/* Returns whether the run is left out: every third run faulted, if some did. Stopped runs are
   included. */
static bool is_out(int64_t run, bool some_faulted)
{
    return some_faulted && run % 3 == 1;
}

static struct rd_surveyed expected_at(const int32_t *count, int64_t n_runs, int64_t i, bool faulted)
{
    const int64_t row = i / SITES, begin = row / SURVEYED * RD_SURVEY_RUNS;
    struct rd_surveyed s = {.least = INT32_MAX, .most = INT32_MIN};
    u128 square = 0;
    for (int64_t run = begin; run < n_runs && run < begin + RD_SURVEY_RUNS; run++) {
        if (is_out(run, faulted))
            continue;
        const int64_t n =
            count[(surveyed_species[row % SURVEYED] * n_runs + run) * SITES + i % SITES];
        s.sum += n;
        square += (u128)n * (u128)n;
        s.least = n < s.least ? (int32_t)n : s.least;
        s.most = n > s.most ? (int32_t)n : s.most;
    }
    s.square[0] = (uint64_t)square;
    s.square[1] = (uint64_t)(square >> 64);
    return s;
}

static void assert_equal(const struct rd_surveyed *a, const struct rd_surveyed *b, int64_t i)
{
    if (a->sum != b->sum || a->square[0] != b->square[0] || a->square[1] != b->square[1] ||
        a->least != b->least || a->most != b->most)
        fail_msg("item %lld", (long long)i);
}

/* Tests counts up to the largest: the squares of a few of them need more than 64 bits. */
static void survey(const struct rd_backend *backend, int64_t n_runs, bool faulted)
{
    struct rd_error e = {0};
    rd_machine *m;
    assert_true(backend->open(&m, 3, 0, &e));
    const int64_t portions = (n_runs + RD_SURVEY_RUNS - 1) / RD_SURVEY_RUNS, never = INT64_MAX;
    struct rd_world w = {.lattice.n_runs = n_runs,
                         .counts.n_species = SPECIES,
                         .lattice.n_sites = SITES,
                         .lattice.n_voxels = n_runs * SITES,
                         .counts.n_surveyed_species = SURVEYED,
                         .counts.n_surveyed = portions * SURVEYED * SITES};
    const size_t counts = (size_t)(SPECIES * w.lattice.n_voxels) * sizeof(int32_t);
    const size_t surveyed = (size_t)w.counts.n_surveyed * sizeof(struct rd_surveyed);
    int32_t *const count = malloc(counts);
    struct rd_surveyed *const found = malloc(surveyed);
    struct rd_stream s = stream_of("survey", n_runs);
    for (int64_t i = 0; i < SPECIES * w.lattice.n_voxels; i++)
        count[i] = (int32_t)(rd_word(&s) >> (i % SITES < 40 ? 1 : 25));
    w.counts.count = backend->alloc(m, counts, &e);
    w.counts.surveyed = backend->alloc(m, surveyed, &e);
    int32_t *const species = backend->alloc(m, sizeof surveyed_species, &e);
    assert_true(backend->put(m, species, surveyed_species, sizeof surveyed_species, &e));
    w.counts.surveyed_species = species;
    w.runs.first_faulting_pass = backend->alloc(m, sizeof never, &e);
    w.runs.n_frozen = faulted ? n_runs : 0;
    w.runs.frozen = backend->alloc(m, (size_t)n_runs, &e);
    uint8_t *const frozen = malloc((size_t)n_runs);
    for (int64_t run = 0; run < n_runs; run++)
        frozen[run] = is_out(run, faulted) ? RD_FROZEN_FAULTED : RD_FROZEN_STOPPED;
    assert_true(backend->put(m, w.runs.frozen, frozen, (size_t)n_runs, &e));
    free(frozen);
    assert_true(backend->put(m, w.counts.count, count, counts, &e) &&
                backend->put(m, w.runs.first_faulting_pass, &never, sizeof never, &e));
    const struct rd_step_clock step_clock = {0};
    w.pass.step_clock = &step_clock;
    backend->run(m, &w, RD_SITE_SUMS);
    if (!backend->sync(m, &e) || !backend->get(m, found, w.counts.surveyed, surveyed, &e))
        fail_msg("%s", e.text);
    bool is_large = false;
    for (int64_t i = 0; i < w.counts.n_surveyed; i++) {
        const struct rd_surveyed right = expected_at(count, n_runs, i, faulted);
        assert_equal(&found[i], &right, i);
        is_large = is_large || right.square[1] > 0;
    }
    assert_true(is_large || n_runs < 10);
    backend->free(m, w.counts.count);
    backend->free(m, w.counts.surveyed);
    backend->free(m, species);
    backend->free(m, w.runs.frozen);
    backend->free(m, w.runs.first_faulting_pass);
    backend->close(m);
    free(count);
    free(found);
}

static void sums_over_runs_are_exact(void **state)
{
    (void)state;
    static const int64_t n_runs[] = {1, 9, 255, 256, 257, 700};
    for (size_t i = 0; i < 2 * sizeof n_runs / sizeof n_runs[0]; i++) {
        survey(&rd_backend_cpu, n_runs[i / 2], i % 2 == 1);
#ifdef RD_HAS_CUDA
        if (rd_cuda_devices() > 0)
            survey(&rd_backend_cuda, n_runs[i / 2], i % 2 == 1);
#endif
    }
}

int test_site_sums(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(sums_over_runs_are_exact)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
