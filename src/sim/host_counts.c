/* host_counts - the counts of all species on the host, where the start and events change them. A
   list becomes an array while its species is changed. Only the blocks that were touched are read
   when it becomes a list again, so that the work follows the molecules. */
#include "sim/host_counts.h"

#include "base/large_array.h"
#include "sim/rows.h"

#include <assert.h>
#include <stdlib.h>

static int64_t n_voxels(const struct rd_host_counts *h)
{
    return h->plan->world.lattice.n_voxels;
}

static int64_t n_arrays(const struct rd_host_counts *h)
{
    return h->list ? h->plan->world.rows.n_columned : h->plan->world.counts.n_species;
}

static size_t n_blocks(const struct rd_host_counts *h)
{
    return (size_t)(n_voxels(h) / RD_TOUCHED_BLOCK) + 1;
}

bool rd_host_counts_open(struct rd_host_counts *h, const struct rd_plan *p, int32_t *array,
                         struct rd_error *e)
{
    const size_t n_species = (size_t)p->world.counts.n_species;
    *h = (struct rd_host_counts){.plan = p, .array = array, .owns_array = !array};
    h->open[0].species = h->open[1].species = -1;
    if (p->world.rows.n_column > 0 && !(h->list = calloc(n_species, sizeof *h->list)))
        return rd_fail(e, "out of memory for the counts of %zu species", n_species);
    if (!array)
        h->array = rd_large_array((size_t)(n_arrays(h) * n_voxels(h)) + 1, sizeof *h->array);
    return h->array || rd_fail(e, "out of memory for the counts of %zu species", n_species);
}

struct rd_host_counts rd_host_counts_of(const struct rd_plan *p, int32_t *count)
{
    struct rd_host_counts h = {.plan = p, .array = count};
    h.open[0].species = h.open[1].species = -1;
    return h;
}

void rd_host_counts_close(struct rd_host_counts *h)
{
    if (h->owns_array)
        free(h->array);
    for (int32_t s = 0; h->list && s < h->plan->world.counts.n_species; s++)
        free(h->list[s].entry);
    free(h->list);
    for (int i = 0; i < 2; i++) {
        free(h->open[i].count);
        free(h->open[i].touched);
    }
    *h = (struct rd_host_counts){0};
}

/* ---- arrays of species that have lists ---- */

/* Returns the end of the block's voxels. */
static int64_t end_of_block(const struct rd_host_counts *h, size_t block)
{
    const int64_t end = ((int64_t)block + 1) * RD_TOUCHED_BLOCK;
    return end < n_voxels(h) ? end : n_voxels(h);
}

static int64_t count_nonzero(const struct rd_host_counts *h, const struct rd_host_array *a)
{
    int64_t n = 0;
    for (size_t block = 0; block < n_blocks(h); block++) {
        int32_t here = 0;
        for (int64_t i = (int64_t)block * RD_TOUCHED_BLOCK;
             a->touched[block] && i < end_of_block(h, block); i++)
            here += a->count[i] != 0;
        n += here;
    }
    return n;
}

/* Makes the list of the open array's species, and clears the array. */
static bool close_array(struct rd_host_counts *h, struct rd_host_array *a, struct rd_error *e)
{
    if (a->species < 0)
        return true;
    struct rd_host_list *const list = &h->list[a->species];
    const int64_t n = count_nonzero(h, a);
    struct rd_voxel_count *const entry = realloc(list->entry, (size_t)n * sizeof *entry + 1);
    if (!entry)
        return rd_fail(e, "out of memory for the molecules of %lld voxels", (long long)n);
    *list = (struct rd_host_list){entry, 0};
    for (size_t block = 0; block < n_blocks(h); block++) {
        if (!a->touched[block])
            continue;
        a->touched[block] = 0;
        for (int64_t i = (int64_t)block * RD_TOUCHED_BLOCK; i < end_of_block(h, block); i++) {
            if (a->count[i] != 0)
                entry[list->n++] = (struct rd_voxel_count){(uint32_t)i, a->count[i]};
            a->count[i] = 0;
        }
    }
    a->species = -1;
    return true;
}

static bool open_array(struct rd_host_counts *h, struct rd_host_array *a, int32_t species,
                       struct rd_error *e)
{
    if (!close_array(h, a, e))
        return false;
    if (!a->count)
        a->count = rd_large_array((size_t)n_voxels(h) + 1, sizeof *a->count);
    if (!a->touched)
        a->touched = calloc(n_blocks(h), 1);
    if (!a->count || !a->touched)
        return rd_fail(e, "out of memory for the counts of %lld voxels", (long long)n_voxels(h));
    a->species = species;
    const struct rd_host_list *const list = &h->list[species];
    for (int64_t i = 0; i < list->n; i++) {
        a->count[list->entry[i].voxel] = list->entry[i].count;
        a->touched[list->entry[i].voxel / RD_TOUCHED_BLOCK] = 1;
    }
    return true;
}

int32_t *rd_host_counts_array(struct rd_host_counts *h, int32_t species, uint8_t **touched,
                              struct rd_error *e)
{
    const int32_t column = h->list ? h->plan->column[species] : species;
    if (touched)
        *touched = NULL;
    if (column >= 0)
        return h->array + column * n_voxels(h);
    int i = 0;
    while (i < 2 && h->open[i].species != species)
        i++;
    if (i == 2) {
        i = 1 - h->latest;
        if (!open_array(h, &h->open[i], species, e))
            return NULL;
    }
    h->latest = i;
    if (touched)
        *touched = h->open[i].touched;
    else
        memset(h->open[i].touched, 1, n_blocks(h));
    return h->open[i].count;
}

bool rd_host_counts_commit(struct rd_host_counts *h, struct rd_error *e)
{
    return close_array(h, &h->open[0], e) && close_array(h, &h->open[1], e);
}

/* Returns the index of the first entry whose voxel is not below the given one. */
static int64_t find_voxel(const struct rd_host_list *list, int64_t voxel)
{
    int64_t low = 0, high = list->n;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (list->entry[middle].voxel < voxel)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

int32_t rd_host_counts_in_list(const struct rd_host_counts *h, int32_t species, int64_t voxel)
{
    const struct rd_host_list *const list = &h->list[species];
    const int64_t i = find_voxel(list, voxel);
    return i < list->n && list->entry[i].voxel == voxel ? list->entry[i].count : 0;
}

bool rd_host_counts_sum(struct rd_host_counts *h, int32_t species, uint64_t *sum,
                        struct rd_error *e)
{
    const struct rd_lattice *const l = &h->plan->world.lattice;
    const int32_t column = h->list ? h->plan->column[species] : species;
    if (!rd_host_counts_commit(h, e))
        return false;
    for (int64_t run = 0; column >= 0 && run < l->n_runs; run++) {
        const int32_t *const here = h->array + column * l->n_voxels + run * l->n_sites;
        uint64_t n = 0;
        for (int64_t site = 0; site < l->n_sites; site++)
            n += (uint64_t)here[site];
        sum[run] += n;
    }
    for (int64_t i = 0; column < 0 && i < h->list[species].n; i++) {
        const struct rd_voxel_count x = h->list[species].entry[i];
        sum[x.voxel / l->n_sites] += (uint64_t)x.count;
    }
    return true;
}

/* ---- copies ---- */

/* Copies the arrays of one run from the machine, or to it. */
static bool copy_arrays_of_run(struct rd_host_counts *h, struct rd_sim *s, int64_t run,
                               bool to_machine, struct rd_error *e)
{
    const struct rd_lattice *const l = &s->world.lattice;
    const size_t bytes = (size_t)l->n_sites * sizeof *h->array;
    bool ok = true;
    for (int64_t k = 0; ok && k < n_arrays(h); k++) {
        const int64_t at = k * l->n_voxels + run * l->n_sites;
        int32_t *const here = h->array + at, *const there = s->world.counts.count + at;
        ok = to_machine ? s->backend->put(s->machine, there, here, bytes, e)
                        : s->backend->get(s->machine, here, there, bytes, e);
    }
    return ok;
}

bool rd_host_counts_get(struct rd_host_counts *h, struct rd_sim *s, struct rd_error *e)
{
    const size_t bytes = (size_t)(n_arrays(h) * n_voxels(h)) * sizeof *h->array;
    return rd_host_counts_commit(h, e) &&
           s->backend->get(s->machine, h->array, s->world.counts.count, bytes, e) &&
           (!h->list || rd_rows_get(s, h->list, 0, s->world.lattice.n_runs, e));
}

bool rd_host_counts_put(struct rd_host_counts *h, struct rd_sim *s, struct rd_error *e)
{
    const size_t bytes = (size_t)(n_arrays(h) * n_voxels(h)) * sizeof *h->array;
    return rd_host_counts_commit(h, e) &&
           (h->array == s->world.counts.count ||
            s->backend->put(s->machine, s->world.counts.count, h->array, bytes, e)) &&
           (!h->list || rd_rows_put(s, h->list, e));
}

/* Copies entries; there may be none, and then no array. */
static void put_entries(struct rd_voxel_count *to, const struct rd_voxel_count *from, int64_t n)
{
    if (n > 0)
        memcpy(to, from, (size_t)n * sizeof *to);
}

/* Replaces the entries of a run, n of them; or removes them. */
static bool replace(struct rd_host_counts *h, int32_t species, int64_t run,
                    const struct rd_voxel_count *by, int64_t n, struct rd_error *e)
{
    const int64_t from = run * h->plan->world.lattice.n_sites,
                  end = from + h->plan->world.lattice.n_sites;
    struct rd_host_list *const list = &h->list[species];
    const int64_t before = find_voxel(list, from), behind = find_voxel(list, end);
    const int64_t after = list->n - behind, all = before + n + after;
    struct rd_voxel_count *const entry = malloc((size_t)all * sizeof *entry + 1);
    if (!entry)
        return rd_fail(e, "out of memory for the molecules of %lld voxels", (long long)all);
    put_entries(entry, list->entry, before);
    put_entries(entry + before, by, n);
    put_entries(entry + before + n, list->entry + behind, after);
    free(list->entry);
    *list = (struct rd_host_list){entry, all};
    return true;
}

bool rd_host_counts_get_run(struct rd_host_counts *h, struct rd_sim *s, int64_t run,
                            struct rd_error *e)
{
    const int32_t n_species = s->world.counts.n_species;
    bool ok = rd_host_counts_commit(h, e) && copy_arrays_of_run(h, s, run, false, e);
    if (!h->list)
        return ok;
    struct rd_host_list *const there = calloc((size_t)n_species, sizeof *there);
    ok = ok && (there || rd_fail(e, "out of memory for the counts of %d species", n_species)) &&
         rd_rows_get(s, there, run, run + 1, e);
    for (int32_t i = 0; there && i < n_species; i++) {
        ok = ok && replace(h, i, run, there[i].entry, there[i].n, e);
        free(there[i].entry);
    }
    free(there);
    return ok;
}

bool rd_host_counts_put_run(struct rd_host_counts *h, struct rd_sim *s, int64_t run,
                            struct rd_error *e)
{
    assert(!h->list);
    return copy_arrays_of_run(h, s, run, true, e);
}

bool rd_host_counts_clear_run(struct rd_host_counts *h, int64_t run, struct rd_error *e)
{
    const struct rd_lattice *const l = &h->plan->world.lattice;
    bool ok = rd_host_counts_commit(h, e);
    for (int64_t k = 0; k < n_arrays(h); k++)
        memset(h->array + k * l->n_voxels + run * l->n_sites, 0,
               (size_t)l->n_sites * sizeof *h->array);
    for (int32_t i = 0; ok && h->list && i < h->plan->world.counts.n_species; i++)
        ok = replace(h, i, run, NULL, 0, e);
    return ok;
}

bool rd_host_counts_totals(struct rd_sim *s, uint64_t *sum, struct rd_error *e)
{
    const int32_t n_species = s->world.counts.n_species;
    const int64_t n_runs = s->world.lattice.n_runs;
    struct rd_host_counts h;
    memset(sum, 0, (size_t)(n_species * n_runs) * sizeof *sum);
    bool ok = rd_host_counts_open(&h, s->plan, NULL, e) && rd_host_counts_get(&h, s, e);
    for (int32_t i = 0; ok && i < n_species; i++)
        ok = rd_host_counts_sum(&h, i, sum + i * n_runs, e);
    rd_host_counts_close(&h);
    return ok;
}
