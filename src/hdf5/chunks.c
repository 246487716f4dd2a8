/* chunks - writes a part of a data set whose chunks several threads compress.

   HDF5 compresses in one thread. Here each chunk passes the same filters, in the order of the data
   set's own: shuffle (the first bytes of all values, then the second bytes, ...), deflate,
   Fletcher32 (HDF5 file format specification, version 3.0, IV.A.2.l). */
#include "hdf5/chunks.h"

#include "base/threads.h"
#include "hdf5/hdf5_file.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

/* Chunks that each thread compresses before all are written; most axes of a data set. */
enum { CHUNKS_EACH = 4, RANK_MOST = 8, CHECKSUM = 4 };

/* A data set, and the box of values. */
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

/* One compressed chunk, and the room for it. */
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

static bool make_room(struct packed *p, int n, size_t chunk_bytes)
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
    bool good = p && make_room(p, size, t->chunk_bytes);
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
