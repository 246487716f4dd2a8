/* machine_limits - times functions of the back end, and the pass that draws random words. */
#include "bench/machine_limits.h"

#include "base/clock.h"
#include "bench/bench.h"
#include "bench/cases.h"
#include "kernels/core/rng.h"
#include "kernels/passes/totals/random_words.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Sets the samples of each limit, each of as many calls as take sample_seconds. Two unrecorded
   samples warm up, since a machine may prepare calls that come a second time. */
enum { SAMPLES = 7, WARM_UPS = 2, CALLS_MOST = 200 };
static const double sample_seconds = 0.02;

/* Holds arrays on the machine, each of n entries. */
enum { KEY, VALUE, KEY_TO, VALUE_TO, KEY_FROM, VALUE_FROM, N_ARRAYS };
struct capacity {
    struct rd_bench *b;
    uint32_t *array[N_ARRAYS];
    uint8_t *flag;
    int64_t n, n_voxels; /* entries of the list; voxels */
    int bits;
};

/* Declares a function that is timed. */
typedef void call(const struct capacity *r);

static bool take_time(const struct capacity *r, call *what, int64_t n, double *seconds,
                      struct rd_error *e)
{
    const double begin = rd_clock();
    for (int64_t i = 0; i < n; i++)
        what(r);
    const bool ok = r->b->backend->sync(r->b->machine, e);
    *seconds = (rd_clock() - begin) / (double)n;
    return ok;
}

/* Samples the seconds of one call, minus those of `without` if that is not NULL. */
static bool time_calls(const struct capacity *r, call *what, call *without,
                       struct rd_sample *sample, struct rd_error *e)
{
    double seconds, less = 0.0;
    if (!take_time(r, what, 1, &seconds, e) || !take_time(r, what, 1, &seconds, e))
        return false;
    const double wanted = sample_seconds / fmax(seconds, 1e-9);
    const int64_t n = wanted < 1.0 ? 1 : wanted > CALLS_MOST ? CALLS_MOST : (int64_t)wanted;
    for (int i = -WARM_UPS; i < SAMPLES; i++) {
        if (!take_time(r, what, n, &seconds, e) || (without && !take_time(r, without, n, &less, e)))
            return false;
        if (i >= 0)
            rd_sample_add(sample, fmax(seconds - less, 1e-9));
    }
    return true;
}

static bool report_figure(struct rd_bench *b, struct rd_figure *f, double amount, const char *unit,
                          struct rd_error *e)
{
    f->of = "limit";
    f->value = f->seconds.n > 0 ? amount / rd_sample_median(&f->seconds) : 0.0;
    f->unit = unit;
    return rd_report_add(&b->report, f, e);
}

static void close_capacity(struct capacity *r)
{
    for (int i = 0; i < N_ARRAYS; i++)
        if (r->array[i])
            r->b->backend->free(r->b->machine, r->array[i]);
    if (r->flag)
        r->b->backend->free(r->b->machine, r->flag);
}

static void *alloc(const struct capacity *r, int64_t bytes, struct rd_error *e)
{
    return r->b->backend->alloc(r->b->machine, (size_t)bytes, e);
}

/* Returns whether so many bytes are free; otherwise writes a note. */
static bool fits_memory(const struct rd_bench *b, double bytes, struct rd_figure *f)
{
    const double has = (double)b->backend->memory(b->machine);
    if (has < 0.0 || bytes < 0.9 * has)
        return true;
    snprintf(f->note, sizeof f->note, "does not fit: needs %.3g GB, and %.3g GB are free",
             bytes / 1e9, has / 1e9);
    return false;
}

static void copy_list(const struct capacity *r)
{
    const size_t bytes = (size_t)r->n * sizeof **r->array;
    r->b->backend->copy(r->b->machine, r->array[KEY], r->array[KEY_FROM], bytes);
}

/* Measures the copy of an array larger than all caches. */
static bool measure_copy(struct rd_bench *b, struct rd_error *e)
{
    struct capacity r = {.b = b,
                         .n = (int64_t)1 << ((b->of->is_quick ? 24 : 26) + (b->is_gpu ? 2 : 0))};
    const double bytes = (double)r.n * sizeof **r.array;
    struct rd_figure f = {.of = "limit"};
    snprintf(f.what, sizeof f.what, "copy: %.3g GB read, as much written", bytes / 1e9);
    bool ok = true;
    if (fits_memory(b, 2.0 * bytes, &f)) {
        r.array[KEY] = alloc(&r, (int64_t)bytes, e);
        r.array[KEY_FROM] = alloc(&r, (int64_t)bytes, e);
        ok = r.array[KEY] && r.array[KEY_FROM] && time_calls(&r, copy_list, NULL, &f.seconds, e);
    }
    close_capacity(&r);
    ok = ok && report_figure(b, &f, 2.0 * bytes, "B/s", e);
    b->limits.copy = f.value;
    return ok;
}

static void draw_capacity(const struct capacity *r)
{
    const struct rd_step_clock step_clock = {0};
    const struct rd_world w = {.counts.n_count = r->n,
                               .counts.count = (int32_t *)r->array[KEY],
                               .pass.step_clock = &step_clock};
    r->b->backend->run(r->b->machine, &w, RD_RANDOM_WORDS);
}

static bool measure_words(struct rd_bench *b, struct rd_error *e)
{
    struct capacity r = {.b = b, .n = b->is_gpu ? 1 << 20 : 1 << 12};
    const double words = 4.0 * RD_WORDS_CALLS * (double)r.n;
    struct rd_figure f = {0};
    snprintf(f.what, sizeof f.what, "random words: Philox4x32-10");
    r.array[KEY] = alloc(&r, r.n * (int64_t)sizeof **r.array, e);
    const bool ok = r.array[KEY] && time_calls(&r, draw_capacity, NULL, &f.seconds, e);
    close_capacity(&r);
    const bool is_reported = ok && report_figure(b, &f, words, "words/s", e);
    b->limits.words = f.value;
    return is_reported;
}

static void restore(const struct capacity *r)
{
    const size_t bytes = (size_t)r->n * sizeof **r->array;
    const struct rd_bench *const b = r->b;
    b->backend->copy(b->machine, r->array[KEY], r->array[KEY_FROM], bytes);
    b->backend->copy(b->machine, r->array[VALUE], r->array[VALUE_FROM], bytes);
}

static void restore_and_sort(const struct capacity *r)
{
    restore(r);
    r->b->backend->sort(r->b->machine, r->array[KEY], r->array[VALUE], r->array[KEY_TO],
                        r->array[VALUE_TO], NULL, r->n, r->bits);
}

static void scan_capacity(const struct capacity *r)
{
    r->b->backend->scan(r->b->machine, (int32_t *)r->array[KEY], NULL, r->n, false);
}

static void scan_segments(const struct capacity *r)
{
    r->b->backend->scan_segments(r->b->machine, (int32_t *)r->array[KEY_TO],
                                 (int32_t *)r->array[KEY], r->flag, r->n);
}

/* Fills a list as it is after a step: sorted by voxel, but half of its entries have moved to a
   neighbouring voxel. */
static void fill_keys(uint32_t *key, const struct capacity *r, int32_t voxels)
{
    const int64_t away[] = {1, voxels, (int64_t)voxels * voxels};
    struct rd_stream s = rd_stream_of(0, 0, 0, RD_FOR_BENCH, 1, r->n);
    for (int64_t i = 0; i < r->n; i++) {
        const int64_t voxel = (int64_t)((double)i / (double)r->n * (double)r->n_voxels);
        const uint32_t word = rd_word(&s);
        const int64_t by = word & 1 ? away[(word >> 8) % 3] : 0;
        const int64_t to = word & 2 ? voxel + by : voxel - by;
        key[i] = (uint32_t)((to + r->n_voxels) % r->n_voxels);
    }
}

static bool open_capacity_lists(struct capacity *r, const struct rd_size *size, struct rd_error *e)
{
    const int64_t bytes = r->n * (int64_t)sizeof **r->array;
    for (int i = 0; i < N_ARRAYS; i++)
        if (!(r->array[i] = alloc(r, bytes, e)))
            return false;
    uint32_t *const key = malloc((size_t)bytes);
    if (!(r->flag = alloc(r, r->n, e)) || !key) {
        free(key);
        return rd_fail(e, "out of memory for lists to sort");
    }
    fill_keys(key, r, size->voxels);
    const bool ok = r->b->backend->put(r->b->machine, r->array[KEY_FROM], key, (size_t)bytes, e);
    free(key);
    return ok;
}

/* Times a function for the list, and reports it; *seconds becomes the median. */
static bool add_verb(const struct capacity *r, const struct rd_size *size, const char *name,
                     call *what, call *without, double *seconds, struct rd_error *e)
{
    struct rd_figure f = {.voxels = size->voxels, .load = size->load};
    snprintf(f.what, sizeof f.what, "%s: %.3g M", name, (double)r->n / 1e6);
    if (without)
        snprintf(f.what, sizeof f.what, "%s: %.3g M pairs, %d bits", name, (double)r->n / 1e6,
                 r->bits);
    const bool ok = time_calls(r, what, without, &f.seconds, e) &&
                    report_figure(r->b, &f, (double)r->n, without ? "pairs/s" : "numbers/s", e);
    *seconds = rd_sample_median(&f.seconds);
    return ok;
}

static bool add_verbs(const struct capacity *r, const struct rd_size *size, struct rd_error *e)
{
    struct rd_machine_limits *const c = &r->b->limits;
    double sort, other;
    if (!add_verb(r, size, "sort by voxel", restore_and_sort, restore, &sort, e) ||
        !add_verb(r, size, "scan", scan_capacity, NULL, &other, e) ||
        !add_verb(r, size, "scan of segments", scan_segments, NULL, &other, e))
        return false;
    c->sort[c->n_sorts].n = r->n;
    c->sort[c->n_sorts].voxels = size->voxels;
    c->sort[c->n_sorts++].seconds = sort;
    return true;
}

static bool measure_lists(struct rd_bench *b, const struct rd_size *size, struct rd_error *e)
{
    struct capacity r = {.b = b, .n = rd_size_number(size)};
    r.n_voxels = (int64_t)size->voxels * size->voxels * size->voxels;
    while ((r.n_voxels - 1) >> r.bits > 0) /* as many bits as distinguish the voxels */
        r.bits++;
    struct rd_figure f = {.of = "limit", .voxels = size->voxels, .load = size->load};
    snprintf(f.what, sizeof f.what, "sorts and scans: %.3g M", (double)r.n / 1e6);
    if (!fits_memory(b, (double)r.n * 4.0 * (N_ARRAYS + 1.5), &f))
        return report_figure(b, &f, 0.0, "", e);
    const bool ok = open_capacity_lists(&r, size, e) && add_verbs(&r, size, e);
    close_capacity(&r);
    return ok;
}

bool rd_machine_limits_measure(struct rd_bench *b, struct rd_error *e)
{
    struct rd_size size[RD_SIZES_MOST];
    bool has_lists = false;
    for (int i = 0; i < rd_n_cases; i++)
        has_lists = has_lists || (rd_cases[i].run == rd_case_individuals &&
                                  rd_case_is_selected(b, &rd_cases[i]));
    const int n = has_lists ? rd_individuals_sizes(b, size) : 0;
    bool ok = measure_copy(b, e) && measure_words(b, e);
    for (int i = 0; ok && i < n; i++)
        ok = measure_lists(b, &size[i], e);
    return ok;
}

double rd_machine_limits_sort(const struct rd_machine_limits *c, int64_t n, int32_t voxels)
{
    for (int i = 0; i < c->n_sorts; i++)
        if (c->sort[i].n == n && c->sort[i].voxels == voxels)
            return c->sort[i].seconds;
    return 0.0;
}
