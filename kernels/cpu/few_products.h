/* few_products - the propensities of at most two blocks of reactions, each the product of a rate
   and at most two counts. All of them are computed and added again before each event. This is
   faster than to look up which of them depend on a changed count, since nothing waits for the
   choice of a reaction except the counts, and no jump depends on it. */
#ifndef RD_CPU_FEW_PRODUCTS_H
#define RD_CPU_FEW_PRODUCTS_H

#include "kernels/core/entries.h"
#include "kernels/passes/reactions/block_sums.h"

/* Sets the most reactions, and the parts in which the selected one is looked for. */
enum { RD_FEW_PRODUCTS = 2 * RD_REACTIONS_IN_BLOCK, RD_FEW_PART = 8 };

/* Holds the sums of the propensities of each block up to each reaction. */
struct rd_few_sums {
    double upto[RD_FEW_PRODUCTS];
};

/* Returns whether all reactions are products, and few. */
static inline bool rd_are_few_products(const struct rd_mass_action *product, int32_t n_reactions)
{
    bool are_products = n_reactions <= RD_FEW_PRODUCTS;
    for (int32_t r = 0; r < n_reactions && are_products; r++)
        are_products = product[r].factor[0] >= 0;
    return are_products;
}

/* Sets the sums of reactions that do not exist, so that none of them is selected. */
static inline void rd_few_begin(struct rd_few_sums *sums)
{
    for (int i = 0; i < RD_FEW_PRODUCTS; i++)
        sums->upto[i] = INFINITY;
}

/* Adds the propensities of the reactions begin ... end - 1 in order; value[] has their factors. */
static inline double rd_few_add(struct rd_few_sums *sums, const struct rd_mass_action *product,
                                const double *value, int32_t begin, int32_t end)
{
    double sum = 0.0;
    for (int32_t r = begin; r < end; r++) {
        const struct rd_mass_action *const x = &product[r];
        sum += x->rate * value[x->factor[0]] * value[x->factor[1]];
        sums->upto[r] = sum;
    }
    return sum;
}

/* Computes the sums of both blocks. */
static inline struct rd_two_blocks rd_few_add_all(struct rd_few_sums *sums,
                                                  const struct rd_mass_action *product,
                                                  const double *value, int32_t n_reactions)
{
    const int32_t end = rd_block_end(0, 1, n_reactions);
    const double first = rd_few_add(sums, product, value, 0, end),
                 last = rd_few_add(sums, product, value, end, n_reactions);
    return (struct rd_two_blocks){first + last, first, last};
}

/* Returns the reaction that aim, below the sum of all, selects. */
static inline int32_t rd_few_choose(const struct rd_few_sums *sums,
                                    const struct rd_two_blocks *blocks, double aim)
{
    int32_t at = rd_is_in_first_block(blocks, &aim) ? 0 : RD_REACTIONS_IN_BLOCK;
    const double *const upto = sums->upto + at;
    int32_t part = 0;
    for (int i = RD_FEW_PART; i < RD_REACTIONS_IN_BLOCK; i += RD_FEW_PART)
        part += upto[i - 1] > aim ? 0 : RD_FEW_PART;
    at += part;
    for (int i = 0; i < RD_FEW_PART; i++)
        at += !(upto[part + i] > aim);
    return at;
}

#endif
