/* network_text - a reaction network while it is read: names, and sides with exact fractions. */
#define _POSIX_C_SOURCE 200809L
#include "modes/network_text.h"

#include "base/hash.h"
#include "base/memory.h"
#include "model/equation.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static void grow_slots(struct rd_name_table *t)
{
    const int n_slots = t->n_slots ? 2 * t->n_slots : 256;
    int32_t *const slot = rd_memory_need(malloc((size_t)n_slots * sizeof *slot));
    char **const name = rd_memory_need(realloc(t->name, (size_t)n_slots / 2 * sizeof *name));
    memset(slot, -1, (size_t)n_slots * sizeof *slot);
    for (int i = 0; i < t->n; i++) {
        const uint64_t hash = rd_hash_on(RD_HASH_OF_NOTHING, name[i], strlen(name[i]));
        int at = (int)(hash % (uint64_t)n_slots);
        while (slot[at] >= 0)
            at = (at + 1) % n_slots;
        slot[at] = i;
    }
    free(t->slot);
    t->name = name;
    t->slot = slot;
    t->n_slots = n_slots;
}

int rd_name_table_find(struct rd_name_table *t, const char *name, size_t length, bool adds)
{
    if (adds && 2 * t->n >= t->n_slots)
        grow_slots(t);
    if (t->n_slots == 0)
        return -1;
    const uint64_t hash = rd_hash_on(RD_HASH_OF_NOTHING, name, length);
    int at = (int)(hash % (uint64_t)t->n_slots);
    for (; t->slot[at] >= 0; at = (at + 1) % t->n_slots) {
        const char *const known = t->name[t->slot[at]];
        if (strncmp(known, name, length) == 0 && !known[length])
            return t->slot[at];
    }
    if (!adds)
        return -1;
    t->name[t->n] = rd_memory_need(strndup(name, length));
    t->slot[at] = t->n;
    return t->n++;
}

void rd_name_table_free(struct rd_name_table *t)
{
    for (int i = 0; i < t->n; i++)
        free(t->name[i]);
    free(t->name);
    free(t->slot);
    *t = (struct rd_name_table){0};
}

/* Describes an equation while it is read. */
struct network_reading {
    struct rd_raw_network *r;
    const char *text, *at, *place;
};

static bool fail_at_network(const struct network_reading *q, const char *fact)
{
    return rd_fail(q->r->e, "%s: equation '%.80s', column %d: %s", q->place, q->text,
                   (int)(q->at - q->text) + 1, fact);
}

static bool is_white_space(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static void skip_network_blanks(struct network_reading *q)
{
    while (is_white_space(*q->at))
        q->at++;
}

/* Multiplies *value by ten as often; false if it does not fit. */
static bool shift(int64_t *value, int64_t times)
{
    for (; times > 0; times--)
        if (*value > INT64_MAX / 10)
            return false;
        else
            *value *= 10;
    return true;
}

/* Reads digits, a point and an exponent into exponent and *number. */
static bool read_digits(const char **at, int64_t *number, int64_t *exponent)
{
    const char *c = *at;
    bool has_point = false, fits = true;
    for (*number = *exponent = 0; isdigit((unsigned char)*c) || (*c == '.' && !has_point); c++) {
        if (*c == '.') {
            has_point = true;
            continue;
        }
        int64_t more;
        fits = fits && !__builtin_mul_overflow(*number, 10, &more) &&
               !__builtin_add_overflow(more, *c - '0', number);
        *exponent -= has_point;
    }
    const bool is_signed = *c && (c[1] == '-' || c[1] == '+');
    if ((*c == 'e' || *c == 'E') && isdigit((unsigned char)c[1 + is_signed])) {
        const long power = strtol(c + 1, (char **)&c, 10);
        *exponent += power > 100 ? 100 : power < -100 ? -100 : power;
    }
    *at = c;
    return fits;
}

/* Reads "2" or "0.5" before a species, 1 where nothing stands. */
static bool read_raw_number(struct network_reading *q, struct rd_raw_term *t)
{
    const char *at = q->at;
    int64_t exponent;
    t->number = t->denominator = 1;
    if (!isdigit((unsigned char)*at) && *at != '.')
        return true;
    bool fits = read_digits(&at, &t->number, &exponent);
    /* a name such as 13dpg begins with digits and is not a number */
    if (!is_white_space(*at) && *at != '*' && !q->r->is_closed) {
        t->number = 1;
        return true;
    }
    while (t->number % 10 == 0 && t->number != 0 && exponent < 0) {
        t->number /= 10;
        exponent++;
    }
    fits = fits && shift(exponent > 0 ? &t->number : &t->denominator, llabs(exponent));
    if (!fits)
        return fail_at_network(q, "the coefficient does not fit into 64 bits; use fewer digits");
    if (t->number == 0)
        return fail_at_network(q, "the coefficient is 0; leave this term out");
    const int64_t common = rd_sparse_gcd(t->number, t->denominator);
    t->number /= common;
    t->denominator /= common;
    q->at = at;
    skip_network_blanks(q);
    if (*q->at == '*')
        q->at++;
    skip_network_blanks(q);
    return true;
}

/* Returns the length of the arrow at this place, 0 if there is none. */
static size_t arrow_at(const char *at)
{
    bool is_reversible;
    return rd_equation_arrow(at, &is_reversible);
}

static bool is_in_name(const struct network_reading *q, const char *at)
{
    if (!q->r->is_closed)
        return *at && !is_white_space(*at);
    return isdigit((unsigned char)*at) || *at == '_' || (*at >= 'a' && *at <= 'z') ||
           (*at >= 'A' && *at <= 'Z');
}

static bool read_raw_species(struct network_reading *q, struct rd_raw_term *t)
{
    const char *end = q->at;
    while (is_in_name(q, end))
        end++;
    if (end == q->at || *q->at == '+' || arrow_at(q->at) > 0)
        return fail_at_network(q, "a species is missing here");
    const size_t length = (size_t)(end - q->at);
    t->species = rd_name_table_find(&q->r->species, q->at, length, !q->r->is_closed);
    if (t->species < 0) {
        char fact[160];
        snprintf(fact, sizeof fact, "species '%.*s' is not declared; add it to `species`",
                 length < 80 ? (int)length : 80, q->at);
        return fail_at_network(q, fact);
    }
    q->at = end;
    return true;
}

static bool add_raw_term(struct network_reading *q, struct rd_raw_side *side,
                         const struct rd_raw_term *t)
{
    for (int i = 0; i < side->n; i++) {
        struct rd_raw_term *const known = &side->term[i];
        if (known->species != t->species)
            continue;
        const rd_int128 above =
            (rd_int128)known->number * t->denominator + (rd_int128)t->number * known->denominator;
        const rd_int128 below = (rd_int128)known->denominator * t->denominator;
        const rd_int128 common = rd_sparse_gcd128(above, below);
        if (!rd_sparse_fits(above / common) || !rd_sparse_fits(below / common))
            return fail_at_network(q, "the sum of coefficients does not fit into 64 bits");
        known->number = (int64_t)(above / common);
        known->denominator = (int64_t)(below / common);
        return true;
    }
    side->term = rd_memory_need(realloc(side->term, ((size_t)side->n + 1) * sizeof *side->term));
    side->term[side->n++] = *t;
    return true;
}

/* Returns the length of a sign that stands here alone, for nothing; 0 if there is none. A species
   may be called null. */
static size_t nothing_at(const struct network_reading *q)
{
    const size_t length = rd_equation_nothing(q->at);
    const char *const after = q->at + length;
    const bool is_separate = is_white_space(*after) || !*after || arrow_at(after) > 0;
    const bool is_species =
        length == 4 && rd_name_table_find(&q->r->species, "null", 4, false) >= 0;
    return is_separate && !is_species ? length : 0;
}

/* Reads terms up to an arrow or the end; nothing, or 0, is an empty side. */
static bool read_raw_side(struct network_reading *q, struct rd_raw_side *side)
{
    skip_network_blanks(q);
    if (nothing_at(q) > 0) {
        const char *const from = q->at;
        q->at += nothing_at(q);
        skip_network_blanks(q);
        if (!*q->at || arrow_at(q->at) > 0)
            return true;
        q->at = from;
    }
    if (!*q->at || arrow_at(q->at) > 0)
        return true;
    for (;;) {
        struct rd_raw_term t;
        if (!read_raw_number(q, &t) || !read_raw_species(q, &t) || !add_raw_term(q, side, &t))
            return false;
        skip_network_blanks(q);
        if (*q->at != '+')
            return true;
        q->at++;
        skip_network_blanks(q);
    }
}

static bool read_raw_equation(struct network_reading *q, struct rd_raw_reaction *x)
{
    if (!read_raw_side(q, &x->side[0]))
        return false;
    const size_t length = rd_equation_arrow(q->at, &x->is_reversible);
    if (length == 0)
        return fail_at_network(q, *q->at ? "'+' or an arrow is missing here; write => or <=>"
                                         : "it ends where an arrow is missing; write => or <=>");
    q->at += length;
    return read_raw_side(q, &x->side[1]) &&
           (!*q->at || fail_at_network(q, "'+' or the end is missing here"));
}

bool rd_raw_network_add(struct rd_raw_network *r, const char *name, const char *equation,
                        const char *place)
{
    const int before = r->reactions.n;
    if (before >= RD_NETWORK_MOST)
        return rd_fail(r->e, "%s: has more than %d reactions; divide the network", place,
                       RD_NETWORK_MOST);
    const int at = rd_name_table_find(&r->reactions, name, strlen(name), true);
    if (at < before)
        return rd_fail(r->e, "%s: the reaction '%.80s' is there twice; rename one of them", place,
                       name);
    if ((before & (before - 1)) == 0)
        r->reaction =
            rd_memory_need(realloc(r->reaction, 2 * ((size_t)before + 1) * sizeof *r->reaction));
    r->reaction[at] = (struct rd_raw_reaction){0};
    struct network_reading q = {.r = r, .text = equation, .at = equation, .place = place};
    if (!read_raw_equation(&q, &r->reaction[at]))
        return false;
    return r->species.n <= RD_NETWORK_MOST ||
           rd_fail(r->e, "%s: has more than %d species; divide the network", place,
                   RD_NETWORK_MOST);
}

/* Finds the least number that makes every coefficient of each species an integer. */
static bool find_scales(const struct rd_raw_network *r, const char *file, struct rd_network *n)
{
    for (int i = 0; i < n->n_species; i++)
        n->scale[i] = 1;
    for (int i = 0; i < 2 * n->n_reactions; i++) {
        const struct rd_raw_side *const side = &r->reaction[i / 2].side[i % 2];
        for (int k = 0; k < side->n; k++) {
            const struct rd_raw_term *const t = &side->term[k];
            int64_t *const scale = &n->scale[t->species];
            const int64_t factor = t->denominator / rd_sparse_gcd(*scale, t->denominator);
            if (__builtin_mul_overflow(*scale, factor, scale))
                return rd_fail(
                    r->e, "%s: the coefficients of %s do not fit into 64 bits; use fewer digits",
                    file, n->species[t->species]);
        }
    }
    return true;
}

static int compare_places(const void *one, const void *other)
{
    const struct rd_entry *const a = one, *const b = other;
    return (a->at > b->at) - (a->at < b->at);
}

static bool take_side(const struct rd_network *n, const struct rd_raw_side *from,
                      struct rd_sparse *side)
{
    const size_t bytes = ((size_t)from->n + 1) * sizeof *side->entry;
    *side = (struct rd_sparse){.entry = rd_memory_need(malloc(bytes))};
    bool fits = true;
    for (int k = 0; fits && k < from->n; k++) {
        const struct rd_raw_term *const t = &from->term[k];
        struct rd_entry *const x = &side->entry[side->n++];
        x->at = t->species;
        fits = !__builtin_mul_overflow(n->scale[t->species] / t->denominator, t->number, &x->value);
    }
    if (fits && side->n > 1)
        qsort(side->entry, (size_t)side->n, sizeof *side->entry, compare_places);
    return fits;
}

static void drop_external(const struct rd_network *n, struct rd_sparse *v)
{
    int kept = 0;
    for (int i = 0; i < v->n; i++)
        if (!n->is_external[v->entry[i].at])
            v->entry[kept++] = v->entry[i];
    v->n = kept;
}

static bool take_reactions(const struct rd_raw_network *r, const char *file, struct rd_network *n)
{
    bool ok = true;
    for (int i = 0; ok && i < n->n_reactions; i++) {
        struct rd_conversion *const x = &n->reaction[i];
        x->is_reversible = r->reaction[i].is_reversible;
        ok = take_side(n, &r->reaction[i].side[0], &x->left) &&
             take_side(n, &r->reaction[i].side[1], &x->right) &&
             rd_memory_need(rd_sparse_open_sum(&x->net, &x->right, &x->left) ? x : NULL) &&
             rd_sparse_combine(&x->net, &x->right, 1, &x->left, -1);
        if (ok)
            drop_external(n, &x->net);
        else
            rd_fail(r->e, "%s: the coefficients of %s do not fit into 64 bits; use fewer digits",
                    file, x->name);
    }
    return ok;
}

bool rd_raw_network_finish(struct rd_raw_network *r, const char *file, struct rd_network *n)
{
    *n = (struct rd_network){.n_species = r->species.n, .n_reactions = r->reactions.n};
    n->scale = rd_memory_need(calloc((size_t)n->n_species + 1, sizeof *n->scale));
    n->reaction = rd_memory_need(calloc((size_t)n->n_reactions + 1, sizeof *n->reaction));
    n->species = r->species.name;
    n->is_external = r->is_external;
    r->species.name = NULL;
    r->species.n = 0;
    r->is_external = NULL;
    for (int i = 0; i < n->n_reactions; i++) {
        n->reaction[i].name = r->reactions.name[i];
        r->reactions.name[i] = NULL;
    }
    return find_scales(r, file, n) && take_reactions(r, file, n);
}

void rd_raw_network_free(struct rd_raw_network *r)
{
    for (int i = 0; i < r->reactions.n && r->reaction; i++)
        for (int s = 0; s < 2; s++)
            free(r->reaction[i].side[s].term);
    free(r->reaction);
    free(r->is_external);
    rd_name_table_free(&r->species);
    rd_name_table_free(&r->reactions);
    rd_name_table_free(&r->unnamed);
    free(r->times);
}
