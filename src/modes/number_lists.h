/* number_lists - lists of numbers in one array; separate because siphons and the reactions that can
   never happen use them. */
#ifndef RD_NUMBER_LISTS_H
#define RD_NUMBER_LISTS_H

#include <stdbool.h>
#include <stdint.h>

/* Holds lists of numbers: list i is of[begin[i]] to of[begin[i + 1] - 1]. A zero-initialised struct
   is empty. */
struct rd_number_lists {
    int64_t *begin; /* owned */
    int32_t *of;    /* owned */
};

/* Makes n empty lists with room for n_numbers. Returns false if there is no memory. */
bool rd_number_lists_open(struct rd_number_lists *l, int n, int64_t n_numbers);
/* Lists, for each of n numbers, the lists that have it, in rising order. Returns false if there is
   no memory. */
bool rd_number_lists_invert(struct rd_number_lists *l, int n, const struct rd_number_lists *from,
                            int n_from);
void rd_number_lists_free(struct rd_number_lists *l);

#endif
