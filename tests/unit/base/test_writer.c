/* test_writer - tests of the writing thread: order, limit of pending loads, settling when due,
   failures, and delivery of signals. */
#define _POSIX_C_SOURCE 200809L
#include "record/writer.h"

#include "probability.h"

#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>

enum { LOADS_MOST = 8, ITEMS = 200 };

/* Holds the contents of the loads and what was written; the thread owns all members that are not
   atomic. */
struct items {
    rd_writer *writer;
    int item[LOADS_MOST];
    atomic_bool is_busy[LOADS_MOST];
    int written[ITEMS], n_written;
    atomic_int n_synced;
    int n_synced_now;
    int n_safe;      /* items that were written before the last settling */
    int fails_at;    /* item at which writing fails; -1: none */
    bool fails_then; /* settling fails */
    double due;      /* seconds from a write to the time when settling is due */
    bool is_open;
    int slow;                   /* microseconds per item */
    bool has_unblocked_signals; /* the thread leaves some signal unblocked */
};

static void sleep_us(long microseconds)
{
    nanosleep(&(struct timespec){.tv_nsec = microseconds * 1000}, NULL);
}

static bool write_item(void *to, int load, struct rd_error *e)
{
    struct items *const s = to;
    if (s->slow)
        sleep_us(s->slow);
    sigset_t blocked;
    pthread_sigmask(SIG_BLOCK, NULL, &blocked);
    s->has_unblocked_signals = s->has_unblocked_signals || !sigismember(&blocked, SIGINT) ||
                               !sigismember(&blocked, SIGTERM) || !sigismember(&blocked, SIGUSR1);
    if (s->item[load] == s->fails_at)
        return rd_fail(e, "the disk is full") || rd_fail(e, "so much is safe");
    s->written[s->n_written++] = s->item[load];
    s->is_open = true;
    s->is_busy[load] = false;
    return true;
}

static bool synchronise(void *to, bool now, struct rd_error *e)
{
    struct items *const s = to;
    if (s->fails_then)
        return rd_fail(e, "the directory is gone");
    s->n_synced++;
    s->n_safe = s->n_written;
    s->n_synced_now += now;
    s->is_open = false;
    return true;
}

static double due(void *to)
{
    const struct items *const s = to;
    return s->is_open ? s->due : (double)INFINITY;
}

static void open_items(struct items *s, int n_loads)
{
    const struct rd_writing writing = {write_item, synchronise, due, s};
    struct rd_error e = {0};
    if (s->due == 0.0)
        s->due = (double)INFINITY;
    assert_true(rd_writer_open(&s->writer, n_loads, &writing, &e));
}

/* Sends an item in a free load, and checks that the writer does not return a load that is still
   being written. */
static bool send(struct items *s, int item, struct rd_error *e)
{
    const int load = rd_writer_load(s->writer, e);
    if (load < 0)
        return false;
    assert_true(load < LOADS_MOST && !s->is_busy[load]);
    s->is_busy[load] = true;
    s->item[load] = item;
    rd_writer_send(s->writer, load);
    return true;
}

static void loads_are_written_in_order(void **state)
{
    (void)state;
    for (int n_loads = 1; n_loads <= LOADS_MOST; n_loads *= 2) {
        struct items s = {.fails_at = -1, .slow = n_loads == 2 ? 500 : 0};
        struct rd_error e = {0};
        struct rd_writer_times times;
        open_items(&s, n_loads);
        for (int i = 0; i < ITEMS; i++)
            assert_true(send(&s, i, &e));
        assert_true(rd_writer_is_well(s.writer));
        assert_true(rd_writer_close(s.writer, &times, &e));
        assert_int_equal(s.n_written, ITEMS);
        for (int i = 0; i < ITEMS; i++)
            assert_int_equal(s.written[i], i);
        if (s.slow) /* two loads may be pending, so the sender waited for all but the last few */
            assert_true(times.worked > ITEMS * 500e-6 && times.waited > 0.9 * times.worked);
    }
}

static void few_loads_are_used_if_they_suffice(void **state)
{
    (void)state;
    struct items s = {.fails_at = -1};
    struct rd_error e = {0};
    struct rd_writer_times times;
    open_items(&s, LOADS_MOST);
    for (int i = 0; i < 20; i++) {
        const int load = rd_writer_load(s.writer, &e);
        assert_int_equal(load, 0);
        rd_writer_send(s.writer, load);
        assert_true(rd_writer_sync(s.writer, &e));
    }
    assert_true(rd_writer_close(s.writer, &times, &e));
}

static void synchronising_follows_all_sent_loads(void **state)
{
    (void)state;
    struct items s = {.fails_at = -1, .slow = 1000};
    struct rd_error e = {0};
    struct rd_writer_times times;
    open_items(&s, LOADS_MOST);
    for (int i = 0; i < LOADS_MOST; i++)
        assert_true(send(&s, i, &e));
    assert_true(rd_writer_sync(s.writer, &e));
    assert_int_equal(s.n_written, LOADS_MOST);
    assert_int_equal(s.n_synced_now, 1);
    assert_int_equal(s.n_safe, LOADS_MOST);
    assert_true(rd_writer_close(s.writer, &times, &e));
    assert_int_equal(s.n_synced, 1);
}

static void due_items_are_synchronised(void **state)
{
    (void)state;
    struct items s = {.fails_at = -1, .due = 0.01};
    struct rd_error e = {0};
    struct rd_writer_times times;
    open_items(&s, 2);
    for (int i = 0; i < 2; i++) {
        assert_true(send(&s, i, &e));
        for (int ms = 0; ms < 60000 && s.n_synced == i; ms++)
            sleep_us(1000);
    }
    assert_true(rd_writer_close(s.writer, &times, &e));
    assert_int_equal(s.n_synced, 2);
    assert_int_equal(s.n_synced_now, 0);
}

/* Checks that the message is reported, and only once, however often it is requested. */
static void assert_failed(struct items *s, struct rd_error *e, const char *expected)
{
    struct rd_writer_times times;
    while (rd_writer_is_well(s->writer))
        sleep_us(1000);
    assert_false(send(s, 0, e));
    assert_false(rd_writer_sync(s->writer, e));
    assert_false(rd_writer_close(s->writer, &times, e));
    assert_string_equal(e->text, expected);
    rd_error_free(e);
}

static void nothing_is_written_after_a_failure(void **state)
{
    (void)state;
    for (int n_loads = 1; n_loads <= LOADS_MOST; n_loads *= 2) {
        struct items s = {.fails_at = 5};
        struct rd_error e = {0};
        open_items(&s, n_loads);
        for (int i = 0; i < ITEMS && send(&s, i, &e); i++) {
        }
        assert_failed(&s, &e, "the disk is full\nso much is safe");
        assert_int_equal(s.n_written, 5);
    }
    struct items s = {.fails_at = -1, .fails_then = true, .due = 0.01};
    struct rd_error e = {0};
    open_items(&s, 2);
    assert_true(send(&s, 1, &e));
    assert_failed(&s, &e, "the directory is gone");
    assert_int_equal(s.n_written, 1);
}

static void writer_receives_no_signals(void **state)
{
    (void)state;
    struct items s = {.fails_at = -1};
    struct rd_error e = {0};
    struct rd_writer_times times;
    open_items(&s, 1);
    assert_true(send(&s, 0, &e));
    assert_true(rd_writer_close(s.writer, &times, &e));
    assert_int_equal(s.n_written, 1);
    assert_false(s.has_unblocked_signals);
    sigset_t blocked; /* the mask of the calling thread is unchanged */
    pthread_sigmask(SIG_BLOCK, NULL, &blocked);
    assert_false(sigismember(&blocked, SIGINT) || sigismember(&blocked, SIGTERM));
}

static void closing_an_unopened_writer_is_allowed(void **state)
{
    (void)state;
    struct rd_error e = {0};
    struct rd_writer_times times = {0};
    assert_true(rd_writer_close(NULL, &times, &e));
}

int test_writer(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loads_are_written_in_order),
        cmocka_unit_test(few_loads_are_used_if_they_suffice),
        cmocka_unit_test(synchronising_follows_all_sent_loads),
        cmocka_unit_test(due_items_are_synchronised),
        cmocka_unit_test(nothing_is_written_after_a_failure),
        cmocka_unit_test(writer_receives_no_signals),
        cmocka_unit_test(closing_an_unopened_writer_is_allowed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
