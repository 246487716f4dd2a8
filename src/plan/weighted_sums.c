/* weighted_sums - lists of weighted sums of species. Stands apart because the elimination, the
   semiflows and the choice of laws share it. */
#include "plan/weighted_sums.h"

#include <stdlib.h>

bool rd_weighted_sums_add(struct rd_weighted_sums *b, const int64_t *weight, int n_species,
                          struct rd_error *e)
{
    int n = 0;
    for (int s = 0; s < n_species; s++)
        n += weight[s] != 0;
    struct rd_sparse *const more = realloc(b->of, ((size_t)b->n + 1) * sizeof *more);
    struct rd_entry *const entry = malloc(((size_t)n + 1) * sizeof *entry);
    b->of = more ? more : b->of;
    if (!more || !entry) {
        free(entry);
        return rd_fail(e, "out of memory for the balance of %d species", n_species);
    }
    more[b->n++] = (struct rd_sparse){.entry = entry, .n = n};
    for (int s = 0, i = 0; s < n_species; s++)
        if (weight[s] != 0)
            entry[i++] = (struct rd_entry){s, weight[s]};
    return true;
}

void rd_weighted_sums_free(struct rd_weighted_sums *b)
{
    for (int i = 0; i < b->n; i++)
        rd_sparse_free(&b->of[i]);
    free(b->of);
    *b = (struct rd_weighted_sums){0};
}
