/* rows_snapshot - the parts of a snapshot buffer for counts: species in columns and in rows, and
   their sums over runs. */
#include "record/rows_snapshot.h"

#include "sim/rows.h"

#include <string.h>

bool rd_rows_snapshot_reserve(struct rd_snapshot_buffer *p, const struct rd_sim *s, size_t bytes,
                              struct rd_error *e)
{
    if (p->async_copy && bytes <= p->bytes)
        return true;
    if (p->async_copy)
        s->backend->async_copy_close(s->machine, p->async_copy);
    p->async_copy = s->backend->async_copy_open(s->machine, bytes, e);
    p->bytes = bytes;
    return p->async_copy != NULL;
}

bool rd_rows_snapshot_totals(const struct rd_packing *k, struct rd_sim *s,
                             const struct rd_world *seen, struct rd_error *e)
{
    const size_t n = (size_t)(seen->lattice.n_runs * seen->counts.n_species);
    if (!s->backend->zero(s->machine, k->totalled, n * sizeof *k->totalled, e))
        return false;
    s->backend->run(s->machine, seen, RD_TOTAL_ROWS);
    return true;
}

bool rd_rows_snapshot_pieces(struct rd_snapshot_buffer *p, const struct rd_packing *k,
                             struct rd_sim *s, int64_t n_counted, struct rd_piece **piece,
                             struct rd_error *e)
{
    const int64_t n_voxels = n_counted * s->world.lattice.n_sites;
    p->n_entries = 0;
    if (n_counted == 0 || !rd_has_rows(&s->world))
        return true;
    if (!rd_rows_count_packed(s, n_voxels, &p->n_entries, e))
        return false;
    const size_t bytes = (size_t)p->n_entries * sizeof(struct rd_outbox_entry);
    if (!rd_rows_snapshot_reserve(p, s, k->entries + bytes, e))
        return false;
    char *const byte = s->backend->async_copy_bytes(p->async_copy);
    const void *const packed =
        rd_rows_pack(s, n_voxels, p->n_entries, byte ? (void *)(byte + k->entries) : NULL, e);
    if (!byte && packed)
        *(*piece)++ = (struct rd_piece){packed, k->entries, bytes};
    return packed != NULL;
}

/* Returns the counts of a species, by canonical number, in a run. */
static int32_t *counts_of(const struct rd_packing *k, int64_t run, int32_t species)
{
    const struct rd_world *const w = &k->world;
    return k->counts +
           (run * w->counts.n_species + k->plan->species_of[species]) * w->lattice.n_sites;
}

static void unpack_rows(struct rd_packing *k, const struct rd_snapshot_buffer *p, int64_t n_counted,
                        const char *byte)
{
    const struct rd_world *const w = &k->world;
    const struct rd_outbox_entry *const entry = (const void *)(byte + k->entries);
    memset(k->counts, 0,
           (size_t)(w->counts.n_species * n_counted * w->lattice.n_sites) * sizeof *k->counts);
    for (int64_t i = 0; i < p->n_entries; i++)
        counts_of(k, entry[i].voxel / w->lattice.n_sites,
                  entry[i].species)[entry[i].voxel % w->lattice.n_sites] = entry[i].count;
}

void rd_counts_unpack(struct rd_packing *k, const struct rd_snapshot_buffer *p, int64_t n_counted,
                      const char *byte)
{
    const struct rd_world *const w = &k->world;
    const size_t run_bytes = (size_t)w->lattice.n_sites * sizeof *k->counts;
    if (n_counted > 0 && rd_has_rows(w))
        unpack_rows(k, p, n_counted, byte);
    for (int32_t i = 0; i < rd_n_columns(w); i++)
        for (int64_t run = 0; run < n_counted; run++) {
            memcpy(counts_of(k, run, rd_has_rows(w) ? k->plan->columned[i] : i), byte, run_bytes);
            byte += run_bytes;
        }
}

static void add_survey(struct rd_sum *to, const struct rd_surveyed *from, bool is_first)
{
    if (is_first)
        *to = (struct rd_sum){.min = INT64_MAX, .max = INT64_MIN};
    to->sum += (rd_u128)(uint64_t)from->sum;
    to->square += from->square[0];
    to->square += (rd_u128)from->square[1] << 64;
    to->min = from->least < to->min ? from->least : to->min;
    to->max = from->most > to->max ? from->most : to->max;
}

void rd_survey_unpack(struct rd_packing *k, const struct rd_surveyed *from)
{
    const int64_t n = k->world.counts.n_surveyed_species * k->world.lattice.n_sites;
    for (int64_t i = 0; i < k->world.counts.n_surveyed; i++)
        add_survey(&k->sums[i % n], &from[i], i < n);
}
