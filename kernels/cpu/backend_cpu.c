/* backend_cpu - the back end of the CPU: host memory, and loops of threads over voxels and lists.
   It is the only file of kernels/ that uses OpenMP. */
#define _POSIX_C_SOURCE 200809L
#include "base/large_array.h"
#include "kernels/core/list_passes.h"
#include "kernels/cpu/counts_by_host.h"
#include "kernels/cpu/hop_rows_cpu.h"
#include "kernels/cpu/hop_simd.h"
#include "kernels/cpu/host_memory.h"
#include "kernels/cpu/move_simd.h"
#include "kernels/cpu/philox_simd.h"
#include "kernels/cpu/react_rows_cpu.h"
#include "kernels/cpu/react_simd.h"
#include "kernels/cpu/sort_cpu.h"
#include "kernels/cpu/tally_simd.h"
#include "kernels/passes/bodies.h"

#include <omp.h>
#include <stdlib.h>

struct share_tail {
    uint32_t sum;
    bool starts; /* it contains a flag */
};

struct rd_machine {
    int threads, list_threads;        /* for voxels; for lists */
    double item_seconds[RD_N_PASSES]; /* of one item of each pass, measured; 0: not yet */
    struct share_tail tail[RD_SORT_SHARES];
    struct rd_sort_share share[RD_SORT_SHARES];
    struct rd_sort_chunk chunk[RD_SORT_CHUNKS];
    uint32_t narrow[1 << RD_SORT_DIGIT]; /* places of a digit */
    uint32_t *place;                     /* of a digit of place_bits bits */
    int place_bits;
};

static bool cpu_open(rd_machine **m, int threads, int device, struct rd_error *e)
{
    (void)device;
    *m = calloc(1, sizeof **m);
    if (!*m)
        return rd_fail(e, "out of memory for the back end");
    const int all = threads > 0 ? threads : omp_get_num_procs();
    (*m)->threads = all;
    (*m)->list_threads = all < RD_SORT_SHARES ? all : RD_SORT_SHARES;
    return true;
}

static void cpu_close(rd_machine *m)
{
    free(m->place);
    free(m);
}

static const char *cpu_device(const rd_machine *m)
{
    (void)m;
    return "CPU";
}

static int cpu_threads(const rd_machine *m)
{
    return m->threads;
}

static int64_t cpu_memory(const rd_machine *m)
{
    return rd_host_memory(m ? m->threads : 1);
}

static int64_t cpu_work_memory(rd_machine *m, const struct rd_world *w)
{
    (void)m;
    (void)w;
    return 0;
}

static bool cpu_reserve(rd_machine *m, const struct rd_world *w, int64_t bytes, struct rd_error *e)
{
    (void)m;
    (void)w;
    (void)bytes;
    (void)e;
    return true; /* pages are taken when they are written */
}

static void *cpu_alloc(rd_machine *m, size_t bytes, struct rd_error *e)
{
    (void)m;
    void *const p = rd_large_array(bytes > 0 ? bytes : 1, 1);
    if (!p)
        rd_fail(e, "out of memory: %.3g GB more are needed", (double)bytes / 1e9);
    return p;
}

static void cpu_free(rd_machine *m, void *p)
{
    (void)m;
    free(p);
}

static bool cpu_put(rd_machine *m, void *to, const void *from, size_t bytes, struct rd_error *e)
{
    (void)m;
    (void)e;
    if (bytes > 0)
        memcpy(to, from, bytes);
    return true;
}

static bool cpu_zero(rd_machine *m, void *p, size_t bytes, struct rd_error *e)
{
    (void)m;
    (void)e;
    memset(p, 0, bytes);
    return true;
}

/* Sets the bytes of a portion; a thread is woken only for many bytes. */
enum { COPY_PORTION = 1 << 18 };

static void cpu_copy(rd_machine *m, void *to, const void *from, size_t bytes)
{
    const int64_t n = (int64_t)(bytes + COPY_PORTION - 1) / COPY_PORTION;
    const int threads = n < m->threads ? (int)n + 1 : m->threads;
#pragma omp parallel for schedule(static) num_threads(threads)
    for (int64_t i = 0; i < n; i++) {
        const size_t begin = (size_t)i * COPY_PORTION, left = bytes - begin;
        memcpy((char *)to + begin, (const char *)from + begin,
               left < COPY_PORTION ? left : COPY_PORTION);
    }
}

/* Sets the least voxels in a portion, and portions for each thread. Voxels may take very different
   times, so that each thread takes many portions; but small portions of neighbouring voxels make
   threads write to the same memory. If there are too few voxels, some threads stay asleep. */
enum { PORTION_LEAST = 64, PORTIONS_EACH = 16 };

static int threads_for(const rd_machine *m, int64_t n)
{
    const int64_t most = n / PORTION_LEAST + 1;
    return most < m->threads ? (int)most : m->threads;
}

/* Sets the least seconds of work for another thread: it takes 10 us on a server to wake one, and 90
   us on some virtual machines. */
static const double WORK_LEAST = 100e-6;

static int threads_for_pass(const rd_machine *m, enum rd_pass pass, int64_t n)
{
    const int most = threads_for(m, n);
    const double by_work = 1.0 + m->item_seconds[pass] * (double)n / WORK_LEAST;
    return m->item_seconds[pass] > 0.0 && by_work < most ? (int)by_work : most;
}

/* Notes how long the items of a pass take. A shorter time counts by and by. */
static void note_work(rd_machine *m, enum rd_pass pass, double seconds, int64_t n)
{
    const double now = seconds / (double)n, before = m->item_seconds[pass] / 2.0;
    m->item_seconds[pass] = now > before ? now : before;
}

static int64_t portion_for(int threads, int64_t n)
{
    const int64_t portion = n / (threads * PORTIONS_EACH);
    return portion > PORTION_LEAST ? portion : PORTION_LEAST;
}

static int64_t items_of_pass(const struct rd_world *w, enum rd_pass pass)
{
    switch (pass) {
#define CPU_ITEMS(NUMBER, function, items, most)                                                   \
    case RD_##NUMBER:                                                                              \
        return (most) > 0 ? (items) : 0;
        RD_PASSES(CPU_ITEMS)
    default:
        break;
    }
    return 0;
}

/* Runs items begin ... end - 1, by a tuned version if there is one, otherwise one by one. */
static void run_portion(const struct rd_world *w, enum rd_pass pass, int64_t begin, int64_t end)
{
    switch (pass) {
#define CPU_TUNED(NUMBER, function)                                                                \
    case RD_##NUMBER:                                                                              \
        function(w, begin, end);                                                                   \
        return;
        RD_CPU_TUNED(CPU_TUNED)
    default:
        break;
    }
    switch (pass) {
#define CPU_LOOP(NUMBER, function, items, most)                                                    \
    case RD_##NUMBER:                                                                              \
        for (int64_t i = begin; i < end; i++)                                                      \
            function(w, i);                                                                        \
        return;
        RD_PASSES(CPU_LOOP)
    default:
        break;
    }
}

/* Sets the least entries of a list for which a thread is woken, since an entry takes little
   time. */
enum { LIST_PORTION_LEAST = 16384 };

static int threads_for_list(const rd_machine *m, int64_t n)
{
    const int64_t most = n / LIST_PORTION_LEAST + 1;
    return most < m->list_threads ? (int)most : m->list_threads;
}

static void cpu_sum(rd_machine *m, int64_t *to, const int32_t *from, int64_t n, int64_t length)
{
    const int threads = threads_for_list(m, n * length);
#pragma omp parallel for schedule(static) num_threads(threads)
    for (int64_t i = 0; i < n; i++) {
        int64_t sum = 0;
        for (int64_t k = 0; k < length; k++)
            sum += from[i * length + k];
        to[i] = sum;
    }
}

static bool cpu_get_sums(rd_machine *m, int64_t *to, const int32_t *from, int64_t n, int64_t length,
                         struct rd_error *e)
{
    (void)e;
    cpu_sum(m, to, from, n, length);
    return true;
}

static int64_t number_at_most(const int64_t *n, int64_t most)
{
    return n ? *n : most;
}

/* Returns the sum that a portion of a list passes on to the next: the sum since the last flag. */
static struct share_tail tail_of(const int32_t *from, const uint8_t *flag, int64_t begin,
                                 int64_t end)
{
    struct share_tail t = {0};
    for (int64_t i = end - 1; i >= begin && !t.starts; i--) {
        t.sum += (uint32_t)from[i];
        t.starts = flag && flag[i];
    }
    return t;
}

/* Sets m->tail[t] to the sum before portion t; there are as many portions as threads. */
static void hand_on(rd_machine *m, const int32_t *from, const uint8_t *flag, int64_t n, int threads)
{
    struct share_tail *const tail = m->tail;
    tail[0] = (struct share_tail){0};
#pragma omp parallel for schedule(static) num_threads(threads)
    for (int t = 1; t < threads; t++)
        tail[t] = tail_of(from, flag, n * (t - 1) / threads, n * t / threads);
    for (int t = 1; t < threads; t++)
        if (!tail[t].starts)
            tail[t].sum += tail[t - 1].sum;
}

static void scan_portion(int32_t *x, int64_t begin, int64_t end, uint32_t sum, bool with_itself)
{
    for (int64_t i = begin; i < end; i++) {
        const uint32_t after = sum + (uint32_t)x[i];
        x[i] = (int32_t)(with_itself ? after : sum);
        sum = after;
    }
}

static void cpu_scan(rd_machine *m, int32_t *x, const int64_t *n, int64_t most, bool with_itself)
{
    const int64_t all = number_at_most(n, most);
    const int threads = threads_for_list(m, all);
    hand_on(m, x, NULL, all, threads);
#pragma omp parallel for schedule(static) num_threads(threads)
    for (int t = 0; t < threads; t++)
        scan_portion(x, all * t / threads, all * (t + 1) / threads, m->tail[t].sum, with_itself);
}

static void scan_segments_portion(int32_t *to, const int32_t *from, const uint8_t *flag,
                                  int64_t begin, int64_t end, uint32_t sum)
{
    for (int64_t i = begin; i < end; i++) {
        sum &= -(uint32_t)(flag[i] == 0); /* a branch would often be mispredicted */
        sum += (uint32_t)from[i];
        to[i] = (int32_t)sum;
    }
}

static void cpu_scan_segments(rd_machine *m, int32_t *to, const int32_t *from, const uint8_t *flag,
                              int64_t n)
{
    const int threads = threads_for_list(m, n);
    hand_on(m, from, flag, n, threads);
#pragma omp parallel for schedule(static) num_threads(threads)
    for (int t = 0; t < threads; t++)
        scan_segments_portion(to, from, flag, n * t / threads, n * (t + 1) / threads,
                              m->tail[t].sum);
}

static void sort_pass(rd_machine *m, struct rd_sort *s, int shift, int width, int threads)
{
    struct rd_sort_share *const share = m->share;
    rd_sort_open(s, shift, width, threads);
    const int64_t n_chunks = rd_sort_chunks(s);
#pragma omp parallel for schedule(static) num_threads(threads)
    for (int64_t c = 0; c < n_chunks; c++)
        rd_sort_look(s, c);
    rd_sort_divide(s, share, threads);
#pragma omp parallel for schedule(static) num_threads(threads)
    for (int t = 0; t < threads; t++)
        rd_sort_count(s, &share[t]);
    int64_t start[RD_SORT_SHARES] = {0};
    for (int t = 1; t < threads; t++)
        start[t] = start[t - 1] + share[t - 1].n;
#pragma omp parallel for schedule(static) num_threads(threads)
    for (int t = 0; t < threads; t++)
        rd_sort_put(s, &share[t], start[t]);
}

/* Returns whether there is a table of places for so many bits; the table is kept. */
static bool has_places(rd_machine *m, int bits)
{
    if (bits > m->place_bits) {
        free(m->place);
        m->place = malloc(sizeof *m->place << bits);
        m->place_bits = m->place ? bits : 0;
    }
    return m->place != NULL;
}

/* Sorts by one or three digits, which cover 32 bits: an odd number of passes ends in the right
   buffer. */
static void sort_by_digits(rd_machine *m, struct rd_sort s, int bits)
{
    const int width = bits <= RD_SORT_DIGIT ? bits : (bits + 2) / 3;
    s.place = m->narrow;
    sort_pass(m, &s, 0, width, 1);
    for (int shift = width; shift < bits; shift += width) {
        const struct rd_pairs sorted = s.to;
        s.to = s.from;
        s.from = sorted;
        sort_pass(m, &s, shift, width < bits - shift ? width : bits - shift, 1);
    }
}

/* Sorts in one pass if there is memory for it, otherwise by digits: it cannot fail. */
static void cpu_sort(rd_machine *m, uint32_t *key, uint32_t *value, uint32_t *key_to,
                     uint32_t *value_to, const int64_t *n, int64_t most, int bits)
{
    struct rd_sort s = {
        {key, value}, {key_to, value_to}, number_at_most(n, most), .chunk = m->chunk};
    if (s.n == 0)
        return;
    const int threads = threads_for_list(m, s.n);
    if (rd_sort_suits_one_pass(key, s.n, bits, threads) && has_places(m, bits)) {
        s.place = m->place;
        sort_pass(m, &s, 0, bits, threads);
    } else {
        sort_by_digits(m, s, bits);
    }
}

static void run_items(rd_machine *m, const struct rd_world *w, enum rd_pass pass)
{
    if (!rd_is_due(w, pass))
        return;
    const int64_t n = items_of_pass(w, pass);
    const int threads = threads_for_pass(m, pass, n);
    const int64_t portion = portion_for(threads, n), n_portions = (n + portion - 1) / portion;
    double seconds = 0.0;
#pragma omp parallel num_threads(threads) reduction(+ : seconds)
    {
        const double begin = omp_get_wtime();
#pragma omp for schedule(dynamic, 1) nowait
        for (int64_t k = 0; k < n_portions; k++)
            run_portion(w, pass, k * portion, (k + 1) * portion < n ? (k + 1) * portion : n);
        seconds += omp_get_wtime() - begin;
    }
    if (n > 0)
        note_work(m, pass, seconds, n);
}

static void cpu_run(rd_machine *m, const struct rd_world *w, enum rd_pass pass)
{
    static const struct rd_list_operations operations = {cpu_scan, cpu_scan_segments, cpu_sort};
    if (!rd_run_list_pass(m, &operations, w, pass))
        run_items(m, w, pass);
}

static void cpu_wait(rd_machine *m)
{
    (void)m;
}

static bool cpu_sync(rd_machine *m, struct rd_error *e)
{
    (void)m;
    (void)e;
    return true;
}

struct rd_async_copy {
    int64_t aligns;
    char byte[];
};

static rd_async_copy *cpu_async_copy_open(rd_machine *m, size_t bytes, struct rd_error *e)
{
    return cpu_alloc(m, sizeof(rd_async_copy) + bytes, e);
}

static void cpu_async_copy_close(rd_machine *m, rd_async_copy *l)
{
    cpu_free(m, l);
}

static char *cpu_async_copy_bytes(rd_async_copy *l)
{
    return l->byte;
}

static void cpu_async_copy(rd_machine *m, rd_async_copy *l, const struct rd_piece *piece, int n)
{
    (void)m;
    for (int i = 0; i < n; i++)
        if (piece[i].bytes > 0)
            memcpy(l->byte + piece[i].at, piece[i].from, piece[i].bytes);
}

static const char *cpu_async_copy_wait(rd_async_copy *l, struct rd_error *e)
{
    (void)e;
    return l->byte;
}

const struct rd_backend rd_backend_cpu = {
    .name = "cpu",
    .shares_host_memory = true,
    .open = cpu_open,
    .close = cpu_close,
    .device = cpu_device,
    .threads = cpu_threads,
    .memory = cpu_memory,
    .work_memory = cpu_work_memory,
    .reserve = cpu_reserve,
    .alloc = cpu_alloc,
    .free = cpu_free,
    .put = cpu_put,
    .get = cpu_put,
    .gather = cpu_gather,
    .scatter = cpu_scatter,
    .get_sums = cpu_get_sums,
    .get_marks = cpu_get_marks,
    .zero = cpu_zero,
    .copy = cpu_copy,
    .run = cpu_run,
    .sum = cpu_sum,
    .scan = cpu_scan,
    .scan_segments = cpu_scan_segments,
    .sort = cpu_sort,
    .wait = cpu_wait,
    .sync = cpu_sync,
    .async_copy_open = cpu_async_copy_open,
    .async_copy_close = cpu_async_copy_close,
    .async_copy_bytes = cpu_async_copy_bytes,
    .async_copy = cpu_async_copy,
    .async_copy_wait = cpu_async_copy_wait,
};
