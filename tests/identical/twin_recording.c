/* twin_recording - tests that the data are the same for any number of snapshots that may wait for
   the writer, for any size of segments, and for counts or sums of counts that leave the machine. */
#include "lab.h"
#include "recording.h"
#include "stored_file.h"

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

/* Tests a slow writer with a short queue, and segments of every length. */
static void segments_have_the_same_data(void **state)
{
    (void)state;
    stored_folder("segments_have_the_same_data");
    char *const texts[] = {
        lab_model("identical/recording_counts.cfg", NULL),
        lab_model("identical/recording_counts.cfg", SETS("output.keep=statistics")),
        lab_model("identical/recording_counts.cfg", SETS("output.keep=totals", "solver=exact")),
        lab_model("identical/recording_lineage.cfg", NULL),
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        const uint64_t expected = hash_with(texts[i], 0, 0, 0);
        assert_true(hash_with(texts[i], 1, 0, 1) == expected);
        assert_true(hash_with(texts[i], 5, 0.002, 0) == expected);
        assert_true(hash_with(texts[i], 2, 0, 30000) == expected);
        free(texts[i]);
    }
    stored_leave();
}

/* Tests that rows of lineage have the same order, with or without their snapshot. */
static void lineage_is_written_with_or_without_its_snapshot(void **state)
{
    (void)state;
    stored_folder("lineage_is_written_with_or_without_its_snapshot");
    char *const text = model_text("identical/recording_lineage.cfg");
    const uint64_t expected = hash_with(text, 0, 0, 0);
    for (int n_snapshot_buffers = 1; n_snapshot_buffers < 4; n_snapshot_buffers += 2) {
        struct recording r = {
            .path = "out.h5", .n_snapshot_buffers = n_snapshot_buffers, .lives_apart = true};
        struct rd_error e = {0};
        assert_true(recording_run(&r, text, &e));
        assert_true(hash_of("out.h5") == expected);
    }
    free(text);
    stored_leave();
}

/* Tests sums of counts in place of counts, also of 300 runs, which are two portions. */
static void sums_of_counts_suffice(void **state)
{
    (void)state;
    static const char *const runs[] = {"run.runs=9", "run.runs=300"};
    stored_folder("sums_of_counts_suffice");
    for (int i = 0; i < 2; i++) {
        char *const text = lab_model("identical/recording_statistics.cfg", SETS(runs[i]));
        struct recording r = {.path = "out.h5", .has_counts = true};
        struct rd_error e = {0};
        assert_true(recording_run(&r, text, &e));
        const uint64_t expected = hash_of("out.h5");
        assert_true(hash_with(text, 0, 0, 0) == expected);
        free(text);
    }
    stored_leave();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(segments_have_the_same_data),
        cmocka_unit_test(lineage_is_written_with_or_without_its_snapshot),
        cmocka_unit_test(sums_of_counts_suffice)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
