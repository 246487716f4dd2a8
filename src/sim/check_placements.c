/* check_placements - computes the attributes of individuals before they are placed. */
#include "sim/check_placements.h"

#include "sim/initial_attributes.h"

#include <stdlib.h>
#include <string.h>

/* Computes the attributes of one placement, with ids from next_id[run] on. Refuses the run if one
   of them is impossible. */
static bool check_placement(struct rd_initial_attributes *d, struct rd_placements *placements,
                            const struct rd_placement *a, int64_t *next_id, double *own,
                            struct rd_error *e)
{
    const int64_t run = a->voxel / d->s->world.lattice.n_sites;
    struct rd_error why = {0};
    const struct rd_kept none = {0};
    if (a->is_same || a->number < 0) /* attributes of the same are known when they are chosen */
        return true;
    bool ok = rd_initial_attributes_open(d, a, e);
    for (int32_t k = 0; ok && k < a->number && rd_placements_has(placements, run); k++)
        ok = rd_initial_attributes_give(d, a, next_id[run]++, &none, own,
                                        placements->refuses ? &why : e, e) ||
             (why.n > 0 && rd_placements_refuse(placements, run, &why, e));
    return ok;
}

bool rd_check_placements(struct rd_sim *s, struct rd_placements *placements,
                         const struct rd_occasion *o, struct rd_host_counts *counts,
                         struct rd_error *e)
{
    const struct rd_world *const w = &s->world;
    const size_t bytes = (size_t)placements->n * sizeof *placements->placement,
                 n = (size_t)w->lattice.n_runs;
    if ((!placements->refuses && !o->is_edit) || placements->n == 0)
        return true;
    struct rd_initial_attributes d = {.s = s, .o = o, .counts = counts};
    struct rd_placement *const placement = malloc(bytes);
    int64_t *const next_id = malloc(n * sizeof *next_id);
    double *const own = calloc((size_t)w->lists.most_traits + 1, sizeof *own);
    bool ok =
        ((placement && next_id && own) || rd_fail(e, "out of memory for placing individuals")) &&
        rd_host_counts_commit(counts, e);
    ok = ok && s->backend->get(s->machine, next_id,
                               w->lists.id_base + w->lists.n_list * w->lattice.n_runs,
                               n * sizeof *next_id, e);
    if (ok) {
        memcpy(placement, placements->placement, bytes);
        qsort(placement, (size_t)placements->n, sizeof *placement, rd_placement_order);
    }
    for (int64_t i = 0; ok && i < placements->n; i++)
        ok = check_placement(&d, placements, &placement[i], next_id, own, e);
    rd_initial_attributes_close(&d);
    free(placement);
    free(next_id);
    free(own);
    return ok;
}
