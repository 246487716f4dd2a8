/* number_lists - lists of numbers in one array; separate because two files use them. */
#include "modes/number_lists.h"

#include <stdlib.h>

bool rd_number_lists_open(struct rd_number_lists *l, int n, int64_t n_numbers)
{
    l->begin = calloc((size_t)n + 2, sizeof *l->begin);
    l->of = malloc(((size_t)n_numbers + 1) * sizeof *l->of);
    return l->begin && l->of;
}

bool rd_number_lists_invert(struct rd_number_lists *l, int n, const struct rd_number_lists *from,
                            int n_from)
{
    if (!rd_number_lists_open(l, n, from->begin[n_from]))
        return false;
    for (int64_t i = 0; i < from->begin[n_from]; i++)
        l->begin[from->of[i] + 2]++;
    for (int i = 1; i <= n; i++)
        l->begin[i + 1] += l->begin[i];
    for (int32_t k = 0; k < n_from; k++)
        for (int64_t i = from->begin[k]; i < from->begin[k + 1]; i++)
            l->of[l->begin[from->of[i] + 1]++] = k;
    return true;
}

void rd_number_lists_free(struct rd_number_lists *l)
{
    free(l->begin);
    free(l->of);
    *l = (struct rd_number_lists){0};
}
