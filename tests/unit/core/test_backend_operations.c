/* test_backend_operations - tests of copy, scan, scan_segments, sort, sum and asynchronous copies
   of every available back end against plain loops.

   The tests use many lengths and orders, one thread and several. */
#include "kernels/core/backend.h"
#include "probability.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MORE = 3 }; /* entries after the list, which must not change */

static const int64_t lengths[] = {0, 1, 2, 3, 255, 1000, 16383, 16384, 40000, 100001};
enum { N_LENGTHS = sizeof lengths / sizeof lengths[0], LENGTH_MOST = 100001 };

/* Holds a machine, and arrays on it for the operations. */
struct bench {
    const struct rd_backend *backend;
    rd_machine *machine;
    struct rd_error e;
    int64_t *n;
    uint8_t *flag;
    uint32_t *array[4];
};

static void bench_open(struct bench *b, const struct rd_backend *backend, int threads)
{
    *b = (struct bench){.backend = backend};
    assert_true(backend->open(&b->machine, threads, 0, &b->e));
    b->n = backend->alloc(b->machine, sizeof *b->n, &b->e);
    b->flag = backend->alloc(b->machine, LENGTH_MOST, &b->e);
    assert_true(b->n && b->flag);
    for (int i = 0; i < 4; i++)
        assert_non_null(b->array[i] = backend->alloc(b->machine, (LENGTH_MOST + MORE) * 4, &b->e));
}

static void bench_close(struct bench *b)
{
    for (int i = 0; i < 4; i++)
        b->backend->free(b->machine, b->array[i]);
    b->backend->free(b->machine, b->flag);
    b->backend->free(b->machine, b->n);
    b->backend->close(b->machine);
    rd_error_free(&b->e);
}

static void put(struct bench *b, void *to, const void *from, int64_t bytes)
{
    assert_true(b->backend->put(b->machine, to, from, (size_t)bytes, &b->e));
}

/* Fails unless the array on the machine has exactly these entries. */
static void assert_there(struct bench *b, const uint32_t *there, const uint32_t *right, int64_t n)
{
    static uint32_t found[LENGTH_MOST + MORE];
    assert_true(b->backend->sync(b->machine, &b->e));
    assert_true(b->backend->get(b->machine, found, there, (size_t)n * sizeof *found, &b->e));
    for (int64_t i = 0; i < n; i++)
        if (found[i] != right[i])
            fail_msg("entry %lld of %lld is %u; %u would be right", (long long)i, (long long)n,
                     found[i], right[i]);
}

static void on_every_machine(void (*test)(struct bench *b))
{
    struct bench b;
    for (int threads = 1; threads <= 7; threads += 2) {
        bench_open(&b, &rd_backend_cpu, threads);
        test(&b);
        bench_close(&b);
    }
#ifdef RD_HAS_CUDA
    if (rd_cuda_devices() == 0) {
        printf("left out for CUDA: there is no NVIDIA GPU here\n");
        return;
    }
    bench_open(&b, &rd_backend_cuda, 1);
    test(&b);
    bench_close(&b);
#endif
}

/* Tests copies between odd addresses: more bytes than one thread copies, and none. */
static void copies_of_all_sizes(struct bench *b)
{
    static uint32_t x[LENGTH_MOST + MORE], right[LENGTH_MOST + MORE];
    for (int i = 0; i < N_LENGTHS; i++) {
        const int64_t n = lengths[i] == LENGTH_MOST ? LENGTH_MOST - 1 : lengths[i];
        struct rd_stream s = stream_of("copies", n);
        for (int64_t k = 0; k < n + MORE; k++)
            x[k] = rd_word(&s);
        memset(right, 0, sizeof right);
        memcpy(right + 1, x + 1, (size_t)n * 4);
        put(b, b->array[0], x, (n + MORE) * 4);
        assert_true(b->backend->zero(b->machine, b->array[1], (size_t)(n + MORE) * 4, &b->e));
        b->backend->copy(b->machine, b->array[1] + 1, b->array[0] + 1, (size_t)n * 4);
        assert_there(b, b->array[1], right, n + 2);
    }
}

static void copies_are_complete(void **state)
{
    (void)state;
    on_every_machine(copies_of_all_sizes);
}

/* Tests counts of listed places: several writes one after another, and what is read after them. */
static void listed_counts_of_all_sizes(struct bench *b)
{
    enum { STRIDE = 7, MOST = LENGTH_MOST / STRIDE };
    static int32_t there[LENGTH_MOST], from[MOST], found[MOST];
    static int64_t index[MOST];
    int32_t *const counts = (int32_t *)b->array[0];
    put(b, counts, there, sizeof there);
    for (int64_t n = 0; n <= MOST; n = 5 * n + 1) {
        for (int64_t i = 0; i < n; i++) {
            index[i] = (n - 1 - i) * STRIDE + n % STRIDE;
            there[index[i]] = from[i] = (int32_t)(n + i * i);
        }
        assert_true(b->backend->scatter(b->machine, counts, from, index, n, &b->e));
        assert_true(b->backend->scatter(b->machine, counts, from, index, n / 2, &b->e));
        assert_true(b->backend->gather(b->machine, found, counts, index, n, &b->e));
        assert_true(n == 0 || memcmp(found, from, (size_t)n * sizeof *from) == 0);
        assert_there(b, b->array[0], (const uint32_t *)there, LENGTH_MOST);
    }
    memset(there, 0, sizeof there);
}

static void listed_counts_are_exact(void **state)
{
    (void)state;
    on_every_machine(listed_counts_of_all_sizes);
}

static void scan_once(struct bench *b, int64_t n, bool with_itself)
{
    static uint32_t x[LENGTH_MOST + MORE], right[LENGTH_MOST + MORE];
    struct rd_stream s = stream_of("scan", n);
    for (int64_t i = 0; i < n + MORE; i++)
        right[i] = x[i] = rd_word(&s) % 2001 - 1000; /* positive and negative */
    uint32_t sum = 0;
    for (int64_t i = 0; i < n; i++) {
        right[i] = with_itself ? sum + x[i] : sum;
        sum += x[i];
    }
    put(b, b->n, &n, sizeof n);
    put(b, b->array[0], x, (n + MORE) * 4);
    b->backend->scan(b->machine, (int32_t *)b->array[0], b->n, LENGTH_MOST, with_itself);
    assert_there(b, b->array[0], right, n); /* a machine may scan entries after the list as well */
}

static void scan_lengths(struct bench *b)
{
    for (int i = 0; i < N_LENGTHS; i++) {
        scan_once(b, lengths[i], true);
        scan_once(b, lengths[i], false);
    }
}

static void scans_are_running_sums(void **state)
{
    (void)state;
    on_every_machine(scan_lengths);
}

/* Tests flags with probability 1 / one_in; 0: no flags. */
static void segments_once(struct bench *b, int64_t n, uint32_t one_in)
{
    static uint32_t from[LENGTH_MOST], right[LENGTH_MOST + MORE];
    static uint8_t flag[LENGTH_MOST];
    struct rd_stream s = stream_of("segments", n);
    uint32_t sum = 0;
    for (int64_t i = 0; i < n; i++) {
        from[i] = rd_word(&s) % 2001 - 1000;
        flag[i] = (uint8_t)(one_in > 0 && rd_word(&s) % one_in == 0 ? 1 + i % 255 : 0);
        right[i] = sum = flag[i] ? from[i] : sum + from[i];
    }
    memset(right + n, 1, MORE * sizeof *right);
    put(b, b->flag, flag, n);
    put(b, b->array[0], from, n * 4);
    put(b, b->array[1] + n, right + n, MORE * 4);
    b->backend->scan_segments(b->machine, (int32_t *)b->array[1], (int32_t *)b->array[0], b->flag,
                              n);
    assert_there(b, b->array[1], right, n + MORE);
    assert_there(b, b->array[0], from, n);
}

static void segments_lengths(struct bench *b)
{
    static const uint32_t one_in[] = {0, 1, 2, 7, 30000};
    for (int i = 0; i < N_LENGTHS; i++)
        for (int k = 0; k < 5; k++)
            segments_once(b, lengths[i], one_in[k]);
}

static void segments_restart_at_flags(void **state)
{
    (void)state;
    on_every_machine(segments_lengths);
}

/* Lists the orders of keys; the bits above the sorted ones are random. */
enum call_order { WALKED, ANY, EQUAL, REVERSED, N_ORDERS };

static uint32_t key_at(enum call_order order, int64_t i, int64_t n, uint32_t mask,
                       struct rd_stream *s)
{
    const uint32_t even = (uint32_t)((double)i / (double)n * (double)mask);
    switch (order) {
    case WALKED: /* as on lattices: sorted voxels, then hops by 1, a row (20) or a layer (400) */
        return (uint32_t[]){even, even - 1, even + 1, even - 20, even + 400}[rd_word(s) % 5];
    case ANY:
        return rd_word(s);
    case EQUAL:
        return mask / 2;
    default:
        return mask - even;
    }
}

struct backend_pair {
    uint32_t key, value;
    int64_t place;
};

static uint32_t mask_of(int bits)
{
    return (uint32_t)((UINT64_C(1) << bits) - 1);
}

static int by_place(const void *a, const void *b)
{
    const struct backend_pair *const x = a, *const y = b;
    return (x->place > y->place) - (x->place < y->place);
}

/* Sorts the pairs by masked key, then by their old place, so that qsort need not be stable. */
static void sort_right(struct backend_pair *pair, int64_t n, uint32_t mask)
{
    for (int64_t i = 0; i < n; i++)
        pair[i].place = (int64_t)(pair[i].key & mask) * LENGTH_MOST + i;
    qsort(pair, (size_t)n, sizeof *pair, by_place);
}

/* Sorts a list of n entries in arrays for LENGTH_MOST; the pool and further entries follow it. */
static void sort_once(struct bench *b, int64_t n, int bits, enum call_order order)
{
    static struct backend_pair pair[LENGTH_MOST];
    static uint32_t key[LENGTH_MOST + MORE], value[LENGTH_MOST + MORE];
    struct rd_stream s = stream_of("sort", n * 100 + bits);
    const uint32_t mask = mask_of(bits);
    const int64_t all = LENGTH_MOST + MORE;
    for (int64_t i = 0; i < n; i++) {
        pair[i].key = key[i] = (key_at(order, i, n, mask, &s) & mask) | (rd_word(&s) & ~mask);
        pair[i].value = value[i] = rd_word(&s);
    }
    for (int64_t i = n; i < all; i++) {
        key[i] = i < LENGTH_MOST ? UINT32_MAX : 77;
        value[i] = (uint32_t)(all - i);
    }
    put(b, b->n, &n, sizeof n);
    for (int i = 0; i < 4; i++)
        put(b, b->array[i], i % 2 ? value : key, all * 4);
    sort_right(pair, n, mask);
    for (int64_t i = 0; i < n; i++) {
        key[i] = pair[i].key;
        value[i] = pair[i].value;
    }
    b->backend->sort(b->machine, b->array[0], b->array[1], b->array[2], b->array[3], b->n,
                     LENGTH_MOST, bits);
    assert_there(b, b->array[2], key, all);
    assert_there(b, b->array[3], value, all);
    assert_there(b, b->array[0] + n, key + n, all - n); /* both buffers hold the pool */
    assert_there(b, b->array[1] + n, value + n, all - n);
}

static void sort_lengths(struct bench *b)
{
    for (int i = 0; i < N_LENGTHS; i++)
        for (int order = WALKED; order < N_ORDERS; order++)
            sort_once(b, lengths[i], 17, (enum call_order)order);
}

/* Tests that a list without a stored length has the greatest length that it may have. */
static void without_number(struct bench *b)
{
    enum { N = 5000 };
    uint32_t entry[N], right[N];
    const uint8_t flag[N] = {[1000] = 1};
    for (uint32_t i = 0; i < N; i++) {
        entry[i] = 1;
        right[i] = i < 1000 ? i + 1 : i - 999;
    }
    put(b, b->flag, flag, N);
    put(b, b->array[0], entry, sizeof entry);
    b->backend->scan_segments(b->machine, (int32_t *)b->array[1], (int32_t *)b->array[0], b->flag,
                              N);
    assert_there(b, b->array[1], right, N);
    b->backend->scan(b->machine, (int32_t *)b->array[0], NULL, N, false);
    for (uint32_t i = 0; i < N; i++)
        right[i] = i;
    assert_there(b, b->array[0], right, N);
    b->backend->sort(b->machine, b->array[1], b->array[0], b->array[2], b->array[3], NULL, N, 13);
    for (uint32_t i = 0; i < N; i++)
        right[i] = i >= 2000 ? i : i % 2 ? 1000 + i / 2 : i / 2; /* keys 1 2 3 ... 1 2 3 ... */
    assert_there(b, b->array[3], right, N);
}

static void lists_without_a_length_are_complete(void **state)
{
    (void)state;
    on_every_machine(without_number);
}

/* Tests keys from a single voxel up to 32 bits: tables larger than the list, one pass and three. */
static void sort_bits(struct bench *b)
{
    static const int bits[] = {32, 0, 1, 8, 11, 12, 13, 16, 18, 22, 31};
    for (size_t i = 0; i < sizeof bits / sizeof bits[0]; i++)
        for (int order = WALKED; order <= ANY; order++)
            sort_once(b, 40000, bits[i], (enum call_order)order);
}

static void sorts_are_stable(void **state)
{
    (void)state;
    on_every_machine(sort_lengths);
}

static void sorts_use_the_low_bits_only(void **state)
{
    (void)state;
    on_every_machine(sort_bits);
}

enum { ASYNC_COPIES = 4, PIECES = 3, GAP = 2 };

/* Returns entry j of piece k of asynchronous copy i in a round. */
static uint32_t copied_entry(uint32_t round, uint32_t i, uint32_t k, int64_t j)
{
    return 1000 * round + 100 * k + i + (uint32_t)j;
}

static void async_copy_once(struct bench *b, rd_async_copy *async_copy, uint32_t round, uint32_t i,
                            int64_t n)
{
    static uint32_t entry[LENGTH_MOST];
    struct rd_piece piece[PIECES + 1] = {{NULL, 0, 0}};
    for (uint32_t k = 0; k < PIECES; k++) {
        for (int64_t j = 0; j < n; j++)
            entry[j] = copied_entry(round, i, k, j);
        put(b, b->array[k], entry, n * 4);
        piece[k + 1] = (struct rd_piece){b->array[k], k * (size_t)(n + GAP) * 4, (size_t)n * 4};
    }
    b->backend->async_copy(b->machine, async_copy, piece, PIECES + 1);
    for (int k = 0; k < PIECES; k++)
        assert_true(b->backend->zero(b->machine, b->array[k], LENGTH_MOST * 4, &b->e));
}

static void assert_copied(struct bench *b, rd_async_copy *async_copy, uint32_t round, uint32_t i,
                          int64_t n)
{
    const uint32_t *found = (const void *)b->backend->async_copy_wait(async_copy, &b->e);
    assert_non_null(found);
    for (uint32_t k = 0; k < PIECES; k++, found += n + GAP)
        for (int64_t j = 0; j < n; j++)
            if (found[j] != copied_entry(round, i, k, j))
                fail_msg("entry %d of piece %u, lift %u, round %u is %u", (int)j, k, i, round,
                         found[j]);
}

/* Tests copies of several sizes in turn, with pieces of three arrays and gaps. A copy keeps its
   values although the arrays are cleared and the next copy begins. */
static void async_copies_in_turn(struct bench *b)
{
    const int64_t *const n = lengths + N_LENGTHS - ASYNC_COPIES;
    rd_async_copy *async_copy[ASYNC_COPIES];
    for (int i = 0; i < ASYNC_COPIES; i++) {
        async_copy[i] =
            b->backend->async_copy_open(b->machine, PIECES * (size_t)(n[i] + GAP) * 4, &b->e);
        assert_non_null(async_copy[i]);
    }
    for (uint32_t round = 0; round < 3; round++) {
        async_copy_once(b, async_copy[0], round, 0, n[0]);
        for (uint32_t i = 1; i < ASYNC_COPIES; i++) {
            async_copy_once(b, async_copy[i], round, i, n[i]);
            assert_copied(b, async_copy[i - 1], round, i - 1, n[i - 1]);
        }
        assert_copied(b, async_copy[ASYNC_COPIES - 1], round, ASYNC_COPIES - 1,
                      n[ASYNC_COPIES - 1]);
    }
    for (int i = 0; i < ASYNC_COPIES; i++)
        b->backend->async_copy_close(b->machine, async_copy[i]);
}

static void async_copies_keep_their_values(void **state)
{
    (void)state;
    on_every_machine(async_copies_in_turn);
}

/* Tests small and large sums, which stay on the machine, and that each sum begins at zero. */
static void sums_once(struct bench *b)
{
    enum { SUMS = 3, LENGTH = 33333 };
    static int32_t from[SUMS * LENGTH];
    int64_t found[SUMS];
    for (int i = 0; i < SUMS * LENGTH; i++)
        from[i] = INT32_MAX - i;
    put(b, b->array[0], from, sizeof from);
    for (int again = 0; again < 2; again++)
        b->backend->sum(b->machine, (int64_t *)b->array[1], (const int32_t *)b->array[0], SUMS,
                        LENGTH);
    assert_true(b->backend->get(b->machine, found, b->array[1], sizeof found, &b->e));
    for (int64_t i = 0; i < SUMS; i++)
        assert_true(found[i] == INT64_C(2147483647) * LENGTH - i * LENGTH * LENGTH -
                                    INT64_C(1) * LENGTH * (LENGTH - 1) / 2);
}

/* Tests the same for the host, and marks of ranges, for lengths that fill no block. */
static void counts_for_the_host(struct bench *b)
{
    enum { ROWS = 5 };
    static int32_t from[LENGTH_MOST];
    static uint8_t mark[LENGTH_MOST + 1];
    const int32_t *const there = (const int32_t *)b->array[0];
    int64_t found[ROWS];
    for (int64_t length = 1; length <= LENGTH_MOST / ROWS; length = 4 * length + 3) {
        int64_t right[ROWS] = {0};
        for (int64_t i = 0; i < ROWS * length; i++) {
            from[i] = (int32_t)(i * 2654435761 % 4294967296 - 2147483648);
            right[i / length] += from[i];
        }
        put(b, b->array[0], from, ROWS * length * (int64_t)sizeof *from);
        for (int again = 0; again < 2; again++) {
            assert_true(b->backend->get_sums(b->machine, found, there, ROWS, length, &b->e));
            assert_memory_equal(found, right, sizeof found);
        }
        const int32_t low = from[length / 2] < 0 ? from[length / 2] : 0, high = low + (1 << 30);
        mark[length] = 7;
        assert_true(b->backend->get_marks(b->machine, mark, there, length, low, high, &b->e));
        for (int64_t i = 0; i < length; i++)
            assert_int_equal(mark[i], from[i] >= low && from[i] <= high);
        assert_int_equal(mark[length], 7);
    }
}

static void counts_for_the_host_are_exact(void **state)
{
    (void)state;
    on_every_machine(counts_for_the_host);
}

static void sums_are_per_row(void **state)
{
    (void)state;
    on_every_machine(sums_once);
}

int test_backend_operations(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(copies_are_complete),
        cmocka_unit_test(listed_counts_are_exact),
        cmocka_unit_test(async_copies_keep_their_values),
        cmocka_unit_test(sums_are_per_row),
        cmocka_unit_test(counts_for_the_host_are_exact),
        cmocka_unit_test(scans_are_running_sums),
        cmocka_unit_test(segments_restart_at_flags),
        cmocka_unit_test(lists_without_a_length_are_complete),
        cmocka_unit_test(sorts_are_stable),
        cmocka_unit_test(sorts_use_the_low_bits_only),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
