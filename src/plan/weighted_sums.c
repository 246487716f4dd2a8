/* weighted_sums - lists of weighted sums of species. Stands apart because the elimination, the
   semiflows and the choice of laws share it. */
#include "plan/weighted_sums.h"

#include <stdlib.h>

/* Provides room for one more sum. */
static bool reserve_sum(struct rd_weighted_sums *b)
{
    if (b->n < b->capacity)
        return true;
    const int capacity = b->capacity + b->capacity / 2 + 16;
    struct rd_sparse *const more = realloc(b->of, (size_t)capacity * sizeof *more);
    if (!more)
        return false;
    b->of = more;
    b->capacity = capacity;
    return true;
}

bool rd_weighted_sums_add_entries(struct rd_weighted_sums *b, const struct rd_entry *entry, int n,
                                  struct rd_error *e)
{
    struct rd_entry *const own = malloc(((size_t)n + 1) * sizeof *own);
    if (!own || !reserve_sum(b)) {
        free(own);
        return rd_fail(e, "out of memory for a balance of %d species", n);
    }
    for (int i = 0; i < n; i++)
        own[i] = entry[i];
    b->of[b->n++] = (struct rd_sparse){.entry = own, .n = n};
    return true;
}

bool rd_weighted_sums_add(struct rd_weighted_sums *b, const int64_t *weight, int n_species,
                          struct rd_error *e)
{
    int n = 0;
    for (int s = 0; s < n_species; s++)
        n += weight[s] != 0;
    struct rd_entry *const entry = malloc(((size_t)n + 1) * sizeof *entry);
    if (!entry)
        return rd_fail(e, "out of memory for a balance of %d species", n_species);
    for (int s = 0, i = 0; s < n_species; s++)
        if (weight[s] != 0)
            entry[i++] = (struct rd_entry){s, weight[s]};
    const bool ok = rd_weighted_sums_add_entries(b, entry, n, e);
    free(entry);
    return ok;
}

void rd_weighted_sums_print(const struct rd_sparse *sum, char *const *name, FILE *out)
{
    for (int i = 0; i < sum->n; i++) {
        const int64_t weight = sum->entry[i].value;
        fputs(i == 0 ? (weight < 0 ? "-" : "") : weight < 0 ? " - " : " + ", out);
        if (weight != 1 && weight != -1)
            fprintf(out, "%lld ", llabs(weight));
        fputs(name[sum->entry[i].at], out);
    }
}

void rd_weighted_sums_free(struct rd_weighted_sums *b)
{
    for (int i = 0; i < b->n; i++)
        rd_sparse_free(&b->of[i]);
    free(b->of);
    *b = (struct rd_weighted_sums){0};
}
