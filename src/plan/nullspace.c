/* nullspace - Gaussian elimination modulo a prime; the solutions are then reconstructed as integers
   and verified. */
#include "plan/nullspace.h"

#include <stdlib.h>

__extension__ typedef unsigned __int128 u128;

/* Gives the largest primes below 2^61, as differences from it. */
static const uint64_t prime_below[RD_ECHELON_PRIMES] = {
    1,    31,   45,   229,  259,  283,  339,  391,  403,  465,  531,  579,  675,  759,  799,  819,
    829,  843,  859,  939,  985,  1015, 1153, 1195, 1215, 1281, 1299, 1351, 1371, 1425, 1489, 1525,
    1533, 1543, 1609, 1621, 1669, 1741, 1753, 1813, 1845, 1849, 1855, 1863, 1869, 1909, 1921, 1923,
    1945, 1959, 2023, 2083, 2115, 2133, 2185, 2371, 2373, 2383, 2385, 2401, 2539, 2551, 2595, 2605,
    2665, 2695, 2911, 2919, 3015, 3045, 3069, 3079, 3081, 3105, 3139, 3151, 3153, 3183, 3295, 3325,
    3331, 3361, 3363, 3373, 3409, 3441, 3465, 3625, 3669, 3793, 3799, 3835, 3865, 3895, 3913, 3931,
    3933, 4003, 4015, 4075, 4119, 4141, 4185, 4219, 4243, 4351, 4359, 4393, 4431, 4443, 4459, 4465,
    4473, 4525, 4575, 4599, 4659, 4723, 4729, 4749, 4789, 4795, 4819, 4863, 4885, 4969, 5043, 5079};

/* A fraction is unique modulo the first prime if numerator and denominator are less: 2 * 2^29 *
   2^29 < 2^61. */
#define FRACTION_MOST (INT64_C(1) << 29)

struct residue {
    int32_t species;
    uint64_t value;
};

/* Holds a row of the echelon form: 1 for its first species, with which no other row begins. */
struct pivot {
    struct residue *rest; /* owned: the entries of the other species */
    int n;
    bool is_there;
};

struct rd_echelon {
    int n_species, rank;
    uint64_t below; /* the prime is 2^61 - below */
    int64_t work;
    struct pivot *pivot; /* [species]: the row that begins with it */
    uint64_t *value;     /* [species]: the change that is being reduced; else 0 */
    uint64_t *marked;    /* bit s: value[s] may differ from 0 */
};

/* Returns the number if the condition holds, else 0, without a branch: residues are like random
   numbers, so that every second branch would be mispredicted. */
static uint64_t only_if(bool condition, uint64_t number)
{
    return number & (UINT64_C(0) - condition);
}

static uint64_t prime_of_echelon(const rd_echelon *c)
{
    return (UINT64_C(1) << 61) - c->below;
}

/* Returns a number modulo the prime; it is below 2^122. 2^61 is the same as `below`. */
static uint64_t reduce_modulo(const rd_echelon *c, u128 number)
{
    const u128 low = (UINT64_C(1) << 61) - 1;
    const u128 once = (number & low) + (u128)(uint64_t)(number >> 61) * c->below;
    const uint64_t sum = (uint64_t)(once & low) + (uint64_t)(once >> 61) * c->below;
    return sum - only_if(sum >= prime_of_echelon(c), prime_of_echelon(c));
}

static uint64_t times(const rd_echelon *c, uint64_t a, uint64_t b)
{
    return reduce_modulo(c, (u128)a * b);
}

static uint64_t minus(const rd_echelon *c, uint64_t a, uint64_t b)
{
    return a - b + only_if(a < b, prime_of_echelon(c));
}

static uint64_t inverse(const rd_echelon *c, uint64_t a)
{
    uint64_t power = 1;
    for (uint64_t left = prime_of_echelon(c) - 2; left > 0; left >>= 1) {
        power = left & 1 ? times(c, power, a) : power;
        a = times(c, a, a);
    }
    return power;
}

static uint64_t residue_of(const rd_echelon *c, int64_t number)
{
    const uint64_t size = number < 0 ? -(uint64_t)number : (uint64_t)number;
    const uint64_t rest = reduce_modulo(c, size);
    return number < 0 ? minus(c, 0, rest) : rest;
}

rd_echelon *rd_echelon_open(int n_species, int prime, struct rd_error *e)
{
    rd_echelon *const c = calloc(1, sizeof *c);
    if (c) {
        c->n_species = n_species;
        c->below = prime_below[prime];
        c->pivot = calloc((size_t)n_species + 1, sizeof *c->pivot);
        c->value = calloc((size_t)n_species + 1, sizeof *c->value);
        c->marked = calloc((size_t)n_species / 64 + 1, sizeof *c->marked);
    }
    if (c && c->pivot && c->value && c->marked)
        return c;
    rd_echelon_close(c);
    rd_fail(e, "out of memory for the conservation laws of %d species", n_species);
    return NULL;
}

void rd_echelon_close(rd_echelon *c)
{
    for (int s = 0; c && c->pivot && s < c->n_species; s++)
        free(c->pivot[s].rest);
    if (c) {
        free(c->pivot);
        free(c->value);
        free(c->marked);
    }
    free(c);
}

int64_t rd_echelon_work(const rd_echelon *c)
{
    return c->work;
}

bool rd_echelon_is_first(const rd_echelon *c, int species)
{
    return c->pivot[species].is_there;
}

/* Sets the value of a species, and marks it if it was 0: dense rows seldom have a new species. */
static void set_value(rd_echelon *c, int s, uint64_t value)
{
    if (c->value[s] == 0)
        c->marked[(unsigned)s / 64] |= UINT64_C(1) << (unsigned)s % 64;
    c->value[s] = value;
}

/* Returns the first marked species that is not below s, or n_species. */
static int next_marked(const rd_echelon *c, int s)
{
    const int n_words = c->n_species / 64 + 1;
    uint64_t word = s < c->n_species ? c->marked[s / 64] >> s % 64 << s % 64 : 0;
    for (int i = s / 64; i < n_words; word = ++i < n_words ? c->marked[i] : 0)
        if (word != 0)
            return 64 * i + __builtin_ctzll(word);
    return c->n_species;
}

/* Returns the last marked species that is not above s, or -1. */
static int last_marked(const rd_echelon *c, int s)
{
    if (s < 0)
        return -1;
    uint64_t word = c->marked[s / 64] << (63 - s % 64) >> (63 - s % 64);
    for (int i = s / 64; i >= 0; word = --i >= 0 ? c->marked[i] : 0)
        if (word != 0)
            return 64 * i + 63 - __builtin_clzll(word);
    return -1;
}

/* Clears the change that was reduced, or the solution. */
static void clear_values(rd_echelon *c)
{
    for (int s = 0; (s = next_marked(c, s)) < c->n_species; s++) {
        c->value[s] = 0;
        c->marked[s / 64] &= ~(UINT64_C(1) << s % 64);
    }
}

/* Adds the present change, whose first species is s, as a new row. */
static bool keep_change(rd_echelon *c, int s, struct rd_error *e)
{
    int n = 0;
    for (int i = s + 1; (i = next_marked(c, i)) < c->n_species; i++)
        n += c->value[i] != 0;
    struct pivot *const p = &c->pivot[s];
    p->rest = malloc(((size_t)n + 1) * sizeof *p->rest);
    if (!p->rest)
        return rd_fail(e, "out of memory for the conservation laws of %d species", c->n_species);
    const uint64_t scale = inverse(c, c->value[s]);
    for (int i = s + 1; (i = next_marked(c, i)) < c->n_species; i++)
        if (c->value[i] != 0)
            p->rest[p->n++] = (struct residue){i, times(c, scale, c->value[i])};
    p->is_there = true;
    c->rank++;
    return true;
}

/* Subtracts rows from the present change until no row begins with its first species. Returns that
   species, or n_species if nothing is left. */
static int reduce_change(rd_echelon *c)
{
    for (int s = 0; (s = next_marked(c, s)) < c->n_species; s++) {
        const uint64_t factor = c->value[s];
        const struct pivot *const p = &c->pivot[s];
        if (factor == 0)
            continue;
        if (!p->is_there)
            return s;
        for (int i = 0; i < p->n; i++) {
            const struct residue *const r = &p->rest[i];
            set_value(c, r->species, minus(c, c->value[r->species], times(c, factor, r->value)));
        }
        c->work += p->n;
    }
    return c->n_species;
}

bool rd_echelon_take(rd_echelon *c, const struct rd_sparse *change, bool *is_new,
                     struct rd_error *e)
{
    *is_new = false;
    c->work += c->n_species / 64 + change->n + 1;
    if (c->rank == c->n_species)
        return true; /* every change depends on those before it */
    for (int i = 0; i < change->n; i++)
        set_value(c, change->entry[i].at, residue_of(c, change->entry[i].value));
    const int first = reduce_change(c);
    *is_new = first < c->n_species;
    const bool ok = !*is_new || keep_change(c, first, e);
    clear_values(c);
    return ok;
}

/* Describes the entries of sparse rows, sorted by column: column s has entry[first[s]] to
   entry[first[s + 1] - 1]. In an entry, `species` is the number of the row. */
struct echelon_columns {
    int64_t *first;
    struct residue *entry;
};

static void close_columns(struct echelon_columns *x)
{
    free(x->first);
    free(x->entry);
}

/* Provides columns for so many entries; first[s + 2] counts those of column s until they are
   added. */
static bool open_columns(struct echelon_columns *x, int n, int64_t n_entries)
{
    x->first = calloc((size_t)n + 3, sizeof *x->first);
    x->entry = malloc(((size_t)n_entries + 1) * sizeof *x->entry);
    return x->first && x->entry;
}

/* Turns the counts of first[] into the places at which the columns begin, in first[s + 1]. */
static void place_columns(struct echelon_columns *x, int n)
{
    for (int s = 0; s < n; s++)
        x->first[s + 2] += x->first[s + 1];
}

static void add_to_column(struct echelon_columns *x, int s, int row, uint64_t value)
{
    x->entry[x->first[s + 1]++] = (struct residue){row, value};
}

/* Sorts the rows of the echelon form by column. */
static bool sort_pivots(const rd_echelon *c, struct echelon_columns *x)
{
    int64_t n_entries = 0;
    for (int s = 0; s < c->n_species; s++)
        n_entries += c->pivot[s].n;
    if (!open_columns(x, c->n_species, n_entries))
        return false;
    for (int s = 0; s < c->n_species; s++)
        for (int i = 0; i < c->pivot[s].n; i++)
            x->first[c->pivot[s].rest[i].species + 2]++;
    place_columns(x, c->n_species);
    for (int s = 0; s < c->n_species; s++)
        for (int i = 0; i < c->pivot[s].n; i++)
            add_to_column(x, c->pivot[s].rest[i].species, s, c->pivot[s].rest[i].value);
    return true;
}

/* Sorts the numbers of changes by the species that they change. */
static bool sort_changes(const struct rd_sparse *change, int n_changes, int n_species,
                         struct echelon_columns *x)
{
    int64_t n_entries = 0;
    for (int r = 0; r < n_changes; r++)
        n_entries += change[r].n;
    if (!open_columns(x, n_species, n_entries))
        return false;
    for (int r = 0; r < n_changes; r++)
        for (int i = 0; i < change[r].n; i++)
            x->first[change[r].entry[i].at + 2]++;
    place_columns(x, n_species);
    for (int r = 0; r < n_changes; r++)
        for (int i = 0; i < change[r].n; i++)
            add_to_column(x, change[r].entry[i].at, r, 0);
    return true;
}

/* Computes, in value[], the solution that is 1 for the species `one`, and 0 for other species
   without pivot. A row determines its first species by the others, so species are visited from
   `one` down. */
static void solve_for_species(rd_echelon *c, const struct echelon_columns *pivots, int one)
{
    set_value(c, one, 1);
    for (int s = one; s >= 0; s = last_marked(c, s - 1)) {
        const uint64_t y = c->value[s];
        for (int64_t k = pivots->first[s]; y != 0 && k < pivots->first[s + 1]; k++) {
            const struct residue *const p = &pivots->entry[k];
            set_value(c, p->species, minus(c, c->value[p->species], times(c, p->value, y)));
        }
        c->work += pivots->first[s + 1] - pivots->first[s] + 1;
    }
}

/* Finds the fraction with small numbers that the residue represents, by half of Euclid's algorithm.
   Returns false if there is none. */
static bool fraction_of(const rd_echelon *c, uint64_t residue, int64_t *above, int64_t *below)
{
    int64_t r = (int64_t)prime_of_echelon(c), next = (int64_t)residue, t = 0, next_t = 1;
    while (next >= FRACTION_MOST) {
        const int64_t quotient = r / next, rest = r % next, step = t - quotient * next_t;
        r = next;
        next = rest;
        t = next_t;
        next_t = step;
    }
    *above = next_t < 0 ? -next : next;
    *below = next_t < 0 ? -next_t : next_t;
    return *below > 0 && *below < FRACTION_MOST;
}

/* Converts the fractions of the present solution to integers, weight[0] to weight[*n - 1]. Returns
   false if a number grows too large. */
static bool to_integers(rd_echelon *c, struct rd_entry *weight, int *n)
{
    int64_t common = 1, above, below;
    *n = 0;
    for (int s = 0; (s = next_marked(c, s)) < c->n_species; s++) {
        if (!fraction_of(c, c->value[s], &above, &below))
            return false;
        common *= below / rd_sparse_gcd(common, below);
        if (common >= FRACTION_MOST)
            return false;
    }
    for (int s = 0; (s = next_marked(c, s)) < c->n_species; s++) {
        fraction_of(c, c->value[s], &above, &below);
        const int64_t whole = above * (common / below);
        if (whole >= FRACTION_MOST || whole <= -FRACTION_MOST)
            return false;
        if (whole != 0)
            weight[(*n)++] = (struct rd_entry){s, whole};
    }
    return true;
}

/* Returns whether the weighted sum of a change is 0; number[species] has the weights. */
static bool leaves(const struct rd_sparse *change, const int64_t *number)
{
    rd_int128 sum = 0;
    for (int i = 0; i < change->n; i++)
        sum += (rd_int128)number[change->entry[i].at] * change->entry[i].value;
    return sum == 0;
}

/* Returns whether no change alters the sum with n weights. number[] is 0, before and after. */
static bool leaves_all(rd_echelon *c, const struct rd_sparse *change,
                       const struct echelon_columns *changes, const struct rd_entry *weight, int n,
                       int64_t *number)
{
    bool all = true;
    for (int i = 0; i < n; i++)
        number[weight[i].at] = weight[i].value;
    for (int i = 0; i < n; i++)
        for (int64_t k = changes->first[weight[i].at]; k < changes->first[weight[i].at + 1]; k++) {
            const struct rd_sparse *const one = &change[changes->entry[k].species];
            all = all && leaves(one, number);
            c->work += one->n;
        }
    for (int i = 0; i < n; i++)
        number[weight[i].at] = 0;
    return all;
}

bool rd_nullspace(rd_echelon *c, const struct rd_sparse *change, int n_changes, int64_t most,
                  struct rd_weighted_sums *basis, bool *is_whole, struct rd_error *e)
{
    const int n = c->n_species;
    struct echelon_columns pivots = {0}, changes = {0};
    struct rd_entry *const weight = malloc(((size_t)n + 1) * sizeof *weight);
    int64_t *const number = calloc((size_t)n + 1, sizeof *number);
    bool ok = (weight && number && sort_pivots(c, &pivots) &&
               sort_changes(change, n_changes, n, &changes)) ||
              rd_fail(e, "out of memory for conservation laws");
    *is_whole = true;
    for (int s = 0; ok && s < n; s++) {
        if (c->pivot[s].is_there)
            continue;
        int n_weights = 0;
        const bool has_time = c->work < most;
        if (has_time)
            solve_for_species(c, &pivots, s);
        const bool is_law = has_time && to_integers(c, weight, &n_weights) &&
                            leaves_all(c, change, &changes, weight, n_weights, number);
        clear_values(c);
        *is_whole = *is_whole && is_law;
        ok = !is_law || rd_weighted_sums_add_entries(basis, weight, n_weights, e);
    }
    close_columns(&pivots);
    close_columns(&changes);
    free(weight);
    free(number);
    return ok;
}
