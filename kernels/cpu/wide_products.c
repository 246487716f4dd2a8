/* wide_products - the events of one voxel in wide registers. Lane l of vector i holds reaction
   l * n + i, where n is the number of vectors: consecutive reactions stand in one lane, so that an
   addition of vectors adds eight sums in canonical order.

   The sum of all propensities is computed in the order that block_sums.h defines, 32 additions one
   after the other. Only the time of the event waits for it. The reaction is selected by sums of
   another order, which are ready earlier. If their rounding could matter, which is found by a
   margin, the selection is repeated in the order of the definition. */
#include "kernels/cpu/wide_products.h"

#include <stdlib.h>

#if defined(__x86_64__) && defined(__gnu_linux__)

#include <immintrin.h>

/* Qualifies functions that are compiled for these registers. */
#define AVX512        __attribute__((target("avx512f,avx512dq,popcnt")))
#define AVX512_INLINE static inline AVX512 __attribute__((always_inline))

/* Sets the bytes of a cache line, the numbers of a vector, the largest numbers of reactions and of
   values (counts, and 1), and the least reactions for which this is faster than narrow registers.
 */
enum {
    LINE = 64,
    LANES = 8,
    REACTIONS = 4 * RD_REACTIONS_IN_BLOCK,
    VALUES = 4 * LANES,
    LEAST_REACTIONS = 10
};

/* Bounds the relative rounding errors of the sums that select, with room to spare: so often that a
   test finds it, the selection is repeated. */
#define MARGIN 0x1p-20

struct rd_wide_products {
    const struct rd_world *w;
    int32_t n_reactions, n_species, n_vectors; /* vectors of propensities: 4, 8 or 16 */
    _Alignas(LINE) double product[REACTIONS];  /* propensities: [vector][lane] */
    double upto[LANES + REACTIONS]; /* the same: sums in each lane up to the vector; zeros before */
    double rate[REACTIONS], less[REACTIONS]; /* less is taken from the second factor */
    int64_t factor[2][REACTIONS];            /* values; negative from 16 on */
    double change[REACTIONS][VALUES];        /* [reaction][value]: by an event */
};

static bool is_of_counts(const struct rd_mass_action *p, int32_t n_species)
{
    return p->factor[0] >= 0 && p->factor[0] <= n_species;
}

bool rd_wide_products_suit(const struct rd_world *w)
{
    const struct rd_reactions *const all = &w->reactions;
    bool suits = all->n_reactions >= LEAST_REACTIONS && all->n_reactions <= REACTIONS &&
                 w->counts.n_species < VALUES && __builtin_cpu_supports("avx512f") &&
                 __builtin_cpu_supports("avx512dq");
    for (int32_t r = 0; r < all->n_reactions && suits; r++)
        suits = is_of_counts(&all->product[r], w->counts.n_species);
    return suits;
}

/* Returns where the reaction stands in tables of vectors. */
static int32_t place_of(const struct rd_wide_products *x, int32_t reaction)
{
    return reaction % x->n_vectors * LANES + reaction / x->n_vectors;
}

/* Sets a factor of the product: 1 stands behind the counts, and counts less 1 are counts. */
static void set_factor(struct rd_wide_products *x, int32_t place, int k, int32_t factor)
{
    const bool is_less = factor > x->n_species;
    const int64_t value = factor == 0 ? x->n_species : factor - 1 - (is_less ? x->n_species : 0);
    x->less[place] = is_less ? 1.0 : 0.0; /* of the second factor, which is set last */
    x->factor[k][place] = value < VALUES / 2 ? value : value - VALUES;
}

static void set_reaction(struct rd_wide_products *x, const struct rd_reactions *all, int32_t r)
{
    const struct rd_mass_action *const product = &all->product[r];
    const struct rd_channel *const c = &all->channel[r];
    const int32_t place = place_of(x, r);
    x->rate[place] = product->rate;
    for (int k = 0; k < 2; k++)
        set_factor(x, place, k, product->factor[k]);
    for (int32_t i = 0; i < c->n_changes; i++)
        x->change[r][all->change[c->change + i].species] = all->change[c->change + i].number;
}

struct rd_wide_products *rd_wide_products_open(const struct rd_world *w)
{
    struct rd_wide_products *const x =
        rd_wide_products_suit(w) ? aligned_alloc(LINE, sizeof(struct rd_wide_products)) : NULL;
    if (!x)
        return NULL;
    const int32_t n = w->reactions.n_reactions;
    memset(x, 0, sizeof *x);
    x->n_reactions = n;
    x->n_species = w->counts.n_species;
    x->n_vectors = n <= RD_REACTIONS_IN_BLOCK ? 4 : n <= 2 * RD_REACTIONS_IN_BLOCK ? 8 : 16;
    x->w = w;
    for (int32_t r = 0; r < n; r++)
        set_reaction(x, &w->reactions, r);
    return x;
}

/* Returns the values with these numbers, of n_values vectors of values. */
AVX512_INLINE __m512d look_up(const __m512d *value, const int n_values, const int64_t *number)
{
    const __m512i at = _mm512_load_si512(number);
    const __mmask8 is_high = _mm512_movepi64_mask(at);
    const __m512d low = _mm512_permutex2var_pd(value[0], at, value[1]);
    if (n_values == 2)
        return low;
    if (n_values == 3)
        return _mm512_mask_permutexvar_pd(low, is_high, at, value[2]);
    return _mm512_mask_blend_pd(is_high, low, _mm512_permutex2var_pd(value[2], at, value[3]));
}

/* Returns the vector with each number in the next lane, and 0 in the first one. */
AVX512_INLINE __m512d move_up(__m512d a, const int lanes)
{
    const __m512i lane = _mm512_set_epi64(7, 6, 5, 4, 3, 2, 1, 0);
    const __m512i from = _mm512_sub_epi64(lane, _mm512_set1_epi64(lanes));
    return _mm512_maskz_permutexvar_pd((__mmask8)(0xff << lanes), from, a);
}

/* Computes all propensities. Returns their sums in each lane. */
AVX512_INLINE __m512d multiply_all(struct rd_wide_products *x, const __m512d *value,
                                   const int n_values, const int n_vectors)
{
    __m512d sum = _mm512_setzero_pd();
    for (int i = 0; i < n_vectors * LANES; i += LANES) {
        const __m512d first = look_up(value, n_values, &x->factor[0][i]),
                      second = _mm512_sub_pd(look_up(value, n_values, &x->factor[1][i]),
                                             _mm512_load_pd(&x->less[i])),
                      a = _mm512_mul_pd(_mm512_mul_pd(_mm512_load_pd(&x->rate[i]), first), second);
        sum = _mm512_add_pd(sum, a);
        _mm512_store_pd(&x->product[i], a);
        _mm512_store_pd(&x->upto[LANES + i], sum);
    }
    return sum;
}

/* Returns the sum of all propensities in the order of the definition, from those in each lane: a
   block stands in 32 / n_vectors lanes, and its sum goes on from one of them to the next. */
AVX512_INLINE double add_in_order(const struct rd_wide_products *x, __m512d sum,
                                  const int n_vectors)
{
    const int lanes = RD_REACTIONS_IN_BLOCK / n_vectors;
    for (int l = 1; l < lanes; l++) {
        sum = move_up(sum, 1);
        for (int i = 0; i < n_vectors * LANES; i += LANES)
            sum = _mm512_add_pd(sum, _mm512_load_pd(&x->product[i]));
    }
    double lane[LANES], all = 0.0;
    _mm512_storeu_pd(lane, sum);
    for (int l = lanes - 1; l < LANES; l += lanes)
        all += lane[l];
    return all;
}

/* Returns the sums over all lanes up to each one. */
AVX512_INLINE __m512d add_lanes(__m512d a)
{
    a = _mm512_add_pd(a, move_up(a, 1));
    a = _mm512_add_pd(a, move_up(a, 2));
    return _mm512_add_pd(a, move_up(a, 4));
}

/* Returns the reaction that aim, below the sum of all, selects; by the order of the definition. */
static int32_t choose_in_order(const struct rd_wide_products *x, double aim)
{
    double all = 0.0;
    for (int32_t begin = 0; begin < x->n_reactions; begin += RD_REACTIONS_IN_BLOCK) {
        const int32_t end = rd_block_end(begin, 1, x->n_reactions);
        double block = 0.0, sum = 0.0;
        for (int32_t r = begin; r < end; r++)
            block += x->product[place_of(x, r)];
        const double in_block = rd_aim_below(aim - all, block);
        all += block;
        if (!(all > aim) && end < x->n_reactions)
            continue;
        for (int32_t r = begin; r < end; r++)
            if ((sum += x->product[place_of(x, r)]) > in_block)
                return r;
    }
    return x->n_reactions;
}

/* Returns the reaction that the selector, in (0, 1), selects. in_lane and sum are the sums of each
   lane in any order, and of all in the order of the definition. */
AVX512_INLINE int32_t choose(struct rd_wide_products *x, __m512d in_lane, double sum,
                             double selector, const int n_vectors)
{
    const __m512d to = add_lanes(in_lane),
                  all = _mm512_permutexvar_pd(_mm512_set1_epi64(LANES - 1), to),
                  aim = _mm512_mul_pd(all, _mm512_set1_pd(selector)),
                  rest = _mm512_sub_pd(aim, move_up(to, 1));
    double in_lanes[LANES];             /* the aim within each lane */
    __m512i n = _mm512_setzero_si512(); /* vectors whose sums are not above the rest */
    for (int i = LANES; i <= n_vectors * LANES; i += LANES)
        n = _mm512_mask_add_epi64(n,
                                  _mm512_cmp_pd_mask(_mm512_load_pd(&x->upto[i]), rest, _CMP_LE_OQ),
                                  n, _mm512_set1_epi64(1));
    const int lane = __builtin_popcount(_mm512_cmp_pd_mask(to, aim, _CMP_LE_OQ));
    const __m512i found = _mm512_permutexvar_epi64(_mm512_set1_epi64(lane), n);
    const int vector = (int)_mm_cvtsi128_si32(_mm512_castsi512_si128(found));
    _mm512_storeu_pd(in_lanes, rest);
    if (lane < LANES && vector < n_vectors) {
        const double left = in_lanes[lane], margin = sum * MARGIN;
        if (left - margin >= x->upto[vector * LANES + lane] &&
            left + margin < x->upto[(vector + 1) * LANES + lane])
            return lane * n_vectors + vector;
    }
    return choose_in_order(x, rd_aim_below(selector * sum, sum));
}

/* Adds the changes of the reaction to the values. Returns false, without a change, if a count
   becomes too large; none becomes negative, since a product is 0 without its reactants. */
AVX512_INLINE bool change_values(const struct rd_wide_products *x, __m512d *value,
                                 const int n_values, int32_t reaction)
{
    const __m512d most = _mm512_set1_pd(INT32_MAX);
    __m512d after[VALUES / LANES];
    unsigned too_large = 0;
    for (int i = 0; i < n_values; i++) {
        after[i] = _mm512_add_pd(value[i], _mm512_load_pd(&x->change[reaction][i * LANES]));
        too_large |= _mm512_cmp_pd_mask(after[i], most, _CMP_GT_OQ);
    }
    for (int i = 0; i < n_values && too_large == 0; i++)
        value[i] = after[i];
    return too_large == 0;
}

/* Simulates the events with n_values vectors of counts and n_vectors of propensities. */
AVX512_INLINE bool run_events(struct rd_wide_products *x, struct rd_event_draws *draws,
                              int64_t *fired, __m512d *value, const int n_values,
                              const int n_vectors)
{
    for (;;) {
        const __m512d in_lane = multiply_all(x, value, n_values, n_vectors);
        const double sum = add_in_order(x, in_lane, n_vectors);
        if (!(sum > 0.0 && sum < INFINITY))
            return sum == 0.0;
        const double left = rd_left_after_event(draws, sum);
        if (left <= 0.0)
            return true;
        const int32_t r = choose(x, in_lane, sum, rd_event_selector(draws), n_vectors);
        if (r >= x->n_reactions || draws->stream.counter[0] == x->w->reactions.max_events ||
            !change_values(x, value, n_values, r))
            return false;
        rd_event_draws_advance(draws, left);
        fired[r]++;
    }
}

/* Simulates the events of a voxel with n_values vectors of counts. */
AVX512_INLINE bool react_with(struct rd_wide_products *x, struct rd_event_draws *draws,
                              int32_t *count, int64_t *fired, const int n_values)
{
    double number[VALUES] = {0};
    __m512d value[VALUES / LANES];
    for (int32_t s = 0; s < x->n_species; s++)
        number[s] = count[s];
    number[x->n_species] = 1.0;
    for (int i = 0; i < n_values; i++)
        value[i] = _mm512_loadu_pd(number + i * LANES);
    const bool is_over = x->n_vectors == 4   ? run_events(x, draws, fired, value, n_values, 4)
                         : x->n_vectors == 8 ? run_events(x, draws, fired, value, n_values, 8)
                                             : run_events(x, draws, fired, value, n_values, 16);
    for (int i = 0; i < n_values; i++)
        _mm512_storeu_pd(number + i * LANES, value[i]);
    for (int32_t s = 0; s < x->n_species; s++)
        count[s] = (int32_t)number[s];
    return is_over;
}

AVX512 bool rd_wide_products_react(struct rd_wide_products *x, struct rd_event_draws *draws,
                                   int32_t *count, int64_t *fired)
{
    const int32_t n_values = x->n_species / LANES + 1;
    return n_values <= 2   ? react_with(x, draws, count, fired, 2)
           : n_values == 3 ? react_with(x, draws, count, fired, 3)
                           : react_with(x, draws, count, fired, 4);
}

#else

bool rd_wide_products_suit(const struct rd_world *w)
{
    (void)w;
    return false;
}

struct rd_wide_products *rd_wide_products_open(const struct rd_world *w)
{
    (void)w;
    return NULL;
}

bool rd_wide_products_react(struct rd_wide_products *x, struct rd_event_draws *draws,
                            int32_t *count, int64_t *fired)
{
    (void)x, (void)draws, (void)count, (void)fired;
    return false;
}

#endif

void rd_wide_products_close(struct rd_wide_products *x)
{
    free(x);
}
