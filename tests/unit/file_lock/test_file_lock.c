/* test_file_lock - tests that a run gets a lock only if no other run holds it, and if its file is
   still the one at the path.

   The test replaces fcntl; it is therefore a program of its own. */
#define _GNU_SOURCE
#include "base/file.h"

#include "stored.h"

#include <errno.h>
#include <fcntl.h>

/* Describes the next lock: its errno (0: it succeeds), and what happens to the file before it. */
static struct {
    int number;
    bool is_removed, is_replaced;
    bool is_of_process; /* the system has locks of processes only */
} next;

static void make_file(void)
{
    FILE *const file = fopen("lock", "w");
    assert_true(file && fclose(file) == 0);
}

int fcntl(int fd, int command, ...)
{
    (void)fd;
    if (next.is_of_process && command == F_OFD_SETLK) {
        errno = EINVAL;
        return -1;
    }
    assert_int_equal(command, next.is_of_process ? F_SETLK : F_OFD_SETLK);
    if (next.is_replaced) {
        make_file(); /* made while the old one exists, so that it is another file */
        assert_int_equal(rename("lock", "other"), 0);
        make_file();
    }
    if (next.is_removed)
        assert_int_equal(unlink("lock"), 0);
    errno = next.number;
    return next.number ? -1 : 0;
}

/* Takes the lock; returns 0, or errno if it fails. */
static int take_lock(void)
{
    const int lock = rd_file_lock("lock"), number = errno;
    assert_true(lock >= -1);
    if (lock >= 0)
        rd_file_unlock(lock, "lock");
    return lock >= 0 ? 0 : number;
}

static void lock_is_taken_once(void **state)
{
    stored_folder("lock_is_taken_once");
    next.is_of_process = *state != NULL;
    next.number = 0;
    assert_int_equal(take_lock(), 0);
    assert_int_equal(access("lock", F_OK), -1);
    static const int held[] = {EACCES, EAGAIN};
    for (int i = 0; i < 2; i++) {
        next.number = held[i];
        assert_int_equal(take_lock(), EAGAIN);
        assert_int_equal(access("lock", F_OK), 0); /* the lock belongs to the other process */
    }
    next.number = ENOLCK; /* a file system without locks */
    assert_int_equal(take_lock(), 0);
    next.is_of_process = false;
    stored_leave();
}

/* Tests a file that is removed by its last owner, or replaced by another process, between open and
   lock. */
static void removed_file_is_no_lock(void **state)
{
    (void)state;
    static const int numbers[] = {0, ENOLCK};
    stored_folder("removed_file_is_no_lock");
    for (int i = 0; i < 2; i++) {
        next.number = numbers[i];
        next.is_removed = true;
        assert_int_equal(take_lock(), ENOENT);
        assert_int_equal(access("lock", F_OK), -1);
        next.is_removed = false;
        next.is_replaced = true;
        assert_int_equal(take_lock(), ENOENT);
        assert_int_equal(access("lock", F_OK), 0);
        next.is_replaced = false;
    }
    stored_leave();
}

int test_file_lock(void)
{
    static char of_process[] = "a lock of the process";
    const struct CMUnitTest tests[] = {cmocka_unit_test(lock_is_taken_once),
                                       cmocka_unit_test_prestate(lock_is_taken_once, of_process),
                                       cmocka_unit_test(removed_file_is_no_lock)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
