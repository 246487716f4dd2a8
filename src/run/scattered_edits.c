/* scattered_edits - edits of counted molecules in listed voxels: reads, changes and writes the
   counts of these voxels alone, where an event copies those of all voxels. Both give the same
   counts. */
#include "kernels/core/lattice.h"
#include "run/running.h"
#include "sim/faults.h"
#include "sim/place.h"
#include "sim/rows.h"
#include "sim/verify.h"

#include <stdlib.h>

/* Lists counts by their numbers among those of all species and voxels, each once. */
struct count_list {
    int64_t *index;          /* owned */
    int32_t *before, *count; /* owned */
    int64_t n;
};

/* Gives the part of all counts, as 1 / PART, below which an edit is scattered. */
enum { PART = 8 };

/* Returns the number of counts that an amount changes in a run; -1 if it lists no voxels. */
static int64_t count_listed_voxels(const struct rd_amount *a)
{
    const int64_t n = a->is_at ? 1 : a->site ? a->n_sites : -1;
    return a->becomes >= 0 ? 2 * n : n;
}

/* Adds the counts that the amounts change in a run. Returns -1 if one lists no voxels. */
static int64_t count_changes(const struct rd_amount *a, int n)
{
    int64_t all = 0;
    for (int k = 0; k < n; k++) {
        const int64_t here = count_listed_voxels(&a[k]);
        if (here < 0)
            return -1;
        all += here;
    }
    return all;
}

bool rd_running_is_scattered(const struct rd_running *r, const struct rd_occasion *o)
{
    const struct rd_world *const w = &r->s->world;
    if (!o->is_edit || w->lists.n_list > 0 || rd_rows_exist(r->s))
        return false;
    const int64_t taken = count_changes(o->event->take, o->event->n_take),
                  added = count_changes(o->event->add, o->event->n_add);
    return taken >= 0 && added >= 0 &&
           taken + added < w->counts.n_species * w->lattice.n_sites / PART;
}

static void list_species(const struct rd_plan *p, const struct rd_amount *a, int species,
                         int64_t run, struct count_list *l)
{
    const struct rd_lattice *const lattice = &p->world.lattice;
    const int64_t first = p->species_at[species] * lattice->n_voxels + run * lattice->n_sites;
    if (a->is_at)
        l->index[l->n++] = first + rd_site_number(lattice, a->voxel);
    for (int64_t i = 0; !a->is_at && i < a->n_sites; i++)
        l->index[l->n++] = first + a->site[i];
}

static void list_amounts(const struct rd_running *r, const struct rd_amount *a, int n,
                         const struct rd_placements *placements, struct count_list *l)
{
    for (int k = 0; k < n; k++)
        for (int64_t run = 0; run < r->s->world.lattice.n_runs; run++) {
            if (!rd_placements_has(placements, run))
                continue;
            list_species(r->p, &a[k], a[k].species, run, l);
            if (a[k].becomes >= 0)
                list_species(r->p, &a[k], a[k].becomes, run, l);
        }
}

static int compare_indices(const void *a, const void *b)
{
    const int64_t i = *(const int64_t *)a, j = *(const int64_t *)b;
    return (i > j) - (i < j);
}

/* Lists each count once: the voxels of one amount are different ones, those of several may not
   be. */
static void drop_repeats(struct count_list *l)
{
    int64_t n = 0;
    qsort(l->index, (size_t)l->n, sizeof *l->index, compare_indices);
    for (int64_t i = 0; i < l->n; i++)
        if (i == 0 || l->index[i] != l->index[i - 1])
            l->index[n++] = l->index[i];
    l->n = n;
}

static bool open_count_list(struct rd_running *r, const struct rd_event *x,
                            const struct rd_placements *placements, struct count_list *l)
{
    const struct rd_world *const w = &r->s->world;
    const int64_t most =
        (count_changes(x->take, x->n_take) + count_changes(x->add, x->n_add)) * w->lattice.n_runs;
    *l = (struct count_list){.index = malloc((size_t)most * sizeof *l->index + 1),
                             .before = malloc((size_t)most * sizeof *l->before + 1),
                             .count = malloc((size_t)most * sizeof *l->count + 1)};
    if (!l->index || !l->before || !l->count)
        return rd_fail(r->e, "out of memory for an edit of %lld counts", (long long)most);
    list_amounts(r, x->take, x->n_take, placements, l);
    list_amounts(r, x->add, x->n_add, placements, l);
    if (x->n_take + x->n_add > 1 || (x->n_take == 1 && x->take->becomes == x->take->species))
        drop_repeats(l);
    return true;
}

static void close_count_list(struct count_list *l)
{
    free(l->index);
    free(l->before);
    free(l->count);
}

/* Returns the counts of all species on the host, in which those of the list are right: the
   machine's own, or those that the run keeps for this. NULL with a message on failure. */
static int32_t *open_mirror(struct rd_running *r, struct count_list *l)
{
    const struct rd_world *const w = &r->s->world;
    const bool is_shared = r->s->backend->shares_host_memory;
    if (!is_shared && !r->mirror)
        r->mirror =
            calloc((size_t)(w->counts.n_species * w->lattice.n_voxels) + 1, sizeof *r->mirror);
    int32_t *const mirror = is_shared ? w->counts.count : r->mirror;
    if (!mirror)
        rd_fail(r->e, "out of memory for an edit");
    if (!mirror ||
        !r->s->backend->gather(r->s->machine, l->before, w->counts.count, l->index, l->n, r->e))
        return NULL;
    for (int64_t i = 0; !is_shared && i < l->n; i++)
        mirror[l->index[i]] = l->before[i];
    return mirror;
}

/* Restores all counts, or those of the runs in which the edit was refused. */
static void restore_counts(const struct rd_running *r, const struct count_list *l, int32_t *mirror,
                           const struct rd_placements *placements)
{
    const struct rd_lattice *const lattice = &r->s->world.lattice;
    for (int64_t i = 0; i < l->n; i++)
        if (!placements ||
            !rd_placements_has(placements, l->index[i] % lattice->n_voxels / lattice->n_sites))
            mirror[l->index[i]] = l->before[i];
}

/* Adds the changes to the numbers of placed molecules. Counts of one species and run follow each
   other in the list. */
static void add_placed(struct rd_sim *s, const struct count_list *l)
{
    const struct rd_world *const w = &s->world;
    for (int64_t i = 0; s->placed && i < l->n;) {
        const int64_t row = l->index[i] / w->lattice.n_sites, begin = row * w->lattice.n_sites;
        const int32_t species = s->plan->species_of[row / w->lattice.n_runs];
        int64_t sum = 0;
        for (; i < l->n && l->index[i] >= begin && l->index[i] < begin + w->lattice.n_sites; i++)
            sum += l->count[i] - l->before[i];
        s->placed[row % w->lattice.n_runs * w->counts.n_species + species] += sum;
    }
}

bool rd_running_scatter(struct rd_running *r, const struct rd_occasion *o,
                        struct rd_placements *placements)
{
    struct rd_sim *const s = r->s;
    struct count_list l;
    int32_t *const mirror =
        open_count_list(r, o->event, placements, &l) ? open_mirror(r, &l) : NULL;
    struct rd_host_counts counts = rd_host_counts_of(r->p, mirror);
    const bool is_possible = mirror && rd_place_event(r->p, o, &counts, placements, r->e);
    if (mirror && (!is_possible || placements->n_refused > 0))
        restore_counts(r, &l, mirror, is_possible ? placements : NULL);
    bool ok = is_possible;
    if (is_possible) {
        for (int64_t i = 0; i < l.n; i++)
            l.count[i] = mirror[l.index[i]];
        add_placed(s, &l);
        ok =
            (s->backend->shares_host_memory ||
             s->backend->scatter(s->machine, s->world.counts.count, l.count, l.index, l.n, r->e)) &&
            rd_faults_refused(s, placements, o, r->e) && (!s->is_verified || rd_verify(s, r->e));
    }
    r->is_broken = is_possible && !ok;
    close_count_list(&l);
    return ok;
}
