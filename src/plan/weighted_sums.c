/* weighted_sums - weighted sums of species: net changes of reactions, or conservation laws. */
#include "plan/weighted_sums.h"

#include <stdlib.h>

bool rd_weighted_sums_add(struct rd_weighted_sums *b, const int32_t *number, int n_species,
                          struct rd_error *e)
{
    int n = 0;
    for (int s = 0; s < n_species; s++)
        n += number[s] != 0;
    struct rd_weighted_sum *const more = realloc(b->of, ((size_t)b->n + 1) * sizeof *more);
    struct rd_term *const term = malloc(((size_t)n + 1) * sizeof *term);
    b->of = more ? more : b->of;
    if (!more || !term) {
        free(term);
        return rd_fail(e, "out of memory for the balance of %d species", n_species);
    }
    more[b->n++] = (struct rd_weighted_sum){.term = term, .n = n};
    for (int s = 0, i = 0; s < n_species; s++)
        if (number[s] != 0)
            term[i++] = (struct rd_term){.species = s, .number = number[s]};
    return true;
}

void rd_weighted_sums_free(struct rd_weighted_sums *b)
{
    for (int i = 0; i < b->n; i++)
        free(b->of[i].term);
    free(b->of);
    *b = (struct rd_weighted_sums){0};
}

int64_t rd_weighted_sum_divisor(int64_t a, int64_t b)
{
    while (b != 0) {
        const int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a < 0 ? -a : a;
}
