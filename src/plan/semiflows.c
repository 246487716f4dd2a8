/* semiflows - the conserved sums without negative weights, by the double description method. It
   starts from the cone y >= 0, whose rays are the species. Each change then intersects the cone
   with the plane y . change = 0. */
#include "plan/semiflows.h"

#include <stdlib.h>
#include <string.h>

/* Limits of a search, about a second. Networks of hundreds of species stay far below. */
enum { SEMIFLOWS_MOST = 2048, WORK_MOST = 1 << 28 };

/* The largest weight, so that sums over all species stay far below 2^63. */
enum { WEIGHT_MOST = 1 << 24 };

/* The rays of a cone: weights of all species, and the set of nonzero weights. */
struct cone {
    int n_species, n_words;
    int n, capacity;
    int32_t *weight;   /* [ray][species] */
    uint64_t *support; /* [ray][word] */
    int64_t *side;     /* [ray]: y . change, for the present change */
    int64_t work;
    bool is_too_much;
};

static bool open_cone(struct cone *c, int n_species, struct rd_error *e)
{
    const size_t capacity = (size_t)(SEMIFLOWS_MOST > n_species ? SEMIFLOWS_MOST : n_species);
    *c = (struct cone){.n_species = n_species, .n_words = (n_species + 63) / 64};
    c->capacity = (int)capacity;
    c->weight = malloc(capacity * (size_t)n_species * sizeof *c->weight + 1);
    c->support = malloc(capacity * (size_t)c->n_words * sizeof *c->support + 1);
    c->side = malloc(capacity * sizeof *c->side);
    return (c->weight && c->support && c->side) ||
           rd_fail(e, "out of memory for conservation laws");
}

static void close_cone(struct cone *c)
{
    free(c->weight);
    free(c->support);
    free(c->side);
}

static int32_t *weight_of(const struct cone *c, int ray)
{
    return c->weight + (size_t)ray * (size_t)c->n_species;
}

static uint64_t *support_of(const struct cone *c, int ray)
{
    return c->support + (size_t)ray * (size_t)c->n_words;
}

static void note_support(struct cone *c, int ray)
{
    uint64_t *const support = support_of(c, ray);
    memset(support, 0, (size_t)c->n_words * sizeof *support);
    for (int s = 0; s < c->n_species; s++)
        support[s / 64] |= (uint64_t)(weight_of(c, ray)[s] != 0) << s % 64;
}

static void begin(struct cone *c, const bool *may)
{
    for (int s = 0; s < c->n_species; s++)
        if (may[s]) {
            memset(weight_of(c, c->n), 0, (size_t)c->n_species * sizeof *c->weight);
            weight_of(c, c->n)[s] = 1;
            note_support(c, c->n++);
        }
}

/* Computes on which side of the plane each ray lies. */
static void take_sides(struct cone *c, const struct rd_weighted_sum *change)
{
    for (int ray = 0; ray < c->n; ray++) {
        c->side[ray] = 0;
        for (int i = 0; i < change->n; i++)
            c->side[ray] +=
                (int64_t)weight_of(c, ray)[change->term[i].species] * change->term[i].number;
    }
}

/* Returns whether rays a and b of the first n span an edge of the cone: no third ray has its
   nonzero weights within those of both. */
static bool are_neighbours(struct cone *c, int a, int b, int n)
{
    for (int ray = 0; ray < n; ray++) {
        bool is_within = ray != a && ray != b;
        for (int w = 0; is_within && w < c->n_words; w++)
            is_within = !(support_of(c, ray)[w] & ~(support_of(c, a)[w] | support_of(c, b)[w]));
        if (is_within)
            return false;
    }
    c->work += (int64_t)n * 2;
    return true;
}

/* Adds the ray in which the plane meets the edge from a to b, which lie on different sides. */
static void cross(struct cone *c, int a, int b)
{
    const int64_t common = rd_weighted_sum_divisor(c->side[a], c->side[b]);
    const int64_t of_a = llabs(c->side[b]) / common, of_b = llabs(c->side[a]) / common;
    c->is_too_much = c->is_too_much || c->n == c->capacity || of_a > INT32_MAX || of_b > INT32_MAX;
    int64_t divisor = 0;
    for (int s = 0; !c->is_too_much && s < c->n_species; s++)
        divisor =
            rd_weighted_sum_divisor(of_a * weight_of(c, a)[s] + of_b * weight_of(c, b)[s], divisor);
    for (int s = 0; !c->is_too_much && s < c->n_species; s++) {
        const int64_t sum = (of_a * weight_of(c, a)[s] + of_b * weight_of(c, b)[s]) / divisor;
        c->is_too_much = sum >= WEIGHT_MOST;
        weight_of(c, c->n)[s] = (int32_t)sum;
    }
    if (c->is_too_much)
        return;
    note_support(c, c->n);
    c->side[c->n++] = 0;
    c->work += c->n_species;
}

/* Removes all rays that are not on the plane. */
static void drop_sides(struct cone *c)
{
    int n = 0;
    for (int ray = 0; ray < c->n; ray++) {
        if (c->side[ray] != 0)
            continue;
        memmove(weight_of(c, n), weight_of(c, ray), (size_t)c->n_species * sizeof *c->weight);
        memmove(support_of(c, n), support_of(c, ray), (size_t)c->n_words * sizeof *c->support);
        n++;
    }
    c->n = n;
}

static void cut(struct cone *c, const struct rd_weighted_sum *change)
{
    take_sides(c, change);
    const int n = c->n;
    for (int a = 0; a < n && !c->is_too_much; a++)
        for (int b = 0; b < n && c->side[a] > 0 && !c->is_too_much; b++) {
            if (c->side[b] < 0 && are_neighbours(c, a, b, n))
                cross(c, a, b);
            c->is_too_much = c->is_too_much || ++c->work > WORK_MOST;
        }
    drop_sides(c);
}

bool rd_semiflows(const struct rd_weighted_sums *change, const bool *may, int n_species,
                  struct rd_weighted_sums *ray, bool *is_whole, struct rd_error *e)
{
    struct cone c;
    bool ok = open_cone(&c, n_species, e);
    if (ok)
        begin(&c, may);
    for (int r = 0; ok && r < change->n && !c.is_too_much; r++)
        cut(&c, &change->of[r]);
    *is_whole = ok && !c.is_too_much;
    for (int i = 0; ok && *is_whole && i < c.n; i++)
        ok = rd_weighted_sums_add(ray, weight_of(&c, i), n_species, e);
    close_cone(&c);
    return ok;
}
