/* list_passes - does the passes that scan or sort the selected list (RD_LIST_PASSES), by the scans
   and the sort of a back end; separate because both back ends use it. */
#ifndef RD_CORE_LIST_PASSES_H
#define RD_CORE_LIST_PASSES_H

#include "kernels/core/backend.h"

/* Holds scan, scan_segments and sort of a back end; see struct rd_backend. */
struct rd_list_operations {
    void (*scan)(rd_machine *m, int32_t *x, const int64_t *n, int64_t most, bool with_itself);
    void (*scan_segments)(rd_machine *m, int32_t *to, const int32_t *from, const uint8_t *flag,
                          int64_t n);
    void (*sort)(rd_machine *m, uint32_t *key, uint32_t *value, uint32_t *key_to,
                 uint32_t *value_to, const int64_t *n, int64_t most, int bits);
};

/* Returns the number of bits to sort by: enough to distinguish the voxels and, if walls remove
   individuals, RD_KEY_NONE. If walls remove none, the pool already follows all others. */
static inline int rd_sort_bits(const struct rd_world *w)
{
    const int64_t last = w->counts.n_lost > 0 ? w->lattice.n_voxels : w->lattice.n_voxels - 1;
    int bits = 1;
    while (last >> bits > 0)
        bits++;
    return bits;
}

/* Does the pass for the selected list. Returns false if it is no such pass. */
static inline bool rd_run_list_pass(rd_machine *m, const struct rd_list_operations *o,
                                    const struct rd_world *w, enum rd_pass pass)
{
    const struct rd_lists *const l = &w->lists;
    const int64_t base = l->now.base, voxels = l->now.voxels, n = w->lattice.n_voxels + 1;
    switch (pass) {
    case RD_SCAN_BIRTHS:
        o->scan_segments(m, l->capacity + voxels, l->births + voxels, l->flag + voxels, n);
        o->scan(m, l->births + voxels, NULL, n, false);
        o->scan(m, l->named + voxels, NULL, n, false);
        return true;
    case RD_SCAN_OFFSETS:
        o->scan(m, l->offset + base, l->live + l->at_list, l->reach, true);
        return true;
    case RD_SORT:
        o->sort(m, l->key + base, l->slot + base, l->key_next + base, l->slot_next + base,
                l->live + l->at_list, l->reach, rd_sort_bits(w));
        return true;
    case RD_SCAN_ROWS:
        o->scan(m, w->rows.offset, NULL, w->rows.n_offset, false);
        return true;
    default:
        return false;
    }
}

#endif
