/* lottery - one of many items, with chance in proportion to weights that change after every draw,
   at a cost that does not depend on how many there are. */
#ifndef RD_LOTTERY_H
#define RD_LOTTERY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Items of like weight share a group, whose bound exceeds all their weights. Group 0 holds those
   of weight 0; the others follow one another by 1/2 of a power of two: bounds 1, 1.5, 2, 3, 4 ...
 */
enum { RD_LOTTERY_GROUPS = 128 };

struct rd_lottery {
    double *weight; /* of each item; read it, write by rd_lottery_weigh */
    int32_t *order; /* items by group */
    int32_t *place; /* where in order an item stands */
    int32_t n_items;
    int32_t lowest, highest;              /* no item stands in a group below (but 0) or above */
    int32_t start[RD_LOTTERY_GROUPS + 1]; /* group g is order[start[g]] ... */
    double bound[RD_LOTTERY_GROUPS];
    uint64_t finest; /* leading bits of the weights of group 1 */
    double total;    /* sum of the bounds of all items */
};

/* Bytes for n items, and a lottery in that memory (aligned for double; not owned). */
size_t rd_lottery_memory(int32_t n_items);
void rd_lottery_place(struct rd_lottery *l, int32_t n_items, void *memory);

/* All weights become 0. Weights below the finest are drawn no more efficiently than it is. */
void rd_lottery_clear(struct rd_lottery *l, double finest);

/* The item's weight changes; false, and no change, if it is not in [0, 2^60 finest). */
bool rd_lottery_weigh(struct rd_lottery *l, int32_t item, double weight);

/* The item that aim, uniform in [0, total), falls on, and its bound: the draw counts with chance
   weight / bound, else nothing is drawn. -1 where rounding lets aim pass all items by. */
int32_t rd_lottery_draw(const struct rd_lottery *l, double aim, double *bound);

#endif
