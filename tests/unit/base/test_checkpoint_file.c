/* test_checkpoint_file - tests of files of named records: they are read back as written, and
   changed files are refused. */
#define _POSIX_C_SOURCE 200809L
#include "result/files/checkpoint_file.h"

#include "stage.h"
#include "stored.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

enum { MANY = (1 << 20) / 8 + 5 }; /* more than one block */

/* Holds the records of a small checkpoint file; writing and reading use the same list. */
struct content {
    int64_t number;
    double real[3];
    char text[5];
    int64_t *many;
    int64_t n;
};

static bool pass(struct content *x, struct rd_checkpoint_file *t)
{
    int64_t bytes = x->n * (int64_t)sizeof *x->many;
    return rd_checkpoint_file_record(t, "number", &x->number, sizeof x->number) &&
           rd_checkpoint_file_record(t, "real", x->real, sizeof x->real) &&
           rd_checkpoint_file_record(t, "nothing", NULL, 0) &&
           rd_checkpoint_file_record(t, "text", x->text, sizeof x->text) &&
           rd_checkpoint_file_begin(t, "many", &bytes) &&
           bytes == x->n * (int64_t)sizeof *x->many &&
           rd_checkpoint_file_bytes(t, x->many, 3 * sizeof *x->many) &&
           rd_checkpoint_file_bytes(t, x->many + 3, (size_t)(x->n - 3) * sizeof *x->many);
}

static struct content make(int64_t n)
{
    struct content x = {.number = -7, .real = {0.1, -0.0, 1e300}, .text = "text", .n = n};
    x.many = malloc((size_t)n * sizeof *x.many);
    for (int64_t i = 0; i < n; i++)
        x.many[i] = i * i - 5;
    return x;
}

static void write_checkpoint_file(const char *path, int64_t n)
{
    struct rd_error e = {0};
    struct rd_checkpoint_file t;
    struct content x = make(n);
    assert_true(rd_checkpoint_file_create(&t, "temporary", path, &e));
    const bool good = pass(&x, &t);
    assert_int_equal(access(path, F_OK), -1); /* the file has no name before it is complete */
    assert_true(rd_checkpoint_file_close(&t, good));
    assert_int_equal(access("temporary", F_OK), -1);
    assert_int_equal(e.n, 0);
    free(x.many);
}

/* Returns whether the checkpoint file reads as a small one; the caller frees the messages in e. */
static bool read_checkpoint_file(const char *path, int64_t n, struct rd_error *e)
{
    struct rd_checkpoint_file t;
    struct content x = {.n = n, .many = calloc((size_t)n, sizeof *x.many)};
    struct content expected = make(n);
    bool good = rd_checkpoint_file_open(&t, path, e);
    good = good && rd_checkpoint_file_close(&t, pass(&x, &t));
    if (good) {
        assert_int_equal(x.number, expected.number);
        assert_memory_equal(x.real, expected.real, sizeof x.real);
        assert_string_equal(x.text, "text");
        assert_memory_equal(x.many, expected.many, (size_t)n * sizeof *x.many);
    }
    free(x.many);
    free(expected.many);
    return good;
}

static void written_records_are_read(void **state)
{
    (void)state;
    struct rd_error e = {0};
    stored_folder("written");
    for (int64_t n = 3; n <= MANY; n += n < 8 ? 1 : MANY - 8) {
        write_checkpoint_file("checkpoint", n);
        assert_true(read_checkpoint_file("checkpoint", n, &e));
        assert_int_equal(remove("checkpoint"), 0);
    }
    assert_int_equal(e.n, 0);
    stored_leave();
}

static unsigned char *load(const char *path, size_t *size)
{
    FILE *const file = fopen(path, "rb");
    unsigned char *const bytes = malloc(1 << 16);
    assert_true(file && bytes);
    *size = fread(bytes, 1, 1 << 16, file);
    fclose(file);
    return bytes;
}

static void save(const char *path, const unsigned char *bytes, size_t size)
{
    FILE *const file = fopen(path, "wb");
    assert_true(file && fwrite(bytes, 1, size, file) == size);
    fclose(file);
}

static void assert_refused(const unsigned char *bytes, size_t size, const char *why)
{
    struct rd_error e = {0};
    save("other", bytes, size);
    assert_false(read_checkpoint_file("other", 9, &e));
    assert_contains(e.text, why);
    assert_int_equal(e.n, 1);
    rd_error_free(&e);
}

static void truncated_file_is_refused(void **state)
{
    (void)state;
    size_t size;
    stored_folder("torn");
    write_checkpoint_file("checkpoint", 9);
    unsigned char *const bytes = load("checkpoint", &size);
    for (size_t n = 0; n < size; n++)
        assert_refused(bytes, n, n < 16 ? "other: is not a checkpoint" : "other: is incomplete");
    bytes[size] = 0;
    assert_refused(bytes, size + 1, "other: is incomplete");
    free(bytes);
    stored_leave();
}

static void every_changed_byte_is_detected(void **state)
{
    (void)state;
    size_t size;
    stored_folder("changed");
    write_checkpoint_file("checkpoint", 9);
    unsigned char *const bytes = load("checkpoint", &size);
    for (size_t i = 0; i < size; i++)
        for (int bit = 0; bit < 8; bit++) {
            bytes[i] ^= (unsigned char)(1 << bit);
            assert_refused(bytes, size,
                           i < 8            ? "other: is not a checkpoint"
                           : i < 16         ? "other: has another format"
                           : i >= size - 8  ? "other: is damaged"
                           : i >= size - 16 ? "other: is incomplete"
                                            : "other: is damaged");
            bytes[i] ^= (unsigned char)(1 << bit);
        }
    for (size_t i = 16; i + 24 < size; i++) { /* swaps two bytes that are 8 apart */
        const unsigned char first = bytes[i];
        if (first == bytes[i + 8])
            continue;
        bytes[i] = bytes[i + 8];
        bytes[i + 8] = first;
        assert_refused(bytes, size, "other: is damaged");
        bytes[i + 8] = bytes[i];
        bytes[i] = first;
    }
    free(bytes);
    stored_leave();
}

/* Tests that complete files of another kind or another model are refused. */
static void other_file_is_refused(void **state)
{
    (void)state;
    struct rd_error e = {0};
    struct rd_checkpoint_file t;
    int64_t number = 1, bytes = 0;
    stored_folder("foreign");
    assert_true(rd_checkpoint_file_create(&t, "temporary", "checkpoint", &e));
    assert_true(rd_checkpoint_file_close(
        &t, rd_checkpoint_file_record(&t, "number", &number, sizeof number) &&
                rd_checkpoint_file_record(&t, "more", &number, sizeof number)));
    assert_true(rd_checkpoint_file_open(&t, "checkpoint", &e));
    assert_false(rd_checkpoint_file_record(&t, "integer", &number, sizeof number));
    /* A failed file fails all later records. */
    assert_false(rd_checkpoint_file_record(&t, "number", &number, sizeof number));
    assert_false(rd_checkpoint_file_close(&t, true));
    assert_contains(e.text, "checkpoint: is not a checkpoint of this program: it has no integer");
    rd_error_free(&e);
    assert_true(rd_checkpoint_file_open(&t, "checkpoint", &e));
    assert_false(rd_checkpoint_file_record(&t, "number", &number, 4));
    assert_false(rd_checkpoint_file_close(&t, true));
    assert_contains(e.text, "checkpoint: belongs to another model: it differs in number");
    rd_error_free(&e);
    assert_true(rd_checkpoint_file_open(&t, "checkpoint", &e));
    assert_true(rd_checkpoint_file_begin(&t, "number", &bytes) && bytes == 8);
    assert_false(rd_checkpoint_file_begin(&t, "more", &bytes));
    assert_false(rd_checkpoint_file_close(&t, true));
    assert_contains(e.text, "checkpoint: is not a checkpoint of this program: it ends before more");
    rd_error_free(&e);
    assert_true(rd_checkpoint_file_open(&t, "checkpoint", &e));
    assert_false(rd_checkpoint_file_close(
        &t, rd_checkpoint_file_record(&t, "number", &number, sizeof number)));
    assert_contains(e.text, "checkpoint: has more records than a checkpoint");
    rd_error_free(&e);
    assert_true(rd_checkpoint_file_open(&t, "checkpoint", &e));
    assert_true(rd_checkpoint_file_record(&t, "number", &number, sizeof number) &&
                rd_checkpoint_file_record(&t, "more", &number, sizeof number));
    assert_false(rd_checkpoint_file_record(&t, "most", &number, sizeof number));
    assert_false(rd_checkpoint_file_close(&t, true));
    assert_contains(e.text, "checkpoint: is not a checkpoint of this program: it ends before most");
    rd_error_free(&e);
    stored_leave();
}

static void unopened_file_is_reported(void **state)
{
    (void)state;
    struct rd_error e = {0};
    struct rd_checkpoint_file t;
    stored_folder("absent");
    assert_false(rd_checkpoint_file_open(&t, "checkpoint", &e));
    assert_contains(e.text, "checkpoint: cannot be read: No such file or directory");
    rd_error_free(&e);
    assert_int_equal(mkdir("checkpoint", 0777), 0);
    assert_false(rd_checkpoint_file_open(&t, "checkpoint", &e));
    assert_contains(e.text, "checkpoint: is not a regular file");
    rd_error_free(&e);
    assert_int_equal(mkfifo("fifo", 0666), 0);
    assert_false(rd_checkpoint_file_open(&t, "fifo", &e));
    assert_contains(e.text, "fifo: is not a regular file");
    rd_error_free(&e);
    assert_false(rd_checkpoint_file_create(&t, "there/temporary", "there/checkpoint", &e));
    assert_contains(e.text, "there/checkpoint: cannot be written: No such file or directory");
    rd_error_free(&e);
    stored_leave();
}

/* Tests that the old file remains and no temporary file is left when the size limit stops a
   write. */
static void failed_write_keeps_the_old_file(void **state)
{
    (void)state;
    struct rd_error e = {0};
    struct rd_checkpoint_file t;
    stored_folder("full");
    write_checkpoint_file("checkpoint", 9);
    struct content x = make(MANY);
    stored_limit_files(1 << 19);
    const bool good = rd_checkpoint_file_create(&t, "temporary", "checkpoint", &e) && pass(&x, &t);
    assert_false(rd_checkpoint_file_close(&t, good));
    stored_limit_files(RLIM_INFINITY);
    assert_contains(e.text, "checkpoint: cannot be written: File too large");
    assert_int_equal(e.n, 1);
    assert_int_equal(access("temporary", F_OK), -1);
    rd_error_free(&e);
    assert_true(read_checkpoint_file("checkpoint", 9, &e));
    assert_true(
        rd_checkpoint_file_create(&t, "temporary", "checkpoint", &e)); /* the writer gives it up */
    assert_false(rd_checkpoint_file_close(&t, false));
    assert_int_equal(access("temporary", F_OK), -1);
    assert_true(read_checkpoint_file("checkpoint", 9, &e));
    assert_int_equal(mkdir("folder", 0777), 0);
    assert_true(rd_checkpoint_file_create(&t, "temporary", "folder", &e) &&
                !rd_checkpoint_file_close(&t, true));
    assert_contains(e.text, "temporary: cannot be renamed to folder");
    assert_int_equal(access("temporary", F_OK), -1);
    rd_error_free(&e);
    free(x.many);
    stored_leave();
}

int test_checkpoint_file(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(written_records_are_read),
        cmocka_unit_test(truncated_file_is_refused),
        cmocka_unit_test(every_changed_byte_is_detected),
        cmocka_unit_test(other_file_is_refused),
        cmocka_unit_test(unopened_file_is_reported),
        cmocka_unit_test(failed_write_keeps_the_old_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
