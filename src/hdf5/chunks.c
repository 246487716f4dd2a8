/* chunks - writes data sets whose chunks several threads compress, and checks compressed chunks of
   unknown origin.

   HDF5 compresses in one thread. Here each chunk passes the same filters, in the order of the data
   set's own: shuffle (the first bytes of all values, then the second bytes, ...), deflate,
   Fletcher32 (HDF5 file format specification, version 3.0, IV.A.2.l). */
#include "hdf5/chunks.h"

#include "base/threads.h"
#include "hdf5/hdf5_file.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

/* Sets the chunks that each thread compresses before all are written, and the most axes of a
   data set. */
enum { CHUNKS_EACH = 4, RANK_MOST = 8, CHECKSUM = 4 };

/* Holds a data set, and the box of values. */
struct target {
    hid_t set;
    int rank, level, threads;
    size_t value_bytes, chunk_bytes; /* of one value; of a chunk */
    unsigned char fill[8];           /* the value beyond the extent */
    hsize_t chunk[RANK_MOST];
    const hsize_t *first, *length;
    const unsigned char *values;
    hsize_t n_chunks;
};

/* Describes one compressed chunk, and the room for it. */
struct packed {
    hsize_t offset[RANK_MOST];
    unsigned char *plain, *shuffled, *bytes; /* owned by plain */
    uLongf size;                             /* of bytes; 0 after a failure */
};

/* ---- one chunk ---- */

/* Sets the place of the box's k-th chunk, the last axis fastest. */
static void set_offset(const struct target *t, hsize_t k, hsize_t offset[])
{
    for (int i = t->rank - 1; i >= 0; i--) {
        const hsize_t n = (t->length[i] + t->chunk[i] - 1) / t->chunk[i];
        offset[i] = t->first[i] + k % n * t->chunk[i];
        k /= n;
    }
}

/* Copies the part of the box that lies in a chunk, from an axis on; `from` counts values. */
static void copy_part(const struct target *t, const hsize_t offset[], int axis, size_t from,
                      unsigned char *to)
{
    const hsize_t begin = offset[axis] - t->first[axis], left = t->length[axis] - begin;
    const hsize_t n = left < t->chunk[axis] ? left : t->chunk[axis];
    size_t bytes = t->value_bytes;
    from = from * t->length[axis] + begin;
    if (axis == t->rank - 1) {
        memcpy(to, t->values + from * bytes, n * bytes);
        return;
    }
    for (int i = axis + 1; i < t->rank; i++)
        bytes *= t->chunk[i];
    for (hsize_t i = 0; i < n; i++)
        copy_part(t, offset, axis + 1, from + i, to + i * bytes);
}

static bool is_partial(const struct target *t, const hsize_t offset[])
{
    bool partial = false;
    for (int i = 0; i < t->rank; i++)
        partial = partial || offset[i] + t->chunk[i] > t->first[i] + t->length[i];
    return partial;
}

static void shuffle(const unsigned char *from, size_t bytes, size_t value_bytes, unsigned char *to)
{
    const size_t n = bytes / value_bytes;
    for (size_t byte = 0; byte < value_bytes; byte++)
        for (size_t i = 0; i < n; i++)
            to[byte * n + i] = from[i * value_bytes + byte];
}

/* Returns the sum modulo 65535, which is 0 only if all words are 0. */
static uint32_t folded(uint64_t sum)
{
    return sum == 0 ? 0 : (uint32_t)((sum - 1) % 65535) + 1;
}

/* Computes Fletcher's checksum of 16-bit words, the higher byte first; a last byte alone is a
   higher byte. The sums are folded before they can overflow. */
static uint32_t fletcher32(const unsigned char *at, size_t n)
{
    enum { WORDS = 1 << 16 };
    uint64_t a = 0, b = 0;
    for (size_t i = 0; i < n; i += 2) {
        a += (uint64_t)at[i] << 8 | (i + 1 < n ? at[i + 1] : 0);
        b += a;
        if (i % (2 * WORDS) == 0) {
            a = folded(a);
            b = folded(b);
        }
    }
    return folded(b) << 16 | folded(a);
}

/* Compresses the chunk at p->offset. */
static void pack(const struct target *t, struct packed *p)
{
    if (is_partial(t, p->offset))
        for (size_t i = 0; i < t->chunk_bytes; i += t->value_bytes)
            memcpy(p->plain + i, t->fill, t->value_bytes);
    copy_part(t, p->offset, 0, 0, p->plain);
    shuffle(p->plain, t->chunk_bytes, t->value_bytes, p->shuffled);
    p->size = compressBound((uLong)t->chunk_bytes);
    if (compress2(p->bytes, &p->size, p->shuffled, (uLong)t->chunk_bytes, t->level) != Z_OK) {
        p->size = 0;
        return;
    }
    const uint32_t sum = fletcher32(p->bytes, p->size);
    for (int i = 0; i < CHECKSUM; i++)
        p->bytes[p->size++] = (unsigned char)(sum >> 8 * i);
}

/* ---- all chunks ---- */

/* Reads the filters. Returns false unless they are shuffle, deflate, Fletcher32. */
static bool set_level(struct target *t, hid_t plan)
{
    static const H5Z_filter_t expected[] = {H5Z_FILTER_SHUFFLE, H5Z_FILTER_DEFLATE,
                                            H5Z_FILTER_FLETCHER32};
    const int n = (int)(sizeof expected / sizeof *expected);
    bool good = H5Pget_nfilters(plan) == n;
    for (int i = 0; good && i < n; i++) {
        unsigned flags, value[8] = {0}, config;
        size_t n_values = sizeof value / sizeof *value;
        good = H5Pget_filter2(plan, (unsigned)i, &flags, &n_values, value, 0, NULL, &config) ==
               expected[i];
        if (expected[i] == H5Z_FILTER_DEFLATE)
            t->level = (int)value[0];
    }
    return good;
}

/* Returns whether the box consists of whole chunks; the last one may end at a fixed extent. */
static bool is_aligned(const struct target *t)
{
    hsize_t most[RANK_MOST];
    const hid_t space = H5Dget_space(t->set);
    bool good = space >= 0 && H5Sget_simple_extent_dims(space, NULL, most) == t->rank;
    for (int i = 0; good && i < t->rank; i++)
        good = t->first[i] % t->chunk[i] == 0 &&
               (most[i] != H5S_UNLIMITED || t->length[i] % t->chunk[i] == 0);
    rd_h5_drop(space);
    return good;
}

static bool set_target(struct target *t, hid_t plan, hid_t type)
{
    t->rank = H5Pget_chunk(plan, RANK_MOST, t->chunk);
    t->value_bytes = H5Tget_size(type);
    if (t->rank < 1 || t->rank > RANK_MOST || t->value_bytes < 1 ||
        t->value_bytes > sizeof t->fill || H5Pget_fill_value(plan, type, t->fill) < 0 ||
        !set_level(t, plan) || !is_aligned(t))
        return false;
    t->chunk_bytes = t->value_bytes;
    t->n_chunks = 1;
    for (int i = 0; i < t->rank; i++) {
        t->chunk_bytes *= t->chunk[i];
        t->n_chunks *= (t->length[i] + t->chunk[i] - 1) / t->chunk[i];
    }
    return t->n_chunks > 1;
}

static bool extend_packed(struct packed *p, int n, size_t chunk_bytes)
{
    bool good = true;
    for (int i = 0; i < n; i++) {
        const size_t bound = compressBound((uLong)chunk_bytes) + CHECKSUM;
        p[i].plain = malloc(2 * chunk_bytes + bound);
        p[i].shuffled = p[i].plain + chunk_bytes;
        p[i].bytes = p[i].shuffled + chunk_bytes;
        good = good && p[i].plain;
    }
    return good;
}

/* Chunks that are compressed together, and the box's number of the first. */
struct chunk_group {
    const struct target *target;
    struct packed *packed;
    hsize_t begin;
};

static void pack_one(void *of, int64_t i)
{
    const struct chunk_group *const g = of;
    struct packed *const p = &g->packed[i];
    set_offset(g->target, g->begin + (hsize_t)i, p->offset);
    pack(g->target, p);
}

/* Compresses n chunks, then writes them in order. */
static bool write_group(struct chunk_group *g, int64_t n)
{
    bool good = true;
    rd_threads_each(g->target->threads, n, pack_one, g);
    for (int64_t i = 0; good && i < n; i++) {
        const struct packed *const p = &g->packed[i];
        good = p->size > 0 &&
               H5Dwrite_chunk(g->target->set, H5P_DEFAULT, 0, p->offset, p->size, p->bytes) >= 0;
    }
    return good;
}

static bool write_chunks(const struct target *t)
{
    const hsize_t most = (hsize_t)t->threads * CHUNKS_EACH;
    const int size = (int)(t->n_chunks < most ? t->n_chunks : most);
    struct packed *const p = calloc((size_t)size, sizeof *p);
    bool good = p && extend_packed(p, size, t->chunk_bytes);
    for (struct chunk_group g = {t, p, 0}; good && g.begin < t->n_chunks;
         g.begin += (hsize_t)size) {
        const hsize_t left = t->n_chunks - g.begin;
        good = write_group(&g, left < (hsize_t)size ? (int64_t)left : size);
    }
    for (int i = 0; p && i < size; i++)
        free(p[i].plain);
    free(p);
    return good;
}

bool rd_chunks_write(hid_t set, const hsize_t first[], const hsize_t length[], const void *values,
                     int threads)
{
    struct target t = {.set = set,
                       .threads = threads > 0 ? threads : 1,
                       .first = first,
                       .length = length,
                       .values = values};
    const hid_t plan = H5Dget_create_plist(set), type = H5Dget_type(set);
    const bool good = plan >= 0 && type >= 0 && set_target(&t, plan, type);
    rd_h5_drop(type);
    rd_h5_drop(plan);
    return good && write_chunks(&t);
}

/* ---- chunks of unknown origin ---- */

/* Holds a data set whose chunks pass deflate, and the room for one stored chunk. */
struct expansion {
    hid_t set;
    int rank;
    hsize_t length[H5S_MAX_RANK], chunk[H5S_MAX_RANK];
    size_t bytes;                          /* of a chunk before deflate */
    unsigned deflate_bit, checksum_bit;    /* of a chunk's mask: it did not pass the filter */
    bool is_exact, has_deflate, is_simple; /* the size is known; at most one deflate, the last */
    unsigned char *stored;
};

/* Adds filter i of a data set. */
static void add_filter(struct expansion *x, H5Z_filter_t filter, int i)
{
    if (filter == H5Z_FILTER_FLETCHER32 && x->has_deflate)
        x->checksum_bit = 1u << i;
    else if (x->has_deflate)
        x->is_simple = false;
    else if (filter == H5Z_FILTER_DEFLATE)
        x->deflate_bit = 1u << i;
    else if (filter == H5Z_FILTER_FLETCHER32)
        x->bytes += CHECKSUM;
    else if (filter != H5Z_FILTER_SHUFFLE)
        x->is_exact = false;
    x->has_deflate = x->deflate_bit != 0;
}

static bool set_expansion(struct expansion *x, hid_t plan)
{
    const hid_t type = H5Dget_type(x->set), space = H5Dget_space(x->set);
    const int n = H5Pget_nfilters(plan);
    x->rank = H5Pget_chunk(plan, H5S_MAX_RANK, x->chunk);
    bool good = x->rank > 0 && type >= 0 && n >= 0 && n <= 32 &&
                H5Sget_simple_extent_dims(space, x->length, NULL) == x->rank;
    x->bytes = H5Tget_size(type);
    for (int i = 0; i < x->rank; i++)
        x->bytes *= (size_t)x->chunk[i];
    for (int i = 0; good && i < n; i++) {
        unsigned flags, config;
        size_t n_values = 0;
        add_filter(x, H5Pget_filter2(plan, (unsigned)i, &flags, &n_values, NULL, 0, NULL, &config),
                   i);
    }
    rd_h5_drop(space);
    rd_h5_drop(type);
    return good;
}

/* Returns how many bytes a stream expands to, at most one more than `most`; 0 if it is broken,
   which HDF5 reports. */
static size_t expanded(const unsigned char *from, size_t n, size_t most)
{
    unsigned char part[1 << 14];
    z_stream z = {.next_in = (Bytef *)from, .avail_in = (uInt)n};
    size_t total = 0;
    int state = inflateInit(&z);
    while (state == Z_OK && total <= most) {
        z.next_out = part;
        z.avail_out = sizeof part;
        state = inflate(&z, Z_NO_FLUSH);
        total += sizeof part - z.avail_out;
    }
    inflateEnd(&z);
    return total > most ? most + 1 : state == Z_STREAM_END ? total : 0;
}

static bool fail_chunk(const struct expansion *x, size_t n, struct rd_why *why)
{
    snprintf(why->text, sizeof why->text,
             "is damaged: a chunk expands to %s%zu bytes, and has %zu; store the data set anew",
             n > x->bytes ? "more than " : "", n > x->bytes ? x->bytes : n, x->bytes);
    return false;
}

/* Checks the chunk at a place, which need not be stored. */
static bool check_expanded_chunk(const struct expansion *x, const hsize_t at[], struct rd_why *why)
{
    unsigned mask = 0;
    haddr_t address = HADDR_UNDEF;
    hsize_t size = 0;
    const size_t most = compressBound((uLong)x->bytes) + CHECKSUM;
    if (H5Dget_chunk_info_by_coord(x->set, at, &mask, &address, &size) < 0 ||
        address == HADDR_UNDEF || (mask & x->deflate_bit))
        return true;
    if (size > most)
        return fail_chunk(x, x->bytes + 1, why);
    if (H5Dread_chunk(x->set, H5P_DEFAULT, at, &mask, x->stored) < 0)
        return true;
    const size_t sum = x->checksum_bit & ~mask && size >= CHECKSUM ? CHECKSUM : 0;
    const size_t n = expanded(x->stored, (size_t)size - sum, x->bytes);
    return (n <= x->bytes && (!x->is_exact || n == x->bytes || n == 0)) || fail_chunk(x, n, why);
}

static bool check_chunks(struct expansion *x, struct rd_why *why)
{
    hsize_t at[H5S_MAX_RANK] = {0};
    bool good = true, is_more = true;
    for (int i = 0; i < x->rank; i++)
        is_more = is_more && x->length[i] > 0;
    while (good && is_more) {
        good = check_expanded_chunk(x, at, why);
        is_more = false;
        for (int i = x->rank - 1; i >= 0 && !is_more; i--) {
            at[i] += x->chunk[i];
            is_more = at[i] < x->length[i];
            if (!is_more)
                at[i] = 0;
        }
    }
    return good;
}

bool rd_chunks_check(hid_t set, struct rd_why *why)
{
    struct expansion x = {.set = set, .is_exact = true, .is_simple = true};
    const hid_t plan = H5Dget_create_plist(set);
    bool good = plan < 0 || H5Pget_layout(plan) != H5D_CHUNKED || !set_expansion(&x, plan);
    rd_h5_drop(plan);
    if (good || !x.has_deflate)
        return true;
    if (!x.is_simple) {
        snprintf(why->text, sizeof why->text,
                 "has further filters after deflate; store it anew (h5repack -f GZIP=4)");
        return false;
    }
    x.stored = malloc(compressBound((uLong)x.bytes) + CHECKSUM);
    if (!x.stored)
        snprintf(why->text, sizeof why->text, "has chunks of %zu bytes, and memory is short",
                 x.bytes);
    good = x.stored && check_chunks(&x, why);
    free(x.stored);
    return good;
}
