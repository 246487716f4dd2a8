/* weighted_choice - one of many items, with probability in proportion to weights that change after
   every draw, at a cost that does not depend on how many there are. */
#ifndef RD_EXACT_WEIGHTED_CHOICE_H
#define RD_EXACT_WEIGHTED_CHOICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Items of like weight share a group, whose bound is above all their weights. Group 0 holds those
   of weight 0; the bounds of the others stand like 2, 3, 4, 6, 8, 12 ... */
enum { RD_LOTTERY_GROUPS = 128 };

struct rd_lottery {
    int32_t n_items;
    int32_t *order; /* the items by group: group g is order[start[g]] ... order[start[g + 1] - 1] */
    int32_t *place; /* where in order an item stands */
    uint8_t *group; /* of an item */
    int32_t start[RD_LOTTERY_GROUPS + 1];
    double bound[RD_LOTTERY_GROUPS];
    int32_t lowest, highest; /* groups but 0 that may hold items */
    uint64_t finest;         /* leading bits of the weights of group 1 */
    double total;            /* sum of the bounds of all items */
};

/* Bytes for n items, and a lottery in that memory, which is not owned. */
size_t rd_lottery_memory(int32_t n_items);
void rd_lottery_place(struct rd_lottery *l, int32_t n_items, int32_t *memory);

/* All weights become 0. Those that will be below the finest share one bound of its size. */
void rd_lottery_clear(struct rd_lottery *l, double finest);

/* The item gets a weight; false, and no change, if it is not in [0, 2^63 finest). */
bool rd_lottery_weigh(struct rd_lottery *l, int32_t item, double weight);

/* The item that aim, uniform in [0, total), falls on, and its bound. Every item is found with
   probability bound / total: whoever then keeps it with probability weight / bound draws by weight.
   -1 if aim lies outside, or where rounding lets it pass all items by. */
int32_t rd_lottery_draw(const struct rd_lottery *l, double aim, double *bound);

/* Has the memory fetched that a draw with this aim will read, and changes nothing. */
void rd_lottery_fetch(const struct rd_lottery *l, double aim);

#endif
