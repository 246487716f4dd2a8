/* test_publish - tests that a file gets its name only when all of it is on the disk.

   The test replaces fsync and pwrite by functions that record their arguments, or fail; it is
   therefore a program of its own. */
#define _DEFAULT_SOURCE
#include "base/file.h"

#include "hdf5/temporary_file.h"
#include "result/files/checkpoint_file.h"
#include "stage.h"
#include "stored.h"

#include <errno.h>
#include <sys/syscall.h>

/* Describes the disk: what fails, and the folders that were synchronised. */
static struct {
    bool fails, is_full, is_slow;
    int n_calls, n_folders;
    ino_t folder;
} disk;

int fsync(int fd)
{
    struct stat about;
    if (disk.fails) {
        errno = EIO;
        return -1;
    }
    if (fstat(fd, &about) == 0 && S_ISDIR(about.st_mode)) {
        disk.n_folders++;
        disk.folder = about.st_ino;
    }
    return 0;
}

/* Replaces pwrite: a full disk takes 0 bytes and sets no errno; a slow one takes 7 bytes at most,
   and a signal interrupts every second call. The test exits if the caller repeats this for ever. */
ssize_t pwrite(int fd, const void *from, size_t n, off_t at)
{
    if (disk.is_full && ++disk.n_calls > 1000)
        _exit(1);
    if (disk.is_full)
        return 0;
    if (disk.is_slow && disk.n_calls++ % 2 == 0) {
        errno = EINTR;
        return -1;
    }
    return lseek(fd, at, SEEK_SET) < 0 ? -1 : write(fd, from, disk.is_slow && n > 7 ? 7 : n);
}

/* Replaces write in the same way, except for standard output and errors. */
ssize_t write(int fd, const void *from, size_t n)
{
    return disk.is_full && fd > 2 ? 0 : syscall(SYS_write, fd, from, n);
}

static void write_file(const char *path)
{
    FILE *const file = fopen(path, "w");
    assert_true(file && fputs("text", file) >= 0 && fclose(file) == 0);
}

static bool exists(const char *path)
{
    return access(path, F_OK) == 0;
}

static void folder_is_synchronised(void **state)
{
    (void)state;
    static const char *const cases[][2] = {{"out", "."}, {"./out", "."}, {"folder/out", "folder"}};
    stored_folder("the_folder_is_written");
    assert_int_equal(mkdir("folder", 0777), 0);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct rd_error e = {0};
        struct stat about;
        write_file("temporary");
        disk.n_folders = 0;
        assert_true(rd_file_publish("temporary", cases[i][0], &e));
        assert_true(exists(cases[i][0]) && !exists("temporary"));
        assert_int_equal(disk.n_folders, 1);
        assert_int_equal(stat(cases[i][1], &about), 0);
        assert_true(disk.folder == about.st_ino);
    }
    stored_leave();
}

static void file_without_a_name_is_removed(void **state)
{
    (void)state;
    struct rd_error e = {0};
    stored_folder("a_file_that_gets_no_name");
    assert_int_equal(mkdir("out", 0777), 0);
    write_file("temporary");
    disk.n_folders = 0;
    assert_false(rd_file_publish("temporary", "out", &e));
    assert_contains(e.text, "temporary: cannot be renamed to out: Is a directory");
    assert_false(exists("temporary"));
    assert_int_equal(disk.n_folders, 0);
    rd_error_free(&e);
    stored_leave();
}

static void all_bytes_reach_a_slow_disk(void **state)
{
    (void)state;
    static const char text[] = "-------- and a text that is written in pieces of seven bytes";
    char read[sizeof text] = {0};
    stored_folder("all_bytes_reach_a_slow_disk");
    const int fd = rd_file_create("slow");
    assert_true(fd >= 0);
    disk.is_slow = true;
    disk.n_calls = 0;
    assert_true(rd_file_write_at(fd, text + 8, sizeof text - 8, 8));
    assert_true(rd_file_write_at(fd, text, 8, 0));
    disk.is_slow = false;
    assert_int_equal(disk.n_calls, 2 * ((sizeof text - 8 + 6) / 7 + 2));
    assert_int_equal(rd_file_read_at(fd, read, sizeof read, 0), sizeof read);
    assert_string_equal(read, text);
    assert_int_equal(rd_file_read_at(fd, read, sizeof read, 50), sizeof read - 50);
    close(fd);
    stored_leave();
}

/* Tests that a folder that cannot be synchronised is no fault: some file systems cannot do it. */
static void only_files_must_be_synchronised(void **state)
{
    (void)state;
    struct rd_error e = {0};
    stored_folder("only_a_file_must_be_written");
    write_file("temporary");
    disk.fails = true;
    assert_true(rd_file_publish("temporary", "out", &e));
    disk.fails = false;
    assert_true(exists("out"));
    stored_leave();
}

static void checkpoints_must_be_synchronised(void **state)
{
    (void)state;
    struct rd_error e = {0};
    struct rd_checkpoint_file t;
    int64_t number = 1;
    stored_folder("a_checkpoint_must_be");
    for (int i = 0; i < 2; i++) {
        disk.fails = i == 0;
        assert_true(rd_checkpoint_file_create(&t, "temporary", "checkpoint", &e));
        const bool good = rd_checkpoint_file_record(&t, "number", &number, sizeof number);
        assert_int_equal(rd_checkpoint_file_close(&t, good), !disk.fails);
        assert_int_equal(exists("checkpoint"), !disk.fails);
        assert_false(exists("temporary"));
        if (disk.fails)
            assert_contains(e.text, "checkpoint: cannot be written: Input/output error");
        rd_error_free(&e);
    }
    stored_leave();
}

/* Tests a full disk that takes 0 bytes of a checkpoint and sets no errno. */
static void full_disks_hold_no_checkpoint(void **state)
{
    (void)state;
    struct rd_error e = {0};
    struct rd_checkpoint_file t;
    int64_t number = 1;
    stored_folder("full_disks_hold_no_checkpoint");
    assert_true(rd_checkpoint_file_create(&t, "temporary", "checkpoint", &e));
    errno = 0;
    disk.is_full = true;
    const bool good = rd_checkpoint_file_record(&t, "number", &number, sizeof number);
    assert_false(rd_checkpoint_file_close(&t, good));
    disk.is_full = false;
    assert_contains(e.text, "checkpoint: cannot be written: No space left on device");
    assert_false(exists("checkpoint") || exists("temporary"));
    rd_error_free(&e);
    stored_leave();
}

/* Writes an HDF5 file without data; returns whether it got its name. */
static bool write_temporary(struct rd_error *e)
{
    struct rd_temporary_file d;
    assert_true(rd_temporary_file_open(&d, "temporary.h5", "out.h5", e));
    const bool good = rd_temporary_file_publish(&d, true, e);
    assert_int_equal(exists("out.h5"), good);
    assert_false(exists("temporary.h5"));
    return good;
}

static void hdf5_files_must_be_synchronised(void **state)
{
    (void)state;
    struct rd_error e = {0};
    stored_folder("an_hdf5_file_must_be");
    disk.fails = true;
    assert_false(write_temporary(&e));
    disk.fails = false;
    assert_contains(e.text, "out.h5: cannot be written: Input/output error");
    rd_error_free(&e);
    disk.is_full = true;
    assert_false(write_temporary(&e));
    disk.is_full = false;
    assert_contains(e.text, "out.h5: cannot be written: No space left on device");
    rd_error_free(&e);
    assert_true(write_temporary(&e));
    stored_leave();
}

int test_publish(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(folder_is_synchronised),
        cmocka_unit_test(file_without_a_name_is_removed),
        cmocka_unit_test(all_bytes_reach_a_slow_disk),
        cmocka_unit_test(only_files_must_be_synchronised),
        cmocka_unit_test(checkpoints_must_be_synchronised),
        cmocka_unit_test(full_disks_hold_no_checkpoint),
        cmocka_unit_test(hdf5_files_must_be_synchronised),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
