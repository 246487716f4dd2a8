/* placement - individuals that the start or an event adds to voxels or removes. */
#include "sim/placement.h"

#include "kernels/core/world.h"

#include <stdlib.h>

void rd_placements_free(struct rd_placements *placements)
{
    for (int64_t i = 0; i < placements->n_refused; i++)
        free(placements->refused[i].text);
    free(placements->refused);
    free(placements->placement);
    free(placements->frozen);
    *placements = (struct rd_placements){0};
}

bool rd_placements_refuse(struct rd_placements *placements, int64_t run, struct rd_error *why,
                          struct rd_error *e)
{
    if (!placements->refuses)
        return false;
    struct rd_refusal *const more =
        realloc(placements->refused, (size_t)(placements->n_refused + 1) * sizeof *more);
    if (!more) {
        rd_error_free(why);
        return rd_fail(e, "out of memory for the faults of %lld runs",
                       (long long)placements->n_refused + 1);
    }
    placements->refused = more;
    more[placements->n_refused++] = (struct rd_refusal){run, why->text};
    *why = (struct rd_error){0};
    placements->frozen[run] = RD_FROZEN_FAULTED;
    return true;
}

bool rd_placements_has(const struct rd_placements *placements, int64_t run)
{
    return !placements->frozen || !placements->frozen[run];
}

void rd_placements_clear_refused(struct rd_placements *placements, int64_t n_sites)
{
    int64_t n = 0;
    for (int64_t i = 0; i < placements->n; i++)
        if (rd_placements_has(placements, placements->placement[i].voxel / n_sites))
            placements->placement[n++] = placements->placement[i];
    placements->n = n;
}

int rd_placement_order(const void *a, const void *b)
{
    const struct rd_placement *const x = a, *const y = b;
    if (x->list != y->list)
        return x->list < y->list ? -1 : 1;
    if (x->voxel != y->voxel)
        return x->voxel < y->voxel ? -1 : 1;
    return (x->by > y->by) - (x->by < y->by); /* they point into one array, in its order */
}
