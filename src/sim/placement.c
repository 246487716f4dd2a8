/* placement - see the header. */
#include "sim/placement.h"

#include "kernels/core/world.h"

#include <stdlib.h>

void rd_roster_free(struct rd_roster *roster)
{
    for (int64_t i = 0; i < roster->n_refused; i++)
        free(roster->refused[i].text);
    free(roster->refused);
    free(roster->placement);
    free(roster->frozen);
    *roster = (struct rd_roster){0};
}

bool rd_roster_refuse(struct rd_roster *roster, int64_t run, struct rd_error *why,
                      struct rd_error *e)
{
    if (!roster->refuses)
        return false;
    struct rd_refusal *const more =
        realloc(roster->refused, (size_t)(roster->n_refused + 1) * sizeof *more);
    if (!more) {
        rd_error_free(why);
        return rd_fail(e, "out of memory for the faults of %lld runs",
                       (long long)roster->n_refused + 1);
    }
    roster->refused = more;
    more[roster->n_refused++] = (struct rd_refusal){run, why->text};
    *why = (struct rd_error){0};
    roster->frozen[run] = RD_FROZEN_FAULTED;
    return true;
}

bool rd_roster_has(const struct rd_roster *roster, int64_t run)
{
    return !roster->frozen || !roster->frozen[run];
}

void rd_roster_clear_refused(struct rd_roster *roster, int64_t n_sites)
{
    int64_t n = 0;
    for (int64_t i = 0; i < roster->n; i++)
        if (rd_roster_has(roster, roster->placement[i].voxel / n_sites))
            roster->placement[n++] = roster->placement[i];
    roster->n = n;
}
