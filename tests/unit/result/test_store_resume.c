/* test_store_resume - an unfinished result continues from a checkpoint, and ends with the same
   bytes as an uninterrupted one. */
#define _POSIX_C_SOURCE 200809L
#include "stored_resume.h"

enum { TIMES = 8, MANY = 34 }; /* 32 segments are merged */

/* Returns the hash of a result that was written in one run and one segment; removes the file. */
static uint64_t uninterrupted(struct stored *s)
{
    const int64_t segment_bytes = s->record.segment_bytes;
    s->record.segment_bytes = 0;
    stored_write(s, "whole.h5");
    s->record.segment_bytes = segment_bytes;
    const uint64_t hash = hash_of("whole.h5");
    assert_int_equal(remove("whole.h5"), 0);
    return hash;
}

/* Kills a run after n snapshots, resumes it from the last checkpoint, and checks the final
   result. */
static void assert_resumed(struct stored *s, const int *kept, int64_t n)
{
    const uint64_t whole = uninterrupted(s);
    int last = 0;
    while (kept[last + 1] >= 0)
        last++;
    kill_after(s, false, kept, n);
    assert_all("out.h5", s, n);
    rd_store *const store = resume_well(s, kept[last]);
    write_some(s, store, kept[last], s->model.n_moments);
    close_well(store, "complete");
    assert_true(hash_of("out.h5") == whole);
    assert_true(has_state("out.h5", "complete"));
    assert_int_equal(stored_entries("."), 1);
    assert_int_equal(remove("out.h5"), 0);
}

static void killed_runs_are_resumed(void **state)
{
    (void)state;
    struct stored *s = begin("killed_runs_are_resumed", TIMES, true);
    assert_resumed(s, (const int[]){1, 3, 4, -1}, 7);
    assert_resumed(s, (const int[]){2, -1}, 2);
    end(s);
    /* Segments that the checkpoint lists were merged with later ones. */
    s = begin("killed_runs_are_resumed", MANY, false);
    assert_resumed(s, (const int[]){3, 30, -1}, 33);
    end(s);
}

/* Interrupts and resumes a run after every third snapshot. */
static void run_is_resumed_many_times(void **state)
{
    (void)state;
    struct stored *const s = begin("run_is_resumed_many_times", TIMES, false);
    const uint64_t whole = uninterrupted(s);
    kill_after(s, false, (const int[]){0, -1}, 1);
    for (int64_t n = 0; n < TIMES; n += 3) {
        rd_store *const store = resume_well(s, n);
        write_some(s, store, n, n + 3 < TIMES ? n + 3 : TIMES);
        keep(store, n + 3);
        close_well(store, n + 3 < TIMES ? "interrupted" : "complete");
        assert_true(has_state("out.h5", n + 3 < TIMES ? "interrupted" : "complete"));
    }
    assert_true(hash_of("out.h5") == whole);
    assert_int_equal(stored_entries("."), 1);
    end(s);
}

/* Checks that two checkpoints are kept, and that files which neither they nor the result need are
   removed. */
static void two_checkpoints_are_kept(void **state)
{
    (void)state;
    struct stored *const s = begin("two_checkpoints_are_kept", MANY, false);
    struct rd_error e = {0};
    rd_store *store;
    assert_true(rd_store_open(&store, "out.h5", false, &s->record, &e));
    for (int n = 0; n < MANY; n++) {
        write_some(s, store, n, n + 1);
        keep(store, n + 1);
        assert_int_equal(n_checkpoints(), n < 1 ? 1 : 2);
    }
    /* These are 2 segments of one snapshot, 1 of 32, 2 checkpoints and the lock. */
    assert_int_equal(stored_entries("out.h5.parts"), 2 + 1 + 2 + 1);
    close_well(store, "complete");
    assert_int_equal(stored_entries("."), 1);
    assert_all("out.h5", s, MANY);
    end(s);
}

static void truncated_checkpoint_is_refused_and_the_older_one_used(void **state)
{
    (void)state;
    struct stored *const s = begin("a_torn_one_is_refused", TIMES, false);
    const uint64_t whole = uninterrupted(s);
    struct rd_error refused = {0}, e = {0};
    int64_t n = -1;
    kill_after(s, false, (const int[]){2, 4, -1}, 6);
    assert_int_equal(truncate(checkpoint(true), 100), 0);
    rd_store *store = resume(s, &n, &refused, &e);
    assert_non_null(store);
    assert_int_equal(n, 2);
    assert_contains(refused.text, ".checkpoint: is incomplete: it has no end");
    assert_all("out.h5", s, 2);
    write_some(s, store, n, TIMES);
    close_well(store, "complete");
    assert_true(hash_of("out.h5") == whole);
    rd_error_free(&refused);
    assert_int_equal(remove("out.h5"), 0);

    kill_after(s, false, (const int[]){2, 4, -1}, 6);
    assert_int_equal(truncate(checkpoint(true), 100), 0);
    assert_int_equal(truncate(checkpoint(false), 0), 0);
    const int entries = stored_entries("out.h5.parts");
    assert_null(resume(s, &n, &refused, &e));
    assert_int_equal(refused.n, 2);
    assert_contains(refused.text, ".checkpoint: is not a checkpoint");
    assert_contains(
        e.text, "out.h5: has no checkpoint of this run to continue from; begin again with --force");
    assert_int_equal(stored_entries("out.h5.parts"), entries - 1); /* only the lock was removed */
    assert_all("out.h5", s, 6);
    rd_error_free(&refused);
    rd_error_free(&e);
    end(s);
}

static void differences_are_reported(void **state)
{
    (void)state;
    struct stored *const s = begin("differences_are_reported", TIMES, false);
    struct rd_error refused = {0}, e = {0};
    int64_t n;
    kill_after(s, false, (const int[]){3, -1}, 4);
    s->record.effective = "title = \"a small model\";\n   run = { seed = 2; };\n";
    assert_null(resume(s, &n, &refused, &e));
    assert_contains(refused.text, ".checkpoint: belongs to another configuration");
    assert_contains(refused.text,
                    "it has 'run = { seed = 1; };', and the run has 'run = { seed = 2; };'");
    rd_error_free(&refused);
    rd_error_free(&e);
    s->record.effective = "title = \"a small model\";\n";
    assert_null(resume(s, &n, &refused, &e));
    assert_contains(refused.text, "it has 'run = { seed = 1; };', and the run has ''");
    rd_error_free(&refused);
    rd_error_free(&e);
    s->record.identity = "title = \"a small model\";\nrun = { seed = 1; };\n";
    s->record.inputs = "12 345 food.h5\n";
    assert_null(resume(s, &n, &refused, &e));
    assert_contains(refused.text, ".checkpoint: belongs to other input files");
    assert_contains(refused.text, "it has '', and the run has '12 345 food.h5'");
    rd_error_free(&refused);
    rd_error_free(&e);
    s->record.inputs = "";
    rd_store *const store = resume_well(s, 3);
    close_well(store, "interrupted");
    end(s);
}

static void missing_segments_are_reported(void **state)
{
    (void)state;
    struct stored *const s = begin("missing_segments_are_reported", TIMES, false);
    struct rd_error refused = {0}, e = {0};
    int64_t n;
    kill_after(s, false, (const int[]){3, 5, -1}, 6);
    assert_int_equal(rename("out.h5.parts/000005.h5", "gone"), 0); /* number 3 is a checkpoint */
    rd_store *store = resume(s, &n, &refused, &e);
    assert_non_null(store);
    assert_int_equal(n, 3);
    assert_contains(refused.text, "needs a segment that is missing");
    rd_error_free(&refused);
    rd_store_close(store, "interrupted", NULL, 0, &e);
    assert_int_equal(system("cp out.h5 out.h5.parts/000001.h5"), 0);
    assert_null(resume(s, &n, &refused, &e));
    assert_contains(refused.text, "needs a segment that is missing, or is another one");
    rd_error_free(&refused);
    rd_error_free(&e);
    end(s);
}

/* Checks births and deaths before the first snapshot. */
static void lineage_before_the_first_snapshot_is_kept(void **state)
{
    (void)state;
    struct stored *const s = begin("before_the_first_snapshot", TIMES, true);
    const uint64_t whole = uninterrupted(s);
    struct rd_error e = {0};
    /* The first run is completed, the second interrupted, and the third interrupted without a
       checkpoint. */
    for (int i = 0; i < 3; i++) {
        rd_store *store;
        assert_true(rd_store_open(&store, "out.h5", false, &s->record, &e));
        stored_snapshot(s, 0);
        assert_true(rd_store_live(store, s->lives->life, s->lives->n_lives, &e));
        if (i < 2)
            keep(store, 0);
        else
            assert_true(rd_store_sync(store, true, &e));
        close_well(store, "interrupted");
        assert_int_equal(stored_entries("."), i < 2 ? 1 : 0);
        if (i == 2)
            break;
        store = resume_well(s, 0);
        const struct rd_snapshot now = stored_snapshot(s, 0);
        assert_true(rd_store_write(store, &now, &e));
        write_some(s, store, 1, i == 0 ? TIMES : 3);
        if (i == 0) {
            close_well(store, "complete");
            assert_true(hash_of("out.h5") == whole);
        } else {
            close_well(store, "interrupted");
            assert_all("out.h5", s, 3);
            close_well(resume_well(s, 0), "interrupted"); /* the result stays readable */
            assert_all("out.h5", s, 3);
        }
        assert_int_equal(system("rm -r out.h5 out.h5.parts 2> rm.txt; rm rm.txt"), 0);
    }
    end(s);
}

/* Checks that a new run replaces the old result only when it has data; from then on only its own
   checkpoints count. */
static void force_removes_old_checkpoints(void **state)
{
    (void)state;
    struct stored *const s = begin("force_removes_old_checkpoints", TIMES, false);
    struct rd_error e = {0};
    rd_store *store;
    kill_after(s, false, (const int[]){2, 4, -1}, 5);
    assert_true(rd_store_open(&store, "out.h5", true, &s->record, &e));
    close_well(store, "failed");
    close_well(resume_well(s, 4), "interrupted");
    kill_after(s, true, (const int[]){-1}, 1);
    assert_int_equal(n_checkpoints(), 0);
    assert_all("out.h5", s, 1);
    kill_after(s, true, (const int[]){2, 3, -1}, 4);
    s->record.segment_bytes = 1 << 20;
    store = stored_begin(s, "out.h5", true, 5, &e);
    assert_non_null(store);
    close_well(store, "interrupted");
    assert_int_equal(stored_entries("."), 1);
    assert_all("out.h5", s, 5);
    end(s);
}

static void live_run_is_unchanged(void **state)
{
    (void)state;
    struct stored *const s = begin("live_run_is_unchanged", TIMES, false);
    struct rd_error refused = {0}, e = {0};
    rd_store *store;
    assert_true(rd_store_open(&store, "out.h5", false, &s->record, &e));
    write_some(s, store, 0, 2);
    keep(store, 2);
    const pid_t child = fork();
    if (child == 0) {
        int64_t n;
        const bool refuses = !resume(s, &n, &refused, &e) &&
                             strstr(e.text, "out.h5: another run is writing it") != NULL;
        _exit(refuses ? 0 : 1);
    }
    int status = 1;
    assert_true(waitpid(child, &status, 0) == child && status == 0);
    write_some(s, store, 2, 4);
    close_well(store, "complete");
    assert_all("out.h5", s, 4);
    end(s);
}

static enum rd_past past(struct stored *s)
{
    char *effective;
    const enum rd_past what = rd_store_past("out.h5", &effective);
    const bool is_there = access("out.h5", F_OK) == 0;
    assert_true((effective != NULL) ==
                (what == RD_PAST_WHOLE || (what == RD_PAST_BEGUN && is_there)));
    if (effective)
        assert_string_equal(effective, s->record.effective);
    free(effective);
    return what;
}

static void earlier_run_is_reported(void **state)
{
    (void)state;
    struct stored *const s = begin("earlier_run_is_reported", TIMES, false);
    static const struct rd_fact law[] = {{"stream_version", NULL, RD_STREAM_VERSION},
                                         {"program", "rdsim", 0}};
    s->record.provenance = law;
    s->record.n_provenance = 2;
    assert_int_equal(past(s), RD_PAST_NONE);
    kill_after(s, false, (const int[]){-1}, 0);
    assert_int_equal(past(s), RD_PAST_BEGUN);
    kill_after(s, true, (const int[]){-1}, 2);
    assert_int_equal(access("out.h5", F_OK), 0);
    assert_int_equal(past(s), RD_PAST_BEGUN);
    kill_after(s, true, (const int[]){2, -1}, 3);
    assert_int_equal(past(s), RD_PAST_PARTS);
    rd_store *const store = resume_well(s, 2);
    close_well(store, "interrupted");
    assert_int_equal(past(s), RD_PAST_PARTS);
    stored_write(s, "out.h5");
    assert_int_equal(past(s), RD_PAST_WHOLE);
    const struct rd_fact other[] = {{"stream_version", NULL, RD_STREAM_VERSION + 5},
                                    {"program", "rdsim", 0}};
    s->record.provenance = other;
    stored_write(s, "out.h5");
    assert_int_equal(past(s), RD_PAST_PARTS);
    kill_after(s, true, (const int[]){-1}, 2);
    assert_int_equal(past(s), RD_PAST_PARTS);
    stored_write(s, "out.h5");
    assert_int_equal(system("echo hello > out.h5"), 0);
    assert_int_equal(past(s), RD_PAST_PARTS);
    end(s);
}

int test_store_resume(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(killed_runs_are_resumed),
        cmocka_unit_test(run_is_resumed_many_times),
        cmocka_unit_test(two_checkpoints_are_kept),
        cmocka_unit_test(truncated_checkpoint_is_refused_and_the_older_one_used),
        cmocka_unit_test(differences_are_reported),
        cmocka_unit_test(missing_segments_are_reported),
        cmocka_unit_test(lineage_before_the_first_snapshot_is_kept),
        cmocka_unit_test(force_removes_old_checkpoints),
        cmocka_unit_test(live_run_is_unchanged),
        cmocka_unit_test(earlier_run_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
