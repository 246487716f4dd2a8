/* weighted_choice - draws one of many items with probability in proportion to its weight. Weights
   may change after every draw; the cost does not depend on the number of items. */
#ifndef RD_EXACT_WEIGHTED_CHOICE_H
#define RD_EXACT_WEIGHTED_CHOICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Gives the number of groups. Items of similar weight share a group, whose bound is above all their
   weights. Group 0 holds items of weight 0; the other bounds are in proportion to 2, 3, 4, 6, 8, 12
   ... */
enum { RD_WEIGHTED_CHOICE_GROUPS = 128 };

struct rd_weighted_choice {
    int32_t n_items;
    int32_t *order; /* [index]: items sorted by group; group g has indices start[g] to
                       start[g + 1] - 1 */
    int32_t *place; /* [item]: index in order */
    uint8_t *group; /* [item] */
    int32_t start[RD_WEIGHTED_CHOICE_GROUPS + 1];
    double bound[RD_WEIGHTED_CHOICE_GROUPS];
    int32_t lowest, highest; /* groups except 0 that may hold items */
    uint64_t finest;         /* leading bits of the weights of group 1 */
    double total;            /* sum of the bounds of all items */
};

/* Returns the bytes for n items. rd_lottery_place sets up l in such memory, which it does not
   own. */
size_t rd_weighted_choice_memory(int32_t n_items);
void rd_weighted_choice_place(struct rd_weighted_choice *l, int32_t n_items, int32_t *memory);

/* Sets all weights to 0. Later weights below `finest` share one bound of about that size. */
void rd_weighted_choice_clear(struct rd_weighted_choice *l, double finest);

/* Sets the weight of the item. Returns false, without a change, if it is not in
   [0, 2^63 finest). */
bool rd_weighted_choice_weigh(struct rd_weighted_choice *l, int32_t item, double weight);

/* Returns the item selected by aim, uniform in [0, total), and sets *bound to its bound. Each item
   is selected with probability bound / total; accept it with probability weight / bound to draw by
   weight. Returns -1 if aim lies outside, or passes all items because of rounding. */
int32_t rd_weighted_choice_draw(const struct rd_weighted_choice *l, double aim, double *bound);

/* Prefetches the memory that a draw with this aim will read; changes nothing. */
void rd_weighted_choice_fetch(const struct rd_weighted_choice *l, double aim);

#endif
