/* fenced - a CPU back end whose memory the host cannot reach. */
#define _GNU_SOURCE
#include "fenced.h"

#include "kernels/core/arena.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

/* Sets the bytes of address space; pages are allocated when they are touched. */
static const size_t CAPACITY = (size_t)1 << 32;

/* Memory that was freed is not allocated again, so that a use after free reads other bytes. */
static struct {
    char *field;
    size_t used, reported;
} fence;

static void must(bool is_right, const char *what)
{
    if (is_right)
        return;
    fprintf(stderr, "fenced: %s\n", what);
    abort();
}

static void set_departure(int allowed)
{
    must(mprotect(fence.field, CAPACITY, allowed) == 0, "the gate does not move");
}

static void open_departure(void)
{
    set_departure(PROT_READ | PROT_WRITE);
}

static void shut_departure(void)
{
    set_departure(PROT_NONE);
}

static bool is_inside(const void *p)
{
    return (const char *)p >= fence.field && (const char *)p < fence.field + fence.used;
}

static bool fenced_open(rd_machine **m, int threads, int device, struct rd_error *e)
{
    fence.used = fence.reported = 0;
    fence.field =
        mmap(NULL, CAPACITY, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (fence.field == MAP_FAILED)
        return rd_fail(e, "no addresses for a fenced machine");
    return rd_backend_cpu.open(m, threads, device, e);
}

static void fenced_close(rd_machine *m)
{
    munmap(fence.field, CAPACITY);
    rd_backend_cpu.close(m);
}

static const char *fenced_device(const rd_machine *m)
{
    (void)m;
    return "fenced memory";
}

static int fenced_threads(const rd_machine *m)
{
    return rd_backend_cpu.threads(m);
}

static int64_t fenced_memory(const rd_machine *m)
{
    (void)m;
    return (int64_t)(CAPACITY - fence.used);
}

static int64_t fenced_work_memory(rd_machine *m, const struct rd_world *w)
{
    return rd_backend_cpu.work_memory(m, w);
}

static bool fenced_reserve(rd_machine *m, const struct rd_world *w, int64_t bytes,
                           struct rd_error *e)
{
    fence.reported = (size_t)bytes;
    return rd_backend_cpu.reserve(m, w, bytes, e);
}

static void *fenced_alloc(rd_machine *m, size_t bytes, struct rd_error *e)
{
    (void)m;
    const size_t size = rd_arena_padded(bytes);
    if (size > CAPACITY - fence.used) {
        rd_fail(e, "no room left behind the fence");
        return NULL;
    }
    fence.used += size;
    return fence.field + fence.used - size;
}

static void fenced_free(rd_machine *m, void *p)
{
    (void)m;
    must(!p || is_inside(p), "what is freed was made elsewhere");
}

static bool fenced_put(rd_machine *m, void *to, const void *from, size_t bytes, struct rd_error *e)
{
    must(bytes == 0 || (is_inside(to) && !is_inside(from)), "put goes from outside to inside");
    open_departure();
    const bool ok = rd_backend_cpu.put(m, to, from, bytes, e);
    shut_departure();
    return ok;
}

static bool fenced_get(rd_machine *m, void *to, const void *from, size_t bytes, struct rd_error *e)
{
    must(bytes == 0 || (is_inside(from) && !is_inside(to)), "get goes from inside to outside");
    open_departure();
    const bool ok = rd_backend_cpu.get(m, to, from, bytes, e);
    shut_departure();
    return ok;
}

static bool fenced_gather(rd_machine *m, int32_t *to, const int32_t *from, const int64_t *index,
                          int64_t n, struct rd_error *e)
{
    must(n == 0 || (is_inside(from) && !is_inside(to) && !is_inside(index)),
         "gather goes from inside to outside");
    open_departure();
    const bool ok = rd_backend_cpu.gather(m, to, from, index, n, e);
    shut_departure();
    return ok;
}

static bool fenced_scatter(rd_machine *m, int32_t *to, const int32_t *from, const int64_t *index,
                           int64_t n, struct rd_error *e)
{
    must(n == 0 || (is_inside(to) && !is_inside(from) && !is_inside(index)),
         "scatter goes from outside to inside");
    open_departure();
    const bool ok = rd_backend_cpu.scatter(m, to, from, index, n, e);
    shut_departure();
    return ok;
}

static bool fenced_zero(rd_machine *m, void *p, size_t bytes, struct rd_error *e)
{
    open_departure();
    const bool ok = rd_backend_cpu.zero(m, p, bytes, e);
    shut_departure();
    return ok;
}

static void fenced_copy(rd_machine *m, void *to, const void *from, size_t bytes)
{
    open_departure();
    rd_backend_cpu.copy(m, to, from, bytes);
    shut_departure();
}

/* Checks that everything that a pass reads is inside the fence, since a GPU cannot read host
   memory. */
static void fenced_run(rd_machine *m, const struct rd_world *w, enum rd_pass pass)
{
#define INSIDE(part, type, name)                                                                   \
    must(w->part.n_##name == 0 || is_inside(w->part.name), #name " is outside");
    RD_TABLES(INSIDE)
    RD_STATES(INSIDE)
#undef INSIDE
    open_departure();
    rd_backend_cpu.run(m, w, pass);
    shut_departure();
}

static void fenced_sum(rd_machine *m, int64_t *to, const int32_t *from, int64_t n, int64_t length)
{
    open_departure();
    rd_backend_cpu.sum(m, to, from, n, length);
    shut_departure();
}

static void fenced_scan(rd_machine *m, int32_t *x, const int64_t *n, int64_t most, bool with_itself)
{
    open_departure();
    rd_backend_cpu.scan(m, x, n, most, with_itself);
    shut_departure();
}

static void fenced_scan_segments(rd_machine *m, int32_t *to, const int32_t *from,
                                 const uint8_t *flag, int64_t n)
{
    open_departure();
    rd_backend_cpu.scan_segments(m, to, from, flag, n);
    shut_departure();
}

static void fenced_sort(rd_machine *m, uint32_t *key, uint32_t *value, uint32_t *key_to,
                        uint32_t *value_to, const int64_t *n, int64_t most, int bits)
{
    open_departure();
    rd_backend_cpu.sort(m, key, value, key_to, value_to, n, most, bits);
    shut_departure();
}

static void fenced_wait(rd_machine *m)
{
    rd_backend_cpu.wait(m);
}

static bool fenced_sync(rd_machine *m, struct rd_error *e)
{
    return rd_backend_cpu.sync(m, e);
}

static rd_async_copy *fenced_async_copy_open(rd_machine *m, size_t bytes, struct rd_error *e)
{
    return rd_backend_cpu.async_copy_open(m, bytes, e);
}

static void fenced_async_copy_close(rd_machine *m, rd_async_copy *l)
{
    rd_backend_cpu.async_copy_close(m, l);
}

static void fenced_async_copy(rd_machine *m, rd_async_copy *l, const struct rd_piece *piece, int n)
{
    open_departure();
    rd_backend_cpu.async_copy(m, l, piece, n);
    shut_departure();
}

static const char *fenced_async_copy_wait(rd_async_copy *l, struct rd_error *e)
{
    return rd_backend_cpu.async_copy_wait(l, e);
}

struct fenced_capacity fenced_capacity(void)
{
    return (struct fenced_capacity){fence.reported, fence.used};
}

const struct rd_backend fenced = {
    .name = "fenced",
    .open = fenced_open,
    .close = fenced_close,
    .device = fenced_device,
    .threads = fenced_threads,
    .memory = fenced_memory,
    .work_memory = fenced_work_memory,
    .reserve = fenced_reserve,
    .alloc = fenced_alloc,
    .free = fenced_free,
    .put = fenced_put,
    .get = fenced_get,
    .gather = fenced_gather,
    .scatter = fenced_scatter,
    .zero = fenced_zero,
    .copy = fenced_copy,
    .run = fenced_run,
    .sum = fenced_sum,
    .scan = fenced_scan,
    .scan_segments = fenced_scan_segments,
    .sort = fenced_sort,
    .wait = fenced_wait,
    .sync = fenced_sync,
    .async_copy_open = fenced_async_copy_open,
    .async_copy_close = fenced_async_copy_close,
    .async_copy = fenced_async_copy,
    .async_copy_wait = fenced_async_copy_wait,
};
