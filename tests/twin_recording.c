/* twin_recording - tests that the data are the same for any number of snapshots that may wait for
   the writer, for any size of segments, and for counts or sums of counts that leave the machine. */
#include "recording.h"
#include "stored_file.h"

#define BULK(keep, solver)                                                                         \
    "grid = { voxels = (9, 7, 5); edge = 1.0; walls = { x = \"absorb\"; }; };\n"                   \
    "species = ( { name = \"B\"; diffusion = 1.0; }, { name = \"A\"; diffusion = 0.5;\n"           \
    "  walls = { ymin = { kind = \"reservoir\"; mean = 1.0; }; }; } );\n"                          \
    "reactions = ( { equation = \"A + B -> 2 B\"; rate = 0.1; } );\n"                              \
    "initial = ( { species = \"A\"; count = 3000; }, { species = \"B\"; count = 300; } );\n"       \
    "time = { end = 3.0; }; output = { every = 0.25; keep = \"" keep "\"; };\n"                    \
    "run = { runs = 3; }; solver = \"" solver "\";\n"

#define LIVES                                                                                      \
    "grid = { voxels = (6, 5); edge = 1.0; };\n"                                                   \
    "species = ( { name = \"w\"; diffusion = 0.3; individuals = { max = 4000; record = "           \
    "\"lineage\"; attributes = ( { name = \"u\"; initial = \"uniform(0, 1)\"; } ); }; } );\n"      \
    "reactions = ( { equation = \"w -> 2 w\"; rate = 0.6; }, { equation = \"w -> 0\"; rate = "     \
    "0.5; } );\n"                                                                                  \
    "initial = ( { species = \"w\"; count = 200; } );\n"                                           \
    "time = { end = 8.0; }; output = { every = 0.5; }; run = { runs = 2; };\n"

static const char *const texts[] = {BULK("all", "split"), BULK("statistics", "split"),
                                    BULK("totals", "exact"), LIVES};
enum { N_TEXTS = sizeof texts / sizeof texts[0] };

static uint64_t hash_with(const char *text, int n_snapshot_buffers, double seconds, int64_t bytes)
{
    struct recording r = {.path = "out.h5",
                          .n_snapshot_buffers = n_snapshot_buffers,
                          .segment_seconds = seconds,
                          .segment_bytes = bytes};
    struct rd_error e = {0};
    if (!recording_run(&r, text, &e))
        fail_msg("%s", e.text);
    assert_true(has_state("out.h5", "complete"));
    assert_int_equal(stored_entries("."), 1);
    return hash_of("out.h5");
}

static void the_data_are_the_same(void **state)
{
    (void)state;
    stored_folder("the_data_are_the_same");
    for (int i = 0; i < N_TEXTS; i++) {
        const uint64_t expected = hash_with(texts[i], 0, 0, 0);
        /* a slow writer with a short queue */
        assert_true(hash_with(texts[i], 1, 0, 1) == expected);
        assert_true(hash_with(texts[i], 5, 0.002, 0) == expected);
        assert_true(hash_with(texts[i], 2, 0, 30000) == expected);
    }
    stored_leave();
}

/* Tests that rows of lineage have the same order, with or without their snapshot. */
static void lives_may_go_apart(void **state)
{
    (void)state;
    stored_folder("lives_may_go_apart");
    const uint64_t expected = hash_with(LIVES, 0, 0, 0);
    for (int n_snapshot_buffers = 1; n_snapshot_buffers < 4; n_snapshot_buffers += 2) {
        struct recording r = {
            .path = "out.h5", .n_snapshot_buffers = n_snapshot_buffers, .lives_apart = true};
        struct rd_error e = {0};
        assert_true(recording_run(&r, LIVES, &e));
        assert_true(hash_of("out.h5") == expected);
    }
    stored_leave();
}

/* Tests 300 runs, which are two portions; species have another order in the file than in the
   plan. */
static void sums_of_counts_will_do(void **state)
{
    (void)state;
    stored_folder("sums_of_counts_will_do");
    static const char *const runs[] = {"run = { runs = 9; };", "run = { runs = 300; };"};
    for (int i = 0; i < 2; i++) {
        char text[2048];
        snprintf(text, sizeof text,
                 "grid = { voxels = (5, 3); edge = 1.0; };\n"
                 "species = ( { name = \"B\"; diffusion = 1.0; }, { name = \"A\"; diffusion = 0.5; "
                 "} );\n"
                 "reactions = ( { equation = \"A -> 2 B\"; rate = 0.5; } );\n"
                 "initial = ( { species = \"A\"; count = 3000; in = \"all\"; } );\n"
                 "regions = ( { name = \"all\"; box = { from = (0, 0); to = (5, 3); }; } );\n"
                 "time = { end = 2.0; }; output = { every = 0.5; keep = \"statistics\"; };\n%s",
                 runs[i]);
        struct recording r = {.path = "out.h5", .has_counts = true};
        struct rd_error e = {0};
        assert_true(recording_run(&r, text, &e));
        const uint64_t expected = hash_of("out.h5");
        assert_true(hash_with(text, 0, 0, 0) == expected);
    }
    stored_leave();
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_data_are_the_same),
                                       cmocka_unit_test(lives_may_go_apart),
                                       cmocka_unit_test(sums_of_counts_will_do)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
