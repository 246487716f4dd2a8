/* test_store_resume_parts - which segments and which checkpoints a resumed result uses. */
#define _POSIX_C_SOURCE 200809L
#include "stored_resume.h"

enum { TIMES = 8 };

/* Returns one more than the largest number of a file in the directory. */
static int64_t next_number(void)
{
    int64_t next = 0;
    DIR *const folder = opendir("out.h5.parts");
    for (const struct dirent *entry; (entry = readdir(folder)) != NULL;)
        if (strtol(entry->d_name, NULL, 10) >= next)
            next = strtol(entry->d_name, NULL, 10) + 1;
    closedir(folder);
    return next;
}

/* Copies a checkpoint record by record, with another number and level of its first segment. A
   record is a name of 16 bytes, a length and data; 16 bytes precede all records, and 16 follow. */
static void copy_checkpoint(const char *from, const char *to, const int64_t segment[2])
{
    enum { HEAD = 16, NAME = 16, TAIL = 16, MOST = 1 << 16 };
    struct rd_error e = {0};
    struct rd_checkpoint_file t;
    FILE *const file = fopen(from, "rb");
    unsigned char *const bytes = malloc(MOST);
    assert_true(file && bytes);
    const size_t size = fread(bytes, 1, MOST, file);
    bool is_changed = false, good = rd_checkpoint_file_create(&t, "copy", to, &e);
    fclose(file);
    for (size_t at = HEAD; good && at + TAIL < size;) {
        char name[NAME + 1] = {0};
        int64_t n;
        memcpy(name, bytes + at, NAME);
        memcpy(&n, bytes + at + NAME, sizeof n);
        at += NAME + sizeof n;
        if (!is_changed && strcmp(name, "segment") == 0)
            is_changed = memcpy(bytes + at, segment, 2 * sizeof *segment) != NULL;
        good = rd_checkpoint_file_record(&t, name, bytes + at, (size_t)n);
        at += (size_t)n;
    }
    assert_true(rd_checkpoint_file_close(&t, good) && is_changed);
    free(bytes);
}

static void other_segments_are_refused(void **state)
{
    (void)state;
    struct stored *const s = begin("other_segments_are_refused", TIMES, false);
    struct rd_error refused = {0}, e = {0};
    int64_t n;
    kill_after(s, false, (const int[]){2, 3, -1}, 5);
    const char *const path = checkpoint(true);
    assert_int_equal(remove(checkpoint(false)), 0);
    assert_int_equal(rename(path, "right"), 0);
    copy_checkpoint("right", path, (const int64_t[]){0, 0}); /* keeps its number in use */
    const int64_t wrong[][2] = {{-1, 0}, {next_number(), 0}, {0, -1}, {0, 65}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        copy_checkpoint("right", path, wrong[i]);
        assert_null(resume(s, &n, &refused, &e));
        assert_contains(refused.text, ".checkpoint: needs a segment that is not there");
        assert_null(strstr(refused.text, "or is another one")); /* no file was opened */
        rd_error_free(&refused);
        rd_error_free(&e);
    }
    copy_checkpoint("right", path, (const int64_t[]){0, 64});
    close_well(resume_well(s, 3), "interrupted");
    end(s);
}

/* Checks that two of three checkpoints are kept; three remain if a run is killed while it writes
   one. */
static void two_of_three_checkpoints_are_kept(void **state)
{
    (void)state;
    struct stored *const s = begin("two_checkpoints_of_three", TIMES, false);
    kill_after(s, false, (const int[]){2, 4, -1}, 6);
    assert_int_equal(system("cp out.h5.parts/*2.checkpoint out.h5.parts/000000.checkpoint"), 0);
    assert_int_equal(n_checkpoints(), 3);
    rd_store *const store = resume_well(s, 4);
    assert_int_equal(n_checkpoints(), 2);
    assert_int_equal(access("out.h5.parts/000000.checkpoint", F_OK), -1);
    write_some(s, store, 4, TIMES);
    close_well(store, "complete");
    assert_all("out.h5", s, TIMES);
    end(s);
}

int test_store_resume_parts(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(other_segments_are_refused),
                                       cmocka_unit_test(two_of_three_checkpoints_are_kept)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
