/* weighted_choice - composition and rejection (Slepoy, Thompson, Plimpton, J. Chem. Phys. 128,
   205101, 2008). A group is drawn in proportion to its number of items times its bound, then an
   item of it uniformly. The total is recomputed from the groups whenever an item changes its group,
   so that rounding errors do not accumulate. Most changes of a weight need only a comparison. */
#include "exact/weighted_choice.h"

#include "kernels/core/real.h"

/* Weights in a group have the same exponent and the same leading bit of the fraction. */
enum { GROUP_SHIFT = 51 };

static int32_t group_of(const struct rd_weighted_choice *l, double weight)
{
    if (weight == 0)
        return 0;
    const uint64_t leading = rd_bits_of(weight) >> GROUP_SHIFT;
    if (leading <= l->finest)
        return 1;
    const uint64_t above = leading - l->finest;
    return above < RD_WEIGHTED_CHOICE_GROUPS ? (int32_t)above + 1 : RD_WEIGHTED_CHOICE_GROUPS;
}

size_t rd_weighted_choice_memory(int32_t n_items)
{
    return (size_t)n_items * (2 * sizeof(int32_t) + sizeof(uint8_t));
}

void rd_weighted_choice_place(struct rd_weighted_choice *l, int32_t n_items, int32_t *memory)
{
    *l =
        (struct rd_weighted_choice){.n_items = n_items, .order = memory, .place = memory + n_items};
    l->group = (uint8_t *)(l->place + n_items);
}

void rd_weighted_choice_clear(struct rd_weighted_choice *l, double finest)
{
    const double most = 0x1p900; /* keeps every bound finite */
    l->finest = rd_bits_of(finest < most ? finest : most) >> GROUP_SHIFT;
    for (int32_t i = 0; i < l->n_items; i++) {
        l->order[i] = l->place[i] = i;
        l->group[i] = 0;
    }
    l->start[0] = 0;
    l->bound[0] = 0;
    for (int32_t g = 1; g < RD_WEIGHTED_CHOICE_GROUPS; g++) {
        l->start[g] = l->n_items;
        l->bound[g] = rd_real_of((l->finest + (uint64_t)g) << GROUP_SHIFT);
    }
    l->start[RD_WEIGHTED_CHOICE_GROUPS] = l->n_items;
    l->lowest = RD_WEIGHTED_CHOICE_GROUPS - 1;
    l->highest = 0;
    l->total = 0;
}

static void stand_at(struct rd_weighted_choice *l, int32_t item, int32_t place)
{
    l->order[place] = item;
    l->place[item] = place;
}

/* Swaps the item with the one at the edge of its group; the caller moves the edge past it. */
static void cross(struct rd_weighted_choice *l, int32_t item, int32_t edge)
{
    const int32_t other = l->order[edge], place = l->place[item];
    stand_at(l, other, place);
    stand_at(l, item, edge);
}

static int32_t size_of_group(const struct rd_weighted_choice *l, int32_t group)
{
    return l->start[group + 1] - l->start[group];
}

static void add_weights(struct rd_weighted_choice *l)
{
    while (l->highest > 0 && size_of_group(l, l->highest) == 0)
        l->highest--;
    while (l->lowest < l->highest && size_of_group(l, l->lowest) == 0)
        l->lowest++;
    l->total = 0;
    for (int32_t g = l->lowest; g <= l->highest; g++)
        l->total += size_of_group(l, g) * l->bound[g];
}

/* Moves the item up to another group, across the edges between. In a group without items, as all
   below the lowest are, it stays where it is. */
static void raise_item(struct rd_weighted_choice *l, int32_t item, int32_t from, int32_t to)
{
    cross(l, item, --l->start[from + 1]);
    const int32_t lowest = l->lowest < to ? l->lowest : to;
    int32_t g = from + 1;
    for (; g < lowest; g++)
        l->start[g + 1]--;
    for (; g < to; g++)
        cross(l, item, --l->start[g + 1]);
}

/* Moves the item down likewise. */
static void lower_item(struct rd_weighted_choice *l, int32_t item, int32_t from, int32_t to)
{
    int32_t g = from;
    for (; g > to && g >= l->lowest; g--)
        cross(l, item, l->start[g]++);
    for (; g > to; g--)
        l->start[g]++;
}

bool rd_weighted_choice_weigh(struct rd_weighted_choice *l, int32_t item, double weight)
{
    const int32_t from = l->group[item], to = group_of(l, weight);
    if (to == RD_WEIGHTED_CHOICE_GROUPS)
        return false;
    if (from == to)
        return true;
    l->group[item] = (uint8_t)to;
    if (to > from)
        raise_item(l, item, from, to);
    else
        lower_item(l, item, from, to);
    if (to > l->highest)
        l->highest = to;
    if (to > 0 && to < l->lowest)
        l->lowest = to;
    add_weights(l);
    return true;
}

/* Returns the index in order of the item selected by aim, or -1 if there is none. */
static int32_t place_at(const struct rd_weighted_choice *l, double aim, double *bound)
{
    if (aim < 0)
        return -1;
    for (int32_t g = l->highest; g >= l->lowest; g--) {
        const int32_t n = size_of_group(l, g);
        const double share = n * l->bound[g];
        if (aim < share) {
            const int32_t k = (int32_t)(aim / l->bound[g]);
            *bound = l->bound[g];
            return l->start[g] + (k < n ? k : n - 1);
        }
        aim -= share;
    }
    return -1;
}

int32_t rd_weighted_choice_draw(const struct rd_weighted_choice *l, double aim, double *bound)
{
    const int32_t place = place_at(l, aim, bound);
    return place < 0 ? -1 : l->order[place];
}

void rd_weighted_choice_fetch(const struct rd_weighted_choice *l, double aim)
{
    double bound;
    const int32_t place = place_at(l, aim, &bound);
    if (place >= 0)
        __builtin_prefetch(l->order + place);
}
