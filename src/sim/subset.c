/* subset - chooses the molecules that are removed; all choices are equally likely.

   At any time the removed molecules are a subset that is uniform among those of its size. Two
   operations keep it so. One moves m molecules, chosen uniformly, from one side to the other. The
   other moves each molecule of a side with the same probability p, independently of the others: all
   outcomes with the same number of moved molecules are equally likely. With p = m / (size of the
   side) the second operation comes within a few sqrt(m) of the desired size, at the cost of one
   binomial number for each place. The difference is then moved in the same way; if it is small, one
   molecule after the other. Rounding of p changes no probability of the result. */
#include "sim/subset.h"

#include "kernels/core/draw.h"

#include <stdlib.h>

/* Molecules are moved one by one if they are at most PICKED_MOST, or at most one for every
   PLACES_EACH places. That costs about as much as a binomial number for each place. */
enum { PICKED_MOST = 64, PLACES_EACH = 8 };

/* Limits the places that are searched one after the other for a molecule. */
enum { BLOCK = 256 };

/* Holds the molecules on one side: number[i] in place i. */
struct subset_side {
    int32_t *number;
    int64_t sum;
};

struct choice {
    struct rd_stream *stream;
    int64_t n_places, n_blocks;
    int64_t *tree; /* Fenwick tree over the blocks of the side from which molecules are picked:
                      tree[k] is the sum of the k & -k blocks before block k */
};

static int64_t sum_of_numbers(const int32_t *number, int64_t n)
{
    int64_t sum = 0;
    for (int64_t i = 0; i < n; i++)
        sum += number[i];
    return sum;
}

static void build_tree(struct choice *c, const struct subset_side *from)
{
    for (int64_t k = 1; k <= c->n_blocks; k++) {
        const int64_t begin = (k - 1) * BLOCK, rest = c->n_places - begin;
        c->tree[k] = sum_of_numbers(from->number + begin, rest < BLOCK ? rest : BLOCK);
        for (int64_t span = 1; span < (k & -k); span *= 2)
            c->tree[k] += c->tree[k - span];
    }
}

/* Returns the place of the molecule with this rank, and removes it from the tree. */
static int64_t take_from_tree(struct choice *c, const struct subset_side *from, int64_t rank)
{
    int64_t block = 0, span = 1;
    while (2 * span <= c->n_blocks)
        span *= 2;
    for (; span > 0; span /= 2)
        if (block + span <= c->n_blocks && c->tree[block + span] <= rank) {
            block += span;
            rank -= c->tree[block];
        }
    for (int64_t k = block + 1; k <= c->n_blocks; k += k & -k)
        c->tree[k]--;
    int64_t place = block * BLOCK;
    for (; rank >= from->number[place]; place++)
        rank -= from->number[place];
    return place;
}

static void move_subset(struct subset_side *from, struct subset_side *to, int64_t place, int32_t n)
{
    from->number[place] -= n;
    to->number[place] += n;
    from->sum -= n;
    to->sum += n;
}

/* Moves m molecules, one after the other. */
static void move_picked(struct choice *c, struct subset_side *from, struct subset_side *to,
                        int64_t m)
{
    build_tree(c, from);
    for (; m > 0; m--) {
        const int64_t rank = (int64_t)rd_below(c->stream, (uint64_t)from->sum);
        move_subset(from, to, take_from_tree(c, from, rank), 1);
    }
}

/* Moves each molecule with probability m / (their sum). */
static void move_each(struct choice *c, struct subset_side *from, struct subset_side *to, int64_t m)
{
    const double p = (double)m / (double)from->sum;
    for (int64_t i = 0; i < c->n_places; i++)
        move_subset(from, to, i, (int32_t)rd_binomial(c->stream, from->number[i], p));
}

static void move_about(struct choice *c, struct subset_side *from, struct subset_side *to,
                       int64_t m)
{
    if (m < from->sum && (m <= PICKED_MOST || m <= c->n_places / PLACES_EACH))
        move_picked(c, from, to, m);
    else
        move_each(c, from, to, m);
}

bool rd_subset_remove(struct rd_stream *s, int32_t *here, int64_t n_places, int64_t n,
                      struct rd_error *e)
{
    struct choice c = {s, n_places, (n_places - 1) / BLOCK + 1, NULL};
    struct subset_side stay = {here, sum_of_numbers(here, n_places)}, gone = {NULL, 0};
    gone.number = calloc((size_t)n_places, sizeof *gone.number);
    c.tree = malloc((size_t)(c.n_blocks + 1) * sizeof *c.tree);
    const bool ok =
        (gone.number && c.tree) ||
        rd_fail(e, "out of memory for removing molecules from %lld voxels", (long long)n_places);
    if (ok && n > stay.sum / 2) /* move all, and then the fewer ones back */
        move_each(&c, &stay, &gone, stay.sum);
    while (ok && gone.sum != n) {
        if (gone.sum < n)
            move_about(&c, &stay, &gone, n - gone.sum);
        else
            move_about(&c, &gone, &stay, gone.sum - n);
    }
    free(gone.number);
    free(c.tree);
    return ok;
}
