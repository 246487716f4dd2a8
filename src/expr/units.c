/* units - quantities such as "50 nM": the table of units, and conversion to the units of a
   configuration.

   Factors are whole numbers and powers of ten, and a power of ten is added to the exponent of the
   number as it is written. So "500 nm" in um is the number that "0.5" is. */
#define _POSIX_C_SOURCE 200809L
#include "expr/units.h"

#include "base/text.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Limits the length of a text that can be a quantity, and the power of ten of its units: nested
   exponents could exceed all integers. */
enum { TEXT_BYTES = 512, POWER_MOST = 9999 };

/* ---- the table ---- */

/* A unit is factor * 10^power metres^length seconds^time. Its prefixes are letters. */
struct unit {
    const char *name, *prefixes;
    double factor;
    int power;
    struct rd_dimension dimension;
    bool is_molar;
};

/* THE TABLE; docs/units.md lists it. `k` of metres would take the name of Michaelis' constant. */
static const struct unit units[] = {
    {"m", "pnumcd", 1, 0, {1, 0}, false},
    {"angstrom", "", 1, -10, {1, 0}, false},
    {"s", "fpnum", 1, 0, {0, 1}, false},
    {"min", "", 60, 0, {0, 1}, false},
    {"h", "", 3600, 0, {0, 1}, false},
    {"d", "", 86400, 0, {0, 1}, false},
    {"Hz", "mk", 1, 0, {0, -1}, false},
    {"L", "afpnum", 1, -3, {3, 0}, false},
    {"l", "afpnum", 1, -3, {3, 0}, false},
    {"M", "afpnum", 602214076, 18, {-3, 0}, true},
    {"mol", "afpnum", 602214076, 15, {0, 0}, true},
    {"molecules", "", 1, 0, {0, 0}, false},
    {"molecule", "", 1, 0, {0, 0}, false},
};
enum { N_UNITS = sizeof units / sizeof *units };

static const struct {
    char letter;
    int power;
} prefixes[] = {{'a', -18}, {'f', -15}, {'p', -12}, {'n', -9}, {'u', -6},
                {'m', -3},  {'c', -2},  {'d', -1},  {'k', 3}};

/* Lists the words that stand for a symbol, alone or with an s. */
static const char *const words[][2] = {
    {"nanosecond", "ns"}, {"microsecond", "us"}, {"millisecond", "ms"}, {"second", "s"},
    {"sec", "s"},         {"minute", "min"},     {"min", "min"},        {"hour", "h"},
    {"hr", "h"},          {"day", "d"},          {"micron", "um"},      {"nanometre", "nm"},
    {"nanometer", "nm"},  {"micrometre", "um"},  {"micrometer", "um"},  {"millimetre", "mm"},
    {"millimeter", "mm"}, {"centimetre", "cm"},  {"centimeter", "cm"},  {"metre", "m"},
    {"meter", "m"}};

const char *rd_units_symbol(const char *name)
{
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        const size_t length = strlen(words[i][0]);
        const char *const rest = name + length;
        if (strncasecmp(name, words[i][0], length) == 0 && (!*rest || strcasecmp(rest, "s") == 0))
            return words[i][1];
    }
    return name;
}

static bool power_of(char letter, int *power)
{
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
        if (prefixes[i].letter == letter) {
            *power = prefixes[i].power;
            return true;
        }
    return false;
}

/* Finds the unit with this symbol, and adds the power of its prefix. */
static bool find_symbol(const char *name, struct unit *found)
{
    int power;
    for (int i = 0; i < N_UNITS; i++)
        if (strcmp(units[i].name, name) == 0) {
            *found = units[i];
            return true;
        }
    if (!*name || !power_of(*name, &power))
        return false;
    for (int i = 0; i < N_UNITS; i++)
        if (strcmp(units[i].name, name + 1) == 0 && strchr(units[i].prefixes, *name)) {
            *found = units[i];
            found->power += power;
            return true;
        }
    return false;
}

/* Finds the unit of a symbol, or of a word in small letters. */
static bool find_unit(const char *name, struct unit *found)
{
    return find_symbol(name, found) ||
           (strspn(name, "abcdefghijklmnopqrstuvwxyz") == strlen(name) &&
            find_symbol(rd_units_symbol(name), found));
}

bool rd_units_has(const char *name)
{
    struct unit ignored;
    return find_unit(name, &ignored);
}

/* ---- reading ---- */

/* Holds the product of units that is read so far. */
struct product {
    struct rd_scale scale;
    struct rd_dimension dimension;
    bool is_molar;
};

static const struct product one = {.scale = {1, 1, 0}};

/* Multiplies the product by factor^exponent. */
static void multiply_units(struct product *p, const struct product *factor, int exponent)
{
    struct rd_scale *const s = &p->scale;
    const struct rd_scale *const f = &factor->scale;
    for (int i = 0; i < abs(exponent); i++) {
        s->numerator *= exponent > 0 ? f->numerator : f->denominator;
        s->denominator *= exponent > 0 ? f->denominator : f->numerator;
    }
    s->power += exponent * f->power;
    p->dimension.length += exponent * factor->dimension.length;
    p->dimension.time += exponent * factor->dimension.time;
    p->is_molar |= factor->is_molar;
}

/* Writes the text with characters beyond ASCII replaced by what they mean; others stay. */
static bool simplify(const char *text, char *simple, size_t bytes)
{
    static const char *const means[][2] = {{"\xc2\xb5", "u"},        {"\xce\xbc", "u"},
                                           {"\xc2\xb2", "2"},        {"\xc2\xb3", "3"},
                                           {"\xc2\xb9", "1"},        {"\xe2\x81\xbb", "-"},
                                           {"\xc2\xb7", "*"},        {"\xe2\x8b\x85", "*"},
                                           {"\xc3\x85", "angstrom"}, {"\xe2\x84\xab", "angstrom"},
                                           {"\xc2\xa0", " "}};
    size_t used = 0;
    while (*text) {
        const char one_byte[] = {*text, 0};
        const char *put = one_byte;
        size_t taken = 1;
        for (size_t i = 0; i < sizeof means / sizeof *means; i++)
            if (strncmp(text, means[i][0], strlen(means[i][0])) == 0) {
                put = means[i][1];
                taken = strlen(means[i][0]);
            }
        if (used + strlen(put) >= bytes)
            return false;
        used += (size_t)snprintf(simple + used, bytes - used, "%s", put);
        text += taken;
    }
    simple[used] = 0;
    return true;
}

static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
static const char digits[] = "0123456789";

static const char *skip(const char *at)
{
    return at + strspn(at, " \t\r\n");
}

const char *rd_quantity_number(const char *text, double *number)
{
    const char *const from = skip(text);
    const char *const value = from + (*from == '-' || *from == '+');
    const size_t length = rd_text_number_length(value);
    *number = length ? strtod(from, NULL) : 0.0;
    return length ? skip(value + length) : text;
}

const char *rd_quantity_name(const char **at, size_t *length)
{
    const char *const name = *at + strcspn(*at, letters);
    *length = strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
    *at = name + *length;
    return *length ? name : NULL;
}

/* Reads ^2, ^-1, **2, 2 or -1 after a unit. */
static int take_exponent(const char **at)
{
    const char *c = *at;
    if (*c == '^')
        c++;
    else if (c[0] == '*' && c[1] == '*')
        c += 2;
    const char *const number = c + (*c == '-' || *c == '+');
    const size_t length = strspn(number, digits);
    if (length != 1) /* none, or one that no quantity has */
        return 1;
    *at = number + 1;
    return (*c == '-' ? -1 : 1) * (*number - '0');
}

/* Copies what is no unit at `at`, up to a space. */
static bool fail_at_unit(const char *at, struct rd_quantity *q)
{
    size_t length = strcspn(at, " \t\r\n");
    length = length < sizeof q->wrong ? length : sizeof q->wrong - 1;
    memcpy(q->wrong, at, length);
    q->wrong[length] = 0;
    return false;
}

static bool take_unit(const char **at, struct product *p, struct rd_quantity *q)
{
    char name[24];
    struct unit unit;
    const size_t length = strspn(*at, letters);
    if (length == 0 || length >= sizeof name)
        return fail_at_unit(*at, q);
    memcpy(name, *at, length);
    name[length] = 0;
    if (!find_unit(name, &unit))
        return fail_at_unit(*at, q);
    *at += length;
    *p = (struct product){{unit.factor, 1, unit.power}, unit.dimension, unit.is_molar};
    return true;
}

static bool take_product(const char **at, struct product *p, struct rd_quantity *q);

/* Reads a unit, or a product in brackets, with its exponent. */
static bool take_factor(const char **at, struct product *p, struct rd_quantity *q, int sign)
{
    const char *const begin = *at;
    struct product factor = one;
    if (**at == '(') {
        const char *inner = skip(*at + 1);
        if (!take_product(&inner, &factor, q))
            return false;
        if (*inner != ')')
            return fail_at_unit(inner, q);
        *at = inner + 1;
    } else if (!take_unit(at, &factor, q)) {
        return false;
    }
    multiply_units(p, &factor, sign * take_exponent(at));
    *at = skip(*at);
    return abs(p->scale.power) <= POWER_MOST || fail_at_unit(begin, q);
}

/* Reads factors up to a closing bracket or the end: "um^2/s", "/M/s", "1/(M s)". */
static bool take_product(const char **at, struct product *p, struct rd_quantity *q)
{
    if (**at == '1' && *skip(*at + 1) == '/')
        *at = skip(*at + 1);
    bool is_first = true;
    while (**at && **at != ')') {
        int sign = 1;
        if (**at == '/' || (**at == '*' && !is_first)) {
            sign = **at == '/' ? -1 : 1;
            *at = skip(*at + 1);
        }
        if (!take_factor(at, p, q, sign))
            return false;
        is_first = false;
    }
    return !is_first || fail_at_unit(*at, q);
}

/* ---- conversion ---- */

/* Returns the number in the text times 10^power, rounded once. */
static double shifted(const char *text, int power)
{
    char number[TEXT_BYTES + 32];
    const char *const value = text + (*text == '-' || *text == '+');
    const size_t all = rd_text_number_length(value) + (size_t)(value - text);
    const size_t mantissa = strcspn(text, "eE") < all ? strcspn(text, "eE") : all;
    const long exponent = mantissa < all ? strtol(text + mantissa + 1, NULL, 10) : 0;
    const long clamped = exponent > 9999 ? 9999 : exponent < -9999 ? -9999 : exponent;
    snprintf(number, sizeof number, "%.*se%ld", (int)mantissa, text, clamped + power);
    return strtod(number, NULL);
}

/* Returns the product of the units of the configuration with that dimension. */
static struct product own_unit(const struct rd_units *u, struct rd_dimension d)
{
    const struct product length = {.scale = u->length}, time = {.scale = u->time};
    struct product own = one;
    multiply_units(&own, &length, (int)d.length);
    multiply_units(&own, &time, (int)d.time);
    return own;
}

/* Returns the number in the text, which counts products p, in the units of the configuration. */
static double convert_units(const char *text, const struct product *p, const struct rd_units *u)
{
    const struct product own = own_unit(u, p->dimension);
    struct product all = *p;
    multiply_units(&all, &own, -1);
    char number[RD_NUMBER_BYTES];
    if (all.scale.numerator == all.scale.denominator)
        return shifted(text, all.scale.power);
    const double v = strtod(text, NULL) * all.scale.numerator / all.scale.denominator;
    if (!(fabs(v) <= DBL_MAX))
        return v;
    rd_text_number(v, number);
    return shifted(number, all.scale.power);
}

/* Returns the kind of a text that is no quantity. If it ends too early, its last character is
   wrong. */
static enum rd_quantity_kind fail_text(const char *text, struct rd_quantity *q, bool has_name)
{
    size_t n = strlen(text);
    while (n > 1 && strchr(" \t\r\n", text[n - 1]))
        n--;
    if (!*q->wrong)
        fail_at_unit(text + n - 1, q);
    return has_name ? RD_QUANTITY_WRONG : RD_QUANTITY_NONE;
}

enum rd_quantity_kind rd_quantity_read(const char *text, const struct rd_units *u,
                                       struct rd_quantity *q)
{
    char simple[TEXT_BYTES];
    double number;
    *q = (struct rd_quantity){0};
    if (!simplify(text, simple, sizeof simple))
        return RD_QUANTITY_NONE;
    const char *at = rd_quantity_number(simple, &number);
    const bool has_name = *at && (strchr(letters, *at) || (unsigned char)*at >= 0x80);
    const bool has_slash = *at == '/' || *at == '(' || (*at == '1' && *skip(at + 1) == '/');
    if (at == simple || !(has_name || has_slash))
        return RD_QUANTITY_NONE;
    struct product p = one;
    if (!take_product(&at, &p, q) || (*at && !fail_at_unit(at, q)))
        return fail_text(simple, q, has_name);
    q->dimension = p.dimension;
    q->is_molar = p.is_molar;
    q->value = u->are_known ? convert_units(skip(simple), &p, u) : 0.0;
    return RD_QUANTITY_RIGHT;
}

struct rd_units rd_units_of(const char *length, const char *time)
{
    struct rd_units u = {.length_name = "", .time_name = ""};
    struct rd_quantity ignored;
    char simple[2][24];
    const char *const name[] = {length, time};
    struct product p[2] = {one, one};
    bool is_known = true;
    for (int i = 0; i < 2; i++) {
        is_known = is_known && simplify(name[i], simple[i], sizeof simple[i]);
        const char *at = is_known ? rd_units_symbol(simple[i]) : "";
        is_known = is_known && take_unit(&at, &p[i], &ignored) && !*at &&
                   rd_dimension_is_same(p[i].dimension, (struct rd_dimension){i == 0, i == 1});
    }
    if (is_known)
        u = (struct rd_units){true, p[0].scale, p[1].scale, rd_units_symbol(length),
                              rd_units_symbol(time)};
    return u;
}

double rd_units_in(const struct rd_units *u, struct rd_dimension d, const char *unit)
{
    const char *at = unit;
    struct rd_quantity ignored;
    struct product p = one, own = own_unit(u, d);
    take_product(&at, &p, &ignored);
    multiply_units(&own, &p, -1);
    return shifted("1", own.scale.power) * own.scale.numerator / own.scale.denominator;
}

bool rd_dimension_is_same(struct rd_dimension a, struct rd_dimension b)
{
    return fabs(a.length - b.length) < 1e-9 && fabs(a.time - b.time) < 1e-9;
}
