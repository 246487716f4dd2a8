/* test_store_merge - births and deaths of batches in the order of steps, from a log of blocks that
   is checked before it is read. */
#include "result/batches/merge_lineage.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static const char path[] = "merge.log";

static struct rd_life row(int64_t turn, int64_t part, int64_t id)
{
    return (struct rd_life){.order_key = turn, .part = part, .id = id};
}

static void put(struct rd_block_file *l, rd_merge *m, int64_t batch, const struct rd_life *life,
                int64_t n)
{
    const struct rd_block block = {
        .kind = 1, .batch = batch, .number = n, .bytes = n * (int64_t)sizeof *life};
    struct rd_error e = {0};
    int64_t at;
    rd_block_file_begin(l, &block, &at);
    assert_true(rd_block_file_add(l, life, block.bytes, &e) && rd_block_file_end(l, &e));
    assert_true(rd_merge_note(m, batch, at, n, &e));
}

static void assert_next(rd_merge *m, const struct rd_block_file *l, int64_t turn, const int64_t *id,
                        int64_t most)
{
    struct rd_error e = {0};
    struct rd_life got[8];
    int64_t n;
    while ((n = rd_merge_next(m, l, 1, turn, got, most, &e)) > 0)
        for (int64_t i = 0; i < n; i++)
            assert_int_equal(got[i].id, *id++);
    assert_int_equal(n, 0);
    assert_int_equal(*id, -1);
}

/* Checks the order of rows: by order key, then by part, then by batch, for any size of the output
   buffer. The blocks of batches 0 and 1 alternate in the log; the last batch passes its rows
   directly. */
static void rows_are_sorted_by_order_key_part_and_batch(void **state)
{
    (void)state;
    for (int64_t most = 1; most <= 8; most += 7) {
        struct rd_block_file l;
        struct rd_error e = {0};
        rd_merge *m = NULL;
        assert_true(rd_block_file_open(&l, path, false, &e) && rd_merge_open(&m, 3, &e));
        put(&l, m, 0, (const struct rd_life[]){row(0, 1, 10), row(0, 2, 12), row(5, 0, 20)}, 3);
        put(&l, m, 1, (const struct rd_life[]){row(0, 2, 13)}, 1);
        put(&l, m, 0, (const struct rd_life[]){row(5, 0, 21), row(9, 0, 40)}, 2);
        put(&l, m, 1, (const struct rd_life[]){row(5, 0, 22), row(7, 0, 30), row(9, 0, 41)}, 3);
        rd_merge_add(m, (const struct rd_life[]){row(0, 1, 11), row(5, 0, 23)}, 2);
        assert_next(m, &l, 6, (const int64_t[]){10, 11, 12, 13, 20, 21, 22, 23, -1}, most);
        rd_merge_add(m, (const struct rd_life[]){row(8, 0, 31)}, 1);
        assert_next(m, &l, 9, (const int64_t[]){30, 31, -1}, most);
        rd_merge_add(m, NULL, 0);
        assert_next(m, &l, 100, (const int64_t[]){40, 41, -1}, most);
        rd_merge_close(m);
        rd_block_file_close(&l);
    }
}

/* Checks more rows than one read holds, in blocks of different sizes. */
static void all_rows_of_all_blocks_are_read(void **state)
{
    (void)state;
    enum { N = 500 };
    struct rd_block_file l;
    struct rd_error e = {0};
    rd_merge *m = NULL;
    struct rd_life life[40];
    int64_t id[N + 1];
    assert_true(rd_block_file_open(&l, path, false, &e) && rd_merge_open(&m, 1, &e));
    for (int64_t i = 0, n = 1; i < N; i += n, n = n % 40 + 1) {
        n = n < N - i ? n : N - i;
        for (int64_t k = 0; k < n; k++) {
            life[k] = row(i + k, 0, 7 * (i + k));
            id[i + k] = 7 * (i + k);
        }
        put(&l, m, 0, life, n);
    }
    id[N] = -1;
    assert_next(m, &l, INT64_MAX, id, 8);
    rd_merge_close(m);
    rd_block_file_close(&l);
}

static bool count(void *to, const struct rd_block *b, int64_t at, struct rd_error *e)
{
    int64_t *const n = to;
    (void)at;
    (void)e;
    n[0]++;
    n[1] += b->number;
    return true;
}

/* Writes three blocks of one number each; returns the end of the second. */
static int64_t write_three(void)
{
    struct rd_block_file l;
    struct rd_error e = {0};
    int64_t at, end = 0;
    assert_true(rd_block_file_open(&l, path, false, &e));
    for (int64_t i = 1; i <= 3; i++) {
        rd_block_file_begin(&l, &(struct rd_block){.number = i, .bytes = 8}, &at);
        assert_true(rd_block_file_add(&l, &i, 4, &e) &&
                    rd_block_file_add(&l, (char *)&i + 4, 4, &e) && rd_block_file_end(&l, &e));
        end = i == 2 ? l.end : end;
    }
    rd_block_file_close(&l);
    return end;
}

/* Checks that blocks after the given end are overwritten. */
static void log_continues_at_its_end(void **state)
{
    (void)state;
    const int64_t two = write_three();
    struct rd_block_file l;
    struct rd_error e = {0};
    int64_t n[2] = {0}, at, value = 0;
    assert_true(rd_block_file_open(&l, path, true, &e) && rd_block_file_cut(&l, two, count, n, &e));
    assert_true(n[0] == 2 && n[1] == 1 + 2 && l.end == two);
    rd_block_file_begin(&l, &(struct rd_block){.bytes = 8}, &at);
    assert_int_equal(at, two + (int64_t)sizeof(struct rd_block));
    assert_true(rd_block_file_read(&l, &value, 8, &at, &e) && value == 3);
    rd_block_file_close(&l);
}

static void assert_refused(int64_t end, const char *words)
{
    struct rd_block_file l;
    struct rd_error e = {0};
    int64_t n[2];
    assert_true(rd_block_file_open(&l, path, true, &e));
    assert_false(rd_block_file_cut(&l, end, count, n, &e));
    assert_non_null(strstr(e.text, words));
    rd_error_free(&e);
    rd_block_file_close(&l);
}

/* Checks that a log is refused if it is too short, if it ends within a block, or if any byte of the
   data differs. */
static void other_log_is_refused(void **state)
{
    (void)state;
    const int64_t two = write_three();
    assert_refused(100 * two, "is shorter than at its checkpoint");
    assert_refused(two + two / 2 - 4, "does not belong to the earlier batches of runs");
    for (int64_t i = 0; i < 8; i++) {
        write_three();
        FILE *const file = fopen(path, "r+b");
        assert_true(file && fseek(file, (long)(two - 8 + i), SEEK_SET) == 0);
        assert_true(fputc(0x55, file) == 0x55 && fclose(file) == 0);
        assert_refused(two, "does not belong to the earlier batches of runs");
    }
    unlink(path);
    struct rd_block_file l;
    struct rd_error e = {0};
    assert_false(rd_block_file_open(&l, path, true, &e));
    assert_non_null(strstr(e.text, "cannot be opened"));
    rd_error_free(&e);
    rd_block_file_close(&l);
}

int test_store_merge(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_sorted_by_order_key_part_and_batch),
        cmocka_unit_test(all_rows_of_all_blocks_are_read),
        cmocka_unit_test(log_continues_at_its_end),
        cmocka_unit_test(other_log_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
