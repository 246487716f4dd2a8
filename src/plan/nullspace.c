/* nullspace - Gaussian elimination modulo a prime; the solutions are then reconstructed as integers
   and verified. */
#include "plan/nullspace.h"

#include <stdlib.h>
#include <string.h>

__extension__ typedef unsigned __int128 u128;

#define PRIME ((UINT64_C(1) << 61) - 1)

/* A fraction is unique modulo the prime if numerator and denominator are less: 2 * 2^29 * 2^29 <
   2^61. */
#define FRACTION_MOST (INT64_C(1) << 29)

struct residue {
    int32_t species;
    uint64_t value;
};

/* A row of the echelon form: 1 for its first species, with which no other row begins. */
struct pivot {
    struct residue *rest; /* owned: the entries of the other species */
    int n;
    bool is_there;
};

struct rd_echelon {
    int n_species, rank;
    int64_t work;
    struct pivot *pivot; /* [species]: the row that begins with it */
    uint64_t *value;     /* [species]: the change that is being reduced; else 0 */
    uint64_t *marked;    /* bit s: value[s] may differ from 0 */
};

static uint64_t times(uint64_t a, uint64_t b)
{
    const u128 product = (u128)a * b;
    const uint64_t sum = (uint64_t)(product & PRIME) + (uint64_t)(product >> 61);
    return sum >= PRIME ? sum - PRIME : sum;
}

static uint64_t minus(uint64_t a, uint64_t b)
{
    return a >= b ? a - b : a + PRIME - b;
}

static uint64_t inverse(uint64_t a)
{
    uint64_t power = 1;
    for (uint64_t left = PRIME - 2; left > 0; left >>= 1) {
        power = left & 1 ? times(power, a) : power;
        a = times(a, a);
    }
    return power;
}

static uint64_t residue_of(int64_t number)
{
    const int64_t rest = number % (int64_t)PRIME;
    return rest >= 0 ? (uint64_t)rest : PRIME - (uint64_t)-rest;
}

rd_echelon *rd_echelon_open(int n_species, struct rd_error *e)
{
    rd_echelon *const c = calloc(1, sizeof *c);
    if (c) {
        c->n_species = n_species;
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

static void set_value(rd_echelon *c, int s, uint64_t value)
{
    c->value[s] = value;
    c->marked[s / 64] |= UINT64_C(1) << s % 64;
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

/* Clears the change that was reduced. */
static void clear(rd_echelon *c)
{
    for (int s = 0; (s = next_marked(c, s)) < c->n_species; s++) {
        c->value[s] = 0;
        c->marked[s / 64] &= ~(UINT64_C(1) << s % 64);
    }
}

/* Adds the present change, whose first species is s, as a new row. */
static bool keep(rd_echelon *c, int s, struct rd_error *e)
{
    int n = 0;
    for (int i = s + 1; (i = next_marked(c, i)) < c->n_species; i++)
        n += c->value[i] != 0;
    struct pivot *const p = &c->pivot[s];
    p->rest = malloc(((size_t)n + 1) * sizeof *p->rest);
    if (!p->rest)
        return rd_fail(e, "out of memory for the conservation laws of %d species", c->n_species);
    const uint64_t scale = inverse(c->value[s]);
    for (int i = s + 1; (i = next_marked(c, i)) < c->n_species; i++)
        if (c->value[i] != 0)
            p->rest[p->n++] = (struct residue){i, times(scale, c->value[i])};
    p->is_there = true;
    c->rank++;
    return true;
}

/* Subtracts rows from the present change until no row begins with its first species. Returns that
   species, or n_species if nothing is left. */
static int reduce(rd_echelon *c)
{
    for (int s = 0; (s = next_marked(c, s)) < c->n_species; s++) {
        const uint64_t factor = c->value[s];
        const struct pivot *const p = &c->pivot[s];
        if (factor == 0)
            continue;
        if (!p->is_there)
            return s;
        for (int i = 0; i < p->n; i++)
            set_value(c, p->rest[i].species,
                      minus(c->value[p->rest[i].species], times(factor, p->rest[i].value)));
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
        set_value(c, change->entry[i].at, residue_of(change->entry[i].value));
    const int first = reduce(c);
    *is_new = first < c->n_species;
    const bool ok = !*is_new || keep(c, first, e);
    clear(c);
    return ok;
}

/* Computes the solution y that is 1 for the species `one`, and 0 for other species without
   pivot. */
static void solve(const rd_echelon *c, int one, uint64_t *y)
{
    memset(y, 0, (size_t)c->n_species * sizeof *y);
    y[one] = 1;
    for (int s = one - 1; s >= 0; s--) {
        const struct pivot *const p = &c->pivot[s];
        for (int i = 0; i < p->n; i++)
            y[s] = minus(y[s], times(p->rest[i].value, y[p->rest[i].species]));
    }
}

/* Finds the fraction with small numbers that the residue represents, by half of Euclid's algorithm.
   Returns false if there is none. */
static bool fraction_of(uint64_t residue, int64_t *above, int64_t *below)
{
    int64_t r = (int64_t)PRIME, next = (int64_t)residue, t = 0, next_t = 1;
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

/* Converts all fractions to a common denominator; returns false if a number grows too large. */
static bool to_integers(const uint64_t *y, int n, int64_t *number)
{
    int64_t common = 1, above, below;
    for (int s = 0; s < n; s++) {
        if (!fraction_of(y[s], &above, &below))
            return false;
        common *= below / rd_sparse_gcd(common, below);
        if (common >= FRACTION_MOST)
            return false;
    }
    for (int s = 0; s < n; s++) {
        fraction_of(y[s], &above, &below);
        const int64_t whole = above * (common / below);
        if (whole >= FRACTION_MOST || whole <= -FRACTION_MOST)
            return false;
        number[s] = whole;
    }
    return true;
}

static bool leaves_all(const struct rd_sparse *change, int n_changes, const int64_t *number)
{
    for (int r = 0; r < n_changes; r++) {
        rd_int128 sum = 0;
        for (int i = 0; i < change[r].n; i++)
            sum += (rd_int128)number[change[r].entry[i].at] * change[r].entry[i].value;
        if (sum != 0)
            return false;
    }
    return true;
}

bool rd_nullspace(const rd_echelon *c, const struct rd_sparse *change, int n_changes,
                  struct rd_weighted_sums *basis, bool *is_whole, struct rd_error *e)
{
    const int n = c->n_species;
    uint64_t *const y = malloc(((size_t)n + 1) * sizeof *y);
    int64_t *const number = malloc(((size_t)n + 1) * sizeof *number);
    bool ok = (y && number) || rd_fail(e, "out of memory for conservation laws");
    *is_whole = true;
    for (int s = 0; ok && s < n; s++) {
        if (c->pivot[s].is_there)
            continue;
        solve(c, s, y);
        const bool is_law = to_integers(y, n, number) && leaves_all(change, n_changes, number);
        *is_whole = *is_whole && is_law;
        ok = !is_law || rd_weighted_sums_add(basis, number, n, e);
    }
    free(y);
    free(number);
    return ok;
}
