/* backend_cpu - host memory and loops over threads; alone knows OpenMP. */
#define _POSIX_C_SOURCE 200809L
#include "backend.h"
#include "bodies.h"

#include <fcntl.h>
#include <omp.h>
#include <stdlib.h>
#include <unistd.h>

struct rd_machine {
    int threads;
};

static bool cpu_open(rd_machine **m, int threads, int device, struct rd_error *e)
{
    (void)device;
    *m = calloc(1, sizeof **m);
    if (!*m)
        return rd_fail(e, "out of memory for the back end");
    (*m)->threads = threads > 0 ? threads : omp_get_num_procs();
    return true;
}

static void cpu_close(rd_machine *m)
{
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

/* The number after the word in a small file of the kernel; -1 if it is not there. */
static int64_t number_in(const char *path, const char *word)
{
    char text[4096];
    const int file = open(path, O_RDONLY);
    if (file < 0)
        return -1;
    const ssize_t length = read(file, text, sizeof text - 1);
    close(file);
    if (length <= 0)
        return -1;
    text[length] = 0;
    const char *at = strstr(text, word);
    if (!at)
        return -1;
    at += strlen(word);
    char *end;
    const int64_t number = strtoll(at, &end, 10);
    return end == at ? -1 : number;
}

/* What the machine has free, or the container may still take, whichever is less. */
static int64_t cpu_memory(const rd_machine *m)
{
    (void)m;
    int64_t free_bytes = number_in("/proc/meminfo", "MemAvailable:");
    if (free_bytes > 0)
        free_bytes *= 1024;
    const int64_t limit = number_in("/sys/fs/cgroup/memory.max", "");
    const int64_t taken = number_in("/sys/fs/cgroup/memory.current", "");
    if (limit > 0 && taken >= 0 && (free_bytes < 0 || limit - taken < free_bytes))
        free_bytes = limit > taken ? limit - taken : 0;
    return free_bytes;
}

static void *cpu_alloc(rd_machine *m, size_t bytes, struct rd_error *e)
{
    (void)m;
    void *const p = calloc(bytes > 0 ? bytes : 1, 1);
    if (!p)
        rd_fail(e, "out of memory: %.3g GB more were asked for", (double)bytes / 1e9);
    return p;
}

static void cpu_free(rd_machine *m, void *p)
{
    (void)m;
    free(p);
}

static bool cpu_copy(rd_machine *m, void *to, const void *from, size_t bytes, struct rd_error *e)
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

/* Cells may take very different times, so that threads take them in portions, many for each; but
   portions of neighbouring cells should not be small, for threads meet where they touch. Where
   there are fewer cells than portions are worth waking a thread for, it sleeps on. */
enum { PORTION_LEAST = 64, PORTIONS_EACH = 16 };
#define CPU_FOR _Pragma("omp parallel for schedule(dynamic, portion) num_threads(threads)")

static int threads_for(const rd_machine *m, int64_t n)
{
    const int64_t most = n / PORTION_LEAST + 1;
    return most < m->threads ? (int)most : m->threads;
}

static int64_t portion_for(int threads, int64_t n)
{
    const int64_t portion = n / (threads * PORTIONS_EACH);
    return portion > PORTION_LEAST ? portion : PORTION_LEAST;
}

#define CPU_LOOP(NUMBER, function, items, most)                                                    \
    case RD_##NUMBER:                                                                              \
        n = (items);                                                                               \
        threads = threads_for(m, n);                                                               \
        portion = portion_for(threads, n);                                                         \
        CPU_FOR                                                                                    \
        for (int64_t i = 0; i < n; i++)                                                            \
            function(w, i);                                                                        \
        break;

static void cpu_run(rd_machine *m, const struct rd_world *w, enum rd_pass pass)
{
    int64_t n, portion;
    int threads;
    if (rd_is_halted(w))
        return;
    switch (pass) {
        RD_PASSES(CPU_LOOP)
    case RD_N_PASSES:
        break;
    }
}

static bool cpu_sum(rd_machine *m, int64_t *to, const int32_t *from, int64_t n, int64_t length,
                    struct rd_error *e)
{
    (void)e;
    const int threads = threads_for(m, n * length);
#pragma omp parallel for schedule(static) num_threads(threads)
    for (int64_t i = 0; i < n; i++) {
        int64_t sum = 0;
        for (int64_t k = 0; k < length; k++)
            sum += from[i * length + k];
        to[i] = sum;
    }
    return true;
}

static void cpu_scan(rd_machine *m, int32_t *x, const int64_t *n, int64_t most, bool with_itself)
{
    (void)m;
    (void)most;
    int32_t sum = 0;
    for (int64_t i = 0; i < *n; i++) {
        const int32_t here = x[i];
        x[i] = with_itself ? sum + here : sum;
        sum += here;
    }
}

static void cpu_scan_segments(rd_machine *m, int32_t *to, const int32_t *from, const uint8_t *flag,
                              const int64_t *n, int64_t most)
{
    (void)m;
    (void)most;
    int32_t sum = 0;
    for (int64_t i = 0; i < *n; i++) {
        sum = flag[i] ? from[i] : sum + from[i];
        to[i] = sum;
    }
}

/* One or three digits cover 32 bits, and an odd number of passes ends where it should. */
enum { DIGIT_MOST = 11 };

struct pairs {
    uint32_t *key, *value;
};

static void sort_by_digit(struct pairs to, struct pairs from, int64_t n, int shift, int width)
{
    int64_t place[1 << DIGIT_MOST] = {0};
    const uint32_t mask = (UINT32_C(1) << width) - 1;
    for (int64_t i = 0; i < n; i++)
        place[from.key[i] >> shift & mask]++;
    int64_t sum = 0;
    for (uint32_t digit = 0; digit <= mask; digit++) {
        const int64_t here = place[digit];
        place[digit] = sum;
        sum += here;
    }
    for (int64_t i = 0; i < n; i++) {
        const int64_t at = place[from.key[i] >> shift & mask]++;
        to.key[at] = from.key[i];
        to.value[at] = from.value[i];
    }
}

static void cpu_sort(rd_machine *m, uint32_t *key, uint32_t *value, uint32_t *key_to,
                     uint32_t *value_to, const int64_t *n, int64_t most, int bits)
{
    (void)m;
    (void)most;
    const struct pairs old = {key, value}, sorted = {key_to, value_to};
    const int width = bits <= DIGIT_MOST ? bits : (bits + 2) / 3;
    sort_by_digit(sorted, old, *n, 0, width);
    if (bits <= DIGIT_MOST)
        return;
    sort_by_digit(old, sorted, *n, width, width);
    sort_by_digit(sorted, old, *n, 2 * width, bits - 2 * width);
}

static bool cpu_sync(rd_machine *m, struct rd_error *e)
{
    (void)m;
    (void)e;
    return true;
}

const struct rd_backend rd_backend_cpu = {
    .name = "cpu",
    .open = cpu_open,
    .close = cpu_close,
    .device = cpu_device,
    .threads = cpu_threads,
    .memory = cpu_memory,
    .alloc = cpu_alloc,
    .free = cpu_free,
    .put = cpu_copy,
    .get = cpu_copy,
    .zero = cpu_zero,
    .run = cpu_run,
    .sum = cpu_sum,
    .scan = cpu_scan,
    .scan_segments = cpu_scan_segments,
    .sort = cpu_sort,
    .sync = cpu_sync,
};
