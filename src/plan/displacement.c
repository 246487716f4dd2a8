/* displacement - displacement distributions of a walk along one axis by uniformisation (Jensen
   1953). All terms are positive, so that no digits cancel. The truncated parts, of hops and of
   jumps, have less than 2^-33 of the probability of leaving; slow species are as exact as fast
   ones. */
#include "plan/displacement.h"

#include <stdlib.h>

/* Gives the probability that is cut off, 2^-34: half of it at the number of hops, half at rare
   jumps. */
static const double cut = 1.0 / 17179869184.0;

enum { JUMPS_MOST = 512 };

/* Holds the probabilities of 0, 1, ... hops in the step, and of at least so many. */
struct jump_moments {
    int n; /* last number of hops that is kept */
    double probability[JUMPS_MOST + 2], at_least[JUMPS_MOST + 2];
};

/* Computes Poisson probabilities with the mean. The truncated tail is less than `cut` of the
   probability of any hop. */
static void jumps_make(struct jump_moments *j, double mean)
{
    double probability = rd_exp(-mean);
    for (int m = 0; m <= JUMPS_MOST + 1; m++) {
        j->probability[m] = probability;
        probability *= mean / (double)(m + 1);
    }
    double tail = 0.0;
    for (int m = JUMPS_MOST + 1; m >= 0; m--)
        j->at_least[m] = tail += j->probability[m];
    j->n = 1;
    while (j->n < JUMPS_MOST && j->at_least[j->n + 1] > cut * -rd_expm1(-mean))
        j->n++;
}

/* Grows an array to hold n + 1 entries of the size. */
static bool reserve_displacements(void **array, int64_t n, size_t size, struct rd_error *e)
{
    /* grows in powers of two, so that the cost of n additions is linear */
    if (n > 16 && (n & (n - 1)) != 0)
        return true;
    void *const grown = realloc(*array, (size_t)(n < 16 ? 16 : 2 * n) * size);
    if (!grown)
        return rd_fail(e, "out of memory for the tables of movement");
    *array = grown;
    return true;
}

/* Describes the displacement distribution from one place. The displacement shift = -reach .. reach
   has index reach + shift. lost[end][m]: probability of absorption at that end at the m-th hop. */
struct jump_spread {
    int reach; /* largest displacement: jumps.n */
    double *probability;
    double *now, *next; /* with the same indices, after m hops */
    double *lost[2];
    double taken[2]; /* [end]: probability of absorption within the step */
};

static bool spread_make(struct jump_spread *s, int reach, struct rd_error *e)
{
    const size_t places = (size_t)(2 * reach + 3), jumps = (size_t)(reach + 2);
    double *const all = calloc(3 * places + 2 * jumps, sizeof *all);
    if (!all)
        return rd_fail(e, "out of memory for the tables of movement");
    s->reach = reach;
    s->probability = all;
    s->now = all + places;
    s->next = all + 2 * places;
    s->lost[0] = all + 3 * places;
    s->lost[1] = s->lost[0] + jumps;
    return true;
}

/* Makes one hop of the walk that began at place i: from `now` to `next`, then swaps them. */
static void spread_jump(struct jump_spread *s, const struct rd_walk_of *walk, bool is_inner,
                        int32_t i, int m)
{
    const double forward = walk->forward / (walk->forward + walk->back), back = 1.0 - forward;
    const int width = 2 * s->reach + 1;
    memset(s->next, 0, (size_t)width * sizeof *s->next);
    for (int k = 0; k < width; k++) {
        const double here = s->now[k];
        if (here == 0.0)
            continue;
        const int32_t at = i + (k - s->reach);
        const bool is_low = !is_inner && at == 0, is_high = !is_inner && at == walk->n - 1;
        const double up = here * forward, down = here * back;
        if (is_high) {
            s->lost[1][m] += up * walk->take[1];
            s->next[k] += up * (1.0 - walk->take[1]);
        } else if (k + 1 < width) {
            s->next[k + 1] += up;
        }
        if (is_low) {
            s->lost[0][m] += down * walk->take[0];
            s->next[k] += down * (1.0 - walk->take[0]);
        } else if (k > 0) {
            s->next[k - 1] += down;
        }
    }
    double *const swap = s->now;
    s->now = s->next;
    s->next = swap;
}

/* Computes the distribution of a whole step from place i, or from a place far from both ends. */
static void spread_step(struct jump_spread *s, const struct rd_walk_of *walk, bool is_inner,
                        int32_t i, const struct jump_moments *j)
{
    const int width = 2 * s->reach + 1;
    memset(s->probability, 0, (size_t)width * sizeof *s->probability);
    memset(s->now, 0, (size_t)width * sizeof *s->now);
    for (int end = 0; end < 2; end++) {
        memset(s->lost[end], 0, (size_t)(s->reach + 2) * sizeof(double));
        s->taken[end] = 0.0;
    }
    s->now[s->reach] = 1.0;
    for (int m = 0; m <= j->n; m++) {
        if (m > 0)
            spread_jump(s, walk, is_inner, i, m);
        for (int k = 0; k < width; k++)
            s->probability[k] += j->probability[m] * s->now[k];
        for (int end = 0; end < 2; end++)
            s->taken[end] += s->lost[end][m] * j->at_least[m];
    }
}

/* Describes a jump and its probability, for sorting. */
struct weighed {
    double probability;
    int32_t shift;
};

static int by_probability(const void *a, const void *b)
{
    const struct weighed *const x = a, *const y = b;
    if (x->probability != y->probability)
        return x->probability < y->probability ? 1 : -1;
    return (x->shift > y->shift) - (x->shift < y->shift);
}

static uint32_t threshold(double share)
{
    return share >= 1.0 ? UINT32_MAX : (uint32_t)(share * 4294967296.0);
}

/* Lists all jumps; returns their number. */
static int spread_list(const struct jump_spread *s, struct weighed *list)
{
    int n = 0;
    for (int k = 0; k <= 2 * s->reach; k++)
        if (k != s->reach && s->probability[k] > 0.0)
            list[n++] = (struct weighed){s->probability[k], k - s->reach};
    if (s->taken[0] > 0.0)
        list[n++] = (struct weighed){s->taken[0], RD_LOST_LOW};
    if (s->taken[1] > 0.0)
        list[n++] = (struct weighed){s->taken[1], RD_LOST_HIGH};
    return n;
}

/* Sorts the jumps by falling probability and removes the rarest. Returns the number of those
   that remain; *all is the probability of all jumps. */
static int sort_and_cut(struct weighed *list, int n, double *all)
{
    qsort(list, (size_t)n, sizeof *list, by_probability);
    *all = 0.0;
    for (int k = n - 1; k >= 0; k--) /* adds the smallest first, to keep the digits of the sum */
        *all += list[k].probability;
    double rest = 0.0;
    while (n > 1 && rest + list[n - 1].probability < cut * *all)
        rest += list[--n].probability;
    return n;
}

/* Adds the distribution of the hop at which the walk was absorbed at the end, as thresholds. Sets
   number to its index, or to -1 if it is never absorbed there. */
static bool add_when(struct rd_displacements *displacements, const struct jump_spread *s, int end,
                     double mean, const struct jump_moments *j, int32_t *number, struct rd_error *e)
{
    *number = -1;
    if (s->taken[end] <= 0.0)
        return true;
    if (!reserve_displacements((void **)&displacements->when, displacements->n_when,
                               sizeof *displacements->when, e))
        return false;
    *number = (int32_t)displacements->n_when++;
    displacements->when[*number] =
        (struct rd_when){.mean = mean, .first = (int32_t)displacements->n_when_below, .n = j->n};
    double sum = 0.0;
    for (int m = 1; m <= j->n; m++) {
        if (!reserve_displacements((void **)&displacements->when_below, displacements->n_when_below,
                                   sizeof *displacements->when_below, e))
            return false;
        sum += s->lost[end][m] * j->at_least[m];
        displacements->when_below[displacements->n_when_below++] = threshold(sum / s->taken[end]);
    }
    return true;
}

/* Adds a displacement distribution with the n jumps listed; times of absorption are not set. */
static bool add_jumps(struct rd_displacements *displacements, struct weighed *list, int n,
                      struct rd_error *e)
{
    if (!reserve_displacements((void **)&displacements->displacement, displacements->n_displacement,
                               sizeof *displacements->displacement, e))
        return false;
    struct rd_displacement displacement = {.first = (int32_t)displacements->n_jump,
                                           .lost = {-1, -1}};
    displacement.n = sort_and_cut(list, n, &displacement.leave);
    double sum = 0.0;
    for (int k = 0; k < displacement.n; k++) {
        if (!reserve_displacements((void **)&displacements->jump, displacements->n_jump,
                                   sizeof *displacements->jump, e))
            return false;
        sum += list[k].probability;
        displacements->jump[displacements->n_jump++] = (struct rd_jump){
            .below = k == displacement.n - 1 ? UINT32_MAX : threshold(sum / displacement.leave),
            .shift = list[k].shift};
    }
    displacements->displacement[displacements->n_displacement++] = displacement;
    return true;
}

/* Adds the displacement distribution of the last walk, with times of absorption at both ends. */
static bool add_displacement(struct rd_displacements *displacements, const struct jump_spread *s,
                             double mean, const struct jump_moments *j, struct rd_error *e)
{
    struct weighed list[2 * JUMPS_MOST + 4];
    if (!add_jumps(displacements, list, spread_list(s, list), e))
        return false;
    int32_t *const lost = displacements->displacement[displacements->n_displacement - 1].lost;
    return add_when(displacements, s, 0, mean, j, &lost[0], e) &&
           add_when(displacements, s, 1, mean, j, &lost[1], e);
}

/* Returns the largest displacement in the distribution with that index. */
static int32_t displacement_reach(const struct rd_displacements *displacements, int64_t number)
{
    int32_t reach = 0;
    const struct rd_displacement *const displacement = &displacements->displacement[number];
    for (int32_t k = 0; k < displacement->n; k++) {
        const int32_t shift = displacements->jump[displacement->first + k].shift;
        const int32_t far = shift < 0 ? -shift : shift;
        reach = far > reach ? far : reach;
    }
    return reach;
}

static bool add_displacements(struct rd_displacements *displacements, const struct rd_walk_of *walk,
                              struct rd_axis_table *axis_table, struct jump_spread *s,
                              const struct jump_moments *j, struct rd_error *e)
{
    const double mean = walk->forward + walk->back;
    const int64_t first = displacements->n_displacement, first_jump = displacements->n_jump;
    axis_table->first = (int32_t)first;
    spread_step(s, walk, true, 0, j);
    if (!add_displacement(displacements, s, mean, j, e))
        return false;
    if (walk->wraps)
        return true;
    const int32_t reach = displacement_reach(displacements, first);
    displacements->n_displacement = first; /* the inner distribution is added again at its index */
    displacements->n_jump = first_jump;
    const bool has_inner = walk->n > 2 * reach;
    axis_table->reach = has_inner ? reach : walk->n;
    const int32_t n_displacements = has_inner ? 2 * reach + 1 : walk->n;
    for (int32_t r = 0; r < n_displacements; r++) {
        const int32_t i = r <= reach || !has_inner ? r : walk->n - n_displacements + r;
        spread_step(s, walk, has_inner && r == reach, i, j);
        if (!add_displacement(displacements, s, mean, j, e))
            return false;
    }
    return true;
}

/* Adds the distribution of a walk that never moves. */
static bool add_rest(struct rd_displacements *displacements, struct rd_axis_table *axis_table,
                     struct rd_error *e)
{
    if (!reserve_displacements((void **)&displacements->displacement, displacements->n_displacement,
                               sizeof *displacements->displacement, e) ||
        !reserve_displacements((void **)&displacements->jump, displacements->n_jump,
                               sizeof *displacements->jump, e))
        return false;
    axis_table->first = (int32_t)displacements->n_displacement;
    displacements->displacement[displacements->n_displacement++] =
        (struct rd_displacement){.first = (int32_t)displacements->n_jump, .n = 1, .lost = {-1, -1}};
    displacements->jump[displacements->n_jump++] = (struct rd_jump){UINT32_MAX, 0};
    return true;
}

bool rd_displacements_add(struct rd_displacements *displacements, const struct rd_walk_of *walk,
                          struct rd_axis_table *axis_table, struct rd_error *e)
{
    const double mean = walk->forward + walk->back;
    assert(mean <= RD_DISPLACEMENTS_MOST * 1.0001);
    axis_table->wraps = walk->wraps;
    axis_table->reach = 0;
    const bool is_shut = walk->take[0] <= 0.0 && walk->take[1] <= 0.0;
    if (mean <= 0.0 || (walk->n == 1 && (walk->wraps || is_shut)))
        return add_rest(displacements, axis_table, e);
    struct jump_moments j;
    jumps_make(&j, mean);
    struct jump_spread s = {0};
    if (!spread_make(&s, j.n, e))
        return false;
    const struct jump_spread owned = s; /* `now` and `next` are swapped in s */
    const bool ok = add_displacements(displacements, walk, axis_table, &s, &j, e);
    free(owned.probability);
    return ok;
}

/* Sums over the first success, which is the k-th attempt with probability share (1 - share)^(k -
   1). The other attempts of the Poisson number follow it. */
bool rd_displacements_add_tries(struct rd_displacements *displacements, double mean, double share,
                                int32_t *number, struct rd_error *e)
{
    struct jump_moments j;
    jumps_make(&j, mean);
    struct weighed list[JUMPS_MOST + 1];
    for (int m = 0; m < j.n; m++) {
        double probability = 0.0, first = share;
        for (int k = 1; m + k <= j.n; k++, first *= 1.0 - share)
            probability += first * j.probability[m + k];
        list[m] = (struct weighed){probability, m};
    }
    *number = (int32_t)displacements->n_displacement;
    return add_jumps(displacements, list, j.n, e);
}

void rd_displacements_free(struct rd_displacements *displacements)
{
    free(displacements->displacement);
    free(displacements->jump);
    free(displacements->when);
    free(displacements->when_below);
    *displacements = (struct rd_displacements){0};
}
